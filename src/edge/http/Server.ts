/**
 * Node's HTTP server with the gate as its only request listener. Where Node would
 * answer by itself, the caller gets a problem document.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Duration, Effect, Layer } from "effect"
import type { HttpServerError } from "effect/http"
import { HttpServer } from "effect/http"
import type { Server } from "node:http"
import { createServer } from "node:http"
import type { BlockList } from "node:net"
import { performance } from "node:perf_hooks"
import { RecentRequests } from "../../capabilities/operators/RecentRequests.ts"
import { Node } from "../../core/cluster/Node.ts"
import { Keys } from "../../desk/access/Keys.ts"
import { Addresses } from "./Addresses.ts"
import * as Assistants from "./Assistants.ts"
import { Authenticator } from "./Authentication.ts"
import type { Running } from "./Backend.ts"
import { Backend } from "./Backend.ts"
import * as Bounds from "./Bounds.ts"
import { ByteBudget } from "./ByteBudget.ts"
import * as Checks from "./Checks.ts"
import type { Connections, Unroutable } from "./Connections.ts"
import * as ConnectionsOf from "./Connections.ts"
import * as Console from "./Console.ts"
import { Cors } from "./Cors.ts"
import { Exchange, write } from "./Exchange.ts"
import * as Gate from "./Gate.ts"
import * as GuestPages from "./GuestPages.ts"
import * as HotPath from "./HotPath.ts"
import { Load } from "./Load.ts"
import * as Metrics from "./Metrics.ts"
import * as Public from "./Public.ts"
import { pathOf, problem } from "./Reply.ts"
import * as RequestLog from "./RequestLog.ts"
import type { Route } from "./Route.ts"
import { Routes } from "./Route.ts"
import * as Surfaces from "./Surfaces.ts"
import * as TillRoutes from "./TillRoutes.ts"

export interface ServerOptions {
  readonly host: string
  readonly port: number
  readonly published: Public.Published
  /** Most log lines of reads a second; writes and errors have one each. Undefined: none at info. */
  readonly logRequestsPerSecond?: number | undefined
  /** Writes a log line of JSON; undefined: Effect's loggers write the lines of requests too. */
  readonly logLine?: ((line: string) => void) | undefined
  /** Proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies?: BlockList | undefined
  /** Origin of the service for people's browsers; undefined: this machine alone. */
  readonly publicUrl?: string | undefined
  /** Origins of pages that may call the service, besides its own; absent: none. */
  readonly corsOrigins?: ReadonlyArray<string> | undefined
  /** Changes every route, as for traces. */
  readonly decorate?: ((route: Route) => Route) | undefined
  /** Bounds that replace the defaults. */
  readonly bounds?: Partial<Bounds.Held> | undefined
}

/** The parts that serve requests, without the server. */
interface Serving {
  readonly gate: Gate.Gate
  readonly connections: Connections
  readonly addresses: Addresses
  readonly load: Load
  readonly record: RequestLog.Record
}

const makeServer = ({ addresses, connections, gate, record }: Serving): Server => {
  const server = createServer({
    headersTimeout: Bounds.headersTimeoutMs,
    requestTimeout: Bounds.requestTimeoutMs,
    connectionsCheckingInterval: Bounds.timeoutCheckMs,
    keepAliveTimeout: Bounds.keepAliveMs,
    maxHeaderSize: Bounds.maxHeaderBytes,
    noDelay: true,
    // The gate answers requests without Host, and treats upgrades as normal requests.
    requireHostHeader: false,
    shouldUpgradeCallback: () => false
  })
  server.maxConnections = Bounds.maxConnections
  server.on("connection", (socket) => {
    if (addresses.opened(socket)) connections.opened(socket)
    else socket.destroy()
  })
  server.on("request", gate)
  server.on("checkContinue", gate)
  server.on("clientError", connections.refuse)
  server.on("connect", connections.refuseTunnel)
  server.on("checkExpectation", (incoming, outgoing) => {
    const exchange = new Exchange(incoming, outgoing)
    connections.begun(incoming, outgoing)
    const facts = { detail: "The service supports only the expectation 100-continue.", instance: exchange.path }
    const reply = problem("expectation_failed", facts, { Connection: "close" })
    record(exchange, write(exchange, reply, new ByteBudget(0)))
  })
  return server
}

/** Answers a request that Node could not parse for the gate. */
const unroutable =
  (routes: Routes): Unroutable =>
  (method, target) => {
    const instance = pathOf(target)
    const found = routes.find(method, instance)
    if ("status" in found) return found
    return problem("malformed_request", { detail: ConnectionsOf.details.malformed_request, instance })
  }

const running = ({ current }: Backend["Service"]): (() => Running) => {
  return () => {
    const one = current()
    if (one === undefined) throw new Error("the gate must refuse requests before the service is a node")
    return one
  }
}

const make = Effect.fnUntraced(function* (options: ServerOptions) {
  const node = yield* Node
  const backend = yield* Backend
  const of = running(backend)
  const now = () => backend.current()?.now()
  const tills = () => backend.current()?.tills
  const { decorate = (route) => route } = options
  const all: ReadonlyArray<Route> = [
    ...HotPath.routes(() => of().handlers, backend.current),
    ...Surfaces.routes(() => of().surfaces, now, { programs: () => of().programs, publicUrl: options.publicUrl }),
    ...Public.routes({
      published: options.published,
      node,
      current: backend.current,
      notActive: (path) => Checks.notActive(node, path),
      isNamed: options.publicUrl !== undefined
    }),
    ...TillRoutes.routes(tills),
    ...GuestPages.routes(backend.current),
    Console.logo(backend.current),
    Metrics.route
  ]
  const bounds = { ...Bounds.held, ...options.bounds }
  const load = new Load(bounds.inFlight)
  const cors = new Cors(options.corsOrigins)
  const asked = new Routes(all)
  const assistants = yield* Assistants.make({
    routes: asked,
    guides: options.published.guides,
    load,
    cors,
    publicUrl: options.publicUrl
  })
  const routes = new Routes([...all, assistants].map(decorate))
  const keys = yield* Keys
  const record = yield* RequestLog.make({
    perSecond: options.logRequestsPerSecond,
    write: options.logLine,
    ring: yield* RecentRequests
  })
  const connections = ConnectionsOf.make(unroutable(routes), (method, requestId, reply) =>
    record({ incoming: { method }, requestId, startedAt: performance.now() }, reply)
  )
  const addresses = new Addresses(options.trustedProxies, bounds.connectionsPerAddress)
  const isFrozen = () => backend.current()?.freeze.isFrozen() ?? false
  yield* Metrics.start({ node, load, isFrozen })
  const runFork = Effect.runForkWith(yield* Effect.context<never>())
  const gate = Gate.make({
    routes,
    node,
    isReady: () => backend.current() !== undefined,
    requests: backend.requests,
    faults: () => backend.current()?.faults?.rules,
    isFrozen,
    authenticate: {
      bearer: new Authenticator(keys, false),
      admin: new Authenticator(keys, true)
    },
    keys,
    sessions: () => backend.current()?.sessions,
    tills,
    addresses,
    publicUrl: options.publicUrl,
    cors,
    load,
    bounds,
    connections,
    record,
    fork: (effect) => void runFork(effect)
  })
  return { gate, connections, addresses, load, record } satisfies Serving
})

/** Stops the server gracefully; the backend must outlive it. Closing the server's scope does the same. */
export class StopServing extends Context.Service<StopServing, Effect.Effect<void>>()("lotbook/edge/http/StopServing") {}

/** Stops accepting, waits for requests in flight, and closes all connections after `gracefulStopMs`. */
const stop = (server: Server, { connections, load }: Serving): Effect.Effect<void> => {
  const closed = Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
    connections.close()
  })
  return Effect.andThen(closed, load.idle).pipe(
    Effect.interruptible,
    Effect.timeoutOption(Duration.millis(Bounds.gracefulStopMs)),
    Effect.andThen(Effect.sync(() => server.closeAllConnections()))
  )
}

/** Serves all surfaces until the scope closes. Port 0 lets the system choose. */
export const layer = (
  options: ServerOptions
): Layer.Layer<
  HttpServer.HttpServer | StopServing,
  HttpServerError.ServeError,
  Node | Backend | Keys | RecentRequests
> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const { host, port } = options
      const serving = yield* make(options)
      const server = makeServer(serving)
      const http = yield* NodeHttpServer.make(() => server, { host, port, backlog: Bounds.acceptBacklog })
      const stopOnce = yield* Effect.cached(stop(server, serving))
      yield* Effect.addFinalizer(() => stopOnce)
      return Context.make(HttpServer.HttpServer, http).pipe(Context.add(StopServing, stopOnce))
    })
  )
