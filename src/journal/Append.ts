/** Appending to the journal: group commit, and what a record is made with. */
import type { Effect } from "effect"
import type { ClaimKey } from "./Hashing.ts"
import type { AccountNumber, AppendOutcome, JournalRecord, JournalUnavailable } from "./Records.ts"

export interface Append {
  /**
   * Queues a record for the next group and says later, exactly once, what became
   * of it. Records of one account are submitted in the order of `seq` and may be
   * submitted on top of others still on their way; outcomes of one account are
   * reported in that order too. Never throws, never calls back before it returns.
   */
  readonly submit: (record: JournalRecord, done: (outcome: AppendOutcome) => void) => void

  /**
   * The same for a record each of two accounts, of which both are committed or none.
   * Records submitted before them are answered first, those after them wait.
   */
  readonly submitLinked: (
    records: readonly [JournalRecord, JournalRecord],
    done: (outcomes: readonly [AppendOutcome, AppendOutcome]) => void
  ) => void

  /** Keyed hash of parts (length-framed, so that no two lists collide). */
  readonly claimKey: ClaimKey

  /** A number for a new account; numbers may be skipped, never repeated. */
  readonly newAccountNumber: Effect.Effect<AccountNumber, JournalUnavailable>
}
