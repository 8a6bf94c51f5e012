/** What the actor of an account reads: itself, its records, and who holds a claim. */
import type { Effect } from "effect"
import type {
  AccountNumber,
  ClaimHolder,
  Hash128,
  JournalUnavailable,
  Snapshot,
  StoredAccount,
  StoredRecord,
  Witness
} from "./Records.ts"

export interface AccountReads {
  /** Who holds these claims, if anybody: durable, batched over callers. */
  readonly holders: (keys: ReadonlyArray<Hash128>) => Effect.Effect<ReadonlyArray<ClaimHolder>, JournalUnavailable>

  /**
   * What the tables say at one moment of an account and of claims: the account's
   * newest seq (0 where it is unknown), the programmes' revision and who holds the
   * keys. An owner asks before it refuses: a larger seq than its own means that
   * another owner wrote, another revision that it must decide again.
   */
  readonly witness: (account: AccountNumber, keys: ReadonlyArray<Hash128>) => Effect.Effect<Witness, JournalUnavailable>

  /** The account whose member has an identity now. */
  readonly findIdentity: (key: Hash128) => Effect.Effect<AccountNumber | undefined, JournalUnavailable>

  readonly findAccount: (
    programId: string,
    memberId: string
  ) => Effect.Effect<AccountNumber | undefined, JournalUnavailable>

  readonly loadAccount: (account: AccountNumber) => Effect.Effect<StoredAccount | undefined, JournalUnavailable>

  /** Records of an account with `fromSeq <= seq`, oldest first, at most `limit`. */
  readonly records: (
    account: AccountNumber,
    fromSeq: number,
    limit: number
  ) => Effect.Effect<ReadonlyArray<StoredRecord>, JournalUnavailable>

  /** Keeps a snapshot unless one of a later seq is there. */
  readonly saveSnapshot: (account: AccountNumber, snapshot: Snapshot) => Effect.Effect<void, JournalUnavailable>
}
