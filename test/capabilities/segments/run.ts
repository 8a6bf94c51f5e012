/**
 * Segments against members matched by hand over a long random history:
 *
 *     node test/capabilities/segments/run.ts [--operations 100000] [--questions 2000] [--seed 1]
 */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Console, Effect, Layer } from "effect"
import { Command, Flag } from "effect/cli"
import { isDeepStrictEqual } from "node:util"
import * as EmbeddedPostgres from "../../../src/base/database/embedded/EmbeddedPostgres.ts"
import * as Migrations from "../../../src/base/database/Migrations.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import * as PgFeed from "../../../src/reads/feed/PgFeed.ts"
import * as RollupStore from "../../../src/reads/rollups/RollupStore.ts"
import { Rollups } from "../../../src/reads/rollups/Rollups.ts"
import { temporaryFolder } from "../../bench/Turns.ts"
import * as RandomOf from "../../model/Random.ts"
import { demo, stamps, Traffic } from "../../reads/rollups/Traffic.ts"
import * as Rounds from "./SegmentRounds.ts"

const main = Effect.fnUntraced(function* (operations: number, questions: number, seed: number) {
  const random = RandomOf.make(seed, "rules")
  const traffic = new Traffic("s", RandomOf.make(seed, "traffic"))
  yield* traffic.run(operations)
  yield* (yield* Rollups).catchUp()
  const world = yield* Rounds.worldOf(random, traffic, Math.ceil(operations / 10))
  yield* Console.log(`${operations} operations of ${traffic.members.length} members`)
  let faults = 0
  let matched = 0
  yield* Rounds.ask(random, world, questions, (asked, sql, byHand) => {
    matched += byHand.length
    if (isDeepStrictEqual(sql, byHand)) return
    faults++
    const { now, program, rules } = asked
    process.stdout.write(
      `seed ${seed}: ${program.id} at ${now}: ${JSON.stringify(rules)}: ${sql.length}, ${byHand.length}\n`
    )
  })
  yield* Console.log(`${questions} segments of ${matched} members in all, ${faults} differ from those matched by hand`)
  if (faults > 0) process.exitCode = 1
})

const command = Command.make(
  "segments",
  {
    operations: Flag.withDefault(Flag.Int("operations"), 100_000),
    questions: Flag.withDefault(Flag.Int("questions"), 2_000),
    seed: Flag.withDefault(Flag.Int("seed"), 1)
  },
  ({ operations, questions, seed }) =>
    Effect.gen(function* () {
      const { folder } = yield* temporaryFolder
      yield* Effect.provide(
        main(operations, questions, seed),
        Layer.mergeAll(Rollups.layer, Pools.layer).pipe(
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
