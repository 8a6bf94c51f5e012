/**
 * Nodes that may answer for accounts, and from when to when: contract/databases.md *Nodes*, *Beats of a node* on a clock
 * that the test moves.
 */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { ClockCheck } from "../../../src/base/database/ClockCheck.ts"
import { machineTime } from "../../../src/base/time/Times.ts"
import { partitionCount } from "../../../src/core/cluster/Placement.ts"
import * as LogLines from "../../base/metrics/LogLines.ts"
import * as Random from "../../model/Random.ts"
import { kill, type Started, start, stop, until, World } from "./World.ts"

/** Starts nodes and lets them share the partitions. */
const together = Effect.fnUntraced(function* (world: World, ...names: ReadonlyArray<string>) {
  const started: Array<Started> = []
  for (const name of names) started.push(yield* start(world, name))
  yield* TestClock.adjust("5 seconds")
  return started
})

/** Partitions that two nodes would answer for. */
const contested = (nodes: ReadonlyArray<Started>): ReadonlyArray<number> => {
  const answering = nodes.filter(({ membership }) => membership.node.isCurrent())
  return Array.from({ length: partitionCount }, (_, partition) => partition).filter(
    (partition) => answering.filter(({ memory }) => memory.mine.has(partition)).length > 1
  )
}

const isCurrent = ({ membership }: Started) => membership.node.isCurrent()

describe("beats", () => {
  it.effect("a PostgreSQL that accepts and does not answer holds up neither a start nor a node for good", () =>
    Effect.gen(function* () {
      const world = new World()
      world.isSilent = true
      const node = yield* start(world, "a")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(node.membership.node.role(), "joining")
      world.isSilent = false
      yield* until(() => node.memory.mine.size === partitionCount)
      world.isSilent = true
      world.endAll("a")
      yield* TestClock.adjust("1 minute")
      assert.isFalse(isCurrent(node))
      world.isSilent = false
      yield* until(() => isCurrent(node))
      yield* until(() => world.sessions.size === 2)
    })
  )

  it.effect("a beat that came back confirms for 2 s from its sending", () =>
    Effect.gen(function* () {
      const world = new World()
      const node = yield* start(world, "a")
      yield* TestClock.adjust("500 millis")
      world.halted.add("a")
      yield* TestClock.adjust("2 seconds")
      assert.isTrue(isCurrent(node), "the beat at 500 ms came back")
      yield* TestClock.adjust(1)
      assert.isFalse(isCurrent(node))
      assert.isFalse(node.membership.node.isAdmitting())
      yield* TestClock.adjust("1 second")
      yield* world.answer("a")
      yield* TestClock.adjust(0)
      assert.isFalse(isCurrent(node), "the late answer confirms from its sending")
      yield* world.release("a")
      yield* TestClock.adjust(0)
      assert.isTrue(isCurrent(node), "the next beat was sent at once")
    })
  )

  it.effect("a beat is sent 500 ms after the one before, however long that one's answer took", () =>
    Effect.gen(function* () {
      const world = new World()
      yield* start(world, "a")
      const beat = () => world.nodes.get("a")?.beat ?? 0
      const before = beat()
      yield* TestClock.adjust("499 millis")
      world.halted.add("a")
      yield* TestClock.adjust("301 millis")
      yield* world.release("a")
      yield* TestClock.adjust("199 millis")
      assert.strictEqual(beat(), before + 1)
      yield* TestClock.adjust(1)
      assert.strictEqual(beat(), before + 2)
    })
  )

  it.effect("a node whose beat is refused is lost, and admits nothing more", () =>
    Effect.gen(function* () {
      const world = new World()
      const node = yield* start(world, "a")
      world.change("a", { dead: true })
      yield* TestClock.adjust("500 millis")
      assert.isTrue(node.hasLost())
      assert.isFalse(node.membership.node.isAdmitting())
      yield* TestClock.adjust("1500 millis")
      assert.isTrue(isCurrent(node), "2 s after the last beat that came back nobody else may have its partitions")
      yield* TestClock.adjust(1)
      assert.isFalse(isCurrent(node))
    })
  )

  it.effect("one that lost its sessions goes on as the same node, with its partitions", () =>
    Effect.gen(function* () {
      const world = new World()
      const [node] = yield* together(world, "a", "b")
      const owned = [...world.owners]
      world.endAll("a")
      yield* TestClock.adjust("1 second")
      assert.isFalse(node!.hasLost())
      assert.isTrue(isCurrent(node!))
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(world.owners, owned)
      assert.strictEqual(node!.memory.drains, 1, "for the other one's join alone")
    })
  )

  it.effect("nothing is confirmed from the loss of a session to the next one's first beat", () =>
    Effect.gen(function* () {
      const world = new World()
      const node = yield* start(world, "a")
      yield* TestClock.adjust("5 seconds")
      world.halted.add("a")
      world.endAll("a")
      yield* TestClock.adjust("500 millis")
      assert.isFalse(isCurrent(node), "although a beat came back less than 2 s ago")
      yield* world.release("a")
      yield* TestClock.adjust("1 second")
      assert.isTrue(isCurrent(node))
    })
  )

  it.effect("a session that does not answer is given up for another one", () =>
    Effect.gen(function* () {
      const world = new World()
      const node = yield* start(world, "a")
      yield* TestClock.adjust("1 second")
      world.halted.add("a")
      yield* TestClock.adjust("5 seconds")
      // The former session's statements stay unanswered; those of a new one are not.
      world.halted.delete("a")
      yield* TestClock.adjust("6 seconds")
      assert.isTrue(isCurrent(node))
    })
  )

  it.effect("an outage is logged once at its beginning and once at its end", () =>
    Effect.gen(function* () {
      const { events, layer } = LogLines.make()
      yield* Effect.gen(function* () {
        const world = new World()
        yield* together(world, "a", "b")
        world.isReachable = false
        for (const node of ["a", "b"]) world.endAll(node)
        yield* TestClock.adjust("10 seconds")
        assert.deepStrictEqual(events(), ["storage_lost", "storage_lost"])
        world.isReachable = true
        yield* TestClock.adjust("1 second")
      }).pipe(Effect.provide(layer))
      assert.deepStrictEqual(events().slice(2), ["storage_back", "storage_back"])
    })
  )

  it.effect("a clock that disagrees stops them: others take the partitions, and the node is lost", () =>
    Effect.gen(function* () {
      const world = new World()
      const check = new ClockCheck(yield* machineTime, 30_000)
      const node = yield* start(world, "a", { clockCheck: check })
      const other = yield* start(world, "b")
      yield* TestClock.adjust("10 seconds")
      world.aheadMs = -86_400_000
      yield* TestClock.adjust("500 millis")
      assert.isFalse(isCurrent(node))
      assert.strictEqual(node.membership.node.clockFault()?.kind, "differs")
      const { beat } = world.nodes.get("a")!
      yield* until(() => world.ownedBy("b") === partitionCount)
      assert.isFalse(node.hasLost(), "it sends no beat that could be refused")
      world.aheadMs = 0
      yield* TestClock.adjust("1 second")
      assert.isTrue(node.hasLost())
      assert.isUndefined(world.nodes.get("a"), `no beat after ${beat}`)
      assert.isTrue(isCurrent(other))
    })
  )

  it.effect("a node whose clock disagrees does not join, says why every minute, and joins once it is right", () =>
    Effect.gen(function* () {
      const world = new World()
      world.aheadMs = -400 * 86_400_000
      const log = LogLines.make()
      const check = new ClockCheck(yield* machineTime, 30_000)
      const node = yield* Effect.provide(start(world, "a", { clockCheck: check }), log.layer)
      yield* TestClock.adjust("150 seconds")
      assert.strictEqual(node.membership.node.role(), "joining")
      assert.strictEqual(world.nodes.size, 0)
      assert.closeTo(node.membership.node.clockAheadMs(), 400 * 86_400_000, 10)
      assert.deepStrictEqual(log.events(), ["clock_disagrees", "clock_disagrees", "clock_disagrees"])
      world.aheadMs = 0
      yield* until(() => isCurrent(node))
      assert.include(log.events(), "clock_agrees")
    })
  )

  it.effect("a node alone goes on after its clock was set right", () =>
    Effect.gen(function* () {
      const world = new World()
      const check = new ClockCheck(yield* machineTime, 30_000)
      const node = yield* start(world, "a", { clockCheck: check })
      world.newestMs = (yield* Clock.currentTimeMillis) - 32 * 86_400_000
      yield* TestClock.adjust("1 minute")
      assert.isFalse(isCurrent(node))
      assert.strictEqual(node.membership.node.clockFault()?.kind, "silent")
      world.newestMs = yield* Clock.currentTimeMillis
      yield* TestClock.adjust("1 second")
      assert.isTrue(isCurrent(node))
      assert.isFalse(node.hasLost())
    })
  )
})

describe("a node that is silent", () => {
  it.effect("is declared dead when its beat has not changed for 2.25 s, and never while it may answer", () =>
    Effect.gen(function* () {
      const world = new World()
      const nodes = yield* together(world, "a", "b")
      world.halted.add("a")
      const took = yield* until(
        () => world.nodes.get("a")?.dead !== false,
        () => assert.deepStrictEqual(contested(nodes), [])
      )
      assert.isAtLeast(took, 1_750, "its last beat was up to 500 ms ago")
      assert.isAtMost(took, 2_750)
      assert.isFalse(isCurrent(nodes[0]!))
      const until256 = yield* until(
        () => nodes[1]!.memory.mine.size === partitionCount,
        () => assert.deepStrictEqual(contested(nodes), [])
      )
      assert.isAtMost(took + until256, 3_000, "its accounts are out for about three seconds")
      assert.deepStrictEqual(world.ended, ["a"])
      assert.isUndefined(world.nodes.get("a"))
      yield* world.release("a")
      yield* TestClock.adjust("1 second")
      assert.isTrue(nodes[0]!.hasLost(), "it goes on, and hears that it was declared dead")
    })
  )

  it.effect("is not waited for if its process has certainly ended", () =>
    Effect.gen(function* () {
      const world = new World()
      world.add({ id: "dead", process: 4_711 })
      for (let partition = 0; partition < partitionCount; partition++) world.own(partition, "dead")
      const node = yield* start(world, "a", { isGone: ({ process }) => process === 4_711 })
      assert.isAtMost(yield* until(() => node.memory.mine.size === partitionCount), 500)
    })
  )

  it.effect("is not dead if it beats between the look and the declaration", () =>
    Effect.gen(function* () {
      const world = new World()
      world.add({ id: "a", beat: 7 })
      const node = yield* start(world, "b")
      let tries = 0
      world.onStatement = (_, name) => {
        if (name !== "fence") return
        tries++
        world.change("a", { beat: world.nodes.get("a")!.beat + 1 })
      }
      yield* TestClock.adjust("30 seconds")
      assert.isAbove(tries, 5)
      assert.isFalse(world.nodes.get("a")?.dead)
      assert.deepStrictEqual(world.ended, [])
      assert.isTrue(isCurrent(node))
    })
  )

  it.effect("keeps its partitions until its sessions have ended and its row is gone", () =>
    Effect.gen(function* () {
      const world = new World()
      const [, other] = yield* together(world, "a", "b")
      const owned = world.ownedBy("a")
      world.onStatement = (_, name) => {
        if (name === "claim") assert.isUndefined(world.nodes.get("a"))
      }
      world.halted.add("a")
      world.clinging.add("a")
      yield* TestClock.adjust("10 seconds")
      assert.isTrue(world.nodes.get("a")?.dead)
      assert.strictEqual(world.ownedBy("a"), owned)
      world.clinging.delete("a")
      yield* until(() => other!.memory.mine.size === partitionCount)
    })
  )

  it.effect("is buried by any other node, if the one that declared it dead dies too", () =>
    Effect.gen(function* () {
      const world = new World()
      const nodes = yield* together(world, "a", "b", "c")
      world.clinging.add("a")
      yield* kill(world, nodes[0]!)
      yield* until(() => world.nodes.get("a")?.dead === true)
      yield* kill(world, nodes[1]!)
      world.clinging.delete("a")
      yield* until(() => nodes[2]!.memory.mine.size === partitionCount)
      assert.deepStrictEqual([...world.nodes.keys()], ["c"])
    })
  )

  it.effect("is not dead for the time in which no node reached the database", () =>
    Effect.gen(function* () {
      const world = new World()
      const nodes = yield* together(world, "a", "b")
      world.isReachable = false
      for (const { id } of nodes) world.endAll(id)
      yield* TestClock.adjust("1 minute")
      world.isReachable = true
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(world.ended, [])
      for (const node of nodes) assert.isTrue(isCurrent(node))
    })
  )

  it.effect("is not dead for the time in which the database stood still", () =>
    Effect.gen(function* () {
      const world = new World()
      const nodes = yield* together(world, "a", "b")
      for (const { id } of nodes) world.halted.add(id)
      yield* TestClock.adjust("4 seconds")
      // It goes on with the looks of one and, a moment later, with the beats of the other.
      yield* world.release("b")
      yield* TestClock.adjust("100 millis")
      yield* world.release("a")
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(world.ended, [])
      for (const node of nodes) assert.isTrue(isCurrent(node))
    })
  )

  it.effect("that has gone is told to each of the others", () =>
    Effect.gen(function* () {
      const world = new World()
      const [node] = yield* together(world, "a", "b", "c")
      assert.strictEqual(world.told.size, 0)
      yield* kill(world, node!)
      yield* TestClock.adjust("10 seconds")
      for (const other of ["b", "c"]) assert.isAtLeast(world.told.get(other) ?? 0, 1, other)
    })
  )

  it.effect("is logged once", () =>
    Effect.gen(function* () {
      const { events, layer } = LogLines.make()
      yield* Effect.gen(function* () {
        const world = new World()
        const [node] = yield* together(world, "a", "b")
        yield* kill(world, node!)
        yield* TestClock.adjust("10 seconds")
      }).pipe(Effect.provide(layer))
      assert.deepStrictEqual(events(), ["node_dead"])
    })
  )
})

describe("whatever hangs or dies", () => {
  it.effect("never do two nodes answer for a partition, and in the end one answers for each", () =>
    Effect.gen(function* () {
      for (let seed = 1; seed <= 20; seed++) {
        const world = new World()
        const random = Random.make(seed, "nodes")
        const nodes = [...(yield* together(world, "a", "b", "c"))]
        let started = 0
        const replace = Effect.fnUntraced(function* (place: number) {
          nodes[place] = yield* start(world, `${place} ${++started}`)
          nodes[place].memory.drainMs = random.whole(0, 400)
        })
        for (let step = 0; step < 40; step++) {
          const place = random.whole(0, nodes.length - 1)
          const node = nodes[place]!
          const draw = random.next()
          if (draw < 0.25) world.halted.add(node.id)
          else if (draw < 0.5) yield* world.release(node.id)
          else if (draw < 0.6) world.endAll(node.id)
          else if (draw < 0.7) world.losing.add(`${node.id} ${random.pick(["beat", "claim", "release", "look"])}`)
          else if (draw < 0.75) {
            yield* kill(world, node)
            yield* replace(place)
          } else if (draw < 0.8) {
            const leaving = yield* Effect.forkChild(Effect.andThen(node.membership.handOver, stop(node)))
            yield* until(
              () => leaving.pollUnsafe() !== undefined,
              () => assert.deepStrictEqual(contested(nodes), [], `seed ${seed}`)
            )
            yield* replace(place)
          }
          for (let ms = random.whole(0, 2_500); ms > 0; ms -= 50) {
            yield* TestClock.adjust(50)
            assert.deepStrictEqual(contested(nodes), [], `seed ${seed}, step ${step}`)
          }
          for (const [index, lost] of nodes.entries()) {
            if (!lost.hasLost()) continue
            yield* kill(world, lost)
            yield* replace(index)
          }
        }
        for (const node of nodes) yield* world.release(node.id)
        yield* TestClock.adjust("20 seconds")
        for (const [index, lost] of nodes.entries()) if (lost.hasLost()) yield* replace(index)
        yield* TestClock.adjust("10 seconds")
        const answered = nodes.filter(isCurrent).reduce((sum, { memory }) => sum + memory.mine.size, 0)
        assert.strictEqual(answered, partitionCount, `seed ${seed}`)
        for (const node of nodes) yield* stop(node)
      }
    })
  )
})
