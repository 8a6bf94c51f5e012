/**
 * The route of the Model Context Protocol: the gate's checks, the page that a browser's request comes from, and the
 * questions of the tools to the other routes (contract/operators.md *Assistants*).
 */
import { Effect, Result, Scope } from "effect"
import { Readable } from "node:stream"
import { maxBodyBytes } from "../../contract/protocol/Protocol.ts"
import { Asking, type Question, ToolRefused } from "../mcp/Asking.ts"
import { escaped } from "../mcp/GuestText.ts"
import type { Guides } from "../mcp/Guides.ts"
import * as Mcp from "../mcp/Server.ts"
import * as Body from "./Body.ts"
import { overloaded, refuseCaller, refuseContent } from "./Checks.ts"
import type { Cors } from "./Cors.ts"
import * as Csrf from "./Csrf.ts"
import type { Exchange } from "./Exchange.ts"
import type { Load } from "./Load.ts"
import * as Query from "./Query.ts"
import type { Reply } from "./Reply.ts"
import { problem } from "./Reply.ts"
import type { Admitted, Route, Routes } from "./Route.ts"

interface Options {
  /** The routes that tools may ask. */
  readonly routes: Routes
  readonly guides: Guides
  readonly load: Load
  readonly cors: Cors
  /** Origin of the service for people's browsers; undefined: this machine alone. */
  readonly publicUrl: string | undefined
}

const targetOf = ({ path, query = {} }: Question): string => {
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`]
  )
  return parameters.length === 0 ? path : `${path}?${parameters.join("&")}`
}

/** Asks a route within a request, for its caller: every check of the gate that concerns caller and content is made. */
const replyTo = ({ load, routes }: Options, exchange: Exchange, question: Question): Reply | Effect.Effect<Reply> => {
  const inner = exchange.within(question.method, targetOf(question))
  const found = routes.find(question.method, inner.path)
  if ("status" in found) return found
  const { params, route } = found
  if (route.isWrite === true) throw new Error(`a tool may not ask ${route.operation}, which changes something`)
  inner.route = route
  inner.params = params
  const decoded = question.body === undefined ? undefined : route.body?.decode?.(question.body, inner.caller)
  if (decoded !== undefined && Result.isFailure(decoded)) return Body.invalid(inner.path, decoded.failure)
  const body = decoded?.success
  const refused = refuseCaller(inner, route) ?? refuseContent(inner, route, body)
  if (refused !== undefined) return refused
  const bytes = question.body === undefined ? undefined : Buffer.from(JSON.stringify(question.body))
  if (route.isBounded !== true) return route.run({ exchange: inner, body, bytes })
  if (load.isFull(0)) return overloaded(inner.path)
  const running = route.run({ exchange: inner, body, bytes })
  if (!Effect.isEffect(running)) return running
  load.begin()
  return Effect.ensuring(
    running,
    Effect.sync(() => load.end())
  )
}

interface Told {
  readonly code: string
  readonly detail: string
  readonly errors?: ReadonlyArray<{ readonly path: string; readonly message: string }>
}

const refusedBy = ({ code, detail, errors = [] }: Told): ToolRefused => {
  const faults = errors.map(({ message, path }) => ` ${path} ${message}.`)
  return new ToolRefused({ code, message: escaped(`${code}: ${detail}${faults.join("")}`) })
}

const bodyOf = ({ body }: Reply): unknown => {
  if (body instanceof Readable) throw new Error("a tool may not ask a route that streams")
  return JSON.parse(body.toString())
}

const askingOf = (options: Options, exchange: Exchange): Asking["Service"] => ({
  requestId: exchange.requestId,
  called: (tool) => {
    exchange.tool = tool
  },
  // The route's schema has made the answer that the tool expects.
  ask: <A extends object>(question: Question) =>
    Effect.suspend(() => {
      const reply = replyTo(options, exchange, question)
      return Effect.isEffect(reply) ? reply : Effect.succeed(reply)
    }).pipe(
      Effect.flatMap((reply) =>
        reply.status < 300 ? Effect.succeed(bodyOf(reply) as A) : Effect.fail(refusedBy(bodyOf(reply) as Told))
      )
    )
})

/** The headers of MCP, and no others: the checks of the others have been made. */
const headersOf = ({ incoming }: Exchange): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(incoming.headers).filter(
      (header): header is [string, string] => header[0].startsWith("mcp-") && typeof header[1] === "string"
    )
  )

const foreignOrigin = (path: string): Reply =>
  problem("forbidden", { detail: "The request comes from a page of another origin.", instance: path })

/** The route. The server is built at its first request. */
export const make = (options: Options): Effect.Effect<Route, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const server = yield* Effect.cached(Effect.provideService(Mcp.make(options.guides), Scope.Scope, scope))
    const run = ({ body, exchange }: Admitted): Reply | Effect.Effect<Reply> => {
      const { headers } = exchange.incoming
      if (!options.cors.allows(headers) && !Csrf.isFromHere(headers, options.publicUrl))
        return foreignOrigin(exchange.path)
      const posted = { message: body as Readonly<Record<string, unknown>>, headers: headersOf(exchange) }
      return Effect.flatMap(server, (answer) => answer(posted)).pipe(
        Effect.map((answered): Reply => ({ status: answered.status, body: answered.body ?? "" })),
        Effect.provideService(Asking, askingOf(options, exchange))
      )
    }
    return {
      method: "POST",
      path: Mcp.path,
      operation: "mcp",
      auth: "admin",
      budget: "platform",
      body: { mediaTypes: Body.jsonTypes, maxBytes: maxBodyBytes, decode: Result.succeed },
      query: Query.none,
      run
    } satisfies Route
  })
