/** Which accounts have something due: what wakes them reads. */
import type { Effect } from "effect"
import type { AccountNumber, DueAccount, JournalUnavailable, Millis } from "./Records.ts"

/** A version of a programme. */
interface ProgramVersion {
  readonly id: string
  readonly version: number
}

/** When an account is due next, computed by a version of its programme. */
export interface ComputedDue {
  /** The record up to which it was computed. */
  readonly seq: number
  readonly version: number
  readonly at: Millis | null
}

export interface DueReads {
  /**
   * Accounts with something due at or before `until`, earliest first, save the skipped ones. `partitions`: of these
   * alone (undefined: of all).
   */
  readonly due: (
    until: Millis,
    limit: number,
    skipped: ReadonlyArray<AccountNumber>,
    partitions?: ReadonlyArray<number>
  ) => Effect.Effect<ReadonlyArray<DueAccount>, JournalUnavailable>

  /**
   * Accounts whose next due time was computed by a version before these ones, save the skipped ones and those of closed
   * members, whose due time depends on no version.
   */
  readonly outdated: (
    inForce: ReadonlyArray<ProgramVersion>,
    limit: number,
    skipped: ReadonlyArray<AccountNumber>,
    partitions?: ReadonlyArray<number>
  ) => Effect.Effect<ReadonlyArray<AccountNumber>, JournalUnavailable>

  /** Stores when an account is due next, unless it has newer records, or this version or a newer one computed it. */
  readonly saveDue: (account: AccountNumber, due: ComputedDue) => Effect.Effect<void, JournalUnavailable>
}
