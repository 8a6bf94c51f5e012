/** Guests, orders and gifts that stand out, and audiences that wait, for operators (contract/operators.md *Attention*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { problems } from "../Description.ts"
import { Refusals } from "../Refused.ts"
import { BusinessDate, field, Identifier, Integer, optional, RecordedId, Text, Timestamp, Unit } from "../Values.ts"
import { adminPath, annotated, readProblems } from "./Endpoint.ts"

const memberId = optional(Identifier, "The member; absent for a caller that may not read members.")

const BusyGuest = Schema.Struct({
  member_id: memberId,
  business_date: field(BusinessDate, "The business day of the orders."),
  orders: field(Integer, "Orders of the member on that day, later refunded and voided ones included."),
  location_id: optional(RecordedId, "The location of most of them; absent: they name none.")
})

const RewardedOrder = Schema.Struct({
  member_id: memberId,
  order_id: field(RecordedId, "The order."),
  at: field(Timestamp, "When it accrued, or was moved if the move gave them."),
  rewards: field(Integer, "Rewards that it gave, by stamp cards and challenges.")
})

const UnusualGift = Schema.Struct({
  audit_id: field(Identifier, "Names the entry of the audit log."),
  member_id: memberId,
  at: field(Timestamp, "When it was given, by the machine's clock."),
  amount: field(Integer, "What was credited."),
  unit: field(Unit, "The unit of the account."),
  median: optional(Integer, "The median of the gifts of 30 days in this unit; absent: there are fewer than 5."),
  by: optional(Text, "The name of the person or key that gave it; absent for a caller that may not read the audit log.")
})

const MovedOrders = Schema.Struct({
  member_id: memberId,
  taken: field(Integer, "Orders that were moved from the member to others."),
  received: field(Integer, "Orders that were moved from others to the member."),
  at: field(Timestamp, "When the last of them was moved, by the machine's clock."),
  by: optional(
    Text,
    "The name of the person or key that moved it; absent for a caller that may not read the audit log."
  )
})

const DoubleOrder = Schema.Struct({
  member_id: memberId,
  order_id: field(RecordedId, "The order that a person added from its receipt."),
  other_id: field(
    RecordedId,
    "Another one at that restaurant on that business day: of the member, or of anybody with its number, or its amount within 10 minutes."
  ),
  other_member_id: optional(Identifier, "The guest who has the other one; absent: the same, and as `member_id`."),
  at: field(Timestamp, "When the other one accrued.")
})

const WaitingAudience = Schema.Struct({
  campaign_id: field(Identifier, "The campaign. Its page shows who comes and goes, and confirms."),
  name: field(Schema.String, "The name of the campaign."),
  segments: field(Schema.Array(Identifier), "The segments with changes that it does not use yet.")
})

export const Attention = Schema.Struct({
  program_id: field(Identifier, "The programme."),
  guests: field(
    Schema.Array(BusyGuest),
    "Guests with 40 orders or more on a business day of the last 7, newest first."
  ),
  orders: field(
    Schema.Array(RewardedOrder),
    "Orders of the last 7 days that gave more than 5 rewards, newest first, among the newest 5,000; and orders of any age that gave so many as they were moved in these days."
  ),
  gifts: field(Schema.Array(UnusualGift), "Unusual gifts of the last 7 days, newest first."),
  moves: field(
    Schema.Array(MovedOrders),
    "Members from whom, or to whom, 3 orders or more were moved in the last 7 days, newest first: the next order of a member whose only one was moved is a first one again."
  ),
  receipts: field(
    Schema.Array(DoubleOrder),
    "Orders that were added from receipts in the last 7 days, of the newest 500, beside another order there on that day, of the guest or alike, newest first: perhaps the till sent the same one."
  ),
  audiences: optional(
    Schema.Array(WaitingAudience),
    "Active campaigns whose changed audience waits for a confirmation; absent for a caller that may not read audiences."
  )
}).annotate({ identifier: "Attention" })
export type Attention = typeof Attention.Type

export class Attentions extends HttpApiGroup.make("attention")
  .add(
    HttpApiEndpoint.get("attention", `${adminPath}/attention`, {
      query: {
        program_id: optional(Identifier, "The programme; absent: the first one, by id, that the caller may see.")
      },
      success: Attention,
      error: problems([...readProblems, "not_found"])
    }).annotateMerge(
      annotated(
        "attention.show",
        "Show what stands out and what waits",
        "Guests with 40 orders or more on a business day of the last 7, orders that gave more than 5 rewards, and manual adjustments of the last 7 days that " +
          "credit 1,000 or more and over three times the median of 30 days; members from or to whom 3 orders or more were moved; orders from receipts beside another one of that day that may be the same; active campaigns whose changed audience waits for a confirmation. " +
          "At most 20 of each. ",
        [...readProblems, "not_found"],
        {
          query: { program_id: "demo-foodservice" },
          response: {
            program_id: "demo-foodservice",
            guests: [],
            orders: [],
            gifts: [],
            moves: [],
            receipts: [],
            audiences: []
          }
        },
        true
      )
    )
  )
  .middleware(Refusals)
  .annotateMerge(
    OpenApi.annotations({ title: "Attention", description: "What stands out and what waits, for operators." })
  ) {}
