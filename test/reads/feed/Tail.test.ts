/** The end of the feed for readers that wait. Holds contract/events.md *Order*, *Feed*. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { FeedEvent } from "../../../src/contract/platform/FeedEvents.ts"
import { Commits } from "../../../src/core/journal/Commits.ts"
import { JournalUnavailable } from "../../../src/core/journal/Records.ts"
import * as Bounds from "../../../src/reads/feed/Bounds.ts"
import type { EventFeed, PlacedEvent } from "../../../src/reads/feed/EventFeed.ts"
import type { Place } from "../../../src/reads/feed/Place.ts"
import { isAfter } from "../../../src/reads/feed/Place.ts"
import type { Reader } from "../../../src/reads/feed/Tail.ts"
import * as Tail from "../../../src/reads/feed/Tail.ts"

const at = (seq: number): Place => ({ position: { epoch: 1, transaction: 5n, account: 7, seq }, skipped: 0 })
const placed = (seq: number, type = "proto.order.accrued.v1"): PlacedEvent => ({
  event: { type, programid: "p", subject: `event-${seq}` } as unknown as FeedEvent,
  place: at(seq)
})
const everyone: Reader = { programs: undefined, accounts: undefined, types: undefined }

/** A feed with one record for each event, and its tail. */
const world = Effect.gen(function* () {
  const all: Array<PlacedEvent> = []
  const commits = new Commits()
  const state = { reads: 0, isAway: false, mayWait: true }
  const away = Effect.fail(new JournalUnavailable({ cause: "away" }))
  const feed: EventFeed["Service"] = {
    read: (after, _, limit) =>
      Effect.suspend(() => {
        state.reads++
        if (state.isAway) return away
        const events = all.filter(({ place }) => isAfter(place, after)).slice(0, limit)
        return Effect.succeed({ events, next: events.at(-1)?.place ?? after, isLast: events.length < limit })
      }),
    now: away,
    since: () => away,
    oldestAfter: () => Effect.succeed(undefined)
  }
  const tail = yield* Tail.make(feed, commits, () => state.mayWait)
  const append = (...events: ReadonlyArray<PlacedEvent>) =>
    Effect.sync(() => {
      all.push(...events)
      commits.note()
    })
  const wait = (after: Place, reader = everyone, limit = 100) =>
    Effect.forkChild(tail.next(reader, after, limit, 15_000))
  const settle = TestClock.adjust(Bounds.feedPollMs + Bounds.feedSettleMs)
  return { all, append, settle, state, tail, wait }
})

const subjects = ({ events }: Tail.TailPage) => events.map(({ event }) => event.subject)

describe("the end of the feed", () => {
  it.effect("is read once for all who wait there, and each gets what it wants after its own place", () =>
    Effect.gen(function* () {
      const { append, settle, state, wait } = yield* world
      const many = yield* Effect.forEach(Array.from({ length: 500 }), () => wait(at(0)))
      const ahead = yield* wait(at(1))
      const other = yield* wait(at(0), { ...everyone, types: new Set(["proto.member.enrolled.v1"]) })
      const stranger = yield* wait(at(0), { ...everyone, programs: new Set(["q"]) })
      yield* settle
      const before = state.reads
      yield* append(placed(1))
      yield* settle
      for (const fiber of many) assert.deepStrictEqual(subjects(yield* Fiber.join(fiber)), ["event-1"])
      yield* append(placed(2), placed(3, "proto.member.enrolled.v1"))
      yield* settle
      assert.deepStrictEqual(subjects(yield* Fiber.join(ahead)), ["event-2", "event-3"])
      const enrolled = yield* Fiber.join(other)
      assert.deepStrictEqual([subjects(enrolled), enrolled.next], [["event-3"], at(3)])
      assert.isAtMost(state.reads - before, 6)
      // Its time ends: it goes on behind what it did not want.
      yield* TestClock.adjust(15_000)
      assert.deepStrictEqual(yield* Fiber.join(stranger), { events: [], next: at(3) })
    }).pipe(Effect.scoped)
  )

  it.effect(
    "stays for those who come back for the next page, which is cut at the limit, and sends the others away",
    () =>
      Effect.gen(function* () {
        const { append, settle, tail, wait } = yield* world
        const first = yield* wait(at(0), everyone, 2)
        yield* settle
        yield* append(placed(1), placed(2), placed(3))
        yield* settle
        const page = yield* Fiber.join(first)
        assert.deepStrictEqual([subjects(page), page.next], [["event-1", "event-2"], at(2)])
        assert.deepStrictEqual(subjects(tail.recent(everyone, page.next, 2)!), ["event-3"])
        const slow = yield* wait(at(3), { ...everyone, programs: new Set(["q"]) })
        yield* append(...Array.from({ length: Bounds.tailEvents + 1 }, (_, index) => placed(index + 4)))
        for (let turn = 0; turn < 10; turn++) yield* settle
        // Event 4 is no longer in memory.
        assert.isUndefined(tail.recent(everyone, at(3), 100))
        assert.strictEqual(tail.recent(everyone, at(4), 1)?.events.length, 1)
        yield* Fiber.interrupt(slow)
        yield* TestClock.adjust(Bounds.tailIdleMs + Bounds.feedPollMs)
        assert.isUndefined(tail.recent(everyone, at(5), 100))
      }).pipe(Effect.scoped)
  )

  it.effect("answers all who wait once the service stops, and fails them while the journal is away, not for ever", () =>
    Effect.gen(function* () {
      const { append, settle, state, wait } = yield* world
      const failed = yield* wait(at(0))
      state.isAway = true
      yield* settle
      assert.isTrue(Exit.isFailure(yield* Fiber.await(failed)))
      state.isAway = false
      const served = yield* wait(at(0))
      yield* append(placed(1))
      yield* settle
      yield* settle
      assert.deepStrictEqual(subjects(yield* Fiber.join(served)), ["event-1"])
      const stopped = yield* wait(at(1))
      state.mayWait = false
      yield* settle
      yield* settle
      assert.deepStrictEqual(yield* Fiber.join(stopped), { events: [], next: at(1) })
    }).pipe(Effect.scoped)
  )
})
