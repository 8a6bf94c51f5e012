/** The `context` of every request and every answer (service.md "Request context"). */
import { Schema } from "effect"
import { profile, protocolVersion } from "./Protocol.ts"
import { IdempotencyKey, Identifier, Timestamp } from "../Values.ts"

export const Source = Schema.Struct({ system: Identifier, instance: Schema.optionalKey(Identifier) })

const shared = {
  protocol_version: Schema.Literal(protocolVersion),
  profile: Schema.Literal(profile),
  request_id: Identifier
}

/** Context of a read: the key is allowed and means nothing. */
export const ReadContext = Schema.Struct({
  ...shared,
  idempotency_key: Schema.optionalKey(IdempotencyKey),
  occurred_at: Timestamp,
  source: Source
}).annotate({ identifier: "ReadContext" })

/** Context of a write. */
export const WriteContext = Schema.Struct({
  ...shared,
  idempotency_key: IdempotencyKey,
  occurred_at: Timestamp,
  source: Source
}).annotate({ identifier: "WriteContext" })
export type WriteContext = typeof WriteContext.Type

export const ResponseContext = Schema.Struct({ ...shared, processed_at: Timestamp }).annotate({
  identifier: "ResponseContext"
})
