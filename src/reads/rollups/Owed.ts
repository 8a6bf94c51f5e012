/**
 * The amounts that a programme owes its guests (contract/engagement.md *Analytics*): now, and at the end of each day. A day's closing is
 * kept as it was valued then; one at whose end no node ran is not made up for, because nobody knows its amounts any more.
 */

import type { PgConnection } from "@effect/sql-pg"
import { PgTypes } from "@effect/sql-pg"
import { Effect, Layer, Schema } from "effect"
import { WorkPool } from "../../base/database/Pools.ts"
import { int8, oneOf, rowsOf } from "../../base/database/Values.ts"
import { serviceTime } from "../../base/time/Times.ts"
import { Owed } from "../../contract/platform/Owed.ts"
import { fromMillis } from "../../contract/Values.ts"
import { worthOf } from "../../contract/Worth.ts"
import { Partitions } from "../../core/cluster/Partitions.ts"
import { singletons } from "../../core/cluster/Placement.ts"
import { Programs } from "../../core/programs/Programs.ts"
import { dateAt, dayStart } from "../../core/rules/Calendar.ts"
import type { Program } from "../../core/rules/Program.ts"
import { valueOf } from "../../core/rules/Rewards.ts"
import * as Bounds from "./Bounds.ts"
import { RollupReads } from "./RollupReads.ts"

const { text } = PgTypes

/** Runs a statement, which may be part of a transaction. */
type Query<E> = (
  statement: string,
  parameters: ReadonlyArray<unknown>
) => Effect.Effect<ReadonlyArray<PgConnection.Row>, E>

const Counts = Schema.Struct({
  /** Of active and suspended guests, on the primary account. */
  points: Schema.Number,
  /** Wallet rewards of these guests that can still be used. */
  rewards: Schema.Array(Schema.Struct({ reward: Schema.String, count: Schema.Number }))
})
export type Counts = typeof Counts.Type
const countsRow = oneOf(Counts)

/** Closed members are few, and found by an index, so the points of the others are all points less theirs. */
const countsStatement = (unit: string) => `SELECT (
      coalesce((SELECT posted FROM rollup_points WHERE program_id = $1 AND unit = '${unit}'), 0)
      - coalesce((SELECT sum(${unit}_posted) FROM member_rollups WHERE program_id = $1 AND status = 'closed'), 0)
    )::float8 AS points,
    (SELECT coalesce(json_agg(json_build_object('reward', reward_id, 'count', n) ORDER BY reward_id COLLATE "C"), '[]')
      FROM (
        SELECT r.reward_id, count(*) AS n FROM issued_rewards r JOIN accounts a ON a.number = r.account
        WHERE a.program_id = $1 AND a.status IN ('active', 'suspended') AND r.status = 'issued'
          AND (r.expires_at IS NULL OR r.expires_at > $2)
        GROUP BY r.reward_id
      ) open) AS rewards`

/** Reads every wallet reward: about a second with millions of them. `now`: ms. */
export const count = <E>(query: Query<E>, { id, primaryUnit }: Program, now: number): Effect.Effect<Counts, E> =>
  countsRow(query(countsStatement(primaryUnit), [text(id), int8(now)]))

/** The worth of so many of a reward, minor units. A custom or removed one has no value. */
export const worthOfRewards = ({ rewards }: Program, reward: string, many: number): number => {
  const effect = rewards.get(reward)?.effect
  return many * ((effect === undefined ? undefined : valueOf(effect))?.amount ?? 0)
}

/** Values counts as the programme has it. */
export const valued = (program: Program, { points, rewards }: Counts, asOf: number): Owed => {
  const money = (amount: number) => ({ amount, currency: program.currency })
  const value = program.file.point_value
  const counted = rewards.map(({ count, reward }) => ({
    reward_id: reward,
    count,
    worth: money(worthOfRewards(program, reward, count))
  }))
  const inWallets = counted.reduce((sum, { worth }) => sum + worth.amount, 0)
  return {
    as_of: fromMillis(asOf),
    unit: program.primaryUnit,
    points,
    rewards: counted,
    ...(value === undefined ? undefined : { worth: money(worthOf(value, points).amount + inWallets) })
  }
}

const closingRows = rowsOf(Schema.Struct({ owed: Owed }))

/** The amounts owed at the end of a day of the programme's zone; undefined: it was not recorded. */
export const closing = <E>(query: Query<E>, program: string, day: number): Effect.Effect<Owed | undefined, E> =>
  Effect.map(
    closingRows(query("SELECT owed FROM owed_closings WHERE program_id = $1 AND day = $2", [text(program), int8(day)])),
    ([row]) => (row === undefined ? undefined : { ...row.owed, day: new Date(day).toISOString().slice(0, 10) })
  )

/** Records the day that has ended in each programme's zone, if it ended a short while ago and is counted as a whole. */
export const closings = Effect.gen(function* () {
  const [programs, reads] = [yield* Programs, yield* RollupReads]
  const { query } = yield* WorkPool
  /** The last day that was recorded, by programme. */
  const recorded = new Map<string, number>()

  const close = Effect.fnUntraced(function* (program: Program, now: number) {
    const midnight = dayStart(program.zone, dateAt(program.zone, now))
    const day = dateAt(program.zone, midnight - 1)
    if (now - midnight >= Bounds.closingMs || recorded.get(program.id) === day) return
    const asOf = yield* reads.asOf(program.id)
    if (asOf !== undefined && asOf < midnight) return
    const owed = valued(program, yield* count(query, program, now), now)
    yield* query("INSERT INTO owed_closings VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", [
      text(program.id),
      int8(day),
      PgTypes.json(owed)
    ])
    recorded.set(program.id, day)
  })
  return (now: number) => Effect.forEach(programs.all(), (program) => close(program, now), { discard: true })
})

/** Records each day's end until the scope closes, on one node at a time. */
export const layerWorker = Layer.effectDiscard(
  Effect.gen(function* () {
    const { now } = yield* serviceTime
    const [{ whileMine }, record] = [yield* Partitions, yield* closings]
    const round = Effect.suspend(() => record(now())).pipe(
      Effect.catchCause((cause) => Effect.logWarning("What is owed at a day's end is not recorded yet", cause)),
      Effect.andThen(Effect.sleep(Bounds.closingPauseMs))
    )
    yield* Effect.forkScoped(whileMine(singletons.rollups, Effect.forever(round)))
  })
)
