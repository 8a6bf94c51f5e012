/**
 * The pace of work in the background, batch by batch, on the thread that also answers requests: it yields to requests,
 * waits while there is trouble, and ends once this node was declared dead.
 */
import { Effect } from "effect"
import { performance } from "node:perf_hooks"
import { machineTime } from "./Times.ts"

/**
 * The result of a batch. `worked`: there may be more. `idle`: nothing to do. `busy`: what the work asks is overloaded.
 * `waits`: storage is unavailable, or writes are frozen. `replaced`: this node was declared dead.
 */
export type BatchResult = "worked" | "idle" | "busy" | "waits" | "replaced"

export interface Work<E, R> {
  /** For the log, as the subject of a sentence in the plural: "The rollups". */
  readonly name: string
  /** For the log of a defect: what an operator can do. */
  readonly remedy?: string
  readonly batch: Effect.Effect<BatchResult, E, R>
  /** Waits until there may be work again. */
  readonly idle: Effect.Effect<void>
  /** The pause between two batches, ms; absent: 5. */
  readonly pauseMs?: number
  /** A further pause while requests keep the thread busy, ms. `tookMs`: how long the batch took. */
  readonly busyPauseMs: (tookMs: number) => number
  /** The pause after `waits`, a failure or a defect, ms. */
  readonly troubleMs: number
  /** Begins to measure; the result gives the thread's share of time in use since then. */
  readonly measure?: () => () => number
}

/** Pause between two batches by default, ms. The thread's load during the pause is that of requests. */
const shortMs = 5

/** Pause after what the work asks was overloaded, ms. */
export const overloadedMs = 50

/** Share of a pause from which requests count as busy. */
const busyShare = 0.6

/** Weight of earlier pauses in the measured share: one pause of 5 ms tells little. */
const earlierWeight = 3 / 4

/** Does a little to each, with room for requests after every `turn`: many at once would make them wait. */
export const inTurns = Effect.fnUntraced(function* <A>(
  all: ReadonlyArray<A>,
  turn: number,
  each: (one: A) => void
): Effect.fn.Return<void> {
  for (let place = 0; place < all.length; place++) {
    if (place % turn === turn - 1) yield* Effect.yieldNow
    each(all[place]!)
  }
})

/** Begins to measure the thread's share of time in use. */
export const eventLoop = () => {
  const before = performance.eventLoopUtilization()
  return () => performance.eventLoopUtilization(before).utilization
}

/** Does batches until this node was declared dead. */
export const keep = Effect.fnUntraced(function* <E, R>({
  batch,
  busyPauseMs,
  idle,
  measure = eventLoop,
  name,
  pauseMs = shortMs,
  remedy,
  troubleMs
}: Work<E, R>): Effect.fn.Return<void, never, R> {
  const clock = yield* machineTime
  const waits = (logged: Effect.Effect<void>) => Effect.as(logged, "waits" as const)
  const sound = batch.pipe(
    Effect.catch((error) => waits(Effect.logDebug(`${name} wait for storage`, error))),
    Effect.catchDefect((defect) =>
      waits(Effect.logError(`${name} cannot continue${remedy === undefined ? "" : `; ${remedy}`}`, defect))
    )
  )
  let share = 0
  for (;;) {
    const startedNanos = clock.nanos()
    const result = yield* sound
    const tookMs = Number(clock.nanos() - startedNanos) / 1_000_000
    if (result === "replaced") return yield* Effect.logDebug(`${name} are the work of another service now`)
    if (result === "idle") yield* idle
    else if (result === "waits") yield* Effect.sleep(troubleMs)
    else if (result === "busy") yield* Effect.sleep(overloadedMs)
    else {
      const measured = measure()
      yield* Effect.sleep(pauseMs)
      share = share * earlierWeight + measured() * (1 - earlierWeight)
      if (share > busyShare) yield* Effect.sleep(busyPauseMs(tookMs))
    }
  }
})
