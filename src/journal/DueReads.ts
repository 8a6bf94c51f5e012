/** Which accounts have something due: what wakes them reads. */
import type { Effect } from "effect"
import type { AccountNumber, DueAccount, JournalUnavailable, Millis } from "./Records.ts"

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
}
