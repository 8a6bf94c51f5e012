/**
 * The feed on PostgreSQL: the index `journal_in_order`, up to the oldest open
 * transaction.
 *
 * Records of the present epoch are read only below `pg_snapshot_xmin`. All
 * transactions there have ended, so no record can appear below a position that
 * was returned. Earlier epochs are complete: an epoch begins when no group is in flight.
 */
import { PgTypes } from "@effect/sql-pg"
import { Context, Effect, Layer, Schema } from "effect"
import * as Connect from "../../base/database/Connect.ts"
import { Database, DatabaseStartError } from "../../base/database/Database.ts"
import * as Durability from "../../base/database/Durability.ts"
import { firstOf, int8, rowsOf, xid8 } from "../../base/database/Values.ts"
import type { Query } from "../../core/journal/postgres/Query.ts"
import { recordColumns, StoredRecord } from "../../core/journal/postgres/StoredRows.ts"
import { JournalUnavailable } from "../../core/journal/Records.ts"
import { Feed } from "./Feed.ts"
import type * as Position from "./Position.ts"

export const inOrder = "epoch, transaction, account, seq"
export const given = "($1, $2, $3, $4)"
/** The first place that cannot be read yet. One row comparison, so that the index scan stops there. */
export const horizon = "((SELECT epoch FROM installation), pg_snapshot_xmin(pg_current_snapshot()))"

export const parameters = ({ account, epoch, seq, transaction }: Position.Position) => [
  PgTypes.int4(epoch),
  xid8(transaction),
  int8(account),
  int8(seq)
]

const readStatement = `SELECT epoch, transaction, ${recordColumns}
  FROM journal WHERE (${inOrder}) > ${given} AND (epoch, transaction) < ${horizon}
  ORDER BY ${inOrder} LIMIT $5`
const oldestStatement = `SELECT at FROM journal WHERE (${inOrder}) > ${given} ORDER BY ${inOrder} LIMIT 1`

const feedRows = rowsOf(Schema.Struct({ epoch: Schema.Number, transaction: Schema.BigInt, ...StoredRecord.fields }))
const timeRow = firstOf(Schema.Struct({ at: Schema.Number }))

/** Statements of the feed, on connections of their own, so that a long read does not delay the accounts' reads. */
export class FeedQuery extends Context.Service<FeedQuery, Query>()("lotbook/reads/feed/FeedQuery") {}

const make = (query: Query): Feed["Service"] => ({
  read: (after, limit) =>
    Effect.map(feedRows(query(readStatement, [...parameters(after), int8(limit)])), (rows) =>
      rows.map(({ epoch, transaction, ...record }) => {
        const position = { epoch, transaction, account: record.account, seq: record.seq }
        return { ...record, position }
      })
    ),
  oldestAfter: (after) => Effect.map(timeRow(query(oldestStatement, parameters(after))), (unread) => unread?.at)
})

const queryLayer = Layer.effect(
  FeedQuery,
  Effect.gen(function* () {
    const { durability = Durability.none } = yield* Database
    // Forces the index: the journal starts empty and grows before ANALYZE runs, so statistics can be wrong.
    const settings = { enable_seqscan: "off", enable_bitmapscan: "off" }
    const pool = yield* Connect.pool({ name: "feed", settings })
    return FeedQuery.of((statement, parameters) =>
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

export const layer: Layer.Layer<Feed | FeedQuery, DatabaseStartError, Database> = Layer.effect(
  Feed,
  Effect.map(FeedQuery, make)
).pipe(Layer.provideMerge(queryLayer))
