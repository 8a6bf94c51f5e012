/**
 * Rest of an order after adjustments, and whether another one takes more
 * (contract/orders.md *Adjusting an order*). Only partial refunds and corrections of
 * open orders are measured, and only those of orders whose accrual has its terms.
 */
import type { OrderAdjustment } from "../../../contract/protocol/Order.ts"
import type { Said } from "../../../contract/Said.ts"
import { said } from "../../../contract/Said.ts"
import type { LineChange, OrderAdjusted, OrderReceived } from "./AccountEvent.ts"
import type { LineFacts } from "./Posted.ts"
import type { OrderLine, OrderRecord, OrderTerms } from "./State.ts"

/** The lines of an order as it accrued. A weighed quantity counts rounded up, because its changes are whole numbers. */
export const linesOf = (facts: ReadonlyArray<LineFacts>): ReadonlyArray<OrderLine> =>
  facts.map(([id, quantity, subtotal, spend = subtotal]) => ({
    id,
    spend,
    isNegative: subtotal < 0,
    quantity: Math.ceil(quantity),
    subtotal,
    accrued: { quantity, subtotal }
  }))

const noChange: LineChange = [0, 0, 0]

const changed = (lines: ReadonlyArray<OrderLine>, by: ReadonlyArray<LineChange>): ReadonlyArray<OrderLine> => {
  if (by.length === 0) return lines
  const changes = new Map(by.map((change) => [change[0], change]))
  return lines.map((line, place) => {
    const [, quantity, subtotal] = changes.get(place) ?? noChange
    return { ...line, quantity: line.quantity + quantity, subtotal: line.subtotal + subtotal }
  })
}

/** An order's terms after an adjustment. */
export const evolveTerms = (terms: OrderTerms, { delta, lines = [] }: OrderAdjusted | OrderReceived): OrderTerms => ({
  ...terms,
  raised: terms.raised + Math.max(0, delta),
  lines: changed(terms.lines, lines)
})

/** An order whose lines are changed. */
export const after = (record: OrderRecord, changes: ReadonlyArray<LineChange>): OrderRecord =>
  record.terms === undefined
    ? record
    : { ...record, terms: { ...record.terms, lines: changed(record.terms.lines, changes) } }

type Change = { readonly line: OrderLine; readonly change: LineChange }

/** The changes of an adjustment's lines, one for each line; or the id of a line that the order does not have. */
const changesOf = ({ lines }: OrderTerms, { lines: named = [] }: OrderAdjustment): ReadonlyArray<Change> | string => {
  const changes = new Map<number, Change>()
  for (const { line_id, quantity_delta, subtotal_delta } of named) {
    const place = lines.findIndex(({ id }) => id === line_id)
    const line = lines[place]
    if (line === undefined) return line_id
    const [, quantity, subtotal] = changes.get(place)?.change ?? noChange
    changes.set(place, { line, change: [place, quantity + quantity_delta, subtotal + subtotal_delta.amount] })
  }
  return [...changes.values()]
}

/** Line ids in a refusal, at most. */
const maxNamed = 10

const namesOf = (lines: ReadonlyArray<OrderLine>): string => {
  const names = lines.slice(0, maxNamed).map(({ id }) => id)
  return names.join(", ") + (lines.length > maxNamed ? " and others" : "")
}

/** True if one delta adds and another one takes. A line with a negative price is taken back by a positive amount. */
const isMixed = (
  changes: ReadonlyArray<Change>,
  { eligible_spend_delta, lines = [], order_total_delta }: OrderAdjustment
) => {
  const negative = new Set(changes.filter(({ line }) => line.isNegative).map(({ line }) => line.id))
  const deltas = [
    eligible_spend_delta.amount,
    order_total_delta.amount,
    ...lines.flatMap(({ line_id, quantity_delta, subtotal_delta }) => [
      quantity_delta,
      negative.has(line_id) ? -subtotal_delta.amount : subtotal_delta.amount
    ])
  ]
  return deltas.some((delta) => delta > 0) && deltas.some((delta) => delta < 0)
}

const beyondLine = ({ change: [, quantity, subtotal], line }: Change): Said | undefined => {
  const left = { quantity: line.quantity + quantity, subtotal: line.subtotal + subtotal }
  if (!Number.isSafeInteger(left.quantity) || !Number.isSafeInteger(left.subtotal))
    return said`Line ${line.id} would exceed the range of exact whole numbers.`
  if (left.quantity < 0)
    return said`Line ${line.id} has a quantity of ${line.quantity} left; the adjustment takes ${-quantity}.`
  if (line.isNegative ? left.subtotal > 0 : left.subtotal < 0)
    return said`Line ${line.id} has a subtotal of ${line.subtotal} left, in minor units; the adjustment takes ${-subtotal}.`
  return undefined
}

/** The changes of an order's lines by an adjustment; or, if it takes what is not there, a sentence that says what is left. */
export const measure = (
  { delta, order, spend }: OrderRecord,
  terms: OrderTerms,
  adjustment: OrderAdjustment
): ReadonlyArray<LineChange> | Said => {
  const left = spend + delta
  const change = adjustment.eligible_spend_delta.amount
  if (left + change < 0)
    return said`Order ${order} has ${left} of eligible spend left, in minor units; the adjustment takes ${-change}.`
  const changes = changesOf(terms, adjustment)
  if (typeof changes === "string")
    return said`Order ${order} has no line ${changes}; its lines are ${namesOf(terms.lines)}. Order ${order} has ${left} of eligible spend left, in minor units.`
  if (isMixed(changes, adjustment))
    return said`The deltas of an adjustment must all be positive or all negative: send two corrections. Order ${order} has ${left} of eligible spend left, in minor units.`
  for (const one of changes) {
    const refused = beyondLine(one)
    if (refused !== undefined) return refused
  }
  const earnedBy = changes.reduce((sum, { line }) => sum + line.spend, 0) + terms.raised
  if (changes.length > 0 && earnedBy + change < 0) {
    const lines = namesOf(changes.map(({ line }) => line))
    return said`The named lines (${lines}) have ${earnedBy} of eligible spend, in minor units; the adjustment takes ${-change}.`
  }
  return changes.map((one) => one.change)
}
