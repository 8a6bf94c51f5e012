/**
 * Updates the sums of finance: reads the feed in batches, and writes the change of each. In a database with a past it begins
 * with the first record, so that the past is counted like the present.
 *
 * Invariant: the position moves by compare-and-set in the transaction that writes the change. So a kill at any point loses
 * nothing and counts nothing twice.
 */
import { Context, Effect, Layer, Semaphore } from "effect"
import * as Pace from "../../base/time/Pace.ts"
import { decodeEvents } from "../../core/account/Codec.ts"
import { Partitions } from "../../core/cluster/Partitions.ts"
import { singletons } from "../../core/cluster/Placement.ts"
import type { JournalUnavailable, Millis } from "../../core/journal/Records.ts"
import { Feed } from "../feed/Feed.ts"
import * as Bounds from "./Bounds.ts"
import { factsOf, Zones } from "./Facts.ts"
import { FinanceStore } from "./FinanceStore.ts"
import type { Counted } from "./Sums.ts"
import { byDayAndMonth, counted, headAfter, Sums } from "./Sums.ts"

/** The result of a step. `drained`: there was nothing to do. `replaced`: this node was declared dead. */
export type StepResult = "changed" | "drained" | "replaced"

export class Finance extends Context.Service<
  Finance,
  {
    /** Adds the next records, at most `limit`. */
    readonly step: (limit: number) => Effect.Effect<StepResult, JournalUnavailable>
    /** Steps until there is nothing more to do. */
    readonly catchUp: (limit?: number) => Effect.Effect<void, JournalUnavailable>
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
      Effect.flatMap(Partitions, ({ whileMine }) => Effect.forkScoped(whileMine(singletons.rollups, keep)))
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
    for (const [place, record] of stored.entries()) {
      if (place % Bounds.turnRecords === Bounds.turnRecords - 1) yield* Effect.yieldNow
      batch.push(counted(record, decodeEvents(record)))
    }
    const facts = yield* factsOf(store, zones, batch)
    const sums = new Sums(byDayAndMonth)
    for (const one of batch) sums.record(one, facts(one))
    const head = stored.reduce((before, { hash }) => headAfter(before, hash), from.head)
    const written = yield* store.write(from, { head, position: last }, sums)
    return written === "replaced" ? written : "changed"
  })
  const step = (limit: number) => alone.withPermits(1)(once(limit))
  return Finance.of({
    asOf: Effect.flatMap(store.progress, ({ position }) => feed.oldestAfter(position)),
    step,
    catchUp: Effect.fnUntraced(function* (limit = Bounds.remakeRecords) {
      while ((yield* step(limit)) === "changed") yield* Effect.yieldNow
    })
  })
})

const keep = Effect.flatMap(Finance, ({ step }) =>
  Pace.keep({
    name: "The sums of finance",
    remedy: "`lotbook journal rebuild` remakes them",
    batch: Effect.map(step(Bounds.batchRecords), (result) => results[result]),
    idle: Effect.sleep(Bounds.idleMs),
    busyPauseMs: (tookMs) => Math.min(tookMs * Bounds.busyTimes, Bounds.busyMostMs),
    troubleMs: Bounds.troubleMs
  })
)

const results = { changed: "worked", drained: "idle", replaced: "replaced" } as const
