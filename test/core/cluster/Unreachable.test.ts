/** Calls to the owner of a partition that cannot be reached: contract/databases.md *Forwarding*. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Logger, Metric, References } from "effect"
import { TestClock } from "effect/testing"
import { type Link, LinkFailed } from "../../../src/core/cluster/Link.ts"
import * as Partitions from "../../../src/core/cluster/Partitions.ts"
import { partitionCount } from "../../../src/core/cluster/Placement.ts"
import { steady } from "./LinkedNodes.ts"

const row = { protocol: 1, version: "0.1.0", process: null, beat: 1, wants: true, dead: false }
const rows = [
  { ...row, id: "one", address: "127.0.0.1:1" },
  { ...row, id: "two", address: "127.0.0.1:2" }
]
const owners = Array.from({ length: partitionCount }, () => "two")

/** A node whose link to the other one fails as a test says. */
const linked = Effect.fnUntraced(function* (link: Partial<Link>) {
  const partitions = yield* Partitions.make({
    id: "one",
    isCurrent: () => true,
    connect: () =>
      Effect.succeed({
        call: () => Effect.fail(new LinkFailed({ sent: false, reason: "connect ECONNREFUSED" })),
        fail: () => undefined,
        ...steady,
        ...link
      })
  })
  partitions.placed({ rows, owners })
  return {
    partitions,
    look: Effect.andThen(
      Effect.sync(() => partitions.placed({ rows, owners })),
      Effect.yieldNow
    )
  }
})

/** The events of the log. */
const logged = () => {
  const events: Array<unknown> = []
  const logger = Logger.make(({ fiber }) => void events.push(fiber.getRef(References.CurrentLogAnnotations)["event"]))
  return { events, layer: Logger.layer([logger]) }
}

/** How many series name another node. */
const peersMeasured = Effect.map(
  Metric.snapshot,
  (all) => all.filter(({ attributes }) => attributes?.["node"] !== undefined).length
)

describe("a node that cannot be called", () => {
  it.effect("is waited for 4 s; then calls fail at once, and readiness, log and metric say so", () => {
    const { events, layer } = logged()
    let downMs = 0
    return Effect.gen(function* () {
      const { look, partitions } = yield* linked({ downMs: () => downMs, reason: () => "connect ECONNREFUSED" })
      const asked = yield* Effect.forkChild(partitions.call(7, "ping", false))
      yield* TestClock.adjust("3900 millis")
      assert.isUndefined(asked.pollUnsafe())
      yield* TestClock.adjust("200 millis")
      assert.deepStrictEqual(yield* Fiber.await(asked), Exit.fail("unreachable" as const))
      downMs = 4_000
      yield* look
      assert.deepStrictEqual([partitions.placement().unreachable, events], [[], []])
      downMs = 4_001
      yield* look
      yield* look
      assert.strictEqual(yield* Effect.flip(partitions.call(7, "ping", true)), "unreachable")
      assert.deepStrictEqual([partitions.placement().unreachable, events], [["two"], ["node_unreachable"]])
      const series = (yield* Metric.snapshot).find(({ id }) => id === "lotbook_cluster_link_down_seconds")
      assert.deepInclude(series?.attributes, { node: "two", address: "127.0.0.1:2" })
      assert.deepInclude(series?.state, { value: 4.001 })
      downMs = 0
      yield* look
      assert.deepStrictEqual(partitions.placement().unreachable, [])
      assert.deepStrictEqual(events, ["node_unreachable"])
      yield* TestClock.adjust("4100 millis")
      yield* look
      assert.deepStrictEqual(events, ["node_unreachable", "node_reachable"])
    }).pipe(Effect.scoped, Effect.provide(layer), Effect.provideService(Metric.MetricRegistry, new Map()))
  })

  it.effect("is told in the log at each silence, although the link comes back between two looks", () => {
    const { events, layer } = logged()
    let silences = 0
    return Effect.gen(function* () {
      const { look } = yield* linked({ silences: () => silences, reason: () => "nothing has come back for 2000 ms" })
      silences = 1
      yield* look
      assert.deepStrictEqual(events, ["node_unreachable"])
      yield* TestClock.adjust("3 seconds")
      silences = 2
      yield* look
      yield* TestClock.adjust("3 seconds")
      yield* look
      assert.deepStrictEqual(events, ["node_unreachable"])
      yield* TestClock.adjust("2 seconds")
      yield* look
      assert.deepStrictEqual(events, ["node_unreachable", "node_reachable"])
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect(
    "fails a command that was sent at once, because nobody knows whether it was carried out; a read is repeated",
    () =>
      Effect.gen(function* () {
        let isBack = false
        const { partitions } = yield* linked({
          call: (payload) =>
            isBack
              ? Effect.succeed(`+${payload}`)
              : Effect.fail(new LinkFailed({ sent: true, reason: "nothing has come back for 2000 ms" }))
        })
        assert.strictEqual(yield* Effect.flip(partitions.call(7, "ping", false)), "unreachable")
        const read = yield* Effect.forkChild(partitions.call(7, "ping", true))
        yield* TestClock.adjust("1 second")
        assert.isUndefined(read.pollUnsafe())
        isBack = true
        yield* TestClock.adjust("100 millis")
        assert.strictEqual(yield* Fiber.join(read), "7:ping")
      })
  )

  it.effect("has neither a link nor series once this node's part ends, as in a switchover", () =>
    Effect.gen(function* () {
      let open = 0
      const link = { call: () => Effect.never, fail: () => undefined, ...steady }
      const history = Effect.gen(function* () {
        const partitions = yield* Partitions.make({
          id: "one",
          isCurrent: () => true,
          connect: () =>
            Effect.acquireRelease(
              Effect.sync(() => {
                open++
                return link
              }),
              () => Effect.sync(() => open--)
            )
        })
        partitions.placed({ rows, owners })
        yield* Effect.yieldNow
        assert.deepStrictEqual([open, yield* peersMeasured], [1, 2])
      })
      yield* Effect.scoped(history)
      assert.deepStrictEqual([open, yield* peersMeasured], [0, 0])
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )
})
