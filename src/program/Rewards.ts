/** Reward windows and values (decisions.md §4 Redemption). */
import type { Reward, RewardEffect } from "../contract/protocol/Program.ts"
import type { Money } from "../contract/Values.ts"
import { toMillis } from "../contract/Values.ts"

export type Availability = "available" | "not_yet_available" | "no_longer_available"

/** Both ends of the window are inclusive. */
export const availability = (reward: Reward, at: number): Availability => {
  if (reward.available_from !== undefined && at < toMillis(reward.available_from)) return "not_yet_available"
  if (reward.available_until !== undefined && at > toMillis(reward.available_until)) return "no_longer_available"
  return "available"
}

/** A reward's value in money; a custom effect has none. */
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
