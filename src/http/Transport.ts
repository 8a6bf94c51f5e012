/**
 * From bytes to an operation and back: routing, authentication, freeze, body,
 * schema, in exactly the order of decisions.md §1; every error a problem document.
 */
import { NodeHttpServerRequest } from "@effect/platform-node"
import { Cause, Effect, Result } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { isUtf8 } from "node:buffer"
import type { IncomingMessage } from "node:http"
import * as Codes from "../account/Codes.ts"
import { strictDecoder } from "../contract/Decode.ts"
import { decodeRequest } from "../contract/Decode.ts"
import type { OperationId, Scope } from "../contract/Operations.ts"
import { operationIds, operations } from "../contract/Operations.ts"
import { maxBodyBytes, profile, protocolVersion } from "../contract/Protocol.ts"
import { fromMillis } from "../contract/Values.ts"
import type { Authenticate } from "./Authentication.ts"
import type { Answer, Caller, Handled, Handlers } from "./Handler.ts"
import { mayUse } from "./Handler.ts"
import type { ProblemCode, ProblemFacts } from "./Problems.ts"
import * as Problems from "./Problems.ts"

/** What a request is answered with before headers are added. */
export interface Reply {
  readonly status: number
  readonly body: string
  readonly contentType?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface Exchange {
  readonly incoming: IncomingMessage
  readonly path: string
  readonly requestId: string
  readonly caller: Caller | undefined
}

/** A route: who may, whether it writes, and what it does. */
export interface Route {
  readonly auth: "none" | "bearer" | "admin"
  readonly scope?: Scope
  readonly write?: boolean
  readonly run: (exchange: Exchange) => Effect.Effect<Reply>
}

export interface TransportOptions {
  readonly routes: ReadonlyMap<string, ReadonlyMap<string, Route>>
  readonly authenticate: Authenticate
  readonly isAdmin: (header: string | undefined) => boolean
  readonly isFrozen: () => boolean
}

const json = "application/json"

export const problem = (code: ProblemCode, facts: ProblemFacts, headers?: Readonly<Record<string, string>>): Reply => {
  const { retryAfter, status } = Problems.problems[code]
  return {
    status,
    body: Problems.document(code, facts),
    contentType: "application/problem+json",
    headers: retryAfter === undefined ? (headers ?? {}) : { ...headers, "Retry-After": String(retryAfter) }
  }
}

const identifier = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/

/** The path of a request target: without query, and without scheme and host of an absolute one. */
const pathOf = (target: string): string => {
  const [path = ""] = target.split(/[?#]/, 1)
  return path.startsWith("/") ? path : path.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, "") || "/"
}

/** Whether a header that may come once came again. */
const repeats = (incoming: IncomingMessage, name: string): boolean => {
  let count = 0
  for (let i = 0; i < incoming.rawHeaders.length; i += 2) {
    const raw = incoming.rawHeaders[i]
    if (raw?.length === name.length && raw.toLowerCase() === name) count++
  }
  return count > 1
}

export const isMediaType = (incoming: IncomingMessage, wanted: string): boolean => {
  const encoding = incoming.headers["content-encoding"]
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") return false
  const type = incoming.headers["content-type"]
  if (type === undefined || repeats(incoming, "content-type")) return false
  return type === wanted || type.split(";", 1)[0]?.trim().toLowerCase() === wanted
}

type Body =
  | { readonly _tag: "Body"; readonly bytes: Buffer }
  | { readonly _tag: "TooLarge" }
  | { readonly _tag: "CutOff" }

const tooLarge: Body = { _tag: "TooLarge" }
const cutOff: Body = { _tag: "CutOff" }

/** The whole body, if it keeps within bounds and comes to its end. */
const readBody = (incoming: IncomingMessage): Effect.Effect<Body> =>
  Effect.callback<Body>((resume) => {
    if (Number(incoming.headers["content-length"] ?? 0) > maxBodyBytes) return resume(Effect.succeed(tooLarge))
    const chunks: Array<Buffer> = []
    let size = 0
    const finish = (body: Body) => {
      incoming.off("data", onData).off("end", onEnd).off("error", onCut).off("close", onCut)
      resume(Effect.succeed(body))
    }
    const onData = (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBodyBytes) return finish(tooLarge)
      chunks.push(chunk)
    }
    const onEnd = () =>
      finish({
        _tag: "Body",
        bytes: chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
      })
    const onCut = () => finish(cutOff)
    incoming.on("data", onData).on("end", onEnd).on("error", onCut).on("close", onCut)
  })

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The JSON object of a body, or the problem with it (checks 7 to 9). */
export const readJson = (exchange: Exchange): Effect.Effect<Result.Result<object, Reply>> => {
  const { incoming, path } = exchange
  const refuse = (code: ProblemCode, detail: string, headers?: Readonly<Record<string, string>>) =>
    Result.fail(problem(code, { detail, instance: path }, headers))
  if (!isMediaType(incoming, json)) {
    return Effect.succeed(
      refuse("unsupported_media_type", "The body must be application/json, without Content-Encoding.")
    )
  }
  return Effect.map(readBody(incoming), (body) => {
    if (body._tag === "TooLarge") {
      return refuse("payload_too_large", `The body exceeds ${maxBodyBytes} bytes.`, { Connection: "close" })
    }
    if (body._tag === "CutOff") return refuse("invalid_json", "The body was cut off.")
    if (!isUtf8(body.bytes)) return refuse("invalid_json", "The body is not UTF-8.")
    let value: unknown
    try {
      value = JSON.parse(body.bytes.toString("utf8"))
    } catch (error) {
      return refuse(
        "invalid_json",
        `The body is not JSON: ${error instanceof Error ? error.message.slice(0, 200) : ""}`
      )
    }
    return isObject(value) ? Result.succeed(value) : refuse("invalid_json", "The body must be a JSON object.")
  })
}

const invalid = (exchange: Exchange, errors: ProblemFacts["errors"]): Reply =>
  problem("validation_failed", {
    detail: "The request does not fit its schema; errors says where.",
    instance: exchange.path,
    errors
  })

/** What a handler gave, as a reply. */
const replyTo = (exchange: Exchange, requestId: string, handled: Handled): Reply => {
  const instance = exchange.path
  switch (handled._tag) {
    case "Answer":
      return { status: handled.status, body: answerBody(requestId, handled) }
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

const answerBody = (requestId: string, answer: Answer): string => {
  const context = JSON.stringify({
    protocol_version: protocolVersion,
    profile,
    request_id: requestId,
    processed_at: fromMillis(answer.processedAt)
  })
  const members = JSON.stringify(answer.body).slice(1)
  return `{"context":${context}${members === "}" ? "" : ","}${members}`
}

interface Scoped {
  readonly context: { readonly request_id: string }
  readonly program_id?: string
  readonly order?: { readonly scope: { readonly program_id: string } }
}

/** The route of an operation: decode, check the programme, handle. */
const operationRoute = <Id extends OperationId>(id: Id, handlers: Handlers["Service"]): Route => {
  const { scope, write } = operations[id]
  const handle = handlers[id] as (request: unknown, caller: Caller) => Effect.Effect<Handled>
  const run = (exchange: Exchange): Effect.Effect<Reply> =>
    Effect.flatMap(readJson(exchange), (body) => {
      if (Result.isFailure(body)) return Effect.succeed(body.failure)
      const decoded = decodeRequest(id, body.success)
      if (Result.isFailure(decoded)) return Effect.succeed(invalid(exchange, decoded.failure))
      const request: Scoped = decoded.success
      const { caller } = exchange
      if (caller === undefined) throw new Error("an operation has a caller")
      const program = request.program_id ?? request.order?.scope.program_id
      if (program !== undefined && !mayUse(caller, program)) {
        return Effect.succeed(
          problem("forbidden", { detail: `The token is not for programme ${program}.`, instance: exchange.path })
        )
      }
      return Effect.map(handle(request, caller), (handled) => replyTo(exchange, request.context.request_id, handled))
    })
  return { auth: "bearer", scope, write, run }
}

/** The routes of all operations. */
export const operationRoutes = (handlers: Handlers["Service"]): ReadonlyArray<readonly [string, string, Route]> =>
  operationIds.map((id) => ["POST", operations[id].path, operationRoute(id, handlers)] as const)

/** A strict body for routes that are no operations. */
export const withBody = <A>(
  schema: Parameters<typeof strictDecoder<A>>[0],
  handle: (value: A, exchange: Exchange) => Effect.Effect<Reply>
): Route["run"] => {
  const decode = strictDecoder(schema)
  return (exchange) =>
    Effect.flatMap(readJson(exchange), (body) => {
      if (Result.isFailure(body)) return Effect.succeed(body.failure)
      const decoded = decode(body.success)
      return Result.isFailure(decoded)
        ? Effect.succeed(invalid(exchange, decoded.failure))
        : handle(decoded.success, exchange)
    })
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
  incoming: IncomingMessage,
  path: string
): Caller | Reply | undefined => {
  if (route.auth === "none") return undefined
  const header = repeats(incoming, "authorization") ? undefined : incoming.headers.authorization
  const challenge = { "WWW-Authenticate": "Bearer" }
  const detail = "A known bearer token is needed: Authorization: Bearer TOKEN."
  if (route.auth === "admin") {
    return options.isAdmin(header) ? undefined : problem("unauthorized", { detail, instance: path }, challenge)
  }
  const caller = options.authenticate(header)
  if (caller === undefined) return problem("unauthorized", { detail, instance: path }, challenge)
  if (route.scope !== undefined && !caller.scopes.has(route.scope)) {
    return problem("forbidden", { detail: `The token lacks the scope ${route.scope}.`, instance: path })
  }
  return caller
}

const route = (options: TransportOptions, incoming: IncomingMessage, requestId: string): Effect.Effect<Reply> => {
  const path = pathOf(incoming.url ?? "/")
  const methods = options.routes.get(path)
  if (methods === undefined)
    return Effect.succeed(
      problem("not_found", { detail: `There is nothing at ${path.slice(0, 200)}.`, instance: path })
    )
  const found = methods.get(incoming.method ?? "")
  if (found === undefined) {
    const allow = [...methods.keys()].join(", ")
    return Effect.succeed(
      problem("method_not_allowed", { detail: `${path} takes ${allow}.`, instance: path }, { Allow: allow })
    )
  }
  const permitted = permit(options, found, incoming, path)
  if (permitted !== undefined && "status" in permitted) return Effect.succeed(permitted)
  if (found.write === true && options.isFrozen()) {
    return Effect.succeed(problem("write_frozen", { detail: "Writes are frozen; reads work.", instance: path }))
  }
  return found.run({ incoming, path, requestId, caller: permitted })
}

const respond = (reply: Reply, requestId: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(reply.body, {
    status: reply.status,
    contentType: reply.contentType ?? json,
    headers: {
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      "X-Request-Id": requestId,
      ...reply.headers
    }
  })

/** The whole HTTP application. */
export const app = (
  options: TransportOptions
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest> =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const incoming = NodeHttpServerRequest.toIncomingMessage(request) as IncomingMessage
    const given = incoming.headers["x-request-id"]
    const requestId = typeof given === "string" && identifier.test(given) ? given : `req_${Codes.random()}`
    return Effect.suspend(() => route(options, incoming, requestId)).pipe(
      Effect.catchCause((cause) => {
        if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
        const reply = problem("internal_error", {
          detail: `Something broke here; request ${requestId} is in the log.`,
          instance: pathOf(incoming.url ?? "/")
        })
        return Effect.as(
          Effect.logError("A request failed", cause).pipe(Effect.annotateLogs({ request_id: requestId })),
          reply
        )
      }),
      Effect.map((reply) => respond(reply, requestId))
    )
  })
