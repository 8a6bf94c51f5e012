/**
 * The operators' reads of the rollups. No statement scans a table. Members of one
 * kind (programme, status, tier and its period) are one contiguous range of an
 * index, and there are few kinds. A list is merged from the ranges of the wanted
 * kinds.
 */
import { PgTypes } from "@effect/sql-pg"
import type { PgConnection } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import type { MemberStatus } from "../contract/Values.ts"
import * as Connect from "../database/Connect.ts"
import type { Database } from "../database/Database.ts"
import { DatabaseStartError } from "../database/Database.ts"
import { Feed } from "../feed/Feed.ts"
import { type AccountNumber, type Millis, JournalUnavailable } from "../journal/Records.ts"
import { numbers, texts } from "../journal/postgres/Parameters.ts"
import { prefixEnd, searchOf } from "../journal/SearchKey.ts"
import * as Bounds from "./Bounds.ts"
import type { TierKey } from "./Ladder.ts"
import { positionOf } from "./RollupStore.ts"
import { quarterOf } from "./Sums.ts"

/** Members with the same programme, status and tier, which filters treat alike. */
export interface Kind {
  readonly program: string
  readonly status: MemberStatus
  readonly tier: TierKey
  readonly members: number
}

interface PointSums {
  readonly unit: string
  readonly posted: number
  readonly reserved: number
  readonly expiring: number
}

/** Sums of the primary account's entries in a range of time. */
interface Activity {
  readonly orders: number
  readonly eligibleSpend: number
  readonly issued: number
  /** Redeemed minus reversed. */
  readonly redeemed: number
  readonly expired: number
  readonly adjusted: number
}

export interface Figures {
  /** Every record up to this instant is counted. Undefined: every record. */
  readonly asOf: Millis | undefined
  readonly kinds: ReadonlyArray<Kind>
  readonly points: ReadonlyArray<PointSums>
  readonly activity: Activity
}

interface FiguresQuery {
  readonly program: string
  readonly primaryUnit: string
  readonly day: { readonly start: Millis; readonly end: Millis }
  /** Points that expire in this time, both ends included. */
  readonly expiring: { readonly from: Millis; readonly until: Millis }
}

/** The member after which a page begins. */
export interface After {
  readonly account: AccountNumber
  /** The sort key: time of enrolment, ms, in a list newest first; the member id in a list by ids. */
  readonly key: string
}

export interface ListQuery {
  readonly kinds: ReadonlyArray<Kind>
  /** ms, both included. */
  readonly joinedFrom?: Millis | undefined
  readonly joinedUntil?: Millis | undefined
  /**
   * What `searchOf` reads: beginnings of ids, words and addresses, ends of numbers, whole identities. With it the list
   * is sorted by member id, else newest first.
   */
  readonly search?: string | undefined
  /** Accounts that the search finds in other ways, such as by an order. */
  readonly found?: ReadonlyArray<AccountNumber> | undefined
  readonly after?: After | undefined
  readonly limit: number
}

export interface Listed {
  readonly account: AccountNumber
  readonly program: string
  readonly member: string
  readonly status: MemberStatus
  readonly joined: Millis
  readonly tier: TierKey
  readonly displayName?: string | undefined
  /** JSON: `[unit, posted, reserved]` of every unit, as posted by now. */
  readonly balances: string
}

export class RollupReads extends Context.Service<
  RollupReads,
  {
    /** The number of members of each kind, of these programmes (undefined: all). */
    readonly kinds: (programs?: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Kind>, JournalUnavailable>
    readonly figures: (query: FiguresQuery) => Effect.Effect<Figures, JournalUnavailable>
    /** Every record of a programme up to this instant is counted. Undefined: every record. */
    readonly asOf: (program: string) => Effect.Effect<Millis | undefined, JournalUnavailable>
    readonly list: (query: ListQuery) => Effect.Effect<ReadonlyArray<Listed>, JournalUnavailable>
  }
>()("lotbook/rollups/RollupReads") {}

const { float8, text } = PgTypes

/** Runs a statement in a session with the settings of `session`. */
export type Query = (
  statement: string,
  parameters: ReadonlyArray<unknown>
) => Effect.Effect<ReadonlyArray<PgConnection.Row>, JournalUnavailable>

/** A sum of PostgreSQL, which is exact. The contract's `Sum` bounds the sums that a number represents exactly. */
export const toSum = (value: unknown): number => Number(value ?? 0)

type KindText = readonly [program: string, status: MemberStatus, period: number, tier: string, members: number]

const kindsOf = (value: unknown): ReadonlyArray<Kind> =>
  (JSON.parse(String(value ?? "[]")) as ReadonlyArray<KindText>).map(([program, status, period, tier, members]) => ({
    program,
    status,
    tier: { tier, period },
    members
  }))

const kindsAsJson = (where: string) =>
  `(SELECT json_agg(json_build_array(program_id, status, tier_period, tier_id, members))::text FROM rollup_members
    WHERE members > 0 AND ${where})`

const kindsStatement = `SELECT ${kindsAsJson("($1::text[] IS NULL OR program_id = ANY ($1::text[]))")} AS kinds`

/** The kinds, read with `query`, which may be part of a transaction. */
export const kindsBy = <E>(
  query: (statement: string, parameters: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<PgConnection.Row>, E>,
  programs: ReadonlyArray<string> | undefined
): Effect.Effect<ReadonlyArray<Kind>, E> =>
  Effect.map(query(kindsStatement, [programs === undefined ? null : texts(programs)]), ([row]) =>
    kindsOf(row?.["kinds"])
  )

const sortedSince = "(SELECT since::float8 FROM rollup_ladders WHERE program_id = $1 AND sorted_to IS NOT NULL)"

/** One statement, so that all figures come from one snapshot. */
const figuresStatement = `SELECT epoch::float8 AS epoch, transaction::text AS transaction, account::float8 AS account,
    seq::float8 AS seq, ${kindsAsJson("program_id = $1")} AS kinds,
    (SELECT json_agg(json_build_array(p.unit, p.posted::text, p.reserved::text, (
        SELECT coalesce(sum(l.amount), 0)::text FROM rollup_lots l WHERE l.program_id = $1 AND l.unit = p.unit
          AND l.quarter BETWEEN $2::float8::bigint AND $3::float8::bigint)))::text
      FROM rollup_points p WHERE p.program_id = $1) AS points,
    (SELECT json_build_array(sum(orders)::text, sum(eligible_spend)::text, sum(issued)::text, sum(redeemed - reversed)::text,
        sum(expired)::text, sum(adjusted)::text)::text
      FROM rollup_activity WHERE program_id = $1 AND unit = $4::text::unit AND location_id = ''
        AND quarter >= $5::float8::bigint AND quarter < $6::float8::bigint) AS activity,
    ${sortedSince} AS sorted_since
  FROM rollup_progress`

const asOfStatement = `SELECT epoch::float8 AS epoch, transaction::text AS transaction, account::float8 AS account,
    seq::float8 AS seq, ${sortedSince} AS sorted_since FROM rollup_progress`

type PointText = readonly [unit: string, posted: string, reserved: string, expiring: string]

const pointsOf = (value: unknown): ReadonlyArray<PointSums> =>
  (JSON.parse(String(value ?? "[]")) as ReadonlyArray<PointText>).map(([unit, posted, reserved, expiring]) => ({
    unit,
    posted: toSum(posted),
    reserved: toSum(reserved),
    expiring: toSum(expiring)
  }))

const activityOf = (value: unknown): Activity => {
  const sums = (JSON.parse(String(value)) as ReadonlyArray<string | null>).map(toSum)
  const [orders = 0, eligibleSpend = 0, issued = 0, redeemed = 0, expired = 0, adjusted = 0] = sums
  return { orders, eligibleSpend, issued, redeemed, expired, adjusted }
}

const kinds = `unnest($1::text[], $2::text[]::member_status[], $3::float8[]::bigint[], $4::text[])
  k(program_id, status, tier_period, tier_id)`
const ofKind =
  "r.program_id = k.program_id AND r.status = k.status AND r.tier_period = k.tier_period AND r.tier_id = k.tier_id"
const joinedWithin = "r.joined BETWEEN $5::float8::bigint AND $6::float8::bigint"

/** Selects the columns of listed members `m`, with their status and balances as posted by now. */
const listed = (members: string, order: string) => `SELECT m.account::float8 AS account, m.program_id, m.member_id,
    a.status::text AS status, m.joined::float8 AS joined, m.tier_id, m.tier_period::float8 AS tier_period, j.balances,
    p.display_name
  FROM (${members}) m JOIN accounts a ON a.number = m.account JOIN journal j ON j.account = a.number AND j.seq = a.seq
    LEFT JOIN profiles p ON p.account = m.account
  ORDER BY ${order}`

/**
 * $6, $7: rows after this time and account, newest first; $8: the limit. Each end of the range has only one bound:
 * of two, the index scan may start at the wider one and read needless rows.
 */
const newestStatement = listed(
  `SELECT n.* FROM ${kinds} CROSS JOIN LATERAL (
      SELECT r.* FROM member_rollups r
      WHERE ${ofKind} AND r.joined >= $5::float8::bigint
        AND (r.joined, r.account) < ($6::float8::bigint, $7::float8::bigint)
      ORDER BY r.joined DESC, r.account DESC LIMIT $8::float8::bigint
    ) n ORDER BY n.joined DESC, n.account DESC LIMIT $8::float8::bigint`,
  "m.joined DESC, m.account DESC"
)

/**
 * $7, $8: rows after this member id and account, or the start of the prefix; $9: the limit; $10: the prefix; $11: the
 * end of the prefix; $12: accounts found by an identity or a profile; $13: true on the first page.
 */
const isBehind = "(r.member_id, r.account) > ($7::text, $8::float8::bigint)"
const isBeforeEnd = "r.member_id < $11::text"
const byIdentity = `SELECT r.* FROM unnest($12::float8[]::bigint[]) found(account)
    CROSS JOIN LATERAL (SELECT r.* FROM member_rollups r WHERE r.account = found.account OFFSET 0) r JOIN ${kinds} ON ${ofKind}
  WHERE NOT (r.member_id >= $10::text AND ${isBeforeEnd}) AND ($13::boolean OR ${isBehind}) AND ${joinedWithin}`

const searchStatement = (byPrefix: string) =>
  listed(
    `SELECT n.* FROM (SELECT p.* FROM ${kinds} CROSS JOIN LATERAL (${byPrefix}) p UNION ALL ${byIdentity}) n
      ORDER BY n.member_id, n.account LIMIT $9::float8::bigint`,
    "m.member_id, m.account"
  )

/** Along the index of member ids, which also contains the times. */
const idsStatement = searchStatement(
  `SELECT r.* FROM member_rollups r WHERE ${ofKind} AND ${isBehind} AND ${isBeforeEnd} AND ${joinedWithin}
    ORDER BY r.member_id, r.account LIMIT $9::float8::bigint`
)

/** Along the index of times, for few members: reads all of them, and filters by the prefix. */
const fewJoinedStatement = searchStatement(
  `SELECT r.* FROM (
      SELECT r.* FROM member_rollups r WHERE ${ofKind} AND ${joinedWithin}
      ORDER BY r.joined, r.account LIMIT ${Bounds.fewJoined + 1}
    ) r WHERE ${isBehind} AND ${isBeforeEnd}`
)

/** The number of members enrolled in a range, counted up to the bound. */
const joinedStatement = `SELECT count(*)::float8 AS joined FROM (
    SELECT FROM ${kinds} CROSS JOIN LATERAL (
      SELECT FROM member_rollups r WHERE ${ofKind} AND ${joinedWithin}
      ORDER BY r.joined, r.account LIMIT ${Bounds.fewJoined + 1}
    ) n LIMIT ${Bounds.fewJoined + 1}
  ) counted`

/** $1: whole values; $2: the tsquery of a number. */
const identityStatement = `SELECT account::float8 AS account FROM (
    SELECT account FROM members WHERE identity_values(identities) && $1::text[]
    UNION SELECT account FROM members WHERE identity_terms(identities) @@ $2::tsquery
  ) found LIMIT ${Bounds.foundByIdentity}`

/**
 * Accounts found by their profiles. $1: programmes; $2, $3: the prefix and its end; $4, $5: the same for names; $6: the
 * tsquery.
 */
const ofProfiles = (column: string, from: string, until: string) =>
  `(SELECT p.account FROM profiles p WHERE p.program_id = k.program_id AND p.${column} >= ${from}::text
    AND p.${column} < ${until}::text LIMIT ${Bounds.foundByProfile + 1})`
const profileStatement = `SELECT f.account::float8 AS account
  FROM (SELECT DISTINCT unnest($1::text[]) AS program_id) k CROSS JOIN LATERAL (
    ${ofProfiles("external_id", "$2", "$3")} UNION ${ofProfiles("name_key", "$4", "$5")}
    UNION ${ofProfiles("email_key", "$4", "$5")}
    UNION (SELECT p.account FROM profiles p
      WHERE p.program_id = k.program_id AND profile_terms(p.name_key, p.phone) @@ $6::tsquery
      LIMIT ${Bounds.foundByProfile + 1})
  ) f LIMIT ${Bounds.foundByProfile + 1}`

/** Along the index of member ids, if many are found by profiles. $9: the limit; $14: the prefix of names; $15: the tsquery. */
const manyStatement = listed(
  `SELECT n.* FROM ${kinds} CROSS JOIN LATERAL (
      SELECT r.* FROM member_rollups r LEFT JOIN profiles p ON p.account = r.account
      WHERE ${ofKind} AND ($13::boolean OR ${isBehind}) AND ${joinedWithin}
        AND (r.member_id >= $10::text AND ${isBeforeEnd} OR r.account = ANY ($12::float8[]::bigint[])
          OR starts_with(p.external_id, $10::text) OR starts_with(p.name_key, $14::text)
          OR starts_with(p.email_key, $14::text) OR profile_terms(p.name_key, p.phone) @@ $15::tsquery)
      ORDER BY r.member_id, r.account LIMIT $9::float8::bigint
    ) n ORDER BY n.member_id, n.account LIMIT $9::float8::bigint`,
  "m.member_id, m.account"
)

const listedOf = (row: PgConnection.Row): Listed => ({
  account: Number(row["account"]),
  program: String(row["program_id"]),
  member: String(row["member_id"]),
  // The column is an enumeration.
  status: row["status"] as MemberStatus,
  joined: Number(row["joined"]),
  tier: { tier: String(row["tier_id"]), period: Number(row["tier_period"]) },
  balances: String(row["balances"]),
  ...(row["display_name"] === null ? undefined : { displayName: String(row["display_name"]) })
})

export const make = (query: Query, feed: Feed["Service"]): RollupReads["Service"] => {
  const search = Effect.fnUntraced(function* (
    wanted: string,
    { after, found: foundOtherwise = [], joinedFrom, joinedUntil, kinds: ofKinds, limit }: ListQuery,
    within: ReadonlyArray<unknown>
  ) {
    const { key, number, profile, values } = searchOf(wanted)
    const identified = yield* query(identityStatement, [texts(values), text(number ?? null)])
    const profiled = yield* query(profileStatement, [
      texts(ofKinds.map(({ program }) => program)),
      ...[wanted, prefixEnd(wanted), key, prefixEnd(key), profile ?? null].map((value) => text(value))
    ])
    const areMany = profiled.length > Bounds.foundByProfile
    const found = areMany ? identified : [...identified, ...profiled]
    const isForTime = joinedFrom !== undefined || joinedUntil !== undefined
    const [counted] = isForTime ? yield* query(joinedStatement, within) : []
    const areFew = counted !== undefined && Number(counted["joined"]) <= Bounds.fewJoined
    const statement = areMany ? manyStatement : areFew ? fewJoinedStatement : idsStatement
    return yield* query(statement, [
      ...within,
      // No account has a number below 1.
      text(after?.key ?? wanted),
      float8(after?.account ?? 0),
      float8(limit),
      text(wanted),
      text(prefixEnd(wanted)),
      numbers([...new Set([...foundOtherwise, ...found.map((row) => Number(row["account"]))])]),
      PgTypes.bool(after === undefined),
      ...(areMany ? [text(key), text(profile ?? null)] : [])
    ])
  })

  const asOfRow = Effect.fnUntraced(function* (row: PgConnection.Row) {
    const oldest = yield* feed.oldestAfter(positionOf(row))
    const waiting = [oldest, row["sorted_since"] === null ? undefined : Number(row["sorted_since"])]
    const since = waiting.filter((at) => at !== undefined)
    return since.length === 0 ? undefined : Math.min(...since)
  })

  return {
    asOf: (program) =>
      Effect.flatMap(query(asOfStatement, [text(program)]), ([row]) => {
        if (row === undefined) throw new Error("rollup_progress has one row")
        return asOfRow(row)
      }),
    kinds: (programs) => kindsBy(query, programs),
    figures: Effect.fnUntraced(function* ({ day, expiring, primaryUnit, program }) {
      const [row] = yield* query(figuresStatement, [
        text(program),
        float8(quarterOf(expiring.from)),
        float8(quarterOf(expiring.until)),
        text(primaryUnit),
        float8(day.start),
        float8(day.end)
      ])
      if (row === undefined) throw new Error("rollup_progress has one row")
      return {
        asOf: yield* asOfRow(row),
        kinds: kindsOf(row["kinds"]),
        points: pointsOf(row["points"]),
        activity: activityOf(row["activity"])
      }
    }),
    list: (asked) => {
      if (asked.kinds.length === 0) return Effect.succeed([])
      const { after, joinedFrom = Number.MIN_SAFE_INTEGER, joinedUntil = Bounds.endOfTime, limit } = asked
      const from = [
        texts(asked.kinds.map(({ program }) => program)),
        texts(asked.kinds.map(({ status }) => status)),
        numbers(asked.kinds.map(({ tier }) => tier.period)),
        texts(asked.kinds.map(({ tier }) => tier.tier)),
        float8(joinedFrom)
      ]
      const rows =
        asked.search === undefined
          ? query(newestStatement, [
              ...from,
              float8(after === undefined ? joinedUntil + 1 : Number(after.key)),
              float8(after?.account ?? 0),
              float8(limit)
            ])
          : search(asked.search, asked, [...from, float8(joinedUntil)])
      return Effect.map(rows, (found) => found.map(listedOf))
    }
  }
}

/** Forces plans that use the indexes, whatever the statistics say: no statement may scan a table. */
export const session = {
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_sort: "off",
  jit: "off"
}

export const layer: Layer.Layer<RollupReads, DatabaseStartError, Database | Feed> = Layer.effect(
  RollupReads,
  Effect.gen(function* () {
    const pool = yield* Connect.pool({ name: "figures", settings: session })
    return make(
      (statement, parameters) =>
        Effect.mapError(pool.query(statement, parameters), (cause) => new JournalUnavailable({ cause })),
      yield* Feed
    )
  }).pipe(
    Effect.catchTag("SqlError", (error) =>
      Effect.fail(new DatabaseStartError({ message: `PostgreSQL does not answer: ${error.message}` }))
    )
  )
)
