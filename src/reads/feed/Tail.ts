/**
 * The end of the feed, read once for all readers of this node that wait there: thousands of streams cost one reader's
 * statements (contract/events.md *Feed*).
 *
 * Invariant: `events` are all events between `from` and `to`. So a reader whose place is between them misses nothing.
 */
import { Effect, type Scope } from "effect"
import { machineTime } from "../../base/time/Times.ts"
import type { FeedEvent } from "../../contract/platform/FeedEvents.ts"
import type { Commits } from "../../core/journal/Commits.ts"
import type { JournalUnavailable } from "../../core/journal/Records.ts"
import * as Bounds from "./Bounds.ts"
import type { EventFeed, PlacedEvent, Wanted } from "./EventFeed.ts"
import type { Place } from "./Place.ts"
import { isAfter } from "./Place.ts"

/** The events that a reader wants. */
export interface Reader extends Wanted {
  /** Undefined: of all types. */
  readonly types: ReadonlySet<string> | undefined
  /** Tells events at the reader's restaurants; undefined: those at all, and those at none. */
  readonly isThere?: ((event: FeedEvent) => boolean) | undefined
}

export interface TailPage {
  readonly events: ReadonlyArray<PlacedEvent>
  readonly next: Place
}

export const isWanted = ({ accounts, isThere, programs, types }: Reader, { event, place }: PlacedEvent): boolean =>
  types?.has(event.type) !== false &&
  programs?.has(event.programid) !== false &&
  accounts?.includes(place.position.account) !== false &&
  isThere?.(event) !== false

interface Waiter {
  readonly reader: Reader
  /** Moves with the events that the reader does not want. */
  after: Place
  readonly limit: number
  readonly resume: (outcome: Effect.Effect<TailPage, JournalUnavailable>) => void
}

const everything: Wanted = { programs: undefined, accounts: undefined }

export interface Tail {
  /** The events after a place, of those in memory; undefined if some of them may be in the database alone. */
  readonly recent: (reader: Reader, after: Place, limit: number) => TailPage | undefined
  /**
   * Waits up to `waitMs` for an event after a place at the end of the feed. An empty page: the time is over, nobody may wait
   * any more, or what follows is in the database.
   */
  readonly next: (
    reader: Reader,
    after: Place,
    limit: number,
    waitMs: number
  ) => Effect.Effect<TailPage, JournalUnavailable>
}

class Recent {
  readonly waiters = new Set<Waiter>()
  private events: Array<PlacedEvent> = []
  private from: Place | undefined
  private to: Place | undefined

  get end(): Place | undefined {
    return this.to
  }

  forget(): void {
    this.events = []
    this.from = this.to = undefined
  }

  begin(place: Place): void {
    this.from ??= place
    this.to ??= place
  }

  add(events: ReadonlyArray<PlacedEvent>, to: Place): void {
    this.events.push(...events)
    this.to = to
    const over = this.events.length - Bounds.tailEvents
    if (over > 0) this.from = this.events.splice(0, over).at(-1)?.place ?? this.from
    for (const waiter of this.waiters) {
      const page = this.after(waiter.reader, waiter.after, waiter.limit)
      if (page?.events.length === 0) waiter.after = page.next
      else this.answer(waiter, page)
    }
  }

  answer(waiter: Waiter, page: TailPage = { events: [], next: waiter.after }): void {
    this.waiters.delete(waiter)
    waiter.resume(Effect.succeed(page))
  }

  answerAll(): void {
    for (const waiter of this.waiters) this.answer(waiter)
  }

  fail(error: JournalUnavailable): void {
    for (const waiter of this.waiters) waiter.resume(Effect.fail(error))
    this.waiters.clear()
    this.forget()
  }

  after(reader: Reader, after: Place, limit: number): TailPage | undefined {
    if (this.from === undefined || this.to === undefined || isAfter(this.from, after)) return undefined
    const found: Array<PlacedEvent> = []
    // From the end, because readers are near it.
    let first = this.events.length
    while (first > 0 && isAfter(this.events[first - 1]!.place, after)) first--
    for (let index = first; index < this.events.length && found.length < limit; index++) {
      const event = this.events[index]!
      if (isWanted(reader, event)) found.push(event)
    }
    const end = isAfter(after, this.to) ? after : this.to
    return { events: found, next: found.length < limit ? end : found.at(-1)!.place }
  }
}

/** Reads the end of the feed while somebody waits there, until the scope closes. */
export const make = Effect.fnUntraced(function* (
  feed: EventFeed["Service"],
  commits: Commits,
  mayWait: () => boolean
): Effect.fn.Return<Tail, never, Scope.Scope> {
  const recent = new Recent()
  let begin: () => void = () => undefined

  const nextWaiter = Effect.callback<void>((resume) => {
    if (recent.waiters.size > 0) return resume(Effect.void)
    begin = () => resume(Effect.void)
  })
  // Readers come back for the next page at once. Later the end in memory is too far behind to go on from.
  const somebodyWaits = Effect.suspend(() =>
    recent.waiters.size > 0
      ? Effect.void
      : Effect.raceFirst(
          nextWaiter,
          Effect.andThen(
            Effect.sleep(Bounds.tailIdleMs),
            Effect.suspend(() => {
              // One who came at this very moment goes on from what is there.
              if (recent.waiters.size === 0) recent.forget()
              return nextWaiter
            })
          )
        )
  )

  const clock = yield* machineTime
  let readAt = -Infinity
  let settleMs: number = Bounds.feedSettleMs
  const round = Effect.gen(function* () {
    yield* somebodyWaits
    if (!mayWait()) recent.answerAll()
    if (recent.end === undefined) return
    // The first commit after a pause is read at once; of many, all that came within the time of one read.
    yield* Effect.sleep(Math.max(0, readAt + Bounds.feedSettleMs - clock.now()))
    readAt = clock.now()
    const seen = commits.count
    const { events, isLast, next } = yield* feed.read(recent.end, everything, Bounds.feedRecords)
    recent.add(events, next)
    if (!isLast) return
    // A record that is held back: the transaction before it usually ends at once, and may last for hours.
    const isHeldBack = events.length > 0 || (yield* feed.oldestAfter(next)) !== undefined
    settleMs = events.length > 0 || !isHeldBack ? Bounds.feedSettleMs : Math.min(2 * settleMs, Bounds.feedPollMs)
    yield* Effect.raceFirst(commits.after(seen), Effect.sleep(isHeldBack ? settleMs : Bounds.feedPollMs))
  })
  yield* Effect.forkScoped(
    Effect.forever(
      Effect.catch(round, (error) => {
        recent.fail(error)
        return Effect.sleep(Bounds.feedPollMs)
      })
    )
  )

  const next: Tail["next"] = (reader, after, limit, waitMs) =>
    Effect.suspend(() => {
      recent.begin(after)
      const there = recent.after(reader, after, limit)
      if (there?.events.length !== 0) return Effect.succeed(there ?? { events: [], next: after })
      let waiter: Waiter
      const answered = Effect.callback<TailPage, JournalUnavailable>((resume) => {
        waiter = { reader, after: there.next, limit, resume }
        recent.waiters.add(waiter)
        begin()
        return Effect.sync(() => void recent.waiters.delete(waiter))
      })
      const inVain = Effect.map(Effect.sleep(waitMs), (): TailPage => ({ events: [], next: waiter.after }))
      return Effect.raceFirst(answered, inVain)
    })

  return { recent: (reader, after, limit) => recent.after(reader, after, limit), next }
})
