/**
 * A domain refusal: a value, never an exception. HTTP statuses live in
 * `src/contract/protocol/Problem.ts`.
 */
import type { Fault, Sentence, Template } from "../../../contract/Said.ts"
import { detailOf } from "../../../contract/Said.ts"

/** Codes of contract/transport.md *Problem codes*, and of the checks that only the domain can make. */
export type RefusalCode =
  | "not_found"
  | "forbidden"
  | "conflict"
  | "idempotency_conflict"
  | "insufficient_balance"
  | "expired"
  | "invalid_state"
  | "member_not_active"
  | "program_retired"
  | "reward_not_available"
  | "currency_mismatch"
  | "invalid_order"
  | "invalid_cursor"
  | "validation_failed"
  | "limit_exceeded"

export interface Refusal {
  readonly _tag: "Refusal"
  readonly code: RefusalCode
  readonly detail: string
  readonly template?: Template
  readonly errors?: ReadonlyArray<Fault>
  /** Of a member that is not known: since when a restore may have lost members, ms. */
  readonly memberUnknownSince?: number
}

export const refusal = (code: RefusalCode, sentence: Sentence, errors?: ReadonlyArray<Fault>): Refusal => {
  const told = detailOf(sentence)
  return errors === undefined ? { _tag: "Refusal", code, ...told } : { _tag: "Refusal", code, ...told, errors }
}

/** Its effects were counted, and would be others now. The caller counts again. */
export const changedSince = refusal("limit_exceeded", "The member has changed since the effects were counted.")
