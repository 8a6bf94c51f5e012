/**
 * The feed on PostgreSQL: span after span, by each one's index on (epoch, transaction), up to the oldest open
 * transaction.
 *
 * Records of the present epoch are read only below `pg_snapshot_xmin`. All
 * transactions there have ended, so no record can appear below a position that
 * was returned. Earlier epochs are complete: an epoch begins when no group is in flight. So does a span: all records of
 * one come before those of the next.
 */
import { PgTypes } from "@effect/sql-pg"
import { Context, Effect, Layer, Schema } from "effect"
import * as Connect from "../../base/database/Connect.ts"
import { Database, DatabaseStartError } from "../../base/database/Database.ts"
import * as Durability from "../../base/database/Durability.ts"
import * as SpanOf from "../../base/database/SpanOf.ts"
import { firstOf, int8, rowsOf, xid8 } from "../../base/database/Values.ts"
import type { Query } from "../../core/journal/postgres/Query.ts"
import { recordColumns, StoredRecord } from "../../core/journal/postgres/StoredRows.ts"
import { type JournalUnavailable, unavailableBy } from "../../core/journal/Records.ts"
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

/** The span of a place: no span before it has a record after the place. */
export const spanOfPlace = "(SELECT max(b.span) FROM spans b WHERE b.span = 0 OR (b.epoch, b.transaction) <= ($1, $2))"

/**
 * The first span with a record after a place, readable or not: none of the spans before has another one. Refuses if it is
 * archived. Ordered, so that no other index than that of the order can be taken.
 */
export const spanAfter = `(SELECT ${SpanOf.here("f.span")} FROM (
    SELECT s.span FROM spans s LEFT JOIN archived_spans x ON x.span = s.span
    WHERE s.span >= ${spanOfPlace} AND CASE WHEN x.span IS NULL THEN (
      SELECT true FROM journal j WHERE j.span = s.span AND (j.epoch, j.transaction, j.account, j.seq) > ${given}
      ORDER BY j.epoch, j.transaction LIMIT 1
    ) ELSE (x.last_epoch, x.last_transaction, x.last_account, x.last_seq) > ${given} END ORDER BY s.span LIMIT 1) f)`
/** True for a record whose span gets no more. */
export const isOver = `span < (SELECT span FROM installation) AS "isOver"`

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

interface Placed extends Position.Position {
  readonly isOver: boolean
}

type Read<Row> = (after: Position.Position, limit: number) => Effect.Effect<ReadonlyArray<Row>, JournalUnavailable>

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

const make = (query: Query): Feed["Service"] => ({
  read: (after, limit) => {
    const rows = acrossSpans((from, most: number) => feedRows(query(readStatement, [...parameters(from), int8(most)])))(
      after,
      limit
    )
    return Effect.map(rows, ({ rows }) =>
      rows.map(({ epoch, isOver: _, transaction, ...record }) => {
        const position = { epoch, transaction, account: record.account, seq: record.seq }
        return { ...record, position }
      })
    )
  },
  oldestAfter: (after) => Effect.map(timeRow(query(oldestStatement, parameters(after))), (unread) => unread?.at)
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
  Effect.map(FeedQuery, make)
).pipe(Layer.provideMerge(queryLayer))
