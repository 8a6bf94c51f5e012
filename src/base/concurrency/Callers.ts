/**
 * Callers that wait for the work of a fiber. A caller that has given up sends its command again, and may be told a refusal then:
 * what of the first attempt has not begun must not be done later.
 */

import type { Fiber } from "effect"
import { Effect } from "effect"

const callers = new WeakMap<Fiber.Fiber<unknown, unknown>, () => boolean>()

/** Runs work for a caller. `hasLeft`: nobody waits for the answer any more. */
export const workFor = <A, E, R>(hasLeft: () => boolean, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    callers.set(fiber, hasLeft)
    return work
  })

/** True if the caller of this fiber has left. */
export const haveLeft: Effect.Effect<boolean> = Effect.withFiber((fiber) =>
  Effect.succeed(callers.get(fiber)?.() === true)
)
