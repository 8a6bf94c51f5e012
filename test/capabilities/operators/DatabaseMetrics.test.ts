/** Metrics of the database: of what it has, and while there is none to ask. */
import { assert, it, layer } from "@effect/vitest"
import { Effect, Layer, Metric } from "effect"
import { TestClock } from "effect/testing"
import type { Pool } from "../../../src/base/database/Pools.ts"
import { storageUnavailable, WorkPool } from "../../../src/base/database/Pools.ts"
import * as Bounds from "../../../src/capabilities/operators/Bounds.ts"
import * as DatabaseMetrics from "../../../src/capabilities/operators/DatabaseMetrics.ts"
import * as Verifications from "../../../src/reads/reconcile/Verifications.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const valueOf = (name: string) =>
  Effect.map(Metric.snapshot, (all) => {
    const state = all.find(({ id }) => id === name)?.state
    return state !== undefined && "value" in state ? Number(state.value) : assert.fail(`${name} is not served`)
  })

it.effect("what is so at a moment has no value in an outage, and what stays has its last one", () =>
  Effect.gen(function* () {
    let isThere = true
    const row = {
      lotbook_database_connections: 7,
      lotbook_database_oldest_transaction_seconds: 3,
      lotbook_database_size_bytes: 1_000_000
    }
    const query = () => Effect.suspend(() => (isThere ? Effect.succeed([row]) : Effect.fail(storageUnavailable)))
    const pool = { query } as unknown as Pool
    yield* Layer.build(Layer.provide(DatabaseMetrics.layer, Layer.succeed(WorkPool, pool)))
    yield* TestClock.adjust(1)
    assert.strictEqual(yield* valueOf("lotbook_database_connections"), 7)
    isThere = false
    yield* TestClock.adjust(Bounds.databaseMetricsMs)
    assert.isNaN(yield* valueOf("lotbook_database_connections"))
    assert.isNaN(yield* valueOf("lotbook_database_oldest_transaction_seconds"))
    assert.strictEqual(yield* valueOf("lotbook_database_size_bytes"), 1_000_000)
    isThere = true
    yield* TestClock.adjust(Bounds.databaseMetricsMs)
    assert.strictEqual(yield* valueOf("lotbook_database_connections"), 7)
  }).pipe(Effect.scoped)
)

/** The gauges of verifications, once the database is read. */
const verified = Effect.scoped(
  Effect.gen(function* () {
    yield* Layer.build(Layer.fresh(Layer.provide(DatabaseMetrics.layer, WorkPool.layer)))
    while (Number.isNaN(yield* valueOf("lotbook_database_size_bytes"))) yield* Effect.yieldNow
    return {
      differences: yield* valueOf("lotbook_verify_differences"),
      isFullKnown: (yield* valueOf("lotbook_verify_full_timestamp_seconds")) > 0
    }
  })
)

layer(TestDatabase.layer, { excludeTestServices: true })("differences of a full verification", (it) => {
  it.effect("stay until the next full one: a run from the last seal on does not look for them", () =>
    Effect.gen(function* () {
      const counts = {
        accounts: 1,
        records: 1,
        entries: 1,
        foreignSnapshots: 0,
        figuresTo: undefined,
        financeTo: undefined,
        archived: 0
      }
      const runs = [
        { after: 3, differences: 0, share: 100, shown: { differences: 0, isFullKnown: false } },
        { after: undefined, differences: 2, share: 100, shown: { differences: 2, isFullKnown: true } },
        { after: 3, differences: 0, share: 100, shown: { differences: 2, isFullKnown: true } },
        { after: 3, differences: 5, share: 100, shown: { differences: 5, isFullKnown: true } },
        { after: undefined, differences: 0, share: 10, shown: { differences: 5, isFullKnown: true } },
        { after: 3, differences: 0, share: 100, shown: { differences: 2, isFullKnown: true } },
        { after: undefined, differences: 0, share: 100, shown: { differences: 0, isFullKnown: true } },
        { after: 3, differences: 1, share: 100, shown: { differences: 1, isFullKnown: true } }
      ]
      assert.isNaN((yield* verified).differences)
      for (const { after, differences, share, shown } of runs) {
        assert.isTrue(yield* Verifications.store({ ...counts, after, differences }, { share }, 1))
        assert.deepStrictEqual(yield* verified, shown)
      }
    })
  )
})
