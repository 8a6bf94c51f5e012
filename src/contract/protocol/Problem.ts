/**
 * Problem documents, the codes in them that a client may get, and their HTTP statuses
 * (contract/transport.md *Problem codes*). `src/desk/surface/Problems` has titles, advice and `Retry-After`.
 */
import { Schema } from "effect"
import { roles } from "../Roles.ts"
import { field, optional, whole } from "../Values.ts"
import { nodeRoles } from "./Protocol.ts"

export const problemStatus = {
  invalid_json: 400,
  malformed_request: 400,
  invalid_cursor: 400,
  unauthorized: 401,
  forbidden: 403,
  csrf_failed: 403,
  limit_exceeded: 403,
  not_found: 404,
  claims_off: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  idempotency_conflict: 409,
  insufficient_balance: 409,
  expired: 409,
  invalid_state: 409,
  member_not_active: 409,
  program_retired: 409,
  incompatible_change: 409,
  reward_not_available: 409,
  currency_mismatch: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  expectation_failed: 417,
  validation_failed: 422,
  invalid_order: 422,
  rate_limited: 429,
  headers_too_large: 431,
  internal_error: 500,
  write_frozen: 503,
  not_active: 503,
  clock_disagrees: 503,
  overloaded: 503,
  node_unreachable: 503,
  storage_unavailable: 503,
  archived: 503
} as const

export type ProblemCode = keyof typeof problemStatus

/** Problems of every route that requires a token. */
export const guardProblems: ReadonlyArray<ProblemCode> = ["unauthorized", "forbidden", "rate_limited", "internal_error"]

/** Additional problems of every route with a body. */
export const bodyProblems: ReadonlyArray<ProblemCode> = [
  "invalid_json",
  "malformed_request",
  "request_timeout",
  "payload_too_large",
  "unsupported_media_type",
  "validation_failed"
]

/** Additional problems of every operation: nothing was done, or, but for `archived`, a retry with the same key shows the result. */
export const storageProblems: ReadonlyArray<ProblemCode> = [
  "not_active",
  "clock_disagrees",
  "overloaded",
  "node_unreachable",
  "storage_unavailable",
  "archived"
]

/** Additional problems of every write. */
export const writeProblems: ReadonlyArray<ProblemCode> = ["write_frozen", "idempotency_conflict"]

/** The limits of a role (contract/operators.md *Limits*). */
export const limitNames = ["points_per_action", "points_per_day", "rewards_per_day", "orders_moved_per_day"] as const

/** The limit that a request would exceed. */
export const LimitReached = Schema.Struct({
  name: field(Schema.Literals(limitNames), "The limit."),
  allowed: field(whole(0, Number.MAX_SAFE_INTEGER, "must be a whole number"), "What the role of the caller may give."),
  left: field(
    whole(0, Number.MAX_SAFE_INTEGER, "must be a whole number"),
    "What the caller may still give today. Of `points_per_action`, at once."
  ),
  roles: field(Schema.Array(Schema.Literals(roles)), "The roles whose limits are wide enough for the request.")
}).annotate({ identifier: "LimitReached", description: "A limit of what people may give." })
export type LimitReached = typeof LimitReached.Type

const TemplateValue = Schema.Union([Schema.String, Schema.Number]).annotate({
  identifier: "TemplateValue",
  description: "A value in a sentence: a text, or a number."
})

/** A sentence apart from its values, for who tells it in another language (`Said.ts`). */
export const Template = Schema.Struct({
  text: field(Schema.String, "The sentence with `{1}`, `{2}` and so on in the places of its values."),
  values: field(Schema.Array(TemplateValue), "The values, in the order of their places.")
}).annotate({ identifier: "Template", description: "A sentence of the service, apart from its values." })

/** RFC 9457 problem details; every error body is one. */
export const Problem = Schema.Struct({
  type: field(Schema.String, "Relative address of the page about the code, such as `/problems/not-found`."),
  title: field(Schema.String, "Title of the code."),
  status: field(whole(400, 599, "must be an error status"), "The HTTP status of the response."),
  detail: field(Schema.String, "The fault of this request, for people; programs use `code`."),
  template: optional(Template, "`detail` apart from its values, if it has some: for who tells it in another language."),
  instance: field(Schema.String, "The path of the request."),
  code: field(Schema.Literals(Object.keys(problemStatus) as Array<ProblemCode>), "The stable code, for programs."),
  errors: optional(
    Schema.Array(
      Schema.Struct({
        path: field(Schema.String, "JSON Pointer to the invalid or missing property; empty for the body itself."),
        message: field(Schema.String, "The fault at this place."),
        template: optional(Template, "The message apart from its values, if it has some.")
      })
    ),
    "Every invalid property, at most 100; present for faults of the body or the order."
  ),
  environment: optional(
    Schema.Literals(["live", "sandbox"]),
    "With `not_active`, `node_unreachable` of readiness and `clock_disagrees`: whether the database runs in real time or is a sandbox."
  ),
  role: optional(
    Schema.Literals(nodeRoles),
    "With `not_active`, `node_unreachable` of readiness and `clock_disagrees`: whether the service that was asked is a node, or joins or leaves."
  ),
  limit: optional(LimitReached, "With `limit_exceeded`: the limit, and what is left of it."),
  member_unknown_since: optional(
    Schema.String,
    "With `not_found` of a `member_id`, where the database was restored or promoted: records of after this time may be lost, and the member with them. Keep the request, and send it again once the member is back."
  ),
  month: optional(
    Schema.String,
    "With `archived`: YYYY-MM of the records that the request needs. No retry helps until an operator restores them."
  ),
  machine_time: optional(Schema.String, "With `clock_disagrees`: the time of the service's machine."),
  database_time: optional(Schema.String, "With `clock_disagrees`: PostgreSQL's time.")
}).annotate({ identifier: "Problem", description: "RFC 9457 problem details." })
