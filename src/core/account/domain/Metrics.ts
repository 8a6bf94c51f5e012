/**
 * Metrics and the member's tier, computed from a state (contract/points.md *Metrics*).
 */
import * as Periods from "../../rules/Periods.ts"
import type { Program } from "../../rules/Program.ts"
import * as Tiers from "../../rules/Tiers.ts"
import type { State } from "./State.ts"
import { qualifiedIn, unitOf } from "./State.ts"

/** A metric's amount at an instant; a new tier period starts from 0. */
export const amountOf = (state: State, program: Program, metric: Program["metrics"][number], at: number): number => {
  const balance = unitOf(state, metric.unit)
  switch (metric.source) {
    case "current_balance":
      return balance.posted
    case "lifetime_earned":
      return balance.lifetime
    case "qualification_earned":
      return qualifiedIn(state, balance, Periods.periodStart(program, at) ?? 0)
  }
}

/** The amounts of the metric that decides the member's tier. */
export interface Qualification {
  /** Facts that tell the progress. */
  readonly present: number
  /**
   * The figure for the tier: the present amount, the last period's if the policy retains tiers, or what a promised tier
   * needs; the highest of them.
   */
  readonly reached: number
}

/** Undefined if the programme has no tiers. */
export const qualification = (state: State, program: Program, at: number): Qualification | undefined => {
  const metricId = program.tiers[0]?.qualification_metric_id
  const metric = program.metrics.find((candidate) => candidate.metric_id === metricId)
  if (metric === undefined) return undefined
  const present = amountOf(state, program, metric, at)
  const promised = Tiers.minimumOf(program, state.promised, at)
  if (metric.source !== "qualification_earned" || !Periods.retains(program, at))
    return { present, reached: Math.max(present, promised) }
  const last = qualifiedIn(state, unitOf(state, metric.unit), Periods.lastPeriodStart(program, at))
  return { present, reached: Math.max(present, last, promised) }
}

export const tierOf = (state: State, program: Program, at: number) => {
  const amounts = qualification(state, program, at)
  return amounts === undefined ? undefined : Tiers.tierOf(program, amounts.reached)
}
