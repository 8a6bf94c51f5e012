/**
 * Tiers: where a metric stands on the programme's ladder.
 *
 * Source: decisions.md §4 Metrics and tiers.
 */
import type { TierProgress } from "../contract/Member.ts"
import type { Tier } from "../contract/Program.ts"
import type { Program } from "./Program.ts"

/** The multiplier of somebody without one: times one. */
export const BASE_MULTIPLIER_BPS = 10_000

const WHOLE_BPS = 10_000

/** The highest tier whose minimum is reached; a negative metric counts as 0. */
export const tierOf = (program: Program, metricValue: number): Tier | undefined => {
  const amount = Math.max(0, metricValue)
  let reached: Tier | undefined
  for (const tier of program.tiers) {
    if (tier.minimum > amount) break
    reached = tier
  }
  return reached
}

export const multiplierBps = (tier: Tier | undefined): number => tier?.earn_multiplier_bps ?? BASE_MULTIPLIER_BPS

/** How far a member is from the next tier; undefined where the programme has no tiers. */
export const progress = (program: Program, metricValue: number): TierProgress | undefined => {
  const amount = Math.max(0, metricValue)
  const current = tierOf(program, amount)
  if (current === undefined) return undefined
  const next = program.tiers[program.tiers.indexOf(current) + 1]
  const common = {
    current_tier_id: current.tier_id,
    qualification_metric_id: current.qualification_metric_id,
    current_amount: amount
  }
  if (next === undefined) return { ...common, progress_bps: WHOLE_BPS, is_top_tier: true }
  return {
    ...common,
    progress_bps: floorShare(amount - current.minimum, next.minimum - current.minimum),
    is_top_tier: false,
    next_tier_id: next.tier_id,
    remaining_to_next: next.minimum - amount
  }
}

const floorShare = (part: number, whole: number): number => Number(BigInt(part) * BigInt(WHOLE_BPS) / BigInt(whole))
