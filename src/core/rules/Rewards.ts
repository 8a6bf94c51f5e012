/** Reward windows, items and values (contract/redemptions.md *Reserve*, *Funding*). */
import type { Order } from "../../contract/protocol/Order.ts"
import type { Reward, RewardEffect } from "../../contract/protocol/Program.ts"
import type { Money } from "../../contract/Values.ts"
import { toMillis } from "../../contract/Values.ts"

type Availability = "available" | "not_yet_available" | "no_longer_available"

/** Both ends of the window are inclusive. */
export const availability = (reward: Reward, at: number): Availability => {
  if (reward.available_from !== undefined && at < toMillis(reward.available_from)) return "not_yet_available"
  if (reward.available_until !== undefined && at > toMillis(reward.available_until)) return "no_longer_available"
  return "available"
}

/** Whether an order has a line for the effect. A `free_item` needs one of its products or categories, if it names any. */
export const hasItemFor = (effect: RewardEffect, { lines }: Order): boolean => {
  if (effect.type !== "free_item") return true
  const { category_ids, product_ids } = effect
  if (category_ids === undefined && product_ids === undefined) return true
  return lines.some(
    (line) =>
      product_ids?.includes(line.product_id) === true ||
      line.category_ids?.some((category) => category_ids?.includes(category) === true) === true
  )
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
