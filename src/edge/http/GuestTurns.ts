/**
 * Turns of guests' requests (contract/guests.md *Routes*): few run at once, and each turn rests while requests keep the
 * thread busy. So guests who all look at once take the time that tills leave, and hold them up little.
 */
import { Effect } from "effect"
import { performance } from "node:perf_hooks"
import { eventLoop } from "../../base/time/Pace.ts"
import * as Bounds from "./Bounds.ts"

interface Options {
  /** Begins to measure; the result gives the thread's share of time in use since then. */
  readonly measure?: () => () => number
  /** Calls a function after so many ms of the machine's time. */
  readonly later?: (then: () => void, ms: number) => void
}

const afterwards = (then: () => void, ms: number): void => {
  setTimeout(then, ms).unref()
}

/** The work in a turn of its own; undefined if too many wait. */
export type InTurn = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> | undefined

export const make = ({ later = afterwards, measure = eventLoop }: Options = {}): InTurn => {
  let admitted = 0
  let free = Bounds.guestsAtOnce
  const waiting: Array<() => void> = []
  const give = (): void => {
    const next = waiting.shift()
    if (next === undefined) free++
    // Not at once: requests of tills come between, and a long queue would fill the stack.
    else setImmediate(next)
  }
  const take = Effect.callback<void>((resume) => {
    if (free > 0) {
      free--
      resume(Effect.void)
    } else waiting.push(() => resume(Effect.void))
  })
  /** Runs the work, answers at once, and gives the turn on after its rest. */
  const rested = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const measured = measure()
      const began = performance.now()
      return Effect.ensuring(
        work,
        Effect.sync(() => {
          const tookMs = performance.now() - began
          if (measured() <= Bounds.guestBusyShare) give()
          else later(give, Math.min(tookMs * Bounds.guestRestTimes, Bounds.guestRestMs))
        })
      )
    })
  return (work) => {
    if (admitted >= Bounds.guestsWaiting) return undefined
    admitted++
    return Effect.ensuring(
      // Nothing ends a request that waits: a turn that is given always has somebody.
      Effect.uninterruptible(Effect.andThen(take, rested(work))),
      Effect.sync(() => {
        admitted--
      })
    )
  }
}
