/**
 * Verifies webhooks, and signs them for tests (contract/events.md *Signatures*). Web Crypto alone: Node 20 or later, and
 * browsers.
 */
import type { FeedEvent } from "./generated/Wire.ts"

/** Event that `POST /platform/v1/connectors/test` sends. It is about no member. */
export interface PingEvent {
  readonly specversion: "1.0"
  readonly id: string
  readonly source: string
  readonly type: "proto.ping.v1"
  readonly time: string
  readonly datacontenttype: "application/json"
  readonly data: Readonly<Record<string, never>>
  readonly subject?: undefined
  readonly sequence?: undefined
}

type BalanceEvent = Extract<FeedEvent, { readonly type: "proto.balance.changed.v1" }>

/** A member's balance crossed an amount of the connector's `thresholds`. It is not in the feed and has no `sequence`. */
export interface CrossedEvent extends Omit<BalanceEvent, "type" | "data" | "sequence"> {
  readonly type: "proto.balance.crossed.v1"
  readonly sequence?: undefined
  readonly data: Omit<BalanceEvent["data"], "entries" | "cause"> & {
    readonly unit: BalanceEvent["data"]["balances"][number]["unit"]
    readonly threshold: number
    /** `up`: it reached or passed the amount; `down`: it fell below. */
    readonly direction: "up" | "down"
  }
}

/** The events of this version. Later ones may send others: ignore types that you do not know. */
export type WebhookEvent = FeedEvent | CrossedEvent | PingEvent

/** Headers as `fetch` and frameworks have them (`Headers`), or as Node has them (`request.headers`). */
export type WebhookHeaders =
  | { readonly get: (name: string) => string | null }
  | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

export type WebhookRefusal =
  /** One of the three headers is absent or empty. */
  | "missing_header"
  /** `webhook-timestamp` is no number of seconds. */
  | "invalid_timestamp"
  /** It was sent longer ago than the tolerance: it may be a recorded one, or a clock is wrong. */
  | "too_old"
  /** It was sent in the future, beyond the tolerance: a clock is wrong. */
  | "too_new"
  /** No secret made one of the signatures, or the body was changed after it was signed. */
  | "wrong_signature"
  /** The signature is right, and the body is no JSON object. */
  | "invalid_body"

export type WebhookResult =
  | {
      readonly isVerified: true
      /** `webhook-id`, which is `event.id`: a repeat has the same. */
      readonly id: string
      /** When it was sent. */
      readonly sentAt: Date
      readonly event: WebhookEvent
    }
  | {
      readonly isVerified: false
      readonly reason: WebhookRefusal
      /** A sentence for a log; it contains no secret and no signature. */
      readonly message: string
    }

export interface VerifyWebhook {
  /** Secrets of the connector, `whsec_…`: the one in use, and beside it the new one while it is rotated. */
  readonly secrets: ReadonlyArray<string>
  readonly headers: WebhookHeaders
  /** The body exactly as it was received. A body that was parsed and written again has another signature. */
  readonly body: string | Uint8Array | ArrayBuffer
  /** The present by default. */
  readonly now?: Date
  /** Largest difference between `now` and the time of sending; 300 by default. */
  readonly toleranceSeconds?: number
}

const prefix = "whsec_"
/** Length of a secret, bytes (contract/events.md *Connectors*). */
const minSecretBytes = 24
const maxSecretBytes = 64
const defaultToleranceSeconds = 300
/** Seconds since 1970 up to the year 9999. */
const timestampPattern = /^\d{1,12}$/

const encoder = new TextEncoder()

type Bytes = Uint8Array<ArrayBuffer>

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))

/** The bytes of a secret. Throws: a secret that is no secret is a fault of the configuration. */
const secretBytes = (secret: unknown, place: number): Bytes => {
  const encoded = typeof secret === "string" && secret.startsWith(prefix) ? secret.slice(prefix.length) : ""
  let bytes: Bytes
  try {
    bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0))
  } catch {
    bytes = new Uint8Array()
  }
  if (bytes.length < minSecretBytes || bytes.length > maxSecretBytes) {
    throw new TypeError(
      `secrets[${place}] must be ${prefix} and ${minSecretBytes} to ${maxSecretBytes} bytes in base64; ` +
        "take `secret` of the answer that created or rotated the connector"
    )
  }
  return bytes
}

const keysOf = (secrets: ReadonlyArray<string>) => {
  if (!Array.isArray(secrets) || secrets.length === 0)
    throw new TypeError("secrets must be a list of at least one secret of the connector")
  return Promise.all(
    secrets.map((secret, place) =>
      crypto.subtle.importKey("raw", secretBytes(secret, place), { name: "HMAC", hash: "SHA-256" }, false, ["sign"])
    )
  )
}

const bodyBytes = (body: unknown): Bytes => {
  if (typeof body === "string") return encoder.encode(body)
  // Not `instanceof`: the bytes may be of another realm, as in jsdom.
  if (ArrayBuffer.isView(body)) return Uint8Array.from(new Uint8Array(body.buffer, body.byteOffset, body.byteLength))
  if (Object.prototype.toString.call(body) === "[object ArrayBuffer]") return new Uint8Array(body as ArrayBuffer)
  throw new TypeError(
    "body must be the text or the bytes that were received, before any JSON parser; " +
      "with Express, use express.raw({ type: () => true }) on this route"
  )
}

type Keys = Awaited<ReturnType<typeof keysOf>>

const signaturesOf = (keys: Keys, id: string, timestamp: string, body: Bytes): Promise<ReadonlyArray<string>> => {
  const start = encoder.encode(`${id}.${timestamp}.`)
  const signed = new Uint8Array(start.length + body.length)
  signed.set(start)
  signed.set(body, start.length)
  return Promise.all(
    keys.map(async (key) => `v1,${toBase64(new Uint8Array(await crypto.subtle.sign("HMAC", key, signed)))}`)
  )
}

/** Whether two texts are equal, in a time that depends on the length of `given` alone. */
const isEqual = (given: string, wanted: string): boolean => {
  let differences = given.length ^ wanted.length
  for (let index = 0; index < given.length; index++)
    differences |= given.charCodeAt(index) ^ wanted.charCodeAt(index % wanted.length)
  return differences === 0
}

/** Whether any is the wanted one. Compares all with all, so that the time does not tell which one was. */
const hasAny = (given: ReadonlyArray<string>, wanted: ReadonlyArray<string>): boolean => {
  let found = 0
  for (const one of given) for (const other of wanted) found |= isEqual(one, other) ? 1 : 0
  return found === 1
}

const headerOf = (headers: WebhookHeaders, name: string): string => {
  if (typeof headers.get === "function") return headers.get(name) ?? ""
  for (const [key, value] of Object.entries(headers))
    if (key.toLowerCase() === name && value !== undefined) return typeof value === "string" ? value : value.join(" ")
  return ""
}

const refused = (reason: WebhookRefusal, message: string): WebhookResult => ({ isVerified: false, reason, message })

const eventOf = (body: Bytes): WebhookEvent | undefined => {
  try {
    const event: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body))
    return typeof event === "object" && event !== null && !Array.isArray(event) ? (event as WebhookEvent) : undefined
  } catch {
    return undefined
  }
}

/**
 * Whether the service sent this, and the event if it did. Answer 401 to what is not verified; store an event before
 * answering 2xx, by its `id`, because it may come again. Rejects with a `TypeError` for a wrong configuration alone.
 */
export const verifyWebhook = async ({
  body,
  headers,
  now = new Date(),
  secrets,
  toleranceSeconds = defaultToleranceSeconds
}: VerifyWebhook): Promise<WebhookResult> => {
  if (!(toleranceSeconds >= 0)) throw new TypeError("toleranceSeconds must be a number of at least 0")
  if (Number.isNaN(now.getTime())) throw new TypeError("now must be a valid Date")
  const bytes = bodyBytes(body)
  const keys = await keysOf(secrets)
  const [id, timestamp, signature] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
    headerOf(headers, name)
  ) as [string, string, string]
  if (id === "") return refused("missing_header", "There is no header webhook-id.")
  if (timestamp === "") return refused("missing_header", "There is no header webhook-timestamp.")
  if (signature === "") {
    const cause = "a connector that never had a secret signs once it is rotated (POST /platform/v1/connectors/rotate)"
    return refused("missing_header", `There is no header webhook-signature; ${cause}.`)
  }
  if (!timestampPattern.test(timestamp))
    return refused("invalid_timestamp", "The header webhook-timestamp is no whole number of seconds since 1970.")
  const ageSeconds = now.getTime() / 1000 - Number(timestamp)
  if (ageSeconds > toleranceSeconds)
    return refused("too_old", `It was sent ${Math.round(ageSeconds)} s ago; at most ${toleranceSeconds} s are allowed.`)
  if (ageSeconds < -toleranceSeconds) {
    const ahead = `It was sent ${Math.round(-ageSeconds)} s in the future; at most ${toleranceSeconds} s are allowed`
    return refused("too_new", `${ahead}. Compare the clocks.`)
  }
  if (!hasAny(signature.split(" "), await signaturesOf(keys, id, timestamp, bytes))) {
    const remedy = "Check that the secret is this connector's, and that the body is as it was received"
    return refused("wrong_signature", `No secret made a signature of it. ${remedy}.`)
  }
  const event = eventOf(bytes)
  if (event === undefined) return refused("invalid_body", "The signature is right, and the body is no JSON object.")
  return { isVerified: true, id, sentAt: new Date(Number(timestamp) * 1000), event }
}

export interface TestWebhook {
  /** Signed with each, as while a secret is rotated. */
  readonly secrets: ReadonlyArray<string>
  /** The event; a `proto.ping.v1` by default. */
  readonly event?: WebhookEvent
  /** When it is sent; the present by default. */
  readonly now?: Date
}

export interface SignedWebhook {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const pingAt = (now: Date): PingEvent => ({
  specversion: "1.0",
  id: `ping-${crypto.randomUUID()}`,
  source: "/platform/v1/connectors",
  type: "proto.ping.v1",
  time: now.toISOString(),
  datacontenttype: "application/json",
  data: {}
})

/** Headers and body of a delivery as the service sends it, to test a receiver with. */
export const testWebhook = async ({
  now = new Date(),
  secrets,
  event = pingAt(now)
}: TestWebhook): Promise<SignedWebhook> => {
  const body = JSON.stringify(event)
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const signatures = await signaturesOf(await keysOf(secrets), event.id, timestamp, encoder.encode(body))
  return {
    headers: {
      "content-type": "application/cloudevents+json",
      "webhook-id": event.id,
      "webhook-timestamp": timestamp,
      "webhook-signature": signatures.join(" ")
    },
    body
  }
}
