/** The tier ladder (contract/points.md *Tier progress*). */
import type { Tier } from "../../contract/protocol/Program.ts"
import type { TierProgress } from "../../contract/protocol/Resources.ts"
import type { Program } from "./Program.ts"

/** The highest tier whose minimum the amount reaches; a negative amount counts as 0. */
export const tierOf = (program: Program, amount: number): Tier | undefined =>
  program.tiers.findLast((tier) => tier.minimum <= Math.max(0, amount))

/** The minimum of a tier that was promised; −Infinity if the promise has ended, or the programme has no such tier any more. */
export const minimumOf = (
  { tiers }: Program,
  promised: { readonly tier: string; readonly until?: number } | undefined,
  at: number
): number => {
  if (promised === undefined || at >= (promised.until ?? Infinity)) return -Infinity
  return tiers.find(({ tier_id }) => tier_id === promised.tier)?.minimum ?? -Infinity
}

/** True if all that a member earns on an account counts for its tier, whether or not an entry qualifies. */
export const countsAll = ({ metrics, tiers }: Program, unit: Program["primaryUnit"]): boolean =>
  metrics.some(
    (metric) =>
      metric.metric_id === tiers[0]?.qualification_metric_id &&
      metric.unit === unit &&
      metric.source !== "qualification_earned"
  )

/** A tier's multiplier; 10,000 by default. */
export const multiplierBps = (tier: Tier | undefined): number => tier?.earn_multiplier_bps ?? 10_000

/**
 * Progress from the minimum of the tier that `reached` is enough for to the next tier's; undefined without tiers.
 * `amount` may be less, if the last period's figure has reached the tier.
 */
export const progress = (program: Program, amount: number, reached = amount): TierProgress | undefined => {
  const current = tierOf(program, reached)
  if (current === undefined) return undefined
  const next = program.tiers[program.tiers.indexOf(current) + 1]
  const present = Math.max(0, amount)
  const base = {
    current_tier_id: current.tier_id,
    qualification_metric_id: current.qualification_metric_id,
    current_amount: present
  }
  if (next === undefined) return { ...base, progress_bps: 10_000, is_top_tier: true }
  const bps = (BigInt(Math.max(0, present - current.minimum)) * 10_000n) / BigInt(next.minimum - current.minimum)
  return {
    ...base,
    progress_bps: Number(bps),
    is_top_tier: false,
    next_tier_id: next.tier_id,
    remaining_to_next: next.minimum - present
  }
}
