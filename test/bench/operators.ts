/**
 * How long the operators' figures and lists take on a database that `generate`
 * has filled, with a warm cache: every filter, and every two of them together.
 *
 *     node test/bench/operators.ts --data-dir DIR | --database-url URL [--rounds 5]
 */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Clock, Console, Effect, Layer, Option, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import * as Testing from "../../src/app/testing/Testing.ts"
import { Database } from "../../src/base/database/Database.ts"
import * as EmbeddedPostgres from "../../src/base/database/embedded/EmbeddedPostgres.ts"
import * as Migrations from "../../src/base/database/Migrations.ts"
import { PeoplePool } from "../../src/base/database/Pools.ts"
import type { ListQuery } from "../../src/capabilities/members/ListedMembers.ts"
import * as ListedMembers from "../../src/capabilities/members/ListedMembers.ts"
import { Programs } from "../../src/core/programs/Programs.ts"
import { dayAt } from "../../src/core/rules/Calendar.ts"
import * as PgFeed from "../../src/reads/feed/PgFeed.ts"
import * as Ladder from "../../src/reads/rollups/Ladder.ts"
import type { Kind } from "../../src/reads/rollups/RollupReads.ts"
import * as RollupReads from "../../src/reads/rollups/RollupReads.ts"
import * as RollupStore from "../../src/reads/rollups/RollupStore.ts"
import { Rollups } from "../../src/reads/rollups/Rollups.ts"

const program = Testing.demoProgram
const day = 86_400_000
const page = 51

/** Filters of the list by name; what is together in a pair is merged. */
const filtersAt = (now: number, all: ReadonlyArray<Kind>) => {
  const tier = (id: string) => ({
    tiers: all.flatMap((kind) =>
      Ladder.tierAt(program, now, kind.tier) === id ? [{ program: kind.program, ...kind.tier }] : []
    )
  })
  const search = (wanted: string) => ({ search: { programs: [program.id], wanted, ordered: [] } })
  return {
    none: {},
    closed: { status: "closed" },
    vip: tier("vip"),
    starter: tier("starter"),
    "joined a week": { joinedFrom: now - 1_000 * day, joinedUntil: now - 993 * day },
    "joined years ago": { joinedUntil: now - 900 * day },
    "joined never": { joinedFrom: now + day },
    "prefix of all": search("m-"),
    "prefix of few": search("m-99999"),
    "prefix of none": search("x"),
    "identity value": search("card-m-77777"),
    "second page": { after: { account: 1_000, key: String(now - 1_200 * day), rank: 1 } }
  } satisfies Readonly<Record<string, Partial<ListQuery>>>
}

const timed = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>, rounds: number) {
  const taken: Array<number> = []
  let result = yield* work
  for (let round = 0; round < rounds; round++) {
    const began = performance.now()
    result = yield* work
    taken.push(performance.now() - began)
  }
  taken.sort((a, b) => a - b)
  return { result, median: taken[Math.floor(taken.length / 2)] ?? 0, most: taken.at(-1) ?? 0 }
})

const measure = Effect.fnUntraced(function* (rounds: number) {
  const reads = yield* RollupReads.RollupReads
  const { query } = yield* PeoplePool
  const began = performance.now()
  yield* (yield* Rollups).catchUp()
  yield* Console.log(`rollups caught up in ${((performance.now() - began) / 1000).toFixed(1)} s`)
  const now = yield* Clock.currentTimeMillis
  const all = yield* reads.kinds()
  yield* Console.log(`${all.reduce((sum, { members }) => sum + members, 0)} members of ${all.length} kinds`)
  const tell = (name: string, { median, most }: { readonly median: number; readonly most: number }, rows: number) =>
    Console.log(`${median.toFixed(1)} ms, at most ${most.toFixed(1)} ms, ${rows} rows: ${name}`)
  const figures = reads.figures({
    program: program.id,
    primaryUnit: program.primaryUnit,
    day: dayAt("America/New_York", now),
    expiring: { from: now, until: now + 30 * day }
  })
  yield* tell("figures", yield* timed(figures, rounds), 1)
  const filters = Object.entries(filtersAt(now, all))
  for (const [place, [name, filter]] of filters.entries()) {
    for (const [other, more] of filters.slice(place)) {
      const both: ListQuery = { programs: [program.id], limit: page, ...filter, ...more }
      // A place behind a member of one order says nothing in the other.
      if (both.after !== undefined && both.search !== undefined) continue
      const took = yield* timed(ListedMembers.list(query, both), rounds)
      yield* tell(name === other ? name : `${name} + ${other}`, took, took.result.length)
    }
  }
})

const database = (dataDir: string, url: Option.Option<string>): Layer.Layer<Database, unknown> =>
  Option.isSome(url)
    ? Layer.succeed(Database, { clientConfig: { url: Redacted.make(url.value) }, describe: "the given database" })
    : EmbeddedPostgres.layer(dataDir)

const command = Command.make(
  "operators",
  {
    rounds: Flag.withDefault(Flag.Int("rounds"), 5),
    dataDir: Flag.withDefault(Flag.String("data-dir"), ".data"),
    databaseUrl: Flag.optional(Flag.String("database-url"))
  },
  ({ dataDir, databaseUrl, rounds }) =>
    Effect.provide(
      measure(rounds),
      Layer.mergeAll(RollupReads.layer, Rollups.layer, PeoplePool.layer).pipe(
        Layer.provideMerge(Layer.merge(PgFeed.layer, RollupStore.layer)),
        Layer.provide(Programs.layerFrom([program])),
        Layer.provideMerge(Layer.effectDiscard(Migrations.run())),
        Layer.provide(database(dataDir, databaseUrl))
      )
    )
)

Command.run(command, { version: "1" }).pipe(Effect.provide(NodeServices.layer), NodeRuntime.runMain)
