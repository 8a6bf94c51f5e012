/** Orders without a guest: kept by tills, claimed by guests (contract/orders.md *Orders without a guest*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AccessOf, AuthOf } from "../Access.ts"
import { annotated } from "../admin/Endpoint.ts"
import { problems } from "../Description.ts"
import { operations } from "../protocol/Operations.ts"
import { Order, OrderAdjustment } from "../protocol/Order.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { bodyProblems, guardProblems, storageProblems } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import { bounded, ForeignId, field, Identifier, optional, Text, Timestamp } from "../Values.ts"
import examples from "./keptOrderExamples.json" with { type: "json" }
import { platformPath, programId } from "./Platform.ts"

const ordersPath = `${platformPath}/orders` as const

export const KeepOrder = Schema.Struct({
  program_id: programId,
  order: field(
    Order,
    "The order, by which a guest will earn. Kept without `metadata`, names of lines, `order_number` and `member_id`."
  )
})

export const KeptOrder = Schema.Struct({
  order_id: field(ForeignId, "The order."),
  claim_code: optional(
    Text,
    "The code to print for the guest: 12 characters of Crockford's base 32, the last one a check. Absent: the order was taken away."
  ),
  claim_url: optional(
    Text,
    "The page where the guest claims the order, with the code behind `#`, for a QR code. Absent: the programme has neither `claims.page_url` nor a `guest_page`."
  ),
  expires_at: optional(Timestamp, "From then on nobody can claim the order. Absent: it was taken away.")
}).annotate({ identifier: "KeptOrder", description: "An order without a guest." })
export type KeptOrder = typeof KeptOrder.Type

export const AdjustKeptOrder = Schema.Struct({
  program_id: programId,
  adjustment: field(OrderAdjustment, "The change of the order.")
})

export const KeptAdjustment = Schema.Struct({
  order_id: field(ForeignId, "The order."),
  adjustment_id: field(ForeignId, "The adjustment."),
  status: field(
    Schema.Literals(["kept", "posted"]),
    "`posted`: it was posted to the guest who has the order. `kept`: it waits with the order for a guest."
  )
}).annotate({ identifier: "KeptAdjustment", description: "An adjustment of an order by the order alone." })
export type KeptAdjustment = typeof KeptAdjustment.Type

/** Refuses a request with both names of the order or with none. */
const oneOrder = Schema.makeFilter(
  ({ claim_code, order_id }: { readonly claim_code?: unknown; readonly order_id?: unknown }) => {
    if (claim_code === undefined && order_id === undefined)
      return { path: ["claim_code"], issue: "is required, unless there is an order_id" }
    return (
      claim_code === undefined ||
      order_id === undefined || { path: ["order_id"], issue: "must not be beside claim_code" }
    )
  },
  { toJsonSchema: () => ({}) }
)

export const ClaimOrder = Schema.Struct({
  program_id: programId,
  claim_code: optional(
    bounded(1, 64),
    "The code of the receipt; small letters, spaces and hyphens do not matter, nor O for 0, I and L for 1."
  ),
  order_id: optional(ForeignId, "The order instead of its code, for a caller with `points:give`."),
  member_id: field(Identifier, "The member who claims the order.")
}).check(oneOrder)

const { context: _, ...accrualFields } = operations["accrual.post"].response.fields

export const ClaimedOrder = Schema.Struct(accrualFields).annotate({
  identifier: "ClaimedOrder",
  description: "What the order earned, as the answer to an accrual."
})

const shared: ReadonlyArray<ProblemCode> = [
  ...guardProblems,
  ...bodyProblems,
  ...storageProblems,
  "write_frozen",
  "claims_off",
  "not_found",
  "conflict",
  "invalid_state"
]
const keepCodes: ReadonlyArray<ProblemCode> = [...shared, "invalid_order", "currency_mismatch", "program_retired"]
const adjustCodes: ReadonlyArray<ProblemCode> = [...shared, "currency_mismatch", "member_not_active"]
const claimCodes: ReadonlyArray<ProblemCode> = [
  ...shared,
  "member_not_active",
  "program_retired",
  "invalid_order",
  "currency_mismatch"
]

const both = <S extends Schema.Top>(schema: S) =>
  [schema.pipe(HttpApiSchema.status(201)), schema.pipe(HttpApiSchema.status(200))] as const

export class KeptOrders extends HttpApiGroup.make("platform_orders")
  .add(
    HttpApiEndpoint.put("keepOrder", ordersPath, {
      payload: KeepOrder,
      success: both(KeptOrder),
      error: problems(keepCodes)
    }).annotateMerge(
      annotated(
        "order.keep",
        "Keep an order without a guest",
        "Keeps a paid order, so that a guest can claim it later. The same order again is answered 200 with the same code. " +
          "While nobody has claimed it, other amounts take its place, and a `status` of `voided` or `refunded` takes it " +
          "away. The order's id is its key: the header `Idempotency-Key` is ignored.",
        keepCodes,
        examples.keepOrder,
        false,
        false
      )
    ),
    HttpApiEndpoint.post("adjustKeptOrder", `${ordersPath}/adjust`, {
      payload: AdjustKeptOrder,
      success: both(KeptAdjustment),
      error: problems(adjustCodes)
    }).annotateMerge(
      annotated(
        "order.adjust_kept",
        "Adjust an order without naming its guest",
        "Posts the adjustment to the member who has the order, else keeps it with the order until a guest claims it. A " +
          "`full_refund` or `void` takes a kept order away. The adjustment's id is its key: the header `Idempotency-Key` is " +
          "ignored.",
        adjustCodes,
        examples.adjustKeptOrder,
        false,
        false
      )
    ),
    HttpApiEndpoint.post("claimOrder", `${ordersPath}/claim`, {
      payload: ClaimOrder,
      success: both(ClaimedOrder),
      error: problems(claimCodes)
    }).annotateMerge(
      annotated(
        "order.claim",
        "Claim an order for a member",
        "Posts the accrual of a kept order, then its kept adjustments. The same member again is answered 200; for another " +
          "one it is a `conflict`. The order is its key: the header `Idempotency-Key` is ignored.",
        claimCodes,
        examples.claimOrder,
        false,
        false
      )
    )
  )
  .middleware(Refusals)
  .annotate(AuthOf, "bearer")
  .annotateEndpoints(AccessOf, { hasOwnKeys: true })
  .annotateMerge(
    OpenApi.annotations({
      title: "Orders without a guest",
      description: "Kept by tills until a guest claims them with the code of the receipt."
    })
  ) {}
