/** contract/databases.md *One history*: what memory held is named before it ends, whatever ends it. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Database } from "../../src/database/Database.ts"
import type { Stamp } from "../../src/database/Lineage.ts"
import { HistoryChanged, Lineage } from "../../src/database/Lineage.ts"
import * as TestDatabase from "../TestDatabase.ts"

const stamp: Stamp = { account: 1, seq: 1, hash: "0b4f8e6a-2d13-4c57-9f0e-5a1c7d2b8e90" }

const knowing = (stamps: ReadonlyArray<Stamp>) =>
  Effect.gen(function* () {
    const { clientConfig } = yield* Database
    const lineage = new Lineage(clientConfig, "test")
    yield* lineage.probe
    const reports = { count: 0 }
    lineage.remember({
      stamps: () => stamps,
      report: () => Effect.sync(() => ++reports.count)
    })
    return { lineage, reports }
  })

layer(TestDatabase.layer, { excludeTestServices: true })("memory that ends for another reason", (it) => {
  it.effect("ends at once over the database that it knows", () =>
    Effect.gen(function* () {
      const { lineage, reports } = yield* knowing([])
      yield* lineage.settled
      assert.isTrue(lineage.isCurrent())
      assert.strictEqual(reports.count, 0)
    })
  )

  it.effect("is named first over a database that lacks what was acknowledged", () =>
    Effect.gen(function* () {
      const { lineage, reports } = yield* knowing([stamp])
      const ended = yield* Effect.flip(Effect.raceFirst(lineage.settled, lineage.ended))
      assert.instanceOf(ended, HistoryChanged)
      assert.include(ended.message, "it lacks records that were acknowledged")
      assert.strictEqual(reports.count, 1)
      assert.isFalse(lineage.isCurrent())
    })
  )
})
