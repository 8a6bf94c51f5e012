/**
 * How long the platform's questions take on a programme of 1,000,000 members and 10,000,000 entries, with a warm cache.
 *
 *     node test/bench/platform.ts [--data-dir DIR] [--members 1000000] [--orders 10000000] [--rounds 5] [--filled]
 *
 * Fills the database of the folder, which must be new, unless `--filled` says that it was; without one, of a folder that
 * goes with it.
 */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Clock, Console, Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as Testing from "../../src/app/testing/Testing.ts"
import * as EmbeddedPostgres from "../../src/base/database/embedded/EmbeddedPostgres.ts"
import * as Migrations from "../../src/base/database/Migrations.ts"
import * as Pools from "../../src/base/database/Pools.ts"
import { PeoplePool } from "../../src/base/database/Pools.ts"
import * as Analytics from "../../src/capabilities/analytics/Analytics.ts"
import * as Audience from "../../src/capabilities/segments/Audience.ts"
import { ruleOf } from "../../src/capabilities/segments/Rules.ts"
import * as SegmentStore from "../../src/capabilities/segments/SegmentStore.ts"
import type { AnalyticsQuery } from "../../src/contract/platform/Analytics.ts"
import type { Rules } from "../../src/contract/platform/Rules.ts"
import { fromMillis } from "../../src/contract/Values.ts"
import { Programs } from "../../src/core/programs/Programs.ts"
import * as PgFeed from "../../src/reads/feed/PgFeed.ts"
import * as RollupReads from "../../src/reads/rollups/RollupReads.ts"
import * as PlatformData from "./PlatformData.ts"
import { spread } from "./Spread.ts"
import { temporaryFolder } from "./Turns.ts"

const program = Testing.demoProgram
const day = 86_400_000

const timed = Effect.fnUntraced(function* <A, E, R>(name: string, rounds: number, work: Effect.Effect<A, E, R>) {
  yield* work
  const taken: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    const began = performance.now()
    yield* work
    taken.push(performance.now() - began)
  }
  const { max = 0, median = 0 } = spread(taken) ?? {}
  yield* Console.log(`${median.toFixed(0).padStart(6)} ms, at most ${max.toFixed(0)} ms: ${name}`)
})

/** Questions of analytics by what is special about them. */
const questions = (now: number): Readonly<Record<string, AnalyticsQuery>> => ({
  "the last 30 days": {},
  "the last 30 days in Kathmandu, by week": { time_zone: "Asia/Kathmandu", bucket: "week" },
  "the last 30 days of one location": { location_id: "store-7" },
  "the last year, by month": { from: fromMillis(now - 365 * day), bucket: "month" }
})

/** Segments of three conditions. */
const segments: Readonly<Record<string, Rules>> = {
  "tier, balance and consent": {
    all: [{ tier: ["vip"] }, { balance: { unit: "points", at_least: 1_000 } }, { consent: { purpose: "marketing" } }]
  },
  "orders, city and points about to expire": {
    all: [
      { order: { minimum_count: 2, within_days: 30 } },
      { attribute: { name: "city", equals: "Berlin" } },
      { expiring: { amount: 20, within_days: 30 } }
    ]
  },
  "inactive, an e-mail address, and no birthday soon": {
    all: [{ inactive_days: 60 }, { has: "email" }, { not: { birthday_within_days: 14 } }]
  }
}

const measure = Effect.fnUntraced(function* (rounds: number) {
  const now = yield* Clock.currentTimeMillis
  const { answer } = yield* Analytics.make
  for (const [name, query] of Object.entries(questions(now))) {
    const question = yield* Analytics.questionOf(program, query, now)
    yield* timed(`analytics, ${name}`, rounds, answer(program, question))
  }
  const database = yield* PeoplePool
  for (const [name, rules] of Object.entries(segments)) {
    const audience = yield* Audience.ofRule(database.query, program, ruleOf(rules))
    const { size } = yield* SegmentStore.preview(database, audience, now, 25)
    yield* timed(`segment of ${size}: ${name}`, rounds, SegmentStore.preview(database, audience, now, 25))
  }
})

const database = (dataDir: Option.Option<string>) =>
  Option.match(dataDir, {
    onSome: (folder) => EmbeddedPostgres.layer(folder),
    onNone: () => Layer.unwrap(Effect.map(temporaryFolder, ({ folder }) => EmbeddedPostgres.layer(folder)))
  })

const command = Command.make(
  "platform",
  {
    dataDir: Flag.optional(Flag.String("data-dir")),
    members: Flag.withDefault(Flag.Int("members"), 1_000_000),
    orders: Flag.withDefault(Flag.Int("orders"), 10_000_000),
    rounds: Flag.withDefault(Flag.Int("rounds"), 5),
    filled: Flag.withDefault(Flag.Boolean("filled"), false)
  },
  ({ dataDir, filled, members, orders, rounds }) =>
    Effect.gen(function* () {
      const told = (statement: string, seconds: number) => {
        if (seconds > 1) process.stderr.write(`${seconds.toFixed(0)} s: ${statement.slice(0, 60)}\n`)
      }
      if (!filled) yield* PlatformData.fill({ members, orders }, yield* Clock.currentTimeMillis, told)
      yield* Console.log(`${members} members, ${orders} entries`)
      yield* measure(rounds)
    }).pipe(
      Effect.provide(
        Layer.mergeAll(RollupReads.layer, Pools.layer).pipe(
          Layer.provide(PgFeed.layer),
          Layer.provideMerge(Programs.layerFrom([program])),
          Layer.provideMerge(Layer.effectDiscard(Migrations.run())),
          Layer.provideMerge(database(dataDir))
        )
      )
    )
)

Command.run(command, { version: "1" }).pipe(Effect.provide(NodeServices.layer), NodeRuntime.runMain)
