/** Writes one log line and one metric for each request, whatever the log level. */
import type { Context } from "effect"
import { Effect, LogLevel, Metric, References } from "effect"
import { performance } from "node:perf_hooks"
import { machineTime } from "../../base/time/Times.ts"
import type { RecentRequest, Ring } from "../../capabilities/operators/RecentRequests.ts"
import { guestsPath } from "../../contract/guest/Endpoint.ts"
import { fromMillis } from "../../contract/Values.ts"
import { sessionIdIn } from "../../desk/access/Sessions.ts"
import type { Exchange } from "./Exchange.ts"
import type { Reply } from "./Reply.ts"

/** Duration of requests by operation, status and code. The histogram's count is the number of requests. */
const duration = Metric.histogram("lotbook_http_request_duration_seconds", {
  description: "Duration of requests from their headers to the writing of the answer, by operation, status and code",
  boundaries: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10]
})

/** The facts of an answered request. A request that could not be parsed has only an id. */
interface Answered extends Pick<Exchange, "requestId" | "startedAt"> {
  readonly incoming: Partial<Pick<Exchange["incoming"], "method" | "headers">>
  readonly caller?: Exchange["caller"]
  readonly contextId?: Exchange["contextId"]
  readonly posted?: Exchange["posted"]
  readonly tool?: Exchange["tool"]
  readonly route?: Exchange["route"]
  readonly pattern?: Exchange["pattern"]
  readonly program?: Exchange["program"]
  readonly sourceIp?: Exchange["sourceIp"]
  readonly session?: Exchange["session"]
}

/** Records an answered request. */
export type Record = (answered: Answered, reply: Reply) => void

/** The operation of unknown paths and of methods that a path does not have. */
const noOperation = "none"

/** Operations that machines poll on every service, every few seconds: their lines would hide the others. */
const polled: ReadonlySet<string> = new Set(["health", "ready", "metrics"])

/** Codes that refuse most requests of a flood, so that a line for each would be a flood too. */
const shed: ReadonlySet<string> = new Set(["overloaded", "rate_limited"])

/** Decides which requests get a line: the first ones of each second, and those that must have one. */
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
  take(now: number, mustHave: boolean): number | undefined {
    if (!mustHave) {
      if (now - this.startedAt >= 1_000) {
        this.startedAt = now
        this.count = 0
      }
      if (this.count >= this.perSecond) {
        this.omitted++
        return undefined
      }
      this.count++
    }
    const { omitted } = this
    this.omitted = 0
    return omitted
  }
}

/** Writes of known callers, calls of tools and errors always get a line, except those that are shed. */
const mustHaveLine = ({ caller, route, tool }: Answered, { code, status }: Reply): boolean =>
  !(code !== undefined && shed.has(code)) &&
  (status >= 500 || tool !== undefined || (caller !== undefined && route?.isWrite === true))

/** The trace of the request: of the span that the service opened for it, else the one that the caller names. */
const traceOf = ({ incoming }: Answered, { headers }: Reply): string | undefined => {
  const parent = headers?.["traceparent"] ?? incoming.headers?.["traceparent"]
  return typeof parent === "string" ? /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(parent)?.[1] : undefined
}

/** True if a session's cookie came, whether or not there is such a session. */
const cameWithSession = ({ headers }: Answered["incoming"]): boolean =>
  headers !== undefined &&
  headers.authorization === undefined &&
  sessionIdIn(headers.host, headers.cookie) !== undefined

const recentOf = (answered: Answered, reply: Reply, at: number, ms: number): RecentRequest => {
  const { caller, contextId, incoming, pattern, posted, program, requestId, route, session } = answered
  return {
    at,
    requestId,
    method: incoming.method ?? "-",
    route: route?.path ?? pattern,
    operation: route?.operation ?? noOperation,
    status: reply.status,
    code: reply.code,
    pointer: reply.named?.pointer,
    scope: reply.named?.scope,
    // Also of a refused request, whose session was not looked up or not found.
    isOfConsole: session !== undefined || (caller === undefined && cameWithSession(incoming)),
    ms,
    caller,
    program,
    traceId: traceOf(answered, reply),
    contextId,
    entries: posted?.entries,
    reservation: posted?.reservation
  }
}

/** The method, the route and the status. It has no path, because an unknown one may contain anything. */
const messageOf = ({ incoming, pattern, route }: Answered, { status }: Reply): string =>
  `${incoming.method ?? "-"} ${route?.path ?? pattern ?? "(unknown path)"} ${status}`

/** The address of somebody whose key may have been guessed. A guest who is not signed in yet guesses nothing. */
const addressOf = ({ route, sourceIp }: Answered, { status }: Reply): string | undefined =>
  status === 401 && route?.path.startsWith(guestsPath) !== true ? sourceIp : undefined

/**
 * The facts of a line, without personal data. The status is what programs look for first: the message is for people.
 */
const annotationsOf = (answered: Answered, reply: Reply, ms: number, omitted: number): object => {
  const { caller, contextId, posted, requestId, route, tool } = answered
  const { code = "", status } = reply
  const address = addressOf(answered, reply)
  const trace = traceOf(answered, reply)
  return {
    operation: route?.operation ?? noOperation,
    status,
    ms: Math.round(ms * 10) / 10,
    request_id: requestId,
    ...(trace === undefined ? undefined : { trace_id: trace }),
    ...(code === "" ? undefined : { code }),
    ...(caller === undefined ? undefined : { caller: caller.name }),
    ...(address === undefined ? undefined : { address }),
    ...(contextId === undefined || contextId === requestId ? undefined : { context_request_id: contextId }),
    ...posted,
    ...(route?.operation === "mcp" ? { via: "mcp" } : undefined),
    ...(tool === undefined ? undefined : { tool }),
    ...(omitted === 0 ? undefined : { omitted })
  }
}

/** Operations that the list of requests leaves out: the files of the page that shows it, and its own reads. */
const unlisted: ReadonlySet<string> = new Set([...polled, "console", "console_file", "requests"])

interface RequestLogOptions {
  /** Keeps the newest requests. */
  readonly ring?: Ring | undefined
  /** Most lines of reads and unknown callers a second, at info; undefined: all requests, at debug. */
  readonly perSecond?: number | undefined
  /** Writes a line of JSON, as the service's logger makes it. Undefined: lines go through Effect's loggers. */
  readonly write?: ((line: string) => void) | undefined
}

/** One series for each combination: Effect builds the attributes' key only once. */
const seriesBy = () => {
  const series = new Map<string, Metric.Metric<number, unknown>>()
  return (operation: string, status: number, code: string) => {
    const key = `${operation} ${status} ${code}`
    let one = series.get(key)
    if (one === undefined) {
      one = Metric.withAttributes(duration, { operation, status: String(status), code })
      series.set(key, one)
    }
    return one
  }
}

interface Line {
  readonly message: string
  readonly annotations: object
  readonly isDebug: boolean
}

const isAtLeast = (level: LogLevel.LogLevel, context: Context.Context<never>): boolean =>
  Effect.runSyncWith(context)(
    Effect.map(References.MinimumLogLevel, (minimum) => LogLevel.isLessThanOrEqualTo(minimum, level))
  )

/** Writes lines at once, or through Effect's loggers. */
const writerOf = (
  write: RequestLogOptions["write"],
  context: Context.Context<never>,
  machine: { readonly now: () => number }
) => {
  const run = Effect.runForkWith(context)
  return ({ annotations, isDebug, message }: Line): void => {
    if (write === undefined) {
      const log = isDebug ? Effect.logDebug : Effect.logInfo
      run(Effect.annotateLogs(log(message), annotations as { readonly [name: string]: unknown }))
    } else {
      const level = isDebug ? "DEBUG" : "INFO"
      write(JSON.stringify({ message, level, timestamp: fromMillis(machine.now()), annotations }))
    }
  }
}

const logOf = (
  { perSecond, ring, write }: RequestLogOptions,
  context: Context.Context<never>,
  machine: { readonly now: () => number }
) => ({
  ring,
  context,
  machine,
  seriesOf: seriesBy(),
  writeLine: writerOf(write, context, machine),
  isDebug: perSecond === undefined,
  isLogged: isAtLeast(perSecond === undefined ? "Debug" : "Info", context),
  isPollLogged: isAtLeast("Debug", context),
  sample: new Sample(perSecond ?? Infinity)
})

const record = (log: ReturnType<typeof logOf>, answered: Answered, reply: Reply): void => {
  const { route, startedAt } = answered
  const { code = "", status } = reply
  const now = performance.now()
  const ms = now - startedAt
  const operation = route?.operation ?? noOperation
  log.seriesOf(operation, status, code).updateUnsafe(ms / 1000, log.context)
  if (log.ring !== undefined && !unlisted.has(operation)) log.ring.add(recentOf(answered, reply, log.machine.now(), ms))
  const isPoll = polled.has(operation)
  if (isPoll ? !log.isPollLogged : !log.isLogged) return
  const omitted = log.sample.take(now, isPoll || mustHaveLine(answered, reply))
  if (omitted === undefined) return
  log.writeLine({
    message: messageOf(answered, reply),
    annotations: annotationsOf(answered, reply, ms, omitted),
    isDebug: log.isDebug || isPoll
  })
}

/**
 * Counts every request, and logs it: at info at most `perSecond` reads a second, and writes and errors always. Polls of
 * health and metrics are only logged at debug.
 */
export const make = (options: RequestLogOptions = {}): Effect.Effect<Record> =>
  Effect.map(Effect.all([Effect.context<never>(), machineTime]), ([context, machine]): Record => {
    const log = logOf(options, context, machine)
    return (answered, reply) => record(log, answered, reply)
  })
