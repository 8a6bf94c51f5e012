/**
 * The sandbox's clock: stands still and moves only on request, so that a year of
 * expirations takes a second (contract/databases.md *Sandbox clock*).
 */
import { Context, Effect, Layer, Option, Semaphore } from "effect"
import * as Times from "../../base/time/Times.ts"
import { StandingTime } from "../../base/time/Times.ts"
import { latestInstant } from "../../contract/Values.ts"
import { Journal } from "../journal/Journal.ts"
import type { JournalUnavailable } from "../journal/Records.ts"
import type { Posting } from "./Expiry.ts"
import { Expiry } from "./Expiry.ts"

/**
 * Instants at which one move stops for the work of `OnTheWay`: more than the days of a year, and few enough for the move to
 * end before clients give up waiting.
 */
const stopsOfMove = 500

/**
 * Result of a move, with the clock's new time. `Unposted`: the clock moved, but
 * the journal cannot be reached; due work is posted later.
 */
export interface Moved {
  readonly _tag: "Moved" | "Unposted" | "Backwards" | "Beyond"
  readonly now: number
}

/** Work beside the accounts' that is due at instants of its own. Each is done with the clock at its instant. */
export class OnTheWay extends Context.Service<
  OnTheWay,
  {
    /** Does what is due by now. */
    readonly postDue: Effect.Effect<Posting>
    /** The first later instant at which something is due, ms; undefined: nothing is. */
    readonly next: Effect.Effect<number | "unavailable" | undefined>
  }
>()("lotbook/core/expiry/OnTheWay") {}

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
>()("lotbook/core/expiry/Sandbox") {}

/** Builds a layer on the sandbox's time, which starts at the later of `start` and the newest record. */
export const layer = <A, E, R>(
  start: number,
  over: Layer.Layer<A | Expiry, E, R>,
  mostStops = stopsOfMove
): Layer.Layer<A | Expiry | Sandbox, E | JournalUnavailable, R | Journal> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const journal = yield* Journal
      const newest = yield* journal.newestAt
      const time = new StandingTime(Math.max(start, newest ?? start))
      return Layer.effect(Sandbox, make(time, mostStops)).pipe(
        Layer.provideMerge(over),
        Layer.provideMerge(Times.layer(time))
      )
    })
  )

const make = Effect.fnUntraced(function* (time: StandingTime, mostStops: number) {
  const expiry = yield* Expiry
  const onTheWay = Option.getOrUndefined(yield* Effect.serviceOption(OnTheWay))
  const alone = Semaphore.makeUnsafe(1)
  const { now } = time

  const postDue = Effect.gen(function* () {
    const posting = yield* Effect.catchTag(expiry.postDue, "JournalUnavailable", () =>
      Effect.succeed("unavailable" as const)
    )
    return posting === "done" && onTheWay !== undefined ? yield* onTheWay.postDue : posting
  })

  // Accounts need no stops: each posts due work with its own due time anyway. Stopping for them might never end, if
  // callers make new holds as fast as the clock passes them.
  const stopOnTheWay = Effect.fnUntraced(function* (target: number) {
    if (onTheWay === undefined) return
    for (let stops = 0; (yield* postDue) === "done" && stops < mostStops; stops++) {
      const next = yield* onTheWay.next
      if (typeof next !== "number" || next >= target) return
      time.set(next)
    }
  })

  const moveTo = Effect.fnUntraced(function* <E, R>(
    target: number,
    record: (from: number, to: number) => Effect.Effect<void, E, R>
  ) {
    if (target < now()) return { _tag: "Backwards", now: now() } as const
    if (target > latestInstant) return { _tag: "Beyond", now: now() } as const
    yield* record(now(), target)
    // The stored move holds, also if the caller goes away.
    yield* Effect.ensuring(
      stopOnTheWay(target),
      Effect.sync(() => time.set(target))
    )
    return { _tag: (yield* postDue) === "unavailable" ? "Unposted" : "Moved", now: target } as const
  })

  return Sandbox.of({
    now,
    move: (target, record) => alone.withPermits(1)(Effect.suspend(() => moveTo(target(now()), record)))
  })
})
