/** How partitions go from node to node: contract/databases.md *Joining and leaving*, *Nodes*. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { partitionCount, protocol } from "../../../src/core/cluster/Placement.ts"
import { kill, type Started, start, stop, until, World } from "./World.ts"

const sizes = (...nodes: ReadonlyArray<Started>) => nodes.map(({ memory }) => memory.mine.size)
const all = ({ memory }: Started) => memory.mine.size === partitionCount

describe("a join", () => {
  it.effect("the first node has all partitions at once, a second one half of them after these were drained", () =>
    Effect.gen(function* () {
      const world = new World()
      const first = yield* start(world, "a")
      assert.isAtMost(yield* until(() => all(first)), 250)
      assert.isTrue(first.isFirst())
      first.memory.drainMs = 600
      const second = yield* start(world, "b")
      assert.isFalse(second.isFirst())
      const took = yield* until(
        () => second.memory.mine.size > 0,
        () => assert.isTrue(world.ownedBy("b") === 0 || first.memory.mine.size === 128)
      )
      assert.isAtLeast(took, 600)
      assert.isAtMost(took, 1_500)
      assert.deepStrictEqual(sizes(first, second), [128, 128])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(first.memory.placement?.owners, world.owners)
    })
  )

  it.effect("a node without a holder gets none: it cannot answer for them yet", () =>
    Effect.gen(function* () {
      const world = new World()
      const first = yield* start(world, "a")
      const second = yield* start(world, "b", { holds: false })
      yield* TestClock.adjust("10 seconds")
      assert.isTrue(all(first))
      yield* second.membership.hold(second.memory)
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(sizes(first, second), [128, 128])
    })
  )

  it.effect("nodes of a newer protocol own nothing until those of an older one have left", () =>
    Effect.gen(function* () {
      const world = new World()
      const old = yield* start(world, "a")
      const newer = yield* start(world, "b", { protocol: protocol + 1 })
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(sizes(old, newer), [partitionCount, 0])
      const leaving = yield* Effect.forkChild(Effect.andThen(old.membership.handOver, stop(old)))
      yield* until(() => leaving.pollUnsafe() !== undefined)
      yield* until(() => all(newer))
    })
  )

  it.effect("a sandbox takes one node alone: a second waits until the first has gone", () =>
    Effect.gen(function* () {
      const world = new World()
      const first = yield* start(world, "a", { environment: "sandbox" })
      const second = yield* start(world, "b", { environment: "sandbox" })
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(second.membership.node.role(), "joining")
      assert.isFalse(second.membership.node.isAdmitting())
      yield* stop(first)
      assert.isAtMost(yield* until(() => all(second)), 1_000)
      const third = yield* start(world, "c", { environment: "sandbox" })
      yield* TestClock.adjust("10 seconds")
      yield* kill(world, second)
      assert.isAtLeast(yield* until(() => all(third)), 1_750, "one that died is waited for like any other")
    })
  )
})

describe("answers that are lost", () => {
  for (const statement of ["claim", "release"] as const)
    it.effect(`of a ${statement} are healed by the next look`, () =>
      Effect.gen(function* () {
        const world = new World()
        const first = yield* start(world, "a")
        yield* TestClock.adjust("1 second")
        const second = yield* start(world, "b", { holds: false })
        world.losing.add(statement === "claim" ? "b claim" : "a release")
        yield* second.membership.hold(second.memory)
        yield* TestClock.adjust("3 seconds")
        assert.strictEqual(world.losing.size, 0)
        assert.deepStrictEqual(sizes(first, second), [128, 128])
        assert.deepStrictEqual([world.ownedBy("a"), world.ownedBy("b")], [128, 128])
      })
    )
})

describe("a leave", () => {
  it.effect("drains and releases everything, forwards meanwhile, then admits nothing", () =>
    Effect.gen(function* () {
      const world = new World()
      const first = yield* start(world, "a")
      const second = yield* start(world, "b")
      yield* TestClock.adjust("5 seconds")
      first.memory.drainMs = 1_000
      const leaving = yield* Effect.forkChild(first.membership.handOver)
      yield* TestClock.adjust("500 millis")
      assert.strictEqual(first.membership.node.role(), "leaving")
      assert.isTrue(first.membership.node.isAdmitting())
      assert.isFalse(world.nodes.get("a")?.wants)
      assert.strictEqual(world.ownedBy("a"), 128, "nothing is released before it is drained")
      assert.isAtMost(yield* until(() => leaving.pollUnsafe() !== undefined), 1_500)
      assert.isFalse(first.membership.node.isAdmitting())
      assert.isTrue(first.membership.node.isCurrent(), "answers under way may still leave")
      yield* until(() => all(second))
      yield* stop(first)
      assert.deepStrictEqual([...world.nodes.keys()], ["b"])
    })
  )

  it.effect("takes at most 4 s: what is not drained by then goes with the node's row", () =>
    Effect.gen(function* () {
      const world = new World()
      const first = yield* start(world, "a")
      const second = yield* start(world, "b")
      yield* TestClock.adjust("5 seconds")
      first.memory.drainMs = 60_000
      const leaving = yield* Effect.forkChild(first.membership.handOver)
      yield* TestClock.adjust("3999 millis")
      assert.isUndefined(leaving.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.isDefined(leaving.pollUnsafe())
      assert.strictEqual(world.ownedBy("a"), 128)
      yield* stop(first)
      assert.isAtMost(yield* until(() => all(second)), 500, "a stop in order is not waited for as for a silent node")
      assert.deepStrictEqual(world.ended, [])
    })
  )

  it.effect("of a node that is declared dead meanwhile ends in time, and others have its partitions once", () =>
    Effect.gen(function* () {
      const world = new World()
      const first = yield* start(world, "a")
      const second = yield* start(world, "b")
      yield* TestClock.adjust("5 seconds")
      first.memory.drainMs = 3_000
      const leaving = yield* Effect.forkChild(first.membership.handOver)
      yield* TestClock.adjust("1 second")
      world.halted.add("a")
      yield* until(
        () => all(second),
        () => assert.isFalse(first.membership.node.isCurrent() && second.memory.mine.size > 128)
      )
      yield* until(() => leaving.pollUnsafe() !== undefined)
      yield* world.release("a")
      yield* TestClock.adjust("1 second")
      assert.strictEqual(world.ownedBy("b"), partitionCount)
      assert.deepStrictEqual([...world.nodes.keys()], ["b"])
    })
  )

  it.effect("of the only node ends once everything is released", () =>
    Effect.gen(function* () {
      const world = new World()
      const node = yield* start(world, "a")
      yield* TestClock.adjust("1 second")
      const leaving = yield* Effect.forkChild(node.membership.handOver)
      assert.isAtMost(yield* until(() => leaving.pollUnsafe() !== undefined), 500)
      assert.strictEqual(world.ownedBy(null), partitionCount)
    })
  )
})

describe("a sandbox that starts over", () => {
  it.effect("gets the same partitions again", () =>
    Effect.gen(function* () {
      const world = new World()
      const node = yield* start(world, "a", { environment: "sandbox" })
      yield* TestClock.adjust("1 second")
      yield* node.membership.letGo
      node.memory.mine.clear()
      yield* TestClock.adjust("1 second")
      assert.strictEqual(world.ownedBy("a"), partitionCount, "the table still names it")
      assert.strictEqual(node.memory.mine.size, 0)
      yield* node.membership.hold(node.memory)
      yield* TestClock.adjust("1 second")
      assert.isTrue(all(node))
    })
  )

  it.effect("gets those too whose claim was under way", () =>
    Effect.gen(function* () {
      const world = new World()
      const node = yield* start(world, "a", { environment: "sandbox", holds: false })
      world.onStatement = (_, name) => {
        if (name === "claim") Effect.runSync(node.membership.letGo)
      }
      yield* node.membership.hold(node.memory)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(world.ownedBy("a"), partitionCount)
      yield* node.membership.hold(node.memory)
      yield* TestClock.adjust("1 second")
      assert.isTrue(all(node))
    })
  )

  it.effect("keeps its partitions when a drain of the former holding ends", () =>
    Effect.gen(function* () {
      const world = new World()
      const node = yield* start(world, "a")
      yield* TestClock.adjust("1 second")
      node.memory.drainMs = 5_000
      world.add({ id: "b" })
      yield* TestClock.adjust("500 millis")
      assert.strictEqual(node.memory.drains, 1)
      world.nodes.delete("b")
      yield* node.membership.letGo
      yield* node.membership.hold(node.memory)
      yield* TestClock.adjust("1 second")
      assert.isTrue(all(node))
      const { changes } = world
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(world.changes, changes)
      assert.strictEqual(node.memory.drains, 1)
    })
  )
})
