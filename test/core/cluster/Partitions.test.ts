/** Calls to the owners of partitions, and work that one node at a time does: contract/databases.md *Forwarding*. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Callers from "../../../src/base/concurrency/Callers.ts"
import * as Bounds from "../../../src/core/cluster/Bounds.ts"
import { LinkFailed, LinkOverloaded } from "../../../src/core/cluster/Link.ts"
import type { NodePartitions } from "../../../src/core/cluster/Partitions.ts"
import { LinkedNodes } from "./LinkedNodes.ts"

/** Partition 1 is a's, 2 is b's; both answer with their name and what they were asked. */
const two = Effect.gen(function* () {
  const linked = new LinkedNodes()
  const [a, b] = [yield* linked.add("a"), yield* linked.add("b")]
  linked.give("a", 1)
  linked.give("b", 2)
  yield* a.answer((asked) => Effect.succeed(`a ${asked}`))
  yield* b.answer((asked) => Effect.succeed(`b ${asked}`))
  return { linked, a, b }
})

/** The end of a call as text; undefined: it waits. */
const told = (fiber: Fiber.Fiber<string, string>) => {
  const exit = fiber.pollUnsafe()
  if (exit === undefined) return undefined
  return Exit.isSuccess(exit) ? exit.value : exit.toString().match(/mine|unavailable|unreachable|overloaded/)?.[0]
}

const calling = (node: NodePartitions, partition: number, isRepeatable = false, payload = "x") =>
  Effect.forkChild(node.call(partition, payload, isRepeatable), { startImmediately: true })

const failed = (sent: boolean) => new LinkFailed({ sent, reason: "simulated" })

describe("a call", () => {
  it.effect("goes to the owner and brings its answer back", () =>
    Effect.gen(function* () {
      const { a } = yield* two
      assert.strictEqual(yield* a.call(2, "1:+-?", false), "b 1:+-?")
    })
  )

  it.effect("is sent again if the owner refused it or never got it, and only then", () =>
    Effect.gen(function* () {
      const { a, b, linked } = yield* two
      const ways = {
        unsent: { fault: () => Effect.fail(failed(false)), once: "b x" },
        refused: { fault: () => Effect.succeed("-"), once: "b x" },
        lost: { fault: () => Effect.fail(failed(true)), once: "unreachable" },
        unknown: { fault: () => Effect.succeed("?"), once: "unavailable" }
      } as const
      for (const [name, { fault, once }] of Object.entries(ways)) {
        for (const isRepeatable of [false, true]) {
          let faults = 0
          linked.way = (_, __, deliver) => (faults++ === 0 ? fault() : deliver)
          const call = yield* calling(a, 2, isRepeatable)
          yield* TestClock.adjust(Bounds.heldPauseMs)
          assert.strictEqual(
            told(call),
            isRepeatable ? "b x" : once,
            `${name}, ${isRepeatable ? "repeatable" : "once"}`
          )
        }
      }
      assert.isTrue(b.isMine(2))
    })
  )

  it.effect("with an unknown outcome is not sent again", () =>
    Effect.gen(function* () {
      const { a, b, linked } = yield* two
      let carriedOut = 0
      yield* b.answer(() => Effect.sync(() => String(++carriedOut)))
      linked.way = (_, __, deliver) => Effect.andThen(deliver, Effect.fail(failed(true)))
      const call = yield* calling(a, 2)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(told(call), "unreachable")
      assert.strictEqual(carriedOut, 1)
    })
  )

  it.effect("that the owner answers when it is not current any more counts as unknown", () =>
    Effect.gen(function* () {
      const { a, b, linked } = yield* two
      yield* b.answer(() =>
        Effect.sync(() => {
          linked.nodes.get("b")!.isCurrent = false
          return "stale"
        })
      )
      assert.strictEqual(yield* Effect.flip(a.call(2, "x", false)), "unavailable")
      assert.strictEqual(yield* b.serve("2:x"), "-", "and it begins nothing")
      linked.nodes.get("b")!.isCurrent = true
      assert.strictEqual(yield* b.serve("1:x"), "-", "nor for another one's partition")
    })
  )

  it.effect("that the owner's accounts do not take is refused as not the owner's", () =>
    Effect.gen(function* () {
      const { a, b, linked } = yield* two
      yield* b.answer(() => Effect.succeed(undefined))
      const call = yield* calling(a, 2)
      yield* TestClock.adjust("1 second")
      assert.isUndefined(told(call))
      yield* linked.move("b", "a", 2)
      yield* TestClock.adjust(0)
      assert.strictEqual(told(call), "mine")
    })
  )

  it.effect("is answered with `mine` once the partition came to this node", () =>
    Effect.gen(function* () {
      const { a, linked } = yield* two
      yield* linked.take("b", 2)
      const call = yield* calling(a, 2)
      yield* TestClock.adjust("1 second")
      assert.isUndefined(told(call))
      linked.give("a", 2)
      yield* TestClock.adjust(0)
      assert.strictEqual(told(call), "mine")
    })
  )

  it.effect("waits at most 4 s for an owner", () =>
    Effect.gen(function* () {
      const { a, linked } = yield* two
      yield* linked.take("b", 2)
      assert.isTrue(a.placement().isComplete || a.unowned > 0)
      const [first, second] = [yield* calling(a, 2), yield* calling(a, 2, true)]
      yield* TestClock.adjust("3 seconds")
      assert.isUndefined(told(first))
      yield* TestClock.adjust("1050 millis")
      assert.deepStrictEqual([told(first), told(second)], ["overloaded", "overloaded"])
      const third = yield* calling(a, 2)
      yield* TestClock.adjust("3 seconds")
      linked.give("b", 2)
      yield* TestClock.adjust(0)
      assert.strictEqual(told(third), "b x")
    })
  )

  it.effect("that waits is not sent once its caller has left, who may have been refused at the next attempt", () =>
    Effect.gen(function* () {
      const { a, linked } = yield* two
      yield* linked.take("b", 2)
      let hasLeft = false
      const first = yield* Effect.forkChild(Callers.workFor(() => hasLeft, a.call(2, "x", false)))
      const second = yield* Effect.forkChild(Callers.workFor(() => false, a.call(2, "y", false)))
      yield* TestClock.adjust("1 second")
      hasLeft = true
      linked.give("b", 2)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual([told(first), told(second)], ["unavailable", "b y"])
    })
  )

  it.effect("beyond 256 that wait, or 16 MiB, gets `overloaded`; others go on", () =>
    Effect.gen(function* () {
      const { a, linked } = yield* two
      linked.give("b", 3)
      yield* linked.take("b", 2)
      const held = yield* Effect.forEach(Array.from({ length: Bounds.heldCalls }), () => calling(a, 2))
      const further = yield* calling(a, 2)
      yield* TestClock.adjust(0)
      assert.strictEqual(told(further), "overloaded")
      assert.strictEqual(yield* a.call(3, "x", false), "b x")
      linked.give("b", 2)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(
        held.map(told),
        held.map(() => "b x")
      )
      yield* linked.take("b", 2)
      const large = "x".repeat(Bounds.heldChars)
      const [whole, more] = [yield* calling(a, 2, false, large), yield* calling(a, 2)]
      yield* TestClock.adjust(0)
      assert.deepStrictEqual([told(whole), told(more)], [undefined, "overloaded"])
      yield* Fiber.interrupt(whole)
      const next = yield* calling(a, 2)
      assert.isUndefined(told(next), "one whose caller has gone waits no more")
    })
  )

  it.effect("to a peer that does not read gets `overloaded`", () =>
    Effect.gen(function* () {
      const { a, linked } = yield* two
      linked.way = () => Effect.fail(new LinkOverloaded({ waitingBytes: 1 }))
      assert.strictEqual(yield* Effect.flip(a.call(2, "x", true)), "overloaded")
    })
  )

  it.effect("goes to another owner once the former one has gone", () =>
    Effect.gen(function* () {
      const { a, linked } = yield* two
      const c = yield* linked.add("c")
      yield* c.answer((asked) => Effect.succeed(`c ${asked}`))
      linked.nodes.delete("b")
      linked.tell()
      assert.strictEqual(a.unowned, 255)
      const call = yield* calling(a, 2)
      yield* TestClock.adjust("1 second")
      assert.isUndefined(told(call))
      linked.give("c", 2)
      yield* TestClock.adjust(0)
      assert.strictEqual(told(call), "c x")
    })
  )
})

describe("a drain", () => {
  it.effect("hands calls to those who drain and refuse new work, and ends after them", () =>
    Effect.gen(function* () {
      const { a, b, linked } = yield* two
      const drained: Array<ReadonlySet<number>> = []
      yield* b.onDrain((given) =>
        Effect.andThen(
          Effect.sleep("1 second"),
          Effect.sync(() => void drained.push(given))
        )
      )
      yield* b.answer(() => Effect.succeed(undefined))
      const moving = yield* Effect.forkChild(linked.move("b", "a", 2), { startImmediately: true })
      assert.isFalse(b.isMine(2))
      const call = yield* calling(a, 2)
      yield* TestClock.adjust("999 millis")
      assert.isUndefined(told(call))
      assert.isFalse(a.isMine(2))
      yield* TestClock.adjust(1)
      assert.isDefined(moving.pollUnsafe())
      assert.deepStrictEqual(drained, [new Set([2])])
      assert.strictEqual(told(call), "mine")
    })
  )
})

describe("what the others see", () => {
  it.effect("is complete while calls would still wait for an owner", () =>
    Effect.gen(function* () {
      const { a, linked } = yield* two
      linked.give("b", ...Array.from({ length: 256 }, (_, partition) => partition).filter((one) => one !== 1))
      assert.deepStrictEqual(a.placement(), { partitions: 1, nodes: 2, isComplete: true, unreachable: [] })
      yield* linked.take("b", 2)
      yield* TestClock.adjust("4 seconds")
      assert.isTrue(a.placement().isComplete)
      yield* TestClock.adjust(1)
      assert.isFalse(a.placement().isComplete)
      linked.give("b", 2)
      assert.isTrue(a.placement().isComplete)
      assert.deepStrictEqual(a.owned(), [1])
      assert.strictEqual(a.forNew(300), 1, "a new account is one of this node's")
    })
  )

  it.effect("listeners hear of partitions that came", () =>
    Effect.gen(function* () {
      const { a, linked } = yield* two
      let heard = 0
      yield* a.onClaimed(() => heard++)
      linked.give("a", 7, 8)
      assert.strictEqual(heard, 1)
    })
  )
})

describe("work that one node at a time does", () => {
  /** Work that notes where it runs, and takes a second to end when it is interrupted. */
  const working = Effect.fnUntraced(function* (linked: LinkedNodes, ...names: ReadonlyArray<string>) {
    const running: Array<string> = []
    const begun: Array<string> = []
    for (const name of names) {
      const work = Effect.acquireUseRelease(
        Effect.sync(() => {
          running.push(name)
          begun.push(name)
          assert.lengthOf(running, 1, "never on two nodes at once")
        }),
        () => Effect.never,
        () =>
          Effect.andThen(
            Effect.sleep("1 second"),
            Effect.sync(() => running.splice(running.indexOf(name), 1))
          )
      )
      yield* Effect.forkChild(linked.nodes.get(name)!.partitions.whileMine(1, work))
    }
    yield* TestClock.adjust(0)
    return { running, begun }
  })

  it.effect("begins where the partition is, is interrupted before it goes, and begins again when it is back", () =>
    Effect.gen(function* () {
      const { linked } = yield* two
      const { begun, running } = yield* working(linked, "a", "b")
      assert.deepStrictEqual(running, ["a"])
      yield* Effect.forkChild(linked.move("a", "b", 1))
      yield* TestClock.adjust("999 millis")
      assert.deepStrictEqual(running, ["a"])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(running, ["b"])
      yield* Effect.forkChild(linked.move("b", "a", 1))
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(running, ["a"])
      linked.give("a", 9)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(begun, ["a", "b", "a"], "changes of other partitions begin nothing")
      yield* Effect.forkChild(linked.take("a", 1))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(running, [])
    })
  )

  it.effect("that ends by itself begins again at the next change", () =>
    Effect.gen(function* () {
      const { a, linked } = yield* two
      let begun = 0
      yield* Effect.forkChild(
        a.whileMine(
          1,
          Effect.sync(() => void begun++)
        )
      )
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(begun, 1)
      linked.give("a", 9)
      yield* TestClock.adjust(0)
      assert.strictEqual(begun, 2)
    })
  )

  it.effect("ends with what wanted it", () =>
    Effect.gen(function* () {
      const { a } = yield* two
      let isRunning = false
      const work = Effect.acquireUseRelease(
        Effect.sync(() => {
          isRunning = true
        }),
        () => Effect.never,
        () =>
          Effect.sync(() => {
            isRunning = false
          })
      )
      const whole = yield* Effect.forkChild(a.whileMine(1, work))
      yield* TestClock.adjust(0)
      assert.isTrue(isRunning)
      yield* Fiber.interrupt(whole)
      assert.isFalse(isRunning)
    })
  )
})
