/** Decorates routes with a span for each request that has passed every check. */
import { Effect, Option } from "effect"
import { Headers, HttpTraceContext } from "effect/http"
import type { Reply } from "../../edge/http/Reply.ts"
import type { Admitted, Route } from "../../edge/http/Route.ts"

/** The caller's span, from the header `traceparent`. */
const parentOf = (traceparent: string | ReadonlyArray<string> | undefined) =>
  typeof traceparent === "string"
    ? Option.getOrUndefined(HttpTraceContext.w3c(Headers.fromInput({ traceparent })))
    : undefined

/** Runs a request in a span. The reply has the span's `traceparent`. */
const spanned = ({ method, operation, path }: Route, { exchange }: Admitted, running: Effect.Effect<Reply>) => {
  const parent = parentOf(exchange.incoming.headers["traceparent"])
  const attributes = {
    "http.request.method": method,
    "http.route": path,
    "lotbook.operation": operation,
    "lotbook.request_id": exchange.requestId
  }
  const options = { kind: "server", attributes, ...(parent === undefined ? { root: true } : { parent }) } as const
  return Effect.useSpan(`${method} ${path}`, options, (span) =>
    Effect.map(Effect.withParentSpan(running, span), (reply): Reply => {
      span.attribute("http.response.status_code", reply.status)
      const { traceparent = "" } = HttpTraceContext.toHeaders(span)
      return { ...reply, headers: { ...reply.headers, traceparent } }
    })
  )
}

/**
 * Decorates a route. Leaves out public routes and metrics: probes and scrapers call
 * them all the time.
 */
export const traced = (route: Route): Route => {
  if (route.auth === "none" || route.operation === "metrics") return route
  return {
    ...route,
    run: (admitted) => {
      const running = route.run(admitted)
      return Effect.isEffect(running) ? spanned(route, admitted, running) : running
    }
  }
}
