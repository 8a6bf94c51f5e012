/**
 * The longest time of an operation of tills, whatever holds it: a commit that waits for a standby, a PostgreSQL that has
 * stopped, another node. Load balancers and tills give a request up later than this (contract/transport.md *Time of an answer*).
 * The work goes on, and the same key tells its outcome.
 */
import { Effect } from "effect"
import type { Exchange } from "./Exchange.ts"

/** Longest time to an answer, ms: above the wait for an owner (4 s), below the 5 s of `nginx.conf` and the 6 s of `haproxy.cfg`. */
export const answerMs = 4_500
/** Time between two looks, ms. */
const lookMs = 100
const looks = answerMs / lookMs

/** An operation without an answer. */
export interface Waiting {
  readonly exchange: Exchange
  /** The look before it began. */
  readonly since: number
}

export class Deadlines {
  /** In the order of their beginning. */
  private readonly waiting = new Set<Waiting>()
  private readonly fork: (effect: Effect.Effect<void>) => void
  private readonly overdue: (exchange: Exchange) => void
  private look = 0
  private isLooking = false

  constructor(fork: (effect: Effect.Effect<void>) => void, overdue: (exchange: Exchange) => void) {
    this.fork = fork
    this.overdue = overdue
  }

  begin(exchange: Exchange): Waiting {
    const one: Waiting = { exchange, since: this.look }
    this.waiting.add(one)
    if (!this.isLooking) this.lookLater()
    return one
  }

  /** False: it was answered meanwhile. */
  end(one: Waiting): boolean {
    return this.waiting.delete(one)
  }

  private lookLater(): void {
    this.isLooking = this.waiting.size > 0
    if (this.isLooking)
      this.fork(
        Effect.andThen(
          Effect.sleep(lookMs),
          Effect.sync(() => this.answerOverdue())
        )
      )
  }

  private answerOverdue(): void {
    this.look++
    for (const one of this.waiting) {
      if (this.look - one.since < looks) break
      this.waiting.delete(one)
      this.overdue(one.exchange)
    }
    this.lookLater()
  }
}
