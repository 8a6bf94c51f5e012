/**
 * Finance of a chain: `node test/bench/finance.ts --data-dir DIR [--orders 10000000] [--restaurants 1000] [--months 37]`.
 *
 * Fills the sums of finance as so many orders leave them, spread over restaurants and days, and guests that a close looks at.
 * The journal is empty: sums are read alone, and their keeper is timed by its own figures. Prints how long a month, a
 * year and the longest range take by account, month, restaurant and franchisee, and each close.
 */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import type { PgConnection } from "@effect/sql-pg"
import { Console, Effect, Layer } from "effect"
import { parseArgs } from "node:util"
import * as Testing from "../../src/app/testing/Testing.ts"
import * as Connect from "../../src/base/database/Connect.ts"
import * as EmbeddedPostgres from "../../src/base/database/embedded/EmbeddedPostgres.ts"
import * as Migrations from "../../src/base/database/Migrations.ts"
import * as Pools from "../../src/base/database/Pools.ts"
import * as Closing from "../../src/capabilities/finance/Closing.ts"
import * as RollForward from "../../src/capabilities/finance/RollForward.ts"
import * as Statement from "../../src/capabilities/finance/Statement.ts"
import * as ProgramWrites from "../../src/capabilities/programs/ProgramWrites.ts"
import { rowKinds } from "../../src/contract/admin/Finance.ts"
import * as ProgramStore from "../../src/core/programs/ProgramStore.ts"
import { Programs } from "../../src/core/programs/Programs.ts"
import * as Calendar from "../../src/core/rules/Calendar.ts"
import { CurrentCaller } from "../../src/desk/access/CurrentCaller.ts"
import * as PgFeed from "../../src/reads/feed/PgFeed.ts"
import { Finance } from "../../src/reads/finance/Finance.ts"
import * as FinanceStore from "../../src/reads/finance/FinanceStore.ts"

const { values } = parseArgs({
  options: {
    "data-dir": { type: "string" },
    orders: { type: "string" },
    restaurants: { type: "string" },
    months: { type: "string" }
  }
})
const [orders, restaurants, months] = [
  Number(values.orders ?? 10_000_000),
  Number(values.restaurants ?? 1_000),
  Number(values.months ?? 37)
]
/** One guest for ten orders. */
const guests = Math.ceil(orders / 10)
/** Rewards that guests have in wallets. */
const rewards = 100
const turns = 5

const { limits: _, ...file } = Testing.demoProgram.file
const program = Testing.programOf({
  ...file,
  time_zone: "America/New_York",
  point_value: { points: 1, worth: { amount: 4, currency: "USD" } }
})
const { id } = program
/** The end of the last month, which is over. */
const end = Date.UTC(2026, 9, 1)
const start = Calendar.monthsLater(end, -months)
const days = (end - start) / Calendar.dayMs
const perDay = orders / restaurants / days

/** Lines of a restaurant's day, points for an order. Few lines are of each day. */
const lines = [
  ["base", 100],
  ["promotions", 15],
  ["orders_down", -3],
  ["gift_credits", 1],
  ["redeemed", -60],
  ["given_back", 1],
  ["expired", -40],
  ["redeemed_here", -60],
  ["given_back_here", 1]
] as const

const fills = [
  `INSERT INTO finance_days SELECT '${id}', 1, ${start} + d::bigint * ${Calendar.dayMs}, 'points', 'restaurant-' || r, l.line,
      round(l.points * ${perDay} * (0.5 + random()))
    FROM generate_series(0, ${days - 1}) d, generate_series(1, ${restaurants}) r,
      (VALUES ${lines.map(([line, points]) => `('${line}', ${points})`).join(", ")}) l(line, points)
    WHERE round(l.points * ${perDay}) <> 0`,
  `INSERT INTO finance_days SELECT program_id, 31,
      extract(epoch FROM date_trunc('month', to_timestamp(start / 1000) AT TIME ZONE 'UTC') AT TIME ZONE 'UTC')::bigint * 1000,
      unit, location_id, line, sum(points) FROM finance_days WHERE span = 1 GROUP BY 1, 2, 3, 4, 5, 6`,
  `INSERT INTO finance_rewards SELECT '${id}', s.span, s.start, 'reward-' || r, l.line, s.days * l.rewards
    FROM (SELECT 1, ${start} + d::bigint * ${Calendar.dayMs}, 1 FROM generate_series(0, ${days - 1}) d
        UNION ALL SELECT 31, extract(epoch FROM month)::bigint * 1000, extract(day FROM month + interval '1 month - 1 day')::int
          FROM generate_series(to_timestamp(${start / 1000}), to_timestamp(${end / 1000 - 1}), '1 month') month) s(span, start, days),
      generate_series(1, ${rewards}) r, (VALUES ('given', 40), ('used', -30), ('lapsed', -5), ('restored', 1)) l(line, rewards)`,
  `INSERT INTO accounts (number, seq, next_due, balance, status, program_id, member_id, joined_at)
    SELECT n, 1, ${end + Calendar.dayMs} + n * 1000, 100, 'active', '${id}', 'm-' || n, now() FROM generate_series(1, ${guests}) n`,
  `INSERT INTO locations (location_id, name, updated_at, franchisees) SELECT 'restaurant-' || r, 'Restaurant', 0,
      jsonb_build_array(jsonb_build_object('from', '2020-01-01', 'franchisee_id', 'franchisee-' || r % 100),
        jsonb_build_object('from', date '${new Date(end).toISOString().slice(0, 10)}' - 15 - r % 5 * 90, 'franchisee_id', 'franchisee-' || r % 70))
    FROM generate_series(1, ${restaurants}) r`,
  "VACUUM ANALYZE finance_days",
  "VACUUM ANALYZE finance_rewards",
  "VACUUM ANALYZE accounts"
]

const timed = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const began = performance.now()
    return Effect.map(work, (found) => [found, performance.now() - began] as const)
  })

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)
const median = (all: ReadonlyArray<number>): number => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)]!

const fill = Effect.fnUntraced(function* ({ query }: Pick<PgConnection.PgConnection, "query">) {
  for (const statement of fills) {
    const [, ms] = yield* timed(query(statement))
    yield* Console.log(`${Math.round(ms / 1000)} s: ${statement.slice(0, 60).replaceAll(/\s+/g, " ")}`)
  }
  const { rows } = yield* query(
    "SELECT (SELECT count(*) FROM finance_days)::text AS rows, pg_size_pretty(pg_total_relation_size('finance_days')) AS size"
  )
  yield* Console.log(`finance_days: ${rows[0]?.["rows"]} rows, ${rows[0]?.["size"]}`)
})

const asked = Effect.gen(function* () {
  const show = yield* RollForward.make
  const ranges = [
    ["a month", Calendar.monthsLater(end, -2), Calendar.monthsLater(end, -1)],
    ["a month and days", Calendar.monthsLater(end, -2) - 9 * Calendar.dayMs, end - 5 * Calendar.dayMs],
    ["a year", Calendar.monthsLater(end, -12), end],
    ["1,100 days", end - 1_100 * Calendar.dayMs, end]
  ] as const
  for (const [name, from, until] of ranges) {
    for (const by of rowKinds) {
      const took: Array<number> = []
      let refused = 0
      for (let turn = 0; turn < turns; turn++) {
        const work = Effect.exit(show({ program_id: id, from: dayOf(from), until: dayOf(until), by }))
        const [{ _tag }, ms] = yield* timed(work)
        if (_tag === "Failure") refused++
        took.push(ms)
      }
      yield* Console.log(
        `${name} by ${by}: ${Math.round(median(took))} ms, at most ${Math.round(Math.max(...took))} ms, ${refused} refused`
      )
    }
  }
})

const closes = Effect.gen(function* () {
  const { close } = yield* Closing.make
  const took: Array<number> = []
  let bytes = 0
  for (let month = start; month < end; month = Calendar.monthsLater(month, 1)) {
    const [{ statement }, ms] = yield* timed(close({ program_id: id, period: Statement.periodOf(month) }))
    took.push(ms)
    bytes = Math.max(bytes, JSON.stringify(statement).length)
  }
  yield* Console.log(
    `${took.length} closes: ${Math.round(median(took))} ms, at most ${Math.round(Math.max(...took))} ms, ${bytes} bytes`
  )
})

const caller = {
  ...Testing.caller,
  ...{ kind: "root" as const, keyId: "root", sourceIp: undefined, requestId: undefined, restaurants: undefined }
}
/** A data folder of an earlier run is filled already. */
const published = Layer.effectDiscard(
  Effect.flatMap(ProgramStore.inForce, ({ programs }) =>
    programs.size > 0
      ? Effect.void
      : Connect.apart((connection) =>
          Effect.andThen(
            ProgramWrites.write(connection, program, { by: "bench", source: "file" }, 0, start),
            fill(connection)
          )
        )
  )
)
const database = Layer.effectDiscard(Migrations.run()).pipe(
  Layer.provideMerge(EmbeddedPostgres.layer(values["data-dir"] ?? ".data"))
)
const layers = Layer.mergeAll(Finance.layer, Programs.layer.pipe(Layer.provide(published)), Pools.layer).pipe(
  Layer.provideMerge(FinanceStore.layer),
  Layer.provideMerge(PgFeed.layer),
  Layer.provideMerge(database)
)
Effect.gen(function* () {
  yield* asked
  yield* closes
}).pipe(
  Effect.scoped,
  Effect.provideService(CurrentCaller, caller),
  Effect.provide(layers),
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain
)
