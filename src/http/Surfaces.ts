/**
 * The surfaces besides the hot path: `HttpApi`s served by Effect's router. The
 * gate's routes are derived from the same declarations as the OpenAPI description,
 * so that checks, handlers and description cannot differ. `Gate` makes every check
 * before a handler here begins.
 */
import { Context, Effect, Function, Layer, Result, Schema } from "effect"
import type { Scope } from "effect"
import { HttpEffect, HttpMiddleware, HttpRouter, HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiBuilder } from "effect/http-api"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Readable } from "node:stream"
import type { ReadableStream } from "node:stream/web"
import type { AdminDatabase } from "../surface/AdminDatabase.ts"
import * as AuditList from "../operators/AuditList.ts"
import type { Keys } from "../access/Keys.ts"
import * as Maintenance from "../operators/Maintenance.ts"
import type { Accounts } from "../account/Accounts.ts"
import * as MemberList from "../members/OperatorsList.ts"
import * as Members from "../members/OperatorsRoutes.ts"
import * as Merge from "../members/Merge.ts"
import * as Overview from "../operators/Overview.ts"
import * as ProgramRoutes from "../programs/Routes.ts"
import * as SandboxClock from "../operators/SandboxClock.ts"
import type { Sessions } from "../access/Sessions.ts"
import * as SignIn from "../operators/SignIn.ts"
import * as Tokens from "../operators/Tokens.ts"
import { AccessOf } from "../contract/Access.ts"
import { AdminApi } from "../contract/admin/Api.ts"
import { AdminKey, Refusals, Refused, SessionCookie } from "../contract/admin/Common.ts"
import { PlatformApi } from "../contract/platform/Api.ts"
import { PlatformKey } from "../contract/platform/Common.ts"
import { strictDecoder } from "../contract/Decode.ts"
import type { Scope as TokenScope } from "../contract/protocol/Scopes.ts"
import { maxBodyBytes } from "../contract/protocol/Protocol.ts"
import type { Journal } from "../journal/Journal.ts"
import type { Active } from "../database/Active.ts"
import * as PlatformAnalytics from "../analytics/Analytics.ts"
import type { CampaignRuns } from "../campaigns/CampaignRuns.ts"
import * as PlatformCampaigns from "../campaigns/Campaigns.ts"
import * as PlatformConnectors from "../connectors/Connectors.ts"
import * as PlatformDiscovery from "../surface/Discovery.ts"
import * as PlatformEvents from "../events/Events.ts"
import * as PlatformImports from "../imports/Imports.ts"
import * as PlatformMembers from "../members/Members.ts"
import * as PlatformSegments from "../segments/Segments.ts"
import { ProblemOf } from "../surface/ProblemOf.ts"
import type { RollupReads } from "../rollups/RollupReads.ts"
import type { WriteFreeze } from "../journal/WriteFreeze.ts"
import type { Programs } from "../program/Programs.ts"
import type { KeyCaller, RequestCaller } from "../access/CurrentCaller.ts"
import { CurrentCaller } from "../access/CurrentCaller.ts"
import * as Bounds from "./Bounds.ts"
import * as KeyedRequests from "./KeyedRequests.ts"
import { problem } from "./ProblemResponse.ts"
import type { Exchange } from "./Exchange.ts"
import * as Query from "./Query.ts"
import * as Problems from "./Problems.ts"
import type { Reply } from "./Reply.ts"
import { pathOf, problem as problemReply } from "./Reply.ts"
import type { Admitted, Route } from "./Route.ts"
import type { BodyRule, Budget } from "./RouteFacts.ts"

/** The services that the handlers of all surfaces use. */
export type Needs =
  | Accounts
  | Active
  | AdminDatabase
  | CampaignRuns
  | Journal
  | Keys
  | Programs
  | RollupReads
  | Sessions
  | WriteFreeze

/** Answers a request that has passed the gate. */
export type Handle = (admitted: Admitted) => Effect.Effect<Reply>

/** How requests of a surface are authenticated and counted. */
interface Surface {
  readonly auth: Route["auth"]
  readonly read: TokenScope
  readonly write: TokenScope
  readonly budget?: Budget
}

const isRead = ({ method }: { readonly method: string }): boolean => method === "GET" || method === "HEAD"

/** The cast is safe because schemas of the contract need no services; the type `Schema.Top` does not say so. */
const decoderOf = (schema: Schema.Top) => strictDecoder(schema as unknown as Schema.ConstraintDecoder<unknown>)

/** True if the path's parameters fit the contract's schema. Otherwise nothing can exist at the path. */
const paramsCheck = (schema: Schema.Top | undefined): ((params: Admitted["exchange"]["params"]) => boolean) => {
  if (schema === undefined) return () => true
  const decode = decoderOf(schema)
  return (params) => Result.isSuccess(decode(params))
}

const nothingAt = ({ path }: Exchange): Reply =>
  problemReply("not_found", { detail: `There is nothing at ${path.slice(0, 200)}.`, instance: path })

const bodyRule = ({ payload }: HttpApiEndpoint.Top): BodyRule | undefined => {
  if (payload.size === 0) return undefined
  const rule = { mediaTypes: [...payload.keys()], maxBytes: maxBodyBytes }
  const json = [...payload.values()].find(({ encoding }) => encoding._tag === "Json")
  if (json === undefined) return rule
  const [schema, ...others] = json.schemas
  const decode = decoderOf(others.length === 0 ? schema : Schema.Union(json.schemas))
  const textTypes = [...payload].flatMap(([type, { encoding }]) => (encoding._tag === "Json" ? [] : [type]))
  return textTypes.length === 0 ? { ...rule, decode } : { ...rule, decode, textTypes }
}

/** Derives the routes' metadata from the contract of a surface. */
const routesOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  { auth, budget, read, write }: Surface,
  handle: () => Handle
): ReadonlyArray<Route> => {
  const routes: Array<Route> = []
  HttpApi.reflect(api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, mergedAnnotations }) => {
      const access = Context.get(mergedAnnotations, AccessOf)
      const body = bodyRule(endpoint)
      const fits = paramsCheck(endpoint.params)
      const route: Route = {
        method: endpoint.method as Route["method"],
        path: endpoint.path,
        operation: endpoint.identifier,
        auth: access.auth ?? auth,
        ...(access.auth === undefined ? { scope: access.scope ?? (isRead(endpoint) ? read : write) } : undefined),
        isForUnlimited: access.isForUnlimited ?? false,
        hasOwnKeys: access.hasOwnKeys ?? false,
        isRepeatable: access.isRepeatable ?? false,
        isWrite: access.isServedFrozen !== true && !isRead(endpoint),
        query: endpoint.query === undefined ? Query.none : Query.check(decoderOf(endpoint.query)),
        programOf: (json, params) => params["program_id"] ?? programIn(json),
        run: (admitted) => (fits(admitted.exchange.params) ? handle()(admitted) : nothingAt(admitted.exchange)),
        ...(body === undefined ? undefined : { body }),
        ...(budget === undefined ? undefined : { budget })
      }
      routes.push(route)
      if (access.alsoWithSlash === true) routes.push({ ...route, path: `${route.path}/` })
    }
  })
  return routes
}

/** The programme that a body names or defines. */
const programIn = (json: unknown): string | undefined => {
  if (typeof json !== "object" || json === null) return undefined
  if ("program_id" in json && typeof json.program_id === "string") return json.program_id
  return "program" in json ? programIn(json.program) : undefined
}

/** The routes of all surfaces besides the hot path. */
export const routes = (handle: () => Handle): ReadonlyArray<Route> => [
  ...routesOf(AdminApi, { auth: "admin", read: "admin:read", write: "admin:write" }, handle),
  ...routesOf(
    PlatformApi,
    { auth: "platform", read: "platform:read", write: "platform:write", budget: "platform" },
    handle
  )
]

/** The gate matches paths exactly and bounds their parameters. The router must match the same way. */
const exactPaths = {
  caseSensitive: true,
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
  maxParamLength: Bounds.maxHeaderBytes
}

/** These middlewares do nothing, because the gate has authenticated the caller. */
const authenticated = Layer.mergeAll(
  Layer.succeed(AdminKey, { admin_key: (handled) => handled, session: (handled) => handled }),
  Layer.succeed(PlatformKey, { bearer: (handled) => handled, session: (handled) => handled }),
  Layer.succeed(SessionCookie, { session: (handled) => handled })
)

/** Turns refusals of handlers into problem documents. */
const refusals = Layer.succeed(Refusals, (handled) =>
  Effect.catch(handled, (error) =>
    error instanceof Refused
      ? Effect.map(HttpServerRequest.HttpServerRequest, ({ url }) => {
          const { code, detail, errors, retryAfter } = error
          const headers = retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }
          return HttpServerResponse.setHeaders(problem(code, { detail, instance: pathOf(url), errors }), headers)
        })
      : Effect.fail(error)
  )
)

const admin = HttpApiBuilder.layer(AdminApi).pipe(
  Layer.provide([
    SignIn.layer,
    Tokens.layer,
    AuditList.layer,
    Overview.layer,
    MemberList.layer,
    Maintenance.layer,
    SandboxClock.layer,
    Members.layer,
    Merge.layer,
    ProgramRoutes.layer
  ])
)

/** Makes problem documents that are items of an answer. */
const problemOf = Layer.succeed(ProblemOf, {
  of: ({ code, detail, errors }, instance) => JSON.parse(Problems.document(code, { detail, instance, errors }))
})

const platform = HttpApiBuilder.layer(PlatformApi).pipe(
  Layer.provide([
    PlatformDiscovery.layer,
    PlatformMembers.layer,
    PlatformEvents.layer,
    PlatformAnalytics.layer,
    PlatformSegments.layer,
    PlatformCampaigns.layer,
    PlatformConnectors.layer,
    PlatformImports.layer
  ]),
  Layer.provide(problemOf)
)

const apis = Layer.merge(admin, platform).pipe(
  Layer.provide([authenticated, refusals]),
  Layer.provide(HttpServer.layerServices)
)

/** The caller of a route that needs no key. */
const anonymous: KeyCaller = {
  kind: "token",
  keyId: "anonymous",
  name: "anonymous",
  scopes: new Set(),
  programs: new Set()
}

const requestCaller = (exchange: Exchange): RequestCaller => {
  const { host, "idempotency-key": key } = exchange.incoming.headers
  return {
    ...(exchange.caller ?? anonymous),
    sourceIp: exchange.sourceIp,
    requestId: exchange.requestId,
    idempotencyKey: typeof key === "string" ? key : undefined,
    host,
    session: exchange.session
  }
}

/** Converts Node's request to a web `Request`, which Effect's handlers take. */
const webRequest = ({ bytes, exchange: { incoming, path } }: Admitted, signal: AbortSignal): Request => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value)
  }
  const query = (incoming.url ?? "").replace(/^[^?]*/, "")
  const method = incoming.method === "HEAD" ? "GET" : (incoming.method ?? "GET")
  const body = bytes === undefined || method === "GET" ? null : new Uint8Array(bytes)
  // The router has no routes with a final slash. The gate accepts one only if the contract allows it.
  return new Request(`http://localhost${path.replace(/\/$/, "")}${query}`, { method, headers, body, signal })
}

/** Headers that the gate sets by itself. */
const ownHeaders = new Set(["content-length", "content-type"])

const replyOf = async (response: Response): Promise<Reply> => {
  const contentType = response.headers.get("content-type") ?? "application/json"
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !ownHeaders.has(name)))
  const isWhole = response.body === null || response.headers.has("content-length")
  return {
    status: response.status,
    contentType,
    headers,
    body: isWhole
      ? Buffer.from(await response.arrayBuffer())
      : // The same class at run time: only the types of the DOM and of Node differ.
        Readable.fromWeb(response.body as unknown as ReadableStream)
  }
}

/** Answers a request without the gate. The caller is already authenticated. */
export type Web = (request: Request, context: Context.Context<CurrentCaller>) => Promise<Response>

/** Builds the handlers of all surfaces. Call it once: a second call would build their parts twice. */
const web: Effect.Effect<Web, never, Needs | Scope.Scope> = Effect.gen(function* () {
  // `toHttpEffect` builds the router itself, outside of `apis`: a layer given to `apis` would not reach it.
  const app = yield* Effect.provideService(HttpRouter.toHttpEffect(apis), HttpRouter.RouterConfig, exactPaths)
  // The gate's route has the request's span. The router's own would have the query, with what somebody searches for.
  const context = Context.add(yield* Effect.context<never>(), HttpMiddleware.TracerDisabledWhen, Function.constTrue)
  const answered = Effect.catchCause(app, (cause) =>
    Effect.gen(function* () {
      const { requestId = "" } = yield* CurrentCaller
      const { url } = yield* HttpServerRequest.HttpServerRequest
      yield* Effect.annotateLogs(Effect.logError("A request failed", cause), { request_id: requestId })
      const detail = `The request failed; the log has the cause, with the request id ${requestId}.`
      return problem("internal_error", { detail, instance: pathOf(url) })
    })
  )
  return HttpEffect.toWebHandlerWith<never, CurrentCaller | HttpServerRequest.HttpServerRequest | Scope.Scope>(context)(
    answered
  )
})

/** Builds the handlers for the gate, with idempotency keys. */
export const make: Effect.Effect<Handle, never, Needs | Scope.Scope> = Effect.gen(function* () {
  const handle = yield* web
  const keyed = yield* KeyedRequests.make
  return keyed((admitted) =>
    // A keyed request's transaction is in the context.
    Effect.flatMap(Effect.context<never>(), (outer) => {
      const context = Context.add(outer, CurrentCaller, requestCaller(admitted.exchange))
      return Effect.promise((signal) => handle(webRequest(admitted, signal), context).then(replyOf))
    })
  )
})
