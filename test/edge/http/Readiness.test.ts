/** The journal is asked once for all probes that wait. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { JournalUnavailable } from "../../../src/core/journal/Records.ts"
import { readiness } from "../../../src/edge/http/Backend.ts"

describe("readiness", () => {
  it.effect("asks the journal once for all that wait, and again for one that comes later", () =>
    Effect.gen(function* () {
      const answered = yield* Deferred.make<void>()
      let asked = 0
      const ping = Effect.suspend(() => {
        asked++
        return Deferred.await(answered)
      })
      const isReady = readiness(ping, Effect.runForkWith(yield* Effect.context<never>()))
      const probes = yield* Effect.forEach(Array.from({ length: 50 }), () =>
        Effect.forkChild(isReady, { startImmediately: true })
      )
      yield* Deferred.succeed(answered, undefined)
      const told = yield* Effect.forEach(probes, (probe) => Fiber.join(probe))
      assert.deepStrictEqual([asked, told.every((one) => one)], [1, true])
      assert.isTrue(yield* isReady)
      assert.strictEqual(asked, 2)
    })
  )

  it.effect("is not given where the journal fails, or does not answer in time", () =>
    Effect.gen(function* () {
      const fork = Effect.runForkWith(yield* Effect.context<never>())
      assert.isFalse(yield* readiness(Effect.fail(new JournalUnavailable({ cause: "gone" })), fork))
      const silent = yield* Effect.forkChild(readiness(Effect.never, fork), { startImmediately: true })
      yield* TestClock.adjust("2 seconds")
      assert.isFalse(yield* Fiber.join(silent))
    })
  )
})
