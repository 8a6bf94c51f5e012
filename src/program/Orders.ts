/**
 * Checks the consistency of an order, and computes its eligible spend (decisions.md §4 Orders, Earning).
 */
import type { Order, OrderLine } from "../contract/protocol/Order.ts"
import type { IneligibleReason, Money } from "../contract/Values.ts"
import type { Program } from "./Program.ts"

export interface OrderFault {
  /** JSON Pointer from the request's root. */
  readonly path: string
  readonly message: string
}

export const currencyOf = (order: Order): string => order.totals.total.currency

const lineMoney = ["unit_price", "subtotal", "discount", "tax"] as const
const summed = ["subtotal", "discount", "tax"] as const
const totalsMoney = ["subtotal", "discount", "tax", "tip", "service_charge", "total"] as const

/** An exact sum; NaN outside the safe integers. */
const exact = (value: number): number => (Number.isSafeInteger(value) ? value : Number.NaN)

type Say = (path: string, message: string) => void

/** A path that is built only for a fault. */
type Within = () => string

const checkMoney = (money: Money, within: Within, name: string, currency: string, say: Say): void => {
  if (money.currency !== currency) say(`${within()}/${name}/currency`, `must be ${currency}, as the total is`)
  if (money.amount < 0) say(`${within()}/${name}/amount`, "must not be negative")
}

const checkLine = (line: OrderLine, within: Within, currency: string, say: Say): void => {
  for (const name of lineMoney) checkMoney(line[name], within, name, currency, say)
  if (exact(line.unit_price.amount * line.quantity) !== line.subtotal.amount) {
    say(`${within()}/subtotal/amount`, "must be unit_price × quantity")
  }
  if (line.discount.amount > line.subtotal.amount)
    say(`${within()}/discount/amount`, "must not exceed the line's subtotal")
}

const checkLines = (order: Order, currency: string, say: Say): void => {
  const ids = new Set<string>()
  order.lines.forEach((line, index) => {
    if (ids.has(line.line_id)) say(`/order/lines/${index}/line_id`, "must be unique in the order")
    ids.add(line.line_id)
  })
  order.lines.forEach((line, index) => {
    const within = () => `/order/lines/${index}`
    checkLine(line, within, currency, say)
    const parent = line.parent_line_id
    if (parent !== undefined && (parent === line.line_id || !ids.has(parent))) {
      say(`${within()}/parent_line_id`, "must be the id of another line of the order")
    }
  })
}

const checkTotals = (order: Order, currency: string, say: Say): void => {
  const { totals } = order
  for (const name of totalsMoney) checkMoney(totals[name], () => "/order/totals", name, currency, say)
  for (const name of summed) {
    let sum = 0
    for (const line of order.lines) sum = exact(sum + line[name].amount)
    if (sum !== totals[name].amount) say(`/order/totals/${name}/amount`, "must be the sum over the lines")
  }
  const total = exact(
    exact(exact(totals.subtotal.amount - totals.discount.amount) + totals.tax.amount) +
      exact(totals.tip.amount + totals.service_charge.amount)
  )
  if (total !== totals.total.amount) {
    say("/order/totals/total/amount", "must be subtotal − discount + tax + tip + service_charge")
  }
}

const checkTenders = (order: Order, currency: string, say: Say): void => {
  const { tenders } = order
  if (tenders === undefined) return
  tenders.forEach((tender, index) =>
    checkMoney(tender.amount, () => `/order/tenders/${index}`, "amount", currency, say)
  )
  const paid = tenders.reduce((sum, tender) => exact(sum + tender.amount.amount), 0)
  if (order.status === "paid" && paid !== order.totals.total.amount) {
    say("/order/tenders", "must add up to the total of a paid order")
  }
}

/** Every inconsistency of an order. */
export const faults = (order: Order): ReadonlyArray<OrderFault> => {
  const found: Array<OrderFault> = []
  const say: Say = (path, message) => found.push({ path, message })
  const currency = currencyOf(order)
  checkLines(order, currency, say)
  checkTotals(order, currency, say)
  checkTenders(order, currency, say)
  return found
}

const isEligible = (line: OrderLine, { eligibility }: Program): boolean =>
  line.loyalty_eligible !== false &&
  !eligibility.excludedKinds.has(line.kind) &&
  !eligibility.excludedProducts.has(line.product_id) &&
  !(line.category_ids?.some((category) => eligibility.excludedCategories.has(category)) ?? false) &&
  !(line.tags?.some((tag) => eligibility.excludedTags.has(tag)) ?? false)

/** The eligible spend of an order, and the reasons if it earns nothing. */
export interface Eligible {
  /** Minor units, also if channel or minimum prevent earning. */
  readonly spend: number
  /** Each line's subtotal − discount, 0 if the line is not eligible; in the order of the lines. */
  readonly lineSpends: ReadonlyArray<number>
  /** True if the order's channel earns nothing. */
  readonly isElsewhere: boolean
  /** Why no account earns, at any rate; empty if channel, lines and minimum allow earning. */
  readonly reasons: ReadonlyArray<IneligibleReason>
  /** True if channel or minimum prevent earning on every account. */
  readonly isKeptOut: boolean
}

const met: ReadonlyArray<IneligibleReason> = []

/**
 * The eligible spend. Requires an order without faults: then the sum is exact,
 * because it is at most the order's subtotal.
 */
export const eligible = (program: Program, order: Order): Eligible => {
  const { channels, minimumSpend } = program.eligibility
  const lineSpends: Array<number> = []
  let spend = 0
  let lines = 0
  for (const line of order.lines) {
    const isCounted = isEligible(line, program)
    const lineSpend = isCounted ? line.subtotal.amount - line.discount.amount : 0
    if (isCounted) lines++
    lineSpends.push(lineSpend)
    spend += lineSpend
  }
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
