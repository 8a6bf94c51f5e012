/**
 * An order as a person types it from its receipt (contract/operators.md *A missing receipt*). Without the shapes of orders: what
 * waits for a decision on the console's first page has it.
 */
import { Schema } from "effect"
import { atMost } from "../Lists.ts"
import { grouped, told } from "../Said.ts"
import {
  BusinessDate,
  FilledReason,
  ForeignId,
  field,
  filled,
  Integer,
  Money,
  optional,
  Timestamp,
  whole
} from "../Values.ts"

/** Most characters of a receipt's number. */
const maxNumberLength = 64
/** Most products of a receipt that a person types. */
const maxProducts = 50
const maxQuantity = 1_000

const ReceiptProduct = Schema.Struct({
  product_id: field(ForeignId, "The product, as tills name it."),
  quantity: optional(
    whole(1, maxQuantity, told`must be a whole number from ${1} to ${grouped(1_000)}`),
    "How many; absent: 1."
  ),
  amount: field(Integer, "What they cost together, in minor units.")
}).annotate({ identifier: "ReceiptProduct" })

export const Receipt = Schema.Struct({
  location_id: field(ForeignId, "The restaurant."),
  number: field(filled(1, maxNumberLength), "The receipt's number, as it is printed."),
  business_date: field(BusinessDate, "The restaurant's business day on it."),
  placed_at: field(Timestamp, "When the guest ordered, as it says."),
  amount: field(Money, "The amount that earns, without tax and tip."),
  products: optional(
    atMost(ReceiptProduct, maxProducts),
    "Products on it, for rules that ask for some. The rest of the amount is a product `receipt`."
  ),
  reason: field(FilledReason, "Why it was not posted, for the audit log. It must not contain personal data."),
  confirmed: optional(
    Schema.Boolean,
    "True: somebody has looked at the orders that may be the same one, and it is another. Needed where `others` has such."
  ),
  dry_run: optional(
    Schema.Boolean,
    "True: returns what it would earn, and changes nothing. Served while writes are frozen."
  )
}).annotate({ identifier: "Receipt", description: "An order, as the guest's receipt has it." })
export type Receipt = typeof Receipt.Type
