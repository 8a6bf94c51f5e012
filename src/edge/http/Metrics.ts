/**
 * `GET /metrics` in the Prometheus format, whatever its role, and the metrics of
 * the process. Other metrics are defined in the modules that they measure.
 */

import type { Metric, Scope } from "effect"
import { Effect } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { monitorEventLoopDelay, performance } from "node:perf_hooks"
import { commit } from "../../base/metrics/Build.ts"
import * as Series from "../../base/metrics/Series.ts"
import { softwareVersion } from "../../contract/Version.ts"
import type { Node } from "../../core/cluster/Node.ts"
import * as Bounds from "./Bounds.ts"
import type { Load } from "./Load.ts"
import type { Route } from "./Route.ts"

interface MetricsOptions {
  readonly node: Node["Service"]
  readonly load: Load
  readonly isFrozen: () => boolean
}

const format = Effect.map(PrometheusMetrics.format(), (body) => ({
  status: 200,
  body,
  contentType: "text/plain; version=0.0.4; charset=utf-8"
}))

export const route: Route = {
  method: "GET",
  path: "/metrics",
  operation: "metrics",
  auth: "bearer",
  scopes: ["metrics:read"],
  isForEveryRole: true,
  run: () => format
}

const flag = (is: boolean): number => (is ? 1 : 0)

/** Quantiles of windows of `eventLoopWindowMs`, so that several scrapers get the same values. */
const eventLoop = Effect.gen(function* () {
  const delays = monitorEventLoopDelay({ resolution: Bounds.eventLoopResolutionMs })
  // A measured delay includes the timer's own interval.
  const secondsOf = (nanos: number) => Math.max(0, nanos / 1e9 - Bounds.eventLoopResolutionMs / 1000)
  let state: Metric.SummaryState = {
    quantiles: [0.5, 0.99, 1].map((quantile) => [quantile, 0]),
    count: 0,
    min: 0,
    max: 0,
    sum: 0
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => delays.enable()),
    () => Effect.sync(() => delays.disable())
  )
  yield* Series.summary(
    "lotbook_event_loop_delay_seconds",
    {
      description: "How late the event loop came to a timer: quantiles of the last 10 s, sum and count since the start"
    },
    () => state
  )
  const take = Effect.sync(() => {
    const { count } = delays
    if (count > 0)
      state = {
        quantiles: state.quantiles.map(([quantile]) => [quantile, secondsOf(delays.percentile(quantile * 100))]),
        count: state.count + count,
        min: secondsOf(delays.min),
        max: secondsOf(delays.max),
        sum: state.sum + count * secondsOf(delays.mean)
      }
    delays.reset()
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(Bounds.eventLoopWindowMs), take)))
})

/** Version, memory and processor time of the process. */
const ofProcess = Effect.gen(function* () {
  const startedAt = performance.timeOrigin / 1000
  const cpuSeconds = () => {
    const { system, user } = process.cpuUsage()
    return (system + user) / 1e6
  }
  yield* Series.gauge(
    "lotbook_process_start_time_seconds",
    { description: "When the process began, seconds since 1970" },
    () => startedAt
  )
  yield* Series.counter(
    "lotbook_process_cpu_seconds_total",
    { description: "Processor time used, user and system" },
    cpuSeconds
  )
  yield* Series.gauge(
    "lotbook_process_resident_memory_bytes",
    { description: "Memory that the process occupies" },
    process.memoryUsage.rss
  )
  yield* Series.gauge(
    "lotbook_process_heap_bytes",
    { description: "Memory of live and not yet collected JavaScript objects" },
    () => process.memoryUsage().heapUsed
  )
})

/** Begins the metrics of the server and its process; they end with the scope. */
export const start = ({ node, isFrozen, load }: MetricsOptions): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    yield* Series.gauge(
      "lotbook_info",
      {
        description: "1, with the version, its commit and the kind of the database",
        attributes: { version: softwareVersion, commit: commit(), environment: node.environment }
      },
      () => 1
    )
    yield* Series.gauge(
      "lotbook_node_joined",
      { description: "1 if this service is a node of its database, 0 before it has joined and while it leaves" },
      () => flag(node.role() === "node")
    )
    yield* Series.gauge(
      "lotbook_node_confirmed",
      { description: "1 if the database has confirmed in time that this node is alive" },
      () => flag(node.isCurrent())
    )
    yield* Series.gauge(
      "lotbook_clock_difference_seconds",
      { description: "How far the machine's clock is ahead of PostgreSQL's; negative: behind" },
      () => node.clockAheadMs() / 1000
    )
    yield* Series.gauge(
      "lotbook_clock_disagrees",
      { description: "1 while this node answers nothing because of its clock" },
      () => flag(node.clockFault() !== undefined)
    )
    yield* Series.gauge("lotbook_write_frozen", { description: "1 while writes are refused" }, () => flag(isFrozen()))
    yield* Series.gauge(
      "lotbook_http_operations_in_flight",
      { description: "Operations of the protocol in flight" },
      () => load.size
    )
    yield* ofProcess
    yield* eventLoop
  })
