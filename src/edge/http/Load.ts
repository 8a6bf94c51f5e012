/**
 * Counts operations in flight. Past the bound, new ones are shed before their
 * bodies are decoded: a longer queue would make every operation slower.
 */
import { Effect } from "effect"
import * as Bounds from "./Bounds.ts"

export class Load {
  private readonly bound: number
  private inFlight = 0
  private whenIdle: (() => void) | undefined

  constructor(bound: number = Bounds.held.inFlight) {
    this.bound = bound
  }

  /** Operations in flight. */
  get size(): number {
    return this.inFlight
  }

  /** Counts a new operation. */
  begin(): void {
    this.inFlight++
  }

  /** An operation has ended. */
  end(): void {
    this.inFlight--
    if (this.inFlight === 0) this.whenIdle?.()
  }

  /** True if a new operation must be shed; `beginning` operations are about to begin. */
  isFull(beginning: number): boolean {
    return this.inFlight + beginning >= this.bound
  }

  /** Completes when no operation is in flight. */
  readonly idle: Effect.Effect<void> = Effect.callback<void>((resume) => {
    if (this.inFlight === 0) return resume(Effect.void)
    this.whenIdle = () => resume(Effect.void)
  })
}
