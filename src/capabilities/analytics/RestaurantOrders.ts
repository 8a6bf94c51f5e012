/** Orders by restaurant, held to the restaurants of a limited caller (contract/engagement.md *Orders by restaurant*). */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { PeoplePool } from "../../base/database/Pools.ts"
import { int8, rowsOf } from "../../base/database/Values.ts"
import { PlatformApi } from "../../contract/platform/Api.ts"
import type { RestaurantsQuery } from "../../contract/platform/RestaurantFigures.ts"
import type { RestaurantOrders } from "../../contract/platform/RestaurantOrders.ts"
import { fromMillis } from "../../contract/Values.ts"
import { dayMs } from "../../core/rules/Calendar.ts"
import type { Program } from "../../core/rules/Program.ts"
import type * as Csv from "../../desk/surface/Csv.ts"
import * as Limited from "../../desk/surface/Limited.ts"
import type { PageQuery } from "../../desk/surface/Paging.ts"
import { businessSpan } from "../../reads/rollups/Bounds.ts"
import { RollupReads } from "../../reads/rollups/RollupReads.ts"
import * as BusinessRange from "./BusinessRange.ts"
import { placed } from "./RestaurantFigures.ts"
import * as RestaurantList from "./RestaurantList.ts"

const { text } = PgTypes

const Row = Schema.Struct({
  business: Schema.Number,
  location: Schema.String,
  order: Schema.String,
  at: Schema.Number,
  spend: Schema.Number,
  closed: Schema.Boolean,
  member: Schema.String
})
type Row = typeof Row.Type
const orderRows = rowsOf(Row)

/** Days with orders at restaurants: some rows a day and restaurant, out of the sums' index. */
const everywhere = `SELECT s.start, s.location_id FROM rollup_sales s WHERE s.program_id = $1 AND s.span = ${businessSpan}
    AND s.start >= $2 AND s.start < $3 AND s.location_id <> ''`
const atPlaces = `SELECT s.start, s.location_id FROM unnest($2::text[], $3::bigint[], $4::bigint[]) p(location_id, low, high)
    JOIN rollup_sales s ON s.program_id = $1 AND s.span = ${businessSpan} AND s.location_id = p.location_id
      AND s.start >= p.low AND s.start < p.high`

/** `days`: its parameters are the first `given`. A day of a restaurant is one look into the index rollup_orders_places. */
const statement = (days: string, given: number) => {
  const [limit, day, location, at, order] = [1, 2, 3, 4, 5].map((place) => `$${given + place}`)
  return `SELECT d.start AS business, d.location_id AS location, o.order_id AS order, o.at, o.spend, o.is_closed AS closed,
      a.member_id AS member
    FROM (${days}) d CROSS JOIN LATERAL (
      SELECT * FROM rollup_orders r WHERE r.program_id = $1 AND r.business = d.start AND r.location_id = d.location_id
        AND (${day}::bigint IS NULL
          OR (d.start, d.location_id, r.at, r.order_id) < (${day}::bigint, ${location}::text, ${at}::bigint, ${order}::text))
      ORDER BY r.at DESC, r.order_id DESC LIMIT ${limit}
    ) o JOIN accounts a ON a.number = o.account
    WHERE ${day}::bigint IS NULL OR (d.start, d.location_id) <= (${day}::bigint, ${location}::text)
    ORDER BY d.start DESC, d.location_id DESC, o.at DESC, o.order_id DESC LIMIT ${limit}`
}
const everywhereStatement = statement(everywhere, 3)
const atPlacesStatement = statement(atPlaces, 4)

/** Where an order stands in the list, as text for a cursor. */
const placeOf = ({ at, business, location, order }: Row): string => JSON.stringify([business, location, at, order])
const Place = Schema.fromJsonString(Schema.Tuple([Schema.Number, Schema.String, Schema.Number, Schema.String]))
const placeIn = Schema.decodeSync(Place)

const columns = [
  "order_id",
  "location_id",
  "business_date",
  "accrued_at",
  "member_id",
  "eligible_spend",
  "currency",
  "closed"
]

const cellsOf = ({ currency }: Program, row: Row): ReadonlyArray<Csv.Cell> => [
  row.order,
  row.location,
  BusinessRange.dateText(row.business),
  fromMillis(row.at),
  row.member,
  row.spend,
  currency,
  row.closed ? "true" : undefined
]

const shown = ({ currency }: Program, row: Row): RestaurantOrders["orders"][number] => ({
  order_id: row.order,
  location_id: row.location,
  business_date: BusinessRange.dateText(row.business),
  accrued_at: fromMillis(row.at),
  member_id: row.member,
  eligible_spend: { amount: row.spend, currency },
  ...(row.closed ? { closed: true as const } : undefined)
})

const make = Effect.gen(function* () {
  const { query } = yield* PeoplePool
  const rollups = yield* RollupReads

  const read = ({ first, last, places, program }: RestaurantList.Asked, after: string | undefined, limit: number) => {
    const [business, location, at, order] = after === undefined ? [] : placeIn(after)
    const rest = [int8(limit), int8(business ?? null), text(location ?? null), int8(at ?? null), text(order ?? null)]
    return orderRows(
      places === undefined
        ? query(everywhereStatement, [text(program.id), int8(first), int8(last + dayMs), ...rest])
        : query(atPlacesStatement, [text(program.id), ...placed(places), ...rest])
    )
  }

  const { csv, list } = yield* RestaurantList.make<Row>({
    name: "orders",
    action: "order.export",
    columns,
    placesOf: (caller, location, { first, last }) => Limited.placesOf(caller, location, first, last + dayMs),
    read,
    placeOf,
    cellsOf,
    asOf: rollups.asOf
  })

  const page = Effect.fnUntraced(function* (question: RestaurantsQuery & PageQuery) {
    const { program, rows, ...told } = yield* list(question)
    return { program_id: program.id, ...told, orders: rows.map((row) => shown(program, row)) }
  })

  return { page, csv }
})

export const layer = HttpApiBuilder.group(PlatformApi, "platform_restaurant_orders", (handlers) =>
  Effect.map(make, ({ csv, page }) =>
    handlers
      .handle("restaurantOrders", ({ query }) => page(query))
      .handle("restaurantOrdersCsv", ({ query }) => csv(query))
  )
)
