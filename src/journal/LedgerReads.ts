/** Lists for callers, out of tables beside the journal. */
import type { Effect } from "effect"
import type { AccountNumber, IssuedRewardRow, JournalUnavailable, LedgerQuery, LedgerRow } from "./Records.ts"

export interface LedgerReads {
  readonly ledger: (query: LedgerQuery) => Effect.Effect<ReadonlyArray<LedgerRow>, JournalUnavailable>

  /** All issued rewards of an account, newest first. */
  readonly issuedRewards: (account: AccountNumber) => Effect.Effect<ReadonlyArray<IssuedRewardRow>, JournalUnavailable>
}
