/** Posts to a receiver (contract/events.md *Delivery*). Whatever happens is an outcome; nothing fails. */
import { Context, Effect, Exit, Scope } from "effect"
import * as http from "node:http"
import * as https from "node:https"
import { machineTime } from "../../base/time/Times.ts"
import { softwareVersion } from "../../contract/Version.ts"
import * as Bounds from "./Bounds.ts"
import { agentFor, Resolver } from "./Connection.ts"
import { retryAfterMs } from "./Pauses.ts"
import { PrivateWebhooks } from "./WebhookUrl.ts"

/** Result of an attempt. Without a status there is an error. */
export interface Outcome {
  readonly status?: number
  readonly error?: string
  /** Its beginning. */
  readonly body?: string
  readonly retryAfterMs?: number
  /** When it began, ms, by the machine's clock. */
  readonly at: number
  readonly durationMs: number
}

export const isSuccess = ({ status }: Pick<Outcome, "status">): boolean =>
  status !== undefined && status >= 200 && status <= 299

export interface Sender {
  readonly post: (headers: Readonly<Record<string, string>>, body: string) => Effect.Effect<Outcome>
}

/** Parts of an answer that are known so far. */
interface Heard {
  status?: number
  retryAfter?: string | undefined
  error?: string
  readonly parts: Array<Buffer>
  bytes: number
}

const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error ? String(error.code) : "failed"

/** Reads the beginning of an answer. One that is longer is cut, and its connection with it. */
const hear = (heard: Heard, answer: http.IncomingMessage, done: () => void): void => {
  heard.status = answer.statusCode ?? 0
  heard.retryAfter = answer.headers["retry-after"]
  answer.on("data", (part: Buffer) => {
    heard.parts.push(part.subarray(0, Bounds.answerBytes - heard.bytes))
    heard.bytes += part.length
    if (heard.bytes <= Bounds.answerBytes) return
    answer.destroy()
    done()
  })
  answer.once("end", done)
  answer.once("error", done)
  answer.once("close", done)
}

/** Sends once. A connection that the receiver cuts is an error, also one that carried an event before. */
const send = (begin: () => http.ClientRequest, heard: Heard, body: string): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const done = () => resume(Effect.void)
    const request = begin()
    request.once("response", (answer) => hear(heard, answer, done))
    request.on("error", (error) => {
      heard.error ??= codeOf(error)
      done()
    })
    request.end(body)
    return Effect.sync(() => {
      heard.error ??= "timeout"
      request.destroy()
    })
  })

const outcomeOf = (heard: Heard, at: number, now: number): Outcome => {
  const { error = "failed", parts, retryAfter, status } = heard
  const pause = retryAfterMs(retryAfter, now)
  return {
    at,
    durationMs: now - at,
    ...(status === undefined ? { error } : { status }),
    // PostgreSQL's texts have no NUL.
    ...(parts.length === 0
      ? undefined
      : { body: Buffer.concat(parts).toString("utf8").replaceAll("\u0000", "\uFFFD") }),
    ...(pause === undefined ? undefined : { retryAfterMs: pause })
  }
}

/** Makes the sender for a URL. It keeps its connections until the scope closes. */
const make = Effect.fnUntraced(function* (
  address: string,
  maxSockets: number
): Effect.fn.Return<Sender, never, Scope.Scope> {
  const clock = yield* machineTime
  const url = new URL(address)
  const opening = { resolve: yield* Resolver, mayBePrivate: yield* PrivateWebhooks, maxSockets }
  const agent = yield* Effect.acquireRelease(
    Effect.sync(() => agentFor(url, opening)),
    (agent) => Effect.sync(() => agent.destroy())
  )
  const module = url.protocol === "https:" ? https : http
  return {
    post: Effect.fnUntraced(function* (headers, body) {
      const heard: Heard = { parts: [], bytes: 0 }
      const at = clock.now()
      const all = {
        "content-type": "application/cloudevents+json",
        ...headers,
        "content-length": Buffer.byteLength(body),
        "user-agent": `Lotbook/${softwareVersion}`
      }
      // Without a time of its own a request has the agent's, which is that of an idle connection.
      const request = () => module.request(url, { method: "POST", agent, headers: all, timeout: 0 })
      yield* Effect.timeoutOption(send(request, heard, body), Bounds.answerMs)
      return outcomeOf(heard, at, clock.now())
    })
  }
})

/** Makes senders, each for one URL. */
export const Senders = Context.Reference<typeof make>("lotbook/capabilities/webhooks/Senders", {
  defaultValue: () => make
})

/** Posts once. */
export const once = Effect.fnUntraced(function* (
  address: string,
  headers: Readonly<Record<string, string>>,
  body: string
) {
  const senders = yield* Senders
  const scope = Scope.makeUnsafe()
  return yield* Effect.ensuring(
    Effect.flatMap(Scope.provide(senders(address, 1), scope), (sender) => sender.post(headers, body)),
    Scope.close(scope, Exit.void)
  )
})
