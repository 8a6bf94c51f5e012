/**
 * Conversions of a campaign, and how they compare with those of its holdout (contract/engagement.md *Campaign reports*).
 * Pure.
 */
import type { Attribution } from "../../contract/platform/Attribution.ts"
import { comparedMembers } from "../../contract/platform/Attribution.ts"
import { ratioBps } from "../../desk/surface/Ratio.ts"
import type { Counts } from "./CampaignStore.ts"

/** Members of a group, and those of them who converted. */
interface Group {
  readonly members: number
  readonly converted: number
}

/** The normal distribution's quantile of a confidence of 95 %. */
const z = 1.959964

/** Wilson's interval of a rate, shares of 1. */
const wilson = ({ converted, members }: Group): { readonly low: number; readonly high: number } => {
  const rate = converted / members
  const scale = 1 + z ** 2 / members
  const middle = rate + z ** 2 / (2 * members)
  const reach = z * Math.sqrt((rate * (1 - rate)) / members + z ** 2 / (4 * members ** 2))
  return { low: (middle - reach) / scale, high: (middle + reach) / scale }
}

/**
 * The interval of the difference of two rates, in basis points rounded outwards, at a confidence of 95 %: Newcombe's, made
 * of Wilson's intervals, because it holds for rates near 0 and groups of different sizes. Undefined: a group is too small.
 */
export const intervalOf = (reached: Group, held: Group): Attribution["lift_interval_bps"] => {
  if (Math.min(reached.members, held.members) < comparedMembers) return undefined
  const [one, other] = [wilson(reached), wilson(held)]
  const [rate, heldRate] = [reached.converted / reached.members, held.converted / held.members]
  const below = Math.hypot(rate - one.low, other.high - heldRate)
  const above = Math.hypot(one.high - rate, heldRate - other.low)
  return {
    low: Math.max(-10_000, Math.floor((rate - heldRate - below) * 10_000)),
    high: Math.min(10_000, Math.ceil((rate - heldRate + above) * 10_000))
  }
}

/** Conversions and lift of a campaign. `currency`: the programme's. */
export const attributionOf = (counts: Counts, currency: string): Attribution => {
  const reached = { members: counts.targeted, converted: counts.converted }
  const held = { members: counts.held, converted: counts.heldConverted }
  const rate = ratioBps(reached.converted, reached.members)
  const heldRate = ratioBps(held.converted, held.members)
  const interval = intervalOf(reached, held)
  return {
    targeted_members: reached.members,
    converted_members: reached.converted,
    conversions: counts.conversions,
    attributed_value: counts.conversions === 0 ? [] : [{ amount: counts.value, currency }],
    conversion_rate_bps: rate,
    holdout: {
      members: held.members,
      converted_members: held.converted,
      conversion_rate_bps: heldRate,
      conversions: counts.heldConversions,
      attributed_value: counts.heldConversions === 0 ? [] : [{ amount: counts.heldValue, currency }]
    },
    lift_bps: held.members === 0 ? 0 : rate - heldRate,
    ...(interval === undefined ? undefined : { lift_interval_bps: interval })
  }
}
