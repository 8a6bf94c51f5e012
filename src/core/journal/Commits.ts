/** The commits of this process, for readers that wait for the next one. */
import { Effect } from "effect"

export class Commits {
  /** Groups that were written. */
  count = 0
  private readonly waiting = new Set<() => void>()

  /** A group was written. */
  note(): void {
    this.count++
    for (const resume of this.waiting) resume()
    this.waiting.clear()
  }

  /** Waits until more groups were written than `count`. */
  after(count: number): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      if (this.count > count) return resume(Effect.void)
      const wake = () => resume(Effect.void)
      this.waiting.add(wake)
      return Effect.sync(() => this.waiting.delete(wake))
    })
  }
}
