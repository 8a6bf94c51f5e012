/**
 * The operations of `/proto/v1`: routes from the operations table, and answers.
 * They have their own decoder and renderer, and are parsed and decoded in batches
 * (`Body`).
 */
import { Effect, Result } from "effect"
import type { BodyFault } from "../../contract/Decode.ts"
import { isReadable, maxFaults } from "../../contract/Decode.ts"
import { decodeRequest } from "../../contract/protocol/DecodeRequest.ts"
import type { OperationId } from "../../contract/protocol/Operations.ts"
import { operationIds, operations } from "../../contract/protocol/Operations.ts"
import type { Order } from "../../contract/protocol/Order.ts"
import { maxBodyBytes, profile, protocolVersion } from "../../contract/protocol/Protocol.ts"
import { fromMillis } from "../../contract/Values.ts"
import { invalidOrder } from "../../core/account/domain/Orders.ts"
import type { Refusal } from "../../core/account/domain/Refusal.ts"
import type { Answer, Caller, Handled, Handlers } from "../../core/protocol/Handler.ts"
import * as OrderRules from "../../core/rules/OrderChecks.ts"
import { refusedBy } from "../../desk/surface/Refusal.ts"
import type { Running } from "./Backend.ts"
import * as Body from "./Body.ts"
import * as Query from "./Query.ts"
import type { Reply } from "./Reply.ts"
import { problem } from "./Reply.ts"
import type { Route } from "./Route.ts"
import { callerOf } from "./Route.ts"
import type { BodyRule } from "./RouteFacts.ts"

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
      return problem(handled.code, { ...handled, instance, more: moreOf(handled) })
    default: {
      const { code, detail, month } = refusedBy(handled)
      return problem(code, { detail, instance, more: { month } })
    }
  }
}

interface Scoped {
  readonly context: { readonly request_id: string }
  readonly program_id?: string
  readonly order?: Order
}

const programOf = ({ order, program_id }: Scoped): string | undefined => program_id ?? order?.scope.program_id

/** The fault of a programme that there is none of, where the request names it. */
const unknownProgram = ({ program_id }: Scoped): BodyFault => ({
  path: program_id === undefined ? "/order/scope/program_id" : "/program_id",
  message: "is no programme of this service"
})

/** Parts of the running service that tell faults of a body beside those of its schema; undefined while there are none. */
type Current = () => Pick<Running, "now" | "programs"> | undefined

/**
 * Decodes a body. One with faults is checked for what else is wrong, as far as it is readable, so that a caller mends everything
 * at once: the order's times and sums, its currency, and a programme that the caller may know of.
 */
const decoder =
  (id: OperationId, current: Current): NonNullable<BodyRule["decode"]> =>
  (json, caller) => {
    const decoded = decodeRequest(id, json)
    const running = current()
    if (Result.isSuccess(decoded) || decoded.failure.length >= maxFaults || running === undefined) return decoded
    const isFree = (path: string) => isReadable(decoded.failure, path)
    const found = [...decoded.failure]
    const { order } = json as { readonly order?: Order }
    if (order !== undefined) found.push(...OrderRules.faults(order, running.now(), isFree))
    const unknown = unknownProgram(json as Scoped)
    const name = isFree(unknown.path) ? programOf(json as Scoped) : undefined
    if (name === undefined || caller?.programs?.has(name) === false) return Result.fail(found.slice(0, maxFaults))
    const program = running.programs.get(name)
    if (program === undefined) found.push(unknown)
    else if (order !== undefined && isFree("/order/totals")) found.push(...OrderRules.currencyFaults(order, program))
    return Result.fail(found.slice(0, maxFaults))
  }

/** A refusal for a programme that there is none of, with all else that is wrong of the order. */
const withOrderFaults = (handled: Handled, body: Scoped, current: Current): Handled => {
  const running = current()
  if (handled._tag !== "Refusal" || handled.code !== "not_found" || running === undefined || body.order === undefined)
    return handled
  if (running.programs.get(body.order.scope.program_id) !== undefined) return handled
  const faults = OrderRules.faults(body.order, running.now())
  return faults.length === 0 ? handled : invalidOrder([...faults, unknownProgram(body)])
}

const route = (id: OperationId, handlers: () => Handlers["Service"], current: Current): Route => {
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
    body: { mediaTypes: Body.jsonTypes, maxBytes: maxBodyBytes, decode: decoder(id, current) },
    query: Query.none,
    programOf: (body) => programOf(body as Scoped),
    run: ({ body, exchange }) => {
      // The route's own decoder produced this request.
      const handle = handlers()[id] as (request: unknown, caller: Caller) => Effect.Effect<Handled>
      const { request_id } = (body as Scoped).context
      exchange.contextId = request_id
      return Effect.map(handle(body, callerOf(exchange)), (handled) => {
        if (handled._tag === "Answer") exchange.posted = handled.posted
        return replyTo(exchange.path, request_id, withOrderFaults(handled, body as Scoped, current))
      })
    }
  }
}

/** The routes of all operations. */
export const routes = (handlers: () => Handlers["Service"], current: Current): ReadonlyArray<Route> =>
  operationIds.map((id) => route(id, handlers, current))
