/** Answers of the service: their body, or the error that they stand for. */
import type { LotbookErrorFacts, Problem } from "./LotbookError.ts"
import { LotbookError, ProblemError } from "./LotbookError.ts"

/** Requests of one kind that the token may still send (contract/transport.md *Rate limits*). */
export interface RateLimit {
  /** The kind of request, such as `write`. */
  readonly name: string
  readonly remaining: number
  /** Until its window ends. */
  readonly resetMs: number
}

export interface Answer<Body = unknown> {
  readonly status: number
  readonly headers: Headers
  readonly body: Body
  /** True: the request was carried out before, and this is its first result. */
  readonly isReplay: boolean
  readonly requestId: string
  readonly rateLimit: RateLimit | undefined
}

/** `RateLimit: "write";r=41;t=30` */
export const rateLimitOf = (headers: Headers): RateLimit | undefined => {
  const text = headers.get("ratelimit") ?? ""
  const name = /^\s*"([^"]*)"/.exec(text)?.[1]
  const remaining = /;\s*r=(\d+)/.exec(text)?.[1]
  const seconds = /;\s*t=(\d+)/.exec(text)?.[1]
  if (name === undefined || remaining === undefined || seconds === undefined) return undefined
  return { name, remaining: Number(remaining), resetMs: Number(seconds) * 1000 }
}

/** `Retry-After` in seconds, or as a date of a proxy, which its own clock is compared with. */
const retryAfterMsOf = (headers: Headers): number | undefined => {
  const text = headers.get("retry-after")?.trim() ?? ""
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const waitMs = Date.parse(text) - Date.parse(headers.get("date") ?? "")
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs)
}

const isProblem = (body: unknown): body is Problem => {
  if (typeof body !== "object" || body === null) return false
  const { code, detail } = body as Partial<Problem>
  return typeof code === "string" && typeof detail === "string"
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The media type alone, without its parameters. */
const mediaTypeOf = (headers: Headers): string =>
  (headers.get("content-type") ?? "").split(";", 1)[0]!.trim().toLowerCase()

export interface Received {
  readonly response: Response
  readonly text: string
  /** Method and path. */
  readonly request: string
  /** The media type that was asked for. */
  readonly accept: string
  readonly requestId: string
  readonly attempts: number
}

/** The answer, or the error of it. */
export const answerOf = ({ accept, attempts, request, requestId, response, text }: Received): Answer | LotbookError => {
  const { headers, status } = response
  const facts: LotbookErrorFacts = {
    kind: "unreadable",
    request,
    requestId: headers.get("x-request-id") ?? requestId,
    attempts,
    status,
    retryAfterMs: retryAfterMsOf(headers)
  }
  const type = mediaTypeOf(headers)
  const unreadable = (why: string) => new LotbookError(`the answer is not the service's: ${why}`, facts)
  // A browser hides the status of a redirection, as 0.
  if (response.type === "opaqueredirect" || (status >= 300 && status < 400))
    return unreadable("it redirects; give the address of the service itself as url")
  if (status >= 400) {
    const problem = type === "application/problem+json" ? parsed(text) : undefined
    return isProblem(problem)
      ? new ProblemError(problem, facts)
      : unreadable(`status ${status} with ${type === "" ? "no media type" : type}`)
  }
  const answered = (body: unknown): Answer => ({
    status,
    headers,
    body,
    isReplay: headers.get("idempotent-replayed") === "true",
    requestId: facts.requestId,
    rateLimit: rateLimitOf(headers)
  })
  if (text === "" && status === 204) return answered(undefined)
  if (type !== accept) return unreadable(`it is ${type === "" ? "of no media type" : type} instead of ${accept}`)
  if (type !== "application/json") return answered(text)
  const body = parsed(text)
  return body === undefined ? unreadable("its JSON is broken") : answered(body)
}
