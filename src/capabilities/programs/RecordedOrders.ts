/** The newest orders of a programme as the rollups recorded them, and the standing of their members. */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { int8, optional, rowsOf } from "../../base/database/Values.ts"
import type { Standing } from "../../reads/rollups/Ladder.ts"
import * as Member from "../../reads/rollups/Member.ts"
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

const statement = `SELECT o.account, o.at, o.location_id AS location, o.accrued AS spend, m.joined, m.tier_id, m.tier_period,
    m.period, m.units,
    NOT EXISTS (SELECT FROM rollup_orders e WHERE e.account = o.account AND e.at < o.at AND e.counts)
      AND NOT EXISTS (SELECT FROM rollup_older r WHERE r.account = o.account AND r.orders > 0) AS is_first
  FROM rollup_orders o JOIN member_rollups m ON m.account = o.account
  WHERE o.program_id = $1 AND o.at >= $2 AND o.at < $3 AND o.counts
  ORDER BY o.at DESC, o.account DESC LIMIT $4`

/** The figures of a member that decide its tier, as the rollups store them. */
export const standingOf = (period: number | undefined, units: string): Standing => ({
  ...Member.unitsOf(units),
  period
})

/** At most `limit` orders of a range (ms, without its end), newest first. */
export const newest = (
  query: Query,
  program: string,
  range: { readonly from: number; readonly until: number },
  limit: number
) =>
  Effect.map(
    rows(query(statement, [text(program), int8(range.from), int8(range.until), PgTypes.int4(limit)])),
    (found) =>
      found.map(
        ({ account, at, is_first, joined, location, period, spend, tier_id, tier_period, units }): Recorded => ({
          account,
          at,
          location,
          spend,
          joined,
          tier: { tier: tier_id, period: tier_period },
          isFirst: is_first,
          standing: standingOf(period, units)
        })
      )
  )
