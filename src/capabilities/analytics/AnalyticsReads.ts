/**
 * The SQL statements of analytics. None scans the ledger: a range begins and ends at a
 * quarter of an hour, so it is a sum of rows for UTC days and quarters. Distinct members
 * are counted from their last two orders, or along an index of orders.
 */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { int8, int8s, oneOf, rowsOf } from "../../base/database/Values.ts"
import type { Analytics } from "../../contract/platform/Analytics.ts"
import type { Refused } from "../../contract/Refused.ts"
import { businessSpan, spansMs } from "../../reads/rollups/Bounds.ts"
import { everywhere } from "../../reads/rollups/Sums.ts"
import type { Dates } from "./Buckets.ts"

const { text } = PgTypes
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

/** Sums of columns. As numbers, whose nearest ones the contract's `Sum` allows. */
const sumsOf = (columns: ReadonlyArray<string>) =>
  columns.map((column) => `coalesce(sum(${column}), 0)::float8 AS ${column}`).join(", ")

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
  const bigint = (value: number) => `$${parameters.push(int8(value))}`
  const selects = spans.map(
    ({ high, low, span }) => `SELECT * FROM ${table} WHERE program_id = $1 AND span = ${bigint(span)}
        AND start >= ${bigint(low)} AND start < ${bigint(high)} AND ($2::text IS NULL OR location_id = $2)`
  )
  return { rows: `(${selects.join(" UNION ALL ")}) r`, parameters }
}

const Sales = Schema.Struct({ location: Schema.String, orders: Schema.Number, spend: Schema.Number })
export type Sales = typeof Sales.Type
const salesRows = rowsOf(Sales)
const partRows = rowsOf(Schema.Struct({ part: Schema.Number, orders: Schema.Number }))

/** The spans of orders in a range, which may be one of business days. */
const spansOfOrders = (range: RangeFilter) =>
  range.business === undefined
    ? spansOf(range)
    : [{ span: businessSpan, low: range.business.first, high: range.business.end }]

/** Orders in each bucket of business days; `dates`: the first dates of the buckets. */
export const businessDays = (query: Query, range: RangeFilter, dates: ReadonlyArray<number>) => {
  const { parameters, rows } = within("rollup_sales", range, spansOfOrders(range))
  const statement = `SELECT width_bucket(r.start, $${parameters.length + 1}) - 1 AS part, sum(r.orders)::float8 AS orders
    FROM ${rows} GROUP BY 1`
  return partRows(query(statement, [...parameters, int8s(dates)]))
}

/** Orders by location, most orders first. */
export const sales = (query: Query, range: RangeFilter): Read<ReadonlyArray<Sales>> => {
  const { parameters, rows } = within("rollup_sales", range, spansOfOrders(range))
  const statement = `SELECT r.location_id AS location, ${sumsOf(["orders", "spend"])} FROM ${rows}
    GROUP BY r.location_id ORDER BY sum(r.orders) DESC, r.location_id`
  return salesRows(query(statement, parameters))
}

const WithoutGuest = Schema.Struct({ location: Schema.String, part: Schema.Number, orders: Schema.Number })
export type WithoutGuest = typeof WithoutGuest.Type
const withoutGuestRows = rowsOf(WithoutGuest)
const withoutGuestBy = (column: string) => `SELECT location_id AS location, width_bucket(${column}, $4) - 1 AS part,
    sum(orders)::float8 AS orders FROM kept_sums
  WHERE program_id = $1 AND ${column} >= $2 AND ${column} < $3 AND ($5::text IS NULL OR location_id = $5)
  GROUP BY 1, 2 HAVING sum(orders) <> 0`
const withoutGuestByQuarter = withoutGuestBy("quarter")
const withoutGuestByDay = withoutGuestBy("business")

/** Kept orders that nobody has; `starts`: starts of the buckets, or their first dates of business days. */
export const withoutGuest = (
  query: Query,
  { business, from, location, program, until }: RangeFilter,
  starts: ReadonlyArray<number>
): Read<ReadonlyArray<WithoutGuest>> => {
  const [low, high] = business === undefined ? [from, until] : [business.first, business.end]
  return withoutGuestRows(
    query(business === undefined ? withoutGuestByQuarter : withoutGuestByDay, [
      text(program),
      int8(low),
      int8(high),
      int8s(starts),
      text(location ?? null)
    ])
  )
}

/** `active`: members with at least one order; `repeat`: with at least two. */
const Buyers = Schema.Struct({ active: Schema.Number, repeat: Schema.Number })
export type Buyers = typeof Buyers.Type
const buyersRow = oneOf(Buyers)

/**
 * Reads one row a member, with its last two orders. Only right if no member has ordered after the range (`later` is 0).
 */
const buyersSince = `SELECT count(*) AS active, count(*) FILTER (WHERE order_before >= $2) AS repeat,
    count(*) FILTER (WHERE last_order >= $3) AS later
  FROM rollup_buyers WHERE program_id = $1 AND last_order >= $2`
const buyersSinceRow = oneOf(Schema.Struct({ ...Buyers.fields, later: Schema.Number }))
const buyersBetween = (
  where: string,
  column = "at"
) => `SELECT count(*) AS active, count(*) FILTER (WHERE orders > 1) AS repeat
  FROM (SELECT count(*) AS orders FROM rollup_orders WHERE program_id = $1 AND counts AND ${column} >= $2 AND ${column} < $3 ${where}
    GROUP BY account) member`
const buyersEverywhere = buyersBetween("")
const buyersSomewhere = buyersBetween("AND location_id = $4")
const buyersOnDays = buyersBetween("AND ($4::text IS NULL OR location_id = $4)", "business")

/** Members with orders in the range. `now`: the service's clock, ms. */
export const buyers = Effect.fnUntraced(function* (
  query: Query,
  { business, from, location, program, until }: RangeFilter,
  now: number
): Effect.fn.Return<Buyers, Refused> {
  const range = [text(program), int8(from), int8(until)]
  if (business !== undefined) {
    const { end, first } = business
    return yield* buyersRow(query(buyersOnDays, [text(program), int8(first), int8(end), text(location ?? null)]))
  }
  if (location !== undefined) return yield* buyersRow(query(buyersSomewhere, [...range, text(location)]))
  if (until > now) {
    const { later, ...buyers } = yield* buyersSinceRow(query(buyersSince, range))
    if (later === 0) return buyers
  }
  return yield* buyersRow(query(buyersEverywhere, range))
})

const flows = {
  reserved: Schema.Number,
  captured: Schema.Number,
  reversed: Schema.Number,
  expired: Schema.Number,
  issued: Schema.Number,
  redeemed: Schema.Number
}
const RewardFlows = Schema.Struct({ reward: Schema.String, ...flows })
export type RewardFlows = typeof RewardFlows.Type
const rewardRows = rowsOf(RewardFlows)

export const rewards = (query: Query, range: RangeFilter): Read<ReadonlyArray<RewardFlows>> => {
  const { parameters, rows } = within("rollup_rewards", range)
  const statement = `SELECT r.reward_id AS reward, ${sumsOf(Object.keys(flows))} FROM ${rows}
    GROUP BY r.reward_id ORDER BY r.reward_id`
  return rewardRows(query(statement, parameters))
}

const amounts = {
  issued: Schema.Number,
  redeemed: Schema.Number,
  reversed: Schema.Number,
  expired: Schema.Number,
  adjusted: Schema.Number
}
/** `part`: index of the bucket. */
const Entries = Schema.Struct({
  unit: Schema.String,
  part: Schema.Number,
  /** Over all units: orders that accrued in the bucket and count. */
  orders: Schema.Number,
  ...amounts
})
export type Entries = typeof Entries.Type
const entryRows = rowsOf(Entries)

const entriesStatement = `SELECT unit, width_bucket(quarter, $5) - 1 AS part,
    coalesce(sum(orders - closed), 0)::float8 AS orders, ${sumsOf(Object.keys(amounts))}
  FROM rollup_activity WHERE program_id = $1 AND unit = ANY (enum_range(NULL::unit)) AND location_id = $2
    AND quarter >= $3 AND quarter < $4
  GROUP BY 1, 2`

/** Amounts posted in each bucket; `starts`: starts of the buckets, ms. */
export const entries = (
  query: Query,
  { from, location = everywhere, program, until }: RangeFilter,
  starts: ReadonlyArray<number>
): Read<ReadonlyArray<Entries>> =>
  entryRows(query(entriesStatement, [text(program), text(location), int8(from), int8(until), int8s(starts)]))

const joinedStatement = `SELECT coalesce(sum(members), 0)::float8 AS joined FROM rollup_joined
  WHERE program_id = $1 AND quarter >= $2 AND quarter < $3`
const joinedRow = oneOf(Schema.Struct({ joined: Schema.Number }))

/** Number of members enrolled in the range, at any location. */
export const joined = (query: Query, { from, program, until }: RangeFilter): Read<number> =>
  Effect.map(joinedRow(query(joinedStatement, [text(program), int8(from), int8(until)])), ({ joined }) => joined)

const Points = Schema.Struct({ unit: Schema.String, posted: Schema.Number, reserved: Schema.Number })
export type Points = typeof Points.Type
const pointRows = rowsOf(Points)

const pointsStatement =
  "SELECT unit, posted::float8 AS posted, reserved::float8 AS reserved FROM rollup_points WHERE program_id = $1"

export const points = (query: Query, program: string): Read<ReadonlyArray<Points>> =>
  pointRows(query(pointsStatement, [text(program)]))

const lotMonthsStatement = `SELECT DISTINCT
    date_trunc('month', to_timestamp(quarter / 1000) AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' AS month
  FROM rollup_lots WHERE program_id = $1 AND amount <> 0`
const monthRows = rowsOf(Schema.Struct({ month: Schema.Number }))

/** Starts of the UTC months in which points expire, ms. */
export const lotMonths = (query: Query, program: string): Read<ReadonlyArray<number>> =>
  Effect.map(monthRows(query(lotMonthsStatement, [text(program)])), (rows) => rows.map(({ month }) => month))

/** `month`: its index. */
const Expiring = Schema.Struct({ unit: Schema.String, month: Schema.Number, amount: Schema.Number })
export type Expiring = typeof Expiring.Type
const expiringRows = rowsOf(Expiring)

/** $3: now. Overdue points count in the month of now. */
const expiringStatement = `SELECT unit, width_bucket(greatest(quarter, $3), $2) - 1 AS month, sum(amount)::float8 AS amount
  FROM rollup_lots WHERE program_id = $1 GROUP BY 1, 2 HAVING sum(amount) <> 0 ORDER BY 1, 2`

/** Points that expire in each month; `starts`: starts of the months, ms. Overdue points count in the month of `now`. */
export const expiring = (
  query: Query,
  program: string,
  starts: ReadonlyArray<number>,
  now: number
): Read<ReadonlyArray<Expiring>> => expiringRows(query(expiringStatement, [text(program), int8s(starts), int8(now)]))

const eventsStatement = (where: string) => `WITH found AS MATERIALIZED (
    SELECT type, account, width_bucket(occurred_at, $4) - 1 AS day, count(*) AS events
    FROM behaviour WHERE program_id = $1 AND occurred_at >= $2 AND occurred_at < $3 ${where} GROUP BY 1, 2, 3
  ) SELECT coalesce(sum(events), 0)::float8 AS total, count(DISTINCT account) AS members,
    (SELECT coalesce(json_agg(json_build_object('key', type, 'count', events) ORDER BY events DESC, type COLLATE "C"), '[]')
      FROM (SELECT type, sum(events) AS events FROM found GROUP BY type) t) AS "byType",
    (SELECT coalesce(json_agg(json_build_array(day, events)), '[]')
      FROM (SELECT day, sum(events) AS events FROM found GROUP BY day) d) AS "byDay"
  FROM found`
const eventsSomewhere = eventsStatement("AND location_id = $5")
const eventsEverywhere = eventsStatement("")

const EventCounts = Schema.Struct({
  total: Schema.Number,
  members: Schema.Number,
  byType: Schema.Array(Schema.Struct({ key: Schema.String, count: Schema.Number })),
  /** Index of the day, and its events. */
  byDay: Schema.Array(Schema.Tuple([Schema.Number, Schema.Number]))
})
const eventsRow = oneOf(EventCounts)

/** Events in the range by type and by day; `starts`: starts of the days, ms. */
export const events = (
  query: Query,
  { from, location, program, until }: RangeFilter,
  starts: ReadonlyArray<number>
): Read<typeof EventCounts.Type> => {
  const range = [text(program), int8(from), int8(until), int8s(starts)]
  return eventsRow(
    location === undefined ? query(eventsEverywhere, range) : query(eventsSomewhere, [...range, text(location)])
  )
}

const profilesStatement = `SELECT coalesce(sum(profiles), 0)::float8 AS total,
    coalesce(sum(marketing), 0)::float8 AS marketing_consented, coalesce(sum(with_email), 0)::float8 AS with_email,
    coalesce(sum(with_phone), 0)::float8 AS with_phone
  FROM profile_counts WHERE program_id = $1`
const profilesRow = oneOf(
  Schema.Struct({
    total: Schema.Number,
    marketing_consented: Schema.Number,
    with_email: Schema.Number,
    with_phone: Schema.Number
  })
)

export const profiles = (query: Query, program: string): Read<Analytics["customer_data"]["profiles"]> =>
  profilesRow(query(profilesStatement, [text(program)]))

const importsStatement = `SELECT count(*) AS total,
    count(*) FILTER (WHERE completed_at IS NOT NULL AND failed = 0) AS completed,
    coalesce(sum(failed), 0)::float8 AS failed_rows
  FROM imports WHERE program_id = $1 AND created_at >= $2 AND created_at < $3`
const importsRow = oneOf(Schema.Struct({ total: Schema.Number, completed: Schema.Number, failed_rows: Schema.Number }))

/** Imports that were created in the range. */
export const imports = (
  query: Query,
  { from, program, until }: RangeFilter
): Read<Analytics["customer_data"]["imports"]> =>
  importsRow(query(importsStatement, [text(program), int8(from), int8(until)]))

const campaignsStatement = `WITH triggered AS (
    SELECT e.outcome FROM campaigns c JOIN campaign_events e ON e.campaign_id = c.campaign_id
    WHERE c.program_id = $1 AND e.outcome IN ('issued', 'holdout') AND e.at >= $2 AND e.at < $3
  )
  SELECT count(DISTINCT c.campaign_id) AS configured, count(r.n) AS runs,
    coalesce(sum(r.selected), 0)::float8 + (SELECT count(*) FROM triggered) AS members_targeted,
    coalesce(sum(r.issued), 0)::float8 + (SELECT count(*) FROM triggered WHERE outcome = 'issued') AS rewards_issued
  FROM campaigns c LEFT JOIN campaign_runs r ON r.campaign_id = c.campaign_id
    AND r.started_at >= $2 AND r.started_at < $3
  WHERE c.program_id = $1`
const campaignsRow = oneOf(
  Schema.Struct({
    configured: Schema.Number,
    runs: Schema.Number,
    members_targeted: Schema.Number,
    rewards_issued: Schema.Number
  })
)

/** All campaigns, and the results of the runs that started in the range. */
export const campaigns = (
  query: Query,
  { from, program, until }: RangeFilter
): Read<Analytics["loyalty"]["campaigns"]> =>
  campaignsRow(query(campaignsStatement, [text(program), int8(from), int8(until)]))
