/**
 * The journal: the durable log that every account decides into.
 *
 * The contract has five parts, so that a function can name the part it uses. `PgJournal` and `MemoryJournal` implement
 * all five, each on a group commit, with reads and switches of its own. One test suite runs against both.
 */
import { Context, Effect } from "effect"
import type { AccountReads } from "./AccountReads.ts"
import type { Append } from "./Append.ts"
import type { DueReads } from "./DueReads.ts"
import type { GroupCommit } from "./GroupCommit.ts"
import { makeClaimKey } from "./Hashing.ts"
import type { LedgerReads } from "./LedgerReads.ts"
import type { AccountNumber, JournalUnavailable } from "./Records.ts"
import type { Switches } from "./Switches.ts"

export class Journal extends Context.Service<Journal, Append & AccountReads & DueReads & LedgerReads & Switches>()(
  "lotbook/core/journal/Journal"
) {}

/** Parts that each implementation has of its own; group commit and hashing do the rest. */
export type ReadsAndSwitches = Omit<Journal["Service"], keyof Append>

interface JournalOptions {
  readonly commit: GroupCommit
  readonly secret: string
  readonly readsAndSwitches: ReadsAndSwitches
  /** First number of a fresh block. */
  readonly nextBlock: Effect.Effect<AccountNumber, JournalUnavailable>
  /** Numbers in a block. */
  readonly blockSize: number
}

/** A journal on a group commit. New accounts get numbers by the block, without a read for each. */
export const make = ({
  blockSize,
  commit,
  nextBlock,
  readsAndSwitches,
  secret
}: JournalOptions): Journal["Service"] => {
  let next = 1
  let end = 0
  const newAccountNumber: Append["newAccountNumber"] = Effect.suspend(() => {
    if (next < end) return Effect.succeed(next++)
    return Effect.map(nextBlock, (first) => {
      // Two callers may have fetched a block each: the later block wins, numbers of the other are skipped.
      next = first + 1
      end = first + blockSize
      return first
    })
  })
  return {
    ...readsAndSwitches,
    submit: commit.submit,
    submitLinked: commit.submitLinked,
    commits: commit.commits,
    claimKey: makeClaimKey(secret),
    newAccountNumber
  }
}
