/**
 * The operators' reads of the rollups. No statement scans a table. Members of one
 * kind (programme, status, tier and its period) are one contiguous range of an
 * index, and there are few kinds. A list is merged from the ranges of the wanted
 * kinds.
 */
import { PgTypes } from "@effect/sql-pg"
import type { PgConnection } from "@effect/sql-pg"
import { Context, Effect, Layer, Schema } from "effect"
import { MemberStatus } from "../contract/Values.ts"
import * as Connect from "../database/Connect.ts"
import type { Database } from "../database/Database.ts"
import { DatabaseStartError } from "../database/Database.ts"
import { int8, int8s, oneOf, optional, rowsOf, texts } from "../database/Values.ts"
import { Feed } from "../feed/Feed.ts"
import { type AccountNumber, type Millis, JournalUnavailable } from "../journal/Records.ts"
import { prefixEnd, searchOf } from "../journal/SearchKey.ts"
import * as Bounds from "./Bounds.ts"
import type { TierKey } from "./Ladder.ts"
import { PositionColumns } from "./RollupStore.ts"
import { quarterOf } from "./Sums.ts"

/** Members with the same programme, status and tier, which filters treat alike. */
const Kind = Schema.Struct({
  program: Schema.String,
  status: MemberStatus,
  tier: Schema.Struct({ tier: Schema.String, period: Schema.Number }),
  members: Schema.Number
})
export type Kind = typeof Kind.Type

const PointSums = Schema.Struct({
  unit: Schema.String,
  posted: Schema.Number,
  reserved: Schema.Number,
  expiring: Schema.Number
})

/** Sums of the primary account's entries in a range of time. */
const Activity = Schema.Struct({
  orders: Schema.Number,
  eligibleSpend: Schema.Number,
  issued: Schema.Number,
  /** Redeemed minus reversed. */
  redeemed: Schema.Number,
  expired: Schema.Number,
  adjusted: Schema.Number
})

export interface Figures {
  /** Every record up to this instant is counted. Undefined: every record. */
  readonly asOf: Millis | undefined
  readonly kinds: ReadonlyArray<Kind>
  readonly points: ReadonlyArray<typeof PointSums.Type>
  readonly activity: typeof Activity.Type
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

const { text } = PgTypes

/** Runs a statement in a session with the settings of `session`. */
export type Query = (
  statement: string,
  parameters: ReadonlyArray<unknown>
) => Effect.Effect<ReadonlyArray<PgConnection.Row>, JournalUnavailable>

/** A JSON array of rows, empty if there are none. Numbers beyond 2^53 become the nearest ones, as the contract's `Sum` says. */
const rowsAsJson = (row: string, from: string) =>
  `(SELECT coalesce(json_agg(json_build_object(${row})), '[]') FROM ${from})`

const kindsAsJson = (where: string) =>
  rowsAsJson(
    `'program', program_id, 'status', status, 'tier', json_build_object('tier', tier_id, 'period', tier_period),
      'members', members`,
    `rollup_members WHERE members > 0 AND ${where}`
  )

const kindsStatement = `SELECT ${kindsAsJson("($1::text[] IS NULL OR program_id = ANY ($1::text[]))")} AS kinds`
const kindsRow = oneOf(Schema.Struct({ kinds: Schema.Array(Kind) }))

/** The kinds, read with `query`, which may be part of a transaction. */
export const kindsBy = <E>(
  query: (statement: string, parameters: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<PgConnection.Row>, E>,
  programs: ReadonlyArray<string> | undefined
): Effect.Effect<ReadonlyArray<Kind>, E> =>
  Effect.map(kindsRow(query(kindsStatement, [programs === undefined ? null : texts(programs)])), ({ kinds }) => kinds)

/** The rollups' position, and since when members of programme $1 wait for a tier of its ladder. */
const countedColumns = `epoch, transaction, account, seq,
    (SELECT since FROM rollup_ladders WHERE program_id = $1 AND sorted_to IS NOT NULL) AS sorted_since`
const Counted = Schema.Struct({ ...PositionColumns.fields, sorted_since: optional(Schema.Number) })
const countedRow = oneOf(Counted)

const asOfStatement = `SELECT ${countedColumns} FROM rollup_progress`

/** One statement, so that all figures come from one snapshot. */
const figuresStatement = `SELECT ${countedColumns}, ${kindsAsJson("program_id = $1")} AS kinds,
    ${rowsAsJson(
      `'unit', p.unit, 'posted', p.posted, 'reserved', p.reserved, 'expiring', (
        SELECT coalesce(sum(l.amount), 0) FROM rollup_lots l WHERE l.program_id = $1 AND l.unit = p.unit
          AND l.quarter BETWEEN $2 AND $3)`,
      "rollup_points p WHERE p.program_id = $1"
    )} AS points,
    (SELECT json_build_object('orders', coalesce(sum(orders), 0), 'eligibleSpend', coalesce(sum(eligible_spend), 0),
        'issued', coalesce(sum(issued), 0), 'redeemed', coalesce(sum(redeemed - reversed), 0),
        'expired', coalesce(sum(expired), 0), 'adjusted', coalesce(sum(adjusted), 0))
      FROM rollup_activity WHERE program_id = $1 AND unit = $4::unit AND location_id = ''
        AND quarter >= $5 AND quarter < $6) AS activity
  FROM rollup_progress`
const figuresRow = oneOf(
  Schema.Struct({
    ...Counted.fields,
    kinds: Schema.Array(Kind),
    points: Schema.Array(PointSums),
    activity: Activity
  })
)

const kinds = `unnest($1, $2::member_status[], $3, $4)
  k(program_id, status, tier_period, tier_id)`
const ofKind =
  "r.program_id = k.program_id AND r.status = k.status AND r.tier_period = k.tier_period AND r.tier_id = k.tier_id"
const joinedWithin = "r.joined BETWEEN $5 AND $6"

/** Selects the columns of listed members `m`, with their status and balances as posted by now. */
const listed = (members: string, order: string) => `SELECT m.account, m.program_id AS program, m.member_id AS member,
    a.status, m.joined, m.tier_id, m.tier_period, p.display_name, j.balances
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
      WHERE ${ofKind} AND r.joined >= $5
        AND (r.joined, r.account) < ($6, $7)
      ORDER BY r.joined DESC, r.account DESC LIMIT $8
    ) n ORDER BY n.joined DESC, n.account DESC LIMIT $8`,
  "m.joined DESC, m.account DESC"
)

/**
 * $7, $8: rows after this member id and account, or the start of the prefix; $9: the limit; $10: the prefix; $11: the
 * end of the prefix; $12: accounts found by an identity or a profile; $13: true on the first page.
 */
const isBehind = "(r.member_id, r.account) > ($7, $8)"
const isBeforeEnd = "r.member_id < $11"
const byIdentity = `SELECT r.* FROM unnest($12) found(account)
    CROSS JOIN LATERAL (SELECT r.* FROM member_rollups r WHERE r.account = found.account OFFSET 0) r JOIN ${kinds} ON ${ofKind}
  WHERE NOT (r.member_id >= $10 AND ${isBeforeEnd}) AND ($13 OR ${isBehind}) AND ${joinedWithin}`

const searchStatement = (byPrefix: string) =>
  listed(
    `SELECT n.* FROM (SELECT p.* FROM ${kinds} CROSS JOIN LATERAL (${byPrefix}) p UNION ALL ${byIdentity}) n
      ORDER BY n.member_id, n.account LIMIT $9`,
    "m.member_id, m.account"
  )

/** Along the index of member ids, which also contains the times. */
const idsStatement = searchStatement(
  `SELECT r.* FROM member_rollups r WHERE ${ofKind} AND ${isBehind} AND ${isBeforeEnd} AND ${joinedWithin}
    ORDER BY r.member_id, r.account LIMIT $9`
)

/** Along the index of times, for few members: reads all of them, and filters by the prefix. */
const fewJoinedStatement = searchStatement(
  `SELECT r.* FROM (
      SELECT r.* FROM member_rollups r WHERE ${ofKind} AND ${joinedWithin}
      ORDER BY r.joined, r.account LIMIT ${Bounds.fewJoined + 1}
    ) r WHERE ${isBehind} AND ${isBeforeEnd}`
)

/** The number of members enrolled in a range, counted up to the bound. */
const joinedStatement = `SELECT count(*) AS joined FROM (
    SELECT FROM ${kinds} CROSS JOIN LATERAL (
      SELECT FROM member_rollups r WHERE ${ofKind} AND ${joinedWithin}
      ORDER BY r.joined, r.account LIMIT ${Bounds.fewJoined + 1}
    ) n LIMIT ${Bounds.fewJoined + 1}
  ) counted`

/** $1: whole values; $2: the tsquery of a number. */
const identityStatement = `SELECT account FROM (
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
const profileStatement = `SELECT f.account
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
      WHERE ${ofKind} AND ($13 OR ${isBehind}) AND ${joinedWithin}
        AND (r.member_id >= $10 AND ${isBeforeEnd} OR r.account = ANY ($12)
          OR starts_with(p.external_id, $10) OR starts_with(p.name_key, $14)
          OR starts_with(p.email_key, $14) OR profile_terms(p.name_key, p.phone) @@ $15::tsquery)
      ORDER BY r.member_id, r.account LIMIT $9
    ) n ORDER BY n.member_id, n.account LIMIT $9`,
  "m.member_id, m.account"
)

const accountRows = rowsOf(Schema.Struct({ account: Schema.Number }))
const joinedRow = oneOf(Schema.Struct({ joined: Schema.Number }))
const listedRows = rowsOf(
  Schema.Struct({
    account: Schema.Number,
    program: Schema.String,
    member: Schema.String,
    status: MemberStatus,
    joined: Schema.Number,
    tier_id: Schema.String,
    tier_period: Schema.Number,
    display_name: optional(Schema.String),
    balances: Schema.String
  })
)

export const make = (query: Query, feed: Feed["Service"]): RollupReads["Service"] => {
  const search = Effect.fnUntraced(function* (
    wanted: string,
    { after, found: foundOtherwise = [], joinedFrom, joinedUntil, kinds: ofKinds, limit }: ListQuery,
    within: ReadonlyArray<unknown>
  ) {
    const { key, number, profile, values } = searchOf(wanted)
    const identified = yield* accountRows(query(identityStatement, [texts(values), text(number ?? null)]))
    const profiled = yield* accountRows(
      query(profileStatement, [
        texts(ofKinds.map(({ program }) => program)),
        ...[wanted, prefixEnd(wanted), key, prefixEnd(key), profile ?? null].map((value) => text(value))
      ])
    )
    const areMany = profiled.length > Bounds.foundByProfile
    const found = areMany ? identified : [...identified, ...profiled]
    const isForTime = joinedFrom !== undefined || joinedUntil !== undefined
    const areFew = isForTime && (yield* joinedRow(query(joinedStatement, within))).joined <= Bounds.fewJoined
    const statement = areMany ? manyStatement : areFew ? fewJoinedStatement : idsStatement
    return yield* query(statement, [
      ...within,
      // No account has a number below 1.
      text(after?.key ?? wanted),
      int8(after?.account ?? 0),
      int8(limit),
      text(wanted),
      text(prefixEnd(wanted)),
      int8s([...new Set([...foundOtherwise, ...found.map(({ account }) => account)])]),
      PgTypes.bool(after === undefined),
      ...(areMany ? [text(key), text(profile ?? null)] : [])
    ])
  })

  const asOf = ({ sorted_since: sortedSince, ...position }: typeof Counted.Type) =>
    Effect.map(feed.oldestAfter(position), (oldest) => {
      const waiting = [oldest, sortedSince].filter((at) => at !== undefined)
      return waiting.length === 0 ? undefined : Math.min(...waiting)
    })

  return {
    asOf: (program) => Effect.flatMap(countedRow(query(asOfStatement, [text(program)])), asOf),
    kinds: (programs) => kindsBy(query, programs),
    figures: Effect.fnUntraced(function* ({ day, expiring, primaryUnit, program }) {
      const { activity, kinds, points, ...counted } = yield* figuresRow(
        query(figuresStatement, [
          text(program),
          int8(quarterOf(expiring.from)),
          int8(quarterOf(expiring.until)),
          text(primaryUnit),
          int8(day.start),
          int8(day.end)
        ])
      )
      return { asOf: yield* asOf(counted), kinds, points, activity }
    }),
    list: (asked) => {
      if (asked.kinds.length === 0) return Effect.succeed([])
      const { after, joinedFrom = Number.MIN_SAFE_INTEGER, joinedUntil = Bounds.endOfTime, limit } = asked
      const from = [
        texts(asked.kinds.map(({ program }) => program)),
        texts(asked.kinds.map(({ status }) => status)),
        int8s(asked.kinds.map(({ tier }) => tier.period)),
        texts(asked.kinds.map(({ tier }) => tier.tier)),
        int8(joinedFrom)
      ]
      const rows =
        asked.search === undefined
          ? query(newestStatement, [
              ...from,
              int8(after === undefined ? joinedUntil + 1 : Number(after.key)),
              int8(after?.account ?? 0),
              int8(limit)
            ])
          : search(asked.search, asked, [...from, int8(joinedUntil)])
      return Effect.map(listedRows(rows), (found) =>
        found.map(({ display_name, tier_id, tier_period, ...row }) => ({
          ...row,
          tier: { tier: tier_id, period: tier_period },
          ...(display_name === undefined ? undefined : { displayName: display_name })
        }))
      )
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
