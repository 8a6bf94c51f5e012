/** The restaurants and their newest orders (contract/operators.md *Locations*). */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { PeoplePool, type Query } from "../../base/database/Pools.ts"
import { int8, jsonb, optional, rowsOf, texts } from "../../base/database/Values.ts"
import { machineNow, serviceTime } from "../../base/time/Times.ts"
import { AdminApi } from "../../contract/admin/Api.ts"
import { Branded, Franchised, type Location, type LocationFacts } from "../../contract/admin/Locations.ts"
import type { Refused } from "../../contract/Refused.ts"
import { fromMillis } from "../../contract/Values.ts"
import { Programs } from "../../core/programs/Programs.ts"
import type { Restaurants } from "../../core/protocol/Restaurants.ts"
import { dayMs, zoneOf } from "../../core/rules/Calendar.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import { refuse, refuseFaults } from "../../desk/surface/Refusal.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import { businessSpan, quarterMs } from "../../reads/rollups/Bounds.ts"

/** For how many days the time of the newest order is told to the quarter of an hour. Before that only its day is. */
const recentDays = 7
/** How long before its newest order a place must have had one on a day of the week to be open on it, days. */
const weekdaysDays = 28

/** Most places without a name that are listed: a till that makes up ids must not fill the answer. */
const maxUnnamed = 1_000
/** Most places whose newest order is looked for. */
const maxPlaces = 10_000

const { bool, text } = PgTypes

const facts = {
  address: optional(Schema.String),
  time_zone: optional(Schema.String),
  brand: optional(Schema.String),
  closed: optional(Schema.Literal(true)),
  franchisees: optional(Schema.Array(Franchised)),
  brands: optional(Schema.Array(Branded))
}

const Row = Schema.Struct({
  location_id: Schema.String,
  name: optional(Schema.String),
  ...facts,
  last_day: optional(Schema.Number),
  last_quarter: optional(Schema.Number),
  /** Its days with orders of the last weeks, rising; days since 1970. */
  days: optional(Schema.Array(Schema.Number))
})
type Row = typeof Row.Type
const rowsRead = rowsOf(Row)
const storedRows = rowsOf(Schema.Struct({ location_id: Schema.String, name: Schema.String, ...facts }))

const listStatement = `WITH RECURSIVE found AS (
    -- Steps from place to place in the index, which has a row for each of their days.
    SELECT min(location_id) AS location_id FROM rollup_sales
      WHERE program_id = $1 AND span = ${businessSpan} AND location_id > ''
    UNION ALL
    SELECT (
      SELECT min(s.location_id) FROM rollup_sales s
        WHERE s.program_id = $1 AND s.span = ${businessSpan} AND s.location_id > f.location_id
    ) FROM found f WHERE f.location_id IS NOT NULL
  ), places AS (
    SELECT location_id FROM found WHERE location_id IS NOT NULL LIMIT ${maxPlaces}
  ), days AS (
    SELECT location_id, last_day FROM places p CROSS JOIN LATERAL (
      SELECT start AS last_day FROM rollup_sales s
        WHERE s.program_id = $1 AND s.span = ${businessSpan} AND s.location_id = p.location_id AND s.orders > 0
        ORDER BY start DESC LIMIT 1
    ) newest
  ), weeks AS (
    SELECT location_id, json_agg(DISTINCT start / ${dayMs}) AS days
      FROM rollup_sales s JOIN days USING (location_id)
      WHERE s.program_id = $1 AND s.span = ${businessSpan} AND s.orders > 0
        AND start > last_day - ${weekdaysDays * dayMs}::bigint
      GROUP BY location_id
  ), quarters AS (
    SELECT location_id, max(start) AS last_quarter FROM rollup_sales
      WHERE program_id = $1 AND span = ${quarterMs} AND start >= $2 AND orders > 0 GROUP BY location_id
  ), unnamed AS (
    SELECT location_id FROM days WHERE location_id NOT IN (SELECT location_id FROM locations)
      ORDER BY last_day DESC, location_id LIMIT ${maxUnnamed}
  ), listed AS (
    SELECT location_id FROM locations UNION ALL SELECT location_id FROM unnamed
  )
  SELECT location_id, name, address, time_zone, brand, nullif(closed, false) AS closed, franchisees, brands, last_day,
      last_quarter, weeks.days
    FROM listed LEFT JOIN locations USING (location_id) LEFT JOIN days USING (location_id)
      LEFT JOIN quarters USING (location_id) LEFT JOIN weeks USING (location_id)
    ORDER BY lower(name) NULLS LAST, location_id`

/** Days of the week, from 1 for Monday; undefined within less than a week, in which a day without an order says nothing. */
const weekdaysOf = (days: ReadonlyArray<number> = []): ReadonlyArray<number> | undefined =>
  days.length === 0 || days.at(-1)! - days[0]! < 6
    ? undefined
    : // The first of January 1970 was a Thursday.
      [...new Set(days.map((day) => ((day + 3) % 7) + 1))].toSorted((one, other) => one - other)

const shown = ({ days, last_day, last_quarter, ...location }: Row): Location => {
  const weekdays = weekdaysOf(days)
  const known = Object.fromEntries(Object.entries(location).filter(([, value]) => value !== undefined))
  return {
    ...(known as Pick<Row, "location_id">),
    ...(last_quarter === undefined ? undefined : { last_order_at: fromMillis(last_quarter) }),
    ...(last_day === undefined ? undefined : { last_order_on: fromMillis(last_day).slice(0, 10) }),
    ...(weekdays === undefined ? undefined : { order_weekdays: weekdays })
  }
}

/** A location for a caller that is limited to restaurants, without what happened on days that are not its. */
const ownRow = (row: Row, restaurants: Restaurants): ReadonlyArray<Row> => {
  const { brands: _, days, franchisees: __, last_day, last_quarter, ...named } = row
  if (!restaurants.spans.has(row.location_id)) return []
  const unknown = { brands: undefined, franchisees: undefined }
  const isOwn = (at: number) => restaurants.has(row.location_id, fromMillis(at).slice(0, 10))
  return [
    last_day !== undefined && isOwn(last_day)
      ? { ...named, ...unknown, last_day, last_quarter, days: days?.filter((day) => isOwn(day * dayMs)) }
      : { ...named, ...unknown, last_day: undefined, last_quarter: undefined, days: undefined }
  ]
}

const putStatement = `INSERT INTO locations (location_id, name, address, time_zone, brand, closed, franchisees, brands, updated_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  ON CONFLICT (location_id) DO UPDATE SET name = excluded.name, address = excluded.address,
    time_zone = excluded.time_zone, brand = excluded.brand, closed = excluded.closed, franchisees = excluded.franchisees,
    brands = excluded.brands, updated_at = excluded.updated_at`

const findStatement = `SELECT location_id, name, address, time_zone, brand, nullif(closed, false) AS closed, franchisees, brands
  FROM locations WHERE location_id = $1`

const find = (query: Query, id: string) => Effect.map(storedRows(query(findStatement, [text(id)])), ([row]) => row)

const nameRows = rowsOf(Schema.Struct({ location_id: Schema.String, name: Schema.String }))

/** The names of locations, by their ids. */
export const namesOf = (
  query: Query,
  ids: ReadonlyArray<string>
): Effect.Effect<ReadonlyMap<string, string>, Refused> =>
  ids.length === 0
    ? Effect.succeed(new Map())
    : Effect.map(
        nameRows(query("SELECT location_id, name FROM locations WHERE location_id = ANY ($1)", [texts(ids)])),
        (rows) => new Map(rows.map(({ location_id, name }) => [location_id, name]))
      )

/** An entry that does not come after the one before it is a fault. */
const orderFaults = (facts: typeof LocationFacts.Type) =>
  (["franchisees", "brands"] as const).flatMap((name) =>
    (facts[name] ?? []).flatMap(({ from }, index, all) => {
      const before = all[index - 1]
      if (before === undefined || before.from < from) return []
      return [{ path: `/${name}/${index}/from`, message: "must be after the day of the entry before it" }]
    })
  )

const put = (
  facts: typeof LocationFacts.Type
): Effect.Effect<typeof LocationFacts.Type, Refused, PeoplePool | CurrentCaller> =>
  Effect.gen(function* () {
    const { address, brand, brands, closed = false, franchisees, location_id: id, name, time_zone } = facts
    if (time_zone !== undefined && zoneOf(time_zone) === undefined)
      return yield* refuseFaults([{ path: "/time_zone", message: "must be an IANA time zone such as Europe/Berlin" }])
    const misplaced = orderFaults(facts)
    if (misplaced.length > 0) return yield* refuseFaults(misplaced)
    const { query, transaction } = yield* PeoplePool
    const now = yield* machineNow
    return yield* transaction(
      Effect.gen(function* () {
        // Of changes at once each has the one before it in its entry of the audit.
        yield* query("SELECT pg_advisory_xact_lock(hashtextextended('location ' || $1, 0))", [text(id)])
        const before = yield* find(query, id)
        const values = [id, name, address ?? null, time_zone ?? null, brand ?? null].map(text)
        yield* query(putStatement, [
          ...values,
          bool(closed),
          jsonb(franchisees ?? null),
          jsonb(brands ?? null),
          int8(now)
        ])
        const changes = Audit.changesOf(before, facts)
        if (Object.keys(changes.after ?? {}).length > 0 || Object.keys(changes.before ?? {}).length > 0)
          yield* Audit.tell(query, {
            action: before === undefined ? "location.create" : "location.change",
            subject: { type: "location", id },
            changes
          })
        return facts
      })
    )
  })

export const layer = HttpApiBuilder.group(AdminApi, "locations", (handlers) =>
  Effect.gen(function* () {
    const people = yield* PeoplePool
    const programs = yield* Programs
    const { now } = yield* serviceTime
    return handlers
      .handle("listLocations", ({ query: { program_id } }) =>
        Effect.gen(function* () {
          const caller = yield* CurrentCaller
          const id = program_id ?? Visible.programsOf(programs, caller)[0]?.id
          if (id === undefined) return yield* refuse("not_found", "There is no programme that the caller may see.")
          yield* Visible.named(programs, caller, id)
          const days = (count: number) => int8(now() - count * dayMs)
          const rows = yield* rowsRead(people.query(listStatement, [text(id), days(recentDays)]))
          const { restaurants } = caller
          const own = restaurants === undefined ? rows : rows.flatMap((row) => ownRow(row, restaurants))
          return { program_id: id, locations: own.map(shown) }
        })
      )
      .handle("putLocation", ({ payload }) => Effect.provideService(put(payload), PeoplePool, people))
  })
)
