/** Work in the background: after each result, when the next batch begins, and when no more do. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { BatchResult } from "../../../src/base/time/Pace.ts"
import * as Pace from "../../../src/base/time/Pace.ts"
import { machineNow } from "../../../src/base/time/Times.ts"

/** Runs the batches of `results`, then `replaced`; the times at which each began, ms. */
const begun = (results: ReadonlyArray<Effect.Effect<BatchResult, string>>, share = 0, pauseMs?: number) =>
  Effect.gen(function* () {
    const times: Array<number> = []
    const left = [...results]
    const batch = Effect.gen(function* () {
      times.push(yield* machineNow)
      return yield* left.shift() ?? Effect.succeed("replaced" as const)
    })
    const kept = yield* Effect.forkChild(
      Pace.keep({
        name: "The tests",
        batch,
        idle: Effect.sleep(1_000),
        busyPauseMs: (tookMs) => 100 + tookMs,
        troubleMs: 5_000,
        measure: () => () => share,
        ...(pauseMs === undefined ? undefined : { pauseMs })
      })
    )
    yield* TestClock.adjust(60_000)
    yield* Fiber.join(kept)
    return times
  })

const gives = (result: BatchResult) => Effect.succeed(result)

describe("work in the background", () => {
  it.effect("goes on at once while there is more, and rests while there is nothing or trouble", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* begun([gives("worked"), gives("idle"), gives("busy"), gives("waits"), gives("worked")]),
        [0, 5, 1_005, 1_055, 6_055, 6_060]
      )
    })
  )

  it.effect("rests between two batches for as long as the work says", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* begun([gives("worked"), gives("idle"), gives("worked")], 0, 250),
        [0, 250, 1_250, 1_500]
      )
    })
  )

  it.effect("goes on after a failure and a defect", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* begun([Effect.fail("storage"), Effect.die("a fault"), gives("worked")]),
        [0, 5_000, 10_000, 10_005]
      )
    })
  )

  it.effect("yields to requests that keep the thread busy, for as long as the work says", () =>
    Effect.gen(function* () {
      const slow = Effect.andThen(Effect.sleep(20), gives("worked"))
      // One busy pause of 5 ms is not enough to tell: three quarters of the share are of earlier ones.
      assert.deepStrictEqual(yield* begun([slow, slow, slow, slow, slow], 1), [0, 25, 50, 75, 220, 365])
    })
  )
})
