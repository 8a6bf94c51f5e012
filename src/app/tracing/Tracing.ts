/**
 * Sends traces to an OpenTelemetry collector; off by default. Decorators of routes,
 * accounts and journal make the spans. Without tracing they are not installed.
 */
import { Config, Effect, identity, Layer, Option, Tracer } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { OtlpExporter, OtlpSerialization, OtlpTracer } from "effect/observability"
import * as LogEvent from "../../base/metrics/LogEvent.ts"
import { softwareVersion } from "../../contract/Version.ts"
import type { Accounts } from "../../core/account/Accounts.ts"
import type { Journal } from "../../core/journal/Journal.ts"
import type { Route } from "../../edge/http/Route.ts"
import * as TracedAccounts from "./TracedAccounts.ts"
import * as TracedJournal from "./TracedJournal.ts"
import * as TracedRoute from "./TracedRoute.ts"

/** Longest wait for the collector when the service stops, ms: a stop must take at most 10 s in all. */
const shutdownMs = 500

export interface Tracing {
  readonly accounts: <E, R>(layer: Layer.Layer<Accounts, E, R>) => Layer.Layer<Accounts, E, R>
  readonly journal: <E, R>(layer: Layer.Layer<Journal, E, R>) => Layer.Layer<Journal, E, R>
  readonly route: (route: Route) => Route
  /** The exporter of spans. */
  readonly tracer: Layer.Layer<never>
}

const off: Tracing = { accounts: identity, journal: identity, route: identity, tracer: Layer.empty }

/** Drops spans outside of requests: the service itself queries PostgreSQL several times a second. */
const ofRequests = (tracer: Tracer.Tracer): Tracer.Tracer => ({
  ...tracer,
  span: (options) =>
    tracer.span(options.kind === "server" || Option.isSome(options.parent) ? options : { ...options, sampled: false })
})

/** Name and version for the collector. Sets no name if the environment has one, because it would override that. */
const resource = Effect.gen(function* () {
  const named = yield* Config.option(Config.String("OTEL_SERVICE_NAME"))
  const attributes = yield* Config.option(Config.String("OTEL_RESOURCE_ATTRIBUTES"))
  const isNamed = Option.isSome(named) || /(^|,)\s*service\.name\s*=/.test(Option.getOrElse(attributes, () => ""))
  return { ...(isNamed ? {} : { serviceName: "lotbook" }), serviceVersion: softwareVersion }
}).pipe(Effect.orDie)

/** Logs once when the collector begins to fail, and once when it works again. The exporter itself logs neither. */
export const loggingOutages = (client: HttpClient.HttpClient, url: string): HttpClient.HttpClient => {
  let isFailing = false
  const fails = (reason: string) =>
    Effect.suspend(() => {
      const wasFailing = isFailing
      isFailing = true
      if (wasFailing) return Effect.void
      return Effect.logWarning(`The trace collector at ${url} does not accept spans, and they are lost: ${reason}`)
    })
  const works = Effect.suspend(() => {
    const wasFailing = isFailing
    isFailing = false
    return wasFailing ? Effect.logInfo(`The trace collector at ${url} accepts spans again`) : Effect.void
  })
  return HttpClient.transformResponse(client, (answer) =>
    answer.pipe(
      Effect.tap(({ status }) => (status < 400 ? works : fails(`it answers ${status}`))),
      Effect.tapError((error) => fails(LogEvent.reasonOf(error)))
    )
  )
}

const tracerOf = (endpoint: string) => {
  const url = `${endpoint.replace(/\/+$/, "")}/v1/traces`
  const client = Layer.effect(
    HttpClient.HttpClient,
    Effect.map(HttpClient.HttpClient, (found) => loggingOutages(found, url))
  ).pipe(Layer.provide(FetchHttpClient.layer))
  const tracer = Effect.flatMap(resource, (found) =>
    OtlpTracer.make({ url, resource: found, shutdownTimeout: shutdownMs })
  )
  return Layer.effect(Tracer.Tracer, Effect.map(tracer, ofRequests)).pipe(
    Layer.provide([OtlpExporter.layerFlusher, OtlpSerialization.layerJson, client])
  )
}

/** Tracing to the collector at this address; undefined: none. */
export const to = (endpoint: string | undefined): Tracing =>
  endpoint === undefined
    ? off
    : {
        accounts: TracedAccounts.layer,
        journal: TracedJournal.layer,
        route: TracedRoute.traced,
        tracer: tracerOf(endpoint)
      }
