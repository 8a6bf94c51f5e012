/**
 * Shared parts of all surfaces' `HttpApi`s: problem documents of errors, and
 * endpoint descriptions for OpenAPI.
 */
import { HttpApiSchema } from "effect/http-api"
import type { ProblemCode } from "./protocol/Problem.ts"
import { Problem, problemStatus } from "./protocol/Problem.ts"
import { retryMarker } from "./protocol/Protocol.ts"

// biome-ignore lint/suspicious/noExplicitAny: the generated document is plain JSON without a type of its own
export type Json = Record<string, any>

const problem = (status: number) =>
  Problem.pipe(HttpApiSchema.status(status), HttpApiSchema.asJson({ contentType: "application/problem+json" }))

/** The error schemas of an endpoint: a problem document at each status that its codes have. */
export const problems = (codes: ReadonlyArray<ProblemCode>) =>
  [...new Set(codes.map((code) => problemStatus[code]))].sort((a, b) => a - b).map(problem)

const text = (description: string, example: string): Json => ({ description, schema: { type: "string" }, example })

/** The headers of responses, as components of the document. */
export const headers = {
  "Idempotent-Replayed": {
    description: "Present on a replay: the request was carried out before, and this is its first result.",
    schema: { type: "string", enum: ["true"] }
  },
  RateLimit: text(
    "Requests of this kind that the token may still send, and seconds until its window ends. Only with a rate limit.",
    '"write";r=41;t=30'
  ),
  "RateLimit-Policy": text(
    "The token's limit for requests of this kind, and the length of its window in seconds. Only with a rate limit.",
    '"write";q=600;w=60'
  ),
  "Retry-After": {
    description: "Seconds after which a retry makes sense.",
    schema: { type: "integer", format: "int32", minimum: 1, maximum: 86_400 },
    example: 1
  },
  "WWW-Authenticate": text("The way to authenticate.", "Bearer"),
  "X-Request-Id": text(
    "The request's header of this name if it is an identifier, else a new id. The service logs it.",
    "example"
  )
} as const satisfies Record<string, Json>
type Header = keyof typeof headers

/** The headers of a response with this status. */
const headersOf = (status: number, codes: ReadonlyArray<ProblemCode>): Json => {
  const names: ReadonlyArray<Header> = [
    "X-Request-Id",
    ...(status < 300 && codes.includes("idempotency_conflict") ? (["Idempotent-Replayed"] as const) : []),
    ...(codes.includes("rate_limited") && status !== 401 ? (["RateLimit", "RateLimit-Policy"] as const) : []),
    ...(status === 429 || status === 503 ? (["Retry-After"] as const) : []),
    ...(status === 401 ? (["WWW-Authenticate"] as const) : [])
  ]
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

export interface Examples {
  /** Values of parameters in the path and in the query. */
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly request?: unknown
  readonly response?: unknown
  /** Responses of success statuses whose example is another one. */
  readonly responses?: Readonly<Record<string, unknown>>
}

interface Described {
  readonly codes: ReadonlyArray<ProblemCode>
  /** A client may retry it automatically (`x-…-safe-to-retry`). */
  readonly safeToRetry: boolean
  readonly examples?: Examples | undefined
}

/** A body with an example: of JSON, or of the one other media type that it has. */
const exemplified = (body: Json | undefined, example: unknown): Json | undefined => {
  if (body === undefined || example === undefined) return body
  const content: Json = body["content"]
  const type = "application/json" in content ? "application/json" : Object.keys(content).join()
  const examples = { demo: { summary: "On a demo", value: example } }
  return { ...body, content: { ...content, [type]: { ...content[type], examples } } }
}

/** Parameters with the values that the example is of. */
const valued = (parameters: ReadonlyArray<Json>, { params, query }: Examples): ReadonlyArray<Json> =>
  parameters.map((parameter) => {
    const value = (parameter["in"] === "path" ? params : query)?.[String(parameter["name"])]
    return value === undefined ? parameter : { ...parameter, example: value }
  })

/** Describes the codes of each error status, marks operations that are safe to retry, and adds the examples. */
export const described =
  ({ codes, examples = {}, safeToRetry }: Described) =>
  (operation: Json): Json => {
    const responses: Json = { ...operation["responses"] }
    const successes = Object.keys(responses).filter((status) => status < "300")
    for (const status of Object.keys(responses)) {
      responses[status] = { ...responses[status], headers: headersOf(Number(status), codes) }
      const documented = [...new Set(codes)].filter((code) => problemStatus[code] === Number(status))
      if (documented.length === 0) continue
      responses[status] = {
        ...responses[status],
        description: documented.map((code) => `\`${code}\``).join(", ")
      }
    }
    for (const success of successes) {
      responses[success] = exemplified(responses[success], examples.responses?.[success] ?? examples.response)
    }
    const requestBody = exemplified(operation["requestBody"], examples.request)
    return {
      ...operation,
      ...(requestBody === undefined ? {} : { requestBody }),
      ...(operation["parameters"] === undefined ? {} : { parameters: valued(operation["parameters"], examples) }),
      responses,
      ...(safeToRetry ? { [retryMarker]: true } : {})
    }
  }
