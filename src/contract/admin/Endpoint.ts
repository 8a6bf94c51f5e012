/** Parts of every endpoint of `/admin/api/v1`: its problems, description and pages (contract/operators.md *Lists*). */
import { Schema } from "effect"
import { OpenApi } from "effect/http-api"
import type { Examples, Json } from "../Description.ts"
import { described } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { bodyProblems, guardProblems, storageProblems, writeProblems } from "../protocol/Problem.ts"
import { maxIdempotencyKeyLength, minIdempotencyKeyLength } from "../protocol/Protocol.ts"
import { told } from "../Said.ts"
import { Cursor, optional } from "../Values.ts"

/** The base path of the operators' routes. */
export const adminPath = "/admin/api/v1"

/** Problem codes of every route that reads; each refuses query parameters that it does not have. */
export const readProblems: ReadonlyArray<ProblemCode> = [...guardProblems, ...storageProblems, "validation_failed"]
/** Problem codes of a list with filters. */
export const listProblems: ReadonlyArray<ProblemCode> = [...readProblems, "invalid_cursor"]
/** Problem codes of every route that writes and is served while writes are frozen. */
export const frozenChangeProblems: ReadonlyArray<ProblemCode> = [
  ...bodyProblems,
  ...readProblems,
  "csrf_failed",
  "idempotency_conflict"
]
/** Problem codes of every route that writes and is refused while writes are frozen. */
export const changeProblems: ReadonlyArray<ProblemCode> = [...frozenChangeProblems, ...writeProblems]

/** The OpenAPI description of an endpoint. */
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
    "A repeated key with the same body returns the first result, with `Idempotent-Replayed: true`. Each caller and route has its own keys.",
  schema: { type: "string", minLength: minIdempotencyKeyLength, maxLength: maxIdempotencyKeyLength }
}

/** Describes the header on every route with this refusal, except routes whose bodies have their own keys. */
const keyed = (codes: ReadonlyArray<ProblemCode>, operation: Json): Json =>
  codes.includes("idempotency_conflict")
    ? { ...operation, parameters: [...(operation["parameters"] ?? []), keyHeader] }
    : operation

/** The default number of rows of a page, and the largest. */
export const defaultLimit = 50
const maxLimit = 200

const isLimit = (text: string): boolean => /^[1-9]\d{0,2}$/.test(text) && Number(text) <= maxLimit

/** `limit` of a query. It stays text, because decoding never transforms. */
export const Limit = Schema.String.check(
  Schema.makeFilter((text) => isLimit(text) || told`must be a whole number from ${1} to ${maxLimit}`, {
    toJsonSchema: () => ({ type: "integer", minimum: 1, maximum: maxLimit })
  })
)

/** The query parameters of every list. */
export const page = {
  cursor: optional(Cursor, "`next_cursor` of the previous page, sent with the same filters."),
  limit: optional(Limit, `Number of items in a page, 1 to ${maxLimit}. Absent: ${defaultLimit}.`)
}

/** The property `next_cursor`, which the answer of every list has. */
export const nextCursor = optional(Cursor, "Cursor of the next page; absent on the last page.")
