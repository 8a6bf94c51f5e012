/** Checks that the journal answers. Concurrent probes share one check. */
import { Duration, Effect, Fiber } from "effect"
import type { Switches } from "../../core/journal/Switches.ts"
import * as Bounds from "./Bounds.ts"

export const make = (
  ping: Switches["ping"],
  fork: (effect: Effect.Effect<boolean>) => Fiber.Fiber<boolean>
): Effect.Effect<boolean> => {
  const ask = ping.pipe(
    Effect.timeout(Duration.millis(Bounds.readinessMs)),
    Effect.match({ onSuccess: () => true, onFailure: () => false })
  )
  let asking: Fiber.Fiber<boolean> | undefined
  return Effect.suspend(() => {
    if (asking !== undefined) return Fiber.join(asking)
    const fiber = fork(ask)
    asking = fiber
    // Already complete if the journal answered synchronously.
    fiber.addObserver(() => {
      asking = undefined
    })
    return Fiber.join(fiber)
  })
}
