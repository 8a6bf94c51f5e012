/** The operators' figures: as counted anew from every record; and never by a scan. */
import { PgConnection } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Database } from "../../../src/base/database/Database.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { JournalUnavailable } from "../../../src/core/journal/Records.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import { Feed } from "../../../src/reads/feed/Feed.ts"
import * as PgFeed from "../../../src/reads/feed/PgFeed.ts"
import * as Position from "../../../src/reads/feed/Position.ts"
import * as RollupReads from "../../../src/reads/rollups/RollupReads.ts"
import * as RollupStore from "../../../src/reads/rollups/RollupStore.ts"
import { Rollups } from "../../../src/reads/rollups/Rollups.ts"
import * as Plans from "../../base/database/Plans.ts"
import * as RandomOf from "../../model/Random.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Scenario from "../reconcile/Scenario.ts"
import { modelOf } from "./Model.ts"
import { demo, stamps, start, Traffic } from "./Traffic.ts"

const programs = [demo, stamps]
const day = 86_400_000
const all = Layer.mergeAll(RollupReads.layer, Rollups.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(PgFeed.layer, PgJournal.layer, RollupStore.layer)),
  Layer.provideMerge(Programs.layerFrom(programs)),
  Layer.provideMerge(TestDatabase.layer)
)

layer(all, { excludeTestServices: true })("the operators' reads", (it) => {
  it.effect("sum up what the records say", () =>
    Effect.gen(function* () {
      const random = RandomOf.make(5, "queries")
      const traffic = new Traffic("m", RandomOf.make(5, "traffic"))
      yield* traffic.run(320)
      yield* Scenario.countRollups
      const [feed, reads] = [yield* Feed, yield* RollupReads.RollupReads]
      const records = yield* feed.read(Position.beginning, 10_000)
      const model = modelOf(() => ({ records, programs }))
      const kinds = yield* reads.kinds()
      assert.sameDeepMembers([...kinds], [...(yield* model.kinds())])
      assert.isAbove(kinds.length, 4)

      for (const { id, primaryUnit } of programs) {
        for (let round = 0; round < 5; round++) {
          const at = start + random.whole(0, 300) * day
          const asked = {
            program: id,
            primaryUnit,
            day: { start: at - (at % day), end: at - (at % day) + 30 * day },
            expiring: { from: at, until: at + 200 * day }
          }
          const [found, expected] = [yield* reads.figures(asked), yield* model.figures(asked)]
          assert.sameDeepMembers([...found.kinds], [...expected.kinds])
          assert.sameDeepMembers([...found.points], [...expected.points])
          assert.deepStrictEqual({ ...found, kinds: [], points: [] }, { ...expected, kinds: [], points: [] })
        }
      }
    })
  )

  it.effect("say how far they are, where records are not counted yet", () =>
    Effect.gen(function* () {
      const reads = yield* RollupReads.RollupReads
      const asked = {
        program: demo.id,
        primaryUnit: "points",
        day: { start, end: start + day },
        expiring: { from: start, until: start }
      }
      yield* Scenario.countRollups
      assert.isUndefined((yield* reads.figures(asked)).asOf)
      const traffic = new Traffic("late", RandomOf.make(6, "traffic"))
      traffic.now += 77_000
      yield* traffic.enroll("late-1")
      assert.strictEqual((yield* reads.figures(asked)).asOf, start + 77_000)
      yield* Scenario.countRollups
      assert.isUndefined((yield* reads.figures(asked)).asOf)
      yield* Scenario.byHand(
        `UPDATE rollup_ladders SET sorted_to = 0, since = ${start} WHERE program_id = '${demo.id}'`
      )
      assert.strictEqual((yield* reads.figures(asked)).asOf, start)
    })
  )
})

const intervals = 30_000
const filled = [
  `INSERT INTO rollup_lots SELECT 'p', 'points', n * 900000::bigint, 1 FROM generate_series(1, ${intervals}) n`,
  `INSERT INTO rollup_activity SELECT 'p', 'points', '', n * 900000::bigint, 1, 1, 1, 1, 1, 1, 1 FROM generate_series(1, ${intervals}) n`,
  "INSERT INTO rollup_points VALUES ('p', 'points', 1, 1)"
]

layer(PgFeed.layer.pipe(Layer.provideMerge(TestDatabase.layer)), { excludeTestServices: true })("no figure", (it) => {
  it.effect("reads more than its intervals, whatever statistics there are", () =>
    Effect.gen(function* () {
      yield* Scenario.byHand(...filled)
      const { clientConfig } = yield* Database
      const connection = yield* PgConnection.make({ ...clientConfig, startupParameters: RollupReads.session })
      const { nodes, query } = Plans.explaining(connection)
      const reads = RollupReads.make(
        (statement, parameters) =>
          Effect.mapError(query(statement, parameters), (cause) => new JournalUnavailable({ cause })),
        yield* Feed
      )
      for (const statistics of ["none", "fresh"]) {
        if (statistics === "fresh") yield* connection.query("ANALYZE")
        nodes.length = 0
        const asked = { program: "p", primaryUnit: "points", day: { start: 0, end: 9_000_000 } }
        yield* reads.figures({ ...asked, expiring: { from: 900_000, until: 90_000_000 } })
        const rows = nodes.filter((node) => node["Relation Name"]?.startsWith("rollup_") === true)
        assert.isAtMost(
          rows.reduce((sum, node) => sum + Plans.readBy(node), 0),
          150,
          statistics
        )
      }
    })
  )
})
