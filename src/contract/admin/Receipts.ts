/** Orders that a guest has a receipt of, and no points for (contract/operators.md *A missing receipt*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import { problems } from "../Description.ts"
import { operations } from "../protocol/Operations.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import { bounded, field, Identifier, Integer, optional, RecordedId, Text, Timestamp } from "../Values.ts"
import { annotated, changeProblems } from "./Endpoint.ts"
import { MemberParams, memberPath } from "./Members.ts"
import { Receipt } from "./Receipt.ts"

const { context: _, ...accrual } = operations["accrual.post"].response.fields

const SameDay = Schema.Struct({
  order_id: field(RecordedId, "The order."),
  member_id: optional(Identifier, "Another guest, who has it; absent: this guest."),
  is_alike: optional(
    Schema.Literal(true),
    "It has the receipt's number, or its amount within 10 minutes: perhaps the same one. Absent: neither."
  ),
  at: field(Timestamp, "When it accrued."),
  eligible_spend: field(Integer, "The spend that earned, less refunds, in minor units.")
}).annotate({ identifier: "SameDayOrder" })

const Already = Schema.Struct({
  at: field(Timestamp, "When it was added."),
  by: optional(Text, "The name of who added it; absent: it is not known any more.")
}).annotate({ identifier: "AlreadyAdded" })

export const ReceiptAdded = Schema.Struct({
  dry_run: optional(Schema.Literal(true), "Nothing was changed. These are the figures that it would give."),
  order_id: field(RecordedId, "The order that it makes: `receipt:{location_id}:{business_date}:{number}`."),
  ...accrual,
  already: optional(
    Already,
    "The receipt was added before, and nothing was added now. `entry` and `entries` are those of then. Absent: it is new."
  ),
  others: field(
    Schema.Array(SameDay),
    "Other orders at this restaurant on this business day: those of anybody that may be the same one, then those of the guest; at most 5."
  )
}).annotate({ identifier: "ReceiptAdded", description: "What an order from a receipt has earned." })
export type ReceiptAdded = typeof ReceiptAdded.Type

const ReceiptClaim = Schema.Struct({
  claim_code: field(bounded(1, 64), "The code on the receipt, however it is spelt.")
}).annotate({ identifier: "ReceiptClaim" })

const ReceiptClaimed = Schema.Struct(accrual).annotate({
  identifier: "ReceiptClaimed",
  description: "What a claimed order has earned."
})

const shared: ReadonlyArray<ProblemCode> = [
  ...changeProblems,
  "not_found",
  "conflict",
  "member_not_active",
  "program_retired",
  "currency_mismatch",
  "invalid_order",
  "invalid_state"
]
const addCodes: ReadonlyArray<ProblemCode> = [...shared, "limit_exceeded"]
const claimCodes: ReadonlyArray<ProblemCode> = [...shared, "claims_off"]

const both = <S extends Schema.Top>(schema: S) =>
  [schema.pipe(HttpApiSchema.status(201)), schema.pipe(HttpApiSchema.status(200))] as const

const params = { program_id: "demo-foodservice", member_id: "member-005" }
const balance = {
  account_id: "points:member-005",
  member_id: "member-005",
  program_id: "demo-foodservice",
  unit: "points" as const,
  amount: 794,
  reserved: 0,
  available: 794,
  as_of: "2026-07-14T12:05:00.000Z",
  unit_label: "points"
}
const earned = {
  entry: {
    entry_id: "01K02Z5A3C-9",
    account_id: "points:member-005",
    member_id: "member-005",
    program_id: "demo-foodservice",
    operation: "accrual" as const,
    amount: 12,
    unit: "points" as const,
    occurred_at: "2026-07-14T12:05:00.000Z",
    order_id: "receipt:harbor:2026-07-14:4711",
    location_id: "harbor",
    qualifies_for_tier: true
  },
  balances: [balance]
}
const receipt = {
  location_id: "harbor",
  number: "4711",
  business_date: "2026-07-14",
  placed_at: "2026-07-14T09:30:00.000Z",
  amount: { amount: 1_250, currency: "USD" },
  reason: "The till was offline"
}

export class Receipts extends HttpApiGroup.make("receipts")
  .add(
    HttpApiEndpoint.post("addReceipt", `${memberPath}/receipts`, {
      params: MemberParams,
      payload: Receipt,
      success: both(ReceiptAdded),
      error: problems(addCodes)
    })
      .annotate(AccessOf, { isServedFrozen: true, isRepeatable: true })
      .annotateMerge(
        annotated(
          "receipt.add",
          "Add an order from its receipt",
          "Posts the order for the member as a till would, once for each restaurant, business day and number. A person's limits count what it gives. " +
            "The same receipt again is answered 200; for another member, or with other facts, `conflict`, and so if the till has posted that order, for anybody. " +
            "`validation_failed` while an order may be the same one and `confirmed` is not true. ",
          addCodes,
          { params, request: receipt, response: { order_id: earned.entry.order_id, ...earned, others: [] } }
        )
      ),
    HttpApiEndpoint.post("claimReceipt", `${memberPath}/receipts/claim`, {
      params: MemberParams,
      payload: ReceiptClaim,
      success: both(ReceiptClaimed),
      error: problems(claimCodes)
    })
      .annotate(AccessOf, { isRepeatable: true })
      .annotateMerge(
        annotated(
          "receipt.claim",
          "Claim an order by the code on its receipt",
          "Claims an order that a till has kept without a guest, as the guest would. No limit of a person counts it: the code shows that the guest was there. ",
          claimCodes,
          { params, request: { claim_code: "7Q2M-XK4T-0ZB9" }, response: earned }
        )
      )
  )
  .middleware(Refusals)
  .annotateMerge(
    OpenApi.annotations({
      title: "Missing receipts",
      description: "Orders that a guest has a receipt of, and no points for."
    })
  ) {}
