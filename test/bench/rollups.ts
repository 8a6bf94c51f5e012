/**
 * The rollups' catching up from the first record: `node test/bench/rollups.ts --data-dir DIR [--batch 4096]`, of a journal of
 * generate.ts. Tells records a second, and what of the time PostgreSQL took.
 */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Console, Effect, Layer } from "effect"
import { parseArgs } from "node:util"
import * as Testing from "../../src/app/testing/Testing.ts"
import * as EmbeddedPostgres from "../../src/base/database/embedded/EmbeddedPostgres.ts"
import * as Migrations from "../../src/base/database/Migrations.ts"
import { Programs } from "../../src/core/programs/Programs.ts"
import { Feed } from "../../src/reads/feed/Feed.ts"
import * as PgFeed from "../../src/reads/feed/PgFeed.ts"
import * as Bounds from "../../src/reads/rollups/Bounds.ts"
import * as RollupStore from "../../src/reads/rollups/RollupStore.ts"
import { Rollups } from "../../src/reads/rollups/Rollups.ts"

const { values } = parseArgs({ options: { "data-dir": { type: "string" }, batch: { type: "string" } } })
const batch = Number(values.batch ?? Bounds.remakeRecords)

const spent = { records: 0, read: 0, write: 0 }
const timed = <A, E>(part: "read" | "write", work: Effect.Effect<A, E>) =>
  Effect.suspend(() => {
    const began = performance.now()
    return Effect.ensuring(
      work,
      Effect.sync(() => {
        spent[part] += performance.now() - began
      })
    )
  })

const feed = Layer.effect(
  Feed,
  Effect.map(Feed, ({ oldestAfter, read }) =>
    Feed.of({
      oldestAfter,
      read: (after, limit) =>
        Effect.tap(timed("read", read(after, limit)), ({ length }) =>
          Effect.sync(() => {
            spent.records += length
          })
        )
    })
  )
).pipe(Layer.provide(PgFeed.layer))

const store = Layer.effect(
  RollupStore.RollupStore,
  Effect.map(RollupStore.RollupStore, (stored) =>
    RollupStore.RollupStore.of({
      ...stored,
      write: (from, to, change) => timed("write", stored.write(from, to, change))
    })
  )
).pipe(Layer.provide(RollupStore.layer))

const run = Effect.gen(function* () {
  yield* (yield* RollupStore.RollupStore).reset
  const { catchUp } = yield* Rollups
  const began = performance.now()
  const cpu = process.cpuUsage()
  yield* catchUp({ limit: batch })
  const took = performance.now() - began
  const { system, user } = process.cpuUsage(cpu)
  const rate = Math.round((spent.records / took) * 1_000)
  const shares = [`reads ${Math.round(spent.read)} ms`, `writes ${Math.round(spent.write)} ms`]
  yield* Console.log(
    `${rate} records/s: ${spent.records} in ${Math.round(took)} ms, ${shares.join(", ")}, CPU ${Math.round((user + system) / 1_000)} ms`
  )
})

const database = Layer.effectDiscard(Migrations.run()).pipe(
  Layer.provideMerge(EmbeddedPostgres.layer(values["data-dir"] ?? ".data"))
)
const layers = Rollups.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(feed, store, Programs.layerFrom([Testing.demoProgram]))),
  Layer.provide(database)
)
run.pipe(Effect.provide(layers), Effect.provide(NodeServices.layer), NodeRuntime.runMain)
