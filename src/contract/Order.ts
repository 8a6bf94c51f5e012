/** Orders and what later adjusts them (service.md "Order", "Order adjustment"; decisions.md §3). */
import { Schema } from "effect"
import {
  BusinessDate,
  Channel,
  ForeignId,
  FreeForm,
  Identifier,
  Integer,
  LineKind,
  Money,
  OrderAdjustmentType,
  OrderStatus,
  Reason,
  TenderType,
  Text,
  Timestamp
} from "./Values.ts"

/** Lines and tenders of one order at the most. */
export const maxOrderLines = 1_000

export const OrderScope = Schema.Struct({
  program_id: Identifier,
  brand_id: ForeignId,
  merchant_id: ForeignId,
  location_id: ForeignId,
  franchisee_id: Schema.optionalKey(ForeignId)
})

export const OrderLine = Schema.Struct({
  line_id: ForeignId,
  kind: LineKind,
  product_id: ForeignId,
  quantity: Integer.check(Schema.makeFilter((value) => value >= 1 || "must be at least 1")),
  unit_price: Money,
  subtotal: Money,
  discount: Money,
  tax: Money,
  sku: Schema.optionalKey(Text),
  name: Schema.optionalKey(Text),
  parent_line_id: Schema.optionalKey(ForeignId),
  category_ids: Schema.optionalKey(Schema.Array(ForeignId)),
  tags: Schema.optionalKey(Schema.Array(Text)),
  loyalty_eligible: Schema.optionalKey(Schema.Boolean),
  metadata: Schema.optionalKey(FreeForm)
}).annotate({ identifier: "OrderLine" })
export type OrderLine = typeof OrderLine.Type

export const OrderTotals = Schema.Struct({
  subtotal: Money,
  discount: Money,
  tax: Money,
  tip: Money,
  service_charge: Money,
  total: Money
})

export const Tender = Schema.Struct({ tender_id: ForeignId, type: TenderType, amount: Money })

export const Order = Schema.Struct({
  order_id: ForeignId,
  scope: OrderScope,
  channel: Channel,
  status: OrderStatus,
  business_date: BusinessDate,
  placed_at: Timestamp,
  lines: Schema.Array(OrderLine).check(
    Schema.isMinLength(1, { message: "must have at least 1 item" }),
    Schema.isMaxLength(maxOrderLines, { message: `must have at most ${maxOrderLines} items` })
  ),
  totals: OrderTotals,
  order_number: Schema.optionalKey(Text),
  member_id: Schema.optionalKey(Identifier),
  closed_at: Schema.optionalKey(Timestamp),
  tenders: Schema.optionalKey(
    Schema.Array(Tender).check(Schema.isMaxLength(maxOrderLines, { message: `must have at most ${maxOrderLines} items` }))
  ),
  metadata: Schema.optionalKey(FreeForm)
}).annotate({ identifier: "Order", description: "A food-service order; money in one currency throughout." })
export type Order = typeof Order.Type

export const OrderAdjustment = Schema.Struct({
  adjustment_id: ForeignId,
  original_order_id: ForeignId,
  type: OrderAdjustmentType,
  reason: Reason,
  occurred_at: Timestamp,
  order_total_delta: Money,
  eligible_spend_delta: Money,
  lines: Schema.optionalKey(
    Schema.Array(Schema.Struct({ line_id: ForeignId, quantity_delta: Integer, subtotal_delta: Money })).check(
      Schema.isMaxLength(maxOrderLines, { message: `must have at most ${maxOrderLines} items` })
    )
  )
}).annotate({ identifier: "OrderAdjustment", description: "A refund, void or correction of an order that accrued." })
export type OrderAdjustment = typeof OrderAdjustment.Type
