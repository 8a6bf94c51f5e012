/**
 * Fault and remedy, by the code of the service's refusal. `refusals.ts` tells them; it comes at the first refusal, with
 * the labels of the fields that a refusal may name; the file is fetched ahead after the sign-in. `unauthorized` is in `strings.ts`: the sign-in needs it at once.
 */
import "./labels.ts"
import type { ProblemCode } from "../../../contract/protocol/Problem.ts"
import { texts } from "../texts.ts"

export const problemStrings = texts("problem", {
  invalid_json:
    "The service does not understand this page, which may be out of date. Reload it. If that does not help, tell who operates the service.",
  malformed_request:
    "The service does not understand this page, which may be out of date. Reload it. If that does not help, tell who operates the service.",
  method_not_allowed:
    "The service does not understand this page, which may be out of date. Reload it. If that does not help, tell who operates the service.",
  unsupported_media_type:
    "The service does not understand this page, which may be out of date. Reload it. If that does not help, tell who operates the service.",
  expectation_failed:
    "The service does not understand this page, which may be out of date. Reload it. If that does not help, tell who operates the service.",
  headers_too_large:
    "The service does not understand this page, which may be out of date. Reload it. If that does not help, tell who operates the service.",
  invalid_cursor: "This list cannot be continued from here. Reload the page.",
  forbidden: "You may not do this, and nothing was changed.",
  csrf_failed: "You have signed in again elsewhere, and nothing was changed. Try it again.",
  limit_exceeded: "This is more than you may give or take, and nothing was done. Ask somebody who may.",
  not_found: "It is not there, or no longer. Check what you entered, or go back to the list.",
  request_timeout: "The network was too slow. Try again. Your input is kept.",
  conflict: "Nothing was changed.",
  idempotency_conflict:
    "Nothing was changed: this was sent before with other contents. Close this, open it again, and check what is there.",
  insufficient_balance: "Nothing was changed: there are not enough points.",
  expired: "Nothing was changed: the time for this is over.",
  invalid_state: "Nothing was changed: this is not possible now. Reload the page to see how things are.",
  member_not_active: "Nothing was changed: the guest's membership is suspended or closed.",
  program_retired: "Nothing was changed: the programme is retired. An owner can restore it.",
  incompatible_change: "Nothing was published: what guests have already does not allow this change.",
  reward_not_available: "Nothing was changed: this reward cannot be given now.",
  currency_mismatch: "Nothing was changed: the amount is not in the programme's currency.",
  payload_too_large: "Nothing was changed: this is too large. Make it smaller, or do it in parts.",
  validation_failed: "Nothing was changed: check what you entered.",
  invalid_order: "Nothing was changed: the order does not add up.",
  rate_limited: "That was tried too often. Wait a minute, then try again. Your input is kept.",
  claims_off: "The programme keeps no orders without a guest.",
  internal_error: "The service failed. Try again. If it fails again, tell who operates it.",
  write_frozen: "Nothing was changed: writes are frozen. Try again when an operator allows writes. Your input is kept.",
  not_active: "The service is unavailable. Try again in a few seconds. Your input is kept.",
  clock_disagrees: "The service is unavailable: its clock is wrong. Tell who operates it. Your input is kept.",
  overloaded: "The service is unavailable. Try again in a few seconds. Your input is kept.",
  node_unreachable: "The service is unavailable. Try again in a few seconds. Your input is kept.",
  storage_unavailable: "The service is unavailable. Try again in a few seconds. Your input is kept.",
  archived: "Nothing was changed: this is in the archive."
} satisfies Readonly<Record<Exclude<ProblemCode, "unauthorized">, string>>)

/** Codes whose text says all: the service's own sentence adds nothing for people, and is left out. */
export const wholeProblems: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  "clock_disagrees",
  "csrf_failed",
  "expectation_failed",
  "headers_too_large",
  "idempotency_conflict",
  "invalid_cursor",
  "invalid_json",
  "malformed_request",
  "method_not_allowed",
  "node_unreachable",
  "not_active",
  "overloaded",
  "rate_limited",
  "request_timeout",
  "storage_unavailable",
  "unsupported_media_type",
  "write_frozen"
])
