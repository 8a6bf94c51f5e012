/**
 * From bytes to an operation and back: routing, authentication, freeze, body,
 * schema, in exactly the order of decisions.md §1; every error a problem document.
 */
import { NodeHttpServerRequest } from "@effect/platform-node"
import type { Cause } from "effect"
import { Context, Effect, LogLevel, References, Result } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { IncomingMessage, ServerResponse } from "node:http"
import * as Codes from "../account/Codes.ts"
import * as Stage from "../concurrency/Stage.ts"
import { strictDecoder } from "../contract/Decode.ts"
import { decodeRequest } from "../contract/Decode.ts"
import type { OperationId, Scope } from "../contract/protocol/Operations.ts"
import { operationIds, operations } from "../contract/protocol/Operations.ts"
import { profile, protocolVersion } from "../contract/protocol/Protocol.ts"
import { fromMillis } from "../contract/Values.ts"
import * as Body from "./Body.ts"
import * as Bounds from "./Bounds.ts"
import type { Connections, Head, InFlight, Unroutable } from "./Connections.ts"
import { details } from "./Connections.ts"
import * as Front from "./Front.ts"
import type { Answer, Caller, Handled, Handlers } from "../protocol/Handler.ts"
import { mayUse } from "../protocol/Handler.ts"
import type { Load } from "./Load.ts"
import type { Reply } from "./Reply.ts"
import { connectionLines, headersOf, pathOf, problem, textOf, textsOf } from "./Reply.ts"

export interface Exchange extends Body.WithBody {
  readonly requestId: string
  readonly caller: Caller | undefined
}

/** A route: who may, whether it writes, and what it does. */
export interface Route {
  readonly auth: "none" | "bearer" | "admin"
  readonly scope?: Scope
  readonly write?: boolean
  /** What it answers where no more can be carried out now; absent, it always runs. */
  readonly overloaded?: Reply
  readonly run: (exchange: Exchange) => Effect.Effect<Reply>
}

export interface TransportOptions {
  readonly routes: ReadonlyMap<string, ReadonlyMap<string, Route>>
  /** Who a connection's header belongs to. */
  readonly authenticate: (connection: object, header: string | undefined) => Caller | undefined
  readonly isAdmin: (header: string | undefined) => boolean
  readonly isFrozen: () => boolean
  readonly load: Load
}

const identifier = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/

/** What a handler gave, as a reply. */
const replyTo = (exchange: Exchange, requestId: string, handled: Handled): Reply => {
  const instance = exchange.path
  switch (handled._tag) {
    case "Answer":
      return { status: handled.status, ...answerBody(requestId, handled) }
    case "Refusal":
      return problem(handled.code, { detail: handled.detail, instance, errors: handled.errors })
    case "Unavailable":
      return problem("storage_unavailable", {
        detail: "The journal is out of reach; send the request again with its key.",
        instance
      })
    case "Overloaded":
      return problem("overloaded", { detail: "Too much is waiting; nothing was done.", instance })
    case "Frozen":
      return problem("write_frozen", { detail: "Writes are frozen; reads work.", instance })
  }
}

/** What every answer begins with, up to the request's id. */
const answerStart = `{"context":{"protocol_version":${JSON.stringify(protocolVersion)},"profile":${JSON.stringify(profile)},"request_id":`

/** The length is that of its parts: asked of the whole, V8 would gather it now, and again behind the headers. */
const answerBody = (requestId: string, answer: Answer): Pick<Reply, "body" | "bodyBytes"> => {
  const members = JSON.stringify(answer.body).slice(1)
  const context = `${answerStart}${JSON.stringify(requestId)},"processed_at":"${fromMillis(answer.processedAt)}"}`
  const start = members === "}" ? context : `${context},`
  return { body: start + members, bodyBytes: Buffer.byteLength(start) + Buffer.byteLength(members) }
}

interface Scoped {
  readonly context: { readonly request_id: string }
  readonly program_id?: string
  readonly order?: { readonly scope: { readonly program_id: string } }
}

/** The route of an operation: decode, check the programme, handle. */
const operationRoute = <Id extends OperationId>(id: Id, handlers: Handlers["Service"], load: Load): Route => {
  const { path, scope, write } = operations[id]
  const overloaded = problem("overloaded", { detail: "Too much is waiting; nothing was done.", instance: path })
  const decode = (json: object) => decodeRequest(id, json)
  const handle = handlers[id] as (request: unknown, caller: Caller) => Effect.Effect<Handled>
  const run = (exchange: Exchange): Effect.Effect<Reply> =>
    Effect.flatMap(Body.decoded(exchange, decode), (decoded) => {
      if (Result.isFailure(decoded)) return Effect.succeed(decoded.failure)
      const request: Scoped = decoded.success
      const { caller } = exchange
      if (caller === undefined) throw new Error("an operation has a caller")
      const program = request.program_id ?? request.order?.scope.program_id
      if (program !== undefined && !mayUse(caller, program)) {
        return Effect.succeed(
          problem("forbidden", { detail: `The token is not for programme ${program}.`, instance: exchange.path })
        )
      }
      if (load.isFull(0)) return Effect.succeed(overloaded)
      const { request_id } = request.context
      // What throws before there is anything to carry out must not count for ever.
      const handling = handle(request, caller)
      load.begin()
      return Effect.matchCauseEffect(handling, {
        onSuccess: (handled) => {
          load.end()
          return Effect.succeed(replyTo(exchange, request_id, handled))
        },
        onFailure: (cause) => {
          load.end()
          return Effect.failCause(cause)
        }
      })
    })
  return { auth: "bearer", scope, write, run, overloaded }
}

/** The routes of all operations. */
export const operationRoutes = (
  handlers: Handlers["Service"],
  load: Load
): ReadonlyArray<readonly [string, string, Route]> =>
  operationIds.map((id) => ["POST", operations[id].path, operationRoute(id, handlers, load)] as const)

/** A strict body for routes that are no operations. */
export const withBody = <A>(
  schema: Parameters<typeof strictDecoder<A>>[0],
  handle: (value: A, exchange: Exchange) => Effect.Effect<Reply>
): Route["run"] => {
  const decode = strictDecoder(schema)
  return (exchange) =>
    Effect.flatMap(Body.decoded(exchange, decode), (decoded) =>
      Result.isFailure(decoded) ? Effect.succeed(decoded.failure) : handle(decoded.success, exchange)
    )
}

/** Collects routes into the table that the transport looks into. */
export const table = (routes: Iterable<readonly [string, string, Route]>): TransportOptions["routes"] => {
  const paths = new Map<string, Map<string, Route>>()
  for (const [method, path, route] of routes) {
    const methods = paths.get(path) ?? new Map<string, Route>()
    methods.set(method, route)
    paths.set(path, methods)
  }
  return paths
}

const permit = (
  options: TransportOptions,
  route: Route,
  connection: object,
  head: Head,
  path: string
): Caller | Reply | undefined => {
  if (route.auth === "none") return undefined
  const header = Body.repeats(head, "authorization") ? undefined : head.headers.authorization
  const challenge = { "WWW-Authenticate": "Bearer" }
  const detail = "A known bearer token is needed: Authorization: Bearer TOKEN."
  if (route.auth === "admin") {
    return options.isAdmin(header) ? undefined : problem("unauthorized", { detail, instance: path }, challenge)
  }
  const caller = options.authenticate(connection, header)
  if (caller === undefined) return problem("unauthorized", { detail, instance: path }, challenge)
  if (route.scope !== undefined && !caller.scopes.has(route.scope)) {
    return problem("forbidden", { detail: `The token lacks the scope ${route.scope}.`, instance: path })
  }
  return caller
}

/** Checks 1 and 2. */
const find = (options: TransportOptions, method: string, path: string): Route | Reply => {
  const methods = options.routes.get(path)
  if (methods === undefined) {
    return problem("not_found", { detail: `There is nothing at ${path.slice(0, 200)}.`, instance: path })
  }
  const found = methods.get(method)
  if (found !== undefined) return found
  const allow = [...methods.keys()].join(", ")
  return problem("method_not_allowed", { detail: `${path} takes ${allow}.`, instance: path }, { Allow: allow })
}

/**
 * Whether whoever comes now is to be turned away. Who is about to be carried out counts already; what is still arriving
 * does not: a slow line must not shut others out.
 */
const isFilling = ({ load }: TransportOptions): boolean => load.isFull(Body.waiting())

/** Everything that is checked before the body: the route and its caller, or what is answered at once. */
const admit = (
  options: TransportOptions,
  connection: object,
  head: Head,
  path: string
): Reply | { readonly route: Route; readonly caller: Caller | undefined } => {
  if (head.httpVersionMinor === 1 && head.headers.host === undefined) {
    return problem("malformed_request", { detail: "HTTP/1.1 wants a Host header.", instance: path })
  }
  const found = find(options, head.method ?? "", path)
  if ("status" in found) return found
  const permitted = permit(options, found, connection, head, path)
  if (permitted !== undefined && "status" in permitted) return permitted
  if (found.write === true && options.isFrozen()) {
    return problem("write_frozen", { detail: "Writes are frozen; reads work.", instance: path })
  }
  // A body that is not read costs least.
  if (found.overloaded !== undefined && isFilling(options)) return found.overloaded
  return { route: found, caller: permitted }
}

/** A request, whoever has read it. */
interface Request {
  readonly connection: object
  readonly head: Head
  readonly body: Buffer | InFlight
  readonly requestId: string
}

const answer = (options: TransportOptions, { body, connection, head, requestId }: Request): Effect.Effect<Reply> => {
  const path = pathOf(head.url ?? "/")
  const admitted = admit(options, connection, head, path)
  if ("status" in admitted) return Effect.succeed(admitted)
  return admitted.route.run({ head, body, path, requestId, caller: admitted.caller })
}

/**
 * Carries a request out and sends its answer. It runs to its end, whatever becomes
 * of its caller: a decision on its way to the journal is not cancelled.
 */
const carryOut = <A>(
  options: TransportOptions,
  request: Request,
  send: (reply: Reply) => Effect.Effect<A>
): Effect.Effect<A> =>
  Effect.uninterruptible(
    Effect.matchCauseEffect(
      Effect.suspend(() => answer(options, request)),
      { onSuccess: send, onFailure: (cause) => Effect.flatMap(broken(cause, request), send) }
    )
  )

/** Writes an answer straight to Node's response. */
export const write = (outgoing: ServerResponse, reply: Reply, requestId: string): void => {
  // Nothing reaches a caller that is gone.
  if (outgoing.destroyed) return
  outgoing.writeHead(reply.status, {
    "content-length": reply.bodyBytes ?? Buffer.byteLength(reply.body),
    ...headersOf(reply, requestId)
  })
  outgoing.end(reply.body)
}

/**
 * Answers a request at the door where the service is full, by the same checks as
 * ever, and says whether it did. Under overload most requests end here: each costs
 * as little as it can, so that what is carried out goes on nearly as fast as before.
 * Those that follow on the same connection Node may not read at all, whether they are
 * turned away or, by `run`, carried out.
 */
export const turnAway = (
  options: TransportOptions,
  connections: Connections,
  newRequestId: () => string,
  run: (carried: Effect.Effect<void>) => void
) => {
  const isFull = () => isFilling(options)
  const stand = Front.make({ isFull, connections, courseOf: courseOf(options, newRequestId, run) })
  return (incoming: IncomingMessage, outgoing: ServerResponse): boolean => {
    if (!isFull()) return false
    // A long or unmeasured body is left to the server, which does not read on for ever.
    if (!(Number(incoming.headers["content-length"]) <= Bounds.turnedAwayBytes)) return false
    const { socket } = incoming
    const reply = admit(options, socket, incoming, pathOf(incoming.url ?? "/"))
    if (!("status" in reply)) return false
    connections.begun(incoming, outgoing)
    outgoing.once("finish", () => stand(socket))
    write(outgoing, reply, requestIdOf(incoming, newRequestId))
    return true
  }
}

/** What becomes of requests that Node has not read, by what it and `admit` said of one with the same head. */
const courseOf =
  (
    options: TransportOptions,
    newRequestId: () => string,
    run: (carried: Effect.Effect<void>) => void
  ): Front.Behind["courseOf"] =>
  (incoming) => {
    const { headers, httpVersionMinor, method, rawHeaders, socket, url } = incoming
    // What else they may ask for, Node does.
    if ((headers.connection ?? "keep-alive").toLowerCase() !== "keep-alive" || headers.expect !== undefined) {
      return undefined
    }
    const path = pathOf(url ?? "/")
    const found = find(options, method ?? "", path)
    if ("status" in found || found.overloaded === undefined) return undefined
    const permitted = permit(options, found, socket, incoming, path)
    if (permitted !== undefined && "status" in permitted) return undefined
    const text = textsOf(found.overloaded, connectionLines.goesOn)
    const given = givenId(incoming)
    const isFrozen = () => found.write === true && options.isFrozen()
    // Kept for long: nothing else of the request, or its connection, is.
    const head: Head = { headers, httpVersionMinor, method, rawHeaders, url }
    return {
      refusal: () => (isFrozen() ? undefined : text(given ?? newRequestId())),
      carryOut: (connection, body, answer) => {
        const requestId = given ?? newRequestId()
        const request: Request = { connection, head, body, requestId }
        const send = (reply: Reply) =>
          leave(() => answer((connectionLine) => textOf(reply, requestId, connectionLine)), Effect.void)
        run(
          Effect.catchCause(carryOut(options, request, send), (cause) =>
            // Whoever waits for it is told by the end of the connection.
            Effect.andThen(
              Effect.logError("An answer could not be sent", cause),
              Effect.sync(() => void connection.destroy())
            )
          )
        )
      }
    }
  }

/** The answer to a request that Node itself could not let through to the routes. */
export const unroutable =
  (options: TransportOptions): Unroutable =>
  (method, target) => {
    const found = find(options, method, pathOf(target))
    return "status" in found
      ? found
      : problem("malformed_request", { detail: details.malformed_request, instance: pathOf(target) })
  }

/** An answer on its way out. */
interface Leaving {
  readonly write: () => void
  readonly written: () => void
  readonly resume: (defect: Effect.Effect<never>) => void
}

/** Tells Effect's server that an answer has been written. */
const written = Effect.succeed(HttpServerResponse.empty())

/** Answers on their way out: each is put together before the first of them is written. */
const leaving = Stage.make<Leaving>({
  phases: [
    ({ write, written }) => {
      write()
      written()
    }
  ],
  broke: ({ resume }, defect) => resume(Effect.die(defect)),
  schedule: queueMicrotask
})

/** Writes an answer together with others. */
const leave = <A>(write: () => void, written: Effect.Effect<A>): Effect.Effect<A> =>
  Effect.callback<A>((resume) => leaving.enter({ write, written: () => resume(written), resume }))

/**
 * Where the whole request has come, its answer needs no more of Effect's server and leaves together with others;
 * else the server decides whether the connection can go on after it.
 */
const respond = (
  { incoming, outgoing }: InFlight,
  reply: Reply,
  requestId: string
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  incoming.complete
    ? leave(() => write(outgoing, reply, requestId), written)
    : Effect.succeed(
        HttpServerResponse.text(reply.body, { status: reply.status, headers: headersOf(reply, requestId) })
      )

/** Ids for requests that bring none: unguessable once a start, then counted. */
export const requestIds = (): (() => string) => {
  const start = Codes.random(10)
  let count = 0
  return () => `req_${start}_${(++count).toString(36)}`
}

const givenId = ({ headers: { "x-request-id": given } }: Head): string | undefined =>
  typeof given === "string" && identifier.test(given) ? given : undefined

/** The id that a request is answered, and found in the log, with. */
export const requestIdOf = (incoming: IncomingMessage, newRequestId: () => string): string =>
  givenId(incoming) ?? newRequestId()

const broken = (cause: Cause.Cause<never>, { head, requestId }: Request): Effect.Effect<Reply> =>
  Effect.as(
    Effect.logError("A request failed", cause).pipe(Effect.annotateLogs({ request_id: requestId })),
    problem("internal_error", {
      detail: `Something broke here; request ${requestId} is in the log.`,
      instance: pathOf(head.url ?? "/")
    })
  )

/** One line a request, where the level asks for it. */
const accessLine = (incoming: IncomingMessage, requestId: string, { status }: Reply): Effect.Effect<void> =>
  Effect.logDebug(`${incoming.method} ${pathOf(incoming.url ?? "/")} ${status}`).pipe(
    Effect.annotateLogs({ request_id: requestId })
  )

/** The whole HTTP application. */
export const app = (
  options: TransportOptions,
  connections: Connections,
  newRequestId: () => string
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest> =>
  Effect.withFiber((fiber) => {
    const request = Context.get(
      fiber.context as Context.Context<HttpServerRequest.HttpServerRequest>,
      HttpServerRequest.HttpServerRequest
    )
    const incoming = NodeHttpServerRequest.toIncomingMessage(request) as IncomingMessage
    const inFlight = connections.begun(incoming, NodeHttpServerRequest.toServerResponse(request) as ServerResponse)
    const requestId = requestIdOf(incoming, newRequestId)
    const isLogged = LogLevel.isLessThanOrEqualTo(fiber.getRef(References.MinimumLogLevel), "Debug")
    const send = (reply: Reply): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
      const sent = respond(inFlight, reply, requestId)
      return isLogged ? Effect.andThen(accessLine(incoming, requestId, reply), sent) : sent
    }
    return carryOut(options, { connection: incoming.socket, head: incoming, body: inFlight, requestId }, send)
  })
