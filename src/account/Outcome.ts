/** What an account answers: outcomes of commands, and views. */
import type { ClaimHolder, MemberRow } from "../journal/Records.ts"
import type { Recorded } from "./Codec.ts"
import type { Refusal } from "./domain/Refusal.ts"
import type { State } from "./domain/State.ts"

/** Why a command was not executed, besides the domain's refusals. */
export type Trouble = { readonly _tag: "Unavailable" } | { readonly _tag: "Overloaded" } | { readonly _tag: "Frozen" }

export const unavailable: Trouble = { _tag: "Unavailable" }

/** The committed state, and the member's data beside it. */
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
      /** The account of the record, where it was at hand. */
      readonly resident?: Resident | undefined
      /** The record of the command's own idempotency key answers again. */
      readonly isReplay?: boolean
    }
  | { readonly _tag: "Held"; readonly holder: ClaimHolder }
  | Refusal
  | Trouble
