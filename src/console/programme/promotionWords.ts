/** Promotions in words. */

import type { Promotion } from "../../contract/Promotions.ts"
import { money, number } from "../shared/format.ts"
import { locales } from "../shared/language.ts"
import { pointsOf } from "../shared/points.ts"
import type { ItemWords } from "./Cards.tsx"
import type { NamedItem } from "./named.ts"
import { nameIn } from "./named.ts"
import { onInWords, whenInWords, whereInWords } from "./occasionWords.ts"
import { promotionStrings as text } from "./promotionStrings.ts"
import type { State } from "./promotionTimes.ts"

const dayAndTime = new Intl.DateTimeFormat(locales, {
  timeZone: "UTC",
  weekday: "long",
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23"
})
const timeAlone = new Intl.DateTimeFormat(locales, {
  timeZone: "UTC",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23"
})

/** A local time, which is an instant at which UTC shows the same. */
const localTime = (at: number): string => dayAndTime.format(at)
export const clockTime = (at: number): string => timeAlone.format(at)

/** How each state looks. */
export const tones = { off: "neutral", over: "neutral", running: "good", next: "waiting" } as const

export const stateInWords = (state: State): string => {
  switch (state.is) {
    case "off":
      return text.off
    case "over":
      return text.over
    case "running":
      return state.until === undefined ? text.runs : text.runsUntil(localTime(state.until))
    case "next":
      return text.next(localTime(state.from))
  }
}

const effectInWords = ({ effect, on }: Promotion, primary: string): string => {
  const { add, add_per_item, multiply_bps, unit = primary } = effect
  if (multiply_bps !== undefined) return text.multiplies(number(multiply_bps / 10_000))
  if (add !== undefined) return text.adds(number(add), unit)
  if (add_per_item === undefined) return text.nothing
  return (on === undefined ? text.addsPerItemOfAll : text.addsPerItem)(number(add_per_item), unit)
}

const whoInWords = ({ who }: Promotion, tiers: ReadonlyArray<NamedItem>): ReadonlyArray<string> => {
  const { first_order, joined_within_days: days, tier_ids } = who ?? {}
  return [
    ...(tier_ids === undefined ? [] : [text.guestsOf(tier_ids.map((id) => nameIn(tiers, id)).join(", "))]),
    ...(first_order === true ? [text.firstOrder] : []),
    ...(days === undefined ? [] : [text.joined(days, number(days))])
  ]
}

const limitsInWords = ({ limits, minimum_spend }: Promotion): ReadonlyArray<string> => {
  const limit = limits?.per_member
  return [
    ...(minimum_spend === undefined ? [] : [text.spendFrom(money(minimum_spend))]),
    ...(limit === undefined ? [] : [text.oftenest(limit.count, number(limit.count))[limit.every]])
  ]
}

/** Facts that a promotion's words are made with. */
interface PromotionNames {
  /** The unit of the primary account. */
  readonly primary: string
  readonly zone: string
  readonly tiers: ReadonlyArray<NamedItem>
  readonly placeOf: (id: string) => string
  readonly soldOf: (id: string) => string
}

export const promotionInWords = (one: Promotion, names: PromotionNames): ItemWords => ({
  first: effectInWords(one, names.primary),
  lines: [
    ...onInWords(one.on, names.soldOf),
    ...whenInWords(one.when, names.zone),
    ...whereInWords(one.where, names.placeOf),
    ...whoInWords(one, names.tiers),
    ...limitsInWords(one)
  ],
  description: one.description
})

interface Points {
  readonly unit: string
  readonly amount: number
}

export const pointsInWords = (points: ReadonlyArray<Points>): string => points.map(pointsOf).join(", ") || "0"
