/** Metrics of the database while there is none to ask. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Metric } from "effect"
import { TestClock } from "effect/testing"
import type { Pool } from "../../../src/base/database/Pools.ts"
import { storageUnavailable, WorkPool } from "../../../src/base/database/Pools.ts"
import * as Bounds from "../../../src/capabilities/operators/Bounds.ts"
import * as DatabaseMetrics from "../../../src/capabilities/operators/DatabaseMetrics.ts"

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
