/** The reads of an account's actor: the account, its records, and holders of claims. */
import type { Effect } from "effect"
import type {
  AccountNumber,
  ClaimHolder,
  Hash128,
  JournalUnavailable,
  MemberRow,
  Millis,
  SealedAccount,
  Snapshot,
  StoredAccount,
  StoredRecord,
  Witness
} from "./Records.ts"

export interface AccountReads {
  /**
   * The records that hold these claims. Only durable ones; reads of several callers are batched. `key`: an idempotency key, also
   * one that has an end (`Claim.hasEnd`); it is looked for in more places than the others.
   */
  readonly holders: (
    keys: ReadonlyArray<Hash128>,
    key?: Hash128
  ) => Effect.Effect<ReadonlyArray<ClaimHolder>, JournalUnavailable>

  /**
   * Reads, in one snapshot, the account's newest seq (0 if it is unknown), the
   * programmes' revision and the holders of the keys, as `holders` does. An owner calls this before it
   * refuses a command. A larger seq than its own means that another owner wrote;
   * another revision means that it must decide again.
   */
  readonly witness: (
    account: AccountNumber,
    keys: ReadonlyArray<Hash128>,
    key?: Hash128
  ) => Effect.Effect<Witness, JournalUnavailable>

  /** The account whose member has an identity now. */
  readonly findIdentity: (key: Hash128) => Effect.Effect<AccountNumber | undefined, JournalUnavailable>

  readonly findAccount: (
    programId: string,
    memberId: string
  ) => Effect.Effect<AccountNumber | undefined, JournalUnavailable>

  /**
   * When the newest record was written of before the last promotion or restore: what came after it may be lost. Undefined:
   * there was none.
   */
  readonly lostAfter: Effect.Effect<Millis | undefined, JournalUnavailable>

  readonly loadAccount: (account: AccountNumber) => Effect.Effect<StoredAccount | undefined, JournalUnavailable>

  /** The account in the newest seal of a span with records of it; undefined without one. */
  readonly sealed: (account: AccountNumber) => Effect.Effect<SealedAccount | undefined, JournalUnavailable>

  /** Records of an account with `fromSeq <= seq`, oldest first, at most `limit`. */
  readonly records: (
    account: AccountNumber,
    fromSeq: number,
    limit: number
  ) => Effect.Effect<ReadonlyArray<StoredRecord>, JournalUnavailable>

  /** The personal data that a record's answer showed; undefined after an erasure. */
  readonly shownMember: (
    account: AccountNumber,
    seq: number
  ) => Effect.Effect<MemberRow | undefined, JournalUnavailable>

  /** Stores a snapshot, unless one of a later seq is stored. */
  readonly saveSnapshot: (account: AccountNumber, snapshot: Snapshot) => Effect.Effect<void, JournalUnavailable>
}
