/** The wizards whose answer is a part of the programme. Pure. */
import type { ProgramFile } from "../../contract/ProgramFile.ts"
import type { Promotion } from "../../contract/Promotions.ts"
import { maxMultiplyBps, mostOrders, weekdays } from "../../contract/Promotions.ts"
import { maxAmount } from "../../contract/Values.ts"
import type { Draft } from "../programme/draft.ts"
import { newUnit, withFilling, withStampCardEntry } from "../programme/general.ts"
import { namedIn } from "../programme/named.ts"
import type { OnEntry } from "../programme/occasions.ts"
import { withPart } from "../programme/occasions.ts"
import { daysInWords } from "../programme/occasionWords.ts"
import type { Section } from "../programme/programmeSearch.ts"
import type { PromotionEntry } from "../programme/promotions.ts"
import { promotionEntryOf, withPromotionEntry } from "../programme/promotions.ts"
import { idOf } from "../programme/rewards.ts"
import { amountOf, amountText } from "../shared/amounts.ts"
import { calendarDay, digitsOf, money, number } from "../shared/format.ts"
import type { Answers, Question } from "./answers.ts"
import { promotionsIn } from "./beside.ts"
import { wizardStrings as text } from "./wizardStrings.ts"

/** Facts of the programme that answers are put into words with. */
export interface Told {
  readonly currency: string
  /** Points that an order of an amount earns by the base rate. */
  readonly pointsBy: (amount: number) => number
  readonly soldOf: (id: string) => string
  readonly rewardOf: (id: string) => string
  /** Words for points of the primary account: `10 Points`. */
  readonly pointsOf: (points: number) => string
  /** Money that a reward costs at most; undefined: its definition says none. */
  readonly worthOfReward: (id: string) => number | undefined
  /** Money that points are worth; undefined: the programme says none. */
  readonly worthOfPoints: (points: number) => number | undefined
}

/** Something of the kind that a wizard makes, which is there already. */
export interface Known {
  readonly id: string
  readonly name: string
  /** The answers that would make it. */
  readonly answers: Partial<Answers>
}

export interface ProgramWizard {
  readonly name: "coffeeStamps" | "happyHour" | "productOfMonth" | "cateringCap"
  /** The section of the forms that has the answer. */
  readonly section: Section
  readonly asks: readonly [Question, Question, Question]
  readonly starts: Partial<Answers>
  /** False: the programme has such a thing already. */
  readonly isOffered: (draft: Draft) => boolean
  /** Answers that the programme has already. */
  readonly now?: (draft: Draft, currency: string) => Partial<Answers>
  /** Those that may be changed instead of having another beside them. */
  readonly known?: (draft: Draft, today: string) => ReadonlyArray<Known>
  /** `changes`: the id of one that is known; undefined: a new one. */
  readonly make: (draft: Draft, answers: Answers, currency: string, changes?: string) => Draft
  readonly says: (answers: Answers, told: Told) => string
  /** The cost of one, where orders do not tell how often it happens; undefined: it is not known. */
  readonly each?: (answers: Answers, told: Told) => string | undefined
}

const soldWords = ({ on }: Answers, { soldOf }: Told): string =>
  [...on.products.map(soldOf), ...on.categories].join(", ")

const noEntry: PromotionEntry = {
  name: "",
  description: "",
  kind: "add",
  amount: 0,
  on: { products: [], categories: [] },
  where: { places: [], channels: [] },
  when: { days: [], from: "", until: "", first: "", last: "" },
  spend: undefined,
  limit: undefined,
  tiers: [],
  isFirst: false,
  joinedWithin: undefined
}

/** The programme with a new promotion, or with one of its own changed to what a wizard asks for. */
const withPromotion = (
  draft: Draft,
  change: (before: PromotionEntry) => PromotionEntry,
  currency: string,
  changes: string | undefined
): Draft => {
  const promotions = promotionsIn(draft)
  const place = promotions.findIndex(({ promotion_id }) => promotion_id === changes)
  const before = promotions[place]
  if (before !== undefined) {
    const changed = withPromotionEntry(before, change(promotionEntryOf(before)), currency)
    return { ...draft, promotions: promotions.with(place, changed) }
  }
  const entry = change(noEntry)
  const taken = namedIn(draft, "promotions", "promotion_id").map(({ id }) => id)
  const promotion_id = idOf(entry.name, taken, "promotion")
  const made = withPromotionEntry({ promotion_id, name: "", effect: {} }, entry, currency)
  return { ...draft, promotions: [...promotions, made] }
}

const isOnSome = ({ categories, products }: OnEntry): boolean => products.length + categories.length > 0

const isOver = ({ when }: Promotion, today: string): boolean =>
  when?.until !== undefined && when.until.slice(0, 10) < today

/** True if it is for every guest and every order, wherever: a sentence of a wizard says no more. */
const isForAll = ({ isFirst, joinedWithin, spend, tiers, where }: PromotionEntry): boolean =>
  !isFirst &&
  joinedWithin === undefined &&
  spend === undefined &&
  tiers.length + where.places.length + where.channels.length === 0

/** Those of the programme that are in force or to come, and that a wizard's answers say whole. */
const knownBy =
  (answersOf: (entry: PromotionEntry) => Partial<Answers> | undefined) =>
  (draft: Draft, today: string): ReadonlyArray<Known> =>
    promotionsIn(draft).flatMap((one) => {
      const entry = promotionEntryOf(one)
      const isKnown = one.enabled !== false && !isOver(one, today) && isForAll(entry)
      const answers = isKnown ? answersOf(entry) : undefined
      return answers === undefined ? [] : [{ id: one.promotion_id, name: one.name, answers }]
    })

const happyHour: ProgramWizard["make"] = (draft, { days, from, times, until }, currency, changes) =>
  withPromotion(
    draft,
    (before) => ({
      ...before,
      name: before.name || text.names.happyHour,
      kind: "multiply_bps",
      amount: Number(times) * wholeBps,
      when: { first: "", last: "", ...before.when, days, from, until }
    }),
    currency,
    changes
  )

const productOfMonth: ProgramWizard["make"] = (draft, { last, on, points }, currency, changes) =>
  withPromotion(
    draft,
    (before) => ({
      ...before,
      name: before.name || text.names.productOfMonth,
      kind: "add",
      amount: Number(points),
      on,
      when: { days: [], from: "", until: "", first: "", ...before.when, last },
      limit: before.limit ?? { count: 1, every: "day" }
    }),
    currency,
    changes
  )

const wholeBps = 10_000

/** Points that an order of an amount earns by the base rate, within what a definition can have. */
export const pointsBy = (draft: Draft, amount: number): number => {
  const { rate } = draft["earning"] as ProgramFile["earning"]
  return Math.min(maxAmount, Math.max(1, Math.floor((amount * rate.amount) / rate.spend.amount)))
}

/** The limits of now, as the wizard asks for them. */
const cateringNow = (draft: Draft, currency: string): Partial<Answers> => {
  const {
    order_total,
    orders_per_member_and_day: perDay,
    points_per_order: most
  } = (draft["limits"] as ProgramFile["limits"]) ?? {}
  const { rate } = draft["earning"] as ProgramFile["earning"]
  const shown = (amount: number) => amountText(amount, digitsOf(currency))
  return {
    ...(perDay === undefined ? undefined : { perDay }),
    ...(order_total !== undefined
      ? { total: shown(order_total.amount) }
      : most !== undefined && rate.amount > 0
        ? { earns: "most" as const, total: shown(Math.ceil((most * rate.spend.amount) / rate.amount)) }
        : undefined)
  }
}

const limitsBy = (draft: Draft, { earns, perDay, total }: Answers, currency: string): ProgramFile["limits"] => {
  const amount = amountOf(total, digitsOf(currency)) ?? 0
  const before = { ...(draft["limits"] as ProgramFile["limits"]), orders_per_member_and_day: Number(perDay) }
  // The most of an order that stood alone was the other answer to the same question.
  const rest = before.order_total === undefined ? withPart(before, "points_per_order", undefined) : before
  return earns === "nothing"
    ? { ...rest, order_total: { amount, currency } }
    : { ...withPart(before, "order_total", undefined), points_per_order: pointsBy(draft, amount) }
}

const orZero = (amount: number | undefined, words: (amount: string) => string, currency: string): string | undefined =>
  amount === undefined ? undefined : words(money({ amount, currency }))

export const programWizards: ReadonlyArray<ProgramWizard> = [
  {
    name: "coffeeStamps",
    section: "stampCard",
    asks: [{ is: "on" }, { is: "number", name: "stamps", least: 2 }, { is: "reward" }],
    starts: {},
    isOffered: (draft) => draft["stamp_card"] === undefined && newUnit(draft) !== undefined,
    // Stamps have a unit of their own: a card of points would fill by what guests spend.
    make: (draft, { on, reward, stamps }) => {
      const unit = newUnit(draft)
      if (unit === undefined) return draft
      const filled = withFilling(draft, unit, "items", text.names.coffeeStamps, on)
      const card = { unit, threshold: Number(stamps), reward, resets: true, days: undefined }
      return { ...filled, stamp_card: withStampCardEntry(undefined, card) }
    },
    says: (answers, told) =>
      text.coffeeStamps.says(soldWords(answers, told), number(Number(answers.stamps)), told.rewardOf(answers.reward)),
    each: ({ reward, stamps }, { currency, worthOfReward }) => {
      const worth = worthOfReward(reward)
      return orZero(worth && Math.ceil(worth / Number(stamps)), text.coffeeStamps.each, currency)
    }
  },
  {
    name: "happyHour",
    section: "promotions",
    asks: [{ is: "days" }, { is: "hours" }, { is: "number", name: "times", least: 2, most: maxMultiplyBps / wholeBps }],
    starts: { days: ["mon", "tue", "wed", "thu", "fri"] },
    isOffered: () => true,
    known: knownBy(({ amount, kind, limit, on, when }) =>
      kind !== "multiply_bps" || limit !== undefined || isOnSome(on) || !when?.from || when.first + when.last !== ""
        ? undefined
        : { times: amount / wholeBps, days: when.days, from: when.from, until: when.until }
    ),
    make: happyHour,
    says: ({ days, from, times, until }) =>
      text.happyHour.says(daysInWords(days.length === 0 ? weekdays : days), from, until, number(Number(times)))
  },
  {
    name: "productOfMonth",
    section: "promotions",
    asks: [{ is: "on" }, { is: "number", name: "points", least: 1, most: maxAmount }, { is: "last" }],
    starts: { points: 10 },
    isOffered: () => true,
    known: knownBy(({ amount, kind, on, when }) =>
      kind !== "add" || !isOnSome(on) || !when?.last || when.days.length > 0 || when.from !== ""
        ? undefined
        : { on, points: amount, last: when.last }
    ),
    make: productOfMonth,
    says: (answers, told) =>
      text.productOfMonth.says(
        soldWords(answers, told),
        told.pointsOf(Number(answers.points)),
        calendarDay(answers.last)
      ),
    each: ({ points }, { currency, worthOfPoints }) =>
      orZero(worthOfPoints(Number(points)), text.productOfMonth.each, currency)
  },
  {
    name: "cateringCap",
    section: "earning",
    asks: [{ is: "total" }, { is: "earns" }, { is: "number", name: "perDay", least: 1, most: mostOrders }],
    starts: {},
    isOffered: () => true,
    now: cateringNow,
    make: (draft, answers, currency) => ({ ...draft, limits: limitsBy(draft, answers, currency) }),
    says: ({ earns, perDay, total }, { currency, pointsBy, pointsOf }) => {
      const amount = amountOf(total, digitsOf(currency)) ?? 0
      const { orders, says } = text.cateringCap
      const [shown, most] = [money({ amount, currency }), orders(Number(perDay), number(Number(perDay)))]
      return earns === "nothing" ? says.nothing(shown, most) : says.most(shown, pointsOf(pointsBy(amount)), most)
    }
  }
]
