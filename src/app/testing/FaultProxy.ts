/**
 * A proxy between a till and a service that loses, delays, refuses and doubles requests, for tests of retries and queues.
 * Bodies are streamed, save those that are sent late or twice. Needs nothing but Node.
 */
import { randomInt } from "node:crypto"
import * as http from "node:http"
import * as https from "node:https"
import type { AddressInfo, Socket } from "node:net"
import type { FaultKind, FaultRule } from "../../capabilities/operators/FaultRules.ts"
import { defaultRetryAfterSeconds, FaultRules } from "../../capabilities/operators/FaultRules.ts"
import { checkNumber, checkOptions } from "./Arguments.ts"

export interface FaultOptions {
  /** The service's address, such as `http://127.0.0.1:3210`. */
  readonly target: string
  /** The port on 127.0.0.1; absent or 0: a free one. */
  readonly port?: number
  /** Decides which requests a `rate` hits. Absent: by chance; `seed` of the proxy tells it. */
  readonly seed?: number
}

/** The requests that a fault is for. */
export interface Which {
  /** The next so many that fit. Absent: 1, or with `rate` no bound. */
  readonly next?: number
  /** A share of those that fit, 0 to 1. */
  readonly rate?: number
  readonly method?: string
  /** The whole path, without its query. */
  readonly path?: string
}

/** A request that came to the proxy. */
export interface Seen {
  readonly method: string
  /** With its query. */
  readonly path: string
  /** Undefined: none. */
  readonly fault: FaultKind | undefined
  /** The status of the target's newest answer, whether the caller got it or not; undefined: there is none. */
  status: number | undefined
}

export interface FaultProxy {
  /** `http://127.0.0.1:PORT`, to be called instead of the target. */
  readonly url: string
  readonly seed: number
  /** Loses requests before they reach the target, or answers after the target has done its work. */
  readonly drop: (what: "requests" | "answers", which?: Which) => void
  /** Holds requests back for `ms`. They reach the target even if the caller has given up meanwhile. */
  readonly delay: (ms: number, which?: Which) => void
  /** Answers 503 with `Retry-After`, 1 s by default, in the target's place. */
  readonly answer503: (which?: Which & { readonly retryAfterSeconds?: number }) => void
  /** Sends requests to the target twice, one after the other; the caller gets the second answer. */
  readonly duplicate: (which?: Which) => void
  /** Ends all faults, and `cut`. */
  readonly clear: () => void
  /** Takes the network away: closes all connections, and new ones at once. Requests that are held back are lost. */
  readonly cut: () => void
  /** Gives the network back. */
  readonly mend: () => void
  /** The newest requests, oldest first. */
  readonly seen: ReadonlyArray<Seen>
  readonly stop: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** Most requests that `seen` has. */
const maxSeen = 10_000
/** Longest body that is sent late or twice, bytes: far above what the contract takes. */
const maxHeldBytes = 16 * 1024 * 1024

/** Longest delay, ms: Node's timers hold no longer one. */
const maxDelayMs = 2 ** 31 - 1

/** Headers of one connection (RFC 9110, section 7.6.1), which go no further, and `Host`. */
const ofConnection: ReadonlySet<string> = new Set([
  "connection",
  "expect",
  "host",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
])

/** Pairs of names and values, as they came. */
const passed = (raw: ReadonlyArray<string>): Array<string> => {
  const kept: Array<string> = []
  for (let at = 0; at < raw.length; at += 2)
    if (!ofConnection.has(raw[at]!.toLowerCase())) kept.push(raw[at]!, raw[at + 1]!)
  return kept
}

const checkWhich = (of: string, which: Which): void => {
  checkOptions(of, which, ["next", "rate", "method", "path"])
  const { method, next, path, rate } = which
  checkNumber(`next of ${of}`, next, 1, Number.MAX_SAFE_INTEGER, true)
  checkNumber(`rate of ${of}`, rate, 0, 1, false)
  if (method !== undefined && !/^[A-Z]+$/.test(method))
    throw new TypeError(`method of ${of} must be a method such as POST, not ${JSON.stringify(method)}`)
  if (path !== undefined && !/^\/[^?]*$/.test(path))
    throw new TypeError(`path of ${of} must be a whole path without its query, not ${JSON.stringify(path)}`)
}

const ruleOf = (fault: FaultKind, { method, next, path, rate }: Which, more?: Partial<FaultRule>): FaultRule => {
  const count = next ?? (rate === undefined ? 1 : undefined)
  return {
    fault,
    ...(count === undefined ? undefined : { next: count }),
    ...(rate === undefined ? undefined : { rate_bps: rate * 10_000 }),
    ...(method === undefined ? undefined : { method }),
    ...(path === undefined ? undefined : { path }),
    ...more
  }
}

type Answered = (response: http.IncomingMessage) => void

class Proxy {
  private readonly target: URL
  private readonly seed: number
  private rules: FaultRules
  private readonly seen: Array<Seen> = []
  private readonly sockets = new Set<Socket>()
  private readonly timers = new Set<NodeJS.Timeout>()
  private isCut = false
  private readonly server = http.createServer((incoming, outgoing) => this.meet(incoming, outgoing))

  constructor({ seed = randomInt(2 ** 32), target }: FaultOptions) {
    this.target = new URL(target)
    this.seed = seed
    this.rules = new FaultRules([], seed)
    this.server.on("connection", (socket) => {
      this.sockets.add(socket)
      socket.once("close", () => this.sockets.delete(socket))
      if (this.isCut) socket.destroy()
    })
  }

  private meet(incoming: http.IncomingMessage, outgoing: http.ServerResponse): void {
    const { method = "GET", url = "/" } = incoming
    const rule = this.rules.of(method, url.split("?", 1)[0]!)
    const seen: Seen = { method, path: url, fault: rule?.fault, status: undefined }
    this.seen.push(seen)
    if (this.seen.length > maxSeen) this.seen.shift()
    const answer: Answered = (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.statusMessage, passed(response.rawHeaders))
      response.once("error", () => lose(incoming))
      response.pipe(outgoing)
    }
    switch (rule?.fault) {
      case "drop_request":
        return lose(incoming)
      case "answer_503":
        return refuse(incoming, outgoing, rule.retry_after_seconds ?? defaultRetryAfterSeconds)
      case "drop_answer":
        // The target has done its work once its answer is whole.
        return this.forward(incoming, seen, (response) => void response.resume().once("close", () => lose(incoming)))
      case "delay":
        return withBody(incoming, (body) =>
          this.later(rule.delay_ms ?? 0, () => void this.open(incoming, seen, answer).end(body))
        )
      case "duplicate":
        return withBody(incoming, (body) => {
          const again: Answered = (first) =>
            void first.resume().once("close", () => this.open(incoming, seen, answer).end(body))
          this.open(incoming, seen, again).end(body)
        })
      default:
        return this.forward(incoming, seen, answer)
    }
  }

  private later(ms: number, then: () => void): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer)
      then()
    }, ms)
    this.timers.add(timer)
  }

  /** Opens a request to the target. A target that cannot be reached is a lost connection for the caller. */
  private open(incoming: http.IncomingMessage, seen: Seen, answered: Answered): http.ClientRequest {
    const { method, rawHeaders, url = "/" } = incoming
    const { request } = this.target.protocol === "https:" ? https : http
    const upstream = request(new URL(url, this.target), {
      method,
      // One that is kept may be closed meanwhile, which would be a fault that no rule asks for.
      agent: false,
      headers: ["Host", this.target.host, ...passed(rawHeaders)]
    })
    upstream.once("error", () => lose(incoming))
    upstream.once("response", (response) => {
      seen.status = response.statusCode
      answered(response)
    })
    return upstream
  }

  private forward(incoming: http.IncomingMessage, seen: Seen, answered: Answered): void {
    const upstream = this.open(incoming, seen, answered)
    incoming.once("error", () => upstream.destroy())
    incoming.pipe(upstream)
  }

  private cutAll(): void {
    for (const timer of this.timers) clearTimeout(timer)
    this.timers.clear()
    for (const socket of this.sockets) socket.destroy()
  }

  private stop(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve())
      this.cutAll()
    })
  }

  async start(port: number): Promise<FaultProxy> {
    await new Promise<void>((resolve, reject) => {
      this.server.once("error", reject)
      this.server.listen(port, "127.0.0.1", () => resolve())
    })
    const add = (of: string, fault: FaultKind, which: Which, more?: Partial<FaultRule>) => {
      checkWhich(of, which)
      this.rules.add(ruleOf(fault, which, more))
    }
    const stop = () => this.stop()
    return {
      url: `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`,
      seed: this.seed,
      seen: this.seen,
      drop: (what, which = {}) => {
        if (what !== "requests" && what !== "answers")
          throw new TypeError(`drop takes "requests" or "answers", not ${JSON.stringify(what)}`)
        add("drop", what === "requests" ? "drop_request" : "drop_answer", which)
      },
      delay: (ms, which = {}) => {
        checkNumber("ms of delay", ms ?? Number.NaN, 0, maxDelayMs, false)
        add("delay", "delay", which, { delay_ms: ms })
      },
      answer503: ({ retryAfterSeconds = defaultRetryAfterSeconds, ...which } = {}) => {
        checkNumber("retryAfterSeconds of answer503", retryAfterSeconds, 0, Number.MAX_SAFE_INTEGER, true)
        add("answer503", "answer_503", which, { retry_after_seconds: retryAfterSeconds })
      },
      duplicate: (which = {}) => add("duplicate", "duplicate", which),
      clear: () => {
        this.rules = new FaultRules([], this.seed)
        this.isCut = false
      },
      cut: () => {
        this.isCut = true
        this.cutAll()
      },
      mend: () => {
        this.isCut = false
      },
      stop,
      [Symbol.asyncDispose]: stop
    }
  }
}

/** Closes the caller's connection without an answer. */
const lose = ({ socket }: http.IncomingMessage): void => void socket.destroy()

/** Goes on with the whole body. One that is too long or does not come ends the connection. */
const withBody = (incoming: http.IncomingMessage, then: (body: Buffer) => void): void => {
  const chunks: Array<Buffer> = []
  let bytes = 0
  incoming.on("data", (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > maxHeldBytes) lose(incoming)
    else chunks.push(chunk)
  })
  incoming.once("end", () => then(Buffer.concat(chunks)))
}

/** The answer of a gateway without a service behind it, which is no problem document. */
const refuse = (incoming: http.IncomingMessage, outgoing: http.ServerResponse, seconds: number): void => {
  incoming.resume()
  incoming.once("end", () => {
    outgoing.writeHead(503, { "content-type": "text/plain", "retry-after": String(seconds) })
    outgoing.end("Service Unavailable\n")
  })
}

/** Starts a proxy in front of a service. */
export const faults = async (options: FaultOptions): Promise<FaultProxy> => {
  checkOptions("faults", options, ["target", "port", "seed"])
  checkNumber("seed of faults", options.seed, 0, 2 ** 32 - 1, true)
  return new Proxy(options).start(options.port ?? 0)
}
