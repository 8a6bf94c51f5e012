/** The answers of an account: outcomes of commands, and states for reads. */
import type { ClaimHolder, MemberRow } from "../journal/Records.ts"
import type { Recorded } from "./Codec.ts"
import type { Refusal } from "./domain/Refusal.ts"
import type { State } from "./domain/State.ts"

/** The reasons why a command was not executed, besides the domain's refusals. */
export type Trouble = { readonly _tag: "Unavailable" } | { readonly _tag: "Overloaded" } | { readonly _tag: "Frozen" }

export const unavailable: Trouble = { _tag: "Unavailable" }

/** The committed state and the member's personal data. */
export interface Resident {
  readonly _tag: "Resident"
  readonly account: number
  readonly state: State
  readonly member: MemberRow
}

/** The outcome of a command: a record (its own, or the one it repeats), a refusal, trouble. */
export type Outcome =
  | {
      readonly _tag: "Answered"
      readonly record: Recorded
      /** The record's account, if it was loaded anyway. */
      readonly resident?: Resident | undefined
      /** True if the answer is the stored one of the command's idempotency key. */
      readonly isReplay?: boolean
    }
  | { readonly _tag: "Held"; readonly holder: ClaimHolder }
  | Refusal
  | Trouble
