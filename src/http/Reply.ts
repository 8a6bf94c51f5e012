/** What a request is answered with, before the headers that every answer has. */
import type { ProblemCode, ProblemFacts } from "./Problems.ts"
import * as Problems from "./Problems.ts"

export const json = "application/json"

export interface Reply {
  readonly status: number
  readonly body: string
  /** Length of just this body in UTF-8, where whoever put it together knows; else it is counted. */
  readonly bodyBytes?: number
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

/** The headers of every answer, and those of this one. */
export const headersOf = (reply: Reply, requestId: string): Readonly<Record<string, string>> => ({
  "content-type": reply.contentType ?? json,
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "x-request-id": requestId,
  ...reply.headers
})

/** A reply as it stands on the wire, for those that no server writes: all but its request's id is put together once. */
export const textOf = (reply: Reply, connection: Readonly<Record<string, string>>): ((requestId: string) => string) => {
  const { "x-request-id": _, ...headers } = headersOf(reply, "")
  const fields = { ...headers, "content-length": Buffer.byteLength(reply.body), ...connection }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`)
  const start = `HTTP/1.1 ${reply.status} ${Problems.phrase(reply.status)}\r\nx-request-id: `
  // There and back, as V8 keeps a text that was put together as a tree of its parts, and would gather it at every write.
  const rest = Buffer.from(`\r\n${lines.join("\r\n")}\r\n\r\n${reply.body}`).toString()
  return (requestId) => start + requestId + rest
}

/** The path of a request target: without query, and without scheme and authority of an absolute one. */
export const pathOf = (target: string): string => {
  const end = target.search(/[?#]/)
  const path = end < 0 ? target : target.slice(0, end)
  return path.startsWith("/") ? path : path.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, "") || "/"
}
