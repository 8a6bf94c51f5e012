/** The newest requests of this process, in memory (contract/operators.md *Request log*). */
import { Context, Effect, Layer } from "effect"
import { randomBytes } from "node:crypto"
import { machineTime } from "../../base/time/Times.ts"
import type { KeyCaller } from "../../desk/access/CurrentCaller.ts"

/** So many requests are kept. */
const kept = 10_000

export interface RecentRequest {
  /** When it was answered, ms, by the machine's clock. */
  readonly at: number
  readonly requestId: string
  readonly method: string
  readonly route: string | undefined
  readonly operation: string
  readonly status: number
  readonly code: string | undefined
  /** JSON Pointer of the first fault. */
  readonly pointer: string | undefined
  /** The scopes that the caller lacked. */
  readonly scope: string | undefined
  /** True if it came with a session's cookie, as those of the console do. */
  readonly isOfConsole: boolean
  readonly ms: number
  readonly caller: Pick<KeyCaller, "kind" | "name" | "programs"> | undefined
  readonly program: string | undefined
  readonly traceId: string | undefined
  readonly contextId: string | undefined
  readonly entries: ReadonlyArray<string> | undefined
  readonly reservation: string | undefined
}

/** A ring: the newest request takes the place of the oldest. */
export class Ring {
  /** Names this process to cursors, which another one must not take. */
  readonly id = randomBytes(6).toString("hex")
  private readonly held: Array<RecentRequest> = []
  /** Requests so far: the number of the next one. */
  private next = 0
  private readonly startedAt: number
  private readonly size: number

  /** `startedAt`: ms, by the machine's clock. */
  constructor(startedAt: number, size: number = kept) {
    this.startedAt = startedAt
    this.size = size
  }

  add(request: RecentRequest): void {
    this.held[this.next % this.size] = request
    this.next++
  }

  /** From when on every request is here, ms. */
  get keptFrom(): number {
    return this.next > this.size ? (this.held[this.next % this.size]?.at ?? this.startedAt) : this.startedAt
  }

  /** At most `limit` requests that `isWanted`, newest first, with their numbers. `before`: only ones with lower numbers. */
  newest(
    isWanted: (request: RecentRequest) => boolean,
    limit: number,
    before: number = this.next
  ): ReadonlyArray<{ readonly number: number; readonly request: RecentRequest }> {
    const found: Array<{ readonly number: number; readonly request: RecentRequest }> = []
    const oldest = Math.max(0, this.next - this.size)
    for (let number = Math.min(before, this.next) - 1; number >= oldest && found.length < limit; number--) {
      const request = this.held[number % this.size]
      if (request !== undefined && isWanted(request)) found.push({ number, request })
    }
    return found
  }
}

export class RecentRequests extends Context.Service<RecentRequests, Ring>()(
  "lotbook/capabilities/operators/RecentRequests"
) {
  static readonly layer = Layer.effect(
    RecentRequests,
    Effect.map(machineTime, (machine) => new Ring(machine.now()))
  )
}
