/** The rules of a programme for all redemptions (contract/redemptions.md *Limits of an order*, *Paying with points*). */
import type { ProgramFile } from "../../contract/ProgramFile.ts"
import type { DiscountEffect, Reward, RewardEffect } from "../../contract/protocol/Program.ts"

export interface Redemption {
  /** With less available on the primary account, no reward is held that costs units of it. */
  readonly minimumPoints: number
  /** The discount that may be held several times at once, and its largest share of an order's total. */
  readonly payWithPoints: { readonly rewardId: string; readonly maxShareBps: number } | undefined
  /** Most rewards on an order. */
  readonly rewardsPerOrder: number
}

export const redemptionOf = ({ limits, redemption }: Pick<ProgramFile, "limits" | "redemption">): Redemption => {
  const pay = redemption?.pay_with_points
  return {
    minimumPoints: redemption?.minimum_points ?? 0,
    payWithPoints: pay === undefined ? undefined : { rewardId: pay.reward_id, maxShareBps: pay.max_share_bps },
    rewardsPerOrder: limits?.rewards_per_order ?? Infinity
  }
}

/** True if the reward may be held several times at once, by `points`. */
export const isForPoints = ({ payWithPoints }: Redemption, { reward_id }: Pick<Reward, "reward_id">): boolean =>
  payWithPoints?.rewardId === reward_id

/** The most that points may pay of an order, minor units. */
export const largestShare = (total: number, maxShareBps: number): number =>
  Number((BigInt(total) * BigInt(maxShareBps)) / 10_000n)

/** A discount given `times` times, with each of its parts. */
export const multiplied = (effect: DiscountEffect, times: number): DiscountEffect => {
  const grown = (amount: DiscountEffect["amount"]) => ({ ...amount, amount: amount.amount * times })
  return {
    ...effect,
    amount: grown(effect.amount),
    allocations: effect.allocations.map((part) => ({ ...part, amount: grown(part.amount) }))
  }
}

/** Discount of a reward on an order, minor units; 0 for another kind of reward. */
export const discountOf = (effect: RewardEffect): number => (effect.type === "discount" ? effect.amount.amount : 0)
