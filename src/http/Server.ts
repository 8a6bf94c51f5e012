/**
 * Listens: Node's HTTP server under Effect's, with the routes of all surfaces.
 */
import { NodeHttpServer } from "@effect/platform-node"
import { Effect, Layer, Redacted, Schema } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { HttpApiScalar } from "effect/http-api"
import { createServer } from "node:http"
import type { Server } from "node:http"
import type { Duplex } from "node:stream"
import { Api, openApi } from "../contract/Api.ts"
import { operationIds } from "../contract/Operations.ts"
import { rewardEffects } from "../contract/Program.ts"
import {
  basePath,
  discoveryPath,
  maxBodyBytes,
  maxIdempotencyKeyLength,
  profile,
  protocolName,
  protocolVersion
} from "../contract/Protocol.ts"
import { Journal } from "../journal/Journal.ts"
import { Programs } from "../program/Programs.ts"
import type { TokenGrant } from "./Authentication.ts"
import { authenticator, fullGrant } from "./Authentication.ts"
import * as Bounds from "./Bounds.ts"
import { WriteFreeze } from "./Freeze.ts"
import { Handlers } from "./Handler.ts"
import * as Pages from "./Pages.ts"
import * as Problems from "./Problems.ts"
import type { Reply, Route } from "./Transport.ts"
import * as Transport from "./Transport.ts"

export interface ServerOptions {
  readonly host: string
  readonly port: number
  readonly token: Redacted.Redacted
  readonly tokens: ReadonlyArray<TokenGrant>
  readonly adminKey: Redacted.Redacted
}

const ok = (body: unknown): Reply => ({ status: 200, body: JSON.stringify(body) })
const html = (body: string): Reply => ({ status: 200, body, contentType: "text/html; charset=utf-8" })
const open = (run: Route["run"]): Route => ({ auth: "none", run })
const fixed = (reply: Reply): Route => open(() => Effect.succeed(reply))

/** The page that renders the description, its script within: made once. */
const docsPage = Effect.promise(async () => {
  const { dispose, handler } = HttpRouter.toWebHandler(
    HttpApiScalar.layer(Api, { path: "/docs", scalar: { telemetry: false } as never }).pipe(
      Layer.provide(HttpServer.layerServices)
    ),
    { disableLogger: true }
  )
  const response = await handler(new Request("http://localhost/docs"))
  const page = await response.text()
  await dispose()
  return page
})

const makeRoutes = Effect.gen(function* () {
  const freeze = yield* WriteFreeze
  const handlers = yield* Handlers
  const journal = yield* Journal
  const programs = yield* Programs
  const docs = html(yield* docsPage)
  const maintenance = (): Reply => ok({ write_frozen: freeze.isFrozen() })
  const shortestHoldMs = Math.min(...programs.all.map((program) => program.reservationTtlMs))

  const ready: Route["run"] = ({ path }) =>
    Effect.match(journal.ping, {
      onSuccess: () => ok({ status: "ok" }),
      onFailure: () =>
        Transport.problem("storage_unavailable", { detail: "The journal does not answer.", instance: path })
    })
  const move = Transport.withBody(Schema.Struct({ write_frozen: Schema.Boolean }), ({ write_frozen }, { path }) =>
    Effect.match(freeze.set(write_frozen), {
      onSuccess: maintenance,
      onFailure: () =>
        Transport.problem("storage_unavailable", { detail: "The switch could not be kept.", instance: path })
    })
  )
  const routes: ReadonlyArray<readonly [string, string, Route]> = [
    [
      "GET",
      discoveryPath,
      fixed(
        ok({
          protocol: protocolName,
          protocol_version: protocolVersion,
          profiles: [profile],
          endpoints: { api: basePath, capabilities: `${basePath}/capabilities`, health: "/health" },
          authentication: ["bearer"]
        })
      )
    ],
    [
      "GET",
      "/health",
      open(() =>
        Effect.succeed(
          ok({
            status: "ok",
            protocol_version: protocolVersion,
            profile,
            write_frozen: freeze.isFrozen()
          })
        )
      )
    ],
    ["GET", "/health/ready", open(ready)],
    ["GET", "/openapi.json", fixed(ok(openApi()))],
    ["GET", "/docs", fixed(docs)],
    [
      "GET",
      `${basePath}/capabilities`,
      {
        auth: "bearer",
        scope: "protocol:read",
        run: () =>
          Effect.succeed(
            ok({
              protocol_version: protocolVersion,
              profiles: [profile],
              operations: operationIds,
              reward_effects: rewardEffects,
              event_types: [],
              limits: {
                max_body_bytes: maxBodyBytes,
                max_idempotency_key_length: maxIdempotencyKeyLength,
                reservation_ttl_seconds: shortestHoldMs / 1000
              }
            })
          )
      }
    ],
    ["GET", "/admin/api/v1/maintenance", { auth: "admin", run: () => Effect.succeed(maintenance()) }],
    ["POST", "/admin/api/v1/maintenance", { auth: "admin", run: move }]
  ]
  const pages = [...Pages.problemPages].map(
    ([path, code]) => ["GET", path, fixed(html(Pages.problemPage(code)))] as const
  )
  return Transport.table([...routes, ...pages, ...Transport.operationRoutes(handlers)])
})

/** Answers what could not be read as HTTP, on the bare socket. */
const refuseMalformed = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy()
    return
  }
  const isBody = error.code === "HPE_INVALID_EOF_STATE" || error.code === "HPE_INVALID_CHUNK_SIZE"
  const code =
    error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? "request_timeout" : isBody ? "invalid_json" : "malformed_request"
  const detail = isBody ? "The body was cut off." : "The request could not be read as HTTP."
  const body = Problems.document(code, { detail, instance: "" })
  const { status, title } = Problems.problems[code]
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n${body}`
  )
}

const makeServer = (): Server => {
  const server = createServer({
    headersTimeout: Bounds.headersTimeoutMs,
    requestTimeout: Bounds.requestTimeoutMs,
    keepAliveTimeout: Bounds.keepAliveMs,
    maxHeaderSize: Bounds.maxHeaderBytes,
    noDelay: true
  })
  server.on("clientError", refuseMalformed)
  server.on("checkExpectation", (_, response) => {
    const body = Problems.document("malformed_request", { detail: "Only Expect: 100-continue is known.", instance: "" })
    response.writeHead(400, { "Content-Type": "application/problem+json", Connection: "close" }).end(body)
  })
  return server
}

/** Serves all surfaces; the port is the server's own where 0 was asked for. */
export const layer = (
  options: ServerOptions
): Layer.Layer<
  HttpServer.HttpServer,
  import("effect/http").HttpServerError.ServeError,
  WriteFreeze | Handlers | Journal | Programs
> => {
  const admin = authenticator([fullGrant(Redacted.value(options.adminKey))])
  const serve = Layer.effectDiscard(
    Effect.gen(function* () {
      const freeze = yield* WriteFreeze
      const app = Transport.app({
        routes: yield* makeRoutes,
        authenticate: authenticator([fullGrant(Redacted.value(options.token)), ...options.tokens]),
        isAdmin: (header) => admin(header) !== undefined,
        isFrozen: freeze.isFrozen
      })
      yield* HttpServer.serveEffect(app)
    })
  )
  return Layer.provideMerge(
    serve,
    NodeHttpServer.layerServer(makeServer, {
      host: options.host,
      port: options.port,
      gracefulShutdownTimeout: Bounds.gracefulStopMs
    })
  )
}
