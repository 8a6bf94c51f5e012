/** Counts of requests over connections, for metrics and for when a connection was seen last. */
import { Effect, Metric } from "effect"
import type { Query } from "../../../base/database/Pools.ts"
import { int8 } from "../../../base/database/Values.ts"
import * as Series from "../../../base/metrics/Series.ts"
import * as Bounds from "./Bounds.ts"
import type { KnownConnection } from "./KnownConnections.ts"

const total = Metric.counter("lotbook_connection_requests_total", {
  description: "Requests of tills over connections, by vendor, type and outcome",
  incremental: true
})
const duration = Metric.histogram("lotbook_connection_request_duration_seconds", {
  description: "Time that requests of tills over connections took, by vendor and type",
  boundaries: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]
})

/** `again`: the till asks again. */
const outcomes = ["accepted", "refused", "again"] as const
export type Outcome = (typeof outcomes)[number]

/** Counts requests of a vendor. All series are visible before the first request; a series is made once, not with each request. */
export const make = Effect.fnUntraced(function* <Type extends string>(vendor: string, types: ReadonlyArray<Type>) {
  const context = yield* Effect.context<never>()
  const series = new Map(
    types.map((type) => {
      const totals = outcomes.map(
        (outcome) => [outcome, Metric.withAttributes(total, { vendor, type, outcome })] as const
      )
      return [type, { duration: Metric.withAttributes(duration, { vendor, type }), totals: new Map(totals) }] as const
    })
  )
  for (const of of series.values()) {
    yield* Series.begin(of.duration)
    for (const one of of.totals.values()) yield* Series.begin(one)
  }
  return (type: Type, outcome: Outcome, ms: number): void => {
    const of = series.get(type)
    of?.totals.get(outcome)?.updateUnsafe(1, context)
    of?.duration.updateUnsafe(ms / 1000, context)
  }
})

/** Notes when connections are used, at most every `Bounds.seenMs` for each. */
export class Seen {
  private readonly at = new Map<number, number>()

  /** Undefined: it was noted a moment ago. */
  note(query: Query, { n }: KnownConnection, now: number): Effect.Effect<void> | undefined {
    if (now < (this.at.get(n) ?? -Infinity) + Bounds.seenMs) return undefined
    this.at.set(n, now)
    return Effect.ignore(
      query("UPDATE connections SET last_seen_at = greatest(last_seen_at, $2) WHERE n = $1", [int8(n), int8(now)])
    )
  }
}

/** Searches by name of each restaurant in this minute. */
export class NameSearches {
  private minute = 0
  private readonly counts = new Map<string, number>()

  /** False: the restaurant has used them up. */
  take(restaurant: string, now: number): boolean {
    const minute = Math.floor(now / 60_000)
    if (minute !== this.minute) this.counts.clear()
    this.minute = minute
    const count = this.counts.get(restaurant) ?? 0
    this.counts.set(restaurant, count + 1)
    return count < Bounds.nameSearches
  }
}
