/** Whether the journal answers: asked once for all probes that wait, whatever their number. */
import { Duration, Effect, Fiber } from "effect"
import type { Switches } from "../journal/Switches.ts"
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
    // At once, where the answer was there at once.
    fiber.addObserver(() => {
      asking = undefined
    })
    return Fiber.join(fiber)
  })
}
