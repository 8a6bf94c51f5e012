/**
 * How many operations are carried out at once, and from when on more are turned away.
 *
 * There are two bounds. As many as come are let in up to the higher one, so that a
 * bunch passes that the service will have worked off in a moment. Where even that is
 * reached, more come than it can do, and whoever waits then only makes everything
 * slower: for a second the lower bound holds, which still keeps journal and processor
 * busy. After it the higher one is tried again, so that callers who ask again at once,
 * whatever they were told, cannot keep the service at the lower one.
 */
import type { Clock } from "effect"
import * as Bounds from "./Bounds.ts"

export class Load {
  private underWay = 0
  private crowdedAt = -Infinity
  private readonly clock: Clock.Clock

  constructor(clock: Clock.Clock) {
    this.clock = clock
  }

  /** One is being carried out from now on. */
  begin(): void {
    this.underWay++
  }

  /** One has ended. */
  end(): void {
    this.underWay--
  }

  /** Whether one that comes now is to be turned away, beside as many as are about to begin. */
  isFull(beginning: number): boolean {
    const all = this.underWay + beginning
    if (all < Bounds.maxUnderWayCrowded) return false
    // Time that passes, whatever the clock on the wall is set to.
    const now = Number(this.clock.monotonicTimeNanosUnsafe()) / 1_000_000
    if (all >= Bounds.maxUnderWay) {
      this.crowdedAt = now
      return true
    }
    return now - this.crowdedAt < Bounds.crowdedMs
  }
}
