/** Fields that requests and responses of several operations share. */
import { Schema } from "effect"
import { told } from "../Said.ts"
import { ForeignId, field, Identifier, optional } from "../Values.ts"
import { ReadContext, ResponseContext, WriteContext } from "./Context.ts"
import { Order } from "./Order.ts"
import { Balance, Identity, IssuedReward, LedgerEntry, Reservation } from "./Resources.ts"

export const nonEmpty = <S extends Schema.Top>(item: S) =>
  Schema.Array(item).check(
    Schema.isMinLength(1, { message: "must have at least 1 item" }),
    Schema.isMaxLength(100, { message: told`must have at most ${100} items` })
  )

export const context = field(ResponseContext, "Context of the response.")
export const readContext = field(ReadContext, "The caller, and the time of the request.")
export const writeContext = field(WriteContext, "The caller, the time of the request, and its idempotency key.")
export const memberId = field(Identifier, "The member's id.")
/** The member of a request, by one of two names. */
export const memberOrIdentity = {
  member_id: optional(Identifier, "The member's id; absent: `identity` names the member."),
  identity: optional(
    Identity,
    "An identity of the member instead of `member_id`, so that an offline till can keep what it scanned; exactly one of the two. If nobody has it: `not_found`."
  )
}

/** Refuses a request with both names of the member or with none. */
export const oneName = Schema.makeFilter(
  ({ identity, member_id }: { readonly identity?: unknown; readonly member_id?: unknown }) => {
    if (member_id === undefined && identity === undefined)
      return { path: ["member_id"], issue: "is required, unless there is an identity" }
    return (
      member_id === undefined || identity === undefined || { path: ["identity"], issue: "must not be beside member_id" }
    )
  },
  { toJsonSchema: () => ({}) }
)

export const programId = field(Identifier, "The programme's id.")
export const balances = field(
  Schema.Array(Balance),
  "The member's balances after the operation, one for each account of the programme."
)
export const order = field(Order, "The order; its `scope.program_id` names the programme.")
export const evaluationId = optional(
  ForeignId,
  "The `evaluation_id` that the caller acted on: kept with the record for reference, neither checked nor part of the facts."
)

export const entriesAnswer = {
  context,
  entry: field(LedgerEntry, "The entry of the primary account, or of the account in the request."),
  entries: optional(Schema.Array(LedgerEntry), "All posted entries, if there are several."),
  balances
}

export const reservationAnswer = {
  context,
  reservation: field(Reservation, "The reservation in its present state."),
  balances
}
export const issuedRewardAnswer = { context, issued_reward: field(IssuedReward, "The reward in the wallet.") }
