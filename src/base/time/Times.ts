/**
 * The two times. The service's is what the contract means by now: in a sandbox it
 * stands still and moves on request. The machine's is for sessions, tokens, the
 * audit, pauses and what is measured. Both stand on Effect's `Clock`, which nothing
 * else reads, so that one `TestClock` moves both. Neither fits where the other is
 * wanted.
 */
import { Clock, Context, Effect, Layer } from "effect"

/** The contract's now. */
export interface ServiceTime {
  readonly _tag: "ServiceTime"
  /** ms since 1970. */
  readonly now: () => number
}

/** The time of the machine. */
export interface MachineTime {
  readonly _tag: "MachineTime"
  /** ms since 1970, by the wall clock. */
  readonly now: () => number
  /** ns, by the monotonic clock: no change of the wall clock moves it. */
  readonly nanos: () => bigint
  /** ns since 1970, for spans. */
  readonly wallNanos: () => bigint
}

/** The time of a sandbox; undefined: the service's time is the machine's. */
const Standing = Context.Reference<ServiceTime | undefined>("lotbook/base/time/Standing", {
  defaultValue: () => undefined
})

export const machineTime: Effect.Effect<MachineTime> = Effect.map(Clock.Clock, (clock) => ({
  _tag: "MachineTime",
  now: () => clock.currentTimeMillisUnsafe(),
  nanos: () => clock.monotonicTimeNanosUnsafe(),
  wallNanos: () => clock.currentTimeNanosUnsafe()
}))

export const serviceTime: Effect.Effect<ServiceTime> = Effect.gen(function* () {
  const { now } = yield* machineTime
  return (yield* Standing) ?? { _tag: "ServiceTime", now }
})

/** The machine's time, ms. */
export const machineNow: Effect.Effect<number> = Effect.map(machineTime, ({ now }) => now())

/** The service's time, ms. */
export const serviceNow: Effect.Effect<number> = Effect.map(serviceTime, ({ now }) => now())

/** A service's time that stands where it was set. */
export class StandingTime implements ServiceTime {
  readonly _tag = "ServiceTime"
  private at: number

  constructor(now: number) {
    this.at = now
  }

  readonly now = (): number => this.at

  set(now: number): void {
    this.at = now
  }
}

/** True for the time of a sandbox. */
export const isStanding = (time: ServiceTime): boolean => time instanceof StandingTime

/** Runs an effect at another service's time. */
export const at =
  (time: ServiceTime) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(effect, Standing, time)

/** Gives another service's time to the layers that are built on this one. */
export const layer = (time: ServiceTime): Layer.Layer<never> => Layer.succeed(Standing, time)
