/**
 * Limits requests a minute for one token, separately for reads, writes and the
 * platform (contract/transport.md *Rate limits*). A window begins with the first request after the
 * previous window. Effect's `RateLimiter` would run an effect for each request;
 * this only increments a number.
 */
import type { Caller } from "../protocol/Handler.ts"
import type { Budget } from "./RouteFacts.ts"
import type { MachineTime } from "../time/Times.ts"

/** Length of a window, s. */
const windowSeconds = 60

interface Window {
  startedAt: number
  count: number
}

/** The outcome for a request: headers of its answer, and whether it exceeds the limit. */
export interface Counted {
  readonly isExceeded: boolean
  readonly headers: Readonly<Record<string, string>>
}

export class RateLimit {
  private readonly perMinute: number
  private readonly clock: MachineTime
  /** By caller: authentication creates one caller object for each token. */
  private readonly windows = new WeakMap<Caller, Map<Budget, Window>>()

  constructor(perMinute: number, clock: MachineTime) {
    this.perMinute = perMinute
    this.clock = clock
  }

  private windowOf(caller: Caller, budget: Budget, now: number): Window {
    const ofCaller = this.windows.get(caller) ?? new Map<Budget, Window>()
    if (ofCaller.size === 0) this.windows.set(caller, ofCaller)
    const window = ofCaller.get(budget)
    if (window !== undefined && now < window.startedAt + windowSeconds) return window
    const next = { startedAt: now, count: 0 }
    ofCaller.set(budget, next)
    return next
  }

  count(caller: Caller, budget: Budget): Counted {
    // Monotonic time.
    const now = Number(this.clock.nanos()) / 1_000_000_000
    const window = this.windowOf(caller, budget, now)
    const isExceeded = window.count >= this.perMinute
    if (!isExceeded) window.count++
    const left = Math.max(1, Math.ceil(window.startedAt + windowSeconds - now))
    const headers = {
      "RateLimit-Policy": `"${budget}";q=${this.perMinute};w=${windowSeconds}`,
      RateLimit: `"${budget}";r=${this.perMinute - window.count};t=${left}`
    }
    return { isExceeded, headers: isExceeded ? { ...headers, "Retry-After": String(left) } : headers }
  }
}
