/** The order of the imports of a node: one after the other. */
import { Effect, Semaphore } from "effect"
import type { Refused } from "../../contract/Refused.ts"
import { refuse } from "../../desk/surface/Refusal.ts"
import * as Bounds from "./Bounds.ts"

/** Runs the imports of this node one after the other. */
export class Turns {
  private readonly turn = Semaphore.makeUnsafe(Bounds.importsAtOnce)
  private waiting = 0

  run<A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | Refused, R> {
    return Effect.suspend((): Effect.Effect<A, E | Refused, R> => {
      if (this.waiting >= Bounds.importsWaiting)
        return refuse("overloaded", "Too many imports are waiting. Nothing was imported; try again.")
      this.waiting++
      return Effect.ensuring(
        this.turn.withPermits(1)(work),
        Effect.sync(() => {
          this.waiting--
        })
      )
    })
  }
}
