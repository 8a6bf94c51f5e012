/** The `context` of every request and every response (contract/resources.md *Request context*). */
import { Schema } from "effect"
import { field, IdempotencyKey, Identifier, optional, Timestamp } from "../Values.ts"
import { profile, protocolVersion } from "./Protocol.ts"

export const Source = Schema.Struct({
  system: field(Identifier, "The sending system; each system has its own idempotency keys."),
  instance: optional(Identifier, "The till, lane or server within that system.")
})

const shared = {
  protocol_version: field(
    Schema.Literal(protocolVersion),
    `The version of the protocol, always \`${protocolVersion}\`.`
  ),
  profile: field(Schema.Literal(profile), `The profile of the protocol, always \`${profile}\`.`)
}

const sent = {
  occurred_at: field(
    Timestamp,
    "When it happened by the caller's clock; entries have the time of the service's clock."
  ),
  source: field(Source, "The sender of the request.")
}

const requestId = field(Identifier, "The caller's id for this one request; the response repeats it.")

/** Context of a read: the key is allowed and ignored. */
export const ReadContext = Schema.Struct({
  ...shared,
  request_id: requestId,
  idempotency_key: optional(IdempotencyKey, "Allowed on a read, and ignored."),
  ...sent
}).annotate({ identifier: "ReadContext", description: "Context of a read." })

/** Context of a write. */
export const WriteContext = Schema.Struct({
  ...shared,
  request_id: requestId,
  idempotency_key: field(
    IdempotencyKey,
    "One key for one business action: a retry with the key and the same body returns the first result, another body is `idempotency_conflict`."
  ),
  ...sent
}).annotate({ identifier: "WriteContext", description: "Context of a write." })
export type WriteContext = typeof WriteContext.Type

export const ResponseContext = Schema.Struct({
  ...shared,
  request_id: field(Identifier, "The `request_id` of this request, also if the result is a replay of an earlier one."),
  processed_at: field(Timestamp, "When the service processed the request; a replay has the time of the first one.")
}).annotate({ identifier: "ResponseContext", description: "Context of a response." })
