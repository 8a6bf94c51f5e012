/**
 * The tiers of a programme, as the rollups use them to give each member a tier.
 *
 * A member's tier ends with its period, without an event. So the rollups store the
 * tier together with its period. In every other period the member has the lowest
 * tier (contract/points.md *Tier progress*). If a policy retains tiers, the last period's tier is stored too.
 */
import type { State, UnitBalance } from "../../core/account/domain/State.ts"
import * as Periods from "../../core/rules/Periods.ts"
import type { MetricSource, Program } from "../../core/rules/Program.ts"

export interface Ladder {
  /** Unit and source of the metric that decides the tier. */
  readonly unit: string
  readonly source: MetricSource
  /** Lowest first; empty if the programme has no tiers. */
  readonly tiers: ReadonlyArray<{ readonly tier_id: string; readonly minimum: number }>
  /** A tier policy of the programme retains tiers for the following period. Absent: none does. */
  readonly retains?: true
}

/** A tier and the period in which a member has it. */
export interface TierKey {
  /**
   * "" if the programme has no tiers. With a higher tier of the last period: `tier␟last tier␟start of the last period`; with a
   * promised tier then also `␟promised tier␟its end`, and what there is none of is empty.
   */
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
  const retains = program.tierPolicies.some(({ policy }) => policy?.retention === "following_period")
  return { unit: metric.unit, source: metric.source, tiers, ...(retains ? { retains } : undefined) }
}

/** The stored form of a ladder. Equal ladders have equal texts. */
export const toText = ({ retains, source, tiers, unit }: Ladder): string =>
  JSON.stringify({ unit, source, tiers, retains })

/** The inverse of `toText`. */
export const fromText = (text: string): Ladder => JSON.parse(text) as Ladder

/** The figures that decide a member's tier: counters by unit, and the period that `qualified` counts. */
export interface Standing {
  readonly units: ReadonlyArray<Pick<UnitBalance, "unit" | "posted" | "lifetime" | "qualified" | "last">>
  readonly period: State["period"]
  readonly lastPeriod: State["lastPeriod"]
  readonly promised: State["promised"]
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

/** Separates the parts of a key's tier. */
export const apart = "\u001f"

/** The tier that a member has, reached or promised, and the period in which it has it. */
export const keyOf = (ladder: Ladder, standing: Standing): TierKey => {
  const key = reachedKey(ladder, standing)
  const { promised } = standing
  if (promised === undefined || ladder.tiers.length === 0) return key
  const [own = "", last = "", lastPeriod = ""] = key.tier.split(apart)
  return { ...key, tier: [own, last, lastPeriod, promised.tier, promised.until ?? ""].join(apart) }
}

const reachedKey = (ladder: Ladder, standing: Standing): TierKey => {
  const reached = (amount: number) => ladder.tiers.findLast(({ minimum }) => minimum <= Math.max(0, amount))
  const tier = reached(amountOf(ladder, standing))
  if (tier === undefined) return noTier
  if (ladder.source !== "qualification_earned") return { tier: tier.tier_id, period: anyTime }
  const period = standing.period ?? 0
  const last = ladder.retains ? reached(standing.units.find(({ unit }) => unit === ladder.unit)?.last ?? 0) : undefined
  if (last === undefined || last.minimum <= tier.minimum) return { tier: tier.tier_id, period }
  return { tier: [tier.tier_id, last.tier_id, standing.lastPeriod].join(apart), period }
}

/** The tier of a key in the period at an instant; undefined if nothing counts in it any more. */
const tierIn = (program: Program, at: number, { period, tier }: TierKey): string | undefined => {
  const [own, last, lastPeriod] = tier.split(apart)
  const before = Periods.retains(program, at) ? Periods.lastPeriodStart(program, at) : undefined
  if (period === anyTime || period === (Periods.periodStart(program, at) ?? 0))
    return last !== undefined && last !== "" && lastPeriod === String(before) ? last : own
  return period === before ? own : undefined
}

/** The tier at an instant; undefined if the programme has no tiers. */
export const tierAt = (program: Program, at: number, key: TierKey): string | undefined => {
  const [lowest] = program.tiers
  if (lowest === undefined) return undefined
  const placeOf = (id: string | undefined) => program.tiers.findIndex(({ tier_id }) => tier_id === id)
  // The ladder may lack the tier: then it is new, and the rollups have not sorted this member by it yet.
  const found = Math.max(0, placeOf(tierIn(program, at, key)))
  const [, , , promised, until = ""] = key.tier.split(apart)
  const isPromised = promised !== undefined && (until === "" || at < Number(until))
  return program.tiers[isPromised ? Math.max(found, placeOf(promised)) : found]?.tier_id ?? lowest.tier_id
}
