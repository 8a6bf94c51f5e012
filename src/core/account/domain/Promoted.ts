/**
 * Gifts of promotions to an order of a member, within limits, as it accrues and after its adjustments
 * (contract/programmes.md *Promotions*).
 */
import type { Order } from "../../../contract/protocol/Order.ts"
import type { Tier } from "../../../contract/protocol/Program.ts"
import type { IneligibleReason, Unit } from "../../../contract/Values.ts"
import type { Almost } from "../../rules/AlmostPromotions.ts"
import * as AlmostPromotions from "../../rules/AlmostPromotions.ts"
import type { EarnedAt, OrderAccruals } from "../../rules/Earning.ts"
import * as Earning from "../../rules/Earning.ts"
import * as Occasions from "../../rules/Occasions.ts"
import type { LineLeft, OrderLeft } from "../../rules/OrdersLeft.ts"
import type { Program } from "../../rules/Program.ts"
import type { Given, OrderInQuestion, Rate, Use } from "../../rules/Promotions.ts"
import * as Promotions from "../../rules/Promotions.ts"
import * as Tiers from "../../rules/Tiers.ts"
import type { Withheld } from "../../rules/WithheldPromotions.ts"
import * as WithheldPromotions from "../../rules/WithheldPromotions.ts"
import * as Metrics from "./Metrics.ts"
import type { PromotionFacts } from "./Posted.ts"
import type { OrderRecord, State } from "./State.ts"

/** Earnings of an order on one account. */
interface Accrual {
  readonly unit: Unit
  /** The base and all promotions, within the programme's limit. */
  readonly points: number
  readonly earnedAt: EarnedAt
  readonly promotions: ReadonlyArray<PromotionFacts>
}

export interface Estimate extends Omit<OrderAccruals, "accruals"> {
  readonly accruals: ReadonlyArray<Accrual>
  /** The promotions that it nearly gets. Accruals do not ask. */
  readonly almost: () => ReadonlyArray<Almost>
  /** The order as it accrues; undefined if it never earns, or if nothing but the base looks at it. */
  readonly left: OrderLeft | undefined
  /** Amounts that the order counts for in limits. */
  readonly uses: ReadonlyArray<Use>
}

/** Counts the orders of a member in a day. No promotion has this id. */
const orders = { id: "", since: 0 }

const rateOf = (earnedAt: EarnedAt | undefined): Rate | undefined => (earnedAt?.mode === "spend" ? earnedAt : undefined)

const lineOf = (spend: number, quantity: number, subtotal: number): LineLeft => ({
  spend,
  quantity,
  subtotal,
  quantityLeft: quantity,
  subtotalLeft: subtotal
})

const whole = ({ lines }: Order, { eligibleSpend, lineSpends }: OrderAccruals): OrderLeft => ({
  spend: eligibleSpend,
  spendLeft: eligibleSpend,
  lines: lines.map(({ quantity, subtotal }, place) => lineOf(lineSpends[place] ?? 0, quantity, subtotal.amount))
})

const factsOf = ({ points, promotion, terms }: Given): PromotionFacts => ({
  id: promotion.id,
  name: promotion.name,
  amount: points,
  ...terms
})

const none: Pick<Estimate, "almost" | "left" | "uses"> = {
  almost: () => [],
  left: undefined,
  uses: []
}

/** Facts of an order and its member that the promotions need. */
const askedOf = (
  state: State,
  program: Program,
  asked: Pick<OrderInQuestion, "order" | "left" | "at" | "tierId" | "tierBps">,
  base: OrderAccruals
): OrderInQuestion => ({
  ...asked,
  ...Occasions.orderTime(asked.order, program.promotions, asked.at),
  joined: state.joined,
  isFirst: base.hasEarned && state.orders === 0,
  uses: state.uses,
  rateOf: (unit) => rateOf(base.accruals.find((one) => one.unit === unit)?.earnedAt)
})

/** The use of the day's orders; undefined if the programme does not limit them. */
const dayOf = ({ orderLimits, promotions }: Program, order: Order, at: number): Use | undefined =>
  orderLimits.perDay === Infinity
    ? undefined
    : Promotions.useOf(orders, "day", promotions.zone, promotions.lateMs, Occasions.ownTime(order, promotions, at))

const limitReached: ReadonlyArray<IneligibleReason> = ["limit_reached"]

/** The accruals that an order would earn at `at`. `tier`: the member's, unless another one is tried. */
export const estimate = (
  state: State,
  program: Program,
  order: Order,
  at: number,
  tier: Tier | undefined = Metrics.tierOf(state, program, at)
): Estimate => {
  const tierBps = Tiers.multiplierBps(tier)
  const base = Earning.accruals(program, order, tierBps)
  const plain = base.accruals.map((accrual) => ({ ...accrual, promotions: [] }))
  const isCounted = program.challenges.length > 0 || state.challenges.length > 0
  if (base.isKeptOut) {
    // A correction may lift it to the minimum, and challenges then count it.
    const left = isCounted && !base.isElsewhere ? whole(order, base) : undefined
    return { ...base, accruals: plain, ...none, left }
  }
  const day = dayOf(program, order, at)
  if (day !== undefined && Promotions.countOf(state.uses, day) >= program.orderLimits.perDay) {
    const accruals = plain.map((accrual) => ({ ...accrual, points: 0 }))
    return { ...base, accruals, hasEarned: false, ineligible: limitReached, isElsewhere: true, ...none }
  }
  const { points: most } = program.orderLimits
  const isPromoted = program.promotions.all.length > 0
  if (!isPromoted && !isCounted && most === Infinity)
    return { ...base, accruals: plain, ...none, uses: usesOf(plain, day, []) }
  const left = whole(order, base)
  if (!isPromoted && most === Infinity) return { ...base, accruals: plain, ...none, left, uses: usesOf(plain, day, []) }
  const asked = askedOf(state, program, { order, left, at, tierId: tier?.tier_id, tierBps }, base)
  const given = Promotions.choose(program.promotions, asked)
  const accruals = given.length === 0 ? plain : withGiven(base, given)
  const isCapped = accruals.some(({ points }) => points > most)
  return {
    ...base,
    accruals: isCapped ? accruals.map((one) => capped(one, most)) : accruals,
    ineligible: isCapped ? [...stillIneligible(base, accruals), ...limitReached] : stillIneligible(base, accruals),
    almost: () => AlmostPromotions.almost({ program, asked, base }),
    left,
    uses: usesOf(accruals, day, given)
  }
}

/** Amounts that an order counts for in limits: one that earns nothing uses nothing up. */
const usesOf = (accruals: ReadonlyArray<Accrual>, day: Use | undefined, given: ReadonlyArray<Given>) => [
  ...(day !== undefined && accruals.some(({ points }) => points > 0) ? [day] : []),
  ...given.flatMap(({ use }) => (use === undefined ? [] : [use]))
]

/** The promotions that the order would not get at `at`, each with the first reason. */
export const withheld = (
  state: State,
  program: Program,
  order: Order,
  at: number,
  tier: Tier | undefined
): ReadonlyArray<Withheld> => {
  const tierBps = Tiers.multiplierBps(tier)
  const base = Earning.accruals(program, order, tierBps)
  const day = dayOf(program, order, at)
  if (base.isKeptOut || (day !== undefined && Promotions.countOf(state.uses, day) >= program.orderLimits.perDay))
    return WithheldPromotions.allWithheld(program.promotions)
  const left = whole(order, base)
  const asked = askedOf(state, program, { order, left, at, tierId: tier?.tier_id, tierBps }, base)
  const given = Promotions.choose(program.promotions, asked)
  const within = withGiven(base, given).flatMap((one) => capped(one, program.orderLimits.points).promotions)
  const cut = new Set(within.flatMap(({ amount, id }) => (amount === 0 ? [id] : [])))
  return WithheldPromotions.withheld(program.promotions, asked, (promotion) => cut.has(promotion.id))
}

/** An accrual with the base first and then the promotions, up to `most`. */
const capped = ({ earnedAt, points, promotions, unit }: Accrual, most: number): Accrual => {
  const base = promotions.reduce((rest, { amount }) => rest - amount, points)
  let room = Math.max(0, most - base)
  const within: Array<PromotionFacts> = []
  for (const facts of promotions) {
    within.push({ ...facts, amount: Math.min(facts.amount, room) })
    room -= Math.min(facts.amount, room)
  }
  return { unit, earnedAt, points: Math.min(points, most), promotions: within }
}

/** The reasons of the base, unless promotions gave something to every account that earned nothing by spend. */
const stillIneligible = (base: OrderAccruals, accruals: ReadonlyArray<Accrual>): ReadonlyArray<IneligibleReason> =>
  accruals.some(({ earnedAt, points }) => earnedAt.mode === "spend" && points === 0) ? base.ineligible : []

/** The accruals with the promotions. An account without a rule earns by promotions alone. */
const withGiven = ({ accruals }: OrderAccruals, given: ReadonlyArray<Given>): ReadonlyArray<Accrual> => {
  const units = new Set(given.map(({ promotion }) => promotion.unit))
  const others = [...units].filter((unit) => !accruals.some((one) => one.unit === unit))
  const all = [
    ...accruals,
    ...others.map((unit) => ({
      unit,
      points: 0,
      earnedAt: { unit, mode: "per_order", amount: 0, multiplierBps: 0 } as const
    }))
  ]
  return all.map((accrual) => {
    const promotions = given.filter(({ promotion }) => promotion.unit === accrual.unit).map(factsOf)
    return {
      ...accrual,
      points: promotions.reduce((sum, { amount }) => sum + amount, accrual.points),
      promotions
    }
  })
}

/** Counts in a state that no promotion of the programme has any more. */
export const forgotten = ({ uses }: State, { promotions }: Program): ReadonlyArray<Pick<Use, "id" | "since">> => {
  const isDefined = (use: Use): boolean =>
    use.id === orders.id || promotions.all.some(({ id, since }) => id === use.id && since === use.since)
  return uses.filter((use) => !isDefined(use)).map(({ id, since }) => ({ id, since }))
}

/** Rest of an order with this eligible spend, after the changes of its lines. */
export const leftOf = ({ spend, terms }: OrderRecord, spendLeft: number): OrderLeft => ({
  spend,
  spendLeft,
  lines: (terms?.lines ?? []).map(({ accrued, quantity, spend: lineSpend, subtotal }) => ({
    spend: lineSpend,
    ...accrued,
    quantityLeft: quantity,
    subtotalLeft: subtotal
  }))
})

/** Gifts of the promotions chosen at the accrual for the rest of the order. */
export const kept = (promotions: ReadonlyArray<PromotionFacts>, earnedAt: EarnedAt, left: OrderLeft): number =>
  promotions.reduce((sum, facts) => sum + Promotions.pointsFor(facts, rateOf(earnedAt), left), 0)

/** The promotions of an order that keeps `points` on the account, each with its part of them. */
export const remaining = (
  promotions: ReadonlyArray<PromotionFacts>,
  earnedAt: EarnedAt,
  left: OrderLeft,
  points: number
): ReadonlyArray<PromotionFacts> => {
  let room = Math.max(0, points - Earning.pointsFor(earnedAt, left.spendLeft))
  return promotions.map((facts) => {
    const amount = Math.min(room, Promotions.pointsFor(facts, rateOf(earnedAt), left))
    room -= amount
    return { ...facts, amount }
  })
}

/** Longest list of promotions in an entry's reason, characters. */
const longestReason = 240

/** An entry's reason, which names the promotions that gave something; undefined if none did. */
export const reasonOf = (all: ReadonlyArray<PromotionFacts>): string | undefined => {
  const promotions = all.filter(({ amount }) => amount > 0)
  if (promotions.length === 0) return undefined
  let text = "promotions:"
  for (const [index, { id }] of promotions.entries()) {
    const next = `${text}${index === 0 ? "" : ","} ${id}`
    if (next.length > longestReason) return `${text} and ${promotions.length - index} more`
    text = next
  }
  return text
}
