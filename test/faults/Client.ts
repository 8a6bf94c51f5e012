/**
 * One caller of the service, or of several nodes of one database: each attempt then goes to any of them, so what one
 * has acknowledged is read at another. A command whose answer is 503, or whose connection breaks, is sent again with its
 * key until the answer is definite.
 */
import { Result } from "effect"
import * as http from "node:http"
import { strictDecoder } from "../../src/contract/Decode.ts"
import { operations } from "../../src/contract/protocol/Operations.ts"
import { Problem } from "../../src/contract/protocol/Problem.ts"
import { profile, protocolVersion } from "../../src/contract/protocol/Protocol.ts"
import { fromMillis } from "../../src/contract/Values.ts"
import type { AnswerOf, ExchangeOf, Fault, PayloadOf, Played } from "../model/History.ts"
import { isWrite } from "../model/History.ts"
import type { Random } from "../model/Random.ts"

/** Longest pause before an attempt after 503, ms: `Retry-After` counts whole seconds, which would only make rounds long. */
const maxRetryPauseMs = 200
/** Longest wait for an answer, ms: the service gives up on PostgreSQL after 10 s, on a busy machine later. */
const answerTimeoutMs = 60_000
/** Longest wait for an answer of one of several nodes, ms: what the guide asks of tills before they call a request lost. */
const failoverMs = 10_000
/** Longest time until a command has its definite answer, ms: far above the longest fault and its recovery. */
const definiteMs = 120_000

/** Result of an attempt that was no definite answer. */
export interface Counters {
  acknowledged: number
  refused: number
  unavailable: number
  broken: number
}

export interface Watcher {
  readonly counters: Counters
  /** Told of every write that was done at its first attempt. */
  readonly written: (sentAt: number, answeredAt: number) => void
  readonly fault: (fault: Fault) => void
}

const unavailableCodes = ["storage_unavailable", "node_unreachable", "overloaded", "not_active"]

interface Response {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
}

const responseDecoders = Object.fromEntries(
  Object.entries(operations).map(([id, { response }]) => [id, strictDecoder(response as never)])
)
const problemDecoder = strictDecoder(Problem)

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

let requests = 0

export class Client {
  private readonly agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  private readonly ports: ReadonlyArray<number>
  private readonly random: Random
  private readonly watcher: Watcher

  constructor(ports: ReadonlyArray<number>, random: Random, watcher: Watcher) {
    this.ports = ports
    this.random = random
    this.watcher = watcher
  }

  close(): void {
    this.agent.destroy()
  }

  /** Sends a command until its answer is definite; undefined where there was none in time, or one that must not be. */
  async call<Id extends Played>(
    operation: Id,
    payload: PayloadOf<Id>,
    key: string,
    member: string
  ): Promise<ExchangeOf<Id> | undefined> {
    const { counters, fault } = this.watcher
    const startedAt = Date.now()
    for (let attempts = 1; ; attempts++) {
      const sentAt = Date.now()
      const response = await this.attempt(operation, payload, key)
      const answeredAt = Date.now()
      if (response !== undefined && response.status !== 503) {
        const answer = answerOf(operation, response)
        if (answer === undefined) {
          const kind = response.status === 500 ? "internal_error" : "unknown_answer"
          fault({ kind, member, detail: `${operation} ${key}: ${response.status} ${response.text.slice(0, 500)}` })
          return undefined
        }
        if ("code" in answer) counters.refused++
        else {
          counters.acknowledged++
          if (attempts === 1 && isWrite(operation)) this.watcher.written(sentAt, answeredAt)
        }
        return { operation, payload, key, attempts, sentAt, answeredAt, answer }
      }
      if (response === undefined) {
        counters.broken++
        if (answeredAt - sentAt >= answerTimeoutMs)
          fault({ kind: "unanswered", member, detail: `${operation} ${key}: nothing for ${answerTimeoutMs} ms` })
      } else {
        counters.unavailable++
        this.checkUnavailable(response, member)
      }
      if (answeredAt - startedAt > definiteMs) {
        fault({ kind: "unanswered", member, detail: `${operation} ${key}: no definite answer in ${definiteMs} ms` })
        return undefined
      }
      await sleep(this.random.whole(maxRetryPauseMs / 4, maxRetryPauseMs))
    }
  }

  /** A 503 says when to come again, and has one of four reasons: the code. */
  private checkUnavailable({ headers, text }: Response, member: string): void {
    const code = problemOf(text)?.code
    const retryAfter = headers["retry-after"]
    if (unavailableCodes.includes(code ?? "") && /^\d+$/.test(retryAfter ?? "")) return
    const detail = `503 with Retry-After ${retryAfter}: ${text.slice(0, 500)}`
    this.watcher.fault({ kind: "unknown_answer", member, detail })
  }

  private attempt(operation: Played, payload: object, key: string): Promise<Response | undefined> {
    const context = {
      protocol_version: protocolVersion,
      profile,
      request_id: `req-${++requests}`,
      idempotency_key: key,
      occurred_at: fromMillis(Date.now()),
      source: { system: "faults" }
    }
    const body = JSON.stringify({ context, ...payload })
    return new Promise((resolve) => {
      const request = http.request({
        agent: this.agent,
        host: "127.0.0.1",
        port: this.random.pick(this.ports),
        method: "POST",
        path: operations[operation].path,
        timeout: this.ports.length === 1 ? answerTimeoutMs : failoverMs,
        headers: {
          authorization: "Bearer proto-dev-token",
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body)
        }
      })
      // Every way in which a connection ends is the same to a caller: it knows nothing, and asks again.
      const broken = () => {
        resolve(undefined)
        request.destroy()
      }
      request.on("error", broken)
      request.on("timeout", broken)
      request.on("response", (response) => {
        const chunks: Array<Buffer> = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("error", broken)
        response.on("aborted", broken)
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8")
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
        })
      })
      request.end(body)
    })
  }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const problemOf = (text: string) => {
  const decoded = problemDecoder(parse(text))
  return Result.isSuccess(decoded) ? decoded.success : undefined
}

/** The answer where it has the operation's shape, or is a problem that is the caller's own. */
const answerOf = <Id extends Played>(operation: Id, { status, text }: Response): AnswerOf<Id> | undefined => {
  if (status >= 400 && status < 500) {
    const problem = problemOf(text)
    return problem?.status === status ? { status, code: problem.code } : undefined
  }
  const statuses: ReadonlyArray<number> = operations[operation].statuses
  const decoded = statuses.includes(status) ? responseDecoders[operation]?.(parse(text)) : undefined
  return decoded !== undefined && Result.isSuccess(decoded) ? { status, body: decoded.success as never } : undefined
}
