/**
 * What the `HttpApi`s of all surfaces share: the problem documents of their
 * errors, and how an endpoint is described in OpenAPI.
 */
import { HttpApiSchema } from "effect/http-api"
import type { ProblemCode } from "./protocol/Problem.ts"
import { problemStatus } from "./protocol/Problem.ts"
import { retryMarker } from "./protocol/Protocol.ts"
import { Problem } from "./protocol/Resources.ts"

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
  readonly request?: unknown
  readonly response?: unknown
}

interface Described {
  readonly codes: ReadonlyArray<ProblemCode>
  /** A client may repeat it on its own (`x-…-safe-to-retry`). */
  readonly safeToRetry: boolean
  readonly examples?: Examples | undefined
}

/** A body whose media type `application/json` has an example. */
const exemplified = (body: Json | undefined, example: unknown): Json | undefined =>
  body === undefined || example === undefined
    ? body
    : {
        ...body,
        content: {
          ...body["content"],
          "application/json": {
            ...body["content"]["application/json"],
            examples: { demo: { summary: "On a demo", value: example } }
          }
        }
      }

/** Says at each error status which codes it may carry, marks what a client may repeat, and puts the examples in. */
export const described =
  ({ codes, examples = {}, safeToRetry }: Described) =>
  (operation: Json): Json => {
    const responses: Json = { ...operation["responses"] }
    const successes = Object.keys(responses).filter((status) => status < "300")
    for (const status of Object.keys(responses)) {
      const told = codes.filter((code) => problemStatus[code] === Number(status))
      if (told.length === 0) continue
      const headers = problemHeaders[status]
      responses[status] = {
        ...responses[status],
        description: told.map((code) => `\`${code}\``).join(", "),
        ...(headers === undefined ? {} : { headers })
      }
    }
    for (const success of successes) responses[success] = exemplified(responses[success], examples.response)
    const requestBody = exemplified(operation["requestBody"], examples.request)
    return {
      ...operation,
      ...(requestBody === undefined ? {} : { requestBody }),
      responses,
      ...(safeToRetry ? { [retryMarker]: true } : {})
    }
  }
