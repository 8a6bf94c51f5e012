/** Builds orders whose totals are consistent. */
import type { Order, OrderAdjustment, OrderLine } from "../contract/protocol/Order.ts"
import type { ProgramDefinition } from "../contract/protocol/Program.ts"
import type { Money } from "../contract/Values.ts"
import { fromMillis } from "../contract/Values.ts"
import * as Earned from "./Earned.ts"

export interface Line {
  /** Subtotal, minor units. */
  readonly subtotal: number
  readonly discount?: number
  readonly tax?: number
  readonly quantity?: number
  readonly overrides?: Partial<OrderLine>
}

/** Lines without a price, one for each reward of free items, so that every reward has its item on every order. */
const freeItems = (program: ProgramDefinition, money: (amount: number) => Money): ReadonlyArray<OrderLine> =>
  program.rewards.flatMap(({ effect }, index) => {
    if (effect.type !== "free_item") return []
    const [product_id = "verify-item"] = effect.product_ids ?? []
    const line = {
      line_id: `free-${index + 1}`,
      kind: "item",
      product_id,
      quantity: 1,
      loyalty_eligible: false
    } as const
    const price = { unit_price: money(0), subtotal: money(0), discount: money(0), tax: money(0) }
    return [{ ...line, ...price, category_ids: (effect.category_ids ?? []).slice(0, 1) }]
  })

/** A paid order with these lines; `overrides` replaces whole properties. */
export const order = (
  program: ProgramDefinition,
  order_id: string,
  at: number,
  lines: ReadonlyArray<Line>,
  overrides: Partial<Order> = {}
): Order => {
  const money = (amount: number): Money => ({ amount, currency: program.currency })
  const sum = (part: (line: Line) => number) => lines.reduce((total, line) => total + part(line), 0)
  const subtotal = sum((line) => line.subtotal)
  const discount = sum((line) => line.discount ?? 0)
  const tax = sum((line) => line.tax ?? 0)
  const placed_at = fromMillis(at)
  return {
    order_id,
    scope: {
      program_id: program.program_id,
      brand_id: "verify-brand",
      merchant_id: "verify-merchant",
      location_id: "verify-location"
    },
    channel: Earned.eligibleChannel(program) ?? "counter",
    status: "paid",
    business_date: placed_at.slice(0, 10),
    placed_at,
    lines: [
      ...lines.map((line, index) => ({
        line_id: `line-${index + 1}`,
        kind: Earned.eligibleKind(program) ?? "item",
        product_id: "verify-product",
        quantity: line.quantity ?? 1,
        unit_price: money(line.subtotal / (line.quantity ?? 1)),
        subtotal: money(line.subtotal),
        discount: money(line.discount ?? 0),
        tax: money(line.tax ?? 0),
        ...line.overrides
      })),
      ...freeItems(program, money)
    ],
    totals: {
      subtotal: money(subtotal),
      discount: money(discount),
      tax: money(tax),
      tip: money(0),
      service_charge: money(0),
      total: money(subtotal - discount + tax)
    },
    ...overrides
  }
}

/** A refund, void or correction that changes total and eligible spend by the same amount. */
export const adjustment = (
  program: ProgramDefinition,
  adjustment_id: string,
  original_order_id: string,
  at: number,
  type: OrderAdjustment["type"],
  delta: number
): OrderAdjustment => ({
  adjustment_id,
  original_order_id,
  type,
  reason: "lotbook verify",
  occurred_at: fromMillis(at),
  order_total_delta: { amount: delta, currency: program.currency },
  eligible_spend_delta: { amount: delta, currency: program.currency }
})
