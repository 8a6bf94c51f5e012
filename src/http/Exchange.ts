/**
 * One request with what the gate has found out about it, and the one place where
 * its answer leaves and is counted.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { performance } from "node:perf_hooks"
import { pipeline, Readable } from "node:stream"
import type { Caller } from "../protocol/Handler.ts"
import * as Bounds from "./Bounds.ts"
import type { ByteBudget } from "./ByteBudget.ts"
import type { Reply } from "./Reply.ts"
import { headersOf, pathOf, problem } from "./Reply.ts"
import * as RequestId from "./RequestId.ts"
import type { Found, Route } from "./Route.ts"

export class Exchange {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  /** The request target without its query. */
  readonly path: string
  readonly requestId: string
  /** ms, on the monotonic clock. */
  readonly startedAt = performance.now()
  route: Route | undefined = undefined
  params: Found["params"] = {}
  caller: Caller | undefined = undefined
  /** The rate limit's headers, where the request was counted. */
  limited: Readonly<Record<string, string>> | undefined = undefined
  /** What else ends with the request. */
  ended: (() => void) | undefined = undefined

  constructor(incoming: IncomingMessage, outgoing: ServerResponse) {
    this.incoming = incoming
    this.outgoing = outgoing
    this.path = pathOf(incoming.url ?? "/")
    this.requestId = RequestId.of(incoming)
  }
}

/** Counts a large answer until it has left; false where too much is on its way already. */
const reserve = (largeAnswers: ByteBudget, outgoing: ServerResponse, bytes: number): boolean => {
  if (bytes <= Bounds.smallAnswerBytes) return true
  if (!largeAnswers.reserve(bytes)) return false
  outgoing.once("close", () => largeAnswers.release(bytes))
  return true
}

/** An answer that is too large to leave now. */
const tooMuch = (path: string): Reply =>
  problem("overloaded", { detail: "Too many large answers are on their way; nothing was done.", instance: path })

/**
 * Ends an answer whose request has not come to its end. Node would reset the connection with bytes unread, and the
 * caller lose its answer: it gets a moment to read that, and what it sends meanwhile is thrown away.
 */
const endAfterBody = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
  const end = () => {
    clearTimeout(timer)
    outgoing.end()
  }
  const timer = setTimeout(end, Bounds.lingerMs)
  incoming.once("end", end).once("close", end)
  incoming.resume()
}

/** Whether what is left of a request's body is short enough for Node to read and drop it after the answer. */
const hasShortRest = ({ complete, headers }: IncomingMessage): boolean =>
  complete ||
  (headers["transfer-encoding"] === undefined &&
    headers.expect === undefined &&
    Number(headers["content-length"] ?? 0) <= Bounds.droppedBodyBytes)

/** Writes an answer, and gives the one that left. */
export const write = (exchange: Exchange, given: Reply, largeAnswers: ByteBudget): Reply => {
  const { incoming, limited, outgoing, path, requestId } = exchange
  // Nothing reaches a caller that is gone.
  if (outgoing.destroyed || outgoing.headersSent) return given
  const isTooMuch = Buffer.isBuffer(given.body) && !reserve(largeAnswers, outgoing, given.body.length)
  const reply = isTooMuch ? tooMuch(path) : given
  const { body } = reply
  const headers: Record<string, string | number> = { ...headersOf(reply, requestId), ...limited }
  if (body instanceof Readable) {
    outgoing.writeHead(reply.status, headers)
    // A caller that is gone ends the source; a source that fails ends the connection.
    pipeline(body, outgoing, () => undefined)
    return reply
  }
  if (reply.status !== 304 && reply.status !== 204) {
    headers["content-length"] = Buffer.isBuffer(body) ? body.length : Buffer.byteLength(body)
  }
  if (hasShortRest(incoming)) {
    outgoing.writeHead(reply.status, headers)
    outgoing.end(body)
    return reply
  }
  outgoing.writeHead(reply.status, { ...headers, connection: "close" })
  outgoing.write(body)
  endAfterBody(incoming, outgoing)
  return reply
}
