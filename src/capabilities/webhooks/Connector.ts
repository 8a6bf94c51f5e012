/**
 * Delivers to one connector: sends what its queue gives, and stores the progress (contract/events.md *Delivery*).
 *
 * Whatever is not as this node believes ends it (`Lost`): the worker then reads everything again from the database.
 */
import { Effect, Exit, FiberSet, Metric, Random, Schema, Scope } from "effect"
import * as LogEvent from "../../base/metrics/LogEvent.ts"
import { machineTime, serviceTime } from "../../base/time/Times.ts"
import type { FeedEvent } from "../../contract/platform/FeedEvents.ts"
import { Journal } from "../../core/journal/Journal.ts"
import type { JournalUnavailable } from "../../core/journal/Records.ts"
import * as Sealed from "../../desk/surface/Sealed.ts"
import type { EventPage } from "../../reads/feed/EventFeed.ts"
import { EventFeed } from "../../reads/feed/EventFeed.ts"
import type { Place } from "../../reads/feed/Place.ts"
import * as Bounds from "./Bounds.ts"
import { Resolver } from "./Connection.ts"
import * as Crossings from "./Crossings.ts"
import type { Item, Wanted } from "./Delivery.ts"
import type { Enabled, Locked } from "./DeliveryStore.ts"
import { DeliveryStore } from "./DeliveryStore.ts"
import { Queue } from "./Queue.ts"
import type { Outcome, Sender } from "./Sender.ts"
import { Senders } from "./Sender.ts"
import * as Signature from "./Signature.ts"
import { PrivateWebhooks } from "./WebhookUrl.ts"

/** Deliveries, by result. */
export const results = ["delivered", "retried", "failed"] as const
const total = Metric.counter("lotbook_webhook_deliveries_total", {
  description: "Attempts to deliver an event to a connector, by result; failed: given up",
  incremental: true
})
export const totalOf = (result: (typeof results)[number]) => Metric.withAttributes(total, { result })

/** Another writer has changed the connector, or it was disabled: what this node knows of it no longer counts. */
export class Lost extends Schema.TaggedError<Lost>()("Lost", {}) {}

/** Makes senders by the settings of the service. */
const opened = Effect.gen(function* () {
  const senders = yield* Senders
  const [isPrivate, resolve] = [yield* PrivateWebhooks, yield* Resolver]
  return (url: string, maxSockets: number) =>
    senders(url, maxSockets).pipe(
      Effect.provideService(PrivateWebhooks, isPrivate),
      Effect.provideService(Resolver, resolve)
    )
})

/** The parts that every connector uses. */
export const needed = Effect.all({
  feed: EventFeed,
  journal: Journal,
  store: DeliveryStore,
  senders: opened,
  machine: machineTime,
  service: serviceTime
})
export type Parts = Effect.Success<typeof needed>

/** Events of a page that a connector wants, in order; those of rehearsals are told to none. */
const wantedOf = ({ programs, thresholds, types }: Enabled, { events }: EventPage): ReadonlyArray<Wanted> => {
  const crossings = Crossings.ofPage(events, thresholds)
  const isWanted = ({ type }: FeedEvent): boolean => types.has("*") || types.has(type)
  return events.flatMap(({ event, isRehearsal, place }): ReadonlyArray<Wanted> => {
    if (isRehearsal === true || programs?.has(event.programid) === false) return []
    const crossed = (crossings.get(event.id) ?? []).map((one, index) => ({ event: one, place, crossing: index + 1 }))
    return isWanted(event) ? [{ event, place, crossing: 0 }, ...crossed] : crossed
  })
}

/** The event of a delivery, read again. */
const eventOf = Effect.fnUntraced(function* ({ feed }: Parts, { artifacts }: Enabled, { crossing, id, place }: Item) {
  const { position, skipped } = place
  const before: Place = { position: skipped === 0 ? { ...position, seq: position.seq - 1 } : position, skipped: 0 }
  const page = yield* feed.read(before, { programs: undefined, accounts: undefined, artifacts }, 1)
  const threshold = crossing === 0 ? undefined : Crossings.thresholdOf(id)
  const crossed = threshold === undefined ? [] : [...Crossings.ofPage(page.events, [threshold]).values()].flat()
  return [...page.events.map(({ event }) => event), ...crossed].find((event) => event.id === id)
})

export class Connector {
  readonly queue: Queue
  facts: Enabled
  private readonly parts: Parts
  private readonly scope: Scope.Closeable
  private readonly fibers: FiberSet.FiberSet
  private readonly fork: (effect: Effect.Effect<void>) => unknown
  private readonly settle: () => void
  private sender: Sender
  private changes: number
  private storedAt: number
  /** Successes since those beyond the last ones were deleted. */
  private untrimmed = 0
  /** True if there was more to read than there was room for. */
  private isBehind = false

  private constructor(
    parts: Parts,
    facts: Enabled,
    given: {
      readonly queue: Queue
      readonly scope: Scope.Closeable
      readonly fibers: FiberSet.FiberSet
      readonly sender: Sender
      readonly fork: (effect: Effect.Effect<void>) => unknown
      readonly settle: () => void
    }
  ) {
    this.parts = parts
    this.facts = facts
    this.queue = given.queue
    this.scope = given.scope
    this.fibers = given.fibers
    this.sender = given.sender
    this.fork = given.fork
    this.settle = given.settle
    this.changes = facts.changes
    this.storedAt = parts.machine.now()
  }

  /** Reads what waits for a connector. `settle`: called when an attempt is over. */
  static readonly make = Effect.fnUntraced(function* (
    parts: Parts,
    facts: Enabled,
    settle: () => void
  ): Effect.fn.Return<Connector, JournalUnavailable> {
    const { feed, senders, store } = parts
    const rows = yield* store.pending(facts.n)
    const delivered = yield* store.delivered(facts.n)
    const place = facts.place ?? (yield* feed.now)
    const scope = Scope.makeUnsafe()
    const fibers = yield* Scope.provide(FiberSet.make(), scope)
    const fork = yield* FiberSet.runtime(fibers)<never>()
    const sender = yield* Scope.provide(senders(facts.url, facts.maxInFlight), scope)
    const queue = new Queue(place, facts, rows, delivered)
    // So that it begins here also after a kill.
    if (facts.place === undefined) queue.touch()
    return new Connector(parts, facts, { queue, scope, fibers, sender, fork, settle })
  })

  /** Ends what is in flight. */
  readonly close: Effect.Effect<void> = Effect.suspend(() => Scope.close(this.scope, Exit.void))

  /** Waits until nothing is in flight. */
  readonly settled: Effect.Effect<void> = Effect.suspend(() => Effect.ignore(FiberSet.awaitEmpty(this.fibers)))

  /** Takes over what is stored of the connector now. */
  readonly refresh = Effect.fnUntraced(function* (
    this: Connector,
    facts: Enabled
  ): Effect.fn.Return<void, Lost | JournalUnavailable> {
    const { senders, store } = this.parts
    if (facts.changes !== this.changes) return yield* new Lost()
    const { maxInFlight, url } = this.facts
    if (facts.url !== url || facts.maxInFlight !== maxInFlight)
      this.sender = yield* Scope.provide(senders(facts.url, facts.maxInFlight), this.scope)
    this.facts = facts
    for (const { n, range } of facts.replays) {
      if (range !== undefined) this.queue.addReplay(n, range.place, range.until)
      else {
        const resent = yield* store.sendAgain(facts.n, this.changes, n)
        if (resent === "moved") return yield* new Lost()
        this.changes = resent.changes
        this.queue.restore(resent.rows)
      }
    }
  })

  /** Reads the next pages for the connector. Returns the number of events, and whether there are more to read. */
  readonly read = Effect.fnUntraced(function* (
    this: Connector,
    readPage: (after: Place, artifacts: boolean) => ReturnType<EventFeed["Service"]["read"]>
  ): Effect.fn.Return<{ readonly events: number; readonly hasMore: boolean }, JournalUnavailable> {
    const { artifacts } = this.facts
    let count = 0
    let hasMore = false
    const sources = this.queue.wanted()
    this.isBehind = sources.length === 0
    for (const source of sources) {
      const page = yield* readPage(source.place, artifacts)
      this.queue.add(source, wantedOf(this.facts, page), page.next, page.isLast)
      count += page.events.length
      hasMore ||= !page.isLast
    }
    this.isBehind ||= hasMore
    return { events: count, hasMore }
  })

  /** True if more can be read for the connector than was when it was last read. */
  get wantsMore(): boolean {
    return this.isBehind && this.queue.wanted().length > 0
  }

  private send(): void {
    const { machine } = this.parts
    for (;;) {
      const item = this.queue.take(machine.now(), this.facts.maxInFlight)
      if (item === undefined) return
      this.fork(this.attempt(item))
    }
  }

  private secrets(): ReadonlyArray<string> {
    const { id, previousUntil, secrets } = this.facts
    const { journal, machine } = this.parts
    const valid = [secrets.present, machine.now() < previousUntil ? secrets.previous : undefined]
    return valid.flatMap((sealed) => (sealed === undefined ? [] : [Sealed.open(journal.claimKey, id, sealed)]))
  }

  private readonly post = Effect.fnUntraced(function* (
    this: Connector,
    item: Item
  ): Effect.fn.Return<Outcome | undefined, JournalUnavailable> {
    const { machine } = this.parts
    if (item.event === undefined) {
      // Reading takes time, in which the connector may change: the attempt begins once it is there.
      item.event = yield* eventOf(this.parts, this.facts, item)
      if (item.event === undefined) throw new Error(`event ${item.id} is not in the journal`)
      return undefined
    }
    const body = JSON.stringify(item.event)
    const headers = Signature.headersOf(this.secrets(), { id: item.id, now: machine.now(), body })
    return yield* this.sender.post(headers, body)
  })

  private attempt(item: Item): Effect.Effect<void> {
    const { machine } = this.parts
    return this.post(item).pipe(
      Effect.flatMap((outcome) =>
        Effect.flatMap(Random.next, (random) => {
          if (outcome === undefined) return Effect.sync(() => this.queue.release(item, machine.now()))
          const status = this.queue.settle(item, outcome, machine.now(), random)
          if (status === "delivered") this.untrimmed++
          return Metric.update(totalOf(status === "pending" ? "retried" : status), 1)
        })
      ),
      Effect.catchCause((cause) => {
        this.queue.release(item, machine.now() + Bounds.troubleMs)
        return Effect.logDebug(`A delivery to connector ${this.facts.id} waits`, cause)
      }),
      Effect.andThen(Effect.sync(this.settle))
    )
  }

  /** When something is due by time alone, ms; undefined: nothing. */
  nextAt(): number | undefined {
    const next = this.queue.sending >= this.facts.maxInFlight ? undefined : this.queue.nextAt()
    const store = this.queue.isChanged ? this.storedAt + Bounds.storeMs : undefined
    return next === undefined || store === undefined ? (next ?? store) : Math.min(next, store)
  }

  /** True if there is something to store now, or to send. */
  private isDue(now: number): boolean {
    const { facts, queue, storedAt } = this
    if (queue.hasOutcomes || queue.isDisabled) return true
    if (queue.isChanged && now - storedAt >= Bounds.storeMs) return true
    return queue.sendable(now, facts.maxInFlight) !== undefined
  }

  /** Stores the progress and begins what may be sent. False: a caller has changed the connector meanwhile, so nothing began. */
  readonly advance = Effect.fnUntraced(function* (
    this: Connector
  ): Effect.fn.Return<boolean, Lost | JournalUnavailable> {
    if (!this.isDue(this.parts.machine.now())) return true
    let isCurrent = false
    yield* this.write(({ version }) => {
      isCurrent = version === this.facts.version
      if (isCurrent) this.send()
    })
    return isCurrent
  })

  /** Stores the last progress. */
  readonly finish: Effect.Effect<void, Lost | JournalUnavailable> = Effect.suspend(() =>
    this.queue.isChanged ? this.write(() => undefined) : Effect.void
  )

  private readonly write = Effect.fnUntraced(function* (
    this: Connector,
    then: (locked: Locked) => void
  ): Effect.fn.Return<void, Lost | JournalUnavailable> {
    const { machine, service, store } = this.parts
    const { queue } = this
    const now = machine.now()
    const isTrimmed = this.untrimmed >= Bounds.trimmed
    if (isTrimmed) this.untrimmed = 0
    const changes = queue.takeChanges(now)
    const written = yield* store.write(this.facts.n, {
      changes: this.changes,
      written: changes,
      times: { now, serviceNow: service.now() },
      isTrimmed,
      beforeCommit: (locked, rows) => {
        this.changes = locked.changes
        this.storedAt = now
        queue.written(changes, rows)
        then(locked)
      }
    })
    if (written === "moved") return yield* new Lost()
    if (changes.disabled === undefined) return
    yield* logDisabled(this.facts.id, changes.disabled)
    return yield* new Lost()
  })
}

const reasons = {
  gone: "its receiver answered 410",
  failing: "nothing could be delivered for 3 days"
} as const

const logDisabled = (id: string, reason: keyof typeof reasons) =>
  LogEvent.of("connector_disabled", { connector: id, reason })(
    Effect.logWarning(
      `Connector ${id} was disabled, because ${reasons[reason]}; it delivers nothing until it is enabled`
    )
  )
