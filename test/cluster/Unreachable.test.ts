/** Calls to the owner of a partition that cannot be reached: contract/databases.md *Forwarding*. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Logger, References } from "effect"
import { TestClock } from "effect/testing"
import { LinkFailed } from "../../src/cluster/Link.ts"
import * as Partitions from "../../src/cluster/Partitions.ts"
import { partitionCount } from "../../src/cluster/Placement.ts"

const row = { protocol: 1, version: "0.1.0", process: null, beat: 1, wants: true, dead: false }
const rows = [
  { ...row, id: "one", address: "127.0.0.1:1" },
  { ...row, id: "two", address: "127.0.0.1:2" }
]

describe("a node that cannot be called", () => {
  it.effect("is waited for 4 s, then told in the log once, and again when it answers", () => {
    const events: Array<unknown> = []
    const logger = Logger.make(({ fiber }) => void events.push(fiber.getRef(References.CurrentLogAnnotations)["event"]))
    let isReachable = false
    return Effect.gen(function* () {
      const partitions = yield* Partitions.make({
        id: "one",
        isCurrent: () => true,
        connect: () =>
          Effect.succeed({
            call: (payload) =>
              isReachable
                ? Effect.succeed(`+${payload}`)
                : Effect.fail(new LinkFailed({ sent: false, reason: "connect ECONNREFUSED" })),
            fail: () => undefined
          })
      })
      partitions.placed({ rows, owners: Array.from({ length: partitionCount }, () => "two") })
      for (let call = 0; call < 2; call++) {
        const asked = yield* Effect.forkChild(partitions.call(7, "ping", false))
        yield* TestClock.adjust("3900 millis")
        assert.isUndefined(asked.pollUnsafe())
        yield* TestClock.adjust("200 millis")
        assert.deepStrictEqual(yield* Fiber.await(asked), Exit.fail("overloaded" as const))
        assert.deepStrictEqual(events, ["node_unreachable"])
      }
      isReachable = true
      assert.strictEqual(yield* partitions.call(7, "ping", false), "7:ping")
      assert.strictEqual(yield* partitions.call(7, "ping", false), "7:ping")
      assert.deepStrictEqual(events, ["node_unreachable", "node_reachable"])
    }).pipe(Effect.scoped, Effect.provide(Logger.layer([logger])))
  })
})
