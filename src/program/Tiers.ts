/** The tier ladder (contract/points.md *Tier progress*). */
import type { Tier } from "../contract/protocol/Program.ts"
import type { TierProgress } from "../contract/protocol/Resources.ts"
import type { Program } from "./Program.ts"

/** The highest tier whose minimum the amount reaches; a negative amount counts as 0. */
export const tierOf = (program: Program, amount: number): Tier | undefined =>
  program.tiers.findLast((tier) => tier.minimum <= Math.max(0, amount))

/** A tier's multiplier; 10,000 by default. */
export const multiplierBps = (tier: Tier | undefined): number => tier?.earn_multiplier_bps ?? 10_000

/** Progress from the current tier's minimum to the next tier's; undefined without tiers. */
export const progress = (program: Program, amount: number): TierProgress | undefined => {
  const current = tierOf(program, amount)
  if (current === undefined) return undefined
  const next = program.tiers[program.tiers.indexOf(current) + 1]
  const reached = Math.max(0, amount)
  const base = {
    current_tier_id: current.tier_id,
    qualification_metric_id: current.qualification_metric_id,
    current_amount: reached
  }
  if (next === undefined) return { ...base, progress_bps: 10_000, is_top_tier: true }
  const bps = (BigInt(reached - current.minimum) * 10_000n) / BigInt(next.minimum - current.minimum)
  return {
    ...base,
    progress_bps: Number(bps),
    is_top_tier: false,
    next_tier_id: next.tier_id,
    remaining_to_next: next.minimum - reached
  }
}
