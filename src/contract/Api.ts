/**
 * The HttpApi of the contract, made from the operations table: typed clients
 * and the OpenAPI document come from it.
 */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiMiddleware, HttpApiSchema, HttpApiSecurity, OpenApi } from "effect/http-api"
import type { OperationId } from "./Operations.ts"
import { operations } from "./Operations.ts"
import { basePath, discoveryPath, retryMarker } from "./Protocol.ts"
import { Capabilities, Discovery, Health, Problem } from "./Resources.ts"

/** Bearer authentication, for clients and for the description; the transport does it for all routes at once. */
export class Bearer extends HttpApiMiddleware.Service<Bearer>()("lotbook/contract/Bearer", {
  security: { bearer: HttpApiSecurity.bearer }
}) {}

/** Statuses that any operation may answer with beside its success; the problem's `code` says more. */
const problemStatuses = [400, 401, 403, 404, 409, 413, 415, 422, 500, 503] as const

const problem = (status: number) =>
  Problem.pipe(
    HttpApiSchema.status(status),
    HttpApiSchema.asJson({ contentType: "application/problem+json" })
  )

const errors = problemStatuses.map(problem)

const endpoint = <Id extends OperationId>(id: Id) => {
  const { path, request, response, safeToRetry, statuses, summary } = operations[id] as (typeof operations)[Id]
  return HttpApiEndpoint.post(id, path, {
    payload: request,
    success: statuses.map((status) => response.pipe(HttpApiSchema.status(status))),
    error: errors
  }).annotateMerge(OpenApi.annotations({
    identifier: id,
    summary,
    transform: (operation) => safeToRetry ? { ...operation, [retryMarker]: true } : operation
  }))
}

const capabilities = HttpApiEndpoint.get("capabilities", `${basePath}/capabilities`, { success: Capabilities, error: errors })
  .annotateMerge(OpenApi.annotations({
    identifier: "capabilities",
    summary: "Operations, reward effects, event types and limits",
    transform: (operation) => ({ ...operation, [retryMarker]: true })
  }))

export class Transactions extends HttpApiGroup.make("transactions").add(
  endpoint("member.lookup"),
  endpoint("member.enroll"),
  endpoint("account.get"),
  endpoint("program.get"),
  endpoint("ledger.list"),
  endpoint("ledger.manual_adjustment"),
  endpoint("order.evaluate"),
  endpoint("accrual.post"),
  endpoint("order.adjust"),
  endpoint("redemption.reserve"),
  endpoint("redemption.capture"),
  endpoint("redemption.reverse"),
  endpoint("issued_reward.issue"),
  endpoint("issued_reward.list"),
  endpoint("issued_reward.cancel"),
  capabilities
).middleware(Bearer).annotateMerge(OpenApi.annotations({
  title: "Transactions",
  description: "The portable transaction contract."
})) {}

export class Discoveries extends HttpApiGroup.make("discovery").add(
  HttpApiEndpoint.get("discover", discoveryPath, { success: Discovery }),
  HttpApiEndpoint.get("health", "/health", { success: Health }),
  HttpApiEndpoint.get("ready", "/health/ready", {
    success: Schema.Struct({ status: Schema.Literal("ok") }),
    error: problem(503)
  })
).annotateMerge(OpenApi.annotations({ title: "Discovery and health", description: "Public." })) {}

export class Api extends HttpApi.make("lotbook").add(Transactions).add(Discoveries).annotateMerge(OpenApi.annotations({
  title: "Lotbook",
  version: "1.0",
  description: "A loyalty points engine for food-service businesses: the portable transaction contract."
})) {}

/** The OpenAPI 3.1 document. */
export const openApi = (): object => OpenApi.fromApi(Api)
