/**
 * Requests to a Lotbook service: time limits, retries that cannot do anything twice, typed errors, and hooks for logs
 * and traces. On `fetch` alone: Node 20 or later, browsers, Bun and Deno.
 */
import type { Answer, RateLimit } from "./Answers.ts"
import { answerOf, rateLimitOf } from "./Answers.ts"
import type { LotbookErrorKind, ProblemCode } from "./LotbookError.ts"
import { LotbookError } from "./LotbookError.ts"
import type { Request } from "./Request.ts"
import { baseOf, initOf, isRepeatable, isSafe, jsonType, queryOf, surfaceOf } from "./Request.ts"
import { waitMsOf } from "./Retries.ts"
import type { Fetch } from "./Sending.ts"
import { send } from "./Sending.ts"
import type { Token } from "./Tokens.ts"
import { tokensOf } from "./Tokens.ts"
import { never, waited } from "./Waiting.ts"

/** One attempt, for hooks. There is no token, no query and no body in it. */
export interface AttemptInfo {
  readonly method: string
  readonly path: string
  readonly requestId: string
  /** From 1. */
  readonly attempt: number
}
export interface AnswerInfo extends AttemptInfo {
  readonly status: number
  readonly durationMs: number
  readonly isReplay: boolean
  readonly rateLimit: RateLimit | undefined
}
export interface FaultInfo extends AttemptInfo {
  readonly kind: LotbookErrorKind
  readonly durationMs: number
}
export interface RetryInfo extends AttemptInfo {
  /** Why the attempt failed. */
  readonly kind: LotbookErrorKind
  readonly code: ProblemCode | undefined
  readonly status: number | undefined
  /** Until the next attempt. */
  readonly waitMs: number
}

/** For logs and traces. An error that a hook throws is ignored. */
export interface Hooks {
  readonly onRequest?: (info: AttemptInfo) => void
  readonly onAnswer?: (info: AnswerInfo) => void
  /** An attempt that ended without an answer. */
  readonly onFault?: (info: FaultInfo) => void
  readonly onRetry?: (info: RetryInfo) => void
}

export interface ClientOptions {
  /** Address of the service, such as `https://loyalty.example.com`. */
  readonly url: string
  /** The token, or a function that is asked for it, once more after a 401. */
  readonly token?: Token
  /** Of `/admin/api/v1`, such as the admin key; `token` by default. */
  readonly adminToken?: Token
  /** The global `fetch` by default. */
  readonly fetch?: Fetch
  /** Time for one attempt; 15,000 by default. Below 10,000 a request may be called lost that only waits. */
  readonly timeoutMs?: number
  /** Time for all attempts of a request with the waits between them; 60,000 by default. */
  readonly totalMs?: number
  /** How often a request is sent again at most; 4 by default. */
  readonly retries?: number
  readonly hooks?: Hooks
  /** `traceparent` of requests that have none of their own, asked at each attempt. */
  readonly traceparent?: () => string | undefined
  /** Milliseconds that only grow; `performance.now` by default. */
  readonly now?: () => number
  /** `Math.random` by default. */
  readonly random?: () => number
  /** Waits for so long; rejects as soon as the signal is aborted. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>
}

export interface Transport {
  /** The answer of a 2xx; everything else throws a `LotbookError`. */
  readonly request: <Body = unknown>(request: Request) => Promise<Answer<Body>>
}

const defaultTimeoutMs = 15_000
const defaultTotalMs = 60_000
const defaultRetries = 4

/** An id of 32 hexadecimal digits. `crypto.randomUUID` is absent on pages without TLS, as tills have them. */
export const newId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("")

const nameOf = ({ method, path }: Request): string => `${method} ${path}`

/** Requests of one sort have the same rate limit: a surface's reads, and its writes. */
const sortOf = (request: Request): string => `${surfaceOf(request)} ${isSafe(request) ? "read" : "write"}`

const quietly = <Info>(hook: ((info: Info) => void) | undefined, info: Info): void => {
  try {
    hook?.(info)
  } catch {}
}

const sentences = {
  network: "no answer, because the connection failed or broke",
  timeout: "no answer in time",
  aborted: "the caller ended it"
} as const

/** Why there is no answer, and from where; `code` of Node, such as `ECONNREFUSED`. */
const unanswered = (kind: keyof typeof sentences, base: string, cause: unknown): string => {
  if (kind === "aborted") return sentences.aborted
  const { cause: system } = (cause ?? {}) as { readonly cause?: { readonly code?: unknown } }
  const code = typeof system?.code === "string" ? `${system.code}, ` : ""
  return `${sentences[kind]} (${code}${new URL(base).host})`
}

/** The rate limits that answers told. */
const rateLimits = () => {
  /** The rate limit of a sort of requests, by its name, and when each that is used up begins anew. */
  const limitOf = new Map<string, string>()
  const heldUntil = new Map<string, number>()
  return {
    note: (request: Request, { name, remaining, resetMs }: RateLimit, now: number): void => {
      limitOf.set(sortOf(request), name)
      if (remaining === 0) heldUntil.set(name, now + resetMs)
    },
    /** How long it would be too early for a request, ms; 0 or less: it is not. */
    heldMs: (request: Request, now: number): number => (heldUntil.get(limitOf.get(sortOf(request)) ?? "") ?? 0) - now
  }
}

/** The client's options with their defaults, and the rate limits that it was told. */
const settingsOf = (options: ClientOptions) => {
  const base = baseOf((options as Partial<ClientOptions> | null)?.url)
  const till = tokensOf(options.token)
  const admin = options.adminToken === undefined ? till : tokensOf(options.adminToken)
  const { fetch = (url, init) => globalThis.fetch(url, init), hooks = {}, now = () => performance.now() } = options
  const { random = Math.random, traceparent, wait = waited } = options
  const { retries = defaultRetries, timeoutMs = defaultTimeoutMs, totalMs = defaultTotalMs } = options
  const limits = rateLimits()
  return { base, till, admin, fetch, hooks, limits, now, random, retries, timeoutMs, totalMs, traceparent, wait }
}

type Settings = ReturnType<typeof settingsOf>

const attempted = async (
  settings: Settings,
  request: Request,
  info: AttemptInfo,
  token: string | undefined,
  timeoutMs: number
): Promise<Answer | LotbookError> => {
  const { base, fetch, hooks, limits, now } = settings
  const { accept = jsonType, path } = request
  const { attempt, requestId } = info
  const init = initOf(request, {
    "x-request-id": requestId,
    traceparent: request.traceparent ?? settings.traceparent?.(),
    authorization: token === undefined ? undefined : `Bearer ${token}`
  })
  quietly(hooks.onRequest, info)
  const startedMs = now()
  const url = `${base}${path}${queryOf(request.query)}`
  const sent = await send({ fetch, url, init, timeoutMs, signal: request.signal })
  const durationMs = now() - startedMs
  if ("kind" in sent) {
    quietly(hooks.onFault, { ...info, kind: sent.kind, durationMs })
    const { cause, kind } = sent
    const message = unanswered(kind, base, cause)
    return new LotbookError(message, { kind, request: nameOf(request), requestId, attempts: attempt, cause })
  }
  const { headers: received, status } = sent.response
  const rateLimit = rateLimitOf(received)
  const isReplay = received.get("idempotent-replayed") === "true"
  quietly(hooks.onAnswer, { ...info, status, durationMs, isReplay, rateLimit })
  if (rateLimit !== undefined) limits.note(request, rateLimit, now())
  return answerOf({ ...sent, accept, request: nameOf(request), requestId, attempts: attempt })
}

const run = async (settings: Settings, request: Request): Promise<Answer> => {
  const { hooks, limits, now, random, wait } = settings
  const { heldMs = 0, method, path, requestId = newId(), retries = settings.retries, signal = never } = request
  const tokens = surfaceOf(request) === "admin" ? settings.admin : settings.till
  const timeoutMs = (request.timeoutMs ?? settings.timeoutMs) + heldMs
  const endMs = now() + (request.totalMs ?? settings.totalMs) + heldMs
  let attempts = 0
  const failed = (kind: "aborted" | "token", message: string, cause: unknown) =>
    new LotbookError(message, { kind, request: nameOf(request), requestId, attempts, cause })
  const pause = (ms: number) =>
    wait(ms, signal).catch(() => {
      throw failed("aborted", sentences.aborted, signal.reason)
    })
  const tokenOf = (asked: Promise<string | undefined>) =>
    asked.catch((cause: unknown) => {
      throw failed("token", "the function token failed", cause)
    })
  const infoOf = (): AttemptInfo => ({ method, path, requestId, attempt: attempts })
  let token = await tokenOf(tokens.current())
  const attempt = async (): Promise<Answer | LotbookError> => {
    const untilMs = limits.heldMs(request, now())
    // Beyond the caller's time it is sent, and the service says no.
    if (untilMs > 0 && untilMs < endMs - now()) await pause(untilMs)
    if (signal.aborted) throw failed("aborted", sentences.aborted, signal.reason)
    attempts++
    return attempted(settings, request, infoOf(), token, Math.min(timeoutMs, Math.max(1, endMs - now())))
  }
  let isRenewed = false
  /** After the first 401 once more, with another token. */
  const authorized = async (): Promise<Answer | LotbookError> => {
    const outcome = await attempt()
    if (outcome.status !== 401 || token === undefined || isRenewed) return outcome
    isRenewed = true
    token = await tokenOf(tokens.after(token))
    return token === undefined ? Promise.reject(outcome) : attempt()
  }
  for (let retry = 1; ; retry++) {
    const outcome = await authorized()
    if (!(outcome instanceof LotbookError)) return outcome
    const waitMs = waitMsOf({
      error: outcome,
      isRepeatable: isRepeatable(request),
      attempt: retry,
      retries,
      leftMs: endMs - now(),
      random: random()
    })
    if (waitMs === undefined) throw outcome
    const { code, kind, status } = outcome
    quietly(hooks.onRetry, { ...infoOf(), kind, code, status, waitMs })
    await pause(waitMs)
  }
}

export const createTransport = (options: ClientOptions): Transport => {
  const settings = settingsOf(options)
  return { request: (request) => run(settings, request) as Promise<never> }
}
