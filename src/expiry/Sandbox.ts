/**
 * The sandbox's clock: it stands still and moves only on request, so that a
 * year of expirations takes a second (decisions.md §6 and the design's "Time").
 *
 * Only what the service calls "now" stands still; pauses, retries and timeouts
 * go on in real time.
 */
import { Clock, Context, Effect, Layer, Semaphore } from "effect"
import { latestInstant } from "../contract/Values.ts"
import { Journal, type JournalUnavailable } from "../journal/Journal.ts"
import { Expiry } from "./Expiry.ts"

class StandingClock implements Clock.Clock {
  private readonly real: Clock.Clock
  private now: number
  readonly currentTimeMillis: Effect.Effect<number> = Effect.sync(() => this.now)
  readonly currentTimeNanos: Effect.Effect<bigint> = Effect.sync(() => this.currentTimeNanosUnsafe())
  readonly monotonicTimeNanos: Effect.Effect<bigint>

  constructor(real: Clock.Clock, now: number) {
    this.real = real
    this.now = now
    this.monotonicTimeNanos = real.monotonicTimeNanos
  }

  currentTimeMillisUnsafe(): number {
    return this.now
  }

  currentTimeNanosUnsafe(): bigint {
    return BigInt(this.now) * 1_000_000n
  }

  monotonicTimeNanosUnsafe(): bigint {
    return this.real.monotonicTimeNanosUnsafe()
  }

  sleep(duration: Parameters<Clock.Clock["sleep"]>[0]): Effect.Effect<void> {
    return this.real.sleep(duration)
  }

  setTime(now: number): void {
    this.now = now
  }
}

/**
 * What a move came to, with where the clock stands now. `Unposted`: the clock
 * moved, but the journal cannot be reached; what is due is posted later.
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
     * Moves the clock to the time that `target` makes of the present one. Everything due by
     * then is posted before this ends, or, while writes are frozen, once they go on.
     */
    readonly move: (target: (now: number) => number) => Effect.Effect<Moved>
  }
>()("lotbook/expiry/Sandbox") {}

/** Puts what `over` makes on a clock that stands at the later of `start` and the newest record; moves it. */
export const layerOver = <A, E, R>(
  start: number,
  over: Layer.Layer<A | Expiry, E, R>
): Layer.Layer<A | Expiry | Sandbox, E | JournalUnavailable, R | Journal> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const journal = yield* Journal
      const newest = yield* journal.newestAt
      const clock = new StandingClock(yield* Clock.Clock, Math.max(start, newest ?? start))
      return Layer.effect(Sandbox, make(clock)).pipe(
        Layer.provideMerge(Layer.provide(over, Layer.succeed(Clock.Clock, clock)))
      )
    })
  )

const make = Effect.fnUntraced(function* (clock: StandingClock) {
  const expiry = yield* Expiry
  const alone = Semaphore.makeUnsafe(1)
  const now = () => clock.currentTimeMillisUnsafe()

  // Straight to the target: each account posts what is due at its own instant, whatever the time. Stopping at each
  // due time would never end where others make new holds as fast as the clock passes them.
  const moveTo = Effect.fnUntraced(function* (target: number) {
    if (target < now()) return { _tag: "Backwards", now: now() } as const
    if (target > latestInstant) return { _tag: "Beyond", now: now() } as const
    clock.setTime(target)
    const posting = yield* Effect.catchTag(expiry.postDue, "JournalUnavailable", () =>
      Effect.succeed("unavailable" as const)
    )
    return { _tag: posting === "unavailable" ? "Unposted" : "Moved", now: target } as const
  })

  return Sandbox.of({
    now,
    move: (target) => alone.withPermits(1)(Effect.suspend(() => moveTo(target(now()))))
  })
})
