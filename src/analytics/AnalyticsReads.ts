/**
 * The SQL statements of analytics. None scans the ledger: a range begins and ends at a
 * quarter of an hour, so it is a sum of rows for UTC days and quarters. Distinct members
 * are counted from their last two orders, or along an index of orders.
 */
import { PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import type { Row } from "../database/Connect.ts"
import type { Query } from "../database/Pools.ts"
import type { Refused } from "../contract/admin/Common.ts"
import type { Analytics } from "../contract/platform/Analytics.ts"
import { numbers } from "../journal/postgres/Parameters.ts"
import { businessSpan, spansMs } from "../rollups/Bounds.ts"
import { toSum } from "../rollups/RollupReads.ts"
import { everywhere } from "../rollups/Sums.ts"
import type { Dates } from "./Buckets.ts"

const { float8, text } = PgTypes
const [quarterMs, dayMs] = spansMs

/** The range and location of a query. `from` and `until` are starts of quarters of an hour, ms; `until` is excluded. */
export interface RangeFilter {
  readonly program: string
  readonly from: number
  readonly until: number
  /** The business days by which orders are counted. Undefined: orders count when they accrued. */
  readonly business?: Dates | undefined
  /** Undefined: all locations. */
  readonly location: string | undefined
}

/** Rows of one length of interval, by their starts from `low` to `high` (excluded), ms. */
interface Span {
  readonly span: number
  readonly low: number
  readonly high: number
}

type Read<A> = Effect.Effect<A, Refused>

const sumOf = (row: Row | undefined, column: string): number => toSum(row?.[column])

/**
 * Splits a range into quarters before the first UTC midnight, whole UTC days, and quarters after the last UTC midnight.
 */
const spansOf = ({ from, until }: Pick<RangeFilter, "from" | "until">) => {
  const first = Math.ceil(from / dayMs) * dayMs
  const last = Math.max(first, Math.floor(until / dayMs) * dayMs)
  const spans = [
    { span: quarterMs, low: from, high: Math.min(first, until) },
    { span: dayMs, low: first, high: last },
    { span: quarterMs, low: last, high: until }
  ].filter(({ high, low }) => low < high)
  return spans
}

/**
 * The rows of a table of sums in a range and location, as table `r`, and their parameters from $1 on. Each span is a
 * SELECT of its own: with a join to a list of spans, the planner reads the whole table.
 */
const within = (table: string, range: RangeFilter, spans: ReadonlyArray<Span> = spansOf(range)) => {
  const parameters: Array<unknown> = [text(range.program), text(range.location ?? null)]
  const bigint = (value: number) => `$${parameters.push(float8(value))}::float8::bigint`
  const selects = spans.map(
    ({ high, low, span }) => `SELECT * FROM ${table} WHERE program_id = $1::text AND span = ${bigint(span)}
        AND start >= ${bigint(low)} AND start < ${bigint(high)} AND ($2::text IS NULL OR location_id = $2::text)`
  )
  return { rows: `(${selects.join(" UNION ALL ")}) r`, parameters }
}

export interface Sales {
  readonly location: string
  readonly orders: number
  readonly spend: number
}

/** The spans of orders in a range, which may be one of business days. */
const spansOfOrders = (range: RangeFilter) =>
  range.business === undefined
    ? spansOf(range)
    : [{ span: businessSpan, low: range.business.first, high: range.business.end }]

/** Orders in each bucket of business days; `dates`: the first dates of the buckets. */
export const businessDays = (query: Query, range: RangeFilter, dates: ReadonlyArray<number>) => {
  const { parameters, rows } = within("rollup_sales", range, spansOfOrders(range))
  const statement = `SELECT width_bucket(r.start::float8, $${parameters.length + 1}::float8[]) - 1 AS part,
    sum(r.orders)::text AS orders FROM ${rows} GROUP BY 1`
  return Effect.map(query(statement, [...parameters, numbers(dates)]), (found) =>
    found.map((row) => ({ part: Number(row["part"]), orders: sumOf(row, "orders") }))
  )
}

/** Orders by location, most orders first. */
export const sales = (query: Query, range: RangeFilter): Read<ReadonlyArray<Sales>> => {
  const { parameters, rows } = within("rollup_sales", range, spansOfOrders(range))
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
  /** Members with at least one order. */
  readonly active: number
  /** Members with at least two orders. */
  readonly repeat: number
}

/**
 * Reads one row a member, with its last two orders. Only right if no member has ordered after the range (`later` is 0).
 */
const buyersSince = `SELECT count(*)::float8 AS active, count(*) FILTER (WHERE order_before >= $2::float8::bigint)::float8 AS repeat,
    count(*) FILTER (WHERE last_order >= $3::float8::bigint)::float8 AS later
  FROM rollup_buyers WHERE program_id = $1::text AND last_order >= $2::float8::bigint`
const buyersBetween = (
  where: string,
  column = "at"
) => `SELECT count(*)::float8 AS active, count(*) FILTER (WHERE orders > 1)::float8 AS repeat
  FROM (SELECT count(*) AS orders FROM rollup_orders WHERE program_id = $1::text AND ${column} >= $2::float8::bigint
    AND ${column} < $3::float8::bigint ${where} GROUP BY account) member`
const buyersEverywhere = buyersBetween("")
const buyersSomewhere = buyersBetween("AND location_id = $4::text")

const buyersOnDays = buyersBetween("AND ($4::text IS NULL OR location_id = $4::text)", "business")

/** Members with orders in the range. `now`: the service's clock, ms. */
export const buyers = Effect.fnUntraced(function* (
  query: Query,
  { business, from, location, program, until }: RangeFilter,
  now: number
): Effect.fn.Return<Buyers, Refused> {
  const range = [text(program), float8(from), float8(until)]
  const buyersOf = (row: Row | undefined) => ({ active: Number(row?.["active"]), repeat: Number(row?.["repeat"]) })
  if (business !== undefined) {
    const { end, first } = business
    const days = [text(program), float8(first), float8(end), text(location ?? null)]
    return buyersOf((yield* query(buyersOnDays, days))[0])
  }
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

export const rewards = (query: Query, range: RangeFilter): Read<ReadonlyArray<RewardFlows>> => {
  const { parameters, rows } = within("rollup_rewards", range)
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
  /** Index of the bucket. */
  readonly part: number
  /** Orders whose first entry is on this account, so that each order counts once. */
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

/** Amounts posted in each bucket; `starts`: starts of the buckets, ms. */
export const entries = (
  query: Query,
  { from, location = everywhere, program, until }: RangeFilter,
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

/** Number of members enrolled in the range, at any location. */
export const joined = (query: Query, { from, program, until }: RangeFilter): Read<number> =>
  Effect.map(query(joinedStatement, [text(program), float8(from), float8(until)]), ([row]) => sumOf(row, "joined"))

export interface Points {
  readonly unit: string
  readonly posted: number
  readonly reserved: number
}

const pointsStatement = `SELECT unit::text AS unit, posted::text AS posted, reserved::text AS reserved
  FROM rollup_points WHERE program_id = $1::text`

export const points = (query: Query, program: string): Read<ReadonlyArray<Points>> =>
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

/** Starts of the UTC months in which points expire, ms. */
export const lotMonths = (query: Query, program: string): Read<ReadonlyArray<number>> =>
  Effect.map(query(lotMonthsStatement, [text(program)]), (rows) => rows.map((row) => Number(row["month"])))

export interface Expiring {
  readonly unit: string
  /** Index of the month. */
  readonly month: number
  readonly amount: number
}

/** $3: now. Overdue points count in the month of now. */
const expiringStatement = `SELECT unit::text AS unit,
    width_bucket(greatest(quarter::float8, $3::float8), $2::float8[]) - 1 AS month, sum(amount)::text AS amount
  FROM rollup_lots WHERE program_id = $1::text GROUP BY 1, 2 HAVING sum(amount) <> 0 ORDER BY 1, 2`

/** Points that expire in each month; `starts`: starts of the months, ms. Overdue points count in the month of `now`. */
export const expiring = (
  query: Query,
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

interface EventCounts {
  readonly total: number
  readonly members: number
  readonly byType: ReadonlyArray<{ readonly key: string; readonly count: number }>
  /** Events by index of the day. */
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

/** Events in the range by type and by day; `starts`: starts of the days, ms. */
export const events = (
  query: Query,
  { from, location, program, until }: RangeFilter,
  starts: ReadonlyArray<number>
): Read<EventCounts> => {
  const range = [text(program), float8(from), float8(until), numbers(starts)]
  const counted =
    location === undefined ? query(eventsEverywhere, range) : query(eventsSomewhere, [...range, text(location)])
  return Effect.map(counted, ([row]) => ({
    total: Number(row?.["total"]),
    members: Number(row?.["members"]),
    byType: pairs(row?.["by_type"]).map(([type, count]) => ({ key: String(type), count })),
    byDay: new Map(pairs(row?.["by_day"]).map(([day, count]) => [Number(day), count]))
  }))
}

const profilesStatement = `SELECT sum(profiles)::float8 AS profiles, sum(with_email)::float8 AS with_email,
    sum(with_phone)::float8 AS with_phone, sum(marketing)::float8 AS marketing
  FROM profile_counts WHERE program_id = $1::text`

export const profiles = (query: Query, program: string): Read<Analytics["customer_data"]["profiles"]> =>
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

/** Imports that were created in the range. */
export const imports = (
  query: Query,
  { from, program, until }: RangeFilter
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

/** All campaigns, and the results of the runs that started in the range. */
export const campaigns = (
  query: Query,
  { from, program, until }: RangeFilter
): Read<Analytics["loyalty"]["campaigns"]> =>
  Effect.map(query(campaignsStatement, [text(program), float8(from), float8(until)]), ([row]) => ({
    configured: Number(row?.["configured"]),
    runs: Number(row?.["runs"]),
    members_targeted: Number(row?.["selected"]),
    rewards_issued: Number(row?.["issued"])
  }))
