/** Writes one log line and one metric for each request, whatever the log level. */
import { Effect, LogLevel, Metric, References } from "effect"
import type { Context } from "effect"
import { performance } from "node:perf_hooks"
import type { Exchange } from "./Exchange.ts"
import type { Reply } from "./Reply.ts"

/** Duration of requests by operation, status and code. The histogram's count is the number of requests. */
const duration = Metric.histogram("lotbook_http_request_duration_seconds", {
  description: "Duration of requests from their headers to the writing of the answer, by operation, status and code",
  boundaries: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10]
})

/** The facts of an answered request. A request that could not be parsed has only an id. */
export interface Answered extends Pick<Exchange, "requestId" | "startedAt"> {
  readonly incoming: { readonly method?: string | undefined }
  readonly caller?: Exchange["caller"]
  readonly contextId?: Exchange["contextId"]
  readonly route?: Exchange["route"]
  readonly pattern?: Exchange["pattern"]
}

/** Records an answered request. */
export type Record = (answered: Answered, reply: Reply) => void

/** The operation of unknown paths and of methods that a path does not have. */
const noOperation = "none"

/** Operations that machines poll on every service, every few seconds: their lines would hide the others. */
const polled: ReadonlySet<string> = new Set(["health", "ready", "standby", "metrics"])

/** Decides which requests get a line: the first ones of each second, and errors. */
class Sample {
  private readonly perSecond: number
  private startedAt = -Infinity
  private count = 0
  private omitted = 0

  constructor(perSecond: number) {
    this.perSecond = perSecond
  }

  /**
   * The number of requests without a line since the last line; undefined if this one gets none. `now` in ms, monotonic.
   */
  take(now: number, isError: boolean): number | undefined {
    if (now - this.startedAt >= 1_000) {
      this.startedAt = now
      this.count = 0
    }
    if (!isError && this.count >= this.perSecond) {
      this.omitted++
      return undefined
    }
    this.count++
    const { omitted } = this
    this.omitted = 0
    return omitted
  }
}

/** Errors always get a line, except `overloaded`: under overload it is most answers. */
const isError = (status: number, code: string): boolean => status >= 500 && code !== "overloaded"

/**
 * Counts every request. Logs at most `perSecond` lines a second at info, and errors always; undefined: all at debug.
 * Polls of health and metrics are only logged at debug. A line has no path: an unknown one may contain anything.
 */
export const make = (perSecond?: number): Effect.Effect<Record> =>
  Effect.map(Effect.context<never>(), (context: Context.Context<never>): Record => {
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
    const isAtLeast = (level: LogLevel.LogLevel) =>
      Effect.runSyncWith(context)(
        Effect.map(References.MinimumLogLevel, (minimum) => LogLevel.isLessThanOrEqualTo(minimum, level))
      )
    const isLogged = isAtLeast(perSecond === undefined ? "Debug" : "Info")
    const isPollLogged = isAtLeast("Debug")
    const sample = new Sample(perSecond ?? Infinity)
    return ({ caller, contextId, incoming, pattern, requestId, route, startedAt }, { code = "", status }) => {
      const now = performance.now()
      const ms = now - startedAt
      const operation = route?.operation ?? noOperation
      seriesOf(operation, status, code).updateUnsafe(ms / 1000, context)
      const isPoll = polled.has(operation)
      if (isPoll ? !isPollLogged : !isLogged) return
      const log = perSecond === undefined || isPoll ? Effect.logDebug : Effect.logInfo
      const omitted = sample.take(now, isPoll || isError(status, code))
      if (omitted === undefined) return
      const method = incoming.method ?? "-"
      const place = route?.path ?? pattern
      run(
        log(`${method} ${place ?? "(unknown path)"} ${status}`).pipe(
          Effect.annotateLogs({
            method,
            operation,
            status,
            ms: Math.round(ms * 10) / 10,
            request_id: requestId,
            ...(place === undefined ? {} : { route: place }),
            ...(code === "" ? {} : { code }),
            ...(caller === undefined ? {} : { caller: caller.name }),
            ...(contextId === undefined ? {} : { context_request_id: contextId }),
            ...(omitted === 0 ? {} : { omitted })
          })
        )
      )
    }
  })
