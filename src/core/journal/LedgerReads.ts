/** Lists for callers, out of tables beside the journal. */
import type { Effect } from "effect"
import type {
  AccountNumber,
  IssuedRewardRow,
  JournalUnavailable,
  LedgerQuery,
  LedgerRow,
  Millis,
  StoredRecord
} from "./Records.ts"

export interface LedgerReads {
  readonly ledger: (query: LedgerQuery) => Effect.Effect<ReadonlyArray<LedgerRow>, JournalUnavailable>

  /** Which of these entries, by number, have another amount than the one given with it. */
  readonly entriesOtherThan: (
    account: AccountNumber,
    amounts: ReadonlyArray<readonly [n: number, amount: number]>
  ) => Effect.Effect<ReadonlyArray<number>, JournalUnavailable>

  /** The records that posted the entries with these numbers, oldest first. */
  readonly recordsOf: (
    account: AccountNumber,
    numbers: ReadonlyArray<number>
  ) => Effect.Effect<ReadonlyArray<StoredRecord>, JournalUnavailable>

  /** The newest record of an account at or before an instant; found without reading those behind it. */
  readonly recordAt: (account: AccountNumber, at: Millis) => Effect.Effect<StoredRecord | undefined, JournalUnavailable>

  /** All issued rewards of an account, newest first. */
  readonly issuedRewards: (account: AccountNumber) => Effect.Effect<ReadonlyArray<IssuedRewardRow>, JournalUnavailable>
}
