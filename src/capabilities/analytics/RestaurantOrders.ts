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

const falling = "r.business DESC, r.location_id DESC, r.at DESC, r.order_id DESC"

/**
 * One range of the index rollup_orders_places, from the cursor's day and restaurant on; of places it reads their parts. Orders of
 * a restaurant's day are sorted once they are read. The page is cut before members are looked up.
 */
const statement = (
  isOfPlaces: boolean
) => `SELECT r.business, r.location_id AS location, r.order_id AS order, r.at, r.spend,
    r.is_closed AS closed, a.member_id AS member
  FROM (
    SELECT * FROM rollup_orders r
    WHERE r.program_id = $1 AND r.business >= $2 AND r.business < $3 AND r.location_id <> ''
      AND (r.business, r.location_id) <= ($4, $5) AND (r.business, r.location_id, r.at, r.order_id) < ($4, $5, $6, $7)
      ${
        isOfPlaces
          ? `AND r.location_id = ANY ($9) AND (
              SELECT bool_or(r.business >= p.low AND r.business < p.high) FROM unnest($9::text[], $10::bigint[], $11::bigint[]) p(place, low, high)
              WHERE p.place = r.location_id
            )`
          : ""
      }
    ORDER BY ${falling} LIMIT $8
  ) r JOIN accounts a ON a.number = r.account
  ORDER BY ${falling}`
export const everywhereStatement = statement(false)
export const atPlacesStatement = statement(true)

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
    const end = last + dayMs
    const [business, location, at, order] = after === undefined ? [end, "", 0, ""] : placeIn(after)
    const asked = [
      ...[text(program.id), int8(first), int8(end), int8(business), text(location), int8(at), text(order), int8(limit)]
    ]
    return orderRows(
      places === undefined ? query(everywhereStatement, asked) : query(atPlacesStatement, [...asked, ...placed(places)])
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
