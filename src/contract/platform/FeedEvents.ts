/** The service's own events, in the format of CloudEvents 1.0 (contract/events.md *Events*). */
import { Schema } from "effect"
import { givenPromotions } from "../PromotionOutcomes.ts"
import { Balance, IssuedReward, LedgerEntry, Member, Reservation } from "../protocol/Resources.ts"
import {
  BusinessDate,
  field,
  Identifier,
  Integer,
  MemberStatus,
  Money,
  OrderAdjustmentType,
  optional,
  RecordedId,
  Timestamp,
  Unit
} from "../Values.ts"
import type { EventName } from "./EventTypes.ts"
import { crossedType, EnrolledVia, typeOf } from "./EventTypes.ts"
import { TierDirection } from "./Triggers.ts"

export const MemberChange = Schema.Literals(["status", "identities", "merged", "erased"])
export type MemberChange = typeof MemberChange.Type
export const BalanceCause = Schema.Literals(["manual", "expiration", "stamp_card", "merge", "wallet"])
export type BalanceCause = typeof BalanceCause.Type

const { attributes: _1, identities: _2, ...memberFields } = Member.fields
const { reason: _3, ...entryFields } = LedgerEntry.fields
const { artifact: _4, cancellation_reason: _5, ...rewardFields } = IssuedReward.fields

const EventMember = Schema.Struct(memberFields).annotate({
  identifier: "EventMember",
  description: "A member without identities and attributes."
})
const EventEntry = Schema.Struct(entryFields).annotate({
  identifier: "EventEntry",
  description: "A ledger entry without its reason."
})
const EventReward = Schema.Struct(rewardFields).annotate({
  identifier: "EventReward",
  description: "An issued reward without its artifact and the reason of a cancellation."
})

const entries = field(Schema.Array(EventEntry), "The entries that it has posted, in their order.")
const reservation = field(Reservation, "The reservation after the change.")
const issued_reward = field(EventReward, "The issued reward after the change.")

const common = {
  program_id: field(Identifier, "The member's programme."),
  member_id: field(Identifier, "The member."),
  balances: field(
    Schema.Array(Balance),
    "The member's balances after the commit. A unit that never had an entry is absent: it is 0."
  )
}

const moved = optional(
  Schema.Literal(true),
  "An order was moved to this member or away, which brought it about. It triggers nothing."
)

const envelope = <Type extends string, Fields extends Schema.Struct.Fields>(type: Type, fields: Fields) => ({
  specversion: field(Schema.Literal("1.0"), "The version of CloudEvents."),
  id: field(Schema.String, "The same change has the same id for ever."),
  source: field(Schema.String, "`/programs/{program_id}`."),
  type: field(Schema.Literal(type), "The type of the event."),
  subject: field(Identifier, "The member's id."),
  time: field(Timestamp, "The instant from which the change counts."),
  datacontenttype: field(Schema.Literal("application/json"), "The format of `data`."),
  programid: field(Identifier, "The member's programme."),
  data: field(Schema.Struct({ ...common, ...fields }), "What changed.")
})

const event = <Name extends EventName, Fields extends Schema.Struct.Fields>(name: Name, fields: Fields) =>
  Schema.Struct({
    ...envelope(typeOf(name), fields),
    sequence: field(
      Schema.String,
      "Counts the member's events without a gap, from 1. Always 16 digits, so that text order is number order."
    )
  })

/** An event, by its name. */
export const feedEvents = {
  "member.enrolled": event("member.enrolled", {
    member: field(EventMember, "The member as it was enrolled."),
    via: optional(
      EnrolledVia,
      "Where: a till, a token on the platform, an import, an operator, or the guest. Absent: enrolled before version 0.4."
    )
  }),
  "member.updated": event("member.updated", {
    change: field(MemberChange, "What changed."),
    status: optional(MemberStatus, "The new status, if that changed."),
    merged_into: optional(Identifier, "The member that this one was merged into. Absent at the member that remains.")
  }),
  "order.accrued": event("order.accrued", {
    entries,
    order_id: field(RecordedId, "The order."),
    location_id: optional(RecordedId, "The `scope.location_id` of the order."),
    business_date: optional(BusinessDate, "The till's business day. Absent: an older record does not tell it."),
    eligible_spend: field(
      Money,
      "The order's eligible spend; of one that was moved to this member, what is left of it."
    ),
    multiplier_bps: field(Integer, "The multiplier of the member's tier, in basis points."),
    first_order: field(
      Schema.Boolean,
      "True if it earned by a base rule and no order of this member, or of one merged into it, did so before that is not closed. Told before version 0.4: if it is the member's first accrual."
    ),
    promotions: givenPromotions,
    moved: optional(
      Schema.Literal(true),
      "The order accrued before, and was moved to this member. It triggers nothing."
    )
  }),
  "order.adjusted": event("order.adjusted", {
    entries,
    order_id: field(RecordedId, "The order."),
    adjustment_id: field(RecordedId, "The caller's id of the adjustment."),
    type: field(OrderAdjustmentType, "The type of the adjustment.")
  }),
  "balance.changed": event("balance.changed", { entries, cause: field(BalanceCause, "Why the balance changed.") }),
  "redemption.reserved": event("redemption.reserved", { reservation }),
  "redemption.captured": event("redemption.captured", {
    reservation,
    entries: optional(Schema.Array(EventEntry), "The entry that spent the cost; absent if it is 0.")
  }),
  "redemption.reversed": event("redemption.reversed", {
    reservation,
    entries: optional(Schema.Array(EventEntry), "The entry that gave the cost back; absent if nothing was spent.")
  }),
  "redemption.expired": event("redemption.expired", { reservation }),
  "issued-reward.issued": event("issued-reward.issued", { issued_reward }),
  "issued-reward.redeemed": event("issued-reward.redeemed", { issued_reward }),
  "issued-reward.restored": event("issued-reward.restored", { issued_reward }),
  "issued-reward.cancelled": event("issued-reward.cancelled", { issued_reward }),
  "issued-reward.expired": event("issued-reward.expired", { issued_reward }),
  "challenge.completed": event("challenge.completed", {
    challenge_id: field(RecordedId, "The challenge."),
    issued_reward_id: field(RecordedId, "The reward that was issued for it."),
    moved
  }),
  "points.expiring": event("points.expiring", {
    unit: field(Unit, "The account's unit: `points` or `credits`."),
    amount: field(Integer, "The points that expire on the date, as far as they are not spent before."),
    first_expires_at: field(Timestamp, "When the first of them expire."),
    days: field(Integer, "The warning of `warning_days`: how many days before that date.")
  }),
  "tier.changed": event("tier.changed", {
    from_tier_id: field(RecordedId, "The tier before."),
    to_tier_id: field(RecordedId, "The tier now."),
    metric_amount: field(Integer, "What counts for the tier now."),
    direction: optional(
      TierDirection,
      "Which of the two tiers is higher. Absent: changed before version 0.4, or from a tier that the programme no longer has."
    ),
    moved
  })
} as const

export const FeedEvent = Schema.Union(Object.values(feedEvents)).annotate({
  identifier: "FeedEvent",
  description: "A change of a member, in the format of CloudEvents 1.0."
})
export type FeedEvent = typeof FeedEvent.Type

/** Event of one of a connector's `thresholds`. It is no change of its own: it has no `sequence` and is not in the feed. */
export const CrossedEvent = Schema.Struct(
  envelope(crossedType, {
    unit: field(Unit, "The unit of the balance."),
    threshold: field(Integer, "The amount that it crossed."),
    direction: field(Schema.Literals(["up", "down"]), "`up`: it reached or passed the amount; `down`: it fell below.")
  })
).annotate({
  identifier: "CrossedEvent",
  description: "A member's balance crossed an amount of the connector's `thresholds`."
})
export type CrossedEvent = typeof CrossedEvent.Type
