/**
 * The statements behind analytics. Nothing scans entries: sums of
 * quarters of an hour and of UTC days add up to any range that begins and ends
 * with a quarter. Distinct members are counted from their last orders, or along an index of orders.
 */
import { PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import type { AdminQuery, Row } from "../admin/AdminDatabase.ts"
import type { Refused } from "../contract/admin/Common.ts"
import type { Analytics } from "../contract/platform/Analytics.ts"
import { numbers } from "../journal/postgres/Parameters.ts"
import { spansMs } from "../rollups/Bounds.ts"
import { atMost } from "../rollups/RollupReads.ts"
import { everywhere } from "../rollups/Sums.ts"

const { float8, text } = PgTypes
const [quarterMs, dayMs] = spansMs

/** What is asked for; `from` and `until` are starts of quarters, ms. */
export interface Asked {
  readonly program: string
  readonly from: number
  readonly until: number
  /** Undefined: everywhere. */
  readonly location: string | undefined
}

type Read<A> = Effect.Effect<A, Refused>

/** A sum that JSON carries; one beyond is shown as the largest. */
const sumOf = (row: Row | undefined, column: string): number => atMost(row?.[column])

/**
 * A range as spans of the tables of sums: its quarters up to the first UTC midnight, its UTC days, its quarters from the
 * last one on.
 */
const spansOf = ({ from, until }: Asked) => {
  const first = Math.ceil(from / dayMs) * dayMs
  const last = Math.max(first, Math.floor(until / dayMs) * dayMs)
  const all = [
    { span: quarterMs, low: from, high: Math.min(first, until) },
    { span: dayMs, low: first, high: last },
    { span: quarterMs, low: last, high: until }
  ].filter(({ high, low }) => low < high)
  return all
}

/**
 * Rows `r` of a table of sums within a range and location, with the parameters from $1 on. A stretch of the key for each
 * span: joined with a list of spans, the planner reads the whole table.
 */
const within = (table: string, asked: Asked) => {
  const parameters: Array<unknown> = [text(asked.program), text(asked.location ?? null)]
  const bigint = (value: number) => `$${parameters.push(float8(value))}::float8::bigint`
  const stretches = spansOf(asked).map(
    ({ high, low, span }) => `SELECT * FROM ${table} WHERE program_id = $1::text AND span = ${bigint(span)}
        AND start >= ${bigint(low)} AND start < ${bigint(high)} AND ($2::text IS NULL OR location_id = $2::text)`
  )
  return { rows: `(${stretches.join(" UNION ALL ")}) r`, parameters }
}

export interface Sales {
  readonly location: string
  readonly orders: number
  readonly spend: number
}

/** Orders by location, most orders first. */
export const sales = (query: AdminQuery, asked: Asked): Read<ReadonlyArray<Sales>> => {
  const { parameters, rows } = within("rollup_sales", asked)
  const statement = `SELECT r.location_id, sum(r.orders)::text AS orders, sum(r.spend)::text AS spend FROM ${rows}
    GROUP BY r.location_id ORDER BY sum(r.orders) DESC, r.location_id`
  return Effect.map(query(statement, parameters), (found) =>
    found.map((row) => ({
      location: String(row["location_id"]),
      orders: sumOf(row, "orders"),
      spend: sumOf(row, "spend")
    }))
  )
}

export interface Buyers {
  /** Members with one order or more, and with two or more. */
  readonly active: number
  readonly repeat: number
}

/** From a row for each member, however many orders: right where no member has ordered after the range. */
const buyersSince = `SELECT count(*)::float8 AS active, count(*) FILTER (WHERE order_before >= $2::float8::bigint)::float8 AS repeat,
    count(*) FILTER (WHERE last_order >= $3::float8::bigint)::float8 AS later
  FROM rollup_buyers WHERE program_id = $1::text AND last_order >= $2::float8::bigint`
const buyersBetween = (
  where: string
) => `SELECT count(*)::float8 AS active, count(*) FILTER (WHERE orders > 1)::float8 AS repeat
  FROM (SELECT count(*) AS orders FROM rollup_orders WHERE program_id = $1::text AND at >= $2::float8::bigint
    AND at < $3::float8::bigint ${where} GROUP BY account) member`
const buyersEverywhere = buyersBetween("")
const buyersSomewhere = buyersBetween("AND location_id = $4::text")

/** `now`: ms of the service's clock. */
export const buyers = Effect.fnUntraced(function* (
  query: AdminQuery,
  { from, location, program, until }: Asked,
  now: number
): Effect.fn.Return<Buyers, Refused> {
  const range = [text(program), float8(from), float8(until)]
  const buyersOf = (row: Row | undefined) => ({ active: Number(row?.["active"]), repeat: Number(row?.["repeat"]) })
  if (location !== undefined) return buyersOf((yield* query(buyersSomewhere, [...range, text(location)]))[0])
  if (until > now) {
    const [row] = yield* query(buyersSince, range)
    if (row?.["later"] === 0) return buyersOf(row)
  }
  return buyersOf((yield* query(buyersEverywhere, range))[0])
})

export interface RewardFlows {
  readonly reward: string
  readonly reserved: number
  readonly captured: number
  readonly reversed: number
  readonly expired: number
  readonly issued: number
  readonly redeemed: number
}

const rewardColumns = ["reserved", "captured", "reversed", "expired", "issued", "redeemed"]
  .map((column) => `sum(r.${column})::text AS ${column}`)
  .join(", ")

export const rewards = (query: AdminQuery, asked: Asked): Read<ReadonlyArray<RewardFlows>> => {
  const { parameters, rows } = within("rollup_rewards", asked)
  const statement = `SELECT r.reward_id, ${rewardColumns} FROM ${rows} GROUP BY r.reward_id ORDER BY r.reward_id`
  return Effect.map(query(statement, parameters), (found) =>
    found.map((row) => ({
      reward: String(row["reward_id"]),
      reserved: sumOf(row, "reserved"),
      captured: sumOf(row, "captured"),
      reversed: sumOf(row, "reversed"),
      expired: sumOf(row, "expired"),
      issued: sumOf(row, "issued"),
      redeemed: sumOf(row, "redeemed")
    }))
  )
}

export interface Entries {
  readonly unit: string
  /** Which of the parts, from 0. */
  readonly part: number
  /** Orders whose accrual posted on this account first. */
  readonly orders: number
  readonly issued: number
  readonly redeemed: number
  readonly reversed: number
  readonly expired: number
  readonly adjusted: number
}

const entriesStatement = `SELECT unit::text AS unit, width_bucket(quarter::float8, $5::float8[]) - 1 AS part,
    sum(orders)::text AS orders, sum(issued)::text AS issued, sum(redeemed)::text AS redeemed, sum(reversed)::text AS reversed,
    sum(expired)::text AS expired, sum(adjusted)::text AS adjusted
  FROM rollup_activity WHERE program_id = $1::text AND unit = ANY (enum_range(NULL::unit)) AND location_id = $2::text
    AND quarter >= $3::float8::bigint AND quarter < $4::float8::bigint
  GROUP BY 1, 2`

/** What was posted in parts that begin at `starts`, ms. */
export const entries = (
  query: AdminQuery,
  { from, location = everywhere, program, until }: Asked,
  starts: ReadonlyArray<number>
): Read<ReadonlyArray<Entries>> =>
  Effect.map(
    query(entriesStatement, [text(program), text(location), float8(from), float8(until), numbers(starts)]),
    (rows) =>
      rows.map((row) => ({
        unit: String(row["unit"]),
        part: Number(row["part"]),
        orders: sumOf(row, "orders"),
        issued: sumOf(row, "issued"),
        redeemed: sumOf(row, "redeemed"),
        reversed: sumOf(row, "reversed"),
        expired: sumOf(row, "expired"),
        adjusted: sumOf(row, "adjusted")
      }))
  )

const joinedStatement = `SELECT coalesce(sum(members), 0)::text AS joined FROM rollup_joined
  WHERE program_id = $1::text AND quarter >= $2::float8::bigint AND quarter < $3::float8::bigint`

/** Members who were enrolled in the range, wherever. */
export const joined = (query: AdminQuery, { from, program, until }: Asked): Read<number> =>
  Effect.map(query(joinedStatement, [text(program), float8(from), float8(until)]), ([row]) => sumOf(row, "joined"))

export interface Points {
  readonly unit: string
  readonly posted: number
  readonly reserved: number
}

const pointsStatement = `SELECT unit::text AS unit, posted::text AS posted, reserved::text AS reserved
  FROM rollup_points WHERE program_id = $1::text`

export const points = (query: AdminQuery, program: string): Read<ReadonlyArray<Points>> =>
  Effect.map(query(pointsStatement, [text(program)]), (rows) =>
    rows.map((row) => ({
      unit: String(row["unit"]),
      posted: sumOf(row, "posted"),
      reserved: sumOf(row, "reserved")
    }))
  )

const lotMonthsStatement = `SELECT DISTINCT
    (extract(epoch FROM date_trunc('month', to_timestamp(quarter / 1000) AT TIME ZONE 'UTC')) * 1000)::float8 AS month
  FROM rollup_lots WHERE program_id = $1::text AND amount <> 0`

/** The UTC months in which points expire, each as its first instant, ms. */
export const lotMonths = (query: AdminQuery, program: string): Read<ReadonlyArray<number>> =>
  Effect.map(query(lotMonthsStatement, [text(program)]), (rows) => rows.map((row) => Number(row["month"])))

export interface Expiring {
  readonly unit: string
  /** Which of the months, from 0. */
  readonly month: number
  readonly amount: number
}

/** $3: what is due before this is counted as of then. */
const expiringStatement = `SELECT unit::text AS unit,
    width_bucket(greatest(quarter::float8, $3::float8), $2::float8[]) - 1 AS month, sum(amount)::text AS amount
  FROM rollup_lots WHERE program_id = $1::text GROUP BY 1, 2 HAVING sum(amount) <> 0 ORDER BY 1, 2`

/** What expires in months that begin at `starts`, ms; what is due at `now` counts then. */
export const expiring = (
  query: AdminQuery,
  program: string,
  starts: ReadonlyArray<number>,
  now: number
): Read<ReadonlyArray<Expiring>> =>
  Effect.map(query(expiringStatement, [text(program), numbers(starts), float8(now)]), (rows) =>
    rows.map((row) => ({
      unit: String(row["unit"]),
      month: Number(row["month"]),
      amount: sumOf(row, "amount")
    }))
  )

export interface EventCounts {
  readonly total: number
  readonly members: number
  readonly byType: ReadonlyArray<{ readonly key: string; readonly count: number }>
  /** By the part, from 0. */
  readonly byDay: ReadonlyMap<number, number>
}

const eventsStatement = (where: string) => `WITH found AS MATERIALIZED (
    SELECT type, account, width_bucket(occurred_at::float8, $4::float8[]) - 1 AS day, count(*) AS events
    FROM behaviour WHERE program_id = $1::text AND occurred_at >= $2::float8::bigint AND occurred_at < $3::float8::bigint
      ${where} GROUP BY 1, 2, 3
  ) SELECT coalesce(sum(events), 0)::float8 AS total, count(DISTINCT account)::float8 AS members,
    (SELECT json_agg(json_build_array(type, events) ORDER BY events DESC, type COLLATE "C")
      FROM (SELECT type, sum(events)::float8 AS events FROM found GROUP BY type) t)::text AS by_type,
    (SELECT json_agg(json_build_array(day, events)) FROM (SELECT day, sum(events)::float8 AS events FROM found GROUP BY day) d
      )::text AS by_day
  FROM found`
const eventsSomewhere = eventsStatement("AND location_id = $5::text")
const eventsEverywhere = eventsStatement("")

const pairs = (value: unknown): ReadonlyArray<readonly [unknown, number]> =>
  JSON.parse(String(value ?? "[]")) as ReadonlyArray<readonly [unknown, number]>

/** Events in the range, by days that begin at `starts`, ms. */
export const events = (
  query: AdminQuery,
  { from, location, program, until }: Asked,
  starts: ReadonlyArray<number>
): Read<EventCounts> => {
  const range = [text(program), float8(from), float8(until), numbers(starts)]
  const asked =
    location === undefined ? query(eventsEverywhere, range) : query(eventsSomewhere, [...range, text(location)])
  return Effect.map(asked, ([row]) => ({
    total: Number(row?.["total"]),
    members: Number(row?.["members"]),
    byType: pairs(row?.["by_type"]).map(([type, count]) => ({ key: String(type), count })),
    byDay: new Map(pairs(row?.["by_day"]).map(([day, count]) => [Number(day), count]))
  }))
}

const profilesStatement = `SELECT sum(profiles)::float8 AS profiles, sum(with_email)::float8 AS with_email,
    sum(with_phone)::float8 AS with_phone, sum(marketing)::float8 AS marketing
  FROM profile_counts WHERE program_id = $1::text`

export const profiles = (query: AdminQuery, program: string): Read<Analytics["customer_data"]["profiles"]> =>
  Effect.map(query(profilesStatement, [text(program)]), ([row]) => ({
    total: Number(row?.["profiles"]),
    marketing_consented: Number(row?.["marketing"]),
    with_email: Number(row?.["with_email"]),
    with_phone: Number(row?.["with_phone"])
  }))

const importsStatement = `SELECT count(*)::float8 AS total,
    count(*) FILTER (WHERE completed_at IS NOT NULL AND failed = 0)::float8 AS completed,
    coalesce(sum(failed), 0)::float8 AS failed_rows
  FROM imports WHERE program_id = $1::text AND created_at >= $2::float8::bigint AND created_at < $3::float8::bigint`

/** Imports that began in the range. */
export const imports = (
  query: AdminQuery,
  { from, program, until }: Asked
): Read<Analytics["customer_data"]["imports"]> =>
  Effect.map(query(importsStatement, [text(program), float8(from), float8(until)]), ([row]) => ({
    total: Number(row?.["total"]),
    completed: Number(row?.["completed"]),
    failed_rows: Number(row?.["failed_rows"])
  }))

const campaignsStatement = `SELECT count(DISTINCT c.campaign_id)::float8 AS configured, count(r.n)::float8 AS runs,
    coalesce(sum(r.selected), 0)::float8 AS selected, coalesce(sum(r.issued), 0)::float8 AS issued
  FROM campaigns c LEFT JOIN campaign_runs r ON r.campaign_id = c.campaign_id
    AND r.started_at >= $2::float8::bigint AND r.started_at < $3::float8::bigint
  WHERE c.program_id = $1::text`

/** Campaigns, and what their runs that began in the range came to. */
export const campaigns = (
  query: AdminQuery,
  { from, program, until }: Asked
): Read<Analytics["loyalty"]["campaigns"]> =>
  Effect.map(query(campaignsStatement, [text(program), float8(from), float8(until)]), ([row]) => ({
    configured: Number(row?.["configured"]),
    runs: Number(row?.["runs"]),
    members_targeted: Number(row?.["selected"]),
    rewards_issued: Number(row?.["issued"])
  }))
