/**
 * A place in the feed: after a record, or after some of its events.
 *
 * Records are in the order of epoch, transaction, account and seq. Transaction
 * ids are compared within an epoch only (`begin_epoch` in migration 0001).
 * Outside of this service a position is an opaque text.
 */
import { Option } from "effect"
import type { AccountNumber } from "../journal/Journal.ts"

export interface Position {
  readonly epoch: number
  readonly transaction: bigint
  readonly account: AccountNumber
  readonly seq: number
  /** So many of the record's events come before; undefined: all of them. */
  readonly n?: number | undefined
}

/** Before every record. */
export const beginning: Position = { epoch: 0, transaction: 0n, account: 0, seq: 0 }

/** Before every record of a transaction: accounts are numbered from 1. */
export const beforeTransaction = (epoch: number, transaction: bigint): Position => ({
  epoch,
  transaction,
  account: 0,
  seq: 0
})

const sign = (a: bigint | number, b: bigint | number): number => (a < b ? -1 : a > b ? 1 : 0)

/** Orders the records of two positions, whatever of their events comes before. */
export const compare = (a: Position, b: Position): number =>
  sign(a.epoch, b.epoch) || sign(a.transaction, b.transaction) || sign(a.account, b.account) || sign(a.seq, b.seq)

export const toText = ({ account, epoch, n, seq, transaction }: Position): string =>
  Buffer.from([epoch, transaction, account, seq, ...(n === undefined ? [] : [n])].join(".")).toString("base64url")

const form = /^(\d{1,10})\.(\d{1,20})\.(\d{1,16})\.(\d{1,16})(?:\.(\d{1,10}))?$/

/** None for a text that `toText` did not make. */
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
  return toText(position) === text ? Option.some(position) : Option.none()
}
