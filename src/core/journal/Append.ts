/** Appending to the journal: group commit, claim keys and account numbers. */
import type { Effect } from "effect"
import type { Commits } from "./Commits.ts"
import type { ClaimKey } from "./Hashing.ts"
import type { AccountNumber, AppendOutcome, JournalRecord, JournalUnavailable } from "./Records.ts"

export interface Append {
  /**
   * Queues a record for the next group and reports its outcome later, exactly
   * once. Records of one account are submitted in the order of `seq`, also on
   * top of records in flight; their outcomes are reported in that order too.
   * Never throws, never calls back before it returns.
   */
  readonly submit: (record: JournalRecord, done: (outcome: AppendOutcome) => void) => void

  /**
   * The same for one record each of two accounts: both are committed, or neither.
   * Records submitted before them are answered first, those after them wait.
   */
  readonly submitLinked: (
    records: readonly [JournalRecord, JournalRecord],
    done: (outcomes: readonly [AppendOutcome, AppendOutcome]) => void
  ) => void

  /** The commits of this node, for readers that wait for the next one. */
  readonly commits: Commits

  /** Keyed hash of parts (length-framed, so that no two lists collide). */
  readonly claimKey: ClaimKey

  /** A number for a new account; numbers may be skipped, never repeated. */
  readonly newAccountNumber: Effect.Effect<AccountNumber, JournalUnavailable>
}
