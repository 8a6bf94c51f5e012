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
import { serviceNow } from "../../base/time/Times.ts"
import { decodeEvents } from "../../core/account/Codec.ts"
import { Partitions } from "../../core/cluster/Partitions.ts"
import { singletons } from "../../core/cluster/Placement.ts"
import type { JournalUnavailable, Millis } from "../../core/journal/Records.ts"
import * as AwaitedMonths from "../feed/AwaitedMonths.ts"
import { Feed } from "../feed/Feed.ts"
import * as Position from "../feed/Position.ts"
import * as Bounds from "./Bounds.ts"
import { factsOf, Zones } from "./Facts.ts"
import { FinanceStore } from "./FinanceStore.ts"
import type { Counted } from "./Sums.ts"
import { byDayAndMonth, counted, headAfter, Sums } from "./Sums.ts"

/** How far the sums are behind, seconds. */
const lag = Metric.gauge("lotbook_finance_lag_seconds", {
  description: "Age of the oldest record that the sums of finance do not count yet, seconds."
})

/** The result of a step. `drained`: there was nothing to do. `replaced`: this node was declared dead. */
export type StepResult = "changed" | "drained" | "replaced"

/** Bounds of catching up. Exported, since the declarations of its callers name it. */
export interface CatchUp {
  /** Records in one step. */
  readonly limit?: number
  readonly until?: Position.Position | undefined
}

export class Finance extends Context.Service<
  Finance,
  {
    /** Adds the next records, at most `limit`. */
    readonly step: (limit: number) => Effect.Effect<StepResult, JournalUnavailable>
    /** Steps until there is nothing more to do, or until the record at a position is counted. */
    readonly catchUp: (options?: CatchUp) => Effect.Effect<void, JournalUnavailable>
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
        yield* Effect.forkScoped(Effect.forever(measure))
      })
    )
  )
}

const make = Effect.gen(function* () {
  const [feed, store] = [yield* Feed, yield* FinanceStore]
  const zones = new Zones()
  const alone = Semaphore.makeUnsafe(1)
  const once = Effect.fnUntraced(function* (limit: number): Effect.fn.Return<StepResult, JournalUnavailable> {
    const from = yield* store.progress
    const stored = yield* feed.read(from.position, limit)
    const last = stored.at(-1)?.position
    if (last === undefined) return "drained"
    const batch: Array<Counted> = []
    yield* Pace.inTurns(stored, Bounds.turnRecords, (record) => batch.push(counted(record, decodeEvents(record))))
    const facts = yield* factsOf(store, zones, batch)
    const sums = new Sums(byDayAndMonth)
    yield* Pace.inTurns(batch, Bounds.turnRecords, (one) => sums.record(one, facts(one)))
    const head = stored.reduce((before, { hash }) => headAfter(before, hash), from.head)
    const written = yield* store.write(from, { head, position: last }, sums)
    return written === "replaced" ? written : "changed"
  })
  const step = (limit: number) => alone.withPermits(1)(once(limit))
  return Finance.of({
    asOf: Effect.map(
      Effect.flatMap(store.progress, ({ position }) => feed.oldestAfter(position)),
      (oldest) => (oldest === undefined ? undefined : oldest - 1)
    ),
    step,
    catchUp: Effect.fnUntraced(function* ({ limit = Bounds.remakeRecords, until }: CatchUp = {}) {
      while ((yield* step(limit)) === "changed") {
        if (until !== undefined && Position.compare((yield* store.progress).position, until) >= 0) return
        yield* Effect.yieldNow
      }
    })
  })
})

const measure = Effect.gen(function* () {
  const oldest = yield* (yield* Finance).asOf
  const now = yield* serviceNow
  yield* Metric.update(lag, oldest === undefined ? 0 : Math.max(0, now - oldest) / 1000)
}).pipe(
  // The writer of the sums reports the error.
  Effect.ignore,
  Effect.andThen(Effect.sleep(Bounds.measureMs))
)

const name = "The sums of finance"

const keep = Effect.flatMap(Finance, ({ step }) =>
  Pace.keep({
    name,
    remedy: "`lotbook journal rebuild` remakes them",
    batch: Effect.map(step(Bounds.batchRecords), (result) => results[result]).pipe(AwaitedMonths.told(name)),
    idle: Effect.sleep(Bounds.idleMs),
    busyPauseMs: (tookMs) => Math.min(tookMs * Bounds.busyTimes, Bounds.busyMostMs),
    troubleMs: Bounds.troubleMs
  })
)

const results = { changed: "worked", drained: "idle", replaced: "replaced" } as const
