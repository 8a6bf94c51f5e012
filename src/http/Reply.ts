/** What a request is answered with, before the headers that every answer has. */
import * as Bounds from "./Bounds.ts"
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

let dated = { second: Number.NaN, text: "" }

/** The time on the wall, as HTTP says it: when an answer was made, whatever the clock of the programme says. */
const dateNow = (): string => {
  const second = Math.floor(Date.now() / 1000)
  if (second !== dated.second) dated = { second, text: new Date(second * 1000).toUTCString() }
  return dated.text
}

/** What is said of a connection, as lines of a head. */
export const connectionLines = {
  /** As Node says it of one that goes on. */
  goesOn: `Connection: keep-alive\r\nKeep-Alive: timeout=${Bounds.keepAliveMs / 1000}\r\n`,
  ends: "Connection: close\r\n"
}

/** A reply as it stands on the wire, for those that no server writes. */
export const textOf = (reply: Reply, requestId: string, connection: string): string => {
  let head = `HTTP/1.1 ${reply.status} ${Problems.phrase(reply.status)}\r\n`
  for (const [name, value] of Object.entries(headersOf(reply, requestId))) head += `${name}: ${value}\r\n`
  const length = reply.bodyBytes ?? Buffer.byteLength(reply.body)
  return `${head}content-length: ${length}\r\nDate: ${dateNow()}\r\n${connection}\r\n${reply.body}`
}

/** The same for many requests: all but the id of each is put together once. A refusal's date may be left out (RFC 9110, 6.6.1). */
export const textsOf = (reply: Reply, connection: string): ((requestId: string) => string) => {
  // No id has it in it, and no reply.
  const mark = "\0"
  const [start = "", end = ""] = textOf(reply, mark, connection)
    .replace(/Date: .*?\r\n/, "")
    .split(mark)
  // There and back, as V8 keeps a text that was put together as a tree of its parts, and would gather it at every write.
  const rest = Buffer.from(end).toString()
  return (requestId) => start + requestId + rest
}

/** The path of a request target: without query, and without scheme and authority of an absolute one. */
export const pathOf = (target: string): string => {
  const end = target.search(/[?#]/)
  const path = end < 0 ? target : target.slice(0, end)
  return path.startsWith("/") ? path : path.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, "") || "/"
}
