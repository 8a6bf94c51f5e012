/**
 * Decisions about orders: accrual and its later adjustment (contract/orders.md *Earning*, *Adjusting an order*).
 */
import type { Order, OrderLine } from "../../../contract/protocol/Order.ts"
import type { Fault } from "../../../contract/Said.ts"
import { said } from "../../../contract/Said.ts"
import { maxAmount, type OrderAdjustmentType, toMillis, type Unit } from "../../../contract/Values.ts"
import * as Earning from "../../rules/Earning.ts"
import { moneyText } from "../../rules/Money.ts"
import { ownTime } from "../../rules/Occasions.ts"
import * as OrderRules from "../../rules/OrderChecks.ts"
import type { OrderLeft } from "../../rules/OrdersLeft.ts"
import type { Program } from "../../rules/Program.ts"
import type { AccountEvent, LineChange, OrderAdjusted, OrderCounts } from "./AccountEvent.ts"
import type { Accrue, AdjustOrder } from "./Action.ts"
import * as Challenged from "./Challenged.ts"
import * as Clawback from "./Clawback.ts"
import type { Circumstances, Decision } from "./Decision.ts"
import { decidedEntries, inactive, tooLarge } from "./Decision.ts"
import type { Draft } from "./Draft.ts"
import { evolveOrder } from "./EvolveOrder.ts"
import type { Accrual, EarnRule, LineFacts, PromotionFacts } from "./Posted.ts"
import * as Promoted from "./Promoted.ts"
import type { Refusal } from "./Refusal.ts"
import { refusal } from "./Refusal.ts"
import * as Remaining from "./Remaining.ts"
import type { OrderEarning, OrderRecord, State } from "./State.ts"
import { isNamed, unitOf } from "./State.ts"

/** A sentence about the first fault of an order, with its numbers. */
export const invalidOrder = (faults: ReadonlyArray<Fault>): Refusal => {
  const [first] = faults
  const more = faults.length > 1 ? `; errors lists all ${faults.length} faults` : ""
  return refusal("invalid_order", `The order is not valid: ${first?.path} ${first?.message}${more}.`, faults)
}

/**
 * Checks an order's faults at an instant, its member and its currency. Every operation with an order uses this. `state`:
 * undefined of an order without a guest.
 */
export const checkOrder = (
  order: Order,
  program: Program,
  state: State | undefined,
  at: number
): Refusal | undefined => {
  const faults = OrderRules.faults(order, at)
  if (faults.length > 0) return invalidOrder([...faults, ...OrderRules.currencyFaults(order, program)])
  if (state !== undefined && order.member_id !== undefined && !isNamed(state, order.member_id)) {
    return refusal("conflict", said`The order names member ${order.member_id}, the request ${state.member}.`)
  }
  const currency = OrderRules.currencyOf(order)
  if (currency !== program.currency) {
    return refusal(
      "currency_mismatch",
      said`The order is in ${currency}, programme ${program.id} in ${program.currency}.`
    )
  }
  const { total } = program.orderLimits
  if (order.totals.total.amount > total) {
    const most = `is more than ${moneyText(total, currency)}, the most that an order of the programme may have`
    return invalidOrder([{ path: "/order/totals/total/amount", message: most }])
  }
  return undefined
}

const ruleOf = (earned: Earning.EarnedAt): EarnRule =>
  earned.mode === "spend"
    ? [earned.amount, earned.spend, earned.multiplierBps]
    : [earned.amount, 0, earned.multiplierBps]

export const earnedAt = (unit: Unit, [amount, spend, multiplierBps]: EarnRule): Earning.EarnedAt =>
  spend > 0 ? { unit, mode: "spend", amount, spend, multiplierBps } : { unit, mode: "per_order", amount, multiplierBps }

const factsOf = ({ line_id, quantity, subtotal }: OrderLine, spend: number | undefined): LineFacts =>
  spend === undefined || spend === subtotal.amount
    ? [line_id, quantity, subtotal.amount]
    : [line_id, quantity, subtotal.amount, spend]

export const accrue = (draft: Draft, action: Accrue, given: Circumstances): Decision => {
  const { evaluation, order } = action
  const refused = inactive(draft.state) ?? checkOrder(order, draft.program, draft.state, draft.at)
  if (refused !== undefined) return refused
  if (order.status !== "paid")
    return refusal("invalid_state", said`Only a paid order accrues; this one is ${order.status}.`)
  draft.settle()
  const first = draft.state.entries + 1
  const { accruals, eligibleSpend, hasEarned, ineligible, isElsewhere, isKeptOut, left, lineSpends, uses } =
    Promoted.estimate(draft.state, draft.program, order, draft.at)
  const forgets = Promoted.forgotten(draft.state, draft.program)
  const most = draft.program.orderLimits.points
  const terms = {
    minimum: draft.program.eligibility.minimumSpend,
    ...(isElsewhere ? ({ elsewhere: true } as const) : undefined),
    lines: order.lines.map((line, place) => factsOf(line, lineSpends[place])),
    ...(hasEarned ? { first: draft.state.orders === 0 } : ({ orders: 0 } as const)),
    ...(uses.length === 0 ? undefined : { uses }),
    ...(forgets.length === 0 ? undefined : { forgets })
  }
  const dated = draft.program.isDatedByOrder
    ? { period: draft.periodAt(ownTime(order, draft.program.promotions, draft.at)) }
    : undefined
  for (const [index, accrual] of accruals.entries()) {
    if (!Number.isSafeInteger(accrual.points) || !draft.fits(accrual.unit, accrual.points))
      return tooLarge(accrual.unit)
    const facts = {
      op: "accrual" as const,
      unit: accrual.unit,
      amount: accrual.points,
      order: order.order_id,
      location: order.scope.location_id,
      placed: toMillis(order.placed_at),
      business: order.business_date,
      qualifies: true,
      spend: eligibleSpend,
      rule: ruleOf(accrual.earnedAt),
      ...promotionsOf(accrual.promotions),
      ...(most === Infinity ? undefined : { most }),
      ...(index === 0 ? terms : undefined),
      ...(evaluation === undefined ? undefined : { evaluation })
    }
    draft.post(facts, draft.at, dated)
  }
  if (left !== undefined) Challenged.countOrder(draft, order, left, !isKeptOut)
  const cards = Challenged.issueEarned(draft, given.cards)
  return "_tag" in cards ? cards : decidedEntries(draft, first, cards, ineligible)
}

/** True if what is left of an order earns by its accrual's terms. */
const isEarning = ({ terms }: Pick<OrderRecord, "terms">, { spendLeft }: OrderLeft): boolean =>
  terms === undefined || !(terms.isElsewhere || spendLeft < terms.minimum)

/** True if adjustments have left nothing of an order that had eligible spend. One of earlier rules goes on by those. */
const isEmptied = ({ terms }: Pick<OrderRecord, "terms">, { spend, spendLeft }: OrderLeft): boolean =>
  terms !== undefined && spend > 0 && spendLeft === 0

/** The points of one unit that the member keeps of an order; `left` is what is left of it. */
const keptOf = (
  { terms }: OrderRecord,
  { kept, most, promotions, rule, unit }: OrderEarning,
  left: OrderLeft
): number => {
  if (terms === undefined && rule[1] === 0) return kept
  if (isEmptied({ terms }, left)) return 0
  if (!isEarning({ terms }, left)) return 0
  const earned = earnedAt(unit, rule)
  const base = Earning.pointsFor(earned, left.spendLeft)
  return promotions.length === 0 ? Math.min(base, most) : Math.min(base + Promoted.kept(promotions, earned, left), most)
}

const promotionsOf = (promotions: ReadonlyArray<PromotionFacts>): Partial<Pick<Accrual, "promotions" | "reason">> => {
  const reason = Promoted.reasonOf(promotions)
  return promotions.length === 0 ? {} : { promotions, ...(reason === undefined ? undefined : { reason }) }
}

const closes = (type: OrderAdjustmentType): boolean => type === "full_refund" || type === "void"

export const adjustOrder = (draft: Draft, action: AdjustOrder, given: Circumstances): Decision => {
  const { adjustment } = action
  const { order_id, spend_delta, type } = {
    order_id: adjustment.original_order_id,
    spend_delta: adjustment.eligible_spend_delta.amount,
    type: adjustment.type
  }
  const order = given.recalled?.order
  if (order === undefined) {
    return refusal("not_found", said`Order ${order_id} has no accrual for member ${draft.state.member}.`)
  }
  // No check of the member's status: refunds are always allowed.
  const currency = [
    adjustment.eligible_spend_delta,
    adjustment.order_total_delta,
    ...(adjustment.lines ?? []).map((line) => line.subtotal_delta)
  ].find((money) => money.currency !== draft.program.currency)?.currency
  if (currency !== undefined) {
    return refusal(
      "currency_mismatch",
      said`The adjustment is in ${currency}, programme ${draft.program.id} in ${draft.program.currency}.`
    )
  }
  if (type !== "correction" && spend_delta > 0)
    return refusal("invalid_state", said`A ${type} must not raise eligible spend.`)
  draft.settle()
  const record = draft.after(order, afterPosting)
  if (record.closed && type === "correction") {
    return refusal("invalid_state", said`Order ${order_id} was refunded in full; nothing is left to correct.`)
  }
  const isMeasured = record.terms !== undefined && !record.closed && !closes(type)
  const lines = isMeasured ? Remaining.measure(record, record.terms, adjustment) : []
  if ("message" in lines) return refusal("invalid_state", lines)
  const delta = record.delta + spend_delta
  const spend = Math.max(0, record.spend + delta)
  const isTooMuch = spend_delta > 0 && spend > maxAmount
  if (!Number.isSafeInteger(delta) || isTooMuch) return tooLarge("eligible spend")
  return postAdjustment(draft, action, given, record, { spend, lines })
}

/** Folds the decision's own events into the order, so that points which expire in it are counted as expired. */
const afterPosting = (order: OrderRecord, event: AccountEvent): OrderRecord | undefined =>
  event.type === "posted" ? evolveOrder(order, event) : undefined

type Standing = Pick<OrderRecord, "closed" | "isEmpty" | "hasEarned">

const isOver = ({ closed, isEmpty }: Standing): boolean => closed || isEmpty

/** Changes of an adjustment in the count of orders and in limits; nothing twice, and nothing of what never counted. */
const changedCounts = (before: OrderRecord, after: Standing): OrderCounts => {
  const count = (one: Standing) => (one.hasEarned && !isOver(one) ? 1 : 0)
  const orders = (count(after) - count(before)) as -1 | 0 | 1
  const { uses } = before
  const isTaken = isOver(after) !== isOver(before) && uses.length > 0
  return {
    ...(after.isEmpty === before.isEmpty ? undefined : { left: after.isEmpty ? "none" : "some" }),
    ...(orders === 0 ? undefined : { orders }),
    ...(isTaken ? (isOver(after) ? { returns: uses } : { takes: uses }) : undefined)
  }
}

/** Rewards and uses of limits that a full refund or void ends. */
export const closing = (before: OrderRecord) => ({
  closes: true as const,
  ...(isOver(before) ? { again: true as const } : undefined),
  orders: 0 as const,
  ...changedCounts(before, { ...before, closed: true })
})

/** True if an account earns by its base rule of what is left. */
const earns = (record: OrderRecord, left: OrderLeft): boolean =>
  !isEmptied(record, left) &&
  isEarning(record, left) &&
  record.earnings.some(({ rule, unit }) => Earning.pointsFor(earnedAt(unit, rule), left.spendLeft) > 0)

/** Changes in counts of an adjustment that is not refused. */
const countsAfter = (record: OrderRecord, left: OrderLeft, type: OrderAdjustmentType): Partial<OrderAdjusted> => {
  if (closes(type)) return closing(record)
  if (record.closed) return {}
  const hasEarned = record.hasEarned || earns(record, left)
  return changedCounts(record, { closed: false, isEmpty: isEmptied(record, left), hasEarned })
}

/** The facts of the entry that adjusts an order on one account; `kept`: what the member keeps of it there. */
export const adjustmentFacts = (
  { location, order }: OrderRecord,
  { inMetrics, n, unit }: OrderEarning,
  adjusted: Clawback.Adjusted,
  kept: number,
  { adjustment, reason }: { readonly adjustment: string; readonly reason?: string | undefined }
) => {
  const counts = kept - inMetrics
  return {
    ...adjusted,
    op: "adjustment",
    unit,
    order,
    location,
    adjustment,
    ...(reason === undefined ? undefined : { reason }),
    qualifies: true,
    related: n,
    ...(counts === adjusted.amount ? undefined : { counts })
  } as const
}

const postAdjustment = (
  draft: Draft,
  { adjustment }: AdjustOrder,
  given: Circumstances,
  record: OrderRecord,
  { lines, spend }: { readonly spend: number; readonly lines: ReadonlyArray<LineChange> }
): Decision => {
  const first = draft.state.entries + 1
  const left = Promoted.leftOf(Remaining.after(record, lines), spend)
  const named = { adjustment: adjustment.adjustment_id, reason: adjustment.reason }
  for (const earning of record.earnings) {
    const balance = unitOf(draft.state, earning.unit)
    const kept = record.closed || closes(adjustment.type) ? 0 : keptOf(record, earning, left)
    const change = kept - earning.kept
    if (!Number.isSafeInteger(change)) return tooLarge(earning.unit)
    const moment = { at: draft.at, idle: draft.state.idle }
    const adjusted =
      change > 0
        ? Clawback.giveBack(earning, balance, change, moment, draft.newLot(earning.unit))
        : Clawback.clawBack(earning, balance, -change, moment)
    const facts = adjustmentFacts(record, earning, adjusted, kept, named)
    if (!draft.fits(earning.unit, adjusted.amount, facts.counts)) return tooLarge(earning.unit)
    draft.post(facts, draft.at, record)
  }
  draft.emit({
    type: "order_adjusted",
    at: draft.at,
    order: record.order,
    adjustment: adjustment.adjustment_id,
    kind: adjustment.type,
    delta: adjustment.eligible_spend_delta.amount,
    ...(lines.length === 0 ? undefined : { lines }),
    ...countsAfter(record, left, adjustment.type)
  })
  const isNothing = record.closed || closes(adjustment.type) || isEmptied(record, left) || !isEarning(record, left)
  Challenged.countAgain(draft, record, isNothing ? undefined : left)
  // A closed member is issued nothing any more.
  const cards = draft.state.status === "closed" ? [] : Challenged.issueEarned(draft, given.cards)
  return "_tag" in cards ? cards : decidedEntries(draft, first, cards)
}
