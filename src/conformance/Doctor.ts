/**
 * Checks that a host is reachable and usable: discovery, health, readiness,
 * authentication, capabilities, clock, latency, certificate. Each check has advice
 * for its failure.
 */
import { Effect, Exit, Schema } from "effect"
import * as tls from "node:tls"
import { isObject } from "../contract/Decode.ts"
import {
  basePath,
  discoveryPath,
  environmentName,
  profile,
  protocolName,
  protocolVersion
} from "../contract/protocol/Protocol.ts"
import { Discovery } from "../contract/protocol/Resources.ts"
import { answerTimeoutMs, certificateDaysLeft, latencySamples, maxClockSkewMs, slowAnswerMs } from "./Bounds.ts"
import type { CheckOutcome } from "./CheckOutcome.ts"
import { machineNow } from "./Clock.ts"
import type { Exchange, Host, HostRequest, NoAnswer } from "./Host.ts"
import { described, wrongToken } from "./Host.ts"
import { codeOf, summary } from "./Probe.ts"

/** Facts that the checks found, for the cases. */
export interface Facts {
  /** The reason if the checks ended early: nothing answers, or it is not a host of the protocol. */
  readonly stopped: string | undefined
  readonly tokenAccepted: boolean
  readonly isFrozen: boolean
  readonly isSandbox: boolean
  readonly maxBodyBytes: number | undefined
  /** The operations that capabilities list; undefined if it lists none. */
  readonly listed: ReadonlyArray<unknown> | undefined
}

interface Examined {
  readonly outcomes: ReadonlyArray<CheckOutcome>
  readonly facts: Facts
}

interface Finding {
  readonly status: CheckOutcome["status"]
  readonly note?: string
  readonly request?: string
  readonly expected?: string
  readonly got?: string
}

interface Check {
  readonly id: string
  readonly rule: string
  readonly title: string
  readonly advice: string
}

const fine = (note?: string): Finding => ({ status: "ok", ...(note === undefined ? {} : { note }) })
const skipped = (note: string): Finding => ({ status: "skipped", note })
const differs = (expected: string, got: string, request?: string): Finding => ({
  status: "differs",
  expected,
  got,
  ...(request === undefined ? {} : { request })
})

const outcomeOf = ({ advice, id, rule, title }: Check, finding: Finding, tookMs: number): CheckOutcome => ({
  id: `doctor.${id}`,
  level: "base",
  rule,
  title,
  status: finding.status,
  ...(finding.note === undefined ? {} : { note: finding.note }),
  ...(finding.status === "differs" ? { advice } : {}),
  differences:
    finding.status === "differs"
      ? [{ request: finding.request ?? "", expected: finding.expected ?? "", got: finding.got ?? "" }]
      : [],
  tookMs
})

const tokenName = environmentName("TOKEN")

const checks = {
  reachable: {
    id: "reachable",
    rule: "contract/operations.md *Discovery and health*",
    title: "the host answers HTTP",
    advice: "Check the address, its port and scheme (http or https), DNS, firewalls and whether the service runs."
  },
  certificate: {
    id: "certificate",
    rule: "contract/operations.md *Discovery and health*",
    title: "the certificate is valid and does not expire soon",
    advice: "Renew the certificate, or name this host in it; for a private authority set NODE_EXTRA_CA_CERTS."
  },
  discovery: {
    id: "discovery",
    rule: "contract/operations.md *Discovery and health*",
    title: "discovery is public and names protocol, version, profile and endpoints",
    advice: `Serve ${discoveryPath} at the root of this address; if there is a proxy, it must forward that path.`
  },
  health: {
    id: "health",
    rule: "contract/operations.md *Discovery and health*",
    title: "health is public and says whether writes are frozen",
    advice: "Serve GET /health without authentication; read the service's log."
  },
  readiness: {
    id: "readiness",
    rule: "contract/operations.md *Discovery and health*",
    title: "the host is ready to take requests",
    advice:
      "The service runs, but it does not take requests: got says why. Check its clock and its database, and that it is a node."
  },
  accepted: {
    id: "token-accepted",
    rule: "contract/transport.md *Authentication*",
    title: "the token is accepted",
    advice: `Set ${tokenName} to a token of this host that is neither revoked nor expired.`
  },
  refused: {
    id: "token-refused",
    rule: "contract/transport.md *Authentication*",
    title: "no token and a wrong token are refused with 401",
    advice: "Anyone can call this host. Turn authentication on, and check that no proxy adds a token."
  },
  capabilities: {
    id: "capabilities",
    rule: "contract/operations.md *Discovery and health*",
    title: "capabilities advertise the limits",
    advice: `Serve GET ${basePath}/capabilities with limits.max_body_bytes; update the service.`
  },
  clock: {
    id: "clock",
    rule: "contract/resources.md *Response context*; contract/points.md *Time of entries*",
    title: "the host's clock and this machine's agree",
    advice: "Run NTP on both machines: expiry, tiers and holds go by the host's clock."
  },
  latency: {
    id: "latency",
    rule: `the median response time is at most ${slowAnswerMs} ms`,
    title: "answers come quickly",
    advice: "Check the network path to the host (region, proxies, TLS on each request), then its load and its database."
  }
} as const satisfies Record<string, Check>

/** Finds an integer by its name at any depth: the shape of capabilities is not specified. */
const numberNamed = (value: unknown, name: string): number | undefined => {
  if (!isObject(value)) return undefined
  const own = value[name]
  if (typeof own === "number" && Number.isSafeInteger(own)) return own
  return Object.values(value)
    .map((part) => numberNamed(part, name))
    .find((found) => found !== undefined)
}

/** Another server that answers instead of a host of the protocol: by a redirect, or by its page. */
const otherServer = ({ headers, status, text }: Exchange): string | undefined => {
  if (status >= 300 && status < 400)
    return `${status}, a redirect to ${headers["location"] ?? "nowhere"}: use that address`
  if (/plain HTTP request|HTTP request to an? HTTPS/i.test(text)) return `${status}: the port speaks TLS: use https://`
  if (!/^\s*(<!doctype html|<html)/i.test(text)) return undefined
  const title = /<title>([^<]*)/i.exec(text)?.[1]?.trim()
  return `${status}, a page of another server${title === undefined ? "" : `: ${title}`}`
}

const discovery = (exchange: Exchange): Finding => {
  const other = otherServer(exchange)
  if (other !== undefined) return differs("the discovery document", other)
  if (exchange.status !== 200) return differs("200", summary(exchange))
  const exit = Schema.decodeUnknownExit(Discovery)(exchange.body)
  const isWhole = Exit.isSuccess(exit) && exit.value.profiles.length > 0 && exit.value.authentication.length > 0
  const wanted = `protocol ${protocolName}, version ${protocolVersion}, profile ${profile}, endpoints, bearer`
  return isWhole ? fine() : differs(wanted, exchange.text)
}

const health = (exchange: Exchange): Finding => {
  const frozen = isObject(exchange.body) ? exchange.body["write_frozen"] : undefined
  if (exchange.status !== 200 || typeof frozen !== "boolean") return differs("200 with write_frozen", summary(exchange))
  return fine(frozen ? "writes are FROZEN: only reads are checked" : "writes are not frozen")
}

const readiness = (exchange: Exchange): Finding => {
  if (exchange.status === 404) return skipped("the host has no readiness page")
  const { body, status } = exchange
  if (status !== 200) return differs("200", summary(exchange))
  const parts = isObject(body) ? [body["environment"], body["role"]].filter((part) => typeof part === "string") : []
  return fine(parts.length === 0 ? undefined : parts.join(", "))
}

const capabilities = (exchange: Exchange): Finding => {
  const limit = numberNamed(exchange.body, "max_body_bytes")
  return exchange.status === 200 && limit !== undefined
    ? fine(`max_body_bytes ${limit}`)
    : differs("200 with max_body_bytes", summary(exchange))
}

/** Uses the Date header, which has whole seconds. */
const clock = (exchange: Exchange): Finding => {
  const at = Date.parse(exchange.headers["date"] ?? "")
  if (Number.isNaN(at)) return skipped("answers have no Date header")
  const early = exchange.sentAt - (at + 999)
  const late = at - exchange.receivedAt
  const skewMs = Math.max(0, early, late)
  const text = `${early > late ? "behind" : "ahead"} by ${skewMs} ms or more`
  return skewMs <= maxClockSkewMs
    ? fine(skewMs === 0 ? "no difference found" : text)
    : differs(`at most ${maxClockSkewMs} ms apart`, `the host is ${text}`)
}

const latency = (times: ReadonlyArray<number>): Finding => {
  const sorted = [...times].sort((a, b) => a - b)
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0
  const text = `median ${median} ms, slowest ${sorted.at(-1) ?? 0} ms of ${sorted.length}`
  return median <= slowAnswerMs ? fine(text) : differs(`a median of at most ${slowAnswerMs} ms`, text)
}

const dayMs = 86_400_000

const certificate = (url: URL, now: number) =>
  Effect.callback<Finding>((resume) => {
    const host = url.hostname.replace(/^\[|\]$/g, "")
    const socket = tls.connect(
      { host, port: Number(url.port || 443), servername: host, rejectUnauthorized: false, timeout: answerTimeoutMs },
      () => {
        const { valid_to } = socket.getPeerCertificate()
        const { authorizationError, authorized } = socket
        socket.end()
        const days = Math.floor((Date.parse(valid_to) - now) / dayMs)
        const until = `valid until ${valid_to}, ${days} days`
        if (!authorized)
          resume(Effect.succeed(differs("a certificate that is trusted", `${authorizationError}; ${until}`)))
        else if (days < certificateDaysLeft) {
          resume(Effect.succeed(differs(`valid for at least ${certificateDaysLeft} more days`, until)))
        } else resume(Effect.succeed(fine(until)))
      }
    )
    const failed = (reason: string) => resume(Effect.succeed(differs("a TLS handshake", reason)))
    socket.on("error", (error) => failed(error.message))
    socket.on("timeout", () => failed(`none within ${answerTimeoutMs / 1_000} s`))
    return Effect.sync(() => socket.destroy())
  })

const listedBy = (body: unknown): ReadonlyArray<unknown> | undefined => {
  const listed = isObject(body) ? body["operations"] : undefined
  return Array.isArray(listed) ? listed : undefined
}

const listing = {
  id: "operations",
  rule: "contract/operations.md *Discovery and health*",
  title: "capabilities list the operations that the host serves",
  advice: `Name every operation that is served in operations of GET ${basePath}/capabilities.`
} as const satisfies Check

/** Compares the operations that are served with those that capabilities list. */
export const listedOperations = (served: ReadonlySet<string>, listed: Facts["listed"]): CheckOutcome => {
  if (listed === undefined) return outcomeOf(listing, skipped("capabilities list no operations"), 0)
  const missing = [...served].filter((id) => !listed.includes(id))
  const finding =
    missing.length === 0 ? fine() : differs("every operation that is served", `without ${missing.join(", ")}`)
  return outcomeOf(listing, { request: `GET ${capabilitiesPath}`, ...finding }, 0)
}

const capabilitiesPath = `${basePath}/capabilities`

/** A request without a token. */
const openRequest = (path: string): HostRequest => ({ method: "GET", path, token: null })

/** A host that cannot answer now says nothing about tokens; `readiness` has why. */
const unable = (exchange: Exchange): Finding | undefined =>
  exchange.status === 503 ? skipped(`the host cannot answer now: 503 ${String(codeOf(exchange) ?? "")}`) : undefined

const unauthorized = (exchange: Exchange): boolean => exchange.status === 401 && codeOf(exchange) === "unauthorized"

const noFacts = {
  tokenAccepted: false,
  isFrozen: false,
  isSandbox: false,
  maxBodyBytes: undefined,
  listed: undefined
}

/** The usual reasons of a connection without an answer, in words. */
const explained = (reason: string, { protocol }: URL): string => {
  if (protocol === "https:" && /wrong version number|packet length|EPROTO/i.test(reason)) {
    return `${reason}: the port speaks no TLS: use http://`
  }
  const isOther = protocol === "http:" && /ECONNRESET|socket hang up|other side closed|Parse Error|HPE_/i.test(reason)
  return isOther ? `${reason}: the port speaks TLS or another protocol` : reason
}

/** Runs checks against a host and keeps their outcomes in order. */
class Examination {
  readonly outcomes: Array<CheckOutcome> = []
  private readonly host: Host

  constructor(host: Host) {
    this.host = host
  }

  record(check: Check, finding: Finding, tookMs = 0): void {
    this.outcomes.push(outcomeOf(check, finding, tookMs))
  }

  /** Sends a request and records the check's finding; no answer is a difference. */
  run(check: Check, request: HostRequest, find: (exchange: Exchange) => Finding) {
    return Effect.gen({ self: this }, function* () {
      const began = yield* machineNow
      const answer = yield* Effect.result(this.host.send(request))
      const tookMs = (yield* machineNow) - began
      if (answer._tag === "Failure") {
        const reason = explained((answer.failure as NoAnswer).reason, new URL(this.host.url))
        this.record(check, differs("an answer", reason, described(request)), tookMs)
        return undefined
      }
      const finding = find(answer.success)
      this.record(check, { request: described(request), ...finding }, tookMs)
      return { exchange: answer.success, finding }
    })
  }

  /** The end of checks that cannot go on after the last one. */
  stopped(why: string): Examined {
    const [difference] = this.outcomes.at(-1)?.differences ?? []
    const reason = `${this.host.url} ${why}: ${difference?.got ?? "no answer"}`
    return { outcomes: this.outcomes, facts: { ...noFacts, stopped: reason } }
  }

  /** Checks without the token that the host refuses callers it does not know. */
  readonly refusesStrangers = Effect.gen({ self: this }, function* () {
    const request = { method: "GET", path: capabilitiesPath }
    const refusal = (kind: string) => (exchange: Exchange) =>
      unauthorized(exchange) ? fine() : (unable(exchange) ?? differs(`401 unauthorized ${kind}`, summary(exchange)))
    yield* this.run(checks.refused, { ...request, token: null }, refusal("without a token"))
    if (this.outcomes.at(-1)?.status !== "ok") return
    this.outcomes.pop()
    yield* this.run(checks.refused, { ...request, token: wrongToken }, refusal("with a wrong token"))
  })

  readonly latency = Effect.gen({ self: this }, function* () {
    const times: Array<number> = []
    for (let sample = 0; sample < latencySamples; sample++) {
      const answer = yield* Effect.result(this.host.send(openRequest("/health")))
      if (answer._tag === "Success") times.push(answer.success.receivedAt - answer.success.sentAt)
    }
    this.record(checks.latency, latency(times))
  })
}

/** Runs every check in turn; stops where nothing answers, or where discovery fails. */
export const examine = Effect.fnUntraced(function* (host: Host, hasToken: boolean) {
  const examination = new Examination(host)
  const { outcomes } = examination
  const url = new URL(host.url)
  if (url.protocol === "https:") {
    examination.record(checks.certificate, yield* certificate(url, yield* machineNow))
  }
  const reached = yield* examination.run(checks.reachable, openRequest("/health"), () => fine())
  if (reached === undefined) {
    return examination.stopped("does not answer")
  }
  const discovered = yield* examination.run(checks.discovery, openRequest(discoveryPath), discovery)
  // The token is for a host of the protocol alone.
  if (discovered?.finding.status !== "ok") return examination.stopped(`is no ${protocolName} host`)
  const healthy = yield* examination.run(checks.health, openRequest("/health"), health)
  const ready = yield* examination.run(checks.readiness, openRequest("/health/ready"), readiness)
  const accepted = hasToken
    ? yield* examination.run(checks.accepted, { method: "GET", path: capabilitiesPath }, (exchange) =>
        [401, 403].includes(exchange.status)
          ? differs("the token is accepted", summary(exchange))
          : (unable(exchange) ?? fine())
      )
    : undefined
  if (!hasToken) examination.record(checks.accepted, skipped(`${tokenName} is not set`))
  yield* examination.refusesStrangers
  const answered = accepted?.finding.status === "ok" ? accepted.exchange : undefined
  const advertised =
    answered === undefined
      ? skipped("needs a token that is accepted")
      : { request: `GET ${capabilitiesPath}`, ...capabilities(answered) }
  examination.record(checks.capabilities, advertised)
  yield* examination.run(checks.clock, openRequest("/health"), clock)
  yield* examination.latency
  const body = healthy?.exchange.body
  const state = ready?.exchange.body
  return {
    outcomes,
    facts: {
      stopped: undefined,
      tokenAccepted: answered !== undefined,
      isFrozen: isObject(body) && body["write_frozen"] === true,
      isSandbox: isObject(state) && state["environment"] === "sandbox",
      maxBodyBytes: numberNamed(answered?.body, "max_body_bytes"),
      listed: listedBy(answered?.body)
    }
  } satisfies Examined
})
