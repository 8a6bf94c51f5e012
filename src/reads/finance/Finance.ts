/**
 * Updates the sums of finance: reads the feed in batches, and writes the change of each. In a database with a past it begins
 * with the first record, so that the past is counted like the present.
 *
 * Invariant: the position moves by compare-and-set in the transaction that writes the change. So a kill at any point loses
 * nothing and counts nothing twice.
 */
import { Context, Effect, Layer, Metric, Semaphore } from "effect"
import * as Series from "../../base/metrics/Series.ts"
import * as Pace from "../../base/time/Pace.ts"
import { decodeEvents } from "../../core/account/Codec.ts"
import { Partitions } from "../../core/cluster/Partitions.ts"
import { singletons } from "../../core/cluster/Placement.ts"
import type { JournalUnavailable, Millis } from "../../core/journal/Records.ts"
import { Feed } from "../feed/Feed.ts"
import * as Position from "../feed/Position.ts"
import * as Steps from "../feed/Steps.ts"
import * as Bounds from "./Bounds.ts"
import { factsOf, Zones } from "./Facts.ts"
import { FinanceStore } from "./FinanceStore.ts"
import { Redemptions } from "./Redemptions.ts"
import type { Counted } from "./Sums.ts"
import { byDayAndMonth, counted, headAfter, Sums } from "./Sums.ts"

/** How far the sums are behind, seconds. */
const lag = Metric.gauge("lotbook_finance_lag_seconds", {
  description: "Age of the oldest record that the sums of finance do not count yet, seconds."
})

export class Finance extends Context.Service<
  Finance,
  {
    /** Adds the next records, at most `limit`. */
    readonly step: (limit: number) => Effect.Effect<Steps.StepResult, JournalUnavailable>
    /** Steps until there is nothing more to do, or until the record at a position is counted. */
    readonly catchUp: (options?: Steps.CatchUp) => Effect.Effect<void, JournalUnavailable>
    /** Every record up to this instant is counted. Undefined: every record. */
    readonly asOf: Effect.Effect<Millis | undefined, JournalUnavailable>
  }
>()("lotbook/reads/finance/Finance") {
  static readonly layer: Layer.Layer<Finance, never, Feed | FinanceStore> = Layer.effect(
    Finance,
    Effect.suspend(() => make)
  )

  /** Updates the sums until the scope closes, on the node that writes the rollups. */
  static readonly layerWorker: Layer.Layer<never, never, Finance> = Layer.effectDiscard(
    Effect.suspend(() =>
      Effect.gen(function* () {
        const { whileMine } = yield* Partitions
        yield* Series.begin(lag)
        yield* Effect.forkScoped(whileMine(singletons.rollups, keep))
        yield* Effect.forkScoped(measure)
      })
    )
  )
}

const make = Effect.gen(function* () {
  const [feed, store] = [yield* Feed, yield* FinanceStore]
  const zones = new Zones()
  const alone = Semaphore.makeUnsafe(1)
  const once = Effect.fnUntraced(function* (limit: number): Effect.fn.Return<Steps.StepResult, JournalUnavailable> {
    const from = yield* store.progress
    const stored = yield* feed.read(from.position, limit)
    const last = stored.at(-1)?.position
    if (last === undefined) return "drained"
    const batch: Array<Counted> = []
    yield* Pace.inTurns(stored, Bounds.turnRecords, (record) => batch.push(counted(record, decodeEvents(record))))
    const facts = yield* factsOf(store, zones, batch)
    const sums = new Sums(byDayAndMonth)
    const redemptions = new Redemptions()
    yield* Pace.inTurns(batch, Bounds.turnRecords, (one) => {
      const of = facts(one)
      sums.record(one, of)
      redemptions.record(one, of)
    })
    const head = stored.reduce((before, { hash }) => headAfter(before, hash), from.head)
    const written = yield* store.write(from, { head, position: last }, sums, redemptions)
    return written === "replaced" ? written : "changed"
  })
  const step = (limit: number) => alone.withPermits(1)(once(limit))
  return Finance.of({
    asOf: Effect.map(
      Effect.flatMap(store.progress, ({ position }) => feed.oldestAfter(position)),
      (oldest) => (oldest === undefined ? undefined : oldest - 1)
    ),
    step,
    catchUp: ({ limit = Bounds.remakeRecords, until } = {}) =>
      Steps.catchUp(step, { limit, until }, (until) =>
        Effect.map(store.progress, ({ position }) => Position.compare(position, until) >= 0)
      )
  })
})

const pauses = {
  batchRecords: Bounds.batchRecords,
  idleMs: Bounds.idleMs,
  busyTimes: Bounds.busyTimes,
  busyMostMs: Bounds.busyMostMs,
  troubleMs: Bounds.troubleMs
}

const keep = Effect.flatMap(Finance, ({ step }) => Steps.keep("The sums of finance", step, pauses))
const measure = Effect.flatMap(Finance, ({ asOf }) => Steps.measure(lag, asOf, Bounds.measureMs))
