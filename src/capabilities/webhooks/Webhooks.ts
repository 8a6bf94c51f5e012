/**
 * Delivers events to connectors, on one node at a time (contract/events.md *Delivery*).
 *
 * A round reads pages of the feed for connectors with room. Connectors at the same place share a read. What comes of an
 * attempt is stored at once, and what may be sent then begins in the same transaction: so a kill repeats what is in flight,
 * and what a caller has changed holds for every attempt that begins after the answer.
 */
import { Context, Effect, Latch, Layer, Metric, Semaphore } from "effect"
import * as Series from "../../base/metrics/Series.ts"
import * as Pace from "../../base/time/Pace.ts"
import { Partitions } from "../../core/cluster/Partitions.ts"
import { singletons } from "../../core/cluster/Placement.ts"
import type { Journal } from "../../core/journal/Journal.ts"
import type { JournalUnavailable } from "../../core/journal/Records.ts"
import type { EventFeed, EventPage } from "../../reads/feed/EventFeed.ts"
import type { Place } from "../../reads/feed/Place.ts"
import * as PlaceOf from "../../reads/feed/Place.ts"
import * as Bounds from "./Bounds.ts"
import { Connector, needed, results, totalOf } from "./Connector.ts"
import type { DeliveryStore } from "./DeliveryStore.ts"

const lag = Metric.gauge("lotbook_webhook_lag_seconds", {
  description: "Age of the oldest event that an enabled connector has not got yet, seconds"
})
const waiting = Metric.gauge("lotbook_webhook_waiting", {
  description: "Deliveries that wait for another attempt, or for one of the same member"
})
const failing = Metric.gauge("lotbook_webhook_failing_seconds", {
  description: "Longest time for which the attempts of an enabled connector have failed, seconds"
})

/** `drained`: there is nothing to read now. `replaced`: this node was declared dead. */
export type RoundResult = "worked" | "drained" | "replaced"

export class Webhooks extends Context.Service<
  Webhooks,
  {
    /** Reads connectors that changed, reads events, begins attempts, and stores progress. */
    readonly round: Effect.Effect<RoundResult, JournalUnavailable>
    /** Waits until attempts are over, stores what came of them, and begins what may be sent then. */
    readonly progress: Effect.Effect<void, JournalUnavailable>
    /** Waits until no attempt is in flight, and what came of all is stored. */
    readonly settled: Effect.Effect<void, JournalUnavailable>
    /** Waits for something to do. */
    readonly idle: Effect.Effect<void>
    /** Stores all progress, and ends what is in flight. */
    readonly stop: Effect.Effect<void>
    readonly measure: Effect.Effect<void, JournalUnavailable>
    /** Begins to measure how much requests use the thread (`Pace`). */
    readonly measureLoad: () => () => number
  }
>()("lotbook/capabilities/webhooks/Webhooks") {
  static readonly layer: Layer.Layer<Webhooks, never, EventFeed | Journal | DeliveryStore> = Layer.effect(
    Webhooks,
    Effect.suspend(() => make)
  )

  /** Delivers until the scope closes, on one node at a time. */
  static readonly layerWorker: Layer.Layer<never, never, Webhooks> = Layer.effectDiscard(
    Effect.gen(function* () {
      const { whileMine } = yield* Partitions
      const { measure } = yield* Webhooks
      for (const result of results) yield* Series.begin(totalOf(result))
      for (const gauge of [lag, waiting, failing]) yield* Series.begin(gauge)
      yield* Effect.forkScoped(whileMine(singletons.webhooks, keep))
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.ignore(measure), Effect.sleep(Bounds.measureMs))))
    })
  )
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small steps of one worker, which share its connectors and latches
const make = Effect.gen(function* () {
  const parts = yield* needed
  const { feed, journal, machine, service, store } = parts
  const awake = Latch.makeUnsafe(false)
  /** Open: an attempt is over. */
  const over = Latch.makeUnsafe(false)
  const alone = Semaphore.makeUnsafe(1)
  const wake = () => awake.openUnsafe()
  const settle = () => over.openUnsafe()
  /** By number. */
  const connectors = new Map<number, Connector>()
  let polledAt = -Infinity
  let turn = 0
  let seen = 0

  const drop = (connector: Connector) =>
    Effect.suspend(() => {
      connectors.delete(connector.facts.n)
      polledAt = -Infinity
      wake()
      return connector.close
    })

  /** Ends what is known of a connector after trouble: what was written is in doubt. */
  const orDrop = <A>(connector: Connector, work: Effect.Effect<A, JournalUnavailable | { readonly _tag: "Lost" }>) =>
    work.pipe(
      Effect.tapError(() => drop(connector)),
      Effect.catchTag("Lost", () => Effect.void)
    )

  const advance = (connector: Connector) =>
    orDrop(
      connector,
      Effect.map(connector.advance(), (isCurrent) => {
        if (!isCurrent) polledAt = -Infinity
        if (!isCurrent || connector.wantsMore) wake()
      })
    )

  const progress = Effect.gen(function* () {
    yield* over.await
    yield* alone.withPermits(1)(
      Effect.suspend(() => {
        over.closeUnsafe()
        return Effect.forEach([...connectors.values()], advance, { discard: true })
      })
    )
  })

  const poll = Effect.gen(function* () {
    const now = machine.now()
    if (now - polledAt < Bounds.pollMs) return
    if (!(yield* store.isLive)) return "replaced" as const
    const enabled = yield* store.enabled
    polledAt = now
    const known = new Set(enabled.map(({ n }) => n))
    for (const [n, connector] of connectors) if (!known.has(n)) yield* drop(connector)
    polledAt = now
    for (const facts of enabled) {
      const connector = connectors.get(facts.n) ?? (yield* Connector.make(parts, facts, settle))
      connectors.set(facts.n, connector)
      yield* orDrop(connector, connector.refresh(facts))
    }
    return undefined
  })

  const settled: Effect.Effect<void, JournalUnavailable> = Effect.gen(function* () {
    for (;;) {
      yield* Effect.forEach([...connectors.values()], ({ settled }) => settled, { discard: true })
      if (!over.isOpen()) return
      yield* progress
    }
  })

  /** Reads the feed. What was read in this round is not read again. */
  const reader = () => {
    const pages = new Map<string, EventPage>()
    return Effect.fnUntraced(function* (after: Place, artifacts: boolean) {
      const key = `${PlaceOf.toText(after)} ${artifacts}`
      const page =
        pages.get(key) ??
        (yield* feed.read(after, { programs: undefined, accounts: undefined, artifacts }, Bounds.pageRecords))
      pages.set(key, page)
      return page
    })
  }

  const round = Effect.gen(function* () {
    awake.closeUnsafe()
    if ((yield* poll) === "replaced") return "replaced" as const
    seen = journal.commits.count
    const read = reader()
    let events = 0
    let result: RoundResult = "drained"
    const all = [...connectors.values()]
    // Each round begins with another one, so that none waits for the others' backlog.
    const first = turn++ % Math.max(1, all.length)
    for (const connector of [...all.slice(first), ...all.slice(0, first)]) {
      if (events < Bounds.roundEvents) {
        const page = yield* connector.read(read)
        events += page.events
        if (page.hasMore || page.events > 0) result = "worked"
      } else result = "worked"
      yield* advance(connector)
    }
    return result
  })

  /** A bound on the wait: until something is due by time alone. */
  const pauseMs = () => {
    const now = machine.now()
    const due = [...connectors.values()].map((one) => (one.nextAt() ?? Infinity) - now)
    return Math.max(1, Math.min(connectors.size === 0 ? Bounds.pollMs : Bounds.feedPollMs, ...due))
  }

  const idle = Effect.suspend(() =>
    Effect.raceFirst(
      Effect.raceFirst(awake.await, Effect.sleep(pauseMs())),
      connectors.size === 0 ? Effect.never : Effect.andThen(journal.commits.after(seen), Effect.sleep(Bounds.settleMs))
    )
  )

  const stop = Effect.gen(function* () {
    const all = [...connectors.values()]
    const stored = Effect.forEach(all, ({ finish }) => Effect.ignore(finish), { discard: true })
    yield* Effect.timeoutOption(Effect.interruptible(stored), Bounds.stopMs)
    yield* Effect.forEach(all, ({ close }) => close, { discard: true })
    connectors.clear()
    polledAt = -Infinity
  })

  const measure = Effect.gen(function* () {
    const all = [...connectors.values()]
    const now = machine.now()
    const ages = yield* Effect.forEach(all, ({ queue }) =>
      Effect.map(feed.oldestAfter(queue.main.stored), (oldest) =>
        Math.max(oldest === undefined ? 0 : service.now() - oldest, now - (queue.oldestTry ?? now))
      )
    )
    yield* Metric.update(lag, Math.max(0, ...ages) / 1000)
    yield* Metric.update(
      waiting,
      all.reduce((sum, { queue }) => sum + queue.waiting, 0)
    )
    yield* Metric.update(failing, Math.max(0, ...all.map(({ queue }) => now - (queue.failingSince ?? now))) / 1000)
  })

  /** Without commits the load is that of the deliveries themselves. */
  const measureLoad = () => {
    const { count } = journal.commits
    const measured = Pace.eventLoop()
    return () => (journal.commits.count === count ? 0 : measured())
  }

  return Webhooks.of({
    round: alone.withPermits(1)(round),
    progress,
    settled,
    idle,
    measureLoad,
    stop: alone.withPermits(1)(stop),
    measure
  })
})

const keep = Effect.flatMap(Webhooks, ({ idle, measureLoad, progress, round, stop }) =>
  Effect.ensuring(
    Effect.raceFirst(
      Pace.keep({
        name: "The deliveries",
        batch: Effect.map(round, (result) => paces[result]),
        idle,
        busyPauseMs: () => Bounds.busyMs,
        measure: measureLoad,
        troubleMs: Bounds.troubleMs
      }),
      // Without storage the connector is dropped, and the next round reads it anew.
      Effect.forever(Effect.catchCause(progress, (cause) => Effect.logDebug("Progress waits for storage", cause)))
    ),
    stop
  )
)

const paces = { worked: "worked", drained: "idle", replaced: "replaced" } as const
