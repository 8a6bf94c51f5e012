/** Sums that follow the feed in steps: how one goes, and how their keeper goes on beside requests. */
import { Effect, Metric } from "effect"
import * as Pace from "../../base/time/Pace.ts"
import { serviceNow } from "../../base/time/Times.ts"
import type { JournalUnavailable, Millis } from "../../core/journal/Records.ts"
import * as AwaitedMonths from "./AwaitedMonths.ts"
import type * as Position from "./Position.ts"

/** The result of a step. `drained`: there was nothing to do. `replaced`: this node was declared dead. */
export type StepResult = "changed" | "drained" | "replaced"

/** A step that adds the next records, at most `limit`. */
type Step = (limit: number) => Effect.Effect<StepResult, JournalUnavailable>

/** Bounds of catching up. */
export interface CatchUp {
  /** Records in one step. */
  readonly limit?: number
  readonly until?: Position.Position | undefined
}

/** Steps until there is nothing more to do, or until the sums have a position. `isThere`: asked after a step if there is one. */
export const catchUp = Effect.fnUntraced(function* (
  step: Step,
  { limit, until }: CatchUp & { readonly limit: number },
  isThere: (until: Position.Position) => Effect.Effect<boolean, JournalUnavailable>
) {
  while ((yield* step(limit)) === "changed") {
    if (until !== undefined && (yield* isThere(until))) return
    yield* Effect.yieldNow
  }
})

interface Pauses {
  readonly batchRecords: number
  readonly idleMs: number
  readonly busyTimes: number
  readonly busyMostMs: number
  readonly troubleMs: number
}

const results = { changed: "worked", drained: "idle", replaced: "replaced" } as const

/** Steps for ever, with pauses. `name` is of the sums, for the log. */
export const keep = (name: string, step: Step, pauses: Pauses) =>
  Pace.keep({
    name,
    remedy: "`lotbook journal rebuild` remakes them",
    batch: Effect.map(step(pauses.batchRecords), (result) => results[result]).pipe(AwaitedMonths.told(name)),
    idle: Effect.sleep(pauses.idleMs),
    busyPauseMs: (tookMs) => Math.min(tookMs * pauses.busyTimes, pauses.busyMostMs),
    troubleMs: pauses.troubleMs
  })

/** Measures for ever how far sums are behind. `oldest`: the time of the oldest record that they lack. */
export const measure = (
  lag: Metric.Gauge<number>,
  oldest: Effect.Effect<Millis | undefined, JournalUnavailable>,
  pauseMs: number
) =>
  Effect.gen(function* () {
    const found = yield* oldest
    const now = yield* serviceNow
    yield* Metric.update(lag, found === undefined ? 0 : Math.max(0, now - found) / 1000)
  }).pipe(
    // The keeper of the sums reports the error.
    Effect.ignore,
    Effect.andThen(Effect.sleep(pauseMs)),
    Effect.forever
  )
