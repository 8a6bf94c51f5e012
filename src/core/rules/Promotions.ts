/**
 * Promotions: which of them an order gets, and what they give of what is left of it (contract/programmes.md
 * *Promotions*). Pure, in exact integers.
 */

import type { ProgramFile } from "../../contract/ProgramFile.ts"
import type { WithheldReason } from "../../contract/PromotionOutcomes.ts"
import type { Promotion as PromotionFile } from "../../contract/Promotions.ts"
import type { Order } from "../../contract/protocol/Order.ts"
import type { Unit } from "../../contract/Values.ts"
import * as Calendar from "./Calendar.ts"
import { dayMs } from "./Calendar.ts"
import type { Every, Occasion, OrderTime } from "./Occasions.ts"
import { farthestMs, heldFrom, holdsToday, occasionOf, setOf, windowOf } from "./Occasions.ts"
import type { LineTerms, OrderLeft } from "./OrdersLeft.ts"
import { countedOf, floorOf, hasLineFor, linesOn, lineTerms, measure } from "./OrdersLeft.ts"

const wholeBps = 10_000

/** Gift of a promotion; `tierBps` is the tier's multiplier at the posting. */
type Gives =
  | readonly [kind: "multiply", bps: number]
  | readonly [kind: "add" | "per_item", amount: number, tierBps: number]

/** A promotion that may give something, with its sets at hand. */
export interface Promotion extends Occasion {
  readonly id: string
  readonly name: string
  readonly unit: Unit
  readonly gives: { readonly kind: Gives[0]; readonly amount: number; readonly isMultiplied: boolean }
  readonly file: PromotionFile
  /** Publication of the version since which it is defined, with the same `every`, without interruption, ms; 0 for the first. */
  readonly since: number
  readonly tiers: ReadonlySet<string> | undefined
  readonly joinedWithinMs: number
  readonly limit: { readonly count: number; readonly every: Exclude<Every, "year"> } | undefined
}

const givesOf = ({ add, add_per_item, multiplier_eligible, multiply_bps }: PromotionFile["effect"]) => {
  const isMultiplied = multiplier_eligible === true
  if (multiply_bps !== undefined) return { kind: "multiply", amount: multiply_bps, isMultiplied } as const
  if (add !== undefined) return { kind: "add", amount: add, isMultiplied } as const
  return { kind: "per_item", amount: add_per_item ?? 0, isMultiplied } as const
}

const compileOne = (zone: string, primary: Unit, file: PromotionFile): Promotion => {
  const { effect, limits, who = {} } = file
  return {
    ...occasionOf(zone, file),
    id: file.promotion_id,
    name: file.name,
    unit: effect.unit ?? primary,
    gives: givesOf(effect),
    file,
    since: 0,
    tiers: setOf(who.tier_ids),
    joinedWithinMs: who.joined_within_days === undefined ? Infinity : who.joined_within_days * dayMs,
    limit: limits?.per_member
  }
}

/** A programme's promotions, those that are not enabled too, with the ids in text order. */
export const compile = (zone: string, primary: Unit, file: ProgramFile): ReadonlyArray<Promotion> =>
  (file.promotions ?? [])
    .map((one) => compileOne(zone, primary, one))
    .toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))

/** The rule by which a promotion gives; stored with the accrual. */
export interface Terms extends LineTerms {
  readonly gives: Gives
}

/** The rate of an account by spend. */
export interface Rate {
  readonly amount: number
  /** Minor units. */
  readonly spend: number
  readonly multiplierBps: number
}

/** Gift of a promotion for the rest of an order that may earn. `rate`: its account's, if it earns by spend. */
export const pointsFor = (terms: Terms, rate: Rate | undefined, order: OrderLeft): number => {
  const { spend: left, units } = measure(terms, order)
  if (left === 0) return 0
  const { gives } = terms
  switch (gives[0]) {
    case "multiply":
      return rate === undefined
        ? 0
        : floorOf([left, rate.amount, rate.multiplierBps, gives[1] - wholeBps], [rate.spend, wholeBps, wholeBps])
    case "add":
      return floorOf([gives[1], gives[2]], [wholeBps])
    case "per_item":
      return floorOf([gives[1], gives[2], units()], [wholeBps])
  }
}

/** Uses of a promotion by a member within one window. */
export interface Use {
  readonly id: string
  /** As in `Promotion`. */
  readonly since: number
  /** First local date of the window as its midnight in UTC; 0: ever. */
  readonly window: number
  /** From then on no order can fall into the window, ms; absent: never. */
  readonly until?: number
}

export interface Uses extends Use {
  readonly count: number
}

/** A use of something limited at an order's own time. */
export const useOf = (
  { id, since }: Pick<Promotion, "id" | "since">,
  every: Every,
  zone: string,
  lateMs: number,
  own: number
): Use => {
  // It may be prolonged after its end.
  if (every === "promotion") return { id, since, window: 0 }
  const [start, end] = windowOf(every, Calendar.localAt(zone, own))
  return { id, since, window: start, until: end + farthestMs + lateMs }
}

const isSame = (a: Use, b: Use): boolean => a.id === b.id && a.since === b.since && a.window === b.window

export const countOf = (all: ReadonlyArray<Uses>, use: Use): number => all.find((one) => isSame(one, use))?.count ?? 0

/** Counts after a change by one use; what has no count or is over by `at` goes. */
export const counted = (all: ReadonlyArray<Uses>, uses: ReadonlyArray<Uses>, at: number): ReadonlyArray<Uses> => {
  let next = all.filter(({ until = Infinity }) => until > at)
  for (const use of uses) {
    if ((use.until ?? Infinity) <= at) continue
    const place = next.findIndex((one) => isSame(one, use))
    const count = use.count + (next[place]?.count ?? 0)
    const others = place < 0 ? next : next.toSpliced(place, 1)
    next = count > 0 ? [...others, { ...use, count }] : others
  }
  return next
}

/** Facts of an order and its member that the promotions of a programme need. */
export interface OrderInQuestion extends OrderTime {
  readonly order: Order
  readonly left: OrderLeft
  /** The time of the posting, ms. */
  readonly at: number
  readonly tierId: string | undefined
  readonly tierBps: number
  readonly joined: number
  /** True if no order of the member that is not closed accrued before. */
  readonly isFirst: boolean
  readonly uses: ReadonlyArray<Uses>
  readonly rateOf: (unit: Unit) => Rate | undefined
}

export interface Given {
  readonly promotion: Promotion
  readonly points: number
  readonly terms: Terms
  readonly use: Use | undefined
}

/** Rules of the programme for all promotions. */
export interface Rules {
  readonly all: ReadonlyArray<Promotion>
  readonly stacking: "best" | "all"
  readonly zone: string
  readonly lateMs: number
}

/** A member, with the time of a posting. */
export type MemberInQuestion = Pick<OrderInQuestion, "at" | "isFirst" | "joined" | "tierId" | "uses">

/** The first thing of the member that keeps the promotion away; undefined: it is for this member. */
const notForMember = (promotion: Promotion, asked: MemberInQuestion): WithheldReason | undefined => {
  const { file, joinedWithinMs, tiers } = promotion
  if (file.enabled === false) return "disabled"
  if (tiers !== undefined && (asked.tierId === undefined || !tiers.has(asked.tierId))) return "other_tier"
  if (asked.at - asked.joined > joinedWithinMs) return "joined_earlier"
  return file.who?.first_order === true && !asked.isFirst ? "not_first_order" : undefined
}

/** The first thing of member, time and place that keeps an order from the promotion; undefined: it is for this order. */
export const outsideOf = (promotion: Promotion, { zone }: Rules, asked: OrderInQuestion): WithheldReason | undefined =>
  notForMember(promotion, asked) ?? heldFrom(promotion, zone, asked.order, asked)

/** True if some order of the member can get the promotion from `asked.at` on, until the end of that local day. */
export const isForToday = (promotion: Promotion, rules: Rules, asked: MemberInQuestion): boolean =>
  notForMember(promotion, asked) === undefined &&
  !isUsedUp(promotion, rules, { own: asked.at, uses: asked.uses }) &&
  holdsToday(promotion, rules.zone, asked.at)

const termsFor = (promotion: Promotion, asked: OrderInQuestion): Terms => {
  const { amount, isMultiplied, kind } = promotion.gives
  return {
    gives: kind === "multiply" ? [kind, amount] : [kind, amount, isMultiplied ? asked.tierBps : wholeBps],
    ...lineTerms(promotion, asked.order, asked.left)
  }
}

/** The use of a promotion by an order; undefined if it has no limit. */
const ownUse = (promotion: Promotion, rules: Rules, asked: Pick<OrderInQuestion, "own">): Use | undefined =>
  promotion.limit === undefined
    ? undefined
    : useOf(promotion, promotion.limit.every, rules.zone, rules.lateMs, asked.own)

const isSpent = ({ limit }: Promotion, use: Use | undefined, { uses }: Pick<OrderInQuestion, "uses">): boolean =>
  limit !== undefined && use !== undefined && countOf(uses, use) >= limit.count

/** True if the member has had the promotion as often as it gives. */
export const isUsedUp = (promotion: Promotion, rules: Rules, asked: Pick<OrderInQuestion, "own" | "uses">): boolean =>
  isSpent(promotion, ownUse(promotion, rules, asked), asked)

/** Gift of a promotion if nothing keeps the order from it. */
export const wouldGive = (promotion: Promotion, asked: OrderInQuestion) => {
  const terms = termsFor(promotion, asked)
  return { terms, points: pointsFor(terms, asked.rateOf(promotion.unit), asked.left) }
}

/** The promotions from which nothing of member, time, place and limits keeps the order. */
export const applicable = (rules: Rules, asked: OrderInQuestion): ReadonlyArray<Promotion> =>
  rules.all.filter(
    (promotion) => outsideOf(promotion, rules, asked) === undefined && !isUsedUp(promotion, rules, asked)
  )

/** Gifts of each promotion to an order that the base rules let earn, as it accrues, before they are stacked. */
export const possible = (rules: Rules, asked: OrderInQuestion): ReadonlyArray<Given> => {
  const given: Array<Given> = []
  for (const promotion of rules.all) {
    if (!hasLineFor(promotion, asked.order, asked.left)) continue
    if (outsideOf(promotion, rules, asked) !== undefined) continue
    const use = ownUse(promotion, rules, asked)
    if (isSpent(promotion, use, asked)) continue
    const { points, terms } = wouldGive(promotion, asked)
    if (points > 0) given.push({ promotion, points, terms, use })
  }
  return given
}

/** The part of it that the order gets. */
export const stacked = ({ stacking }: Rules, given: ReadonlyArray<Given>): ReadonlyArray<Given> =>
  stacking === "all" ? given : best(given)

export const choose = (rules: Rules, asked: OrderInQuestion): ReadonlyArray<Given> =>
  stacked(rules, possible(rules, asked))

export const isBelowMinimum = (terms: Terms, { left }: OrderInQuestion): boolean =>
  countedOf(linesOn(terms, left), left).left < (terms.minimum ?? 0)

/** True if the order has lines for the promotion and nothing is left to pay for them: a reward made them free. */
export const hasNothingLeft = ({ isOn }: Promotion, terms: Terms, { left, order }: OrderInQuestion): boolean =>
  countedOf(linesOn(terms, left), left).left === 0 &&
  order.lines.some(
    (line, place) =>
      isOn?.(line) !== false && (left.lines[place]?.spend !== 0 || line.subtotal.amount === line.discount.amount)
  )

/** Of each unit the one that gives most; of several the first, as they are in the order of their ids. */
const best = (given: ReadonlyArray<Given>): ReadonlyArray<Given> =>
  given.filter((one, place) =>
    given.every(
      (other, otherPlace) =>
        other.promotion.unit !== one.promotion.unit ||
        other.points < one.points ||
        (other.points === one.points && otherPlace >= place)
    )
  )
