/**
 * A host as callers see it: sends requests over HTTP and keeps the answers with
 * the times of sending and arrival.
 */
import { Effect, Schema, Stream } from "effect"
import type { HttpClientError } from "effect/http"
import { HttpClient, HttpClientRequest } from "effect/http"
import { answerTimeoutMs, maxRepeats, maxRetryAfterSeconds } from "./Bounds.ts"
import { machineNow } from "./Clock.ts"

export interface HostRequest {
  readonly method: string
  /** Path and query. */
  readonly path: string
  /** An object is sent as JSON; text and bytes are sent unchanged. */
  readonly body?: unknown
  /** Bearer token; null sends none, absent sends the run's token. */
  readonly token?: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** Sends the body in chunks, without Content-Length. */
  readonly chunked?: boolean
}

export interface Exchange {
  readonly request: HostRequest
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The answer's JSON; undefined if it is not JSON. */
  readonly body: unknown
  /** ms, by this machine's clock. */
  readonly sentAt: number
  readonly receivedAt: number
}

/** No answer came at all. */
export class NoAnswer extends Schema.TaggedError<NoAnswer>()("NoAnswer", {
  request: Schema.String,
  reason: Schema.String
}) {}

export interface Host {
  /** Without a trailing slash. */
  readonly url: string
  readonly send: (request: HostRequest) => Effect.Effect<Exchange, NoAnswer>
}

export const described = ({ method, path }: HostRequest): string => `${method} ${path}`

/** Parses JSON; undefined if the text is not JSON. */
export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The innermost cause, which names the event: ECONNREFUSED, CERT_HAS_EXPIRED. */
const reasonOf = (error: unknown): string => {
  if (typeof error !== "object" || error === null) return String(error)
  const { cause, code, message } = error as { cause?: unknown; code?: unknown; message?: unknown }
  if (cause !== undefined && cause !== null) return reasonOf(cause)
  const text = typeof message === "string" && message !== "" ? message : String(error)
  return typeof code === "string" && !text.includes(code) ? `${code} ${text}` : text
}

const bytesOf = (body: unknown): Uint8Array =>
  body instanceof Uint8Array ? body : new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body))

const withBody = (request: HttpClientRequest.HttpClientRequest, { body, chunked, headers }: HostRequest) => {
  if (body === undefined) return request
  const type = headers?.["content-type"] ?? "application/json"
  return chunked === true
    ? HttpClientRequest.bodyStream(request, Stream.make(bytesOf(body)), { contentType: type })
    : HttpClientRequest.bodyUint8Array(request, bytesOf(body), type)
}

/**
 * Seconds to wait before a retry; undefined: no retry. A retry is safe after 429
 * and 503: nothing was done, or the same key returns what was done. A freeze does
 * not end by itself, so `write_frozen` is not retried.
 */
const repeatAfter = ({ body, headers, status }: Exchange): number | undefined => {
  const code = typeof body === "object" && body !== null && "code" in body ? body.code : undefined
  if (status !== 429 && (status !== 503 || code === "write_frozen")) return undefined
  const seconds = Number(headers["retry-after"] ?? Number.NaN)
  return seconds <= maxRetryAfterSeconds ? seconds : undefined
}

/** The token of the cases that send a wrong one, always the same: a host may count wrong ones as guesses. */
export const wrongToken = "no-such-token-of-this-host"

/**
 * A host at an address, with one token. The client must not follow redirects:
 * the token must not reach another host. Retries are bounded by `maxRepeats`.
 */
export const make = Effect.fnUntraced(function* (url: string, token: string | undefined) {
  const client = yield* HttpClient.HttpClient
  const address = url.replace(/\/+$/, "")
  const sendOnce = (request: HostRequest): Effect.Effect<Exchange, NoAnswer> =>
    Effect.gen(function* () {
      const bearer = request.token === undefined ? token : request.token
      const headers = { ...(bearer == null ? {} : { authorization: `Bearer ${bearer}` }), ...request.headers }
      const httpRequest = withBody(
        HttpClientRequest.make(request.method as "GET")(`${address}${request.path}`),
        request
      ).pipe(HttpClientRequest.setHeaders(headers))
      const sentAt = yield* machineNow
      const response = yield* client.execute(httpRequest)
      const text = yield* response.text
      const receivedAt = yield* machineNow
      return {
        request,
        status: response.status,
        headers: response.headers,
        text,
        body: parsed(text),
        sentAt,
        receivedAt
      }
    }).pipe(
      Effect.timeoutOrElse({
        duration: answerTimeoutMs,
        orElse: () =>
          Effect.fail(
            new NoAnswer({ request: described(request), reason: `no answer within ${answerTimeoutMs / 1000} s` })
          )
      }),
      Effect.catchTag("HttpClientError", (error: HttpClientError.HttpClientError) =>
        Effect.fail(new NoAnswer({ request: described(request), reason: reasonOf(error) }))
      )
    )
  const send = (request: HostRequest, repeats = 0): Effect.Effect<Exchange, NoAnswer> =>
    Effect.flatMap(sendOnce(request), (exchange) => {
      const seconds = repeats < maxRepeats ? repeatAfter(exchange) : undefined
      return seconds === undefined
        ? Effect.succeed(exchange)
        : Effect.delay(
            Effect.suspend(() => send(request, repeats + 1)),
            seconds * 1000
          )
    })
  const host: Host = { url: address, send: (request) => send(request) }
  return host
})
