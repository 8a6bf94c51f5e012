/**
 * A position in the feed: after a record, or after some of its events.
 *
 * Records are ordered by epoch, transaction, account and seq. Transaction ids are
 * comparable only within an epoch (`begin_epoch` in migration 0001). Outside this
 * service a position is an opaque text.
 */
import { Option } from "effect"
import type { AccountNumber } from "../journal/Records.ts"
import { transactionsEnd } from "./Bounds.ts"

export interface Position {
  readonly epoch: number
  readonly transaction: bigint
  readonly account: AccountNumber
  readonly seq: number
  /** Number of the record's events before the position; undefined: all of them. */
  readonly n?: number | undefined
}

/** Before every record. */
export const beginning: Position = { epoch: 0, transaction: 0n, account: 0, seq: 0 }

/** A position before every record of a transaction: account numbers start at 1. */
export const beforeTransaction = (epoch: number, transaction: bigint): Position => ({
  epoch,
  transaction,
  account: 0,
  seq: 0
})

const sign = (a: bigint | number, b: bigint | number): number => (a < b ? -1 : a > b ? 1 : 0)

/** Compares the records of two positions, without their events. */
export const compare = (a: Position, b: Position): number =>
  sign(a.epoch, b.epoch) || sign(a.transaction, b.transaction) || sign(a.account, b.account) || sign(a.seq, b.seq)

export const toText = ({ account, epoch, n, seq, transaction }: Position): string =>
  Buffer.from([epoch, transaction, account, seq, ...(n === undefined ? [] : [n])].join(".")).toString("base64url")

/** PostgreSQL's largest int. */
const lastEpoch = 2 ** 31 - 1

const form = /^(\d{1,10})\.(\d{1,20})\.(\d{1,16})\.(\d{1,16})(?:\.(\d{1,10}))?$/

/** None for a text that does not come from `toText`. */
export const fromText = (text: string): Option.Option<Position> => {
  const found = form.exec(Buffer.from(text, "base64url").toString())
  if (found === null) return Option.none()
  const [, epoch, transaction, account, seq, n] = found
  const position: Position = {
    epoch: Number(epoch),
    transaction: BigInt(transaction ?? 0),
    account: Number(account),
    seq: Number(seq),
    ...(n === undefined ? undefined : { n: Number(n) })
  }
  if (position.epoch > lastEpoch || position.transaction > transactionsEnd) return Option.none()
  return toText(position) === text ? Option.some(position) : Option.none()
}
