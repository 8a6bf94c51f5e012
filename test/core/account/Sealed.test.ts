/** Accounts that open from a seal. Holds contract/databases.md *Seals*. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { earn } from "../../../src/app/testing/Guests.ts"
import * as Bounds from "../../../src/reads/reconcile/Bounds.ts"
import * as Seals from "../../../src/reads/reconcile/Seals.ts"
import * as Scenario from "../../reads/reconcile/Scenario.ts"

const options = { pageRows: Bounds.rangeRows, onDifference: () => Effect.void, onPage: Effect.void }

const seal = Effect.gen(function* () {
  while ((yield* Seals.sealNext(options))._tag !== "Sealed") yield* Effect.yieldNow
})

/** Runs on a node that has no account in memory. */
const onFreshNode = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.provide(work, Layer.fresh(Scenario.service))

layer(Scenario.layer, { excludeTestServices: true })("without a snapshot", (it) => {
  it.effect("an account opens from its sealed state, and a changed one is not used", () =>
    Effect.gen(function* () {
      yield* Scenario.lives(2)
      yield* Scenario.byHand("SELECT prepare_spans()", "SELECT begin_span(true)", "DELETE FROM snapshots")
      yield* seal
      // Only with the sealed state can the next record follow: those before it are away.
      yield* Scenario.byHand("CREATE TABLE away AS TABLE journal", "DELETE FROM journal WHERE span = 0")
      yield* onFreshNode(earn("m-0", "m-0-next", 1_000))
      yield* Scenario.byHand("INSERT INTO journal SELECT * FROM away")
      assert.deepStrictEqual((yield* Scenario.verify(100, { isFull: true })).found, [])
      yield* Scenario.byHand(`UPDATE sealed_accounts SET state = replace(state, '"orders":', '"orders":1')`)
      yield* onFreshNode(earn("m-1", "m-1-next", 1_000))
      yield* Scenario.countRollups
      yield* Scenario.byHand(`UPDATE sealed_accounts SET state = replace(state, '"orders":1', '"orders":')`)
      assert.deepStrictEqual((yield* Scenario.verify(100, { isFull: true })).found, [])
    })
  )
})
