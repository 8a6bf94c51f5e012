/** Figures by restaurant, held to the restaurants of a limited caller (contract/engagement.md *Figures by restaurant*). */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { Query } from "../../base/database/Pools.ts"
import { storageUnavailable, WorkPool } from "../../base/database/Pools.ts"
import { int8, int8s, optional, rowsOf, texts } from "../../base/database/Values.ts"
import { serviceTime } from "../../base/time/Times.ts"
import { PlatformApi } from "../../contract/platform/Api.ts"
import type { RestaurantFigures, RestaurantsQuery } from "../../contract/platform/RestaurantFigures.ts"
import { maxGuestDays } from "../../contract/platform/RestaurantFigures.ts"
import type { Refused } from "../../contract/Refused.ts"
import { fromMillis, Unit } from "../../contract/Values.ts"
import { Programs } from "../../core/programs/Programs.ts"
import { KeptTimes } from "../../core/retention/Kept.ts"
import { dayMs, dayStart } from "../../core/rules/Calendar.ts"
import type { Program } from "../../core/rules/Program.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Limited from "../../desk/surface/Limited.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import { businessSpan } from "../../reads/rollups/Bounds.ts"
import { RollupReads } from "../../reads/rollups/RollupReads.ts"
import { quarterOf } from "../../reads/rollups/Sums.ts"
import * as BusinessRange from "./BusinessRange.ts"

const { text } = PgTypes

const Sales = Schema.Struct({
  location: Schema.String,
  start: Schema.Number,
  orders: Schema.Number,
  spend: Schema.Number
})
const salesRows = rowsOf(Sales)
const sums = `s.location_id AS location, s.start, sum(s.orders)::float8 AS orders, sum(s.spend)::float8 AS spend`
const everywhere = `SELECT ${sums} FROM rollup_sales s WHERE s.program_id = $1 AND s.span = ${businessSpan}
    AND s.start >= $2 AND s.start < $3 AND s.location_id <> '' GROUP BY 1, 2 HAVING sum(s.orders) <> 0`
const atPlaces = `SELECT ${sums} FROM unnest($2::text[], $3::bigint[], $4::bigint[]) p(location_id, low, high)
    JOIN rollup_sales s ON s.program_id = $1 AND s.span = ${businessSpan} AND s.location_id = p.location_id
      AND s.start >= p.low AND s.start < p.high
  GROUP BY 1, 2 HAVING sum(s.orders) <> 0`

/** Values of `unnest` for places. */
export const placed = (places: ReadonlyArray<Limited.Place>) => [
  texts(places.map(({ location }) => location)),
  int8s(places.map(({ low }) => low)),
  int8s(places.map(({ high }) => high))
]

const amounts = ["issued", "redeemed", "reversed", "adjusted"] as const
const pointRows = rowsOf(
  Schema.Struct({
    location: Schema.String,
    unit: Unit,
    issued: Schema.Number,
    redeemed: Schema.Number,
    reversed: Schema.Number,
    adjusted: Schema.Number
  })
)
const pointsStatement = `SELECT a.location_id AS location, a.unit,
    ${amounts.map((name) => `sum(a.${name})::float8 AS ${name}`).join(", ")}
  FROM unnest($2::text[], $3::bigint[], $4::bigint[]) p(location_id, low, high)
    JOIN rollup_activity a ON a.program_id = $1 AND a.unit = ANY (enum_range(NULL::unit)) AND a.location_id = p.location_id
      AND a.quarter >= p.low AND a.quarter < p.high
  GROUP BY 1, 2`

const guestRows = rowsOf(Schema.Struct({ location: Schema.String, guests: Schema.Number }))
const counted = "count(DISTINCT o.account) AS guests"
const guestsEverywhere = `SELECT o.location_id AS location, ${counted} FROM rollup_orders o
  WHERE o.program_id = $1 AND o.business >= $2 AND o.business < $3 AND o.location_id <> '' AND o.counts GROUP BY 1`
const guestsAtPlaces = `SELECT p.location_id AS location, ${counted}
  FROM unnest($2::text[], $3::bigint[], $4::bigint[]) p(location_id, low, high)
    JOIN rollup_orders o ON o.program_id = $1 AND o.business >= p.low AND o.business < p.high
      AND o.location_id = p.location_id AND o.counts
  GROUP BY 1`

const nameRows = rowsOf(Schema.Struct({ location_id: Schema.String, name: optional(Schema.String) }))

/** Entries count when they were posted, so for the days as instants of the programme's zone. */
const instants = ({ zone }: Program, places: ReadonlyArray<Limited.Place>) =>
  places.map(({ high, location, low }) => ({
    location,
    low: quarterOf(dayStart(zone, low)),
    high: quarterOf(dayStart(zone, high))
  }))

const make = Effect.gen(function* () {
  const { query, transaction } = yield* WorkPool
  const { now } = yield* serviceTime
  const { order_figures } = yield* KeptTimes
  const [programs, rollups] = [yield* Programs, yield* RollupReads]

  /** True if the guests of a range are counted: it is short, and all its orders are kept. */
  const hasGuests = ({ first, last }: BusinessRange.Range) =>
    last - first < maxGuestDays * dayMs && first > now() - order_figures * dayMs

  const asked = Effect.fnUntraced(function* (
    program: Program,
    places: ReadonlyArray<Limited.Place> | undefined,
    of: BusinessRange.Range
  ) {
    return yield* transaction(
      Effect.gen(function* () {
        yield* query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        const range = [text(program.id), int8(of.first), int8(of.last + dayMs)]
        const at = places === undefined ? range : [text(program.id), ...placed(places)]
        const sales = yield* salesRows(query(places === undefined ? everywhere : atPlaces, at))
        const guests = hasGuests(of)
          ? yield* guestRows(query(places === undefined ? guestsEverywhere : guestsAtPlaces, at))
          : undefined
        const whole = [...new Set(sales.map(({ location }) => location))].map((location) => ({
          location,
          low: of.first,
          high: of.last + dayMs
        }))
        const points = yield* pointRows(
          query(pointsStatement, [text(program.id), ...placed(instants(program, places ?? whole))])
        )
        return { sales, guests, points, names: yield* namesOf(query, [...sales, ...points]) }
      })
    )
  })

  return Effect.fnUntraced(function* (
    question: RestaurantsQuery
  ): Effect.fn.Return<RestaurantFigures, Refused, CurrentCaller> {
    const caller = yield* CurrentCaller
    const program = yield* Visible.programOf(programs, caller, question.program_id)
    const range = yield* BusinessRange.rangeOf(program, question, now())
    const places = yield* Limited.placesOf(caller, question.location_id, range.first, range.last + dayMs)
    const counted = yield* Effect.mapError(rollups.asOf(program.id), () => storageUnavailable)
    const found = yield* asked(program, places, range)
    return {
      program_id: program.id,
      as_of: fromMillis(Math.min(counted ?? now(), now())),
      from: BusinessRange.dateText(range.first),
      to: BusinessRange.dateText(range.last),
      ...shown(program, found)
    }
  })
})

const namesOf = Effect.fnUntraced(function* (query: Query, rows: ReadonlyArray<{ readonly location: string }>) {
  const ids = [...new Set(rows.map(({ location }) => location))].toSorted()
  const found = yield* nameRows(
    query("SELECT location_id, name FROM locations WHERE location_id = ANY ($1)", [texts(ids)])
  )
  const names = new Map(found.map(({ location_id, name }) => [location_id, name]))
  return ids.map((id) => [id, names.get(id)] as const)
})

interface Found {
  readonly sales: Effect.Success<ReturnType<typeof salesRows>>
  /** Undefined: they are not counted. */
  readonly guests: Effect.Success<ReturnType<typeof guestRows>> | undefined
  readonly points: Effect.Success<ReturnType<typeof pointRows>>
  readonly names: ReadonlyArray<readonly [id: string, name: string | undefined]>
}

const shown = ({ currency }: Program, { guests, names, points, sales }: Found) => {
  const soldOf = (some: Found["sales"]) => ({
    orders: some.reduce((sum, { orders }) => sum + orders, 0),
    eligible_spend: { amount: some.reduce((sum, { spend }) => sum + spend, 0), currency }
  })
  const salesAt = Map.groupBy(sales, ({ location }) => location)
  const pointsAt = Map.groupBy(points, ({ location }) => location)
  const guestsAt = guests && new Map(guests.map(({ guests: number, location }) => [location, number]))
  const byDay = [...Map.groupBy(sales, ({ start }) => start)].toSorted(([one], [other]) => one - other)
  return {
    restaurants: names.map(([location_id, name]) => ({
      location_id,
      ...(name === undefined ? undefined : { name }),
      ...soldOf(salesAt.get(location_id) ?? []),
      ...(guestsAt === undefined ? undefined : { guests: guestsAt.get(location_id) ?? 0 }),
      points: (pointsAt.get(location_id) ?? []).map(({ location: _, ...one }) => one)
    })),
    by_day: byDay.map(([start, some]) => ({ date: BusinessRange.dateText(start), ...soldOf(some) }))
  }
}

export const layer = HttpApiBuilder.group(PlatformApi, "platform_restaurant_figures", (handlers) =>
  Effect.map(make, (ask) => handlers.handle("restaurantFigures", ({ query }) => ask(query)))
)
