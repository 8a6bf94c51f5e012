/**
 * Rest of an order after adjustments: of its eligible spend, and of its lines
 * (contract/orders.md *Adjusting an order*).
 */
import type { RequestOf } from "../../src/contract/protocol/Operations.ts"
import type { Order } from "../../src/contract/protocol/Order.ts"
import * as Orders from "./Orders.ts"

type Adjustment = RequestOf<"order.adjust">["adjustment"]

interface Line {
  readonly spend: number
  readonly sign: number
  readonly quantity: number
  readonly subtotal: number
}

export interface Left {
  readonly spend: number
  /** Amounts that corrections have added to the spend. */
  readonly raised: number
  readonly lines: Readonly<Record<string, Line>>
}

/** All of an order. A weighed line counts as its weight rounded up: changes are whole numbers. */
export const whole = (order: Order, rules: Orders.Rules): Left => ({
  spend: Orders.spendOf(order, rules),
  raised: 0,
  lines: Object.fromEntries(
    order.lines.map((line) => [
      line.line_id,
      {
        spend: Orders.counts(order, line, rules) ? Orders.net(line) : 0,
        sign: line.subtotal.amount < 0 ? -1 : 1,
        quantity: Math.ceil(line.quantity),
        subtotal: line.subtotal.amount
      }
    ])
  )
})

/** The rest after an adjustment; undefined where it takes more than is there. */
export const after = (
  left: Left,
  { eligible_spend_delta, lines = [], order_total_delta }: Adjustment
): Left | undefined => {
  const change = eligible_spend_delta.amount
  const signs = [change, order_total_delta.amount]
  const next = { ...left.lines }
  let named = 0
  for (const { line_id, quantity_delta, subtotal_delta } of lines) {
    const [was, line] = [left.lines[line_id], next[line_id]]
    if (was === undefined || line === undefined) return undefined
    signs.push(quantity_delta, subtotal_delta.amount * was.sign)
    if (line === was) named += was.spend
    next[line_id] = {
      ...line,
      quantity: line.quantity + quantity_delta,
      subtotal: line.subtotal + subtotal_delta.amount
    }
  }
  if (signs.some((sign) => sign > 0) && signs.some((sign) => sign < 0)) return undefined
  if (Object.values(next).some(({ quantity, sign, subtotal }) => quantity < 0 || subtotal * sign < 0)) return undefined
  if (left.spend + change < 0 || (lines.length > 0 && named + left.raised + change < 0)) return undefined
  return { spend: left.spend + change, raised: left.raised + Math.max(0, change), lines: next }
}
