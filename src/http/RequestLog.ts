/** Writes one log line and one metric for each request, whatever the log level. */
import { Effect, LogLevel, Metric, References } from "effect"
import type { Context } from "effect"
import { performance } from "node:perf_hooks"
import type { Exchange } from "./Exchange.ts"
import type { Reply } from "./Reply.ts"

/** Duration of requests by operation, status and code. The histogram's count is the number of requests. */
export const duration = Metric.histogram("lotbook_http_request_duration_seconds", {
  description: "Duration of requests from their headers to the writing of the answer, by operation, status and code",
  boundaries: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10]
})

/** Records an answered exchange. */
export type Record = (exchange: Exchange, reply: Reply) => void

/** The operation of unknown paths and of methods that a path does not have. */
const noOperation = "none"

export const make: Effect.Effect<Record> = Effect.map(
  Effect.context<never>(),
  (context: Context.Context<never>): Record => {
    // One series for each combination: Effect builds the attributes' key only once.
    const series = new Map<string, Metric.Metric<number, unknown>>()
    const seriesOf = (operation: string, status: number, code: string) => {
      const key = `${operation} ${status} ${code}`
      let one = series.get(key)
      if (one === undefined) {
        one = Metric.withAttributes(duration, { operation, status: String(status), code })
        series.set(key, one)
      }
      return one
    }
    const run = Effect.runForkWith(context)
    const isLogged = Effect.runSyncWith(context)(
      Effect.map(References.MinimumLogLevel, (minimum) => LogLevel.isLessThanOrEqualTo(minimum, "Debug"))
    )
    return ({ caller, incoming, path, requestId, route, startedAt }, { code = "", status }) => {
      const ms = performance.now() - startedAt
      const operation = route?.operation ?? noOperation
      seriesOf(operation, status, code).updateUnsafe(ms / 1000, context)
      if (!isLogged) return
      const method = incoming.method ?? ""
      run(
        Effect.logDebug(`${method} ${path} ${status}`).pipe(
          Effect.annotateLogs({
            method,
            route: route?.path ?? path,
            operation,
            status,
            ms: Math.round(ms * 10) / 10,
            request_id: requestId,
            ...(code === "" ? {} : { code }),
            ...(caller === undefined ? {} : { caller: caller.name })
          })
        )
      )
    }
  }
)
