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

const problemHeaders: { readonly [status: string]: Json } = {
  401: { "WWW-Authenticate": { schema: { type: "string" }, description: "`Bearer`" } },
  429: { "Retry-After": { schema: { type: "integer" }, description: "Seconds." } },
  503: { "Retry-After": { schema: { type: "integer" }, description: "Seconds." } }
}

export interface Examples {
  /** Values of parameters in the path and in the query. */
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly request?: unknown
  readonly response?: unknown
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
      const documented = [...new Set(codes)].filter((code) => problemStatus[code] === Number(status))
      if (documented.length === 0) continue
      const headers = problemHeaders[status]
      responses[status] = {
        ...responses[status],
        description: documented.map((code) => `\`${code}\``).join(", "),
        ...(headers === undefined ? {} : { headers })
      }
    }
    for (const success of successes) responses[success] = exemplified(responses[success], examples.response)
    const requestBody = exemplified(operation["requestBody"], examples.request)
    return {
      ...operation,
      ...(requestBody === undefined ? {} : { requestBody }),
      ...(operation["parameters"] === undefined ? {} : { parameters: valued(operation["parameters"], examples) }),
      responses,
      ...(safeToRetry ? { [retryMarker]: true } : {})
    }
  }
