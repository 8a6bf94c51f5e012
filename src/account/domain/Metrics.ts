/**
 * Metrics and the member's tier, computed from a state (contract/points.md *Metrics*).
 */
import * as Periods from "../../program/Periods.ts"
import type { Program } from "../../program/Program.ts"
import * as Tiers from "../../program/Tiers.ts"
import type { State } from "./State.ts"
import { unitOf } from "./State.ts"

/** A metric's amount at an instant; a new tier period starts from 0. */
export const amountOf = (state: State, program: Program, metric: Program["metrics"][number], at: number): number => {
  const balance = unitOf(state, metric.unit)
  switch (metric.source) {
    case "current_balance":
      return balance.posted
    case "lifetime_earned":
      return balance.lifetime
    case "qualification_earned":
      return (Periods.periodStart(program, at) ?? 0) === state.period ? balance.qualified : 0
  }
}

/** The amount that decides the member's tier; undefined if the programme has no tiers. */
export const qualification = (state: State, program: Program, at: number): number | undefined => {
  const metricId = program.tiers[0]?.qualification_metric_id
  const metric = program.metrics.find((candidate) => candidate.metric_id === metricId)
  return metric === undefined ? undefined : amountOf(state, program, metric, at)
}

export const tierOf = (state: State, program: Program, at: number) => {
  const amount = qualification(state, program, at)
  return amount === undefined ? undefined : Tiers.tierOf(program, amount)
}
