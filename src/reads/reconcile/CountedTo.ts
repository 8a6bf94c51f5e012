/** How far sums that follow the feed count. */
import type * as Position from "../feed/Position.ts"

/** The place of a record as a verification reads it: transactions are below 2^53. */
interface Place {
  readonly epoch: number
  readonly transaction: number
  readonly account: number
  readonly seq: number
}

/** True for each record up to a position. */
export const countedTo = ({ account, epoch, seq, transaction }: Position.Position) => {
  const last = Number(transaction)
  return (record: Place): boolean =>
    (record.epoch - epoch || record.transaction - last || record.account - account || record.seq - seq) <= 0
}

/** A position for people. */
export const text = ({ account, epoch, seq, transaction }: Position.Position): string =>
  `record ${seq} of account ${account} (epoch ${epoch}, transaction ${transaction})`
