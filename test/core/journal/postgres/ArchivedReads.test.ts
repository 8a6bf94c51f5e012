/** Reads through archive files give what the tables gave. Holds contract/databases.md *Archive*. */
import { assert, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { earn, enroll } from "../../../../src/app/testing/Guests.ts"
import * as Testing from "../../../../src/app/testing/Testing.ts"
import { machineNow } from "../../../../src/base/time/Times.ts"
import * as ArchiveFiles from "../../../../src/core/journal/archive/ArchiveFiles.ts"
import { Journal } from "../../../../src/core/journal/Journal.ts"
import * as ArchivedReadsOf from "../../../../src/core/journal/postgres/ArchivedReads.ts"
import type { JournalUnavailable } from "../../../../src/core/journal/Records.ts"
import { orUnavailable } from "../../../../src/desk/surface/Refusal.ts"
import * as EventFeedOf from "../../../../src/reads/feed/EventFeed.ts"
import { EventFeed } from "../../../../src/reads/feed/EventFeed.ts"
import { Feed } from "../../../../src/reads/feed/Feed.ts"
import * as Place from "../../../../src/reads/feed/Place.ts"
import * as Position from "../../../../src/reads/feed/Position.ts"
import * as RestoreSpans from "../../../../src/reads/reconcile/RestoreSpans.ts"
import * as Archiving from "../../../reads/reconcile/Archiving.ts"
import * as Scenario from "../../../reads/reconcile/Scenario.ts"

/** The journal's reads of some accounts. */
const read = (accounts: ReadonlyArray<number>, times: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const found: Array<unknown> = []
    for (const account of accounts) {
      found.push(yield* journal.records(account, 1, 500), yield* journal.records(account, 5, 20))
      const whole = yield* journal.ledger({ account, limit: 500 })
      const ns = whole.map(({ n }) => n)
      found.push(whole, yield* journal.recordsOf(account, ns))
      found.push(
        yield* journal.entriesOtherThan(account, [...whole.map(({ amount, n }) => [n, amount] as const), [1, -1]])
      )
      found.push(yield* journal.ledger({ account, limit: 3, beforeN: 8 }))
      found.push(yield* journal.ledger({ account, limit: 50, unit: "points", operations: ["accrual", "reversal"] }))
      for (const at of times) {
        found.push((yield* journal.recordAt(account, at)) ?? null)
        found.push(yield* journal.ledger({ account, limit: 50, occurredFrom: at }))
        found.push(yield* journal.ledger({ account, limit: 50, occurredUntil: at }))
        found.push(yield* journal.ledger({ account, limit: 50, occurredFrom: times[0], occurredUntil: at }))
      }
    }
    return found
  })

/** Every record and event of the feed, by the page. */
const fed = (accounts: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const [feed, events] = [yield* Feed, yield* EventFeed]
    const found: Array<unknown> = []
    let position = Position.beginning
    for (;;) {
      const page = yield* feed.read(position, 17)
      found.push(page)
      if (page.length < 17) break
      position = page.at(-1)!.position
    }
    for (const wanted of [undefined, accounts.slice(0, 1), accounts]) {
      for (let place = Place.beginning, isLast = false; !isLast; ) {
        const page = yield* events.read(place, { programs: undefined, accounts: wanted }, 13)
        found.push(page.events)
        place = page.next
        isLast = page.isLast
      }
    }
    return found
  })

const told = (accounts: ReadonlyArray<number>, times: ReadonlyArray<number>) =>
  Effect.all([read(accounts, times), fed(accounts), placed(times)])

/** Places of the feed by time. */
const placed = (times: ReadonlyArray<number>) =>
  Effect.flatMap(EventFeed, (events) =>
    // Beyond the newest record the place is the end, which other tests' transactions move.
    Effect.forEach(times.slice(0, -1), (at) => events.since(at))
  )

const service = EventFeedOf.layer.pipe(Layer.provideMerge(Scenario.service))

/** Runs on a node of its own that has the folder. */
const withFiles = <A, E, R>(to: string, work: Effect.Effect<A, E, R>) =>
  Effect.provide(work, Layer.fresh(service).pipe(Layer.provide(ArchiveFiles.layer(to))))

layer(Scenario.layer, { excludeTestServices: true })("with a folder of archive files", (it) => {
  it.effect("reads are as they were, and a damaged file is not used", () =>
    Effect.gen(function* () {
      const to = yield* Archiving.folder
      yield* Scenario.lives(3)
      const kept = {
        context: Testing.context(),
        member_id: "m-1",
        order: Testing.order("m-1-kept", 900, Testing.placedAt(yield* machineNow))
      }
      const first = yield* Testing.call("accrual.post", kept)
      const times = [yield* machineNow]
      for (const span of ["second", "third", "fourth"]) {
        yield* Archiving.begin
        yield* earn("m-0", `m-0-${span}`, 2_000)
        if (span === "third") yield* earn("m-2", `m-2-${span}`, 2_000)
        times.push(yield* machineNow)
      }
      yield* enroll("m-3")
      yield* Scenario.countRollups
      for (let span = 0; span < 3; span++) yield* Archiving.seal
      const accounts = (yield* Scenario.byHand("SELECT number FROM accounts ORDER BY member_id")).map((row) =>
        Number(row["number"])
      )
      const before = yield* Effect.provide(told(accounts, [1_000, ...times]), Layer.fresh(service))
      assert.strictEqual(yield* Archiving.archiveAll(to), 2)
      assert.deepStrictEqual(yield* withFiles(to, told(accounts, [1_000, ...times])), before)

      // A key of then gets its answer.
      const again = yield* withFiles(to, Testing.call("accrual.post", kept))
      assert.deepInclude(again, { _tag: "Answer", isReplay: true })
      assert.deepStrictEqual((again as { body: unknown }).body, (first as { body: unknown }).body)

      // After one of two is restored, files and tables stand side by side.
      yield* Scenario.byHand("UPDATE archived_spans SET month = '2001-01' WHERE span = 0")
      const [{ month } = {}] = yield* Scenario.byHand("SELECT month FROM archived_spans WHERE span = 1")
      assert.strictEqual(yield* RestoreSpans.restore(String(month), to, () => Effect.void), 1)
      assert.deepStrictEqual(yield* withFiles(to, told(accounts, [1_000, ...times])), before)

      // A folder that does not answer may do so later: no reader is told that a month is away for good.
      const silent = Effect.fail(new ArchiveFiles.SilentFolder({ message: "The folder did not answer." }))
      const files = { folder: to, rows: () => silent, keysAfter: () => silent, keyAt: () => silent }
      const silently = <A, R>(one: Effect.Effect<A, JournalUnavailable, R>) =>
        Effect.provide(
          Effect.flip(one),
          Layer.fresh(service).pipe(Layer.provide(Layer.succeed(ArchiveFiles.ArchiveFiles, files)))
        )
      for (const waits of [
        yield* silently(Effect.flatMap(Journal, (journal) => journal.records(accounts[0]!, 1, 5))),
        yield* silently(Effect.flatMap(Feed, (feed) => feed.read(Position.beginning, 5)))
      ])
        assert.strictEqual((yield* Effect.flip(orUnavailable(Effect.fail(waits)))).code, "storage_unavailable")

      const [file = ""] = fs.readdirSync(to)
      const whole = fs.readFileSync(path.join(to, file))
      whole[40]! ^= 1
      fs.writeFileSync(path.join(to, file), whole)
      const refused = yield* withFiles(
        to,
        Effect.flip(Effect.flatMap(Journal, (journal) => journal.records(accounts[0]!, 1, 5)))
      )
      assert.strictEqual(refused.archived, "2001-01")
    })
  )
})

it.effect("tables and files are read again if a span was archived, or came back, between the two", () =>
  Effect.gen(function* () {
    const lists = ["0", "0,1", "0,1", "1", "1", "1"]
    const query = () => Effect.sync(() => [{ spans: lists.shift() ?? "1" }])
    let reads = 0
    const found = yield* ArchivedReadsOf.together(
      query,
      Effect.sync(() => ++reads)
    )
    assert.deepStrictEqual([found, lists.length], [3, 0])
  })
)
