/**
 * One request with the gate's findings about it, and the place where answers to
 * requests that came to it are written.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { performance } from "node:perf_hooks"
import { pipeline, Readable } from "node:stream"
import type { Guest } from "../../capabilities/guests/CurrentGuest.ts"
import type { FaultRule } from "../../capabilities/operators/FaultRules.ts"
import type { KnownConnection } from "../../capabilities/tills/connections/KnownConnections.ts"
import type { Posted } from "../../core/protocol/Handler.ts"
import type { Known } from "../../desk/access/Keys.ts"
import type { FoundSession } from "../../desk/access/Sessions.ts"
import { plain as plainAddress } from "./Addresses.ts"
import * as Bounds from "./Bounds.ts"
import type { ByteBudget } from "./ByteBudget.ts"
import type { Unanswered } from "./Connections.ts"
import type { Reply } from "./Reply.ts"
import { headersOf, pathOf, problem } from "./Reply.ts"
import * as RequestId from "./RequestId.ts"
import type { RouteFacts } from "./RouteFacts.ts"
import type { Unread } from "./Unread.ts"

export class Exchange {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  /** The request target without its query. */
  readonly path: string
  readonly requestId: string
  /** ms, on the monotonic clock. */
  readonly startedAt = performance.now()
  route: RouteFacts | undefined = undefined
  /** The path of the routes of other methods, if the method is not served there. */
  pattern: string | undefined = undefined
  params: Readonly<Record<string, string>> = {}
  caller: Known | undefined = undefined
  /** The request id in the body's context. */
  contextId: string | undefined = undefined
  /** The programme in its body or path. */
  program: string | undefined = undefined
  /** Postings of a write, for its log line. */
  posted: Posted | undefined = undefined
  /** The connection whose key a till has brought. */
  connection: KnownConnection | undefined = undefined
  /** The tool that an assistant has called. */
  tool: string | undefined = undefined
  /** The session whose cookie the request came with. */
  session: FoundSession | undefined = undefined
  /** The guest whose cookie the request came with. */
  guest: Guest | undefined = undefined
  /** The caller's address, if a trusted proxy names it. */
  behindProxy: string | undefined = undefined
  /** Headers for a browser's page of another origin. */
  cors: Readonly<Record<string, string>> | undefined = undefined
  /** The rate limit's headers, if the request was counted. */
  limited: Readonly<Record<string, string>> | undefined = undefined
  /** The requests of its connection without an answer, until this one has its answer. */
  unanswered: Unanswered | undefined = undefined
  /** The fault that it meets, on a sandbox. */
  fault: FaultRule | undefined = undefined
  /** True if it came without a valid key: its body is not read, and the connection closes. */
  isRefusedCaller = false
  /** Called when the request ends. */
  ended: (() => void) | undefined = undefined

  constructor(incoming: IncomingMessage, outgoing: ServerResponse) {
    this.incoming = incoming
    this.outgoing = outgoing
    this.path = pathOf(incoming.url ?? "/")
    this.requestId = RequestId.of(incoming)
  }

  /**
   * A question that this request asks another route, for the same caller. It has no body, no cookie and no keys of its own.
   */
  within(method: string, target: string): Exchange {
    const { host, "user-agent": agent } = this.incoming.headers
    const headers = { ...(host && { host }), ...(agent && { "user-agent": agent }), "x-request-id": this.requestId }
    const properties = { method: { value: method }, url: { value: target }, headers: { value: headers } }
    const inner = new Exchange(Object.create(this.incoming, properties) as IncomingMessage, this.outgoing)
    inner.caller = this.caller
    inner.session = this.session
    inner.behindProxy = this.behindProxy
    return inner
  }

  /** The caller's address. */
  get sourceIp(): string {
    return this.behindProxy ?? plainAddress(this.incoming.socket.remoteAddress ?? "")
  }
}

/** Counts a large answer until it is sent or timed out; false if too many are in flight. */
const reserve = (largeAnswers: ByteBudget, outgoing: ServerResponse, bytes: number): boolean => {
  if (bytes <= Bounds.smallAnswerBytes) return true
  if (!largeAnswers.reserve(bytes)) return false
  const { socket } = outgoing.req
  // Destroys the socket, not the answer: a pipelined answer may not be attached to the socket yet.
  const timer = setTimeout(() => socket.destroy(), Bounds.largeAnswerMs)
  outgoing.once("close", () => {
    clearTimeout(timer)
    largeAnswers.release(bytes)
  })
  return true
}

/** Replaces a large answer that cannot be sent now. */
const tooMuch = (path: string): Reply =>
  problem("overloaded", { detail: "Too many large answers are in flight.", instance: path })

const bytesOf = ({ body }: Reply): number =>
  body instanceof Readable ? 0 : Buffer.isBuffer(body) ? body.length : Buffer.byteLength(body)

/**
 * Ends an answer whose request body is still arriving. Node would reset the connection with unread bytes, and the caller
 * would lose its answer. So the caller gets `lingerMs` to read it. Further bytes of a known caller are dropped; nothing
 * more is read of an unknown one.
 */
const endAfterBody = ({ caller, incoming, outgoing }: Exchange): void => {
  const end = () => {
    clearTimeout(timer)
    outgoing.end()
  }
  const timer = setTimeout(end, Bounds.lingerMs)
  incoming.once("end", end).once("close", end)
  if (caller !== undefined || incoming.complete) incoming.resume()
}

/** True if the request has a body, or announces one. */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

/** True if the rest of a request's body is short enough for Node to read and drop it after the answer. */
const hasShortRest = ({ caller, incoming, isRefusedCaller }: Exchange): boolean => {
  const { complete, headers } = incoming
  if (isRefusedCaller && hasBody(incoming)) return false
  if (complete) return true
  if (headers["transfer-encoding"] !== undefined || headers.expect !== undefined) return false
  const dropped = caller === undefined ? Bounds.unknownBodyBytes : Bounds.droppedBodyBytes
  return Number(headers["content-length"] ?? 0) <= dropped
}

/** Ends the connection of a caller that has read nothing of a stream for `stalledMs`, so that nothing is kept for it. */
const cutStalled = (outgoing: ServerResponse): void => {
  const { socket } = outgoing.req
  let written = -1
  const timer = setInterval(() => {
    if (outgoing.writableNeedDrain && socket.bytesWritten === written) socket.destroy()
    written = socket.bytesWritten
  }, Bounds.stalledMs)
  outgoing.once("close", () => clearInterval(timer))
}

/** Closes the connection of a request without an answer. */
export const leaveUnanswered = ({ incoming, outgoing }: Exchange): void => {
  incoming.socket.destroy()
  outgoing.destroy()
}

/** Writes an answer, and returns the one that was sent. */
export const write = (exchange: Exchange, given: Reply, largeAnswers: ByteBudget, unread?: Unread): Reply => {
  const { cors, incoming, limited, outgoing, path, requestId, route } = exchange
  // The caller is gone.
  if (outgoing.destroyed || outgoing.headersSent) return given
  const bytes = bytesOf(given)
  // A write is already committed: its caller must get the answer.
  const isTooMuch = route?.isWrite !== true && !reserve(largeAnswers, outgoing, bytes)
  const reply = isTooMuch ? tooMuch(path) : given
  const { body } = reply
  const headers: Record<string, string | number> = { ...headersOf(reply, requestId), ...limited, ...cors }
  if (body instanceof Readable) {
    outgoing.writeHead(reply.status, headers)
    if (incoming.method === "HEAD") {
      body.destroy()
      outgoing.end()
      return reply
    }
    cutStalled(outgoing)
    // If the caller closes, the source ends; if the source fails, the connection ends.
    pipeline(body, outgoing, () => undefined)
    if (unread !== undefined) {
      body.on("data", () => unread.wrote(outgoing))
      outgoing.on("drain", () => unread.taken(outgoing)).once("close", () => unread.taken(outgoing))
    }
    return reply
  }
  if (reply.status !== 304 && reply.status !== 204) {
    headers["content-length"] = isTooMuch ? bytesOf(reply) : bytes
  }
  if (hasShortRest(exchange)) {
    outgoing.writeHead(reply.status, headers)
    outgoing.end(body)
    return reply
  }
  outgoing.writeHead(reply.status, { ...headers, connection: "close" })
  outgoing.write(body)
  endAfterBody(exchange)
  return reply
}
