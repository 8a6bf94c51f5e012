/** Rewards in words. */
import type { Reward } from "../../contract/protocol/Program.ts"
import { money, number, timeShort } from "../shared/format.ts"
import { labelWithin } from "../shared/words/words.ts"
import type { ItemWords } from "./Cards.tsx"
import { rewardStrings as text } from "./rewardStrings.ts"

const getsInWords = ({ effect }: Reward, soldOf: (id: string) => string): ReadonlyArray<string> => {
  switch (effect.type) {
    case "custom":
      return [text.own(effect.effect_type)]
    case "discount":
      return [effect.target === "order" ? text.off(money(effect.amount)) : text.offLines(money(effect.amount))]
    case "free_item": {
      const { category_ids, max_quantity: n, max_value, product_ids } = effect
      const isAny = category_ids === undefined && product_ids === undefined
      const of = [...(category_ids ?? []), ...(product_ids ?? []).map(soldOf)].join(", ")
      return [text.free(n, number(n), money(max_value)), isAny ? text.freeOfAny : text.freeOf(of)]
    }
  }
}

export const availableInWords = ({ available_from, available_until }: Reward, zone: string): string => {
  const [from, until] = [available_from, available_until].map((at) => at && timeShort(at, zone))
  if (from && until) return `${text.fromUntil(from, until)} (${zone})`
  if (from) return `${text.from(from)} (${zone})`
  return until ? `${text.until(until)} (${zone})` : text.anyTime
}

export const rewardInWords = (reward: Reward, soldOf: (id: string) => string): ItemWords => ({
  first: text.costs(number(reward.cost.amount), labelWithin(reward.cost.unit)),
  lines: getsInWords(reward, soldOf),
  description: reward.description
})
