/**
 * A reader's place in the feed of events: after a record, or between two events of the next one. Its text is opaque to
 * readers.
 */
import type { Position } from "./Position.ts"
import * as PositionOf from "./Position.ts"

export interface Place {
  readonly position: Position
  /** Events of the record after `position` that the reader has. */
  readonly skipped: number
}

export const beginning: Place = { position: PositionOf.beginning, skipped: 0 }

/** True if a place is behind another one in the feed. */
export const isAfter = (
  { position: one, skipped }: Place,
  { position: other, skipped: otherSkipped }: Place
): boolean => {
  if (one.epoch !== other.epoch) return one.epoch > other.epoch
  if (one.transaction !== other.transaction) return one.transaction > other.transaction
  if (one.account !== other.account) return one.account > other.account
  return one.seq === other.seq ? skipped > otherSkipped : one.seq > other.seq
}

const pattern = /^p([0-9a-z]{1,6})\.([0-9a-z]{1,13})\.([0-9a-z]{1,11})\.([0-9a-z]{1,11})\.([0-9a-z]{1,6})$/

const maxInt4 = 2 ** 31 - 1
const maxTransaction = 2n ** 63n - 1n

export const toText = ({ position: { account, epoch, seq, transaction }, skipped }: Place): string =>
  `p${[epoch, transaction, account, seq, skipped].map((part) => part.toString(36)).join(".")}`

/** The place of a text that `toText` has made; undefined for any other. */
export const fromText = (text: string): Place | undefined => {
  const [, epoch = "", transaction = "", account = "", seq = "", skipped = ""] = pattern.exec(text) ?? []
  const whole = (part: string) => Number.parseInt(part, 36)
  const place = {
    position: { epoch: whole(epoch), transaction: wholeBig(transaction), account: whole(account), seq: whole(seq) },
    skipped: whole(skipped)
  }
  const { position } = place
  const isValid =
    position.epoch <= maxInt4 &&
    position.transaction <= maxTransaction &&
    Number.isSafeInteger(position.account) &&
    Number.isSafeInteger(position.seq)
  // One place has one text: no leading zeros.
  return isValid && toText(place) === text ? place : undefined
}

const wholeBig = (part: string): bigint =>
  [...part].reduce((sum, digit) => sum * 36n + BigInt(Number.parseInt(digit, 36)), 0n)

/** Negative: `a` comes before `b`. */
export const compare = (a: Place, b: Place): number => {
  const { epoch, transaction, account, seq } = a.position
  const other = b.position
  if (epoch !== other.epoch) return epoch - other.epoch
  if (transaction !== other.transaction) return transaction < other.transaction ? -1 : 1
  if (account !== other.account) return account - other.account
  return seq === other.seq ? a.skipped - b.skipped : seq - other.seq
}
