/**
 * What went wrong and what to do, by the code of the service's refusal. `refusals.ts` tells them; it comes at the first refusal, with
 * the labels of the fields that a refusal may name; the file is fetched ahead after the sign-in. `unauthorized` is in `strings.ts`: the sign-in needs it at once.
 */
import "./labels.ts"
import type { ProblemCode } from "../../contract/protocol/Problem.ts"

/** `isWhole`: the service's own sentence adds nothing for people, and is left out. */
export interface ProblemText {
  readonly told: string
  readonly isWhole?: true
}

const busy: ProblemText = {
  told: "The service is unavailable. Try again in a few seconds. Your input is kept.",
  isWhole: true
}
const ownFault: ProblemText = {
  told: "The service does not understand this page, which may be out of date. Reload it. If that does not help, tell who operates the service.",
  isWhole: true
}

export const problemStrings: Readonly<Record<Exclude<ProblemCode, "unauthorized">, ProblemText>> = {
  invalid_json: ownFault,
  malformed_request: ownFault,
  method_not_allowed: ownFault,
  unsupported_media_type: ownFault,
  expectation_failed: ownFault,
  headers_too_large: ownFault,
  invalid_cursor: { told: "This list cannot be continued from here. Reload the page.", isWhole: true },
  forbidden: { told: "You may not do this, and nothing was changed." },
  csrf_failed: { told: "You have signed in again elsewhere, and nothing was changed. Try it again.", isWhole: true },
  limit_exceeded: { told: "This is more than your role may give, and nothing was given. Ask somebody who may." },
  not_found: { told: "It is not there, or no longer. Check what you entered, or go back to the list." },
  request_timeout: { told: "The network was too slow. Try again. Your input is kept.", isWhole: true },
  conflict: { told: "Nothing was changed: what you entered is taken." },
  idempotency_conflict: {
    told: "Nothing was changed: this was sent before with other contents. Close this, open it again, and check what is there.",
    isWhole: true
  },
  insufficient_balance: { told: "Nothing was changed: there are not enough points." },
  expired: { told: "Nothing was changed: the time for this is over." },
  invalid_state: { told: "Nothing was changed: this is not possible now. Reload the page to see how things are." },
  member_not_active: { told: "Nothing was changed: the guest's membership is suspended or closed." },
  program_retired: { told: "Nothing was changed: the programme is retired. An owner can restore it." },
  incompatible_change: { told: "Nothing was published: what guests have already does not allow this change." },
  reward_not_available: { told: "Nothing was changed: this reward cannot be given now." },
  currency_mismatch: { told: "Nothing was changed: the amount is not in the programme's currency." },
  payload_too_large: { told: "Nothing was changed: this is too large. Make it smaller, or do it in parts." },
  validation_failed: { told: "Nothing was changed: check what you entered." },
  invalid_order: { told: "Nothing was changed: the order does not add up." },
  rate_limited: {
    told: "That was tried too often. Wait a minute, then try again. Your input is kept.",
    isWhole: true
  },
  internal_error: { told: "The service failed. Try again. If it fails again, tell who operates it." },
  write_frozen: {
    told: "Nothing was changed: writes are frozen. Try again when an operator allows writes. Your input is kept.",
    isWhole: true
  },
  not_active: busy,
  clock_disagrees: {
    told: "The service is unavailable: its clock is wrong. Tell who operates it. Your input is kept.",
    isWhole: true
  },
  overloaded: busy,
  storage_unavailable: busy
}
