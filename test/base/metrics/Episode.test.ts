/** operating.md The log: why something is away, as long as it is. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Episode from "../../../src/base/metrics/Episode.ts"
import { machineTime } from "../../../src/base/time/Times.ts"
import * as LogLines from "./LogLines.ts"

const options = {
  began: "storage_lost",
  ended: "storage_back",
  trouble: (reason: string) => `away: ${reason}`,
  over: (ms: number) => `back after ${ms} ms`
} as const

describe("an outage in the log", () => {
  it.effect("has a line for each new reason, one every minute, and one for its end", () => {
    const { layer, lines } = LogLines.make()
    return Effect.gen(function* () {
      const episode = Episode.make(yield* machineTime, options)
      yield* episode.succeeded
      yield* episode.failed("terminating connection due to administrator command")
      yield* episode.failed("terminating connection due to administrator command")
      yield* TestClock.adjust("1 second")
      yield* episode.failed('password authentication failed for user "lotbook"')
      for (let second = 1; second <= 120; second++) {
        yield* TestClock.adjust("1 second")
        yield* episode.failed('password authentication failed for user "lotbook"')
      }
      yield* episode.succeeded
      yield* episode.succeeded
      assert.deepStrictEqual(
        lines.map(({ event, outage_ms, reason }) => [event, outage_ms, String(reason).split(" ")[0]]),
        [
          ["storage_lost", 0, "terminating"],
          ["storage_lost", 1_000, "password"],
          ["storage_lost", 61_000, "password"],
          ["storage_lost", 121_000, "password"],
          ["storage_back", 121_000, "undefined"]
        ]
      )
    }).pipe(Effect.provide(layer))
  })

  it.effect("ends in the part that is built anew after the one that told it, as in a switchover", () => {
    const { layer, lines } = LogLines.make()
    return Effect.gen(function* () {
      const former = yield* Episode.outliving(options)
      yield* former.failed("the database has another history")
      yield* TestClock.adjust("3 seconds")
      const other = yield* Episode.outliving(options, "other")
      yield* other.succeeded
      assert.lengthOf(lines, 1)
      const next = yield* Episode.outliving(options)
      yield* next.succeeded
      yield* next.succeeded
      assert.deepStrictEqual(
        lines.map(({ event, outage_ms }) => [event, outage_ms]),
        [
          ["storage_lost", 0],
          ["storage_back", 3_000]
        ]
      )
    }).pipe(Effect.provide(layer), Effect.provideService(Episode.Outliving, new Map()))
  })

  it.effect("reasons that differ by a number alone do not fill the log", () => {
    const { layer, lines } = LogLines.make()
    return Effect.gen(function* () {
      const episode = Episode.make(yield* machineTime, options)
      for (let n = 0; n < 1_000; n++) yield* episode.failed(`port ${n} refuses`)
      assert.lengthOf(lines, 32)
    }).pipe(Effect.provide(layer))
  })
})
