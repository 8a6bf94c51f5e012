/** The operators' reads of the rollups. No statement scans a table. */

import type { PgConnection } from "@effect/sql-pg"
import { PgTypes } from "@effect/sql-pg"
import { Context, Effect, Layer, Schema } from "effect"
import * as Connect from "../../base/database/Connect.ts"
import type { Database } from "../../base/database/Database.ts"
import { DatabaseStartError } from "../../base/database/Database.ts"
import { int8, oneOf, optional, texts } from "../../base/database/Values.ts"
import { MemberStatus } from "../../contract/Values.ts"
import { JournalUnavailable, type Millis } from "../../core/journal/Records.ts"
import { Feed } from "../feed/Feed.ts"
import { quarterMs } from "./Bounds.ts"
import { PositionColumns } from "./RollupStore.ts"
import { quarterOf } from "./Sums.ts"

/** Members with the same programme, status and tier, which filters treat alike. */
const Kind = Schema.Struct({
  program: Schema.String,
  status: MemberStatus,
  tier: Schema.Struct({ tier: Schema.String, period: Schema.Number }),
  members: Schema.Number
})
export type Kind = typeof Kind.Type

const PointSums = Schema.Struct({
  unit: Schema.String,
  posted: Schema.Number,
  reserved: Schema.Number,
  expiring: Schema.Number
})

/** Orders that count, of a range of time, and their spend net of refunds. */
const Sales = Schema.Struct({ orders: Schema.Number, eligibleSpend: Schema.Number })

/** Sums of the primary account's entries in a range of time. */
const Activity = Schema.Struct({
  issued: Schema.Number,
  /** Redeemed minus reversed. */
  redeemed: Schema.Number,
  expired: Schema.Number,
  adjusted: Schema.Number
})

export interface Figures {
  /** Every record up to this instant is counted. Undefined: every record. */
  readonly asOf: Millis | undefined
  readonly kinds: ReadonlyArray<Kind>
  readonly points: ReadonlyArray<typeof PointSums.Type>
  readonly sales: typeof Sales.Type
  readonly activity: typeof Activity.Type
}

interface FiguresQuery {
  readonly program: string
  readonly primaryUnit: string
  readonly day: { readonly start: Millis; readonly end: Millis }
  /** Points that expire in this time, both ends included. */
  readonly expiring: { readonly from: Millis; readonly until: Millis }
}

export class RollupReads extends Context.Service<
  RollupReads,
  {
    /** The number of members of each kind, of these programmes (undefined: all). */
    readonly kinds: (programs?: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Kind>, JournalUnavailable>
    readonly figures: (query: FiguresQuery) => Effect.Effect<Figures, JournalUnavailable>
    /** Every record of a programme up to this instant is counted. Undefined: every record. */
    readonly asOf: (program: string) => Effect.Effect<Millis | undefined, JournalUnavailable>
  }
>()("lotbook/reads/rollups/RollupReads") {}

const { text } = PgTypes

/** Runs a statement in a session with the settings of `session`. */
export type Query = (
  statement: string,
  parameters: ReadonlyArray<unknown>
) => Effect.Effect<ReadonlyArray<PgConnection.Row>, JournalUnavailable>

/** A JSON array of rows, empty if there are none. Numbers beyond 2^53 become the nearest ones, as the contract's `Sum` says. */
const rowsAsJson = (row: string, from: string) =>
  `(SELECT coalesce(json_agg(json_build_object(${row})), '[]') FROM ${from})`

const kindsAsJson = (where: string) =>
  rowsAsJson(
    `'program', program_id, 'status', status, 'tier', json_build_object('tier', tier_id, 'period', tier_period),
      'members', members`,
    `rollup_members WHERE members > 0 AND ${where}`
  )

const kindsStatement = `SELECT ${kindsAsJson("($1::text[] IS NULL OR program_id = ANY ($1::text[]))")} AS kinds`
const kindsRow = oneOf(Schema.Struct({ kinds: Schema.Array(Kind) }))

/** The kinds, read with `query`, which may be part of a transaction. */
export const kindsBy = <E>(
  query: (statement: string, parameters: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<PgConnection.Row>, E>,
  programs: ReadonlyArray<string> | undefined
): Effect.Effect<ReadonlyArray<Kind>, E> =>
  Effect.map(kindsRow(query(kindsStatement, [programs === undefined ? null : texts(programs)])), ({ kinds }) => kinds)

/** The rollups' position, and since when members of programme $1 wait for a tier of its ladder. */
const countedColumns = `epoch, transaction, account, seq,
    (SELECT since FROM rollup_ladders WHERE program_id = $1 AND sorted_to IS NOT NULL) AS sorted_since`
const Counted = Schema.Struct({ ...PositionColumns.fields, sorted_since: optional(Schema.Number) })
const countedRow = oneOf(Counted)

const asOfStatement = `SELECT ${countedColumns} FROM rollup_progress`

/** One statement, so that all figures come from one snapshot. */
const figuresStatement = `SELECT ${countedColumns}, ${kindsAsJson("program_id = $1")} AS kinds,
    ${rowsAsJson(
      `'unit', p.unit, 'posted', p.posted, 'reserved', p.reserved, 'expiring', (
        SELECT coalesce(sum(l.amount), 0) FROM rollup_lots l WHERE l.program_id = $1 AND l.unit = p.unit
          AND l.quarter BETWEEN $2 AND $3)`,
      "rollup_points p WHERE p.program_id = $1"
    )} AS points,
    (SELECT json_build_object('orders', coalesce(sum(orders), 0), 'eligibleSpend', coalesce(sum(spend), 0))
      FROM rollup_sales WHERE program_id = $1 AND span = ${quarterMs} AND start >= $5 AND start < $6) AS sales,
    (SELECT json_build_object('issued', coalesce(sum(issued), 0), 'redeemed', coalesce(sum(redeemed - reversed), 0),
        'expired', coalesce(sum(expired), 0), 'adjusted', coalesce(sum(adjusted), 0))
      FROM rollup_activity WHERE program_id = $1 AND unit = $4::unit AND location_id = ''
        AND quarter >= $5 AND quarter < $6) AS activity
  FROM rollup_progress`
const figuresRow = oneOf(
  Schema.Struct({
    ...Counted.fields,
    kinds: Schema.Array(Kind),
    points: Schema.Array(PointSums),
    sales: Sales,
    activity: Activity
  })
)

export const make = (query: Query, feed: Feed["Service"]): RollupReads["Service"] => {
  const asOf = ({ sorted_since: sortedSince, ...position }: typeof Counted.Type) =>
    Effect.map(feed.oldestAfter(position), (oldest) => {
      const waiting = [oldest, sortedSince].filter((at) => at !== undefined)
      return waiting.length === 0 ? undefined : Math.min(...waiting)
    })

  return {
    asOf: (program) => Effect.flatMap(countedRow(query(asOfStatement, [text(program)])), asOf),
    kinds: (programs) => kindsBy(query, programs),
    figures: Effect.fnUntraced(function* ({ day, expiring, primaryUnit, program }) {
      const { activity, kinds, points, sales, ...counted } = yield* figuresRow(
        query(figuresStatement, [
          text(program),
          int8(quarterOf(expiring.from)),
          int8(quarterOf(expiring.until)),
          text(primaryUnit),
          int8(day.start),
          int8(day.end)
        ])
      )
      return { asOf: yield* asOf(counted), kinds, points, sales, activity }
    })
  }
}

/** Forces plans that use the indexes, whatever the statistics say: no statement may scan a table. */
export const session = {
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_sort: "off",
  jit: "off"
}

export const layer: Layer.Layer<RollupReads, DatabaseStartError, Database | Feed> = Layer.effect(
  RollupReads,
  Effect.gen(function* () {
    const pool = yield* Connect.pool({ name: "figures", settings: session })
    return make(
      (statement, parameters) =>
        Effect.mapError(pool.query(statement, parameters), (cause) => new JournalUnavailable({ cause })),
      yield* Feed
    )
  }).pipe(
    Effect.catchTag("SqlError", (error) =>
      Effect.fail(new DatabaseStartError({ message: `PostgreSQL does not answer: ${error.message}` }))
    )
  )
)
