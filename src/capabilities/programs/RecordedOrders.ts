/** Orders of a programme as the rollups recorded them, and the standing of their members. */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { int8, oneOf, optional, rowsOf } from "../../base/database/Values.ts"
import { maxTriedOrders } from "../../contract/admin/PublicationPreview.ts"
import type { Standing } from "../../reads/rollups/Ladder.ts"
import * as Member from "../../reads/rollups/Member.ts"
import { everywhere, quarterOf } from "../../reads/rollups/Sums.ts"
import type { RecordedOrder } from "./PromotionTrial.ts"

const { text } = PgTypes

export interface Recorded extends RecordedOrder {
  readonly standing: Standing
}

const rows = rowsOf(
  Schema.Struct({
    account: Schema.Number,
    at: Schema.Number,
    location: optional(Schema.String),
    spend: Schema.Number,
    joined: Schema.Number,
    tier_id: Schema.String,
    tier_period: Schema.Number,
    period: optional(Schema.Number),
    units: Schema.String,
    is_first: Schema.Boolean
  })
)

const select = `SELECT o.account, o.at, o.location_id AS location, o.accrued AS spend, m.joined, m.tier_id, m.tier_period,
    m.period, m.units,
    NOT EXISTS (SELECT FROM rollup_orders e WHERE e.account = o.account AND e.at < o.at AND e.counts)
      AND NOT EXISTS (SELECT FROM rollup_older r WHERE r.account = o.account AND r.orders > 0) AS is_first`
const ofRange = `o.program_id = $1 AND o.at >= $2 AND o.at < $3 AND o.counts
  ORDER BY o.at DESC, o.account DESC LIMIT $4`
const statement = `${select} FROM rollup_orders o JOIN member_rollups m ON m.account = o.account WHERE ${ofRange}`

/** Most members that a sample looks up: some tenths of a second. */
const maxSampledMembers = 100_000
/** Least members that a sample is of, so that it does not hang on a few. */
const leastSampledMembers = 100
/** Most orders that a sample reads, some tenths of a second: a guest may have any number. */
const maxReadOrders = 4 * maxTriedOrders

/** Each so many-th member, by keys alone: no table is read whole. All orders of a guest, so that limits for guests count. */
const sampleStatement = `WITH steps AS (
    SELECT max(account) AS last, greatest($5, max(account) / ${maxSampledMembers}) AS step FROM member_rollups
  ) ${select}
  FROM steps CROSS JOIN LATERAL generate_series(step, last, step) s(account)
    JOIN member_rollups m ON m.account = s.account AND m.program_id = $1
    JOIN rollup_orders o ON o.account = m.account
  WHERE ${ofRange}`

const totalRow = oneOf(Schema.Struct({ orders: Schema.Number }))
const totalStatement = `SELECT coalesce(sum(orders - closed), 0)::float8 AS orders FROM rollup_activity
  WHERE program_id = $1 AND unit = ANY (enum_range(null::unit)) AND location_id = '${everywhere}'
    AND quarter >= $2 AND quarter < $3`

/** The figures of a member that decide its tier, as the rollups store them. */
export const standingOf = (period: number | undefined, units: string): Standing => ({
  ...Member.unitsOf(units),
  period
})

type Row = Effect.Success<ReturnType<typeof rows>>[number]

const recordedOf = ({ is_first, period, tier_id, tier_period, units, ...same }: Row): Recorded => ({
  ...same,
  tier: { tier: tier_id, period: tier_period },
  isFirst: is_first,
  standing: standingOf(period, units)
})

/** A range of time, ms, without its end. */
interface Range {
  readonly from: number
  readonly until: number
}

const bounds = (program: string, { from, until }: Range, limit: number) => [
  text(program),
  int8(from),
  int8(until),
  PgTypes.int4(limit)
]

/** At most `limit` orders of a range, newest first. */
export const newest = (query: Query, program: string, range: Range, limit: number) =>
  Effect.map(rows(query(statement, bounds(program, range, limit))), (found) => found.map(recordedOf))

/**
 * Orders of a range, oldest first, and how many it has: all of `maxTriedOrders` at most, or about so many of a sample of
 * `members`, the same one each time.
 */
export const ofMembers = Effect.fnUntraced(function* (query: Query, program: string, range: Range, members: number) {
  const { orders: total } = yield* totalRow(
    query(totalStatement, [text(program), int8(quarterOf(range.from)), int8(range.until)])
  )
  const step = Math.min(Math.ceil(total / maxTriedOrders), Math.floor(members / leastSampledMembers))
  if (step <= 1) {
    const all = yield* newest(query, program, range, maxReadOrders)
    return { orders: all.toReversed(), total: all.length < maxReadOrders ? all.length : total }
  }
  const found = yield* rows(query(sampleStatement, [...bounds(program, range, maxReadOrders), int8(step)]))
  return { orders: found.map(recordedOf).toReversed(), total }
})
