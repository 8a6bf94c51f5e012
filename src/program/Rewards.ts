/**
 * When a reward can be had, and what it is worth.
 *
 * Source: decisions.md §4 Redemption.
 */
import type { Reward, RewardEffect } from "../contract/Program.ts"
import type { Money } from "../contract/Values.ts"
import { millisOf } from "../contract/Values.ts"

export type Availability = "available" | "not_yet_available" | "no_longer_available"

/** Both ends of the window belong to it: `available_until` is the last instant at which the reward can be had. */
export const availability = (reward: Reward, nowMs: number): Availability => {
  if (reward.available_from !== undefined && nowMs < millisOf(reward.available_from)) return "not_yet_available"
  if (reward.available_until !== undefined && nowMs > millisOf(reward.available_until)) return "no_longer_available"
  return "available"
}

/** The money an effect is worth at most; a custom effect has no value. */
export const valueOf = (effect: RewardEffect): Money | undefined => {
  switch (effect.type) {
    case "discount":
      return effect.amount
    case "free_item":
      return effect.max_value
    case "custom":
      return undefined
  }
}
