/** What a request is answered with, before the headers that every answer has. */
import type { ProblemCode, ProblemFacts } from "./Problems.ts"
import * as Problems from "./Problems.ts"

export interface Reply {
  readonly status: number
  readonly body: string
  /** `application/json` where absent. */
  readonly contentType?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A problem document, with the headers that its code calls for. */
export const problem = (code: ProblemCode, facts: ProblemFacts, headers?: Readonly<Record<string, string>>): Reply => {
  const { retryAfter, status } = Problems.problems[code]
  return {
    status,
    body: Problems.document(code, facts),
    contentType: "application/problem+json",
    headers: retryAfter === undefined ? (headers ?? {}) : { ...headers, "Retry-After": String(retryAfter) }
  }
}

/** The path of a request target: without query, and without scheme and authority of an absolute one. */
export const pathOf = (target: string): string => {
  const [path = ""] = target.split(/[?#]/, 1)
  return path.startsWith("/") ? path : path.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, "") || "/"
}
