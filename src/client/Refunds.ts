/** Builds refunds of lines, and tips that come later, of an order as it was paid (docs/refunds.md). */
import type { Amount } from "./Amounts.ts"
import { minorUnits, quantityOf } from "./Amounts.ts"
import { check, checkObject, checkObjects } from "./Contract.ts"
import { adjustmentSchema, orderSchema } from "./generated/Schemas.ts"
import type { Order, OrderAdjustment, OrderLine, Program } from "./generated/Wire.ts"
import { instantOf } from "./LocalTimes.ts"
import { OrderError } from "./OrderError.ts"

export interface RefundLine {
  readonly line_id: string
  /** All of the line that is left by default. */
  readonly quantity?: number | string
  /**
   * The quantity that earlier refunds took back; 0 by default. Of a modifier that came back before its line, give it beside the
   * line: what is left of it comes back.
   */
  readonly refunded?: number | string
}

interface Later {
  /** The order as it was posted. */
  readonly order: Order
  /** Unique in the programme, for good. */
  readonly adjustment_id: string
  /** When it happened; the same at a repetition. */
  readonly occurred_at: Date | string
}

export interface RefundInput extends Later {
  /** The order's programme, as `program.get` answers it: what it excludes has given no points. */
  readonly program: {
    readonly earning: {
      readonly exclusions: Program["earning"]["exclusions"] & { readonly tender_types?: ReadonlyArray<string> }
    }
  }
  readonly reason: string
  /** The lines that come back, each with its modifiers; the whole order by default, which closes it. */
  readonly lines?: ReadonlyArray<RefundLine>
}

export interface TipInput extends Later {
  /** Adds to the order's tip. */
  readonly tip: Amount
  readonly reason?: string
}

const netOf = (line: OrderLine): number => line.subtotal.amount - line.discount.amount

/** Whether each line earns (contract/orders.md *Eligible spend*), by its id. */
const eligibleOf = ({ lines }: Order, { earning }: RefundInput["program"]): ReadonlyMap<string, boolean> => {
  const { category_ids, line_kinds, product_ids, tags } = earning.exclusions
  const known = new Map(lines.map((line) => [line.line_id, line]))
  const isOwn = (line: OrderLine): boolean =>
    line.loyalty_eligible !== false &&
    !line_kinds.includes(line.kind) &&
    !product_ids.includes(line.product_id) &&
    line.category_ids?.some((category) => category_ids.includes(category)) !== true &&
    line.tags?.some((tag) => tags.includes(tag)) !== true
  const isEligible = (line: OrderLine): boolean => {
    const parent = line.kind === "modifier" ? known.get(line.parent_line_id ?? "") : undefined
    if (parent === undefined) return isOwn(line)
    return isEligible(parent) && (line.unit_price.amount < 0 || isOwn(line))
  }
  return new Map(lines.map((line) => [line.line_id, isEligible(line)]))
}

/** A share of a line's quantity that comes back: from `before` to `after`, of `whole`, in millionths. */
interface Share {
  readonly before: bigint
  readonly after: bigint
  readonly whole: bigint
}

/** The part of an amount: parts that follow each other add up to the amount. */
const partOf = (amount: number, { after, before, whole }: Share): number => {
  const until = (at: bigint) => (BigInt(amount) * at) / whole
  return Number(until(after) - until(before))
}

/** The whole units of a quantity, which count rounded up. */
const unitsOf = (quantity: number, { after, before, whole }: Share): number => {
  const { micros } = quantityOf(quantity, "/order/lines")
  const until = (at: bigint) => (micros * at + whole * 1_000_000n - 1n) / (whole * 1_000_000n)
  return Number(until(after) - until(before))
}

const sharesOf = (order: Order, given: ReadonlyArray<RefundLine>): ReadonlyMap<OrderLine, Share> => {
  const named = new Map<string, Share>()
  given.forEach(({ line_id, quantity, refunded = 0 }, index) => {
    const path = `/lines/${index}`
    const line = order.lines.find((one) => one.line_id === line_id)
    if (line === undefined || named.has(line_id))
      throw new OrderError(`${path}/line_id`, `is ${line_id}; name each line of the order once`)
    const whole = quantityOf(line.quantity, `${path}/line_id`).micros
    const before = Number(refunded) === 0 ? 0n : quantityOf(refunded, `${path}/refunded`).micros
    const after = quantity === undefined ? whole : before + quantityOf(quantity, `${path}/quantity`).micros
    if (after > whole || before > whole)
      throw new OrderError(`${path}/quantity`, `is more than is left of the line's quantity of ${line.quantity}`)
    named.set(line_id, { before, after, whole })
  })
  const shares = new Map<OrderLine, Share>()
  const byId = new Map(order.lines.map((line) => [line.line_id, line]))
  for (const line of order.lines)
    for (let at: OrderLine | undefined = line; at !== undefined; at = byId.get(at.parent_line_id ?? "")) {
      const share = named.get(at.line_id)
      if (share === undefined) continue
      if (share.before < share.after) shares.set(line, share)
      break
    }
  if (shares.size === 0) throw new OrderError("/lines", "have nothing left that could come back")
  return shares
}

/** A text has its offset: the adjustment has no zone. */
const timeOf = (time: Date | string): string => {
  if (!(time instanceof Date) && !/(?:Z|[+-]\d\d:\d\d)$/i.test(String(time)))
    throw new OrderError("/occurred_at", "must be a time with its offset, or a Date")
  return new Date(instantOf(time, "UTC", "/occurred_at")).toISOString()
}

/** Only a paid order was posted. */
const checkPaid = (order: Order): void => {
  check(orderSchema, order, "/order")
  if (order.status !== "paid")
    throw new OrderError("/order/status", `is ${order.status}; give the order as it was posted, which is paid`)
}

const checked = (adjustment: OrderAdjustment): OrderAdjustment => {
  check(adjustmentSchema, adjustment, "")
  return adjustment
}

const refundNames = {
  order: true,
  adjustment_id: true,
  occurred_at: true,
  program: true,
  reason: true,
  lines: true
} as const
const tipNames = { order: true, adjustment_id: true, occurred_at: true, reason: true, tip: true } as const
const lineNames = { line_id: true, quantity: true, refunded: true } as const

const minus = (amount: number): number => (amount === 0 ? 0 : -amount)

/**
 * The refund of an order, or of some of its lines, for `order.adjust` and `Till.adjust`. Throws an `OrderError` with the
 * place in the input. A refund of money alone is one of lines: choose those that the money is for.
 */
export const buildRefund = (input: RefundInput): OrderAdjustment => {
  checkObject(input, "", refundNames)
  const { adjustment_id, lines, occurred_at, order, program, reason } = input
  checkPaid(order)
  const { category_ids, line_kinds, product_ids, tags } = program?.earning?.exclusions ?? {}
  if (![category_ids, line_kinds, product_ids, tags].every(Array.isArray))
    throw new OrderError("/program", "must be the order's programme, as program.get answers it")
  if (lines !== undefined) checkObjects(lines, "/lines", lineNames)
  if (lines?.length === 0) throw new OrderError("/lines", "must name a line; leave them out to refund the whole order")
  const { currency } = order.totals.total
  const money = (amount: number) => ({ amount, currency })
  const eligible = eligibleOf(order, program)
  const spendOf = (line: OrderLine): number => (eligible.get(line.line_id) === true ? netOf(line) : 0)
  const linesSpend = order.lines.reduce((sum, line) => sum + spendOf(line), 0)
  const { tender_types = [] } = program.earning.exclusions
  const excluded = (order.tenders ?? []).filter(({ type }) => tender_types.includes(type))
  const others = excluded.reduce((left, { amount }) => left - amount.amount, order.totals.total.amount)
  const spend = Math.max(0, excluded.length === 0 ? linesSpend : Math.min(linesSpend, others))
  const facts = { adjustment_id, original_order_id: order.order_id, reason, occurred_at: timeOf(occurred_at) }
  if (lines === undefined)
    return checked({
      ...facts,
      type: "full_refund",
      order_total_delta: money(minus(order.totals.total.amount)),
      eligible_spend_delta: money(minus(spend))
    })
  const shares = [...sharesOf(order, lines)]
  const sum = (of: (line: OrderLine) => number) =>
    shares.reduce((total, [line, share]) => total + partOf(of(line), share), 0)
  const total = sum((line) => netOf(line) + line.tax.amount)
  if (total < 0)
    throw new OrderError("/lines", "lower the price alone, so nothing comes back; name the lines that they lower, too")
  const taken = sum(spendOf)
  // Where excluded tenders paid a part, each line earned by its share of the rest.
  const takenSpend = linesSpend > spend ? Number((BigInt(taken) * BigInt(spend)) / BigInt(linesSpend)) : taken
  return checked({
    ...facts,
    type: "partial_refund",
    order_total_delta: money(minus(total)),
    eligible_spend_delta: money(minus(Math.max(0, takenSpend))),
    lines: shares.map(([line, share]) => ({
      line_id: line.line_id,
      quantity_delta: minus(unitsOf(line.quantity, share)),
      subtotal_delta: money(minus(partOf(line.subtotal.amount, share)))
    }))
  })
}

/**
 * A tip that comes after the order was posted: it changes the order's total and no points. Throws an `OrderError` as
 * `buildRefund` does.
 */
export const buildTip = (input: TipInput): OrderAdjustment => {
  checkObject(input, "", tipNames)
  const { adjustment_id, occurred_at, order, reason = "Tip", tip } = input
  checkPaid(order)
  const { currency } = order.totals.total
  const amount = minorUnits(tip, currency, "/tip")
  if (amount <= 0) throw new OrderError("/tip", `is ${amount} minor units; it must be above 0`)
  return checked({
    adjustment_id,
    original_order_id: order.order_id,
    type: "correction",
    reason,
    occurred_at: timeOf(occurred_at),
    order_total_delta: { amount, currency },
    eligible_spend_delta: { amount: 0, currency }
  })
}
