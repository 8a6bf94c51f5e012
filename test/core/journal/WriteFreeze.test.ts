/** contract/databases.md *Write freeze*: the switch in memory follows the one that is kept. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Deferred, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Journal } from "../../../src/core/journal/Journal.ts"
import * as MemoryJournal from "../../../src/core/journal/MemoryJournal.ts"
import { JournalUnavailable } from "../../../src/core/journal/Records.ts"
import { WriteFreeze } from "../../../src/core/journal/WriteFreeze.ts"
import * as LogLines from "../../base/metrics/LogLines.ts"

const memory = MemoryJournal.layer.pipe(Layer.provide(MemoryJournal.MemoryStorage.layer))
const layer = (startFrozen: boolean) => WriteFreeze.layer(startFrozen).pipe(Layer.provideMerge(memory))

describe("Freeze", () => {
  it.effect("learns within seconds what another node has switched", () =>
    Effect.gen(function* () {
      const freeze = yield* WriteFreeze
      const journal = yield* Journal
      for (const frozen of [true, false]) {
        yield* journal.setFrozen(frozen)
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual(freeze.isFrozen(), frozen)
      }
    }).pipe(Effect.provide(layer(false)))
  )

  it.effect("is answered once every node refuses, and alone at once", () =>
    Effect.gen(function* () {
      const node = (hasOthers: boolean) =>
        Effect.map(
          Layer.build(Layer.fresh(WriteFreeze.layer(false, undefined, () => hasOthers))),
          Context.get(WriteFreeze)
        )
      const [one, other] = [yield* node(true), yield* node(true)]
      const answer = yield* Effect.forkChild(one.set(true), { startImmediately: true })
      assert.isTrue(one.isFrozen())
      for (let ms = 0; answer.pollUnsafe() === undefined; ms += 50) {
        assert.isBelow(ms, 5_000)
        yield* TestClock.adjust(50)
      }
      assert.isTrue(other.isFrozen())
      yield* (yield* node(false)).set(true)
    }).pipe(Effect.scoped, Effect.provide(memory))
  )

  it.effect("a start with true wins and is not stored; else the stored switch holds", () =>
    Effect.gen(function* () {
      const journal = yield* Journal
      const startedWith = (startFrozen: boolean) =>
        Effect.scoped(
          Effect.flatMap(Layer.build(Layer.fresh(WriteFreeze.layer(startFrozen))), (built) =>
            Effect.map(journal.isFrozen, (stored) => [Context.get(built, WriteFreeze).isFrozen(), stored])
          )
        )
      assert.deepStrictEqual(yield* startedWith(true), [true, false])
      assert.deepStrictEqual(yield* startedWith(false), [false, false])
      yield* journal.setFrozen(true)
      assert.deepStrictEqual(yield* startedWith(false), [true, true])
    }).pipe(Effect.provide(memory))
  )

  it.effect("a start's own freeze outlasts what others store, and ends with the switch here", () =>
    Effect.gen(function* () {
      const freeze = yield* WriteFreeze
      const journal = yield* Journal
      for (const frozen of [true, false]) {
        yield* journal.setFrozen(frozen)
        yield* TestClock.adjust("5 seconds")
        assert.isTrue(freeze.isFrozen())
      }
      yield* freeze.set(false)
      assert.isFalse(freeze.isFrozen())
    }).pipe(Effect.provide(layer(true)))
  )

  it.effect("logs each freeze and each end of one once, by any service", () =>
    Effect.gen(function* () {
      const { events, layer: lines } = LogLines.make()
      yield* Effect.gen(function* () {
        const freeze = yield* WriteFreeze
        const journal = yield* Journal
        assert.deepStrictEqual(events(), ["freeze"])
        yield* TestClock.adjust("1 minute")
        for (const frozen of [false, true, true]) yield* freeze.set(frozen)
        yield* journal.setFrozen(false)
        yield* TestClock.adjust("1 minute")
      }).pipe(Effect.provide(layer(true)), Effect.provide(lines))
      assert.deepStrictEqual(events(), ["freeze", "unfreeze", "freeze", "unfreeze"])
    })
  )

  it.effect("refuses new writes at once, also while earlier ones are still awaited", () =>
    Effect.gen(function* () {
      const settled = yield* Deferred.make<void>()
      const slow = Layer.effect(
        Journal,
        Effect.map(Journal, (journal) =>
          Journal.of({
            ...journal,
            setFrozen: (frozen) => Effect.andThen(Deferred.await(settled), journal.setFrozen(frozen))
          })
        )
      ).pipe(Layer.provide(memory))
      yield* Effect.gen(function* () {
        const freeze = yield* WriteFreeze
        const moving = yield* Effect.forkChild(freeze.set(true), { startImmediately: true })
        assert.isTrue(freeze.isFrozen())
        assert.isUndefined(moving.pollUnsafe())
        // Reads meanwhile show the switch before.
        yield* TestClock.adjust("2 seconds")
        assert.isTrue(freeze.isFrozen())
        yield* Deferred.succeed(settled, undefined)
        yield* Effect.yieldNow
        assert.isTrue(freeze.isFrozen())
      }).pipe(Effect.provide(WriteFreeze.layer(false).pipe(Layer.provide(slow))))
    })
  )

  it.effect("an unreachable journal changes no known state, and is read again", () =>
    Effect.gen(function* () {
      let isDown = false
      const flaky = Layer.effect(
        Journal,
        Effect.map(Journal, (journal) =>
          Journal.of({
            ...journal,
            isFrozen: Effect.suspend(() =>
              isDown ? Effect.fail(new JournalUnavailable({ cause: Cause.empty })) : journal.isFrozen
            )
          })
        )
      ).pipe(Layer.provideMerge(memory))
      yield* Effect.gen(function* () {
        const freeze = yield* WriteFreeze
        yield* freeze.set(true)
        isDown = true
        yield* TestClock.adjust("10 seconds")
        assert.isTrue(freeze.isFrozen())
        isDown = false
        yield* (yield* Journal).setFrozen(false)
        yield* TestClock.adjust("5 seconds")
        assert.isFalse(freeze.isFrozen())
      }).pipe(Effect.provide(WriteFreeze.layer(false).pipe(Layer.provideMerge(flaky))))
    })
  )
})
