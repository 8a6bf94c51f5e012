/**
 * Analytics against a count by hand over a long random history:
 *
 *     node test/capabilities/analytics/run.ts [--operations 100000] [--questions 300] [--seed 1]
 *
 * Also verifies the journal with the rollups, and makes these again: the same rows must come out.
 */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { PgConnection } from "@effect/sql-pg"
import { Console, Effect, Layer } from "effect"
import { Command, Flag } from "effect/cli"
import { isDeepStrictEqual } from "node:util"
import { Database } from "../../../src/base/database/Database.ts"
import * as EmbeddedPostgres from "../../../src/base/database/embedded/EmbeddedPostgres.ts"
import * as Migrations from "../../../src/base/database/Migrations.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import * as PgFeed from "../../../src/reads/feed/PgFeed.ts"
import * as Verify from "../../../src/reads/reconcile/Verify.ts"
import * as RollupReads from "../../../src/reads/rollups/RollupReads.ts"
import * as RollupStore from "../../../src/reads/rollups/RollupStore.ts"
import { Rollups } from "../../../src/reads/rollups/Rollups.ts"
import type { SumTable } from "../../../src/reads/rollups/Sums.ts"
import { sumTables, tables } from "../../../src/reads/rollups/Sums.ts"
import { temporaryFolder } from "../../bench/Turns.ts"
import * as RandomOf from "../../model/Random.ts"
import { demo, stamps, Traffic } from "../../reads/rollups/Traffic.ts"
import * as Model from "./AnalyticsModel.ts"
import * as Rounds from "./AnalyticsRounds.ts"

/** Every table of the rollups as one hash; the position has a count of changes that rises. */
const hashes = Effect.gen(function* () {
  const { clientConfig } = yield* Database
  const connection = yield* PgConnection.make(clientConfig)
  const { rows } = yield* connection.query(
    "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relname LIKE '%rollup%' AND relname <> 'rollup_progress' ORDER BY 1"
  )
  const found: Record<string, unknown> = {}
  for (const { name } of rows) {
    const sums = name === "rollup_ladders" ? "x.program_id || x.ladder" : "x::text"
    // A row of zeros says the same as none.
    const where = isSumTable(name) ? `WHERE ${tables[name].columns.map((column) => `${column} <> 0`).join(" OR ")}` : ""
    const {
      rows: [row]
    } = yield* connection.query(
      `SELECT count(*)::int AS n, md5(string_agg(${sums}, '|' ORDER BY x::text COLLATE "C")) AS hash FROM ${String(name)} x ${where}`
    )
    found[String(name)] = `${String(row?.["n"])} rows, ${String(row?.["hash"])}`
  }
  return found
}).pipe(Effect.scoped)

const isSumTable = (name: unknown): name is SumTable => sumTables.some((table) => table === name)

const verified = Effect.gen(function* () {
  let faults = 0
  yield* Verify.run({
    share: 100,
    onDifference: (difference) =>
      Effect.andThen(
        Effect.sync(() => void faults++),
        Console.log(JSON.stringify(difference))
      ),
    onProgress: () => Effect.void
  })
  return faults
})

const main = Effect.fnUntraced(function* (operations: number, questions: number, seed: number) {
  const random = RandomOf.make(seed, "questions")
  const traffic = new Traffic("a", RandomOf.make(seed, "traffic"))
  const rollups = yield* Rollups
  let began = performance.now()
  const took = (what: string) => {
    const seconds = (performance.now() - began) / 1000
    began = performance.now()
    return Console.log(`${what}, ${seconds.toFixed(1)} s`)
  }
  yield* traffic.run(operations)
  yield* took(`${operations} operations of ${traffic.members.length} members`)
  const told = yield* Rounds.tell(random, traffic, Math.ceil(operations / 10))
  yield* rollups.catchUp()
  yield* took("counted")
  let faults = 0
  yield* Rounds.ask(random, traffic, told, questions, (question, answer, byHand) => {
    if (isDeepStrictEqual(Model.answered(answer), byHand)) return
    faults++
    process.stdout.write(`seed ${seed}: ${JSON.stringify(question)} differs\n`)
  })
  yield* took(`${questions} questions, ${faults} answers that differ from the count by hand`)
  const differences = yield* verified
  yield* took(`journal verify: ${differences} differences`)
  const before = yield* hashes
  yield* (yield* RollupStore.RollupStore).reset
  yield* rollups.catchUp({ limit: 256 })
  const isSame = isDeepStrictEqual(yield* hashes, before)
  yield* took(`made again, ${isSame ? "the same rows" : "OTHER ROWS"}`)
  if (faults + differences > 0 || !isSame) {
    if (!isSame) yield* Console.log(JSON.stringify([before, yield* hashes], undefined, 2))
    process.exitCode = 1
  }
})

const command = Command.make(
  "analytics",
  {
    operations: Flag.withDefault(Flag.Int("operations"), 100_000),
    questions: Flag.withDefault(Flag.Int("questions"), 300),
    seed: Flag.withDefault(Flag.Int("seed"), 1)
  },
  ({ operations, questions, seed }) =>
    Effect.gen(function* () {
      const { folder } = yield* temporaryFolder
      yield* Effect.provide(
        main(operations, questions, seed),
        Layer.mergeAll(RollupReads.layer, Rollups.layer, Pools.layer).pipe(
          Layer.provideMerge(Layer.mergeAll(PgFeed.layer, PgJournal.layer, RollupStore.layer)),
          Layer.provideMerge(Programs.layerFrom([demo, stamps])),
          Layer.provideMerge(Layer.effectDiscard(Migrations.run())),
          Layer.provideMerge(EmbeddedPostgres.layer(`${folder}/data`))
        )
      )
    }).pipe(Effect.scoped)
)

Command.run(command, { version: "1" }).pipe(
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({
    teardown: (exit, onExit) => onExit(exit._tag === "Success" ? Number(process.exitCode ?? 0) : 2)
  })
)
