/**
 * Listens: Node's HTTP server under Effect's, with the routes of all surfaces.
 */
import { NodeHttpServer } from "@effect/platform-node"
import { Clock, Duration, Effect, Fiber, Layer, LogLevel, Redacted, References, Scope } from "effect"
import { HttpServer } from "effect/http"
import type { HttpServerError } from "effect/http"
import type { IncomingMessage, ServerOptions as NodeServerOptions, ServerResponse } from "node:http"
import { Server } from "node:http"
import type { Journal } from "../journal/Journal.ts"
import type { Programs } from "../program/Programs.ts"
import type { TokenGrant } from "./Authentication.ts"
import { authenticator, rememberingConnections, rootGrant, sandboxGrant } from "./Authentication.ts"
import * as Bounds from "./Bounds.ts"
import type { Connections } from "./Connections.ts"
import * as ConnectionsOf from "./Connections.ts"
import { WriteFreeze } from "../journal/WriteFreeze.ts"
import type { Handlers } from "../protocol/Handler.ts"
import { Load } from "./Load.ts"
import { pathOf, problem } from "./Reply.ts"
import * as Routes from "./Routes.ts"
import type { TransportOptions } from "./Transport.ts"
import * as Transport from "./Transport.ts"

export interface ServerOptions {
  readonly host: string
  readonly port: number
  readonly token: Redacted.Redacted
  readonly tokens: ReadonlyArray<TokenGrant>
  readonly adminKey: Redacted.Redacted
}

/** Says whether it has answered a request by itself. */
type Door = (incoming: IncomingMessage, outgoing: ServerResponse) => boolean

/** Node's server with a door: what is answered there does not reach the listeners. */
class ServerWithDoor extends Server {
  private readonly door: Door

  constructor(options: NodeServerOptions, door: Door) {
    super(options)
    this.door = door
  }

  // Node's types leave the arguments of an event open; those of "request" are these two.
  override emit(event: string, ...args: Array<unknown>): boolean {
    return event === "request" && this.door(args[0] as IncomingMessage, args[1] as ServerResponse)
      ? true
      : super.emit(event, ...args)
  }

  /** What is idle `Connections` knows, and ends: Node knows nothing of what it has not read. */
  override closeIdleConnections(): void {}
}

/** The server, with a problem document wherever Node would answer by itself. */
const makeServer = (connections: Connections, newRequestId: () => string, door: Door): Server => {
  const options = {
    headersTimeout: Bounds.headersTimeoutMs,
    requestTimeout: Bounds.requestTimeoutMs,
    connectionsCheckingInterval: Bounds.timeoutCheckMs,
    keepAliveTimeout: Bounds.keepAliveMs,
    maxHeaderSize: Bounds.maxHeaderBytes,
    noDelay: true,
    // The transport answers a missing Host, and a request to upgrade as any other.
    requireHostHeader: false,
    shouldUpgradeCallback: () => false
  }
  const server = new ServerWithDoor(options, door)
  server.maxConnections = Bounds.maxConnections
  server.on("connection", connections.opened)
  server.on("clientError", connections.refuse)
  server.on("connect", connections.refuseTunnel)
  server.on("checkExpectation", (incoming, outgoing) => {
    const facts = {
      detail: "The only expectation known here is 100-continue.",
      instance: pathOf(incoming.url ?? "/")
    }
    connections.begun(incoming, outgoing)
    const reply = problem("expectation_failed", facts, { Connection: "close" })
    Transport.write(outgoing, reply, Transport.requestIdOf(incoming, newRequestId))
  })
  return server
}

/**
 * Serves an application until the scope closes. Then it accepts nothing more, ends
 * what is under way, and cuts what has not ended by `gracefulStopMs`.
 */
const serve = Effect.fnUntraced(function* (options: TransportOptions, { host, port }: ServerOptions) {
  const newRequestId = Transport.requestIds()
  const connections = ConnectionsOf.make(Transport.unroutable(options), newRequestId)
  const logsRequests = LogLevel.isLessThanOrEqualTo(yield* References.MinimumLogLevel, "Debug")
  const serving = yield* Scope.make()
  // Apart from the other: a scope waits for what has begun in it before it stops listening.
  const carrying = yield* Scope.make()
  const context = yield* Effect.context<never>()
  const run = (carried: Effect.Effect<void>) => void Fiber.runIn(Effect.runForkWith(context)(carried), carrying)
  // Where every request is to have its line in the log, all of them go by Node's parser to what writes it.
  const door = logsRequests ? () => false : Transport.turnAway(options, connections, newRequestId, run)
  const server = makeServer(connections, newRequestId, door)
  yield* Effect.addFinalizer((exit) =>
    Effect.gen(function* () {
      const both = Effect.all([Scope.close(serving, exit), Scope.close(carrying, exit)], { concurrency: 2 })
      const closing = yield* Effect.forkDetach(both, { startImmediately: true })
      connections.close()
      yield* Effect.timeoutOption(Effect.interruptible(Fiber.await(closing)), Duration.millis(Bounds.gracefulStopMs))
      server.closeAllConnections()
    })
  )
  const http = yield* Scope.provide(
    NodeHttpServer.make(() => server, {
      host,
      port,
      backlog: Bounds.acceptBacklog,
      gracefulShutdownTimeout: Bounds.gracefulStopMs
    }),
    serving
  )
  yield* Scope.provide(http.serve(Transport.app(options, connections, newRequestId)), serving)
  return http
})

/** Serves all surfaces; the port is the system's choice where 0 was asked for. */
export const layer = (
  options: ServerOptions
): Layer.Layer<HttpServer.HttpServer, HttpServerError.ServeError, WriteFreeze | Handlers | Journal | Programs> =>
  Layer.effect(
    HttpServer.HttpServer,
    Effect.gen(function* () {
      const freeze = yield* WriteFreeze
      const load = new Load(yield* Clock.Clock)
      const admin = authenticator([rootGrant(Redacted.value(options.adminKey))])
      return yield* serve(
        {
          load,
          routes: yield* Routes.make(load),
          authenticate: rememberingConnections(
            authenticator([sandboxGrant(Redacted.value(options.token)), ...options.tokens])
          ),
          isAdmin: (header) => admin(header) !== undefined,
          isFrozen: freeze.isFrozen
        },
        options
      )
    })
  )
