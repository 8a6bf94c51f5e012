/** The statements of the roll-forward. They read sums by day and month, never the ledger. */

import type { PgConnection } from "@effect/sql-pg"
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { int8, int8s, optional, rowsOf } from "../../base/database/Values.ts"
import type { PointsLine } from "../../contract/admin/Finance.ts"
import { pointsLines } from "../../contract/admin/Finance.ts"
import { Branded, Franchised } from "../../contract/admin/Locations.ts"
import type { PointValue, ProgramFile } from "../../contract/ProgramFile.ts"
import type { Unit } from "../../contract/Values.ts"
import type { PlaceFacts } from "../../core/protocol/Restaurants.ts"
import * as Calendar from "../../core/rules/Calendar.ts"
import { valueOf } from "../../core/rules/Rewards.ts"
import { belowZero, hereLines, monthOf, spans } from "../../reads/finance/Sums.ts"

const { text } = PgTypes

/** Runs a statement, which may be part of a transaction. */
export type Query<E> = (
  statement: string,
  parameters: ReadonlyArray<unknown>
) => Effect.Effect<ReadonlyArray<PgConnection.Row>, E>

/** Sums of one account, place and line in one segment of the range; segment 0 is all that was before it. */
const Part = Schema.Struct({
  unit: Schema.String,
  place: Schema.String,
  line: Schema.String,
  segment: Schema.Number,
  points: Schema.Number
})
export type Part = typeof Part.Type
const partRows = rowsOf(Part)

/** The line of all points before the range. */
export const opening = "opening"

/** The lines of a balance. */
export const balanceLineNames: ReadonlyArray<PointsLine> = pointsLines

const here = Object.values(hereLines)
const quoted = (lines: ReadonlyArray<string>) => lines.map((line) => `'${line}'`).join(", ")

/**
 * Days and months to read of a table: months before the range and whole ones in it, days of cut months. Each is looked up by
 * itself, because a range of them is estimated to be so large that the whole table would be scanned.
 */
const read = (table: string) => `WITH RECURSIVE months(start) AS (
    SELECT min(start) FROM ${table} WHERE program_id = $1 AND span = ${spans.month}
    UNION ALL SELECT (SELECT min(t.start) FROM ${table} t WHERE t.program_id = $1 AND t.span = ${spans.month} AND t.start > m.start)
      FROM months m WHERE m.start < $4
  ), read(span, start) AS (
    SELECT ${spans.month}, start FROM months WHERE start < $2 OR (start >= $3 AND start < $4 AND start <> ALL ($5))
    UNION ALL SELECT ${spans.day}, day FROM generate_series($2::bigint, $3::bigint - 1, ${Calendar.dayMs}) day
    UNION ALL SELECT ${spans.day}, day FROM unnest($6, $7) edge(since, till), generate_series(since, till - 1, ${Calendar.dayMs}) day
  )`
const found = (table: string) =>
  `read CROSS JOIN LATERAL (SELECT * FROM ${table} WHERE program_id = $1 AND span = read.span AND start = read.start OFFSET 0) d`

/** Of what was before the range a roll-forward needs the balance alone; a statement, which tells late entries, each line. */
const sumsStatement = (
  place: string,
  keepsLines: boolean
) => `${read("finance_days")} SELECT unit::text, place, line, segment, points
  FROM (
    SELECT unit, ${place} AS place, ${
      keepsLines ? "line" : `CASE WHEN d.start >= $3 OR line = '${belowZero}' THEN line ELSE '${opening}' END AS line`
    }, width_bucket(d.start, $8) AS segment, sum(points)::float8 AS points
    FROM ${found("finance_days")} ${keepsLines ? "" : `WHERE d.start >= $3 OR line <> ALL (ARRAY[${quoted(here)}])`} GROUP BY 1, 2, 3, 4
  ) s`

interface Asked {
  readonly program: string
  /** The first day, and the day after the last one: midnights in UTC of their dates, ms. */
  readonly from: number
  readonly until: number
  /** The first days of the segments, the first of them `from`. */
  readonly segments: ReadonlyArray<number>
  readonly isByPlace: boolean
  readonly keepsLines?: boolean
}

/** The first days of the months that a range or its segments cut: they are read by days, whole months by months. */
const cutMonths = ({ from, segments, until }: Pick<Asked, "from" | "segments" | "until">): ReadonlyArray<number> => [
  ...new Set([from, ...segments, until].flatMap((day) => (monthOf(day) === day ? [] : [monthOf(day)])))
]

/** The parameters of `read`. */
const readParameters = (asked: Pick<Asked, "from" | "program" | "segments" | "until">): ReadonlyArray<unknown> => {
  const { from, program, until } = asked
  const cut = cutMonths(asked)
  return [
    text(program),
    int8(monthOf(from)),
    int8(from),
    int8(until),
    int8s(cut),
    int8s(cut.map((first) => Math.max(first, from))),
    int8s(cut.map((first) => Math.min(Calendar.monthsLater(first, 1), until)))
  ]
}

export const sums = <E>(query: Query<E>, asked: Asked) => {
  const { isByPlace, keepsLines = false, segments } = asked
  const statement = sumsStatement(isByPlace ? "location_id" : "''", keepsLines)
  return partRows(query(statement, [...readParameters(asked), int8s(segments)]))
}

const RewardSums = Schema.Struct({
  reward: Schema.String,
  wallets: Schema.Number,
  given: Schema.Number,
  used: Schema.Number
})
/** Of a reward: how many are in wallets, and were given free and used in the range. */
export type RewardSums = typeof RewardSums.Type
const rewardRows = rowsOf(RewardSums)

const inRange = (lines: string, sign = "") =>
  `coalesce(sum(${sign}rewards) FILTER (WHERE d.start >= $3 AND line IN (${lines})), 0)::float8`
const rewardsStatement = `${read("finance_rewards")} SELECT reward_id AS reward, coalesce(sum(rewards), 0)::float8 AS wallets,
    ${inRange("'given'")} AS given, ${inRange("'used', 'restored'", "-")} AS used
  FROM ${found("finance_rewards")} GROUP BY reward_id ORDER BY reward_id COLLATE "C"`

/** Rewards by id. */
export const rewards = <E>(query: Query<E>, asked: Pick<Asked, "from" | "program" | "until">) =>
  rewardRows(query(rewardsStatement, readParameters({ ...asked, segments: [] })))

const cohortRows = rowsOf(
  Schema.Struct({ unit: Schema.String, earned: Schema.Number, line: Schema.String, points: Schema.Number })
)

/** The lines of cohorts up to a day, which begins a month: a midnight in UTC, ms. */
export const cohorts = <E>(query: Query<E>, program: string, until: number) =>
  cohortRows(
    query(
      `SELECT unit::text AS unit, earned, line, sum(points)::float8 AS points FROM finance_cohorts
        WHERE program_id = $1 AND month < $2 GROUP BY unit, earned, line`,
      [text(program), int8(until)]
    )
  )

const placeRows = rowsOf(
  Schema.Struct({
    location_id: Schema.String,
    franchisees: optional(Schema.Array(Franchised)),
    brands: optional(Schema.Array(Branded))
  })
)

/** The locations that have or had a franchisee or a brand. */
export const places = <E>(query: Query<E>): Effect.Effect<ReadonlyArray<PlaceFacts>, E> =>
  placeRows(
    query(
      `SELECT location_id, franchisees, brands FROM locations
        WHERE franchisees IS NOT NULL OR brands IS NOT NULL`,
      []
    )
  )

/** Definitions were checked when they were published. */
const versionRows = rowsOf(
  Schema.Struct({
    version: Schema.Number,
    publishedAt: Schema.Number,
    definition: Schema.Any
  })
)

/** Values from a day on: of a point, and of one of each reward. */
export interface Values {
  readonly from: number
  readonly point: PointValue | undefined
  readonly rewards: ReadonlyMap<string, number>
}

/** The facts of a programme, as its versions up to one have them. */
export interface Facts {
  readonly version: number
  readonly zone: string
  readonly currency: string
  readonly primaryUnit: Unit
  readonly units: ReadonlyArray<Unit>
  /** From the day of each publication on, the first version's from ever. */
  readonly values: ReadonlyArray<Values>
}

const rewardValues = ({ rewards }: ProgramFile): ReadonlyMap<string, number> =>
  new Map(
    rewards.flatMap(({ effect, reward_id }) => {
      const worth = valueOf(effect)?.amount
      return worth === undefined ? [] : [[reward_id, worth] as const]
    })
  )

/** The facts of a programme's versions up to `version`; undefined: all. */
export const facts = <E>(query: Query<E>, program: string, version?: number): Effect.Effect<Facts, E> =>
  Effect.map(
    versionRows(
      query(
        `SELECT version, published_at AS "publishedAt", definition FROM programs
          WHERE program_id = $1 AND version <= coalesce($2, version) ORDER BY version`,
        [text(program), PgTypes.int4(version ?? null)]
      )
    ),
    (rows) => {
      const newest = rows.at(-1)
      if (newest === undefined) throw new Error(`programme ${program} has no version`)
      const { accounts, currency, tier_policy, time_zone }: ProgramFile = newest.definition
      const zone = time_zone ?? tier_policy?.period.time_zone ?? "UTC"
      return {
        version: newest.version,
        zone,
        currency,
        primaryUnit: accounts.find(({ is_primary }) => is_primary)!.unit,
        units: accounts.map(({ unit }) => unit),
        values: rows.map(({ definition, publishedAt }, place) => ({
          from: place === 0 ? -Infinity : Calendar.dateOf(zone, publishedAt),
          point: definition.point_value,
          rewards: rewardValues(definition)
        }))
      }
    }
  )

/** The values of a day: of several versions of one day the last. */
export const valuesOn = (all: ReadonlyArray<Values>, day: number): Values | undefined =>
  all.findLast(({ from }) => from <= day)
