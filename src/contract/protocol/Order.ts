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
  Timestamp,
  whole
} from "../Values.ts"

/** Lines and tenders of one order at the most. */
export const maxOrderLines = 1_000
/** Categories and tags of one line at the most. */
export const maxLineLabels = 100

const atMost = <S extends Schema.Constraint>(item: S, maximum: number) =>
  Schema.Array(item).check(Schema.isMaxLength(maximum, { message: `must have at most ${maximum} items` }))

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
  quantity: whole(1, Number.MAX_SAFE_INTEGER, "must be a whole number of at least 1"),
  unit_price: Money,
  subtotal: Money,
  discount: Money,
  tax: Money,
  sku: Schema.optionalKey(Text),
  name: Schema.optionalKey(Text),
  parent_line_id: Schema.optionalKey(ForeignId),
  category_ids: Schema.optionalKey(atMost(ForeignId, maxLineLabels)),
  tags: Schema.optionalKey(atMost(Text, maxLineLabels)),
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
  lines: atMost(OrderLine, maxOrderLines).check(Schema.isMinLength(1, { message: "must have at least 1 item" })),
  totals: OrderTotals,
  order_number: Schema.optionalKey(Text),
  member_id: Schema.optionalKey(Identifier),
  closed_at: Schema.optionalKey(Timestamp),
  tenders: Schema.optionalKey(atMost(Tender, maxOrderLines)),
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
    atMost(Schema.Struct({ line_id: ForeignId, quantity_delta: Integer, subtotal_delta: Money }), maxOrderLines)
  )
}).annotate({ identifier: "OrderAdjustment", description: "A refund, void or correction of an order that accrued." })
export type OrderAdjustment = typeof OrderAdjustment.Type
