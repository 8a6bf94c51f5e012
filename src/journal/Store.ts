/**
 * What both versions of the journal share: the contract on top of a group
 * commit, numbers for new accounts by the block, keyed hashes.
 */
import * as Effect from "effect/Effect"
import type { Journal } from "./Journal.ts"
import type { AccountNumber, JournalUnavailable } from "./Records.ts"
import type { Append } from "./Append.ts"
import type { GroupCommit } from "./GroupCommit.ts"
import { makeClaimKey } from "./Hashing.ts"

/** Everything of the journal but what group commit and hashing do for it. */
export type Reads = Omit<Journal["Service"], keyof Append>

interface StoreOptions {
  readonly commit: GroupCommit
  readonly secret: string
  readonly reads: Reads
  /** First number of a fresh block. */
  readonly nextBlock: Effect.Effect<AccountNumber, JournalUnavailable>
  /** Numbers in a block. */
  readonly blockSize: number
}

export const make = (options: StoreOptions): Journal["Service"] => {
  let next = 1
  let end = 0
  const newAccountNumber: Journal["Service"]["newAccountNumber"] = Effect.suspend(() => {
    if (next < end) return Effect.succeed(next++)
    return Effect.map(options.nextBlock, (first) => {
      // Two callers may have fetched a block each: the later block wins, numbers of the other are skipped.
      next = first + 1
      end = first + options.blockSize
      return first
    })
  })
  return {
    ...options.reads,
    submit: options.commit.submit,
    submitLinked: options.commit.submitLinked,
    claimKey: makeClaimKey(options.secret),
    newAccountNumber
  }
}
