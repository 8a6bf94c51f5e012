/** A service indexes the claims of ended eras by itself. Holds contract/databases.md *Claims*. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { WriteFreeze } from "../../../src/core/journal/WriteFreeze.ts"
import * as Bounds from "../../../src/reads/reconcile/Bounds.ts"
import * as ClaimsIndexWorker from "../../../src/reads/reconcile/ClaimsIndexWorker.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Scenario from "./Scenario.ts"

const indexed = Effect.map(TestDatabase.query("SELECT indexed_eras() AS before"), ([row]) => row?.["before"])
const worker = ClaimsIndexWorker.layerFrom({ leastBytes: 1 })

/** Time stands meanwhile, so that no connection that is being opened times out. */
const rest = Effect.gen(function* () {
  for (let asked = 0; asked < 100; asked++) assert.strictEqual(yield* indexed, 0)
})

/** A worker that begins while writes are frozen, until it has indexed. */
const indexes = Effect.gen(function* () {
  let frozen = true
  yield* Layer.build(
    Layer.provide(
      worker,
      WriteFreeze.layer(false, () => !frozen)
    )
  )
  yield* rest
  yield* TestClock.adjust(Bounds.firstSealMs)
  yield* rest
  frozen = false
  yield* TestClock.adjust(Bounds.indexLookMs)
  while ((yield* indexed) !== 1) yield* Effect.yieldNow
}).pipe(Effect.scoped, Effect.provide(TestClock.layer()))

layer(Scenario.layer, { excludeTestServices: true })("the claims of ended eras", (it) => {
  it.effect("are indexed by a service by itself, once there are enough, but not while writes are frozen", () =>
    Effect.gen(function* () {
      yield* Scenario.lives(3)
      yield* TestDatabase.query("SELECT begin_era(0)")
      yield* indexes
      assert.deepStrictEqual((yield* Scenario.verify(100, { isFull: true })).found, [])
    })
  )
})
