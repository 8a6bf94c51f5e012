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
import * as Bounds from "./Bounds.ts"

export class Load {
  private underWay = 0
  private crowdedAt = -Infinity
  private readonly now: () => number

  /** Takes the clock, ms. */
  constructor(now: () => number) {
    this.now = now
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
    const now = this.now()
    if (all >= Bounds.maxUnderWay) {
      this.crowdedAt = now
      return true
    }
    const crowdedFor = now - this.crowdedAt
    // A clock that was set back ends it as well.
    return crowdedFor >= 0 && crowdedFor < Bounds.crowdedMs
  }
}
