/** The wizards whose answer is a part of the programme. Pure. */
import type { ProgramFile } from "../../contract/ProgramFile.ts"
import { maxMultiplyBps, mostOrders } from "../../contract/Promotions.ts"
import { maxAmount } from "../../contract/Values.ts"
import type { Draft } from "../programme/draft.ts"
import { newUnit, withFilling, withStampCardEntry } from "../programme/general.ts"
import { namedIn } from "../programme/named.ts"
import { withPart } from "../programme/occasions.ts"
import { daysInWords } from "../programme/occasionWords.ts"
import type { Section } from "../programme/programmeSearch.ts"
import type { PromotionEntry } from "../programme/promotions.ts"
import { withPromotionEntry } from "../programme/promotions.ts"
import { idOf } from "../programme/rewards.ts"
import { amountOf } from "../shared/amounts.ts"
import { calendarDay, digitsOf, money, number } from "../shared/format.ts"
import type { Answers, Question } from "./answers.ts"
import { wizardStrings as text } from "./wizardStrings.ts"

/** Facts of the programme that answers are put into words with. */
export interface Told {
  readonly currency: string
  /** Of promotions that apply to an order, only the one that gives most counts. */
  readonly isOnlyBest: boolean
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

export interface ProgramWizard {
  readonly name: "coffeeStamps" | "happyHour" | "productOfMonth" | "cateringCap"
  /** The section of the forms that has the answer. */
  readonly section: Section
  readonly asks: readonly [Question, Question, Question]
  readonly starts: Partial<Answers>
  /** False: the programme has such a thing already. */
  readonly isOffered: (draft: Draft) => boolean
  readonly make: (draft: Draft, answers: Answers, currency: string) => Draft
  readonly says: (answers: Answers, told: Told) => string
  /** The cost of one, where orders do not tell how often it happens; undefined: it is not known. */
  readonly each?: (answers: Answers, told: Told) => string | undefined
}

const soldWords = ({ on }: Answers, { soldOf }: Told): string =>
  [...on.products.map(soldOf), ...on.categories].join(", ")

const withBest = (sentence: string, { isOnlyBest }: Told): string =>
  isOnlyBest ? `${sentence} ${text.onlyBest}` : sentence

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

const listIn = (draft: Draft, name: string): ReadonlyArray<unknown> => {
  const drafted = draft[name]
  return Array.isArray(drafted) ? drafted : []
}

const withPromotion = (draft: Draft, entry: PromotionEntry, currency: string): Draft => {
  const taken = namedIn(draft, "promotions", "promotion_id").map(({ id }) => id)
  const promotion_id = idOf(entry.name, taken, "promotion")
  const made = withPromotionEntry({ promotion_id, name: "", effect: {} }, entry, currency)
  return { ...draft, promotions: [...listIn(draft, "promotions"), made] }
}

const wholeBps = 10_000

/** Points that an order of an amount earns by the base rate, within what a definition can have. */
export const pointsBy = (draft: Draft, amount: number): number => {
  const { rate } = draft["earning"] as ProgramFile["earning"]
  return Math.min(maxAmount, Math.max(1, Math.floor((amount * rate.amount) / rate.spend.amount)))
}

const limitsBy = (draft: Draft, { earns, perDay, total }: Answers, currency: string): ProgramFile["limits"] => {
  const amount = amountOf(total, digitsOf(currency)) ?? 0
  const before = { ...(draft["limits"] as ProgramFile["limits"]), orders_per_member_and_day: Number(perDay) }
  return earns === "nothing"
    ? { ...before, order_total: { amount, currency } }
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
    make: (draft, { days, from, times, until }, currency) =>
      withPromotion(
        draft,
        {
          ...noEntry,
          name: text.names.happyHour,
          kind: "multiply_bps",
          amount: Number(times) * wholeBps,
          when: { days, from, until, first: "", last: "" }
        },
        currency
      ),
    says: ({ days, from, times, until }, told) =>
      withBest(
        text.happyHour.says(
          daysInWords(days.length === 0 ? ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] : days),
          from,
          until,
          number(Number(times))
        ),
        told
      )
  },
  {
    name: "productOfMonth",
    section: "promotions",
    asks: [{ is: "on" }, { is: "number", name: "points", least: 1, most: maxAmount }, { is: "last" }],
    starts: { points: 10 },
    isOffered: () => true,
    make: (draft, { last, on, points }, currency) =>
      withPromotion(
        draft,
        {
          ...noEntry,
          name: text.names.productOfMonth,
          amount: Number(points),
          on,
          when: { days: [], from: "", until: "", first: "", last },
          limit: { count: 1, every: "day" }
        },
        currency
      ),
    says: (answers, told) =>
      withBest(
        text.productOfMonth.says(
          soldWords(answers, told),
          told.pointsOf(Number(answers.points)),
          calendarDay(answers.last)
        ),
        told
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
    make: (draft, answers, currency) => ({ ...draft, limits: limitsBy(draft, answers, currency) }),
    says: ({ earns, perDay, total }, { currency, pointsBy, pointsOf }) => {
      const amount = amountOf(total, digitsOf(currency)) ?? 0
      const { orders, says } = text.cateringCap
      const [shown, most] = [money({ amount, currency }), orders(Number(perDay), number(Number(perDay)))]
      return earns === "nothing" ? says.nothing(shown, most) : says.most(shown, pointsOf(pointsBy(amount)), most)
    }
  }
]
