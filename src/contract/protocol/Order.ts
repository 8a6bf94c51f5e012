/** Orders and their adjustments (contract/resources.md *Order*, *Order adjustment*). */
import { Schema } from "effect"
import { atMost } from "../Lists.ts"
import {
  BusinessDate,
  Channel,
  ForeignId,
  FreeForm,
  field,
  Identifier,
  Integer,
  LineKind,
  Money,
  OrderAdjustmentType,
  OrderStatus,
  optional,
  Quantity,
  Reason,
  TenderType,
  Text,
  Timestamp
} from "../Values.ts"

/** Most lines and tenders of one order. */
export const maxOrderLines = 1_000
/** Most categories and tags of one line. */
const maxLineLabels = 100

const OrderScope = Schema.Struct({
  program_id: field(Identifier, "The programme that the order counts in."),
  brand_id: field(ForeignId, "The selling brand, by the caller's id."),
  merchant_id: field(ForeignId, "The merchant of record, by the caller's id."),
  location_id: field(ForeignId, "The restaurant or shop; ledger entries and reservations repeat it."),
  franchisee_id: optional(ForeignId, "The franchisee that runs the location.")
})

export const OrderLine = Schema.Struct({
  line_id: field(ForeignId, "Unique within the order."),
  kind: field(LineKind, "An item, a modifier of an item, or a fee."),
  product_id: field(ForeignId, "The product; a programme may exclude it from earning."),
  quantity: field(Quantity, "How many, or how much of weighed goods: above 0, with at most 6 decimals, such as 0.35."),
  unit_price: field(Money, "Price of one; negative only on a `modifier` that lowers the price of its parent."),
  subtotal: field(
    Money,
    "`unit_price` × `quantity`, before discount and tax; it may differ by (`quantity` + 1) ÷ 2 minor units."
  ),
  discount: field(Money, "Discount on this line, from 0 to its `subtotal`; 0 if the unit price is negative."),
  tax: field(Money, "Tax on this line, not negative; tax earns nothing."),
  sku: optional(Text, "The stock-keeping unit, for the caller's own use."),
  name: optional(Text, "The name on the guest's receipt."),
  parent_line_id: optional(
    ForeignId,
    "The `line_id` of the line that this one belongs to. A modifier of a line that earns nothing earns nothing either."
  ),
  category_ids: optional(atMost(ForeignId, maxLineLabels), "Categories of the product; a programme may exclude them."),
  tags: optional(atMost(Text, maxLineLabels), "Labels of the line; a programme may exclude them."),
  loyalty_eligible: optional(Schema.Boolean, "False: the line earns nothing, under any programme."),
  metadata: optional(FreeForm, "For the caller's own use; does not affect earning.")
}).annotate({ identifier: "OrderLine", description: "One line of an order." })
export type OrderLine = typeof OrderLine.Type

const OrderTotals = Schema.Struct({
  subtotal: field(Money, "Sum of the lines' `subtotal`."),
  discount: field(Money, "Sum of the lines' `discount`, not negative."),
  tax: field(Money, "Sum of the lines' `tax`, within one minor unit a line: it may be rounded on the order."),
  tip: field(Money, "Tip, not negative; it earns nothing."),
  service_charge: field(Money, "Service charge, not negative; it earns nothing."),
  total: field(
    Money,
    "The amount that the guest pays: subtotal − discount + tax + tip + service charge; at most 10,000,000,000."
  )
})

const Tender = Schema.Struct({
  tender_id: field(ForeignId, "The payment's id in the caller's system."),
  type: field(TenderType, "How it was paid."),
  amount: field(Money, "The amount paid with this tender, not negative. Tenders need not add up to the total.")
})

export const Order = Schema.Struct({
  order_id: field(
    ForeignId,
    "The order's id, unique in the programme for good; an order accrues once. If your numbers restart each day, put a date and a location before them."
  ),
  scope: field(OrderScope, "Where the order was placed, and in which programme it counts."),
  channel: field(Channel, "How the order was placed; a programme may reward only some channels."),
  status: field(OrderStatus, "State of the order; only a `paid` one accrues."),
  business_date: field(
    BusinessDate,
    "The caller's business day, `YYYY-MM-DD`; at most a day before or after the date of `placed_at`."
  ),
  placed_at: field(
    Timestamp,
    "When the guest ordered, by the caller's clock; at most 5 minutes ahead of the service's and 400 days ago."
  ),
  lines: field(
    atMost(OrderLine, maxOrderLines).check(Schema.isMinLength(1, { message: "must have at least 1 item" })),
    "The ordered lines, 1 to 1,000."
  ),
  totals: field(OrderTotals, "Sums over the order; they must reconcile with the lines, else `invalid_order`."),
  order_number: optional(Text, "The number that the guest sees."),
  member_id: optional(Identifier, "If present, it must be the request's member, else `conflict`."),
  closed_at: optional(Timestamp, "When the order was closed, by the caller's clock."),
  tenders: optional(atMost(Tender, maxOrderLines), "How the order was paid."),
  metadata: optional(FreeForm, "For the caller's own use; does not affect earning.")
}).annotate({ identifier: "Order", description: "A food-service order; money in one currency throughout." })
export type Order = typeof Order.Type

export const OrderAdjustment = Schema.Struct({
  adjustment_id: field(
    ForeignId,
    "The caller's id for this adjustment, unique in the programme, manual adjustments included."
  ),
  original_order_id: field(ForeignId, "The `order_id` of the order that accrued."),
  type: field(
    OrderAdjustmentType,
    "Refunds and voids only lower the spend; a `correction` goes either way; `full_refund` and `void` close the order."
  ),
  reason: field(Reason, "Why, 1 to 255 characters; the ledger entry repeats it."),
  occurred_at: field(Timestamp, "When the order was adjusted, by the caller's clock."),
  order_total_delta: field(
    Money,
    "Change of the order's total: negative for a refund or void. All deltas of a `partial_refund` or `correction` go one way."
  ),
  eligible_spend_delta: field(
    Money,
    "Change of the spend that earns, without tax, tip and excluded lines: negative for a refund or void. Points follow it " +
      "at the order's own rate. A `partial_refund` or `correction` takes at most what is left, else `invalid_state`."
  ),
  lines: optional(
    atMost(
      Schema.Struct({
        line_id: field(ForeignId, "The line of the original order."),
        quantity_delta: field(
          Integer,
          "Change of the quantity, a whole number: negative for what was returned. A weighed line counts as its quantity " +
            "rounded up."
        ),
        subtotal_delta: field(
          Money,
          "Change of the line's subtotal: negative for what was returned, positive for a returned line of negative price."
        )
      }),
      maxOrderLines
    ),
    "The changed lines. They must be the order's, and a `partial_refund` or `correction` takes at most what is left of " +
      "them, else `invalid_state`; points follow `eligible_spend_delta`."
  )
}).annotate({ identifier: "OrderAdjustment", description: "A refund, void or correction of an order that accrued." })
export type OrderAdjustment = typeof OrderAdjustment.Type
