/**
 * How many operations are carried out at once. Past the bound new ones are refused
 * before their bodies are decoded: what waits longer makes everything slower.
 */
import { Effect } from "effect"
import * as Bounds from "./Bounds.ts"

export class Load {
  private readonly bound: number
  private underWay = 0
  private whenIdle: (() => void) | undefined

  constructor(bound: number = Bounds.held.underWay) {
    this.bound = bound
  }

  /** One is being carried out from now on. */
  begin(): void {
    this.underWay++
  }

  /** One has ended. */
  end(): void {
    this.underWay--
    if (this.underWay === 0) this.whenIdle?.()
  }

  /** Whether one that comes now is to be refused, beside as many as are about to begin. */
  isFull(beginning: number): boolean {
    return this.underWay + beginning >= this.bound
  }

  /** Ends when nothing is carried out. */
  readonly idle: Effect.Effect<void> = Effect.callback<void>((resume) => {
    if (this.underWay === 0) return resume(Effect.void)
    this.whenIdle = () => resume(Effect.void)
  })
}
