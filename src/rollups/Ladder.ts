/**
 * The tiers of a programme, as the rollups use them to give each member a tier.
 *
 * A member's tier ends with its period, without an event. So the rollups store the
 * tier together with its period. In every other period the member has the lowest
 * tier (contract/points.md *Tier progress*).
 */
import type { UnitBalance } from "../account/domain/State.ts"
import * as Periods from "../program/Periods.ts"
import type { MetricSource, Program } from "../program/Program.ts"

export interface Ladder {
  /** Unit and source of the metric that decides the tier. */
  readonly unit: string
  readonly source: MetricSource
  /** Lowest first; empty if the programme has no tiers. */
  readonly tiers: ReadonlyArray<{ readonly tier_id: string; readonly minimum: number }>
}

/** A tier and the period in which a member has it. */
export interface TierKey {
  /** "" if the programme has no tiers. */
  readonly tier: string
  /** Start of the period, ms; `anyTime`: the tier does not end with a period. */
  readonly period: number
}

/** Cannot be the start of a period, because periods start at full minutes. */
export const anyTime = -1

/** The key of a member that the rollups do not have yet: it has the lowest tier. */
export const noTier: TierKey = { tier: "", period: anyTime }

export const none: Ladder = { unit: "", source: "lifetime_earned", tiers: [] }

export const ladderOf = (program: Program): Ladder => {
  const metricId = program.tiers[0]?.qualification_metric_id
  const metric = program.metrics.find((candidate) => candidate.metric_id === metricId)
  if (metric === undefined) return none
  const tiers = program.tiers.map(({ minimum, tier_id }) => ({ tier_id, minimum }))
  return { unit: metric.unit, source: metric.source, tiers }
}

/** The stored form of a ladder. Equal ladders have equal texts. */
export const toText = ({ source, tiers, unit }: Ladder): string => JSON.stringify({ unit, source, tiers })

/** The inverse of `toText`. */
export const fromText = (text: string): Ladder => JSON.parse(text) as Ladder

/** The figures that decide a member's tier: counters by unit, and the period that `qualified` counts. */
export interface Standing {
  readonly units: ReadonlyArray<Pick<UnitBalance, "unit" | "posted" | "lifetime" | "qualified">>
  readonly period: number | undefined
}

const amountOf = ({ source, unit }: Ladder, { units }: Standing): number => {
  const balance = units.find((one) => one.unit === unit)
  if (balance === undefined) return 0
  switch (source) {
    case "current_balance":
      return balance.posted
    case "lifetime_earned":
      return balance.lifetime
    case "qualification_earned":
      return balance.qualified
  }
}

/** The tier that a member has reached, and the period in which it has it. */
export const keyOf = (ladder: Ladder, standing: Standing): TierKey => {
  const amount = Math.max(0, amountOf(ladder, standing))
  const tier = ladder.tiers.findLast(({ minimum }) => minimum <= amount)
  const endsWithPeriod = tier !== undefined && ladder.source === "qualification_earned"
  return { tier: tier?.tier_id ?? "", period: endsWithPeriod ? (standing.period ?? 0) : anyTime }
}

/** The tier at an instant; undefined if the programme has no tiers. */
export const tierAt = (program: Program, at: number, { period, tier }: TierKey): string | undefined => {
  const [lowest] = program.tiers
  if (lowest === undefined) return undefined
  const counts = period === anyTime || period === (Periods.periodStart(program, at) ?? 0)
  // The ladder may lack the tier: then it is new, and the rollups have not sorted this member by it yet.
  return counts && program.tiers.some(({ tier_id }) => tier_id === tier) ? tier : lowest.tier_id
}
