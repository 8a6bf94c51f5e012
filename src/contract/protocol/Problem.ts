/**
 * Problem codes and their HTTP statuses: what a client may meet (service.md
 * "Errors", decisions.md §1 and §4). Titles, advice and `Retry-After` are the
 * server's (`src/http/Problems`).
 */
export const problemStatus = {
  invalid_json: 400,
  malformed_request: 400,
  invalid_cursor: 400,
  unauthorized: 401,
  forbidden: 403,
  csrf_failed: 403,
  not_found: 404,
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
  overloaded: 503,
  storage_unavailable: 503
} as const

export type ProblemCode = keyof typeof problemStatus

/** What every route that wants a token may answer. */
export const guardProblems: ReadonlyArray<ProblemCode> = ["unauthorized", "forbidden", "rate_limited", "internal_error"]

/** What every route that takes a body may answer beside that. */
export const bodyProblems: ReadonlyArray<ProblemCode> = [
  "invalid_json",
  "malformed_request",
  "request_timeout",
  "payload_too_large",
  "unsupported_media_type",
  "validation_failed"
]

/** What every operation may answer beside that: nothing was done, or the same key tells what was. */
export const storageProblems: ReadonlyArray<ProblemCode> = ["not_active", "overloaded", "storage_unavailable"]

/** What every write may answer beside that. */
export const writeProblems: ReadonlyArray<ProblemCode> = ["write_frozen", "idempotency_conflict"]
