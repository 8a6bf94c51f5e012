/** Figures of promotions, given and foreseen (contract/operators.md *Promotions*). */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { storageUnavailable, WorkPool } from "../../base/database/Pools.ts"
import { int8, oneOf, rowsOf } from "../../base/database/Values.ts"
import { serviceTime } from "../../base/time/Times.ts"
import { AdminApi } from "../../contract/admin/Api.ts"
import type { Figures, Previewed, PromotionFigures } from "../../contract/admin/PromotionFigures.ts"
import {
  defaultFigureDays,
  maxFigureDays,
  maxPreviewOrders,
  previewDays
} from "../../contract/admin/PromotionFigures.ts"
import type { Refused } from "../../contract/Refused.ts"
import { said } from "../../contract/Said.ts"
import { fromMillis, toMillis } from "../../contract/Values.ts"
import { Programs } from "../../core/programs/Programs.ts"
import { dayMs } from "../../core/rules/Calendar.ts"
import type { Program } from "../../core/rules/Program.ts"
import { refuseFaults } from "../../desk/surface/Refusal.ts"
import { known } from "../../desk/surface/Visible.ts"
import { quarterMs, spansMs } from "../../reads/rollups/Bounds.ts"
import { RollupReads } from "../../reads/rollups/RollupReads.ts"
import { everywhere, quarterOf } from "../../reads/rollups/Sums.ts"
import { programOf } from "./ManagedPrograms.ts"
import { Trial } from "./PromotionTrial.ts"
import * as RecordedOrders from "./RecordedOrders.ts"

const { text } = PgTypes
const [quarter, utcDay] = spansMs

interface Range {
  readonly from: number
  readonly until: number
}

const rangeOf = (
  asked: { readonly from?: string | undefined; readonly until?: string | undefined },
  now: number
): Effect.Effect<Range, Refused> => {
  const end = asked.until === undefined ? now + 1 : toMillis(asked.until)
  const begin = asked.from === undefined ? end - defaultFigureDays * dayMs : toMillis(asked.from)
  const path = asked.from === undefined ? "/until" : "/from"
  if (begin >= end) return refuseFaults([{ path, message: "must be before the end of the range" }])
  if (end - begin > maxFigureDays * dayMs)
    return refuseFaults([{ path, ...said`must be at most ${maxFigureDays} days before the end of the range` }])
  return Effect.succeed({ from: quarterOf(begin), until: quarterOf(end - 1) + quarterMs })
}

const usesRows = rowsOf(
  Schema.Struct({
    promotion: Schema.String,
    unit: Schema.String,
    uses: Schema.Number,
    points: Schema.Number,
    spend: Schema.Number
  })
)
/** Orders of the range that do not count now. Those that a version before 0.4 counted stay in the figures. */
const uncounted = (from: string, until: string) =>
  `rollup_orders o WHERE program_id = $1 AND at >= ${from} AND at < ${until} AND NOT counts AND promotions IS NOT NULL`

/**
 * Quarters before the first UTC midnight and after the last one, and the days between: each a SELECT of its own, which
 * reads one range of the primary key. Orders that do not count now are taken off.
 */
const usesStatement = `SELECT promotion_id AS promotion, unit, sum(uses)::float8 AS uses, sum(points)::float8 AS points,
    sum(spend)::float8 AS spend
  FROM (
    SELECT promotion_id, unit::text, uses, points, spend FROM rollup_promotions
      WHERE program_id = $1 AND span = ${quarter} AND start >= $2 AND start < least($3, $5)
    UNION ALL
    SELECT promotion_id, unit::text, uses, points, spend FROM rollup_promotions
      WHERE program_id = $1 AND span = ${utcDay} AND start >= $3 AND start < $4
    UNION ALL
    SELECT promotion_id, unit::text, uses, points, spend FROM rollup_promotions
      WHERE program_id = $1 AND span = ${quarter} AND start >= $4 AND start < $5
    UNION ALL
    SELECT given ->> 0, given ->> 1, -1, -(given ->> 2)::numeric, -o.accrued
      FROM (SELECT accrued, promotions FROM ${uncounted("$2", "$5")}) o, jsonb_array_elements(o.promotions) given
  ) r GROUP BY 1, 2 HAVING sum(uses) > 0 ORDER BY 1, 2`

const totalsRow = oneOf(Schema.Struct({ orders: Schema.Number, spend: Schema.Number }))
const totalsStatement = `SELECT (coalesce(sum(r.orders), 0) - min(gone.orders))::float8 AS orders,
    (coalesce(sum(r.eligible_spend), 0) - min(gone.spend))::float8 AS spend
  FROM (SELECT count(*) AS orders, coalesce(sum(accrued), 0) AS spend FROM ${uncounted("$2", "$3")}) gone
    LEFT JOIN rollup_activity r ON r.program_id = $1 AND r.unit = ANY (enum_range(null::unit))
      AND r.location_id = '${everywhere}' AND r.quarter >= $2 AND r.quarter < $3`

type Uses = Effect.Success<ReturnType<typeof usesRows>>[number]

const ordersOf = (currency: string, count: number, spend: number): Figures["with"] => ({
  count,
  eligible_spend: { amount: spend, currency },
  average: { amount: count === 0 ? 0 : Math.floor(spend / count), currency }
})

/** The figures of each promotion: those of the programme first. */
const figuresOf = (
  { currency, file }: Program,
  uses: ReadonlyArray<Uses>,
  all: { readonly orders: number; readonly spend: number }
): ReadonlyArray<Figures> => {
  const ids = new Set([
    ...(file.promotions ?? []).map(({ promotion_id }) => promotion_id),
    ...uses.map(({ promotion }) => promotion)
  ])
  return [...ids].map((promotion_id) => {
    const own = uses.filter(({ promotion }) => promotion === promotion_id)
    const [count, spend] = [own.reduce((sum, one) => sum + one.uses, 0), own.reduce((sum, one) => sum + one.spend, 0)]
    return {
      promotion_id,
      points: own.map(({ points, unit }) => ({ unit: unit as Program["primaryUnit"], amount: points })),
      with: ordersOf(currency, count, spend),
      without: ordersOf(currency, all.orders - count, all.spend - spend)
    }
  })
}

/** Orders after which other work gets the thread: about a millisecond with 100 promotions. */
const ordersAtOnce = 20

const make = Effect.gen(function* () {
  const { query } = yield* WorkPool
  const { now } = yield* serviceTime
  const [programs, rollups] = [yield* Programs, yield* RollupReads]
  const stored = Effect.mapError(() => storageUnavailable)

  const figures = Effect.fn("PromotionFigures.show")(function* (
    id: string,
    asked: { readonly from?: string | undefined; readonly until?: string | undefined }
  ): Effect.fn.Return<PromotionFigures, Refused> {
    const program = yield* known(programs, id)
    const { from, until } = yield* rangeOf(asked, now())
    // Read first: the figures then count at least the records up to this time.
    const asOf = (yield* stored(rollups.asOf(id))) ?? now()
    const first = Math.ceil(from / utcDay) * utcDay
    const last = Math.max(first, Math.floor(until / utcDay) * utcDay)
    const uses = yield* usesRows(query(usesStatement, [text(id), int8(from), int8(first), int8(last), int8(until)]))
    const all = yield* totalsRow(query(totalsStatement, [text(id), int8(from), int8(until)]))
    return {
      program_id: id,
      as_of: fromMillis(Math.min(asOf, now())),
      from: fromMillis(from),
      until: fromMillis(until),
      promotions: figuresOf(program, uses, all)
    }
  })

  const preview = Effect.fn("PromotionFigures.preview")(function* (
    id: string,
    json: unknown
  ): Effect.fn.Return<Previewed, Refused> {
    yield* known(programs, id)
    const program = yield* programOf(json)
    if (program.id !== id) return yield* refuseFaults([{ path: "/program/program_id", ...said`must be ${id}` }])
    const until = now()
    const range = { from: until - previewDays * dayMs, until }
    const found = yield* RecordedOrders.newest(query, id, range, maxPreviewOrders + 1)
    const orders = found.slice(0, maxPreviewOrders).toReversed()
    const trial = new Trial(program, until)
    for (const [place, order] of orders.entries()) {
      trial.order(order)
      if (place % ordersAtOnce === 0) yield* Effect.yieldNow
    }
    return {
      from: fromMillis(range.from),
      until: fromMillis(until),
      orders: orders.length,
      all_taken: found.length === orders.length,
      ...trial.result
    }
  })
  return { figures, preview }
})

export const layer = HttpApiBuilder.group(AdminApi, "promotions", (handlers) =>
  Effect.map(make, ({ figures, preview }) =>
    handlers
      .handle("promotionFigures", ({ params, query }) => figures(params.program_id, query))
      .handle("previewPromotions", ({ params, payload }) => preview(params.program_id, payload.program))
  )
)
