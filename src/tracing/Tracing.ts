/**
 * Traces for an OpenTelemetry collector, off by default. Decorators around routes,
 * accounts and journal make the spans; without tracing none of them is there.
 */
import { Effect, Layer, Option, Tracer } from "effect"
import { FetchHttpClient } from "effect/http"
import { OtlpExporter, OtlpSerialization, OtlpTracer } from "effect/observability"
import type { Accounts } from "../account/Accounts.ts"
import { softwareVersion } from "../contract/Version.ts"
import type { Route } from "../http/Route.ts"
import type { Journal } from "../journal/Journal.ts"
import * as TracedAccounts from "./TracedAccounts.ts"
import * as TracedJournal from "./TracedJournal.ts"
import * as TracedRoute from "./TracedRoute.ts"

/** Longest wait for the collector when the service stops, ms: a stop must take at most 10 s in all. */
const shutdownMs = 500

export interface Tracing {
  readonly accounts: <E, R>(layer: Layer.Layer<Accounts, E, R>) => Layer.Layer<Accounts, E, R>
  readonly journal: <E, R>(layer: Layer.Layer<Journal, E, R>) => Layer.Layer<Journal, E, R>
  readonly route: (route: Route) => Route
  /** Where spans go. */
  readonly tracer: Layer.Layer<never>
}

const same = <A>(one: A): A => one

const off: Tracing = { accounts: same, journal: same, route: same, tracer: Layer.empty }

/** Leaves out spans of no request: the service asks PostgreSQL by itself several times a second. */
const ofRequests = (tracer: Tracer.Tracer): Tracer.Tracer => ({
  ...tracer,
  span: (options) =>
    tracer.span(options.kind === "server" || Option.isSome(options.parent) ? options : { ...options, sampled: false })
})

const tracerOf = (endpoint: string) =>
  Layer.effect(
    Tracer.Tracer,
    Effect.map(
      OtlpTracer.make({
        url: `${endpoint.replace(/\/+$/, "")}/v1/traces`,
        resource: { serviceName: "lotbook", serviceVersion: softwareVersion },
        shutdownTimeout: shutdownMs
      }),
      ofRequests
    )
  ).pipe(Layer.provide([OtlpExporter.layerFlusher, OtlpSerialization.layerJson, FetchHttpClient.layer]))

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
