/**
 * The sandbox's clock: stands still and moves only on request, so that a year of
 * expirations takes a second (contract/databases.md *Sandbox clock*).
 */
import { Context, Effect, Layer, Semaphore } from "effect"
import { latestInstant } from "../contract/Values.ts"
import { Journal } from "../journal/Journal.ts"
import type { JournalUnavailable } from "../journal/Records.ts"
import * as Times from "../time/Times.ts"
import { StandingTime } from "../time/Times.ts"
import { Expiry } from "./Expiry.ts"

/**
 * Result of a move, with the clock's new time. `Unposted`: the clock moved, but
 * the journal cannot be reached; due work is posted later.
 */
export interface Moved {
  readonly _tag: "Moved" | "Unposted" | "Backwards" | "Beyond"
  readonly now: number
}

export class Sandbox extends Context.Service<
  Sandbox,
  {
    readonly now: () => number
    /**
     * Moves the clock to `target(present time)`. Everything due by then is posted
     * before this ends; while writes are frozen, it is posted after the freeze.
     * `record` runs before a move that is possible: the clock stays if it fails.
     */
    readonly move: <E, R>(
      target: (now: number) => number,
      record: (from: number, to: number) => Effect.Effect<void, E, R>
    ) => Effect.Effect<Moved, E, R>
  }
>()("lotbook/expiry/Sandbox") {}

/** Builds a layer on the sandbox's time, which starts at the later of `start` and the newest record. */
export const layer = <A, E, R>(
  start: number,
  over: Layer.Layer<A | Expiry, E, R>
): Layer.Layer<A | Expiry | Sandbox, E | JournalUnavailable, R | Journal> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const journal = yield* Journal
      const newest = yield* journal.newestAt
      const time = new StandingTime(Math.max(start, newest ?? start))
      return Layer.effect(Sandbox, make(time)).pipe(Layer.provideMerge(over), Layer.provideMerge(Times.layer(time)))
    })
  )

const make = Effect.fnUntraced(function* (time: StandingTime) {
  const expiry = yield* Expiry
  const alone = Semaphore.makeUnsafe(1)
  const { now } = time

  // Moves directly to the target: each account posts due work with its own due time anyway. Stopping at each due
  // time might never end, if callers make new holds as fast as the clock passes them.
  const moveTo = Effect.fnUntraced(function* <E, R>(
    target: number,
    record: (from: number, to: number) => Effect.Effect<void, E, R>
  ) {
    if (target < now()) return { _tag: "Backwards", now: now() } as const
    if (target > latestInstant) return { _tag: "Beyond", now: now() } as const
    yield* record(now(), target)
    time.set(target)
    const posting = yield* Effect.catchTag(expiry.postDue, "JournalUnavailable", () =>
      Effect.succeed("unavailable" as const)
    )
    return { _tag: posting === "unavailable" ? "Unposted" : "Moved", now: target } as const
  })

  return Sandbox.of({
    now,
    move: (target, record) => alone.withPermits(1)(Effect.suspend(() => moveTo(target(now()), record)))
  })
})
