/** Rows of the journal's tables, as their statements select them. */
import { Schema } from "effect"
import { optional } from "../../../base/database/Values.ts"
import { Classification, Unit } from "../../../contract/Values.ts"
import { LedgerOperation } from "../Records.ts"

/** The columns of a `StoredRecord`, from the table `journal`. */
export const recordColumns = `account, seq, at, version, events, reply, program_version AS "programVersion", actor, origin,
  balances, announced, hash`

export const StoredRecord = Schema.Struct({
  account: Schema.Number,
  seq: Schema.Number,
  at: Schema.Number,
  version: Schema.Number,
  events: Schema.String,
  reply: Schema.String,
  programVersion: Schema.Number,
  actor: optional(Schema.String),
  origin: optional(Schema.String),
  balances: Schema.String,
  announced: Schema.Number,
  hash: Schema.String
})

/** A row of `sealed_accounts`. */
export const SealedAccount = Schema.Struct({
  span: Schema.Number,
  account: Schema.Number,
  seq: Schema.Number,
  chain: Schema.String,
  version: Schema.Number,
  hash: Schema.String,
  state: optional(Schema.String)
})

/** The columns of a `LedgerRow`, from the table `ledger_entries`. */
export const ledgerColumns = `n, operation, unit, amount, occurred_at AS "occurredAt", expires_at AS "expiresAt",
  related_n AS "relatedN", order_id AS "orderId", location_id AS "locationId", adjustment_id AS "adjustmentId",
  reservation_id AS "reservationId", classification, reason, qualifies_for_tier AS "qualifiesForTier",
  placed_at AS "placedAt", business_date AS "businessDate"`

export const LedgerRow = Schema.Struct({
  n: Schema.Number,
  operation: LedgerOperation,
  unit: Unit,
  amount: Schema.Number,
  occurredAt: Schema.Number,
  expiresAt: optional(Schema.Number),
  relatedN: optional(Schema.Number),
  orderId: optional(Schema.String),
  locationId: optional(Schema.String),
  adjustmentId: optional(Schema.String),
  reservationId: optional(Schema.String),
  classification: optional(Classification),
  reason: optional(Schema.String),
  qualifiesForTier: optional(Schema.Boolean),
  placedAt: optional(Schema.Number),
  businessDate: optional(Schema.String)
})

/** The columns of an `IssuedRewardRow`, from the table `issued_rewards`. */
export const rewardColumns = `issued_reward_id AS "issuedRewardId", n, reward_id AS "rewardId", status,
  issued_at AS "issuedAt", expires_at AS "expiresAt", redeemed_at AS "redeemedAt", cancelled_at AS "cancelledAt",
  cancellation_reason AS "cancellationReason", artifact_type AS "artifactType", artifact_value AS "artifactValue"`

export const IssuedRewardRow = Schema.Struct({
  issuedRewardId: Schema.String,
  n: Schema.Number,
  rewardId: Schema.String,
  status: Schema.Literals(["issued", "redeemed", "cancelled", "expired", "merged"]),
  issuedAt: Schema.Number,
  expiresAt: optional(Schema.Number),
  redeemedAt: optional(Schema.Number),
  cancelledAt: optional(Schema.Number),
  cancellationReason: optional(Schema.String),
  artifactType: Schema.Literals(["code", "qr_code"]),
  artifactValue: Schema.String
})

export const ClaimHolder = Schema.Struct({
  key: Schema.String,
  fingerprint: Schema.String,
  account: Schema.Number,
  seq: Schema.Number
})

export const Identities = Schema.Array(
  Schema.Struct({ type: Schema.String, value: Schema.String, issuer: Schema.optionalKey(Schema.String) })
)
export const Attributes = Schema.Record(Schema.String, Schema.Json)
