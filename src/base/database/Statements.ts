/** Measures the statements of a pool of connections. */
import { Effect, Metric } from "effect"
import type { Scope } from "effect"
import { performance } from "node:perf_hooks"
import * as Series from "../metrics/Series.ts"

const duration = Metric.histogram("lotbook_postgres_statement_duration_seconds", {
  description: "Time from a statement's request to its answer, with the wait for a connection, by pool",
  boundaries: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]
})

/** Runs a statement and measures it. */
type Measured = <A, E, R>(statement: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

export const measured = Effect.fnUntraced(function* (pool: string): Effect.fn.Return<Measured, never, Scope.Scope> {
  const context = yield* Effect.context<never>()
  const series = Metric.withAttributes(duration, { pool })
  let inFlight = 0
  yield* Series.begin(series)
  yield* Series.gauge(
    "lotbook_postgres_statements_in_flight",
    { description: "Statements that wait for a connection or an answer, by pool", attributes: { pool } },
    () => inFlight
  )
  return (statement) =>
    Effect.suspend(() => {
      const startedAt = performance.now()
      inFlight++
      return Effect.onExit(statement, () =>
        Effect.sync(() => {
          inFlight--
          series.updateUnsafe((performance.now() - startedAt) / 1000, context)
        })
      )
    })
})
