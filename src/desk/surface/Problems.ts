/**
 * Problem codes: title, `Retry-After`, and the text of the code's page. The
 * contract has their statuses (contract/transport.md *Problem codes*).
 */
import { STATUS_CODES } from "node:http"
import type { ProblemCode } from "../../contract/protocol/Problem.ts"
import { problemStatus } from "../../contract/protocol/Problem.ts"
import type { Fault, Template } from "../../contract/Said.ts"

interface ProblemKind {
  readonly title: string
  /** Meaning and remedy, for the code's page. */
  readonly advice: string
  /** Seconds until a retry makes sense. */
  readonly retryAfter?: number
}

const kinds = {
  invalid_json: {
    title: "Body is not valid JSON",
    advice: "The body must be one complete JSON object in UTF-8. Check that the whole body was sent."
  },
  malformed_request: {
    title: "Malformed HTTP request",
    advice: "The request could not be read as HTTP: check the request line, the headers and Content-Length."
  },
  invalid_cursor: {
    title: "Invalid cursor",
    advice: "Send next_cursor of the previous page unchanged, with the same filters."
  },
  unauthorized: {
    title: "Unauthorized",
    advice:
      "Send the header Authorization: Bearer TOKEN with a token that this service knows; in the console, sign in again."
  },
  forbidden: {
    title: "Forbidden",
    advice:
      "The token or person is known, but its scopes or its programmes do not include this request. Ask the operators for a token, or an owner for a role, that does."
  },
  csrf_failed: {
    title: "CSRF check failed",
    advice:
      "A write with the session cookie needs the header X-CSRF-Token with the session's csrf_token, and must come from a page of this service."
  },
  limit_exceeded: {
    title: "Limit exceeded",
    advice:
      "This is more than your role may give or take. Nothing was done. limit has the limit, what is left of it today, and the roles that may; ask somebody of one of them."
  },
  not_found: {
    title: "Not found",
    advice:
      "The path, or the resource of an identifier, does not exist; detail says which. Check the spelling, the programme and the environment."
  },
  claims_off: {
    title: "Orders without a guest are not kept",
    advice:
      "The programme has no claims, so it keeps no order without a guest. Nothing was done. Send orders of members alone, or ask the programme's owner to publish it with claims."
  },
  method_not_allowed: {
    title: "Method not allowed",
    advice: "The path exists, but not with this method; the Allow header lists its methods."
  },
  request_timeout: {
    title: "Request timeout",
    advice: "The request did not arrive completely in time. Send it again."
  },
  conflict: {
    title: "Conflict",
    advice:
      "An identifier was used before with other facts, or belongs to another member. Nothing was done. Use a new identifier, or the facts of the first request."
  },
  idempotency_conflict: {
    title: "Idempotency key reused",
    advice:
      "The idempotency key was used before with another payload. Nothing was done. Send the first payload again, or use a new key for a new action."
  },
  insufficient_balance: {
    title: "Insufficient balance",
    advice:
      "Fewer points are available than the request needs; open reservations hold points too. Nothing was done. Show the guest the available balance, or release a reservation."
  },
  expired: {
    title: "Expired",
    advice:
      "The reservation has expired, or the given time is in the past. Make a new reservation, or send a later time."
  },
  invalid_state: {
    title: "Invalid state",
    advice:
      "The resource's state does not allow this; detail says which state. Nothing was done. Read the present state before you continue."
  },
  member_not_active: {
    title: "Member not active",
    advice:
      "The member is suspended or closed. A suspended member can still have captures, reversals and refunds, a closed one only refunds. For everything else an operator must reactivate the member."
  },
  program_retired: {
    title: "Programme retired",
    advice:
      "An operator has retired the programme. Reads, captures, reversals and refunds work; nothing new is earned, reserved or issued."
  },
  incompatible_change: {
    title: "Incompatible change",
    advice: "The published programme cannot become this one; errors lists each change that blocks it. Nothing was done."
  },
  reward_not_available: {
    title: "Reward not available",
    advice:
      "The reward is not yet or no longer available, or it does not apply to any item of the order. programs/get shows available_from, available_until and the items of effect."
  },
  currency_mismatch: {
    title: "Currency mismatch",
    advice: "An amount is not in the programme's currency. Send the order in the programme's currency."
  },
  payload_too_large: {
    title: "Payload too large",
    advice: "The body exceeds max_body_bytes of the capabilities. Send less, or split the request."
  },
  unsupported_media_type: {
    title: "Unsupported media type",
    advice: "Send Content-Type: application/json and no Content-Encoding."
  },
  validation_failed: {
    title: "Validation failed",
    advice: "errors lists every invalid property by its JSON Pointer, with what it must be."
  },
  invalid_order: {
    title: "Invalid order",
    advice:
      "The order does not add up, or its dates cannot be right; errors lists each place by its JSON Pointer, with the numbers that differ."
  },
  expectation_failed: {
    title: "Expectation failed",
    advice: "The service supports only the expectation 100-continue. Send no other Expect header."
  },
  headers_too_large: {
    title: "Request header fields too large",
    advice: "The headers exceed the service's limit. Send fewer or shorter headers."
  },
  rate_limited: {
    title: "Too many requests",
    advice:
      "The token or person has sent more requests than the limit for a minute. Nothing was done. Wait as long as Retry-After says.",
    retryAfter: 1
  },
  internal_error: {
    title: "Internal error",
    advice:
      "The service failed. Send the same request again, with the same key. If it fails again, give the answer's X-Request-Id to the operators: their log has the cause."
  },
  write_frozen: {
    title: "Writes are frozen",
    advice:
      "The operators have frozen writes; reads work. Send the same request again, with the same key, after Retry-After.",
    retryAfter: 30
  },
  not_active: {
    title: "Not a node",
    advice:
      "This service does not answer now: it joins or leaves the nodes of its database, or the database has not confirmed it. Nothing was done. Send the same request again, with the same key, to another node, or to this one after Retry-After.",
    retryAfter: 1
  },
  clock_disagrees: {
    title: "Clock disagrees",
    advice:
      "The clock of this service's machine is not trusted, so the service refuses requests and posts nothing. Send the same request again, with the same key, after Retry-After. Operators: detail has both times.",
    retryAfter: 5
  },
  overloaded: {
    title: "Overloaded",
    advice:
      "The service is overloaded. Nothing was done. Send the same request again, with the same key, after Retry-After.",
    retryAfter: 1
  },
  node_unreachable: {
    title: "Node unreachable",
    advice:
      "The node of this account cannot be called from the node that was asked. Send the same request again, with the same key, best to another node: the answer shows whether it was done.",
    retryAfter: 1
  },
  storage_unavailable: {
    title: "Storage unavailable",
    advice:
      "The journal cannot be reached. Send the same request again, with the same key: the answer shows whether it was done.",
    retryAfter: 2
  },
  archived: {
    title: "Archived",
    advice:
      "The request needs records of a past month, which lie in archive files: month says which. Nothing was done, and no retry helps until an operator has restored it with lotbook journal restore. Everything that needs no such record works."
  }
} as const satisfies Record<ProblemCode, ProblemKind>

export type { ProblemCode }

export const problems = Object.fromEntries(
  Object.entries(kinds).map(([code, kind]) => [code, { ...kind, status: problemStatus[code as ProblemCode] }])
) as { readonly [Code in ProblemCode]: ProblemKind & { readonly status: number } }
/** The detail for an account whose node cannot be called. */
export const unreachableDetail =
  "The node that has this account cannot be called from the node that was asked. Send the request again with the same key."

export const problemCodes = Object.keys(kinds) as ReadonlyArray<ProblemCode>

/** The reason phrase of a problem's status line. */
export const phrase = (status: number): string => STATUS_CODES[status] ?? "Unknown"

/** A problem's `type`: the relative URI of its page, stable. */
export const pathOf = (code: ProblemCode): string => `/problems/${code.replaceAll("_", "-")}`

export interface ProblemFacts {
  readonly detail: string
  /** The request path, without a query. */
  readonly instance: string
  readonly template?: Template | undefined
  readonly errors?: ReadonlyArray<Fault> | undefined
  /** Additional members for this code. */
  readonly more?: Readonly<Record<string, unknown>> | undefined
}

/** Facts that a refusal names besides its code. No value that a caller has sent. */
export interface Named {
  /** JSON Pointer of the first fault. */
  readonly pointer?: string
  /** The scopes that the caller lacks, joined by "or". */
  readonly scope?: string
}

/** Most names that are kept of a pointer: more than any schema has. */
const mostNames = 16

const plainName = /^(?:[a-z][a-z0-9_]{0,39}|\d{1,4})$/

/** Names in the pointer may be a caller's own, such as those of attributes: only plain words and indexes are kept. */
const withoutValues = (pointer: string): string =>
  pointer
    .split("/")
    .slice(0, mostNames)
    .map((name) => (name === "" || plainName.test(name) ? name : "*"))
    .join("/")

/** Names in the facts of a problem. */
export const namedBy = (code: ProblemCode, { errors, template }: Pick<ProblemFacts, "errors" | "template">): Named => {
  const [first] = errors ?? []
  const scope =
    code === "forbidden" && template?.text.includes(" lacks the scope {") ? template.values.at(-1) : undefined
  return {
    ...(first === undefined || first.path === "" ? undefined : { pointer: withoutValues(first.path) }),
    ...(scope === undefined ? undefined : { scope: String(scope) })
  }
}

/** The problem document as JSON text. */
export const document = (code: ProblemCode, { detail, errors, instance, more, template }: ProblemFacts): string => {
  const { status, title } = problems[code]
  return JSON.stringify({ type: pathOf(code), title, status, detail, template, instance, code, errors, ...more })
}
