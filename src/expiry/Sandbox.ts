/**
 * The sandbox's clock: it stands still and moves only when told, so that a
 * year of expirations takes a second (decisions.md §6 and the design's "Time").
 *
 * Only what the service calls "now" stands still; pauses, retries and timeouts
 * go on in real time.
 */
import { Clock, Context, Effect, Layer, Semaphore } from "effect"
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

/** What a move came to: the clock's new time, or why it stopped and where it stands. */
export type Moved =
  | { readonly _tag: "Moved"; readonly now: number }
  | { readonly _tag: "Backwards"; readonly now: number }
  | { readonly _tag: "Stuck"; readonly now: number }

export class Sandbox extends Context.Service<
  Sandbox,
  {
    readonly now: () => number
    /**
     * Moves the clock to the time that `target` makes of the present one. Everything due
     * by then is posted before this ends, the clock standing at each due time in turn.
     */
    readonly move: (target: (now: number) => number) => Effect.Effect<Moved, JournalUnavailable>
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
  const journal = yield* Journal
  const expiry = yield* Expiry
  const alone = Semaphore.makeUnsafe(1)
  const now = () => clock.currentTimeMillisUnsafe()

  const moveTo = Effect.fnUntraced(function* (target: number) {
    if (target < now()) return { _tag: "Backwards", now: now() } as const
    for (;;) {
      if (!(yield* expiry.postDue)) return { _tag: "Stuck", now: now() } as const
      const next = yield* journal.nextDue
      if (next === undefined || next > target) break
      clock.setTime(Math.max(now(), next))
    }
    clock.setTime(target)
    return { _tag: "Moved", now: target } as const
  })

  return Sandbox.of({
    now,
    move: (target) => alone.withPermits(1)(Effect.suspend(() => moveTo(target(now()))))
  })
})
