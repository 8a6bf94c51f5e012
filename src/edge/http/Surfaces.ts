/**
 * The surfaces besides the hot path: `HttpApi`s, built by Effect's `HttpApiBuilder`.
 * The gate's routes are derived from the same declarations as the OpenAPI
 * description, so that checks, handlers and description cannot differ. The gate
 * routes and makes the checks before the body, `HttpApiBuilder` decodes and encodes.
 */
import * as NodeStream from "@effect/platform-node/NodeStream"
import { Context, Effect, Layer, Option, Result, Schema, type Scope, Stream } from "effect"
import type { HttpMethod } from "effect/http"
import {
  Headers,
  HttpBody,
  HttpClientRequest,
  HttpRouter,
  HttpServer,
  HttpServerRequest,
  HttpServerResponse,
  UrlParams
} from "effect/http"
import { HttpApi, HttpApiBuilder, type HttpApiEndpoint, HttpApiError, type HttpApiGroup } from "effect/http-api"
import type { PeoplePool, WorkPool } from "../../base/database/Pools.ts"
import * as PlatformAnalytics from "../../capabilities/analytics/Analytics.ts"
import * as RestaurantRoutes from "../../capabilities/analytics/RestaurantRoutes.ts"
import * as Asks from "../../capabilities/asks/Asks.ts"
import type { CampaignRuns } from "../../capabilities/campaigns/CampaignRuns.ts"
import * as PlatformCampaigns from "../../capabilities/campaigns/Campaigns.ts"
import * as PendingAudiences from "../../capabilities/campaigns/PendingAudiences.ts"
import * as TakeBack from "../../capabilities/campaigns/TakeBack.ts"
import * as PlatformOrders from "../../capabilities/claims/Routes.ts"
import * as PlatformEvents from "../../capabilities/events/Events.ts"
import * as PlatformFeed from "../../capabilities/events/FeedRoutes.ts"
import * as Finances from "../../capabilities/finance/Routes.ts"
import { CurrentGuest, callerOf as callerOfGuest } from "../../capabilities/guests/CurrentGuest.ts"
import * as GuestFresh from "../../capabilities/guests/Fresh.ts"
import * as GuestMe from "../../capabilities/guests/MeRoutes.ts"
import * as GuestPageFacts from "../../capabilities/guests/PageFacts.ts"
import * as Guests from "../../capabilities/guests/Routes.ts"
import * as GuestSignIn from "../../capabilities/guests/SignIn.ts"
import * as Handovers from "../../capabilities/handovers/Handovers.ts"
import * as PlatformImports from "../../capabilities/imports/Imports.ts"
import * as ImportTakeBack from "../../capabilities/imports/TakeBack.ts"
import * as MemberExport from "../../capabilities/members/MemberExport.ts"
import * as MemberList from "../../capabilities/members/MemberList.ts"
import * as PlatformMembers from "../../capabilities/members/Members.ts"
import * as Merge from "../../capabilities/members/Merge.ts"
import * as MoveOrder from "../../capabilities/members/MoveOrder.ts"
import * as Members from "../../capabilities/members/OneMemberRoutes.ts"
import { timeFaults } from "../../capabilities/members/ProfileChange.ts"
import * as RestaurantGuest from "../../capabilities/members/RestaurantGuest.ts"
import * as MovingIn from "../../capabilities/moving/Routes.ts"
import * as Attention from "../../capabilities/operators/Attention.ts"
import * as AuditList from "../../capabilities/operators/AuditList.ts"
import * as Business from "../../capabilities/operators/Business.ts"
import * as Faults from "../../capabilities/operators/Faults.ts"
import * as Freeze from "../../capabilities/operators/Freeze.ts"
import * as Locations from "../../capabilities/operators/Locations.ts"
import * as Nodes from "../../capabilities/operators/Nodes.ts"
import * as Overview from "../../capabilities/operators/Overview.ts"
import type { RecentRequests } from "../../capabilities/operators/RecentRequests.ts"
import * as Requests from "../../capabilities/operators/Requests.ts"
import * as SandboxClock from "../../capabilities/operators/SandboxClock.ts"
import * as Tokens from "../../capabilities/operators/Tokens.ts"
import * as Products from "../../capabilities/products/Routes.ts"
import * as PromotionFigures from "../../capabilities/programs/PromotionFigures.ts"
import * as PlatformPromotions from "../../capabilities/programs/PromotionsShown.ts"
import * as ProgramRoutes from "../../capabilities/programs/Routes.ts"
import * as PlatformSegments from "../../capabilities/segments/Segments.ts"
import * as Limits from "../../capabilities/staff/Limits.ts"
import * as Staff from "../../capabilities/staff/Routes.ts"
import * as SignIn from "../../capabilities/staff/SignIn.ts"
import * as Connections from "../../capabilities/tills/connections/Connections.ts"
import * as PlatformConnectors from "../../capabilities/webhooks/Connectors.ts"
import * as PlatformDeliveries from "../../capabilities/webhooks/Routes.ts"
import { AccessOf, type Auth, AuthOf } from "../../contract/Access.ts"
import { AdminApi } from "../../contract/admin/Api.ts"
import type { BodyFault } from "../../contract/Decode.ts"
import { isObject, isReadable, maxFaults, strictDecoder } from "../../contract/Decode.ts"
import { GuestApi } from "../../contract/guest/Api.ts"
import { PlatformApi } from "../../contract/platform/Api.ts"
import { maxBodyBytes } from "../../contract/protocol/Protocol.ts"
import { Refusals, Refused } from "../../contract/Refused.ts"
import { askedFor, scopesFor } from "../../contract/Scopes.ts"
import { Accounts } from "../../core/account/Accounts.ts"
import type { Node } from "../../core/cluster/Node.ts"
import type { Journal } from "../../core/journal/Journal.ts"
import type { WriteFreeze } from "../../core/journal/WriteFreeze.ts"
import type { Programs } from "../../core/programs/Programs.ts"
import type { KeyCaller, RequestCaller } from "../../desk/access/CurrentCaller.ts"
import { CurrentCaller, mayUse } from "../../desk/access/CurrentCaller.ts"
import type { Keys } from "../../desk/access/Keys.ts"
import type { Sessions } from "../../desk/access/Sessions.ts"
import * as PlatformDiscovery from "../../desk/surface/Discovery.ts"
import type { EventFeed } from "../../reads/feed/EventFeed.ts"
import type { Finance } from "../../reads/finance/Finance.ts"
import type { RollupReads } from "../../reads/rollups/RollupReads.ts"
import { invalid } from "./Body.ts"
import { unknownBodyBytes } from "./Bounds.ts"
import { notForProgram } from "./Checks.ts"
import type { Exchange } from "./Exchange.ts"
import * as GuestRoutes from "./GuestRoutes.ts"
import * as KeyedRequests from "./KeyedRequests.ts"
import { and, Posting, told } from "./Posting.ts"
import * as Query from "./Query.ts"
import type { Reply } from "./Reply.ts"
import { pathOf, problem, queryOf } from "./Reply.ts"
import type { DeskRequest, Handle, Route } from "./Route.ts"
import type { BodyRule, Budget } from "./RouteFacts.ts"

/** The services that the handlers of all surfaces use. */
export type Needs =
  | Accounts
  | Node
  | PeoplePool
  | CampaignRuns
  | EventFeed
  | Finance
  | Journal
  | Keys
  | Programs
  | RecentRequests
  | RollupReads
  | Sessions
  | WorkPool
  | WriteFreeze

const isRead = ({ method }: { readonly method: string }): boolean => method === "GET" || method === "HEAD"

type BodyFaults = ReadonlyArray<BodyFault>

/** The faults of a value. The cast is safe because schemas of the contract need no services; their type does not say so. */
const faultsBy = (schema: Schema.Top) => {
  const decode = strictDecoder(schema as unknown as Schema.ConstraintDecoder<unknown>)
  return (value: unknown): BodyFaults => {
    const decoded = decode(value)
    return Result.isFailure(decoded) ? decoded.failure : []
  }
}

/** Faults that need the service's time, ms, by operation: of what is readable in a body with faults of its schema. */
const timed: Readonly<Record<string, (body: never, now: number, isReadable: (path: string) => boolean) => BodyFaults>> =
  {
    upsertMember: timeFaults
  }

const withTimed = (operation: string, body: unknown, faults: BodyFaults, now: number | undefined): BodyFaults => {
  const of = timed[operation]
  if (of === undefined || now === undefined || faults.length === 0 || !isObject(body)) return faults
  return [...faults, ...of(body as never, now, (path) => isReadable(faults, path))].slice(0, maxFaults)
}

const nothingAt = (path: string): Reply =>
  problem("not_found", { detail: `There is nothing at ${path.slice(0, 200)}.`, instance: path })

const bodyOf = ({ payload }: HttpApiEndpoint.Top, auth: Auth) => {
  if (payload.size === 0) return undefined
  const json = [...payload.values()].find(({ encoding }) => encoding._tag === "Json")
  const textTypes = [...payload].flatMap(([type, { encoding }]) => (encoding._tag === "Json" ? [] : [type]))
  const rule: BodyRule = {
    mediaTypes: [...payload.keys()],
    maxBytes: auth === "none" || auth === "guest" ? unknownBodyBytes : maxBodyBytes,
    ...(json === undefined ? undefined : { decode: Result.succeed }),
    ...(textTypes.length === 0 ? undefined : { textTypes })
  }
  const [schema, ...others] = json?.schemas ?? []
  return schema === undefined
    ? { rule }
    : { rule, faults: faultsBy(others.length === 0 ? schema : Schema.Union([schema, ...others])) }
}

const scopesOf = (operation: string) => {
  const asked = askedFor(operation)
  // A route that nobody gave a scope must not be open to every token.
  if (asked === undefined) throw new Error(`the table of scopes has no ${operation}`)
  return scopesFor(asked)
}

const withoutScope: ReadonlySet<Auth> = new Set(["none", "session", "guest"])

/** The routes of a surface, derived from its contract. */
const routesOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  budget: Budget | undefined,
  handle: () => Handle,
  now: () => number | undefined
): ReadonlyArray<Route> => {
  const routes: Array<Route> = []
  HttpApi.reflect(api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, mergedAnnotations }) => {
      const access = Context.get(mergedAnnotations, AccessOf)
      const auth = Context.getUnsafe(mergedAnnotations, AuthOf)
      const asked = withoutScope.has(auth) ? undefined : scopesOf(endpoint.identifier)
      const body = bodyOf(endpoint, auth)
      const queryFaults = endpoint.query === undefined ? Query.unknownIn : faultsBy(endpoint.query)
      const route: Route = {
        method: endpoint.method as Route["method"],
        path: endpoint.path,
        operation: endpoint.identifier,
        auth,
        ...(asked === undefined ? undefined : { scopes: asked }),
        isForUnlimited: access.isForUnlimited ?? false,
        hasOwnKeys: access.hasOwnKeys ?? false,
        isRepeatable: access.isRepeatable ?? false,
        isWrite: access.isServedFrozen !== true && !isRead(endpoint),
        run: (admitted) => {
          const { caller, incoming, params, path } = admitted.exchange
          const query = Query.parsed(queryOf(incoming.url ?? ""))
          if (Result.isFailure(query)) return invalid(path, [query.failure])
          const faults = () => {
            const inBody = admitted.body === undefined ? [] : (body?.faults?.(admitted.body) ?? [])
            const all = withTimed(endpoint.identifier, admitted.body, inBody, now())
            return all.length > 0 ? all : queryFaults(query.success)
          }
          const program = params["program_id"] ?? programIn(admitted.body)
          admitted.exchange.program = program
          const isForbidden = program !== undefined && caller !== undefined && !mayUse(caller, program)
          // `HttpApiBuilder` does not look at the query of an endpoint that declares none.
          if (isForbidden || (endpoint.query === undefined && Object.keys(query.success).length > 0)) {
            const found = faults()
            if (found.length > 0) return invalid(path, found)
            if (isForbidden) return notForProgram(path, program, caller)
          }
          return handle()({ ...admitted, query: query.success, faults })
        },
        ...(body === undefined ? undefined : { body: body.rule }),
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
export const routes = (
  handle: () => Handle,
  now: () => number | undefined,
  guests: GuestRoutes.Options
): ReadonlyArray<Route> => [
  ...routesOf(AdminApi, undefined, handle, now),
  ...routesOf(PlatformApi, "platform", handle, now),
  ...routesOf(GuestApi, undefined, handle, now).map((route) => GuestRoutes.entered(route, guests))
]

/** Turns refusals of handlers into problem documents. */
const refusals = Layer.succeed(Refusals, (handled) =>
  Effect.catch(handled, (error) =>
    error instanceof Refused
      ? Effect.map(HttpServerRequest.HttpServerRequest, ({ url }) => {
          const { code, detail, errors, limit, month, retryAfter, template } = error
          const own = retryAfter === undefined ? undefined : { "Retry-After": String(retryAfter) }
          return HttpServerResponse.raw(
            problem(code, { detail, template, instance: pathOf(url), errors, more: { limit, month } }, own)
          )
        })
      : Effect.fail(error)
  )
)

const admin = HttpApiBuilder.layer(AdminApi).pipe(
  Layer.provide([
    SignIn.layer,
    Staff.layer,
    Limits.layer,
    Tokens.layer,
    AuditList.layer,
    Overview.layer,
    Finances.layer,
    MemberList.layer,
    Freeze.layer,
    Nodes.layer,
    Requests.layer,
    Locations.layer,
    Connections.layer,
    Attention.layer,
    Asks.layer,
    Handovers.layer,
    SandboxClock.layer,
    Faults.layer,
    Members.layer,
    Merge.layer,
    MovingIn.layer,
    MemberExport.layer,
    Members.rewardsLayer,
    MoveOrder.layer,
    TakeBack.layer,
    ProgramRoutes.layer,
    Products.layer,
    Business.layer,
    PromotionFigures.layer
  ])
)

const platform = HttpApiBuilder.layer(PlatformApi).pipe(
  Layer.provide([
    PlatformDiscovery.layer,
    PlatformMembers.layer,
    PlatformEvents.layer,
    PlatformOrders.layer,
    Guests.linksLayer,
    PlatformAnalytics.layer,
    RestaurantRoutes.layer,
    RestaurantGuest.layer,
    PlatformPromotions.layer,
    PlatformSegments.layer,
    PlatformCampaigns.layer,
    PendingAudiences.layer,
    PlatformFeed.layer,
    PlatformConnectors.layer,
    PlatformDeliveries.layer,
    PlatformImports.layer,
    ImportTakeBack.layer
  ])
)

const guest = HttpApiBuilder.layer(GuestApi).pipe(
  Layer.provide([GuestPageFacts.layer, GuestSignIn.layer, GuestFresh.layer, Guests.layer, GuestMe.layer])
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
  const { cookie, host, "idempotency-key": key, "user-agent": userAgent } = exchange.incoming.headers
  const { guest: ofPage } = exchange
  return {
    ...(ofPage === undefined ? (exchange.caller ?? anonymous) : callerOfGuest(ofPage)),
    sourceIp: exchange.sourceIp,
    requestId: exchange.requestId,
    idempotencyKey: typeof key === "string" ? key : undefined,
    cookie,
    host,
    userAgent,
    session: exchange.session
  }
}

/** A built route: decodes the request, runs the handler, encodes its answer. */
type Built = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  HttpServerRequest.HttpServerRequest | HttpRouter.RouteContext | HttpServerRequest.ParsedSearchParams | CurrentCaller
>

const nameOf = ({ method, path }: { readonly method: string; readonly path: string }): string => `${method} ${path}`

/**
 * Builds the routes of surfaces, by method and path. The gate finds a request's route, so that no router does. `R`: what
 * the groups' handlers need; the type of `groups` also asks for what comes with each request.
 */
const built = Effect.fnUntraced(function* <R>(groups: Layer.Layer<never, never, unknown>) {
  const found = new Map<string, HttpRouter.Route<unknown, unknown>>()
  const addAll: HttpRouter.HttpRouter["addAll"] = (all) =>
    Effect.sync(() => {
      for (const route of all) found.set(nameOf(route), route)
    })
  const collecting = Effect.map(HttpRouter.make, (router) => ({ ...router, addAll }))
  const layer = groups.pipe(Layer.provide(refusals), Layer.provide(HttpServer.layerServices)) as Layer.Layer<
    never,
    never,
    R | HttpRouter.HttpRouter
  >
  yield* Layer.build(Layer.provide(layer, Layer.effect(HttpRouter.HttpRouter, collecting)))
  return found
})

/** The request as Effect's handlers take it. */
const requestOf = ({ bytes, exchange: { incoming } }: DeskRequest): HttpServerRequest.HttpServerRequest => {
  const headers = Headers.fromInput(incoming.headers as Headers.Input)
  const method = incoming.method === "HEAD" ? "GET" : ((incoming.method ?? "GET") as HttpMethod.HttpMethod)
  const body = bytes === undefined ? HttpBody.empty : HttpBody.uint8Array(bytes, headers["content-type"])
  return HttpServerRequest.fromClientRequest(
    HttpClientRequest.makeWith(method, incoming.url ?? "/", UrlParams.empty, Option.none(), headers, body)
  )
}

const replyOf = ({ body, headers, status }: HttpServerResponse.HttpServerResponse): Reply => {
  const { "content-length": _, "content-type": contentType = "application/json", ...others } = headers
  const reply = { status, contentType, headers: others }
  switch (body._tag) {
    case "Empty":
      return { ...reply, body: "" }
    case "Uint8Array":
      return { ...reply, contentType: body.contentType, body: Buffer.from(body.body) }
    // Only `refusals` makes one.
    case "Raw":
      return body.body as Reply
    case "Stream":
      return { ...reply, contentType: body.contentType, body: NodeStream.toReadableNever(Stream.orDie(body.stream)) }
    default:
      throw new Error(`a handler answered with a body of the kind ${body._tag}`)
  }
}

/** The answer to a request that does not fit its schema; undefined for any other defect. */
const refusalOf = (defect: unknown, { exchange: { path }, faults }: DeskRequest): Reply | undefined => {
  if (!HttpApiError.HttpApiSchemaError.is(defect)) return undefined
  if (defect.kind === "Params") return nothingAt(path)
  return defect.kind === "Query" || defect.kind === "Payload" ? invalid(path, faults()) : undefined
}

/** Builds the handlers of some groups of endpoints. Call it once: a second call would build their parts twice. */
export const over = Effect.fnUntraced(function* <R>(
  groups: Layer.Layer<never, never, unknown>
): Effect.fn.Return<Handle, never, R | Accounts | Scope.Scope> {
  const all = yield* Effect.provideService(built<R | Accounts>(groups), Accounts, told(yield* Accounts))
  return (asked) => {
    const { exchange } = asked
    const { params, route: facts } = exchange
    const route = facts === undefined ? undefined : all.get(nameOf({ ...facts, path: facts.path.replace(/\/$/, "") }))
    if (route === undefined) return Effect.die(new Error(`nothing is built for ${facts?.operation ?? "no route"}`))
    const common = Context.make(HttpServerRequest.HttpServerRequest, requestOf(asked)).pipe(
      Context.add(HttpRouter.RouteContext, { params, route }),
      Context.add(HttpServerRequest.ParsedSearchParams, asked.query),
      Context.add(CurrentCaller, requestCaller(exchange)),
      Context.add(Posting, (posted) => {
        exchange.posted = and(exchange.posted, posted)
      })
    )
    const context = exchange.guest === undefined ? common : Context.add(common, CurrentGuest, exchange.guest)
    return Effect.provideContext(route.handler as Built, context).pipe(
      Effect.map(replyOf),
      Effect.catchDefect((defect) => {
        const refused = refusalOf(defect, asked)
        return refused === undefined ? Effect.die(defect) : Effect.succeed(refused)
      })
    )
  }
})

/** Builds the handlers of all surfaces, with idempotency keys. */
export const make: Effect.Effect<Handle, never, Needs | Scope.Scope> = Effect.gen(function* () {
  const handle = yield* over<Needs>(Layer.mergeAll(admin, platform, guest))
  const keyed = (yield* KeyedRequests.make)(handle)
  return (yield* GuestRoutes.make)(keyed)
})
