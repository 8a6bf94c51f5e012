/**
 * The answers of an account: outcomes of commands, and states for reads.
 *
 * Three words tell why an earlier record answers a command. A *replay* has the idempotency key of that record. A
 * *repeat* has its business identifier under another key. An action that was *done before* (`DoneBefore`), such as a
 * second capture, shares neither.
 */
import * as Effect from "effect/Effect"
import type { ClaimHolder, JournalUnavailable, MemberRow } from "../journal/Records.ts"
import type { Recorded } from "./Codec.ts"
import type { Refusal } from "./domain/Refusal.ts"
import type { State } from "./domain/State.ts"

/** The reasons why a command was not executed, besides the domain's refusals. `Unreachable`: its owner cannot be called. */
export type Trouble =
  | { readonly _tag: "Unavailable" | "Unreachable" | "Overloaded" | "Frozen" }
  /** It needs records of an archived month, YYYY-MM. */
  | { readonly _tag: "Archived"; readonly month: string }

export const unavailable: Trouble = { _tag: "Unavailable" }

/** A failure of the journal as an answer. */
export const troubleOf = ({ archived }: JournalUnavailable): Trouble =>
  archived === undefined ? unavailable : { _tag: "Archived", month: archived }

/** A failure of the journal as an answer. */
export const orUnavailable = <A>(effect: Effect.Effect<A, JournalUnavailable>): Effect.Effect<A | Trouble> =>
  Effect.catchTag(effect, "JournalUnavailable", (error) => Effect.succeed(troubleOf(error)))

/** The committed state and the member's personal data. */
export interface Resident {
  readonly _tag: "Resident"
  readonly account: number
  readonly state: State
  readonly member: MemberRow
}

/** Facts of the member that an answer shows beside the record: all but its open lots, holds and rewards. */
export interface Shown {
  readonly account: number
  readonly state: Omit<State, "units" | "reservations" | "rewards">
  readonly member: MemberRow
}

/** The outcome of a command: a record (its own or an earlier one), a refusal, trouble. */
export type Outcome =
  | {
      readonly _tag: "Answered"
      readonly record: Recorded
      /** The record's account, if it was loaded anyway. */
      readonly resident?: Shown | undefined
      /** True if the answer is the stored one of the command's idempotency key. */
      readonly isReplay?: boolean
      /** True if an earlier command wrote the record. */
      readonly isEarlier?: boolean
    }
  | Refusal
  | Trouble

/** The outcome that a command would have now, with its account afterwards unless it repeats an earlier one. */
export type Foreseen =
  | Exclude<Outcome, { readonly _tag: "Answered" }>
  | (Extract<Outcome, { readonly _tag: "Answered" }> & { readonly resident?: Resident | undefined })

/** An enrolment's outcome if another account has the identity, the external id or the member id. */
export interface Taken {
  readonly _tag: "Taken"
  readonly holder: ClaimHolder
}
