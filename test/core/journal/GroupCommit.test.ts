import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as Bounds from "../../../src/core/journal/Bounds.ts"
import type { GroupCommitOptions, Verdict, Write } from "../../../src/core/journal/GroupCommit.ts"
import * as GroupCommit from "../../../src/core/journal/GroupCommit.ts"
import type { AppendOutcome, JournalRecord } from "../../../src/core/journal/Records.ts"
import * as LogLines from "../../base/metrics/LogLines.ts"
import { claim, hash128, record } from "./Records.ts"

const committed: Verdict = { _tag: "committed" }
const lost = (sent: boolean) => new GroupCommit.WriteFailed({ sent, cause: "the wire was cut" })

/** Groups that reached a writer whose answers the test gives. */
const makeWriter = () => {
  const groups: Array<{
    readonly records: ReadonlyArray<JournalRecord>
    readonly answer: Deferred.Deferred<ReadonlyArray<Verdict>, GroupCommit.WriteFailed>
  }> = []
  const write: Write = (records) =>
    Effect.suspend(() => {
      const answer = Deferred.makeUnsafe<ReadonlyArray<Verdict>, GroupCommit.WriteFailed>()
      groups.push({ records, answer })
      return Deferred.await(answer)
    })
  const commit = (index: number) => {
    const group = groups[index]!
    return Effect.andThen(
      Deferred.succeed(
        group.answer,
        group.records.map(() => committed)
      ),
      settle
    )
  }
  const fail = (index: number, sent: boolean) =>
    Effect.andThen(Deferred.fail(groups[index]!.answer, lost(sent)), settle)
  const sent = () => groups.map(({ records }) => records.map(({ account, seq }) => `${account}:${seq}`).join(" "))
  return { write, groups, commit, fail, sent }
}

/** Lets every fiber that can go on do so; no time passes. */
const settle = Effect.forEach(Array.from({ length: 20 }), () => Effect.yieldNow, { discard: true })

const make = Effect.fnUntraced(function* (options: GroupCommitOptions) {
  const journal = yield* GroupCommit.make(options)
  const outcomes: Array<string> = []
  const submit = (record: JournalRecord, then?: (outcome: AppendOutcome) => void) =>
    journal.submit(record, (outcome) => {
      outcomes.push(`${record.account}:${record.seq} ${outcome._tag}`)
      then?.(outcome)
    })
  const submitLinked = (...records: readonly [JournalRecord, JournalRecord]) =>
    journal.submitLinked(records, (ends) =>
      records.forEach(({ account, seq }, index) => outcomes.push(`${account}:${seq} ${ends[index]?._tag}`))
    )
  return { submit, submitLinked, outcomes, pending: journal.pending }
})

it.effect("a lone record is sent at once, and later ones make the next group", () =>
  Effect.gen(function* () {
    const writer = makeWriter()
    const { outcomes, pending, submit } = yield* make({ open: () => Effect.succeed(writer.write), connections: 1 })
    submit(record(1, 1))
    yield* settle
    for (let account = 2; account <= 4; account++) submit(record(account, 1))
    submit(record(1, 2))
    yield* settle
    assert.deepStrictEqual(writer.sent(), ["1:1"])
    assert.deepStrictEqual(outcomes, [])
    yield* writer.commit(0)
    assert.deepStrictEqual(writer.sent(), ["1:1", "2:1 3:1 4:1 1:2"])
    yield* writer.commit(1)
    assert.strictEqual(outcomes.length, 5)
    assert.strictEqual(pending(), 0)
  })
)

it.effect("nobody is called back before submit has returned", () =>
  Effect.gen(function* () {
    const { outcomes, submit } = yield* make({
      open: () => Effect.succeed((group) => Effect.succeed(group.map(() => committed))),
      maxPendingRecords: 1
    })
    submit(record(1, 1))
    submit(record(2, 1))
    assert.deepStrictEqual(outcomes, [])
    yield* settle
    assert.sameMembers(outcomes, ["1:1 committed", "2:1 overloaded"])
  })
)

it.effect("records of one account never travel in two groups at once", () =>
  Effect.gen(function* () {
    const writer = makeWriter()
    const { submit } = yield* make({ open: () => Effect.succeed(writer.write), connections: 2 })
    submit(record(1, 1))
    yield* settle
    submit(record(1, 2))
    submit(record(2, 1))
    yield* settle
    assert.deepStrictEqual(writer.sent(), ["1:1", "2:1"])
    yield* writer.commit(0)
    assert.deepStrictEqual(writer.sent(), ["1:1", "2:1", "1:2"])
    yield* writer.commit(1)
    yield* writer.commit(2)
  })
)

it.effect("a group holds records of one revision of the programmes alone", () =>
  Effect.gen(function* () {
    const writer = makeWriter()
    const { outcomes, submit } = yield* make({ open: () => Effect.succeed(writer.write), connections: 1 })
    submit(record(1, 1, { revision: 1 }))
    yield* settle
    submit(record(2, 1, { revision: 1 }))
    submit(record(2, 2, { revision: 2 }))
    submit(record(3, 1, { revision: 2 }))
    submit(record(4, 1, { revision: 1 }))
    for (let group = 0; group < 4; group++) {
      yield* settle
      yield* writer.commit(group)
    }
    assert.deepStrictEqual(writer.sent(), ["1:1", "2:1", "3:1", "4:1", "2:2"])
    yield* writer.commit(4)
    assert.strictEqual(outcomes.length, 5)
  })
)

it.effect("records of one turn of the event loop make one group, however many connections are idle", () =>
  Effect.gen(function* () {
    const sizes: Array<number> = []
    const write: Write = (group) =>
      Effect.sync(() => {
        sizes.push(group.length)
        return group.map(() => committed)
      })
    const { submit } = yield* make({ open: () => Effect.succeed(write), connections: 3 })
    yield* settle
    for (let account = 1; account <= 3; account++) submit(record(account, 1))
    yield* settle
    assert.deepStrictEqual(sizes, [3])
  })
)

it.effect("what a written group leaves to send goes to the idle connections as well", () =>
  Effect.gen(function* () {
    const writer = makeWriter()
    const { submit } = yield* make({ open: () => Effect.succeed(writer.write), connections: 2 })
    submit(record(1, 1))
    submit(record(2, 1))
    yield* settle
    submit(record(1, 2, { revision: 1 }))
    submit(record(2, 2, { revision: 2 }))
    yield* settle
    yield* writer.commit(0)
    const sent = writer.sent()
    yield* writer.commit(1)
    yield* writer.commit(2)
    assert.deepStrictEqual(sent, ["1:1 2:1", "1:2", "2:2"])
  })
)

it.effect("a record waits for another's claim: taken when that commits, sent when it does not", () =>
  Effect.gen(function* () {
    const writer = makeWriter()
    const { outcomes, submit } = yield* make({ open: () => Effect.succeed(writer.write), connections: 2 })
    let holder: unknown
    submit(record(1, 1, { claims: [claim("k", hash128(5))] }))
    submit(record(2, 1, { claims: [claim("other"), claim("k")] }), (outcome) => {
      holder = outcome._tag === "taken" ? outcome.holder : undefined
    })
    submit(record(2, 2))
    yield* settle
    assert.deepStrictEqual(writer.sent(), ["1:1"])
    yield* writer.commit(0)
    assert.deepStrictEqual(outcomes, ["1:1 committed", "2:1 taken", "2:2 superseded"])
    assert.deepStrictEqual(holder, { key: "k", account: 1, seq: 1, fingerprint: hash128(5) })

    submit(record(3, 1, { claims: [claim("l")] }))
    submit(record(4, 1, { claims: [claim("l")] }))
    yield* settle
    yield* Deferred.succeed(writer.groups[1]!.answer, [{ _tag: "stale" }])
    yield* settle
    assert.deepStrictEqual(writer.sent(), ["1:1", "3:1", "4:1"])
    yield* writer.commit(2)
  })
)

it.effect("a waiter that was rejected and answered leaves the account's order alone", () =>
  Effect.gen(function* () {
    const writer = makeWriter()
    const { outcomes, submit } = yield* make({ open: () => Effect.succeed(writer.write), connections: 3 })
    submit(record(1, 1, { claims: [claim("k")] }))
    yield* settle
    submit(record(2, 1))
    // Waits for the key; its answer comes before that of the record that holds it.
    submit(record(2, 2, { claims: [claim("k")] }), () => submit(record(2, 1)))
    yield* settle
    assert.deepStrictEqual(writer.sent(), ["1:1", "2:1"])
    yield* Deferred.succeed(writer.groups[1]!.answer, [{ _tag: "stale" }])
    yield* settle
    assert.deepStrictEqual(writer.sent(), ["1:1", "2:1", "2:1"])
    yield* writer.commit(0)
    submit(record(2, 2))
    yield* settle
    assert.strictEqual(writer.groups.length, 3)
    yield* writer.commit(2)
    assert.deepStrictEqual(writer.sent().slice(3), ["2:2"])
    yield* writer.commit(3)
    assert.deepStrictEqual(outcomes, ["2:1 stale", "2:2 superseded", "1:1 committed", "2:1 committed", "2:2 committed"])
  })
)

it.effect("a rejected record takes its waiting successors with it, and none submitted after its answer", () =>
  Effect.gen(function* () {
    const writer = makeWriter()
    const { outcomes, submit } = yield* make({ open: () => Effect.succeed(writer.write), connections: 1 })
    submit(record(1, 1), () => submit(record(1, 1)))
    yield* settle
    submit(record(1, 2))
    submit(record(2, 1))
    yield* Deferred.succeed(writer.groups[0]!.answer, [{ _tag: "stale" }])
    yield* settle
    assert.deepStrictEqual(outcomes, ["1:1 stale", "1:2 superseded"])
    assert.deepStrictEqual(writer.sent(), ["1:1", "2:1"])
    yield* writer.commit(1)
    assert.deepStrictEqual(writer.sent(), ["1:1", "2:1", "1:1"])
    yield* writer.commit(2)
    assert.deepStrictEqual(outcomes, ["1:1 stale", "1:2 superseded", "2:1 committed", "1:1 committed"])
  })
)

it.effect("the next group is sent before the callers of the last one are answered", () =>
  Effect.gen(function* () {
    const writer = makeWriter()
    const { submit } = yield* make({ open: () => Effect.succeed(writer.write), connections: 1 })
    let sentWhenAnswered: ReadonlyArray<string> = []
    submit(record(1, 1), () => {
      sentWhenAnswered = writer.sent()
    })
    yield* settle
    submit(record(1, 2))
    submit(record(2, 1))
    yield* settle
    yield* writer.commit(0)
    assert.deepStrictEqual(sentWhenAnswered, ["1:1", "2:1 1:2"])
    yield* writer.commit(1)
  })
)

it.effect("a full queue answers overloaded, after the records that the account has in flight", () =>
  Effect.gen(function* () {
    const writer = makeWriter()
    const { outcomes, submit } = yield* make({
      open: () => Effect.succeed(writer.write),
      connections: 1,
      maxPendingRecords: 2
    })
    submit(record(1, 1))
    yield* settle
    submit(record(1, 2))
    submit(record(1, 3))
    submit(record(1, 4))
    submit(record(2, 1))
    yield* settle
    assert.deepStrictEqual(outcomes, ["2:1 overloaded"])
    yield* writer.commit(0)
    yield* writer.commit(1)
    assert.deepStrictEqual(outcomes, [
      "2:1 overloaded",
      "1:1 committed",
      "1:2 committed",
      "1:3 overloaded",
      "1:4 superseded"
    ])
  })
)

it.effect("groups keep to their bounds, and large records still travel", () =>
  Effect.gen(function* () {
    const writer = makeWriter()
    const { submit } = yield* make({
      open: () => Effect.succeed(writer.write),
      connections: 1,
      maxGroupRecords: 3,
      maxGroupChars: 2_000
    })
    for (let seq = 1; seq <= 4; seq++) submit(record(1, seq))
    submit(record(2, 1, { events: "x".repeat(5_000) }))
    yield* settle
    yield* writer.commit(0)
    yield* writer.commit(1)
    yield* writer.commit(2)
    assert.deepStrictEqual(writer.sent(), ["1:1 1:2 1:3", "2:1", "1:4"])
  })
)

it.effect("a write that may have arrived is in doubt, and a server that is still there is used at once", () =>
  Effect.gen(function* () {
    const writer = makeWriter()
    const { outcomes, submit } = yield* make({ open: () => Effect.succeed(writer.write), connections: 1 })
    submit(record(1, 1))
    yield* settle
    submit(record(1, 2))
    submit(record(2, 1))
    yield* writer.fail(0, true)
    assert.deepStrictEqual(outcomes, ["1:1 in_doubt", "1:2 superseded"])
    // No time has passed: nothing was answered `unavailable`, and the next group is in flight.
    assert.deepStrictEqual(writer.sent(), ["1:1", "2:1"])
    yield* writer.commit(1)
    assert.deepStrictEqual(outcomes, ["1:1 in_doubt", "1:2 superseded", "2:1 committed"])
  })
)

it.effect("while nothing can be opened, records are answered at once; afterwards it serves again", () =>
  Effect.gen(function* () {
    const writer = makeWriter()
    let up = true
    const { outcomes, submit } = yield* make({
      open: () => Effect.suspend(() => (up ? Effect.succeed(writer.write) : Effect.fail(lost(false)))),
      connections: 2
    })
    submit(record(1, 1))
    yield* settle
    submit(record(2, 1))
    yield* settle
    up = false
    yield* writer.fail(0, true)
    yield* writer.fail(1, false)
    assert.deepStrictEqual(outcomes, ["1:1 in_doubt", "2:1 unavailable"])
    submit(record(3, 1))
    submit(record(3, 2))
    yield* settle
    assert.deepStrictEqual(outcomes.slice(2), ["3:1 unavailable", "3:2 superseded"])
    yield* TestClock.adjust("10 seconds")
    up = true
    yield* TestClock.adjust("1 second")
    submit(record(4, 1))
    yield* settle
    yield* writer.commit(2)
    assert.deepStrictEqual(outcomes.slice(4), ["4:1 committed"])
  })
)

it.effect("an outage is logged once at its beginning and once at its end, also without a record to write", () =>
  Effect.gen(function* () {
    const { events, layer } = LogLines.make()
    yield* Effect.gen(function* () {
      const writer = makeWriter()
      let up = true
      const open = () => Effect.suspend(() => (up ? Effect.succeed(writer.write) : Effect.fail(lost(false))))
      const { submit } = yield* make({ open, connections: 2 })
      for (const account of [1, 2]) {
        submit(record(account, 1))
        yield* settle
      }
      up = false
      for (const index of [0, 1]) yield* writer.fail(index, true)
      submit(record(3, 1))
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(events(), ["writes_failing"])
      up = true
      yield* TestClock.adjust("1 minute")
    }).pipe(Effect.provide(layer))
    assert.deepStrictEqual(events(), ["writes_failing", "writes_back"])
  })
)

it.effect("failing groups on connections that open again are logged once, until one is written", () =>
  Effect.gen(function* () {
    const { events, layer } = LogLines.make()
    yield* Effect.gen(function* () {
      const writer = makeWriter()
      const { submit } = yield* make({ open: () => Effect.succeed(writer.write), connections: 1 })
      for (const index of [0, 1, 2]) {
        submit(record(index, 1))
        yield* settle
        yield* index === 2 ? writer.commit(index) : writer.fail(index, true)
      }
    }).pipe(Effect.provide(layer))
    assert.deepStrictEqual(events(), ["writes_failing", "writes_back"])
  })
)

it.effect("a callback that throws costs nobody else their answer", () =>
  Effect.gen(function* () {
    const writer = makeWriter()
    const { outcomes, submit } = yield* make({ open: () => Effect.succeed(writer.write), connections: 1 })
    submit(record(1, 1), () => {
      throw new Error("a broken caller")
    })
    submit(record(2, 1))
    yield* settle
    yield* writer.commit(0)
    submit(record(3, 1))
    yield* settle
    yield* writer.commit(1)
    assert.deepStrictEqual(outcomes, ["1:1 committed", "2:1 committed", "3:1 committed"])
  })
)

it.effect("closing writes the queued records and rejects later ones", () =>
  Effect.gen(function* () {
    const writer = makeWriter()
    const scope = yield* Scope.make()
    const { outcomes, submit } = yield* Scope.provide(
      make({ open: () => Effect.succeed(writer.write), connections: 1 }),
      scope
    )
    submit(record(1, 1))
    yield* settle
    submit(record(2, 1))
    const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
    yield* settle
    submit(record(3, 1))
    yield* settle
    assert.deepStrictEqual(outcomes, ["3:1 unavailable"])
    yield* writer.commit(0)
    yield* writer.commit(1)
    yield* Fiber.join(closing)
    assert.deepStrictEqual(outcomes, ["3:1 unavailable", "1:1 committed", "2:1 committed"])
  })
)

it.effect("linked records make a group of their own, once nothing of their accounts is before them", () =>
  Effect.gen(function* () {
    const writer = makeWriter()
    const { outcomes, pending, submit, submitLinked } = yield* make({
      open: () => Effect.succeed(writer.write),
      connections: 1
    })
    submit(record(1, 1))
    yield* settle
    submit(record(3, 1))
    submitLinked(record(1, 2), record(2, 1))
    submit(record(2, 2))
    submit(record(4, 1))
    yield* settle
    yield* writer.commit(0)
    yield* writer.commit(1)
    yield* writer.commit(2)
    yield* writer.commit(3)
    const linked = writer.sent().findIndex((group) => group.includes("1:2"))
    assert.deepStrictEqual(writer.sent()[linked]?.split(" ").toSorted(), ["1:2", "2:1"])
    assert.isAbove(
      writer.sent().findIndex((group) => group.includes("2:2")),
      linked
    )
    assert.isTrue(outcomes.every((outcome) => outcome.endsWith("committed")))
    assert.deepStrictEqual([outcomes.length, pending()], [6, 0])
  })
)

it.effect("a rejected record takes its linked record with it, and the successors of both", () =>
  Effect.gen(function* () {
    const writer = makeWriter()
    const { outcomes, pending, submit, submitLinked } = yield* make({
      open: () => Effect.succeed(writer.write),
      connections: 1
    })
    submit(record(1, 1))
    yield* settle
    submitLinked(record(1, 2), record(2, 1))
    submit(record(2, 2))
    submit(record(3, 1))
    yield* Deferred.succeed(writer.groups[0]!.answer, [{ _tag: "stale" }])
    yield* settle
    yield* writer.commit(1)
    assert.deepStrictEqual(writer.sent(), ["1:1", "3:1"])
    assert.deepStrictEqual(outcomes.toSorted(), [
      "1:1 stale",
      "1:2 superseded",
      "2:1 superseded",
      "2:2 superseded",
      "3:1 committed"
    ])
    assert.strictEqual(pending(), 0)
  })
)

it.effect("linked records are sent once the key that one waits for is settled", () =>
  Effect.gen(function* () {
    const writer = makeWriter()
    const { outcomes, submit, submitLinked } = yield* make({ open: () => Effect.succeed(writer.write), connections: 2 })
    const freed = hash128(9)
    submit(record(3, 1, { identities: [{ key: freed, added: false }] }))
    yield* settle
    submitLinked(record(1, 1), record(2, 1, { identities: [{ key: freed, added: true }] }))
    yield* settle
    assert.deepStrictEqual(writer.sent(), ["3:1"])
    yield* writer.commit(0)
    yield* writer.commit(1)
    assert.deepStrictEqual(outcomes, ["3:1 committed", "1:1 committed", "2:1 committed"])
  })
)

it.effect("a connection that is lost while it waits is opened again before the next record, which is written", () =>
  Effect.gen(function* () {
    const writer = makeWriter()
    const opened: Array<() => void> = []
    const open = (end: () => void) =>
      Effect.sync((): Write => {
        const connection = opened.push(end)
        return (group) => (connection === 1 ? Effect.fail(lost(true)) : writer.write(group))
      })
    const { outcomes, submit } = yield* make({ open, connections: 1 })
    yield* settle
    opened[0]!()
    submit(record(1, 1))
    yield* settle
    yield* TestClock.adjust(Bounds.reconnectMinMs)
    yield* settle
    yield* writer.commit(0)
    assert.deepStrictEqual(outcomes, ["1:1 committed"])
    assert.strictEqual(opened.length, 2)
  })
)
