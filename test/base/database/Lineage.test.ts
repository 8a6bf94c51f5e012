/** contract/databases.md *One history*: what memory held is named before it ends, whatever ends it. */
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Database } from "../../../src/base/database/Database.ts"
import type { Stamp } from "../../../src/base/database/Lineage.ts"
import { HistoryChanged, Lineage } from "../../../src/base/database/Lineage.ts"
import * as TestDatabase from "../../TestDatabase.ts"

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
      assert.isFalse(ended.isWhole)
      assert.strictEqual(reports.count, 1)
      assert.isFalse(lineage.isCurrent())
    })
  )

  it.effect("is named although the server refuses connections at first, without a wait for a standby", () =>
    Effect.gen(function* () {
      const { clientConfig } = yield* Database
      const right = Redacted.isRedacted(clientConfig.password) ? clientConfig.password : Redacted.make("")
      let refusals = 0
      const password = Effect.sync(() => (refusals-- > 0 ? Redacted.make("of another server") : right))
      const lineage = new Lineage({ ...clientConfig, password }, "test")
      yield* lineage.probe
      const told: Array<unknown> = []
      lineage.remember({
        stamps: () => [stamp],
        report: (connection) =>
          Effect.map(connection.query("SHOW synchronous_commit"), ({ rows }) => {
            told.push(rows[0]?.["synchronous_commit"])
            return 0
          })
      })
      yield* lineage.probe
      refusals = 2
      assert.instanceOf(yield* Effect.flip(lineage.ended), HistoryChanged)
      assert.deepStrictEqual(told, ["local"])
      assert.isBelow(refusals, 1)
    })
  )
})
