/**
 * What the resources of `/admin/api/v1` share: how callers authenticate, how
 * refusals are typed, how lists page (admin.md).
 */
import { Schema } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import { described } from "../Description.ts"
import type { Examples, Json } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { bodyProblems, guardProblems, problemStatus, storageProblems, writeProblems } from "../protocol/Problem.ts"
import { maxIdempotencyKeyLength, minIdempotencyKeyLength } from "../protocol/Protocol.ts"
import { Cursor, optional } from "../Values.ts"

/** Where the operators' routes live. */
export const adminPath = "/admin/api/v1"

/** The cookie of a session; on a loopback address `lotbook_session`. */
export const sessionCookie = "__Host-lotbook_session"

/** The admin key or a token with an admin scope, sent as a bearer token, or a session's cookie. */
export class AdminKey extends HttpApiMiddleware.Service<AdminKey>()("lotbook/contract/AdminKey", {
  security: {
    admin_key: HttpApiSecurity.http({ scheme: "bearer" }),
    session: HttpApiSecurity.apiKey({ key: sessionCookie, in: "cookie" })
  }
}) {}

/** The cookie of a session, and no other key. */
export class SessionCookie extends HttpApiMiddleware.Service<SessionCookie>()("lotbook/contract/SessionCookie", {
  security: { session: HttpApiSecurity.apiKey({ key: sessionCookie, in: "cookie" }) }
}) {}

const Fault = Schema.Struct({ path: Schema.String, message: Schema.String })

/** Why a request was not carried out: a handler fails with it, and the server answers a problem document. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  code: Schema.Literals(Object.keys(problemStatus) as Array<ProblemCode>),
  detail: Schema.String,
  errors: Schema.optional(Schema.Array(Fault)),
  /** Seconds until it makes sense to try again, where the code does not say it. */
  retryAfter: Schema.optional(Schema.Number)
}) {}

/** Lets handlers fail with `Refused`. Empty: on the wire it is the problem document that each endpoint describes. */
const refusals: ReadonlyArray<typeof Refused> = []

/** Turns `Refused` into a problem document. */
export class Refusals extends HttpApiMiddleware.Service<Refusals>()("lotbook/contract/Refusals", {
  error: refusals
}) {}

/** What every route that shows something may answer. */
export const readProblems: ReadonlyArray<ProblemCode> = [...guardProblems, ...storageProblems]
/** The same for a list with filters. */
export const listProblems: ReadonlyArray<ProblemCode> = [...readProblems, "validation_failed", "invalid_cursor"]
/** What every route that changes something may answer, also while writes are frozen. */
export const frozenChangeProblems: ReadonlyArray<ProblemCode> = [
  ...bodyProblems,
  ...readProblems,
  "csrf_failed",
  "idempotency_conflict"
]
/** The same where it is refused while writes are frozen. */
export const changeProblems: ReadonlyArray<ProblemCode> = [...frozenChangeProblems, ...writeProblems]

/** How an endpoint is described in OpenAPI. */
export const annotated = (
  identifier: string,
  summary: string,
  description: string,
  codes: ReadonlyArray<ProblemCode>,
  examples: Examples,
  safeToRetry = false,
  takesKeyHeader = true
) =>
  OpenApi.annotations({
    identifier,
    summary,
    description,
    transform: (operation) => {
      const whole = described({ codes, examples, safeToRetry })(operation)
      return takesKeyHeader ? keyed(codes, whole) : whole
    }
  })

const keyHeader = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "The same key with the same body answers the first result again, with `Idempotent-Replayed: true`; one space a caller and route.",
  schema: { type: "string", minLength: minIdempotencyKeyLength, maxLength: maxIdempotencyKeyLength }
}

/** Describes the header that every route with this refusal takes, save those whose bodies have keys of their own. */
const keyed = (codes: ReadonlyArray<ProblemCode>, operation: Json): Json =>
  codes.includes("idempotency_conflict")
    ? { ...operation, parameters: [...(operation["parameters"] ?? []), keyHeader] }
    : operation

/** Rows of a page when none are asked for, and the most. */
export const defaultLimit = 50
export const maxLimit = 200

const isLimit = (text: string): boolean => /^[1-9]\d{0,2}$/.test(text) && Number(text) <= maxLimit

/** `limit` of a query: it stays text, as decoding never transforms. */
export const Limit = Schema.String.check(
  Schema.makeFilter((text) => isLimit(text) || `must be a whole number from 1 to ${maxLimit}`, {
    toJsonSchema: () => ({ pattern: "^(1?[0-9]{1,2}|200)$" })
  })
)

/** The query parameters of every list. */
export const page = {
  cursor: optional(Cursor, "`next_cursor` of the page before, sent with the same filters."),
  limit: optional(Limit, `Entries of a page, 1 to ${maxLimit}; ${defaultLimit} where absent.`)
}

/** In the answer of every list. */
export const nextCursor = optional(Cursor, "Where the next page begins; absent on the last one.")
