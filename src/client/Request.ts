/** Request that is sent: its address, headers and body. */

export interface RequestSettings {
  /** Ends the request at once, also while it waits. */
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
  readonly totalMs?: number
  readonly retries?: number
  /** Of a write: one for one action, the same for each repetition of it. */
  readonly idempotencyKey?: string
  /** `X-Request-Id`; a new one by default. */
  readonly requestId?: string
  readonly traceparent?: string
}

export interface Request extends RequestSettings {
  readonly method: string
  /** From the root of the service, such as `/proto/v1/accruals`. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  /** JSON, or the text of `contentType`. */
  readonly body?: unknown
  readonly contentType?: string
  /** Media type of the answer; `application/json` by default. */
  readonly accept?: string
  readonly headers?: Readonly<Record<string, string>>
  /** How long the service is asked to wait before it answers; the time limits begin after it. */
  readonly heldMs?: number
  /** True: it changes nothing, or no more if it is repeated. By default `GET` is. */
  readonly isSafe?: boolean
}

/** Of bodies and answers, by default. */
export const jsonType = "application/json"

export const isSafe = (request: Request): boolean => request.isSafe ?? /^(?:GET|HEAD)$/.test(request.method)

const hasKey = (body: unknown): boolean => {
  if (typeof body !== "object" || body === null) return false
  const { context, idempotency_key } = body as {
    readonly idempotency_key?: unknown
    readonly context?: { readonly idempotency_key?: unknown }
  }
  return typeof idempotency_key === "string" || typeof context?.idempotency_key === "string"
}

/** True if it cannot be carried out twice: it is safe, or has a key. */
export const isRepeatable = (request: Request): boolean =>
  isSafe(request) || request.idempotencyKey !== undefined || hasKey(request.body)

/** The surface of a path, such as `platform`. Each has rate limits of its own. */
export const surfaceOf = ({ path }: Request): string => path.split("/", 2)[1] ?? ""

/** The address without a slash at its end. Throws: an error of `fetch` would show a password in it. */
export const baseOf = (url: string | undefined): string => {
  let base: URL | undefined
  try {
    base = new URL(url ?? "")
  } catch {}
  if (base === undefined || !/^https?:$/.test(base.protocol) || `${base.username}${base.password}` !== "")
    throw new TypeError("url must be an address of http or https without a user, such as https://loyalty.example.com")
  return `${base.origin}${base.pathname}`.replace(/\/+$/, "")
}

export const queryOf = (query: Request["query"]): string => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) if (value !== undefined) search.set(name, String(value))
  const text = search.toString()
  return text === "" ? "" : `?${text}`
}

/** The headers of a request. An error of `Headers` would show the value. */
const headersOf = (pairs: Readonly<Record<string, string | undefined>>): Headers => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(pairs)) {
    if (value === undefined) continue
    try {
      headers.set(name, value)
    } catch {
      throw new TypeError(`the header ${name} has a value that HTTP cannot carry`)
    }
  }
  return headers
}

/** The place of a value that JSON does not have, as a JSON Pointer. */
const bigIntIn = (value: unknown, path: string, depth: number): string | undefined => {
  if (typeof value === "bigint") return path
  if (typeof value !== "object" || value === null || depth > 100) return undefined
  for (const [name, one] of Object.entries(value)) {
    const found = bigIntIn(one, `${path}/${name}`, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}

/** The JSON of a value. Throws a `TypeError` with the place of a BigInt. */
export const jsonOf = (value: unknown): string => {
  try {
    return JSON.stringify(value)
  } catch (cause) {
    const place = bigIntIn(value, "", 0)
    if (place === undefined) throw cause
    throw new TypeError(`${place} is a BigInt, which JSON does not have; give a number, or text`, { cause })
  }
}

const bodyOf = ({ body, contentType }: Request): string | undefined => {
  if (body === undefined) return undefined
  return contentType === undefined ? jsonOf(body) : String(body)
}

/** The request for `fetch`. `own`: headers of this attempt alone. */
export const initOf = (request: Request, own: Readonly<Record<string, string | undefined>>): RequestInit => {
  const { accept = jsonType, contentType = jsonType, idempotencyKey, method } = request
  const body = bodyOf(request)
  const headers = headersOf({
    ...request.headers,
    accept,
    "content-type": body === undefined ? undefined : contentType,
    "idempotency-key": idempotencyKey,
    ...own
  })
  const init: RequestInit = { method, headers, credentials: "omit", redirect: "manual" }
  return body === undefined ? init : { ...init, body }
}
