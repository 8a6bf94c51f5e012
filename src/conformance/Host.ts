/**
 * A host as any caller sees it: requests over HTTP, and what came back, with
 * the times at which they left and arrived.
 */
import { Clock, Effect, Schema, Stream } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import type { HttpClientError } from "effect/http"
import { answerTimeoutMs, maxRepeats, maxRetryAfterSeconds } from "./Bounds.ts"

export interface Asked {
  readonly method: string
  /** From the host's address on. */
  readonly path: string
  /** An object is sent as JSON, text and bytes as they are. */
  readonly body?: unknown
  /** Bearer token; null sends none, absent is the run's own. */
  readonly token?: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** Sends the body in chunks, its length unannounced. */
  readonly chunked?: boolean
}

export interface Exchange {
  readonly asked: Asked
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The answer's JSON; undefined where it is none. */
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
  /** Without a slash at the end. */
  readonly url: string
  readonly ask: (asked: Asked) => Effect.Effect<Exchange, NoAnswer>
}

export const described = ({ method, path }: Asked): string => `${method} ${path}`

/** The JSON of a text; undefined where it is none. */
export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The innermost reason, which names what happened: ECONNREFUSED, CERT_HAS_EXPIRED. */
const reasonOf = (error: unknown): string => {
  if (typeof error !== "object" || error === null) return String(error)
  const { cause, code, message } = error as { cause?: unknown; code?: unknown; message?: unknown }
  if (cause !== undefined && cause !== null) return reasonOf(cause)
  const told = typeof message === "string" && message !== "" ? message : String(error)
  return typeof code === "string" && !told.includes(code) ? `${code} ${told}` : told
}

const bytesOf = (body: unknown): Uint8Array =>
  body instanceof Uint8Array ? body : new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body))

const withBody = (request: HttpClientRequest.HttpClientRequest, { body, chunked, headers }: Asked) => {
  if (body === undefined) return request
  const type = headers?.["content-type"] ?? "application/json"
  return chunked === true
    ? HttpClientRequest.bodyStream(request, Stream.make(bytesOf(body)), { contentType: type })
    : HttpClientRequest.bodyUint8Array(request, bytesOf(body), type)
}

/**
 * Seconds to wait before a request goes out again; undefined: the answer stands.
 * A limited, shed or passing 503 has done nothing, or the same key tells what
 * was done; a freeze does not pass by itself.
 */
const repeatAfter = ({ body, headers, status }: Exchange): number | undefined => {
  const code = typeof body === "object" && body !== null && "code" in body ? body.code : undefined
  if (status !== 429 && (status !== 503 || code === "write_frozen")) return undefined
  const seconds = Number(headers["retry-after"] ?? Number.NaN)
  return seconds <= maxRetryAfterSeconds ? seconds : undefined
}

/**
 * A host at an address, for one token. The client must not follow redirects: a
 * token must not travel to another host. A limited or shed request is sent
 * again as it was, a bounded number of times.
 */
export const make = Effect.fnUntraced(function* (url: string, token: string | undefined) {
  const client = yield* HttpClient.HttpClient
  const address = url.replace(/\/+$/, "")
  const once = (asked: Asked): Effect.Effect<Exchange, NoAnswer> =>
    Effect.gen(function* () {
      const bearer = asked.token === undefined ? token : asked.token
      const headers = { ...(bearer == null ? {} : { authorization: `Bearer ${bearer}` }), ...asked.headers }
      const request = withBody(HttpClientRequest.make(asked.method as "GET")(`${address}${asked.path}`), asked).pipe(
        HttpClientRequest.setHeaders(headers)
      )
      const sentAt = yield* Clock.currentTimeMillis
      const response = yield* client.execute(request)
      const text = yield* response.text
      const receivedAt = yield* Clock.currentTimeMillis
      return { asked, status: response.status, headers: response.headers, text, body: parsed(text), sentAt, receivedAt }
    }).pipe(
      Effect.timeoutOrElse({
        duration: answerTimeoutMs,
        orElse: () =>
          Effect.fail(
            new NoAnswer({ request: described(asked), reason: `no answer within ${answerTimeoutMs / 1000} s` })
          )
      }),
      Effect.catchTag("HttpClientError", (error: HttpClientError.HttpClientError) =>
        Effect.fail(new NoAnswer({ request: described(asked), reason: reasonOf(error) }))
      )
    )
  const ask = (asked: Asked, repeats = 0): Effect.Effect<Exchange, NoAnswer> =>
    Effect.flatMap(once(asked), (exchange) => {
      const seconds = repeats < maxRepeats ? repeatAfter(exchange) : undefined
      return seconds === undefined
        ? Effect.succeed(exchange)
        : Effect.delay(
            Effect.suspend(() => ask(asked, repeats + 1)),
            seconds * 1000
          )
    })
  const host: Host = { url: address, ask: (asked) => ask(asked) }
  return host
})
