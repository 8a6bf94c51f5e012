/**
 * Redemptions by restaurant, held to the restaurants of a limited caller (contract/engagement.md *Redemptions by restaurant*).
 */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { PeoplePool } from "../../base/database/Pools.ts"
import { int8, optional, rowsOf } from "../../base/database/Values.ts"
import { PlatformApi } from "../../contract/platform/Api.ts"
import type { RestaurantsQuery } from "../../contract/platform/RestaurantFigures.ts"
import type { RestaurantRedemptions } from "../../contract/platform/RestaurantRedemptions.ts"
import { fromMillis, Unit } from "../../contract/Values.ts"
import * as ReservationId from "../../core/account/ReservationId.ts"
import { aboutDays } from "../../core/protocol/Restaurants.ts"
import { dayMs } from "../../core/rules/Calendar.ts"
import type { Program } from "../../core/rules/Program.ts"
import type { RequestCaller } from "../../desk/access/CurrentCaller.ts"
import type * as Csv from "../../desk/surface/Csv.ts"
import * as Limited from "../../desk/surface/Limited.ts"
import type { PageQuery } from "../../desk/surface/Paging.ts"
import { Finance } from "../../reads/finance/Finance.ts"
import * as BusinessRange from "./BusinessRange.ts"
import { placed } from "./RestaurantFigures.ts"
import * as RestaurantList from "./RestaurantList.ts"

const { text } = PgTypes

const Row = Schema.Struct({
  account: Schema.Number,
  seq: Schema.Number,
  day: Schema.Number,
  location: Schema.String,
  at: Schema.Number,
  order: Schema.String,
  reward: Schema.String,
  issued: optional(Schema.String),
  unit: Unit,
  points: Schema.Number,
  captured: Schema.Number,
  reversed: optional(Schema.Number),
  member: Schema.String
})
type Row = typeof Row.Type
const redemptionRows = rowsOf(Row)

const falling = "r.day DESC, r.location_id DESC, r.at DESC, r.account DESC, r.seq DESC"

/**
 * One range of the index finance_redemptions_places, from the cursor on; of places it reads their parts. The page is cut before
 * members are looked up.
 */
const statement = (
  isOfPlaces: boolean
) => `SELECT r.account, r.seq, r.day, r.location_id AS location, r.at, r.order_id AS order,
    r.reward_id AS reward, r.issued_reward_id AS issued, r.unit, r.points, r.captured_at AS captured, r.reversed_at AS reversed,
    a.member_id AS member
  FROM (
    SELECT * FROM finance_redemptions r
    WHERE r.program_id = $1 AND r.day >= $2 AND (r.day, r.location_id, r.at, r.account, r.seq) < ($3, $4, $5, $6, $7)
      AND r.captured_at IS NOT NULL
      ${
        isOfPlaces
          ? `AND r.location_id = ANY ($9) AND (
              SELECT bool_or(r.at >= p.since AND r.at < p.till) FROM unnest($9::text[], $10::bigint[], $11::bigint[]) p(place, since, till)
              WHERE p.place = r.location_id
            )`
          : ""
      }
    ORDER BY ${falling} LIMIT $8
  ) r LEFT JOIN rollup_merges m ON m.account = r.account
    JOIN accounts a ON a.number = coalesce(m.into_account, r.account)
  ORDER BY ${falling}`
export const everywhereStatement = statement(false)
export const atPlacesStatement = statement(true)

const Place = Schema.fromJsonString(
  Schema.Tuple([Schema.Number, Schema.String, Schema.Number, Schema.Number, Schema.Number])
)
const placeIn = Schema.decodeSync(Place)
const placeOf = ({ account, at, day, location, seq }: Row): string => JSON.stringify([day, location, at, account, seq])

/** The days of a reservation that a caller sees: those around the business days on which a location is the caller's. */
const placesOf = (caller: RequestCaller, location: string | undefined, { first, last }: BusinessRange.Range) => {
  // A day in the programme's zone may begin a day before or after that in UTC.
  const around = (aboutDays + 1) * dayMs
  return Effect.map(Limited.placesOf(caller, location, first - around, last + dayMs + around), (places) =>
    places?.map((place) => ({
      ...place,
      low: place.low - aboutDays * dayMs,
      high: place.high + aboutDays * dayMs
    }))
  )
}

const columns = [
  ...["reservation_id", "order_id", "location_id", "date", "reserved_at", "captured_at", "reversed_at", "member_id"],
  ...["reward_id", "issued_reward_id", "unit", "points"]
]

const shown = (row: Row): RestaurantRedemptions["redemptions"][number] => ({
  reservation_id: ReservationId.make(row.account, row.seq),
  order_id: row.order,
  location_id: row.location,
  date: BusinessRange.dateText(row.day),
  reserved_at: fromMillis(row.at),
  captured_at: fromMillis(row.captured),
  ...(row.reversed === undefined ? undefined : { reversed_at: fromMillis(row.reversed) }),
  member_id: row.member,
  reward_id: row.reward,
  ...(row.issued === undefined ? undefined : { issued_reward_id: row.issued }),
  unit: row.unit,
  points: row.points
})

const cellsOf = (_: Program, row: Row): ReadonlyArray<Csv.Cell> => {
  const one: Readonly<Record<string, Csv.Cell>> = shown(row)
  return columns.map((column) => one[column])
}

const make = Effect.gen(function* () {
  const { query } = yield* PeoplePool
  const finance = yield* Finance

  const read = ({ first, last, places, program }: RestaurantList.Asked, after: string | undefined, limit: number) => {
    // No location has an empty id: the first page begins above all rows of the last day.
    const [day, location, at, account, seq] = after === undefined ? [last + dayMs, "", 0, 0, 0] : placeIn(after)
    const asked = [
      ...[text(program.id), int8(first), int8(day), text(location), int8(at), int8(account), int8(seq), int8(limit)]
    ]
    return redemptionRows(
      places === undefined ? query(everywhereStatement, asked) : query(atPlacesStatement, [...asked, ...placed(places)])
    )
  }

  const { csv, list } = yield* RestaurantList.make<Row>({
    name: "redemptions",
    action: "redemption.export",
    columns,
    placesOf,
    read,
    placeOf,
    cellsOf,
    asOf: () => finance.asOf
  })

  const page = Effect.fnUntraced(function* (question: RestaurantsQuery & PageQuery) {
    const { program, rows, ...told } = yield* list(question)
    return { program_id: program.id, ...told, redemptions: rows.map(shown) }
  })

  return { page, csv }
})

export const layer = HttpApiBuilder.group(PlatformApi, "platform_restaurant_redemptions", (handlers) =>
  Effect.map(make, ({ csv, page }) =>
    handlers
      .handle("restaurantRedemptions", ({ query }) => page(query))
      .handle("restaurantRedemptionsCsv", ({ query }) => csv(query))
  )
)
