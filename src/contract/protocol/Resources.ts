/** What the service returns: members, balances, entries, reservations, issued rewards, problems (service.md). */
import { Schema } from "effect"
import { Funding, RewardEffect, UnitAmount } from "./Program.ts"
import { profile, protocolName, protocolVersion } from "./Protocol.ts"
import {
  Classification,
  ForeignId,
  FreeForm,
  Identifier,
  IdentityType,
  Integer,
  IssuedRewardStatus,
  LedgerOperation,
  MemberStatus,
  Reason,
  ReservationStatus,
  Text,
  Timestamp,
  Unit,
  Value,
  whole
} from "../Values.ts"

export const Identity = Schema.Struct({ type: IdentityType, value: Value, issuer: Schema.optionalKey(Text) }).annotate({
  identifier: "Identity"
})
export type Identity = typeof Identity.Type

export const Member = Schema.Struct({
  member_id: Identifier,
  program_id: Identifier,
  status: MemberStatus,
  joined_at: Timestamp,
  identities: Schema.Array(Identity),
  tier_id: Schema.optionalKey(Schema.String),
  attributes: Schema.optionalKey(FreeForm)
}).annotate({ identifier: "Member" })

export const Balance = Schema.Struct({
  account_id: Identifier,
  member_id: Identifier,
  program_id: Identifier,
  unit: Unit,
  amount: Integer,
  reserved: Integer,
  available: Integer,
  as_of: Timestamp,
  unit_label: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "Balance", description: "`amount` is posted, `available` is amount − reserved." })

export const LedgerEntry = Schema.Struct({
  entry_id: Identifier,
  member_id: Identifier,
  program_id: Identifier,
  account_id: Identifier,
  operation: LedgerOperation,
  unit: Unit,
  amount: Integer,
  occurred_at: Timestamp,
  expires_at: Schema.optionalKey(Timestamp),
  related_entry_id: Schema.optionalKey(Identifier),
  order_id: Schema.optionalKey(ForeignId),
  location_id: Schema.optionalKey(ForeignId),
  adjustment_id: Schema.optionalKey(ForeignId),
  reservation_id: Schema.optionalKey(ForeignId),
  classification: Schema.optionalKey(Classification),
  reason: Schema.optionalKey(Reason),
  qualifies_for_tier: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "LedgerEntry" })

export const Metric = Schema.Struct({ metric_id: Schema.String, unit: Unit, amount: Integer, as_of: Timestamp })
export const ExpiringBalance = Schema.Struct({
  account_id: Identifier,
  unit: Unit,
  amount: Integer,
  expires_at: Timestamp
})
export const TierProgress = Schema.Struct({
  current_tier_id: Schema.String,
  qualification_metric_id: Schema.String,
  current_amount: Integer,
  progress_bps: Integer,
  is_top_tier: Schema.Boolean,
  next_tier_id: Schema.optionalKey(Schema.String),
  remaining_to_next: Schema.optionalKey(Integer)
}).annotate({ identifier: "TierProgress" })
export type TierProgress = typeof TierProgress.Type

export const Artifact = Schema.Struct({ type: Schema.Literals(["code", "qr_code"]), value: Value })

export const IssuedReward = Schema.Struct({
  issued_reward_id: Identifier,
  member_id: Identifier,
  program_id: Identifier,
  reward_id: Identifier,
  status: IssuedRewardStatus,
  issued_at: Timestamp,
  expires_at: Schema.optionalKey(Timestamp),
  redeemed_at: Schema.optionalKey(Timestamp),
  cancelled_at: Schema.optionalKey(Timestamp),
  cancellation_reason: Schema.optionalKey(Reason),
  artifact: Artifact
}).annotate({ identifier: "IssuedReward" })

export const Reservation = Schema.Struct({
  reservation_id: ForeignId,
  redemption_id: ForeignId,
  member_id: Identifier,
  reward_id: Identifier,
  order_id: ForeignId,
  status: ReservationStatus,
  cost: UnitAmount,
  effect: RewardEffect,
  funding: Schema.Array(Funding),
  created_at: Timestamp,
  expires_at: Timestamp,
  issued_reward_id: Schema.optionalKey(Identifier),
  location_id: Schema.optionalKey(ForeignId),
  captured_at: Schema.optionalKey(Timestamp),
  reversed_at: Schema.optionalKey(Timestamp)
}).annotate({ identifier: "Reservation" })

export const EvaluatedReward = Schema.Struct({
  reward_id: Identifier,
  name: Schema.String,
  status: Schema.Literals(["available", "unavailable"]),
  unavailable_reasons: Schema.optionalKey(Schema.Array(Schema.String)),
  cost: UnitAmount,
  effect: RewardEffect,
  funding: Schema.Array(Funding)
}).annotate({ identifier: "EvaluatedReward" })

/** RFC 9457 problem details; every error body is one. */
export const Problem = Schema.Struct({
  type: Schema.String,
  title: Schema.String,
  status: whole(400, 599, "must be an error status"),
  detail: Schema.String,
  instance: Schema.String,
  code: Schema.String,
  errors: Schema.optionalKey(Schema.Array(Schema.Struct({ path: Schema.String, message: Schema.String })))
}).annotate({ identifier: "Problem" })

export const Discovery = Schema.Struct({
  protocol: Schema.Literal(protocolName),
  protocol_version: Schema.Literal(protocolVersion),
  profiles: Schema.Array(Schema.Literal(profile)),
  endpoints: Schema.Struct({ api: Schema.String, capabilities: Schema.String, health: Schema.String }),
  authentication: Schema.Array(Schema.Literal("bearer"))
})

export const Health = Schema.Struct({
  status: Schema.Literal("ok"),
  protocol_version: Schema.Literal(protocolVersion),
  profile: Schema.Literal(profile),
  write_frozen: Schema.Boolean
})

export const Capabilities = Schema.Struct({
  protocol_version: Schema.Literal(protocolVersion),
  profiles: Schema.Array(Schema.Literal(profile)),
  operations: Schema.Array(Schema.String),
  reward_effects: Schema.Array(Schema.String),
  event_types: Schema.Array(Schema.String),
  limits: Schema.Struct({
    max_body_bytes: Integer,
    max_idempotency_key_length: Integer,
    reservation_ttl_seconds: Integer
  })
})
