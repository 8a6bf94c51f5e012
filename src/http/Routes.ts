/**
 * The routes that are no operations: discovery, health, the description and
 * its pages, capabilities, and the operators' switch.
 */
import { Duration, Effect, Layer, Schema } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { HttpApiScalar } from "effect/http-api"
import * as ClockRoutes from "../admin/ClockRoutes.ts"
import { openApi, Surfaces } from "../contract/OpenApi.ts"
import { operationIds } from "../contract/protocol/Operations.ts"
import { rewardEffects } from "../contract/protocol/Program.ts"
import {
  basePath,
  discoveryPath,
  maxBodyBytes,
  maxIdempotencyKeyLength,
  profile,
  protocolName,
  protocolVersion
} from "../contract/protocol/Protocol.ts"
import { Journal } from "../journal/Journal.ts"
import { Programs } from "../program/Programs.ts"
import * as Bounds from "./Bounds.ts"
import { WriteFreeze } from "../journal/WriteFreeze.ts"
import { Handlers } from "../protocol/Handler.ts"
import type { Load } from "./Load.ts"
import * as Pages from "./Pages.ts"
import type { Reply } from "./Reply.ts"
import { problem } from "./Reply.ts"
import type { Route } from "./Transport.ts"
import * as Transport from "./Transport.ts"

const ok = (body: unknown): Reply => ({ status: 200, body: JSON.stringify(body) })

/** A page that may run the script it carries and fetch from this service, and from nowhere else. */
const html = (body: string): Reply => ({
  status: 200,
  body,
  contentType: "text/html; charset=utf-8",
  headers: { "Content-Security-Policy": Pages.securityPolicy }
})

const open = (run: Route["run"]): Route => ({ auth: "none", run })
const fixed = (reply: Reply): Route => open(() => Effect.succeed(reply))

/** The page that renders the description, its script within: made once, when somebody first looks. */
const docsPage = Effect.promise(async () => {
  const { dispose, handler } = HttpRouter.toWebHandler(
    HttpApiScalar.layer(Surfaces, { path: "/docs", scalar: Pages.docsOptions }).pipe(
      Layer.provide(HttpServer.layerServices)
    ),
    { disableLogger: true }
  )
  const response = await handler(new Request("http://localhost/docs"))
  const page = await response.text()
  await dispose()
  return html(page)
})

/** Every route of the service. */
export const make = Effect.fnUntraced(function* (load: Load) {
  const freeze = yield* WriteFreeze
  const handlers = yield* Handlers
  const journal = yield* Journal
  const programs = yield* Programs
  const docs = yield* Effect.cached(docsPage)
  const maintenance = (): Reply => ok({ write_frozen: freeze.isFrozen() })
  // One figure for all programmes: what a caller may count on whichever it uses.
  const shortestHoldMs = () => Math.min(...programs.all().map((program) => program.reservationTtlMs))

  const notReady = (instance: string): Reply =>
    problem("storage_unavailable", { detail: "The journal does not answer.", instance })
  const ready: Route["run"] = ({ path }) =>
    journal.ping.pipe(
      Effect.timeout(Duration.millis(Bounds.readinessMs)),
      Effect.match({ onSuccess: () => ok({ status: "ok" }), onFailure: () => notReady(path) }),
      Effect.interruptible
    )
  const move = Transport.withBody(Schema.Struct({ write_frozen: Schema.Boolean }), ({ write_frozen }, { path }) =>
    Effect.match(freeze.set(write_frozen), {
      onSuccess: maintenance,
      onFailure: () => problem("storage_unavailable", { detail: "The switch could not be kept.", instance: path })
    })
  )
  const discovery = ok({
    protocol: protocolName,
    protocol_version: protocolVersion,
    profiles: [profile],
    endpoints: { api: basePath, capabilities: `${basePath}/capabilities`, health: "/health" },
    authentication: ["bearer"]
  })
  const health = () => ok({ status: "ok", protocol_version: protocolVersion, profile, write_frozen: freeze.isFrozen() })
  const capabilities = () =>
    ok({
      protocol_version: protocolVersion,
      profiles: [profile],
      operations: operationIds,
      reward_effects: rewardEffects,
      event_types: [],
      limits: {
        max_body_bytes: maxBodyBytes,
        max_idempotency_key_length: maxIdempotencyKeyLength,
        reservation_ttl_seconds: shortestHoldMs() / 1000
      }
    })
  const routes: ReadonlyArray<readonly [string, string, Route]> = [
    ["GET", discoveryPath, fixed(discovery)],
    ["GET", "/health", open(() => Effect.sync(health))],
    ["GET", "/health/ready", open(ready)],
    ["GET", "/openapi.json", fixed(ok(openApi()))],
    ["GET", "/docs", open(() => docs)],
    [
      "GET",
      `${basePath}/capabilities`,
      { auth: "bearer", scope: "protocol:read", run: () => Effect.sync(capabilities) }
    ],
    ["GET", "/admin/api/v1/maintenance", { auth: "admin", run: () => Effect.sync(maintenance) }],
    ["POST", "/admin/api/v1/maintenance", { auth: "admin", run: move }]
  ]
  const pages = [...Pages.problemPages].map(
    ([path, code]) => ["GET", path, fixed(html(Pages.problemPage(code)))] as const
  )
  return Transport.table([
    ...routes,
    ...pages,
    ...(yield* ClockRoutes.make),
    ...Transport.operationRoutes(handlers, load)
  ])
})
