/** Rules that are checked on every answer of a run. */
import type { Result } from "effect"
import type { BodyFault } from "../contract/Decode.ts"
import { isObject, strictDecoder } from "../contract/Decode.ts"
import type { OperationId } from "../contract/protocol/Operations.ts"
import { operationIds, operations } from "../contract/protocol/Operations.ts"
import { basePath, discoveryPath, profile, protocolVersion } from "../contract/protocol/Protocol.ts"
import { Capabilities, Discovery, Health } from "../contract/protocol/Resources.ts"
import { Timestamp, toMillis } from "../contract/Values.ts"
import { maxClockSkewMs } from "./Bounds.ts"
import type { Watch } from "./CheckOutcome.ts"
import type { Exchange } from "./Host.ts"
import { parsed } from "./Host.ts"
import { codeOf, display, isSuccess } from "./Probe.ts"
import * as Shapes from "./Shapes.ts"

type Json = Readonly<Record<string, unknown>>

const byPath = new Map<string, OperationId>(operationIds.map((id) => [operations[id].path, id]))

/** The operation of a POST, if the contract has it. */
const operationOf = ({ request }: Exchange): OperationId | undefined =>
  request.method === "POST" ? byPath.get(request.path.split("?")[0] ?? "") : undefined

const isError = ({ status }: Exchange): boolean => status >= 400

const mediaType = ({ headers }: Exchange): string => (headers["content-type"] ?? "absent").split(";")[0]?.trim() ?? ""

const contextOf = (body: unknown): Json => (isObject(body) && isObject(body["context"]) ? body["context"] : {})

const isTimestamp = strictDecoder(Timestamp)

type Decoder = (input: unknown) => Result.Result<unknown, ReadonlyArray<BodyFault>>

const exactShapes = new Map<string, Decoder>([
  [`GET ${discoveryPath}`, strictDecoder(Discovery)],
  ["GET /health", strictDecoder(Health)],
  [`GET ${basePath}/capabilities`, strictDecoder(Capabilities)],
  ...operationIds.map(
    (id) =>
      [
        `POST ${operations[id].path}`,
        strictDecoder(operations[id].response as Parameters<typeof strictDecoder>[0])
      ] as const
  )
])

/**
 * Success statuses (contract/operations.md *Table of operations*); a repeated `redemption_id` answers 200
 * (contract/idempotency.md *Business identifiers*).
 */
const statusesOf = (id: OperationId): ReadonlyArray<number> =>
  id === "redemption.reserve" ? [201, 200] : operations[id].statuses

/** Properties with free-form values. */
const freeForm = new Set(["metadata", "attributes", "payload"])
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

/** The first timestamp of an answer that is not UTC with milliseconds and Z. */
const otherTimestamp = (value: unknown, key = ""): string | undefined => {
  if (typeof value === "string") {
    return (key.endsWith("_at") || key === "as_of") && !instant.test(value) ? `${key} ${value}` : undefined
  }
  if (Array.isArray(value)) return value.map((one) => otherTimestamp(one)).find((found) => found !== undefined)
  if (!isObject(value)) return undefined
  for (const [name, part] of Object.entries(value)) {
    const found = freeForm.has(name) ? undefined : otherTimestamp(part, name)
    if (found !== undefined) return found
  }
  return undefined
}

const base: ReadonlyArray<Watch> = [
  {
    id: "answers.json",
    level: "base",
    rule: "contract/transport.md *Bodies*; contract/resources.md *Values*",
    title: "successes are application/json",
    check: (exchange) =>
      !isSuccess(exchange) || operationOf(exchange) === undefined || mediaType(exchange) === "application/json"
        ? undefined
        : { expected: "Content-Type: application/json", got: `Content-Type: ${mediaType(exchange)}` }
  },
  {
    id: "answers.problem",
    level: "base",
    rule: "contract/transport.md *Problems*",
    title: "errors are application/problem+json with type, title, status and code",
    check: (exchange) => {
      if (!isError(exchange) || exchange.request.method === "HEAD") return undefined
      if (mediaType(exchange) !== "application/problem+json") {
        return { expected: "Content-Type: application/problem+json", got: `${mediaType(exchange)}: ${exchange.text}` }
      }
      const { body } = exchange
      const isProblem =
        isObject(body) &&
        typeof body["type"] === "string" &&
        typeof body["title"] === "string" &&
        typeof body["code"] === "string" &&
        body["status"] === exchange.status
      return isProblem ? undefined : { expected: `type, title, code and status ${exchange.status}`, got: exchange.text }
    }
  },
  {
    id: "answers.no-internal-error",
    level: "base",
    rule: "contract/transport.md *Problems*",
    title: "no request causes an internal error",
    check: (exchange) =>
      exchange.status >= 500 && codeOf(exchange) !== "write_frozen"
        ? { expected: "an answer below 500", got: `${exchange.status} ${exchange.text}` }
        : undefined
  },
  {
    id: "answers.request-id",
    level: "base",
    rule: "contract/resources.md *Response context*; contract/idempotency.md *Keys*",
    title: "every success echoes its own request's request_id, replays included",
    check: (exchange) => {
      if (!isSuccess(exchange) || operationOf(exchange) === undefined) return undefined
      const { body } = exchange.request
      const sent = typeof body === "string" ? parsed(body) : body
      const expected = contextOf(sent)["request_id"]
      const got = contextOf(exchange.body)["request_id"]
      return got === expected ? undefined : { expected: `context.request_id ${display(expected)}`, got: display(got) }
    }
  },
  {
    id: "answers.context",
    level: "base",
    rule: "contract/resources.md *Response context*",
    title: "every success has protocol_version, profile and processed_at in its context",
    check: (exchange) => {
      if (!isSuccess(exchange) || operationOf(exchange) === undefined) return undefined
      const context = contextOf(exchange.body)
      const isWhole =
        context["protocol_version"] === protocolVersion &&
        context["profile"] === profile &&
        isTimestamp(context["processed_at"])._tag === "Success"
      return isWhole
        ? undefined
        : { expected: `a context of ${protocolVersion}, ${profile}, processed_at`, got: display(context) }
    }
  },
  {
    id: "answers.fields",
    level: "base",
    rule: "contract/resources.md *Response bodies*",
    title: "every success has the fields of its resources, each of its type",
    check: (exchange) => {
      const id = operationOf(exchange)
      const fault = id === undefined || !isSuccess(exchange) ? undefined : Shapes.fault(id, exchange.body)
      return fault === undefined ? undefined : { expected: "the specified fields", got: fault }
    }
  }
]

/** processed_at must lie between sending and arrival; a replay has the original's. */
const clock: Watch = {
  id: "answers.clock",
  level: "base",
  rule: "contract/resources.md *Response context*",
  title: "processed_at is the time of processing",
  check: (exchange) => {
    const id = operationOf(exchange)
    const text = contextOf(exchange.body)["processed_at"]
    if (id === undefined || !isSuccess(exchange) || isTimestamp(text)._tag !== "Success") return undefined
    const at = toMillis(String(text))
    const isEarly = operations[id].safeToRetry && at < exchange.sentAt - maxClockSkewMs
    if (!isEarly && at <= exchange.receivedAt + maxClockSkewMs) return undefined
    const [from, until] = [exchange.sentAt, exchange.receivedAt].map((time) => new Date(time).toISOString())
    return { expected: `processed_at from ${from} to ${until}, ${maxClockSkewMs} ms allowed`, got: String(text) }
  }
}

const strict: ReadonlyArray<Watch> = [
  {
    id: "answers.exact",
    level: "strict",
    rule: "contract/resources.md *Response bodies*",
    title: "successes have exactly the specified fields: no others, no nulls, documented enumeration values",
    check: (exchange) => {
      const { request, body } = exchange
      const decode = exactShapes.get(`${request.method} ${request.path}`)
      if (decode === undefined || !isSuccess(exchange)) return undefined
      const decoded = decode(body)
      if (decoded._tag === "Success") return undefined
      const faults = decoded.failure.map(({ message, path }) => `${path} ${message}`)
      return { expected: "exactly the specified fields", got: faults.join("; ") }
    }
  },
  {
    id: "answers.status",
    level: "strict",
    rule: "contract/operations.md *Table of operations*",
    title: "successes have their operation's status",
    check: (exchange) => {
      const id = operationOf(exchange)
      if (id === undefined || !isSuccess(exchange) || statusesOf(id).includes(exchange.status)) return undefined
      return { expected: statusesOf(id).join(" or "), got: String(exchange.status) }
    }
  },
  {
    id: "answers.problem-exact",
    level: "strict",
    rule: "contract/transport.md *Problems*",
    title: "errors carry detail, instance (the request's path) and the type /problems/<code>",
    check: ({ request, body, status, text }) => {
      if (status < 400 || request.method === "HEAD" || !isObject(body)) return undefined
      const [path] = request.path.split("?")
      const isExact =
        typeof body["detail"] === "string" &&
        body["detail"] !== "" &&
        body["instance"] === path &&
        body["type"] === `/problems/${String(body["code"]).replaceAll("_", "-")}`
      return isExact ? undefined : { expected: `detail, instance ${path}, type /problems/<code>`, got: text }
    }
  },
  {
    id: "answers.headers",
    level: "strict",
    rule: "contract/transport.md *Headers*",
    title: "answers of the API carry Cache-Control: no-store, X-Content-Type-Options: nosniff and X-Request-Id",
    check: ({ request, headers }) => {
      if (!request.path.startsWith(`${basePath}/`)) return undefined
      const { "cache-control": cache, "x-content-type-options": sniff, "x-request-id": id } = headers
      const isWhole = cache === "no-store" && sniff === "nosniff" && id !== undefined
      return isWhole
        ? undefined
        : { expected: "no-store, nosniff and an X-Request-Id", got: display({ cache, sniff, "x-request-id": id }) }
    }
  },
  {
    id: "answers.available",
    level: "strict",
    rule: "contract/points.md *Balances*",
    title: "available is amount less reserved, in every balance of every answer",
    check: ({ body }) => {
      const balances = isObject(body) ? body["balances"] : undefined
      if (!Array.isArray(balances)) return undefined
      const wrong = balances.find(
        (one) => isObject(one) && one["available"] !== Number(one["amount"]) - Number(one["reserved"])
      )
      return wrong === undefined ? undefined : { expected: "available = amount − reserved", got: display(wrong) }
    }
  },
  {
    id: "answers.timestamps",
    level: "strict",
    rule: "contract/resources.md *Values*",
    title: "timestamps of answers are UTC with milliseconds and Z",
    check: (exchange) => {
      if (!isSuccess(exchange) || operationOf(exchange) === undefined) return undefined
      const found = otherTimestamp(exchange.body)
      return found === undefined ? undefined : { expected: "UTC, milliseconds, Z", got: found }
    }
  }
]

/** The watches of a run. A sandbox's clock differs from ours, so it is not compared. */
export const watches = (isStrict: boolean, isSandbox: boolean): ReadonlyArray<Watch> => [
  ...base,
  ...(isSandbox ? [] : [clock]),
  ...(isStrict ? strict : [])
]
