/**
 * The operations of `/proto/v1`: routes from the operations table, and answers.
 * They have their own decoder and renderer, and are parsed and decoded in batches
 * (`Body`).
 */
import { Effect, Result } from "effect"
import { decodeRequest, isReadable, maxFaults } from "../../contract/Decode.ts"
import type { OperationId } from "../../contract/protocol/Operations.ts"
import { operationIds, operations } from "../../contract/protocol/Operations.ts"
import type { Order } from "../../contract/protocol/Order.ts"
import { maxBodyBytes, profile, protocolVersion } from "../../contract/protocol/Protocol.ts"
import { fromMillis } from "../../contract/Values.ts"
import type { Refusal } from "../../core/account/domain/Refusal.ts"
import type { Answer, Caller, Handled, Handlers } from "../../core/protocol/Handler.ts"
import * as OrderRules from "../../core/rules/OrderChecks.ts"
import { unreachableDetail } from "../../desk/surface/Problems.ts"
import * as Body from "./Body.ts"
import * as Query from "./Query.ts"
import type { Reply } from "./Reply.ts"
import { problem } from "./Reply.ts"
import type { Route } from "./Route.ts"
import { callerOf } from "./Route.ts"

/** Start of every answer, up to the request's id. */
const answerStart = `{"context":{"protocol_version":${JSON.stringify(protocolVersion)},"profile":${JSON.stringify(profile)},"request_id":`

const answerBody = (requestId: string, { body, processedAt }: Answer): string => {
  const members = JSON.stringify(body).slice(1)
  const context = `${answerStart}${JSON.stringify(requestId)},"processed_at":"${fromMillis(processedAt)}"}`
  return members === "}" ? `${context}}` : `${context},${members}`
}

const moreOf = ({ memberUnknownSince: since }: Refusal) =>
  since === undefined ? undefined : { member_unknown_since: fromMillis(since) }

/** The result of a handler as a reply. */
const replyTo = (instance: string, requestId: string, handled: Handled): Reply => {
  switch (handled._tag) {
    case "Answer": {
      const reply = { status: handled.created ? 201 : 200, body: answerBody(requestId, handled) }
      return handled.isReplay === true ? { ...reply, headers: { "Idempotent-Replayed": "true" } } : reply
    }
    case "Refusal":
      return problem(handled.code, { detail: handled.detail, instance, errors: handled.errors, more: moreOf(handled) })
    case "Unavailable":
      return problem("storage_unavailable", {
        detail: "The journal cannot be reached; send the request again with the same key.",
        instance
      })
    case "Unreachable":
      return problem("node_unreachable", { detail: unreachableDetail, instance })
    case "Overloaded":
      return problem("overloaded", { detail: "The service is overloaded; nothing was done.", instance })
    case "Frozen":
      return problem("write_frozen", { detail: "Writes are frozen; reads work.", instance })
  }
}

interface Scoped {
  readonly context: { readonly request_id: string }
  readonly program_id?: string
  readonly order?: { readonly scope: { readonly program_id: string } }
}

/**
 * Decodes a body. The order of one with faults is checked at an instant, ms, as far as it is readable, so that a caller
 * mends everything at once.
 */
const decoder = (id: OperationId, now: () => number | undefined) => (json: object) => {
  const decoded = decodeRequest(id, json)
  if (Result.isSuccess(decoded) || decoded.failure.length >= maxFaults) return decoded
  const at = now()
  const { order } = json as { readonly order?: Order }
  if (at === undefined || order === undefined) return decoded
  const isFree = (path: string) => isReadable(decoded.failure, path)
  return Result.fail([...decoded.failure, ...OrderRules.faults(order, at, isFree)].slice(0, maxFaults))
}

/** `now`: the service's time, ms; undefined while nothing executes requests. */
const route = (id: OperationId, handlers: () => Handlers["Service"], now: () => number | undefined): Route => {
  const { path, scope, write } = operations[id]
  return {
    method: "POST",
    path,
    operation: id,
    auth: "bearer",
    scopes: [scope],
    isWrite: write,
    isBounded: true,
    budget: write ? "write" : "read",
    body: { mediaTypes: Body.jsonTypes, maxBytes: maxBodyBytes, decode: decoder(id, now) },
    query: Query.none,
    programOf: (body) => (body as Scoped).program_id ?? (body as Scoped).order?.scope.program_id,
    run: ({ body, exchange }) => {
      // The route's own decoder produced this request.
      const handle = handlers()[id] as (request: unknown, caller: Caller) => Effect.Effect<Handled>
      const { request_id } = (body as Scoped).context
      exchange.contextId = request_id
      return Effect.map(handle(body, callerOf(exchange)), (handled) => {
        if (handled._tag === "Answer") exchange.posted = handled.posted
        return replyTo(exchange.path, request_id, handled)
      })
    }
  }
}

/** The routes of all operations. */
export const routes = (handlers: () => Handlers["Service"], now: () => number | undefined): ReadonlyArray<Route> =>
  operationIds.map((id) => route(id, handlers, now))
