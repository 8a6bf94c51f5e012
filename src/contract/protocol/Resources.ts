/**
 * The resources in answers: members, balances, entries, reservations, issued rewards
 * (contract/resources.md *Response bodies*).
 */
import { Schema } from "effect"
import {
  Classification,
  FilledText,
  FreeForm,
  field,
  hashTypes,
  Identifier,
  IdentityType,
  IdentityValue,
  Integer,
  IssuedRewardStatus,
  LedgerOperation,
  MemberStatus,
  optional,
  Reason,
  RecordedId,
  ReservationStatus,
  Text,
  Timestamp,
  UnavailableReason,
  Unit,
  Value
} from "../Values.ts"
import { Funding, RewardEffect, UnitAmount } from "./Program.ts"
import { nodeRoles, profile, protocolName, protocolVersion } from "./Protocol.ts"

const identity = {
  type: field(IdentityType, "The kind of identity."),
  issuer: optional(Text, "The issuer. An identity without issuer differs from one with any issuer.")
}

/** An identity as it was recorded, also before hashes were checked. */
export const RecordedIdentity = Schema.Struct({
  type: identity.type,
  value: field(Value, "The number, token, hash or id itself."),
  issuer: identity.issuer
}).annotate({
  identifier: "RecordedIdentity",
  description: "An identity of a member: type, value and issuer together."
})

export const Identity = Schema.Struct({
  type: identity.type,
  value: field(
    IdentityValue,
    "The number, token or id itself. For `email_hash` and `phone_hash` the SHA-256 of the trimmed, lower-cased address or of the E.164 number: 64 lower-case hex digits."
  ),
  issuer: optional(FilledText, "The issuer. An identity without issuer differs from one with any issuer.")
})
  .check(
    Schema.makeFilter(
      ({ type, value }) =>
        !hashTypes.has(type) ||
        /^[0-9a-f]{64}$/.test(value) || { path: ["value"], issue: "must be a SHA-256 in 64 lower-case hex digits" }
    )
  )
  .annotate({ identifier: "Identity", description: "How a guest is recognised: type, value and issuer together." })
export type Identity = typeof Identity.Type

export const Member = Schema.Struct({
  member_id: field(Identifier, "The member's id, unique in the programme."),
  program_id: field(Identifier, "The programme that the member belongs to."),
  status: field(
    MemberStatus,
    "A `suspended` member can finish reservations and get refunds, a `closed` one can only get refunds."
  ),
  joined_at: field(Timestamp, "When the member was enrolled."),
  identities: field(Schema.Array(RecordedIdentity), "The identities by which the member is found."),
  tier_id: optional(Schema.String, "The member's present tier; absent if the programme has no tiers."),
  attributes: optional(FreeForm, "The caller's own data about the member, returned as it was stored.")
}).annotate({ identifier: "Member", description: "A guest who takes part in a programme." })

export const Balance = Schema.Struct({
  account_id: field(Identifier, "The account's id, `<unit>:<member_id>` unless that would be too long."),
  member_id: field(Identifier, "Whose account it is."),
  program_id: field(Identifier, "The programme that the account belongs to."),
  unit: field(Unit, "The account's unit."),
  amount: field(Integer, "The posted amount; negative after a refund of points that were already spent."),
  reserved: field(Integer, "The amount that open reservations hold."),
  available: field(Integer, "The amount that can be spent now: `amount` − `reserved`; may be negative."),
  as_of: field(Timestamp, "The time of these figures."),
  unit_label: optional(Schema.String, "The unit's name for guests.")
}).annotate({ identifier: "Balance", description: "One account of a member." })

export const LedgerEntry = Schema.Struct({
  entry_id: field(Identifier, "The entry's id."),
  member_id: field(Identifier, "Whose entry it is."),
  program_id: field(Identifier, "The programme of the account."),
  account_id: field(Identifier, "The account that the entry changed."),
  operation: field(LedgerOperation, "The kind of operation that posted the entry."),
  unit: field(Unit, "The account's unit."),
  amount: field(Integer, "Signed: positive adds to the balance, negative takes from it; 0 if an order earned nothing."),
  occurred_at: field(Timestamp, "When it was posted by the service's clock; for an expiration, when it was due."),
  expires_at: optional(Timestamp, "When the added points expire."),
  related_entry_id: optional(
    Identifier,
    "The entry that caused this one: the accrual of an adjustment, the source of an expiration, the redemption of a reversal."
  ),
  order_id: optional(RecordedId, "The order that earned, or that was adjusted."),
  location_id: optional(RecordedId, "The `scope.location_id` of that order."),
  adjustment_id: optional(RecordedId, "The caller's id of the adjustment."),
  reservation_id: optional(RecordedId, "The reservation whose cost was spent or given back."),
  classification: optional(Classification, "The kind of manual adjustment."),
  reason: optional(Reason, "The reason that was given with an adjustment or a reversal."),
  qualifies_for_tier: optional(Schema.Boolean, "Whether the amount counts towards the member's tier.")
}).annotate({
  identifier: "LedgerEntry",
  description: "One change of one account; entries are never changed or removed."
})

export const Metric = Schema.Struct({
  metric_id: field(Schema.String, "The metric's id in the programme."),
  unit: field(Unit, "The unit that it counts."),
  amount: field(Integer, "Its present amount; negative if more was taken back than earned."),
  as_of: field(Timestamp, "The time of this amount.")
})
export const ExpiringBalance = Schema.Struct({
  account_id: field(Identifier, "The account that loses it."),
  unit: field(Unit, "The account's unit."),
  amount: field(Integer, "How much expires, positive, if it is not spent before."),
  expires_at: field(Timestamp, "When it expires.")
})
export const TierProgress = Schema.Struct({
  current_tier_id: field(Schema.String, "The tier that the member is in."),
  qualification_metric_id: field(Schema.String, "The metric that decides about tiers."),
  current_amount: field(Integer, "That metric's present amount."),
  progress_bps: field(
    Integer,
    "Progress from this tier's minimum to the next tier's in basis points, rounded down; 10,000 in the top tier."
  ),
  is_top_tier: field(Schema.Boolean, "True if there is no higher tier."),
  next_tier_id: optional(Schema.String, "The next higher tier; absent in the top tier."),
  remaining_to_next: optional(Integer, "Amount missing for that tier, at least 1; absent in the top tier.")
}).annotate({ identifier: "TierProgress", description: "A member's progress through the programme's tiers." })
export type TierProgress = typeof TierProgress.Type

export const Artifact = Schema.Struct({
  type: field(Schema.Literals(["code", "qr_code"]), "How the value is shown to the till."),
  value: field(Value, "The code itself, 1 to 512 characters, unique in the programme.")
})

export const IssuedReward = Schema.Struct({
  issued_reward_id: field(Identifier, "The issuer's id for this reward, unique in the service."),
  member_id: field(Identifier, "Whose wallet it is in."),
  program_id: field(Identifier, "The programme of the reward."),
  reward_id: field(Identifier, "The reward that it gives."),
  status: field(
    IssuedRewardStatus,
    "Only an `issued` reward can be reserved. The others are final, except that a reversed redemption becomes `issued` again."
  ),
  issued_at: field(Timestamp, "When it was issued."),
  expires_at: optional(Timestamp, "When it expires; absent: never."),
  redeemed_at: optional(Timestamp, "When it was redeemed."),
  cancelled_at: optional(Timestamp, "When it was cancelled."),
  cancellation_reason: optional(Reason, "Why it was cancelled."),
  artifact: field(Artifact, "The code that the guest shows at the till.")
}).annotate({ identifier: "IssuedReward", description: "A reward or coupon in a member's wallet." })

export const Reservation = Schema.Struct({
  reservation_id: field(RecordedId, "The service's id, for capture and reverse."),
  redemption_id: field(RecordedId, "The caller's id, unique in the programme."),
  member_id: field(Identifier, "Who redeems."),
  reward_id: field(Identifier, "The reward that is redeemed."),
  order_id: field(RecordedId, "The order of the reward; the capture must have the same."),
  status: field(
    ReservationStatus,
    "`reserved` holds the cost, `captured` has spent it, `reversed` and `expired` have given it back."
  ),
  cost: field(UnitAmount, "The held or spent amount; 0 for a wallet reward."),
  effect: field(RewardEffect, "The effect that the till applies to the order."),
  funding: field(Schema.Array(Funding), "Who pays how much of the reward's value."),
  created_at: field(Timestamp, "When the cost was held."),
  expires_at: field(Timestamp, "When the hold expires unless it is captured."),
  issued_reward_id: optional(Identifier, "The wallet reward that pays for it."),
  location_id: optional(RecordedId, "The `scope.location_id` of the order."),
  captured_at: optional(Timestamp, "When it was captured."),
  reversed_at: optional(Timestamp, "When it was reversed.")
}).annotate({ identifier: "Reservation", description: "A reward held for an order, then spent or given back." })

export const EvaluatedReward = Schema.Struct({
  reward_id: field(Identifier, "The reward's id in the programme."),
  name: field(Schema.String, "Its name, for guests."),
  status: field(Schema.Literals(["available", "unavailable"]), "Whether the member could reserve it now."),
  unavailable_reasons: optional(Schema.Array(UnavailableReason), "Why not: all reasons that apply."),
  cost: field(UnitAmount, "The cost, from the member's account."),
  max_points: optional(
    Integer,
    "The most `points` that a reservation of it can take now; present only for an available reward that takes them."
  ),
  effect: field(RewardEffect, "The effect on the order."),
  funding: field(Schema.Array(Funding), "Who would pay for it.")
}).annotate({
  identifier: "EvaluatedReward",
  description: "A reward of the programme and its availability for this member now."
})

export const Discovery = Schema.Struct({
  protocol: field(Schema.Literal(protocolName), "The protocol's name."),
  protocol_version: field(Schema.Literal(protocolVersion), "The version that is served."),
  profiles: field(Schema.Array(Schema.Literal(profile)), "The profiles that are served."),
  endpoints: field(
    Schema.Struct({
      api: field(Schema.String, "Path under which the operations are."),
      capabilities: field(Schema.String, "Path of the capabilities."),
      health: field(Schema.String, "Path of the health check.")
    }),
    "Paths on this host."
  ),
  authentication: field(Schema.Array(Schema.Literal("bearer")), "The ways to authenticate.")
})

export const Health = Schema.Struct({
  status: field(Schema.Literal("ok"), "Always `ok`: the service runs."),
  protocol_version: field(Schema.Literal(protocolVersion), "The version that is served."),
  profile: field(Schema.Literal(profile), "The profile that is served."),
  write_frozen: field(Schema.Boolean, "True while writes are refused with `write_frozen`.")
})

/** The answer to load balancers. */
export const Readiness = Schema.Struct({
  status: field(Schema.Literal("ok"), "Always `ok`; other states are problem documents."),
  environment: field(Schema.Literals(["live", "sandbox"]), "Whether the database runs in real time or is a sandbox."),
  role: field(Schema.Literals(nodeRoles), "`node`, or `leaving` while it hands over."),
  partitions: field(Integer, "Partitions of accounts that this node owns, of 256."),
  nodes: field(Integer, "Nodes of the database that this one sees, with itself.")
})

export const Capabilities = Schema.Struct({
  protocol_version: field(Schema.Literal(protocolVersion), "The version that is served."),
  profiles: field(Schema.Array(Schema.Literal(profile)), "The profiles that are served."),
  operations: field(Schema.Array(Schema.String), "Ids of the operations that are served."),
  reward_effects: field(Schema.Array(Schema.String), "Kinds of effect that rewards may have."),
  event_types: field(Schema.Array(Schema.String), "Types of event that the service delivers."),
  limits: field(
    Schema.Struct({
      max_body_bytes: field(Integer, "Largest request body, bytes; more is `payload_too_large`."),
      max_idempotency_key_length: field(Integer, "Longest idempotency key, characters."),
      reservation_ttl_seconds: field(Integer, "Shortest time that a reservation is held, seconds.")
    }),
    "Limits that callers can rely on."
  )
})
