/**
 * Checks whether an order is consistent and plausible, and computes its eligible spend
 * (contract/orders.md *Orders that add up*, *Eligible spend*).
 */
import type { Order, OrderLine } from "../../contract/protocol/Order.ts"
import { maxOrderLines } from "../../contract/protocol/Order.ts"
import type { Fault, Sentence } from "../../contract/Said.ts"
import { faultAt, said } from "../../contract/Said.ts"
import type { IneligibleReason, Money } from "../../contract/Values.ts"
import { maxAmount, quantityScale, toMicros, toMillis } from "../../contract/Values.ts"
import { dayMs } from "./Calendar.ts"
import { byParents, lowersPrice, placesOf } from "./Lines.ts"
import { moneyText } from "./Money.ts"
import type { Program } from "./Program.ts"

/** How far the clock of a till may be ahead, ms. */
const mostAheadMs = 5 * 60_000
/** The age from which an order is refused, ms: 400 days. */
const mostPastMs = 400 * dayMs

export const currencyOf = (order: Order): string => order.totals.total.currency

const lineMoney = ["unit_price", "subtotal", "discount", "tax"] as const
const totalsMoney = ["subtotal", "discount", "tax", "tip", "service_charge", "total"] as const

/** An exact sum; NaN outside the safe integers. */
const exact = (value: number): number => (Number.isSafeInteger(value) ? value : Number.NaN)

type Say = (path: string, sentence: Sentence) => void

/** A path that is built only for a fault. */
type Within = () => string

const checkMoney = (money: Money, within: Within, name: string, currency: string, say: Say, mayBeNegative = false) => {
  if (money.currency !== currency) say(`${within()}/${name}/currency`, said`must be ${currency}, as the total is`)
  if (money.amount < 0 && !mayBeNegative) say(`${within()}/${name}/amount`, "must not be negative")
}

/** Whether a subtotal is unit_price × quantity within (quantity + 1) ÷ 2 minor units. */
const isProduct = (price: number, quantity: number, subtotal: number): boolean => {
  const product = price * quantity
  const twice = 2 * (product - subtotal)
  if (Number.isSafeInteger(quantity) && Number.isSafeInteger(product) && Number.isSafeInteger(twice))
    return Math.abs(twice) <= quantity + 1
  const micros = toMicros(quantity)
  const apart = 2n * (BigInt(price) * micros - BigInt(subtotal) * quantityScale)
  return (apart < 0n ? -apart : apart) <= micros + quantityScale
}

const checkLine = (line: OrderLine, within: Within, currency: string, say: Say): void => {
  const isLower = lowersPrice(line)
  for (const name of lineMoney)
    checkMoney(line[name], within, name, currency, say, isLower && (name === "unit_price" || name === "subtotal"))
  const { discount, quantity, subtotal, unit_price } = line
  const text = ({ amount }: Money) => moneyText(amount, currency)
  if (!isProduct(unit_price.amount, quantity, subtotal.amount)) {
    say(
      `${within()}/subtotal/amount`,
      said`is ${text(subtotal)}, unit_price × quantity is ${text(unit_price)} × ${quantity}; they may differ by half a minor unit for each one and for the line`
    )
  }
  if (isLower ? discount.amount > 0 : discount.amount > subtotal.amount) {
    say(
      `${within()}/discount/amount`,
      isLower
        ? "must be 0 on a modifier that lowers the price"
        : `is ${text(discount)}, more than the line's subtotal of ${text(subtotal)}`
    )
  }
}

/** Says which parents are no other line, and which lead back to their own line. */
const checkParents = (lines: ReadonlyArray<OrderLine>, places: ReadonlyMap<string, number>, say: Say): void => {
  /** The line from which a line was reached, so that each is visited once. */
  const reachedFrom = new Map<number, number>()
  lines.forEach((line, start) => {
    if (line.parent_line_id === undefined) return
    const parent = places.get(line.parent_line_id)
    if (parent === undefined || parent === start || line.parent_line_id === line.line_id)
      return say(`/order/lines/${start}/parent_line_id`, "must be the id of another line of the order")
    let at: number | undefined = start
    while (at !== undefined && !reachedFrom.has(at)) {
      reachedFrom.set(at, start)
      const next: string | undefined = lines[at]?.parent_line_id
      at = next === undefined ? undefined : places.get(next)
    }
    // A line that is its own parent has a fault of its own.
    if (at !== undefined && reachedFrom.get(at) === start && lines[at]?.parent_line_id !== lines[at]?.line_id)
      say(`/order/lines/${at}/parent_line_id`, "must not lead back to its own line")
  })
}

/** Says where modifiers lower the price of their parent and its modifiers below 0. */
const checkLowered = (order: Order, currency: string, places: ReadonlyMap<string, number>, say: Say): void => {
  const lowered = new Map<number, number>()
  order.lines.forEach((line, index) => {
    if (!lowersPrice(line)) return
    const parent = line.parent_line_id === undefined ? undefined : places.get(line.parent_line_id)
    if (line.parent_line_id === undefined)
      say(`/order/lines/${index}/parent_line_id`, "is required on a modifier that lowers the price")
    else if (parent !== undefined && !lowered.has(parent)) lowered.set(parent, index)
  })
  if (lowered.size === 0) return
  const sums = new Map<number, number>()
  order.lines.forEach((line, index) => {
    const parent = line.kind === "modifier" ? places.get(line.parent_line_id ?? line.line_id) : undefined
    const net = line.subtotal.amount - line.discount.amount
    for (const place of parent === undefined || parent === index ? [index] : [index, parent])
      if (lowered.has(place)) sums.set(place, (sums.get(place) ?? 0) + net)
  })
  for (const [parent, index] of lowered) {
    const sum = exact(sums.get(parent) ?? 0)
    if (!(sum >= 0)) {
      say(
        `/order/lines/${index}/unit_price/amount`,
        `lowers line ${order.lines[parent]?.line_id} with its modifiers to ${moneyText(sum, currency)}, below 0`
      )
    }
  }
}

const checkLines = (order: Order, currency: string, say: Say): void => {
  const places = placesOf(order.lines)
  if (places.size < order.lines.length) {
    order.lines.forEach(({ line_id }, index) => {
      if (places.get(line_id) !== index) say(`/order/lines/${index}/line_id`, "must be unique in the order")
    })
  }
  order.lines.forEach((line, index) => checkLine(line, () => `/order/lines/${index}`, currency, say))
  if (order.lines.every((line) => line.parent_line_id === undefined && !lowersPrice(line))) return
  checkParents(order.lines, places, say)
  if (order.lines.some(lowersPrice)) checkLowered(order, currency, places, say)
}

const checkTotals = (order: Order, currency: string, say: Say): void => {
  const { lines, totals } = order
  const text = (amount: number) => moneyText(amount, currency)
  for (const name of totalsMoney) checkMoney(totals[name], () => "/order/totals", name, currency, say)
  for (const name of ["subtotal", "discount", "tax"] as const) {
    let sum = 0
    for (const line of lines) sum = exact(sum + line[name].amount)
    // Tax may be rounded on each line or on the order.
    const room = name === "tax" ? lines.length : 0
    const { amount } = totals[name]
    if (!(Math.abs(sum - amount) <= room)) {
      const hint = name === "discount" ? "; a discount of the order is spread over its lines" : ""
      const within = room === 0 ? hint : `; they may differ by ${text(room)}`
      say(`/order/totals/${name}/amount`, `lines add up to ${text(sum)}, totals.${name} is ${text(amount)}${within}`)
    }
  }
  const total = exact(
    exact(exact(totals.subtotal.amount - totals.discount.amount) + totals.tax.amount) +
      exact(totals.tip.amount + totals.service_charge.amount)
  )
  if (total !== totals.total.amount) {
    say(
      "/order/totals/total/amount",
      `subtotal − discount + tax + tip + service_charge is ${text(total)}, totals.total is ${text(totals.total.amount)}`
    )
  }
  if (totals.total.amount > maxAmount)
    say("/order/totals/total/amount", said`is ${text(totals.total.amount)}, more than ${text(maxAmount)}`)
}

/** Checks the order's times against the service's clock, ms. */
const checkTimes = ({ business_date, placed_at }: Order, now: number, say: Say, isDateReadable: boolean): void => {
  const placed = toMillis(placed_at)
  if (placed > now + mostAheadMs) say("/order/placed_at", "is more than 5 minutes ahead of the service's clock")
  if (placed < now - mostPastMs) say("/order/placed_at", "is more than 400 days ago")
  const day = placed_at.slice(0, 10)
  if (!isDateReadable || business_date === day) return
  const apart = Date.parse(business_date) - Date.parse(day)
  if (Math.abs(apart) > dayMs)
    say(
      "/order/business_date",
      said`is ${business_date}, more than a day ${apart < 0 ? "before" : "after"} placed_at's ${day}`
    )
}

/** Checks everything in money. Tenders are not added up. */
const checkAmounts = (order: Order, say: Say, isReadable: IsReadable): void => {
  const currency = currencyOf(order)
  if (isReadable("/order/lines")) {
    checkLines(order, currency, say)
    checkTotals(order, currency, say)
  } else if (Array.isArray(order.lines) && order.lines.length <= maxOrderLines)
    order.lines.forEach((line, index) => {
      const within = `/order/lines/${index}`
      if (isReadable(within)) checkLine(line, () => within, currency, say)
    })
  if (!isReadable("/order/tenders")) return
  order.tenders?.forEach((tender, index) =>
    checkMoney(tender.amount, () => `/order/tenders/${index}`, "amount", currency, say)
  )
}

/** True for a place of the request (JSON Pointer) whose value its schema takes. */
type IsReadable = (path: string) => boolean

const everywhere: IsReadable = () => true

/**
 * Every fault of an order at an instant of the service's clock, ms. `isReadable`: absent for an order without faults of its
 * schema; of any other, only what is readable is checked.
 */
export const faults = (order: Order, now: number, isReadable = everywhere): ReadonlyArray<Fault> => {
  const found: Array<Fault> = []
  const say: Say = (path, sentence) => found.push(faultAt(path, sentence))
  if (isReadable("/order/totals")) checkAmounts(order, say, isReadable)
  if (isReadable("/order/placed_at")) checkTimes(order, now, say, isReadable("/order/business_date"))
  return found
}

/** The fault of an order in another currency than its programme's. */
export const currencyFaults = (order: Order, { currency, id }: Program): ReadonlyArray<Fault> =>
  currencyOf(order) === currency
    ? []
    : [{ path: "/order/totals/total/currency", ...said`must be ${currency}, as programme ${id} is` }]

const isOwnEligible = (line: OrderLine, { eligibility }: Program): boolean =>
  line.loyalty_eligible !== false &&
  !eligibility.excludedKinds.has(line.kind) &&
  !eligibility.excludedProducts.has(line.product_id) &&
  !(line.category_ids?.some((category) => eligibility.excludedCategories.has(category)) ?? false) &&
  !(line.tags?.some((tag) => eligibility.excludedTags.has(tag)) ?? false)

/**
 * Whether each line counts. A modifier counts only if its parent does, and one that lowers the price exactly if its
 * parent does. Requires an order without faults: then no parents form a circle.
 */
const eligibleLines = (program: Program, { lines }: Order): ReadonlyArray<boolean> =>
  byParents(
    lines,
    lines.map((line) => isOwnEligible(line, program)),
    ({ kind }) => kind === "modifier",
    (line, own, parent) => parent && (own || lowersPrice(line))
  )

/** The part of the order's total that the programme's excluded tenders leave, at least 0; Infinity if it excludes none. */
const paidOtherwise = ({ tenders = [], totals }: Order, excluded: ReadonlySet<string>): number => {
  if (excluded.size === 0) return Number.POSITIVE_INFINITY
  let left = totals.total.amount
  for (const { amount, type } of tenders) if (excluded.has(type)) left = Math.max(0, left - amount.amount)
  return left
}

/** The eligible spend of an order, and the reasons if it earns nothing. */
export interface Eligible {
  /** Minor units, also if channel or minimum prevent earning. */
  readonly spend: number
  /** Each line's subtotal − discount, 0 if the line is not eligible; in the order of the lines. */
  readonly lineSpends: ReadonlyArray<number>
  /** True if the order's channel earns nothing. */
  readonly isElsewhere: boolean
  /** Why no balance earns, at any rate; empty if channel, lines and minimum allow earning. */
  readonly reasons: ReadonlyArray<IneligibleReason>
  /** True if channel or minimum prevent earning on every balance. */
  readonly isKeptOut: boolean
}

const met: ReadonlyArray<IneligibleReason> = []

/**
 * The eligible spend. Requires an order without faults: then the sum is exact,
 * because the lines' amounts are bounded by the order's.
 */
export const eligible = (program: Program, order: Order): Eligible => {
  const { channels, excludedTenders, minimumSpend } = program.eligibility
  const counts = eligibleLines(program, order)
  const lineSpends: Array<number> = []
  let sum = 0
  let lines = 0
  order.lines.forEach((line, index) => {
    const isCounted = counts[index] === true
    const lineSpend = isCounted ? line.subtotal.amount - line.discount.amount : 0
    if (isCounted) lines++
    lineSpends.push(lineSpend)
    sum += lineSpend
  })
  const spend = Math.min(Math.max(0, sum), paidOtherwise(order, excludedTenders))
  const isElsewhere = !channels.has(order.channel)
  const isBelow = spend < minimumSpend
  const isKeptOut = isElsewhere || isBelow
  if (!isKeptOut && lines > 0) return { spend, lineSpends, isElsewhere, isKeptOut, reasons: met }
  const reasons: Array<IneligibleReason> = []
  if (isElsewhere) reasons.push("channel_not_eligible")
  if (lines === 0) reasons.push("no_eligible_lines")
  if (isBelow) reasons.push("below_minimum_spend")
  return { spend, lineSpends, isElsewhere, isKeptOut, reasons }
}
