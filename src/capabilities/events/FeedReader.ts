/** Reads the feed for callers: their filters, waiting, and how far the feed is behind (contract/events.md *Feed*). */
import { Effect, Result, Semaphore } from "effect"
import { machineTime, serviceTime } from "../../base/time/Times.ts"
import { strictDecoder } from "../../contract/Decode.ts"
import type { FeedQuery } from "../../contract/platform/Feed.ts"
import type { Refused } from "../../contract/Refused.ts"
import { said } from "../../contract/Said.ts"
import { Timestamp, toMillis } from "../../contract/Values.ts"
import { Accounts } from "../../core/account/Accounts.ts"
import { Journal } from "../../core/journal/Journal.ts"
import { Programs } from "../../core/programs/Programs.ts"
import type { RequestCaller } from "../../desk/access/CurrentCaller.ts"
import * as Limited from "../../desk/surface/Limited.ts"
import { orUnavailable, refuse } from "../../desk/surface/Refusal.ts"
import * as Sealed from "../../desk/surface/Sealed.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import { MayWait } from "../../desk/surface/Waiting.ts"
import * as FeedBounds from "../../reads/feed/Bounds.ts"
import { EventFeed, type PlacedEvent } from "../../reads/feed/EventFeed.ts"
import type { Place } from "../../reads/feed/Place.ts"
import * as PlaceOf from "../../reads/feed/Place.ts"
import type { Reader, TailPage } from "../../reads/feed/Tail.ts"
import * as TailOf from "../../reads/feed/Tail.ts"
import * as Bounds from "./Bounds.ts"
import * as OwnEvents from "./OwnEvents.ts"

/** The events that a caller wants. */
interface OwnReader extends Reader {
  /** Those of its restaurants. */
  readonly own: (events: ReadonlyArray<PlacedEvent>) => Effect.Effect<ReadonlyArray<PlacedEvent>, Refused>
}

const decodeTimestamp = strictDecoder(Timestamp)

const refuseAfter = refuse("validation_failed", "The request: /after is no position of the feed.", [
  { path: "/after", message: "must be `next` of an answer, `0`, or `time:` and a timestamp" }
])

const refuseAhead = refuse("validation_failed", "The request: /after is in the future.", [
  { path: "/after", message: "must be an instant that has come; without `after` the feed begins now" }
])

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small steps of one poll, which share the feed and the bounds of its readers
export const make = Effect.gen(function* () {
  const accounts = yield* Accounts
  const feed = yield* EventFeed
  const journal = yield* Journal
  const programs = yield* Programs
  const mayWait = yield* MayWait
  const clock = yield* machineTime
  const { now } = yield* serviceTime
  const tail = yield* TailOf.make(feed, journal.commits, mayWait)

  const placeOf = (asked: string | undefined): Effect.Effect<Place, Refused> => {
    if (asked === undefined) return orUnavailable(feed.now)
    const after = Sealed.openedPlace(journal.claimKey, OwnEvents.place, asked)
    if (after === "0") return Effect.succeed(PlaceOf.beginning)
    if (after.startsWith("time:")) {
      const instant = decodeTimestamp(after.slice(5))
      if (Result.isFailure(instant)) return refuseAfter
      const at = toMillis(instant.success)
      return at > now() + Bounds.aheadMs ? refuseAhead : orUnavailable(feed.since(at))
    }
    const place = PlaceOf.fromText(after)
    if (place === undefined) return refuseAfter
    // Of another database: what comes here before its place would be left out.
    return Effect.flatMap(orUnavailable(feed.now), (now) =>
      PlaceOf.isAfter(place, now) ? refuseAfter : Effect.succeed(place)
    )
  }

  const readerOf = Effect.fnUntraced(function* (
    caller: RequestCaller,
    { location_id, member_id, program_id, types }: Omit<FeedQuery, "after" | "limit" | "wait_seconds">
  ): Effect.fn.Return<OwnReader, Refused> {
    yield* Limited.mustHave(caller, location_id)
    const visible =
      program_id === undefined
        ? Visible.programsOf(programs, caller)
        : [yield* Visible.named(programs, caller, program_id)]
    const wanted = {
      programs: program_id === undefined ? caller.programs : new Set([program_id]),
      types: types === undefined ? undefined : new Set(types.split(",")),
      isThere: OwnEvents.at(programs, caller.restaurants, location_id),
      own: (events: ReadonlyArray<PlacedEvent>) => OwnEvents.own(accounts, caller.restaurants, events)
    }
    if (member_id === undefined) return { ...wanted, accounts: undefined }
    const found = yield* Effect.forEach(visible, ({ id }) => orUnavailable(journal.findAccount(id, member_id)))
    const numbers = found.filter((number) => number !== undefined)
    // A limited caller cannot tell a member without events there from nobody.
    return numbers.length === 0 && caller.restaurants === undefined
      ? yield* refuse("not_found", said`There is no member ${member_id}.`)
      : { ...wanted, accounts: numbers }
  })

  // Thousands of readers at the beginning must not read it all at once.
  const reads = Semaphore.makeUnsafe(Bounds.readsAtOnce)

  /** The next events, at most `limit`; none if there are none, or if too many records without one were read. */
  const read = Effect.fnUntraced(function* (
    reader: OwnReader,
    after: Place,
    limit: number,
    isWaiting: boolean
  ): Effect.fn.Return<TailPage & { readonly isLast: boolean }, Refused> {
    const events: Array<PlacedEvent> = []
    let next = after
    let isLast = false
    for (let scanned = 0; events.length < limit && !isLast && scanned < Bounds.feedScan; ) {
      const records = Math.max(FeedBounds.feedRecords, limit - events.length)
      const reading = orUnavailable(feed.read(next, reader, records))
      const page = yield* isWaiting ? reads.withPermits(1)(reading) : reading
      scanned += records
      events.push(...(yield* reader.own(page.events.filter((event) => TailOf.isWanted(reader, event)))))
      next = page.next
      isLast = page.isLast
    }
    const last = events[limit - 1]
    if (events.length > limit && last !== undefined) {
      next = last.place
      events.length = limit
      isLast = false
    }
    return { events, next, isLast }
  })

  /** A place as a caller is told it. */
  const told = ({ restaurants }: Pick<RequestCaller, "restaurants">, place: Place): string => {
    const text = PlaceOf.toText(place)
    return restaurants === undefined ? text : Sealed.sealedPlace(journal.claimKey, OwnEvents.place, text)
  }

  /** Age of the oldest record after a place, seconds. */
  const lagOf = Effect.fnUntraced(function* (next: Place) {
    const oldest = yield* orUnavailable(feed.oldestAfter(next))
    return oldest === undefined ? 0 : Math.max(0, now() - oldest) / 1_000
  })

  /** Waits up to `waitMs` for an event, unless the service stops. */
  const poll = Effect.fnUntraced(function* (
    reader: OwnReader,
    from: Place,
    limit: number,
    waitMs: number
  ): Effect.fn.Return<TailPage, Refused> {
    const until = clock.now() + waitMs
    let after = from
    for (;;) {
      // Memory may be a moment behind the database: enough for who waits for more, not for who asks what there is.
      const there = waitMs > 0 ? tail.recent(reader, after, limit) : undefined
      const page =
        there === undefined
          ? yield* read(reader, after, limit, waitMs > 0)
          : { events: yield* reader.own(there.events), next: there.next, isLast: true }
      const leftMs = until - clock.now()
      if (page.events.length > 0 || leftMs <= 0 || !mayWait()) return page
      after = page.next
      if (!page.isLast) continue
      const came = yield* orUnavailable(tail.next(reader, after, limit, leftMs))
      const events = yield* reader.own(came.events)
      if (events.length > 0) return { events, next: came.next }
      after = came.next
    }
  })

  let waiters = 0
  const admitted = Effect.suspend(() =>
    waiters < Bounds.feedWaiters
      ? Effect.void
      : refuse("overloaded", "Too many readers wait for events; try again later.")
  )
  /** Counts a reader that waits, until the scope closes. */
  const waiting = Effect.acquireRelease(
    Effect.sync(() => void waiters++),
    () => Effect.sync(() => void waiters--)
  )

  return { placeOf, told, readerOf, poll, lagOf, admitted, waiting, mayWait, clock }
})

export type FeedReader = Effect.Success<typeof make>
