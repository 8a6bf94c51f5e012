/**
 * Limits requests a minute for one token, separately for reads, writes and the
 * platform (contract/transport.md *Rate limits*). A window begins with the first request after the
 * previous window. Effect's `RateLimiter` would run an effect for each request;
 * this only increments a number.
 *
 * The nodes of a database share their windows (`SharedCounts`): what they counted together is known half a second
 * later. Invariant: every counted request lies within the window, so no request below the limit is refused.
 */

import type { MachineTime } from "../../base/time/Times.ts"
import type { Caller } from "../../core/protocol/Handler.ts"
import { rateWindowSeconds } from "./Bounds.ts"

interface Window {
  readonly id: string
  readonly budget: string
  /** s (monotonic) */
  startedAt: number
  /** Requests of all nodes, as far as this one knows. */
  count: number
  /** Requests of these that only this node knows. */
  unshared: number
}

/** The outcome for a request: headers of its answer, and whether it exceeds the limit. */
export interface Counted {
  readonly isExceeded: boolean
  readonly headers: Readonly<Record<string, string>>
}

/** A window as nodes share it. */
export interface SharedWindow {
  readonly id: string
  readonly budget: string
  /** Time since it began, ms. */
  readonly ageMs: number
  /** To the others: requests that they do not know. From them: all requests. */
  readonly count: number
}

export class RateLimit {
  private readonly perMinute: number
  private readonly clock: MachineTime
  /** By caller: authentication creates one caller object for each token. */
  private readonly windows = new WeakMap<Caller, Map<string, Window>>()
  /** Windows with requests that only this node knows. */
  private unshared: Array<Window> = []

  constructor(perMinute: number, clock: MachineTime) {
    this.perMinute = perMinute
    this.clock = clock
  }

  /** Monotonic time, s. */
  private now(): number {
    return Number(this.clock.nanos()) / 1_000_000_000
  }

  private windowOf(caller: Caller, budget: string, id: string, now: number): Window {
    const ofCaller = this.windows.get(caller) ?? new Map<string, Window>()
    if (ofCaller.size === 0) this.windows.set(caller, ofCaller)
    const window = ofCaller.get(budget)
    if (window !== undefined && now < window.startedAt + rateWindowSeconds) return window
    const next = { id, budget, startedAt: now, count: 0, unshared: 0 }
    ofCaller.set(budget, next)
    return next
  }

  /** Counts a request. `id`: the token, or the session, the same on every node. */
  count(caller: Caller, budget: string, id: string): Counted {
    const now = this.now()
    const window = this.windowOf(caller, budget, id, now)
    const isExceeded = window.count >= this.perMinute
    if (!isExceeded) {
      window.count++
      if (window.unshared++ === 0) this.unshared.push(window)
    }
    const left = Math.max(1, Math.ceil(window.startedAt + rateWindowSeconds - now))
    const headers = {
      "RateLimit-Policy": `"${budget}";q=${this.perMinute};w=${rateWindowSeconds}`,
      RateLimit: `"${budget}";r=${Math.max(0, this.perMinute - window.count)};t=${left}`
    }
    return { isExceeded, headers: isExceeded ? { ...headers, "Retry-After": String(left) } : headers }
  }

  /** Takes what the other nodes do not know. `learn` gets the windows as all nodes count them. */
  share(): {
    readonly news: ReadonlyArray<SharedWindow>
    readonly learn: (all: ReadonlyArray<SharedWindow>) => void
  } {
    const now = this.now()
    const shared = this.unshared.filter(({ startedAt }) => now < startedAt + rateWindowSeconds)
    this.unshared = []
    const news = shared.map(({ budget, id, startedAt, unshared }) => ({
      id,
      budget,
      ageMs: Math.round((now - startedAt) * 1_000),
      count: unshared
    }))
    for (const window of shared) window.unshared = 0
    const learn = (all: ReadonlyArray<SharedWindow>): void => {
      const found = new Map(all.map((one) => [`${one.budget} ${one.id}`, one]))
      const heardAt = this.now()
      for (const window of shared) {
        const whole = found.get(`${window.budget} ${window.id}`)
        if (whole === undefined) continue
        window.count = whole.count + window.unshared
        window.startedAt = heardAt - whole.ageMs / 1_000
      }
    }
    return { news, learn }
  }
}
