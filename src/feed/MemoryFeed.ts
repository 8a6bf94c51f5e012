/** The feed of the in-memory journal: each group is a transaction, all in one epoch. */
import { Effect, Layer } from "effect"
import { MemoryStorage } from "../journal/MemoryJournal.ts"
import type { CommittedRecord, MemoryTables } from "../journal/MemoryJournal.ts"
import { Feed, timeSlackMs } from "./Feed.ts"
import * as Position from "./Position.ts"

const epoch = 1

const positionOf = ({ record: { account, seq }, transaction }: CommittedRecord): Position.Position => ({
  epoch,
  transaction: BigInt(transaction),
  account,
  seq
})

/** Index in `log` of the first record that satisfies `isReached`. Requires: all later ones satisfy it too. */
const firstPlace = (log: ReadonlyArray<CommittedRecord>, isReached: (one: CommittedRecord) => boolean): number => {
  let low = 0
  let high = log.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (isReached(log[middle]!)) high = middle
    else low = middle + 1
  }
  return low
}

const placeAfter = ({ log }: MemoryTables, after: Position.Position): number =>
  firstPlace(log, (one) => {
    const order = Position.compare(positionOf(one), after)
    return after.n === undefined ? order > 0 : order >= 0
  })

const make = (tables: MemoryTables): Feed["Service"] => ({
  read: (after, limit) =>
    Effect.sync(() => {
      const from = placeAfter(tables, after)
      return tables.log.slice(from, from + limit).map((one) => {
        const position = positionOf(one)
        return { ...one.record, position, passed: Position.compare(position, after) === 0 ? (after.n ?? 0) : 0 }
      })
    }),
  now: Effect.sync(() => Position.beforeTransaction(epoch, BigInt(tables.transactions + 1))),
  at: (time) =>
    Effect.sync(() => {
      const from = tables.log.findIndex(({ record }) => record.at >= time - timeSlackMs)
      if (from === 0) return Position.beginning
      const transaction = from < 0 ? tables.transactions + 1 : (tables.log[from]?.transaction ?? 0)
      return Position.beforeTransaction(epoch, BigInt(transaction))
    }),
  oldestAfter: (after) => Effect.sync(() => tables.log[placeAfter(tables, after)]?.record.at)
})

export const layer: Layer.Layer<Feed, never, MemoryStorage> = Layer.effect(
  Feed,
  Effect.map(MemoryStorage, ({ tables }) => make(tables))
)
