/**
 * The sandbox's clock: stands still and moves only on request, so that a year of
 * expirations takes a second (decisions.md §6).
 *
 * Only the service's "now" stands still. Pauses, retries and timeouts use real
 * time.
 */
import { Clock, Context, Effect, Layer, Option, Semaphore } from "effect"
import { latestInstant } from "../contract/Values.ts"
import { Journal } from "../journal/Journal.ts"
import type { JournalUnavailable } from "../journal/Records.ts"
import { Expiry } from "./Expiry.ts"

/** A clock that stands at the time to which it was set. */
export class StandingClock implements Clock.Clock {
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

/**
 * The service's time, ms, for parts built outside of `layerOver`: the sandbox's time, or in a live service the clock's.
 */
export const serviceNow: Effect.Effect<() => number> = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const sandbox = Option.getOrUndefined(yield* Effect.serviceOption(Sandbox))
  return () => sandbox?.now() ?? clock.currentTimeMillisUnsafe()
})

/** Builds a layer on the sandbox's clock, which starts at the later of `start` and the newest record. */
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

  // Moves directly to the target: each account posts due work with its own due time anyway. Stopping at each due
  // time might never end, if callers make new holds as fast as the clock passes them.
  const moveTo = Effect.fnUntraced(function* <E, R>(
    target: number,
    record: (from: number, to: number) => Effect.Effect<void, E, R>
  ) {
    if (target < now()) return { _tag: "Backwards", now: now() } as const
    if (target > latestInstant) return { _tag: "Beyond", now: now() } as const
    yield* record(now(), target)
    clock.setTime(target)
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
