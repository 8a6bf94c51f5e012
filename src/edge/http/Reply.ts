/** An answer, without the headers that every answer has. */
import type { Readable } from "node:stream"
import type { ProblemCode, ProblemFacts } from "../../desk/surface/Problems.ts"
import * as Problems from "../../desk/surface/Problems.ts"

export const json = "application/json"
const problemJson = "application/problem+json"

export interface Reply {
  readonly status: number
  readonly body: string | Buffer | Readable
  /** Absent: `application/json`. */
  readonly contentType?: string
  readonly headers?: Readonly<Record<string, string>>
  /** The code of a problem. */
  readonly code?: ProblemCode
  /** Facts that the problem names. */
  readonly named?: Problems.Named
}

/** A reply that is text. */
export interface TextReply extends Reply {
  readonly body: string
}

/** A problem document, with the headers that its code requires. */
export const problem = (
  code: ProblemCode,
  facts: ProblemFacts,
  headers?: Readonly<Record<string, string>>
): TextReply => {
  const { retryAfter, status } = Problems.problems[code]
  return {
    status,
    code,
    named: Problems.namedBy(code, facts),
    body: Problems.document(code, facts),
    contentType: problemJson,
    headers: retryAfter === undefined ? (headers ?? {}) : { "Retry-After": String(retryAfter), ...headers }
  }
}

/** An answer of JSON. */
export const ok = (value: unknown): TextReply => ({ status: 200, body: JSON.stringify(value) })

/** The headers of every answer, and those of this one. */
export const headersOf = (reply: Reply, requestId: string): Readonly<Record<string, string>> => ({
  "content-type": reply.contentType ?? json,
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "x-request-id": requestId,
  ...reply.headers
})

/** A reply as bytes of HTTP, for connections without a response object. The connection closes after it. */
export const lastText = (reply: TextReply, requestId: string): string => {
  let head = `HTTP/1.1 ${reply.status} ${Problems.phrase(reply.status)}\r\n`
  for (const [name, value] of Object.entries(headersOf(reply, requestId))) head += `${name}: ${value}\r\n`
  head += `content-length: ${Buffer.byteLength(reply.body)}\r\nDate: ${new Date().toUTCString()}\r\n`
  return `${head}Connection: close\r\n\r\n${reply.body}`
}

/** The path of a request target, without query, and without the scheme and authority of an absolute one. */
export const pathOf = (target: string): string => {
  const end = target.search(/[?#]/)
  const path = end < 0 ? target : target.slice(0, end)
  return path.startsWith("/") ? path : path.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, "") || "/"
}

/** The query of a request target, without its question mark. */
export const queryOf = (target: string): string => {
  const start = target.indexOf("?")
  return start < 0 ? "" : target.slice(start + 1).replace(/#.*$/s, "")
}
