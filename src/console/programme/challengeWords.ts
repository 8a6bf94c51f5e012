/** Challenges in words. */
import type { Challenge } from "../../contract/Challenges.ts"
import { challengeKinds } from "../../contract/Challenges.ts"
import { money, number } from "../shared/format.ts"
import type { ItemWords } from "./Cards.tsx"
import { challengeStrings as text } from "./challengeStrings.ts"
import { daysOf } from "./challenges.ts"
import type { NamedItem } from "./named.ts"
import { nameIn } from "./named.ts"
import { onInWords, whenInWords, whereInWords } from "./occasionWords.ts"

/** “3 items in a month of some products, as often as it fills”. */
const asksInWords = ({ count, every, minimum_spend, on, repeat }: Challenge, currency: string): string => {
  const kind = challengeKinds.find((one) => count[one] !== undefined)
  const n = kind === undefined ? 0 : (count[kind] ?? 0)
  const counted = () => {
    if (kind === undefined) return text.nothing
    return kind === "spend" ? text.spends(money({ amount: n, currency })) : text.counts[kind](n, number(n))
  }
  const parts = [
    counted(),
    ...(on === undefined ? [] : [text.ofSome]),
    ...(minimum_spend === undefined ? [] : [text.withSpend(money(minimum_spend))]),
    ...(every === undefined ? [] : [text.every[every]])
  ]
  return `${parts.join(" ")}, ${repeat === true ? text.repeats : text.once}`
}

const usableInWords = ({ gives }: Challenge): ReadonlyArray<string> => {
  const days = daysOf(gives)
  return days === undefined ? [] : [text.usable(days, number(days))]
}

/** Facts that a challenge's words are made with. */
interface ChallengeNames {
  readonly currency: string
  readonly zone: string
  readonly rewards: ReadonlyArray<NamedItem>
  readonly placeOf: (id: string) => string
  readonly soldOf: (id: string) => string
}

export const challengeInWords = (one: Challenge, names: ChallengeNames): ItemWords => {
  const reward = one.gives.reward_id
  return {
    first: asksInWords(one, names.currency),
    lines: [
      text.gives(reward === "" ? text.noReward : nameIn(names.rewards, reward)),
      ...usableInWords(one),
      ...onInWords(one.on, names.soldOf),
      ...whenInWords(one.when, names.zone),
      ...whereInWords(one.where, names.placeOf)
    ],
    description: one.description
  }
}
