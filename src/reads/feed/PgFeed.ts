/**
 * The feed on PostgreSQL: span after span, by each one's index on (epoch, transaction), up to the oldest open
 * transaction.
 *
 * Records of the present epoch are read only below `pg_snapshot_xmin`. All
 * transactions there have ended, so no record can appear below a position that
 * was returned. Earlier epochs are complete: an epoch begins when no group is in flight. So does a span: all records of
 * one come before those of the next.
 */
import { Context, Effect, Layer, Schema } from "effect"
import * as Connect from "../../base/database/Connect.ts"
import { Database, DatabaseStartError } from "../../base/database/Database.ts"
import * as Durability from "../../base/database/Durability.ts"
import { firstOf, int8, rowsOf } from "../../base/database/Values.ts"
import { ArchiveFiles, type FileReads } from "../../core/journal/archive/ArchiveFiles.ts"
import type { Query } from "../../core/journal/postgres/Query.ts"
import { recordColumns, StoredRecord } from "../../core/journal/postgres/StoredRows.ts"
import { type JournalUnavailable, unavailableBy } from "../../core/journal/Records.ts"
import * as ArchivedFeed from "./ArchivedFeed.ts"
import { Feed } from "./Feed.ts"
import { given, horizon, inOrder, isOver, parameters, spanAfter } from "./FeedSql.ts"
import type * as Position from "./Position.ts"

const readStatement = `SELECT epoch, transaction, ${isOver}, ${recordColumns}
  FROM journal WHERE span = ${spanAfter} AND (${inOrder}) > ${given} AND (epoch, transaction) < ${horizon}
  ORDER BY ${inOrder} LIMIT $5`
const oldestStatement = `SELECT at FROM journal WHERE span = ${spanAfter} AND (${inOrder}) > ${given}
  ORDER BY ${inOrder} LIMIT 1`

const feedRows = rowsOf(
  Schema.Struct({
    epoch: Schema.Number,
    transaction: Schema.BigInt,
    isOver: Schema.Boolean,
    ...StoredRecord.fields
  })
)
const timeRow = firstOf(Schema.Struct({ at: Schema.Number }))

/** Statements of the feed, on connections of their own, so that a long read does not delay the accounts' reads. */
export class FeedQuery extends Context.Service<FeedQuery, Query>()("lotbook/reads/feed/FeedQuery") {}

export interface Placed extends Position.Position {
  readonly isOver: boolean
}

export type Read<Row> = (
  after: Position.Position,
  limit: number
) => Effect.Effect<ReadonlyArray<Row>, JournalUnavailable>

export interface Page<Row> {
  readonly rows: ReadonlyArray<Row>
  /** True if no more rows can be read now. False where the next one is archived, too: the next page is refused. */
  readonly isLast: boolean
}

/** Pages over the borders of spans, of pages that end with their span. */
export const acrossSpans = <Row extends Placed>(read: Read<Row>) => {
  const page = (after: Position.Position, limit: number): Effect.Effect<Page<Row>, JournalUnavailable> =>
    Effect.flatMap(read(after, limit), (rows) => {
      const last = rows.at(-1)
      const isLast = rows.length < limit
      if (last === undefined || !last.isOver || !isLast) return Effect.succeed({ rows, isLast })
      return Effect.map(page(last, limit - rows.length), (more) => ({ ...more, rows: [...rows, ...more.rows] })).pipe(
        Effect.catchTag("JournalUnavailable", (error) =>
          error.archived === undefined ? Effect.fail(error) : Effect.succeed({ rows, isLast: false })
        )
      )
    })
  return page
}

const make = (query: Query, files: FileReads | undefined): Feed["Service"] => ({
  read: (after, limit) => {
    const read = ArchivedFeed.through(
      files,
      (from, most) => feedRows(query(readStatement, [...parameters(from), int8(most)])),
      (files, from, most) => ArchivedFeed.ofFiles(query, files, from, most)
    )
    const rows = acrossSpans(read)(after, limit)
    return Effect.map(rows, ({ rows }) =>
      rows.map(({ epoch, isOver: _, transaction, ...record }) => {
        const position = { epoch, transaction, account: record.account, seq: record.seq }
        return { ...record, position }
      })
    )
  },
  oldestAfter: (after) =>
    Effect.catchTag(
      Effect.map(timeRow(query(oldestStatement, parameters(after))), (unread) => unread?.at),
      "JournalUnavailable",
      (error) => (error.archived === undefined ? Effect.fail(error) : ArchivedFeed.oldestAfter(query, after))
    )
})

const queryLayer = Layer.effect(
  FeedQuery,
  Effect.gen(function* () {
    const { durability = Durability.none } = yield* Database
    // Forces the index: the journal starts empty and grows before ANALYZE runs, so statistics can be wrong.
    // Sorts within a transaction are incremental, and stay.
    const settings = { enable_seqscan: "off", enable_bitmapscan: "off", enable_sort: "off", jit: "off" }
    const pool = yield* Connect.pool({ name: "feed", settings })
    return FeedQuery.of((statement, parameters) =>
      Effect.mapError(Effect.andThen(durability.confirmed, pool.query(statement, parameters)), unavailableBy)
    )
  }).pipe(
    Effect.catchTag("SqlError", (error) =>
      Effect.fail(new DatabaseStartError({ message: `PostgreSQL does not answer: ${error.message}` }))
    )
  )
)

export const layer: Layer.Layer<Feed | FeedQuery, DatabaseStartError, Database> = Layer.effect(
  Feed,
  Effect.gen(function* () {
    return make(yield* FeedQuery, yield* ArchiveFiles)
  })
).pipe(Layer.provideMerge(queryLayer))
