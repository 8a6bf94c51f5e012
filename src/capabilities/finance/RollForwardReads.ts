/** The statements of the roll-forward. They read sums by day and month, never the ledger. */

import type { PgConnection } from "@effect/sql-pg"
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { int8, int8s, rowsOf } from "../../base/database/Values.ts"
import type { StatementLine } from "../../contract/admin/Finance.ts"
import type { PointValue } from "../../contract/ProgramFile.ts"
import type { RewardEffect } from "../../contract/protocol/Program.ts"
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

const here = Object.values(hereLines)
const isBelowZero = `line = '${belowZero}'`
const before = (place: string, where: string) => `SELECT unit::text AS unit, ${place} AS place,
    CASE WHEN ${isBelowZero} THEN line ELSE '${opening}' END AS line, 0 AS segment, points
  FROM finance_days WHERE program_id = $1 AND ${where} AND line <> ALL (ARRAY[${here.map((line) => `'${line}'`)}])`

const sumsStatement = (place: string) => `SELECT unit, place, line, segment, sum(points)::float8 AS points FROM (
    ${before(place, `span = ${spans.month} AND start < $2`)}
    UNION ALL ${before(place, `span = ${spans.day} AND start >= $2 AND start < $3`)}
    UNION ALL SELECT unit::text, ${place}, line, width_bucket(start, $5), points
      FROM finance_days WHERE program_id = $1 AND span = ${spans.day} AND start >= $3 AND start < $4
  ) s GROUP BY unit, place, line, segment`

interface Asked {
  readonly program: string
  /** The first day, and the day after the last one: midnights in UTC of their dates, ms. */
  readonly from: number
  readonly until: number
  /** The first days of the segments, the first of them `from`. */
  readonly segments: ReadonlyArray<number>
  readonly isByPlace: boolean
}

export const sums = <E>(query: Query<E>, { from, isByPlace, program, segments, until }: Asked) =>
  partRows(
    query(sumsStatement(isByPlace ? "location_id" : "''"), [
      text(program),
      int8(monthOf(from)),
      int8(from),
      int8(until),
      int8s(segments)
    ])
  )

/** True for a line of a balance. */
export const isOfBalance = (line: string): line is StatementLine =>
  line !== belowZero && line !== opening && !here.some((one) => one === line)

const rewardRows = rowsOf(
  Schema.Struct({
    reward: Schema.String,
    wallets: Schema.Number,
    given: Schema.Number,
    used: Schema.Number
  })
)
const inRange = (lines: string, sign = "") =>
  `coalesce(sum(${sign}rewards) FILTER (WHERE isIn AND line IN (${lines})), 0)::float8`
const rewardsStatement = `SELECT reward_id AS reward, coalesce(sum(rewards), 0)::float8 AS wallets,
    ${inRange("'given'")} AS given, ${inRange("'used', 'restored'", "-")} AS used
  FROM (
    SELECT reward_id, line, rewards, false AS isIn FROM finance_rewards
      WHERE program_id = $1 AND span = ${spans.month} AND start < $2
    UNION ALL SELECT reward_id, line, rewards, start >= $3 FROM finance_rewards
      WHERE program_id = $1 AND span = ${spans.day} AND start >= $2 AND start < $4
  ) s GROUP BY reward_id ORDER BY reward_id COLLATE "C"`

export const rewards = <E>(query: Query<E>, { from, program, until }: Pick<Asked, "from" | "program" | "until">) =>
  Effect.map(
    rewardRows(query(rewardsStatement, [text(program), int8(monthOf(from)), int8(from), int8(until)])),
    (rows) => rows.filter(({ given, used, wallets }) => given !== 0 || used !== 0 || wallets !== 0)
  )

/** Definitions were checked when they were published. */
const versionRows = rowsOf(
  Schema.Struct({
    publishedAt: Schema.Number,
    value: Schema.Any,
    rewards: Schema.Array(Schema.Struct({ reward_id: Schema.String, effect: Schema.Any }))
  })
)

/** Values from a day on: of a point, and of one of each reward. */
export interface Values {
  readonly from: number
  readonly point: PointValue | undefined
  readonly rewards: ReadonlyMap<string, number>
}

const worthOfReward = (effect: RewardEffect): number | undefined => valueOf(effect)?.amount

/** The values of a programme's versions, from the day of the publication in the programme's zone; the first version's from ever. */
export const values = <E>(query: Query<E>, program: string, zone: string): Effect.Effect<ReadonlyArray<Values>, E> =>
  Effect.map(
    versionRows(
      query(
        `SELECT published_at AS "publishedAt", definition -> 'point_value' AS value,
            coalesce(definition -> 'rewards', '[]') AS rewards
          FROM programs WHERE program_id = $1 ORDER BY version`,
        [text(program)]
      )
    ),
    (rows) =>
      rows.map(({ publishedAt, rewards, value }, place) => ({
        from: place === 0 ? -Infinity : Calendar.dateOf(zone, publishedAt),
        point: value ?? undefined,
        rewards: new Map(
          rewards.flatMap(({ effect, reward_id }) => {
            const worth = worthOfReward(effect)
            return worth === undefined ? [] : [[reward_id, worth] as const]
          })
        )
      }))
  )

/** The values of a day: of several versions of one day the last. */
export const valuesOn = (all: ReadonlyArray<Values>, day: number): Values | undefined =>
  all.findLast(({ from }) => from <= day)
