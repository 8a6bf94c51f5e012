/**
 * A position in the feed: after a record.
 *
 * Records are ordered by epoch, transaction, account and seq. Transaction ids are
 * comparable only within an epoch (`begin_epoch` in migration 0001).
 */
import type { AccountNumber } from "../../core/journal/Records.ts"

export interface Position {
  readonly epoch: number
  readonly transaction: bigint
  readonly account: AccountNumber
  readonly seq: number
}

/** Before every record. */
export const beginning: Position = { epoch: 0, transaction: 0n, account: 0, seq: 0 }

/** Negative if `one` stands before `other`, 0 if they are the same. */
export const compare = (one: Position, other: Position): number =>
  one.epoch - other.epoch ||
  (one.transaction === other.transaction
    ? one.account - other.account || one.seq - other.seq
    : one.transaction < other.transaction
      ? -1
      : 1)

export const isSame = (one: Position, other: Position): boolean => compare(one, other) === 0
