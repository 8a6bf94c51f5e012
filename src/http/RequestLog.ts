/** The one line in the log and the one metric of each request, at whatever level the log is. */
import { Effect, LogLevel, Metric, References } from "effect"
import type { Context } from "effect"
import { performance } from "node:perf_hooks"
import type { Exchange } from "./Exchange.ts"
import type { Reply } from "./Reply.ts"

/** Duration of requests by operation, status and code; their number is its count. */
export const duration = Metric.histogram("lotbook_http_request_duration_ms", {
  description: "How long requests took, from their head to the writing of their answer, ms",
  boundaries: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000]
})

/** Says that an exchange has been answered. */
export type Record = (exchange: Exchange, reply: Reply) => void

/** Paths that nothing is at, and methods that a path does not have. */
const noOperation = "none"

export const make: Effect.Effect<Record> = Effect.map(
  Effect.context<never>(),
  (context: Context.Context<never>): Record => {
    // One for each combination: the attributes are made into a key only once.
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
      seriesOf(operation, status, code).updateUnsafe(ms, context)
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
