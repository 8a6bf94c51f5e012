/** Merges of members whose accounts belong to different nodes: contract/databases.md *Nodes*, *Forwarding*. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Testing from "../../../src/app/testing/Testing.ts"
import type { Command } from "../../../src/core/account/Command.ts"
import type { Outcome, Resident, Trouble } from "../../../src/core/account/Outcome.ts"
import { LinkFailed } from "../../../src/core/cluster/Link.ts"
import { partitionOf } from "../../../src/core/cluster/Placement.ts"
import { WriteFailed } from "../../../src/core/journal/GroupCommit.ts"
import { makeClaimKey } from "../../../src/core/journal/Hashing.ts"
import { type AccountsNode, AccountsOfNodes, allPartitions, two } from "./AccountsOfNodes.ts"

const program_id = Testing.demoProgram.id
const claimKey = makeClaimKey("in-memory")
const key = (name: string) => ({ key: claimKey("key", name), fingerprint: claimKey("facts", name) })

const credit = (amount: number, name: string): Command => ({
  action: {
    type: "adjust_manually",
    adjustment: name,
    amount,
    classification: "gift",
    reason: "test",
    qualifies: false
  },
  guards: { key: key(name) }
})

/** Member `even` belongs to a, `odd` to b; each has its own points. */
const guests = Effect.gen(function* () {
  yield* TestClock.setTime(Date.UTC(2026, 6, 14, 10))
  const world = yield* two
  for (const [node, member] of [
    [world.a, "even"],
    [world.b, "odd"]
  ] as const) {
    yield* node.accounts.enroll({ program: program_id, member, identity: { type: "external", value: member } })
    yield* node.accounts.execute(program_id, member, credit(member === "even" ? 10 : 5, member))
  }
  const numberOf = (member: string) => world.tables.names.get(`${program_id}\0${member}`) ?? 0
  assert.deepStrictEqual([numberOf("even") % 2, numberOf("odd") % 2], [0, 1])
  return { ...world, partitionOf: (member: string) => partitionOf(numberOf(member)) }
})

/** Groups take so long to be committed, ms: those of a merge, and others. */
const slow = ({ storage: { write }, tables }: AccountsOfNodes, linkedMs: number, otherMs: number) => ({
  tables,
  write: ((group, isLinked) =>
    Effect.andThen(Effect.sleep(isLinked === true ? linkedMs : otherMs), write(group, isLinked))) as typeof write
})

const read = ({ accounts }: AccountsNode, member: string) => accounts.read(program_id, member, true)

/** Facts that a read shows of a member: the one it was merged into, or its points. */
const shownBy = (node: AccountsNode, member: string) =>
  Effect.map(read(node, member), (found: Resident | Trouble | undefined) =>
    found?._tag !== "Resident"
      ? found?._tag
      : (found.state.mergedInto?.member ?? found.state.units.reduce((sum, { posted }) => sum + posted, 0))
  )

const start = <A>(effect: Effect.Effect<A>) => Effect.forkChild(effect, { startImmediately: true })

const merging = ({ accounts }: AccountsNode, from: string, into: string) =>
  start(accounts.merge(program_id, { from, into, key: key("merge") }))

const outcomeOf = (fiber: Fiber.Fiber<Outcome>) => {
  const exit = fiber.pollUnsafe()
  return exit?._tag === "Success" ? exit.value._tag : exit?._tag
}

describe("a merge across nodes", () => {
  for (const [from, into] of [
    ["odd", "even"],
    ["even", "odd"]
  ] as const)
    for (const asked of ["a", "b"] as const)
      it.effect(`of ${from} into ${into}, asked of ${asked}, shows on both nodes`, () =>
        Effect.gen(function* () {
          const world = yield* guests
          // Both nodes have both in memory, as far as they own them.
          for (const node of [world.a, world.b]) for (const member of [from, into]) yield* read(node, member)
          const merge = yield* merging(world[asked], from, into)
          yield* TestClock.adjust(0)
          assert.strictEqual(outcomeOf(merge), "Answered")
          for (const [node, points] of [
            [world.a, 15],
            [world.b, 16]
          ] as const) {
            assert.strictEqual(yield* shownBy(node, from), into)
            assert.strictEqual(yield* shownBy(node, into), points)
            const later = yield* node.accounts.execute(program_id, from, credit(1, node === world.a ? "x" : "y"))
            assert.deepInclude(later, { _tag: "Answered" }, "a request for the merged member")
          }
          assert.strictEqual(yield* shownBy(world.a, into), 17)
        })
      )

  it.effect("holds `from` on its owner: reads and commands wait, and show the merge", () =>
    Effect.gen(function* () {
      const { a, b, nodes } = yield* guests
      nodes.storage = slow(nodes, 1_000, 0)
      const merge = yield* merging(a, "odd", "even")
      yield* TestClock.adjust(10)
      const reads = yield* Effect.forEach([a, b], (node) => start(shownBy(node, "odd")))
      const command = yield* start(b.accounts.execute(program_id, "odd", credit(1, "more")))
      yield* TestClock.adjust("900 millis")
      for (const one of [...reads, command, merge]) assert.isUndefined(one.pollUnsafe())
      yield* TestClock.adjust("200 millis")
      assert.strictEqual(outcomeOf(merge), "Answered")
      for (const one of reads) assert.strictEqual(yield* Fiber.join(one), "even")
      assert.deepInclude(yield* Fiber.join(command), { _tag: "Answered" })
      assert.strictEqual(yield* shownBy(b, "even"), 16)
    })
  )

  it.effect("that does not hear of its hold lets `from` go after 5 s", () =>
    Effect.gen(function* () {
      const { a, b, linked, tables } = yield* guests
      linked.way = (_, payload, deliver) =>
        payload.includes('"type":"hold"')
          ? Effect.andThen(deliver, Effect.fail(new LinkFailed({ sent: true, reason: "lost" })))
          : deliver
      const before = tables.log.length
      const merge = yield* merging(a, "odd", "even")
      yield* TestClock.adjust(0)
      assert.strictEqual(outcomeOf(merge), "Unreachable")
      const waiting = yield* start(shownBy(b, "odd"))
      yield* TestClock.adjust("4900 millis")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("100 millis")
      assert.strictEqual(yield* Fiber.join(waiting), 5)
      assert.strictEqual(tables.log.length, before)
    })
  )

  it.effect("whose hold ran out under its append: reads ask the journal, so that none is older than the answer", () =>
    Effect.gen(function* () {
      const { a, b, nodes } = yield* guests
      nodes.storage = slow(nodes, 8_000, 0)
      const merge = yield* merging(a, "odd", "even")
      yield* TestClock.adjust("6 seconds")
      assert.strictEqual(yield* shownBy(b, "odd"), 5, "not committed yet")
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(outcomeOf(merge), "Answered")
      assert.strictEqual(yield* shownBy(b, "odd"), "even")
    })
  )

  it.effect("whose release is lost is answered by a retry, and reads show it once it has shown anywhere", () =>
    Effect.gen(function* () {
      const { a, b, linked, nodes } = yield* guests
      const { storage } = nodes
      nodes.storage = slow(nodes, 8_000, 0)
      linked.way = (_, payload, deliver) =>
        payload.includes('"type":"release"') ? Effect.fail(new LinkFailed({ sent: true, reason: "lost" })) : deliver
      const merge = yield* merging(a, "odd", "even")
      yield* TestClock.adjust("6 seconds")
      assert.strictEqual(yield* shownBy(b, "odd"), 5, "not committed yet")
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(outcomeOf(merge), "Unavailable", "nobody knows whether the owner of `from` shows it")
      assert.strictEqual(yield* shownBy(a, "even"), 15)
      assert.strictEqual(yield* shownBy(b, "odd"), "even", "although no read has come since the append")
      linked.way = (_, __, deliver) => deliver
      nodes.storage = storage
      const again = yield* merging(a, "odd", "even")
      yield* TestClock.adjust(0)
      assert.deepInclude(yield* Fiber.join(again), { _tag: "Answered", isReplay: true })
    })
  )

  it.effect("whose hold has run out before it can be decided writes nothing", () =>
    Effect.gen(function* () {
      const { a, b, nodes, tables } = yield* guests
      nodes.storage = slow(nodes, 0, 6_000)
      const command = yield* start(b.accounts.execute(program_id, "odd", credit(1, "slow")))
      yield* TestClock.adjust(10)
      // `even` has the lower number: it is held while `odd` is waited for.
      const merge = yield* merging(b, "even", "odd")
      yield* TestClock.adjust("6 seconds")
      assert.strictEqual((yield* Fiber.join(command))._tag, "Answered")
      assert.strictEqual(outcomeOf(merge), "Overloaded")
      assert.strictEqual(tables.log.length, 5)
      assert.strictEqual(yield* shownBy(a, "even"), 10)
    })
  )

  it.effect("in doubt is answered with 503; reads of both ask the journal until it cannot land any more", () =>
    Effect.gen(function* () {
      const { a, b, nodes } = yield* guests
      const { storage } = nodes
      // The group lands a second after its connection is lost.
      nodes.storage = {
        ...storage,
        write: (group, isLinked) =>
          Effect.andThen(
            Effect.forkDetach(Effect.andThen(Effect.sleep("6 seconds"), storage.write(group, isLinked))),
            Effect.fail(new WriteFailed({ sent: true, cause: "simulated" }))
          )
      }
      const merge = yield* merging(a, "odd", "even")
      yield* TestClock.adjust(10)
      assert.strictEqual(outcomeOf(merge), "Unavailable")
      yield* TestClock.adjust("5500 millis")
      assert.strictEqual(yield* shownBy(b, "odd"), 5, "not landed yet")
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* shownBy(b, "odd"), "even")
      nodes.storage = storage
    })
  )

  it.effect("reads and commands of an account in doubt do not disturb each other", () =>
    Effect.gen(function* () {
      const { a, b, nodes } = yield* guests
      nodes.storage = slow(nodes, 8_000, 200)
      const merge = yield* merging(a, "odd", "even")
      yield* TestClock.adjust("5100 millis")
      const command = yield* start(b.accounts.execute(program_id, "odd", credit(1, "more")))
      yield* TestClock.adjust("100 millis")
      const waiting = yield* start(shownBy(b, "odd"))
      const further = yield* start(b.accounts.execute(program_id, "odd", credit(1, "further")))
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(command))._tag, "Answered")
      assert.strictEqual(yield* Fiber.join(waiting), 6)
      assert.strictEqual((yield* Fiber.join(further))._tag, "Answered")
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(outcomeOf(merge), "Overloaded", "both records or none")
      assert.strictEqual(yield* shownBy(b, "odd"), 7)
    })
  )
})

describe("a merge while partitions move", () => {
  it.effect("ends before the partition of `from` goes", () =>
    Effect.gen(function* () {
      const { a, b, linked, nodes, partitionOf } = yield* guests
      nodes.storage = slow(nodes, 1_000, 0)
      const merge = yield* merging(a, "odd", "even")
      yield* TestClock.adjust(10)
      const move = yield* start(linked.move("b", "a", partitionOf("odd")))
      yield* TestClock.adjust("900 millis")
      assert.isUndefined(move.pollUnsafe())
      yield* TestClock.adjust("200 millis")
      assert.isDefined(move.pollUnsafe())
      assert.strictEqual(outcomeOf(merge), "Answered", "the release comes to a partition that drains")
      for (const node of [a, b]) assert.strictEqual(yield* shownBy(node, "odd"), "even")
    })
  )

  it.effect("tells the owner that has taken over `from` from a dead one, before it is answered", () =>
    Effect.gen(function* () {
      const { a, linked, nodes } = yield* guests
      const c = yield* nodes.start("c")
      nodes.storage = slow(nodes, 3_000, 0)
      const merge = yield* merging(a, "odd", "even")
      yield* TestClock.adjust(10)
      linked.nodes.delete("b")
      linked.give("c", ...allPartitions.filter((partition) => partition % 2 === 1))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* shownBy(c, "odd"), 5, "not committed yet")
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(outcomeOf(merge), "Answered")
      assert.strictEqual(yield* shownBy(c, "odd"), "even")
    })
  )

  it.effect("tells its own accounts, if `from` came to the same node meanwhile", () =>
    Effect.gen(function* () {
      const { a, linked, nodes } = yield* guests
      nodes.storage = slow(nodes, 3_000, 0)
      const merge = yield* merging(a, "odd", "even")
      yield* TestClock.adjust(10)
      linked.nodes.delete("b")
      linked.give("a", ...allPartitions.filter((partition) => partition % 2 === 1))
      assert.strictEqual(yield* shownBy(a, "odd"), 5, "not committed yet")
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(outcomeOf(merge), "Answered")
      assert.strictEqual(yield* shownBy(a, "odd"), "even")
    })
  )

  it.effect("decides on the account of this node, if `into` went and came back while it waited for `from`", () =>
    Effect.gen(function* () {
      const { a, b, linked, partitionOf } = yield* guests
      const into = partitionOf("odd")
      yield* read(b, "odd")
      linked.way = (_, payload, deliver) =>
        payload.includes('"type":"hold"') ? Effect.andThen(Effect.sleep("1 second"), deliver) : deliver
      // `even` has the lower number: it is held first.
      const merge = yield* merging(b, "even", "odd")
      yield* TestClock.adjust(10)
      yield* linked.move("b", "a", into)
      yield* a.accounts.execute(program_id, "odd", credit(100, "elsewhere"))
      yield* linked.move("a", "b", into)
      assert.strictEqual(yield* shownBy(b, "odd"), 105)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(outcomeOf(merge), "Answered")
      assert.strictEqual(yield* shownBy(b, "odd"), 115)
      assert.strictEqual(yield* shownBy(b, "even"), "odd")
    })
  )
})

describe("an account that was evicted", () => {
  it.effect("does not decide any more for who has found it before", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 6, 14, 10))
      const nodes = new AccountsOfNodes()
      const [a, b] = [yield* nodes.start("a", 1), yield* nodes.start("b")]
      nodes.linked.give("a", ...allPartitions)
      for (const member of ["ada", "ben", "cleo"])
        yield* a.accounts.enroll({ program: program_id, member, identity: { type: "external", value: member } })
      yield* read(a, "ada")
      const late = [a.accounts.execute(program_id, "ada", credit(1, "late")), read(a, "ada")] as const
      for (const member of ["ben", "cleo"]) yield* read(a, member)
      assert.isAtMost(a.accounts.resident(), 1)
      yield* nodes.linked.move("a", "b", ...allPartitions)
      yield* b.accounts.execute(program_id, "ada", credit(10, "elsewhere"))
      assert.deepInclude(yield* late[0], { _tag: "Answered" })
      assert.strictEqual(yield* shownBy(b, "ada"), 11)
      yield* b.accounts.execute(program_id, "ada", credit(100, "again"))
      const shown = (yield* late[1]) as Resident
      assert.strictEqual(shown.state.units[0]?.posted, 111)
    })
  )
})
