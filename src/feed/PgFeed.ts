/**
 * The feed on PostgreSQL: the index `journal_in_order`, up to the oldest open
 * transaction.
 *
 * Records of the present epoch are read only below `pg_snapshot_xmin`. All
 * transactions there have ended, so no record can appear below a position that
 * was returned. Earlier epochs are complete: an epoch begins when no group is in flight.
 */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Layer, Schema } from "effect"
import * as Connect from "../database/Connect.ts"
import { Database, DatabaseStartError } from "../database/Database.ts"
import * as Durability from "../database/Durability.ts"
import { firstOf, int8, oneOf, rowsOf, xid8 } from "../database/Values.ts"
import { JournalUnavailable, type Millis } from "../journal/Records.ts"
import type { Query } from "../journal/postgres/Query.ts"
import { recordColumns, StoredRecord } from "../journal/postgres/StoredRows.ts"
import * as Bounds from "./Bounds.ts"
import { Feed, timeSlackMs } from "./Feed.ts"
import * as Position from "./Position.ts"

const inOrder = "epoch, transaction, account, seq"
const given = "($1, $2, $3, $4)"
/** The first place that cannot be read yet. One row comparison, so that the index scan stops there. */
const horizon = "((SELECT epoch FROM installation), pg_snapshot_xmin(pg_current_snapshot()))"

const parameters = ({ account, epoch, seq, transaction }: Position.Position) => [
  PgTypes.int4(epoch),
  xid8(transaction),
  int8(account),
  int8(seq)
]

const statement = (comparison: ">" | ">=") => `SELECT epoch, transaction, ${recordColumns}
  FROM journal WHERE (${inOrder}) ${comparison} ${given} AND (epoch, transaction) < ${horizon}
  ORDER BY ${inOrder} LIMIT $5`
const afterStatement = statement(">")
const fromStatement = statement(">=")

const feedRows = rowsOf(Schema.Struct({ epoch: Schema.Number, transaction: Schema.BigInt, ...StoredRecord.fields }))
const transactionRow = firstOf(Schema.Struct({ transaction: Schema.BigInt, at: Schema.Number }))
const horizonRow = oneOf(Schema.Struct({ epoch: Schema.Number, oldest: Schema.BigInt }))
const timeRow = firstOf(Schema.Struct({ at: Schema.Number }))

/** The first record of an epoch at or after a transaction. */
const firstFrom = (query: Query, epoch: number, transaction: bigint) =>
  transactionRow(
    query(
      `SELECT transaction, at FROM journal
        WHERE epoch = $1 AND transaction >= $2 ORDER BY ${inOrder} LIMIT 1`,
      [PgTypes.int4(epoch), xid8(transaction)]
    )
  )

/** The position where records of an epoch reach a time. Times rise with transactions, within the slack. */
const searchEpoch = Effect.fnUntraced(function* (
  query: Query,
  epoch: number,
  first: bigint,
  end: bigint,
  time: Millis
) {
  let low = first
  let high = end
  while (high - low > 1n) {
    const middle = low + (high - low) / 2n
    const found = yield* firstFrom(query, epoch, middle)
    if (found === undefined || found.at >= time) high = middle
    else low = found.transaction
  }
  return Position.beforeTransaction(epoch, low)
})

const make = (query: Query): Feed["Service"] => {
  const horizonNow = horizonRow(
    query("SELECT epoch, pg_snapshot_xmin(pg_current_snapshot()) AS oldest FROM installation", [])
  )
  return {
    read: (after, limit) =>
      Effect.map(
        feedRows(query(after.n === undefined ? afterStatement : fromStatement, [...parameters(after), int8(limit)])),
        (rows) =>
          rows.map(({ epoch, transaction, ...record }) => {
            const position = { epoch, transaction, account: record.account, seq: record.seq }
            return { ...record, position, passed: Position.compare(position, after) === 0 ? (after.n ?? 0) : 0 }
          })
      ),
    now: Effect.map(horizonNow, ({ epoch, oldest }) => Position.beforeTransaction(epoch, oldest)),
    at: Effect.fnUntraced(function* (time) {
      const present = yield* horizonNow
      const wanted = time - timeSlackMs
      for (let { epoch } = present; epoch > 0; epoch--) {
        const first = yield* firstFrom(query, epoch, 0n)
        if (first === undefined || first.at >= wanted) continue
        // Transaction ids of earlier epochs can have any value.
        const end = epoch === present.epoch ? present.oldest : Bounds.transactionsEnd
        return yield* searchEpoch(query, epoch, first.transaction, end, wanted)
      }
      return Position.beginning
    }),
    oldestAfter: (after) =>
      Effect.map(
        timeRow(
          query(
            `SELECT at FROM journal WHERE (${inOrder}) ${after.n === undefined ? ">" : ">="} ${given}
              ORDER BY ${inOrder} LIMIT 1`,
            parameters(after)
          )
        ),
        (unread) => unread?.at
      )
  }
}

/** Uses its own connections, so that a long read does not delay the accounts' reads. */
export const layer: Layer.Layer<Feed, DatabaseStartError, Database> = Layer.effect(
  Feed,
  Effect.gen(function* () {
    const { durability = Durability.none } = yield* Database
    // Forces the index: the journal starts empty and grows before ANALYZE runs, so statistics can be wrong.
    const settings = { enable_seqscan: "off", enable_bitmapscan: "off" }
    const pool = yield* Connect.pool({ name: "feed", settings })
    return make((statement, parameters) =>
      Effect.mapError(
        Effect.andThen(durability.confirmed, pool.query(statement, parameters)),
        (cause) => new JournalUnavailable({ cause })
      )
    )
  }).pipe(
    Effect.catchTag("SqlError", (error) =>
      Effect.fail(new DatabaseStartError({ message: `PostgreSQL does not answer: ${error.message}` }))
    )
  )
)
