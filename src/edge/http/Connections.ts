/**
 * Open connections and the newest request of each. Faults in a body are answered
 * in order, input that is not HTTP still gets a problem document, and a stopping
 * service closes idle connections.
 *
 * Hazard: requests may be pipelined. If an answer is written directly to the socket
 * before an earlier request is answered, the caller takes it for the earlier one,
 * and a till believes that its accrual was refused. So `refuse` waits.
 *
 * Time here and in the request log is the machine's, not Effect's Clock: sockets,
 * durations and the Date header are about real time, also in a sandbox.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { performance } from "node:perf_hooks"
import type { Duplex } from "node:stream"
import type { ProblemCode } from "../../desk/surface/Problems.ts"
import * as Bounds from "./Bounds.ts"
import type { TextReply } from "./Reply.ts"
import { lastText, pathOf, problem } from "./Reply.ts"
import * as RequestId from "./RequestId.ts"

/** Faults of a body before it is parsed. */
export type BodyFault = "payload_too_large" | "invalid_json" | "request_timeout" | "overloaded"

/** The newest request of a connection. */
export interface RequestInFlight {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  /** Stops reading the body; undefined before reading has begun. */
  cut: ((fault: BodyFault) => void) | undefined
  /** A fault that was found before reading began. */
  fault: BodyFault | undefined
  readonly unanswered: Unanswered
}

/** Requests of one connection that wait for their answers. */
export interface Unanswered {
  count: number
}

/** The answer to a method and target by routing alone. */
export type Unroutable = (method: string, target: string) => TextReply

export interface Connections {
  /** A connection was accepted. */
  readonly opened: (socket: Socket) => void
  readonly begun: (incoming: IncomingMessage, outgoing: ServerResponse) => RequestInFlight
  /** Call after a request was shed. If the connection sends another one before `Retry-After`, reading pauses. */
  readonly shed: (socket: Socket) => void
  /** Handles Node's `clientError`: malformed HTTP, an incomplete body, too many headers, timeouts. */
  readonly refuse: (error: NodeJS.ErrnoException, socket: Duplex) => void
  /** Handles CONNECT requests. */
  readonly refuseTunnel: (incoming: IncomingMessage, socket: Duplex) => void
  /** From now on connections close after their outstanding answers. */
  readonly close: () => void
}

/** Details of the faults that Node finds. */
export const details = {
  malformed_request: "The request could not be read as HTTP.",
  headers_too_large: `The header block exceeds ${Bounds.maxHeaderBytes} bytes.`,
  request_timeout: "The request did not arrive in time.",
  invalid_json: "The body is incomplete, or its framing is broken.",
  overloaded: "Too many bodies are arriving; nothing was done."
}

const codeOf = (error: NodeJS.ErrnoException): ProblemCode & keyof typeof details => {
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") return "request_timeout"
  return error.code === "HPE_HEADER_OVERFLOW" ? "headers_too_large" : "malformed_request"
}

/** Method and target of a request line that Node refused, if they are readable. */
const requestLine = (error: NodeJS.ErrnoException & { readonly rawPacket?: unknown }) => {
  const packet = Buffer.isBuffer(error.rawPacket) ? error.rawPacket : Buffer.alloc(0)
  const [, method, target] =
    /^([!-~]{1,40}) (\/[!-~]{0,2000}) HTTP\/1\.[01]\r?\n/.exec(packet.toString("latin1", 0, 2100)) ?? []
  return { method, target: target ?? "/" }
}

/** Destroys a connection that the caller has not closed after `lingerMs`. */
const linger = (socket: Duplex): void => {
  if (socket.destroyed) return
  const timer = setTimeout(() => socket.destroy(), Bounds.lingerMs)
  socket.once("close", () => clearTimeout(timer))
}

/** Ends a connection, and gives the caller `lingerMs` to read its last answer. */
const end = (socket: Duplex, text?: string): void => {
  if (socket.destroyed) return
  if (text === undefined) socket.end()
  else socket.end(text)
  linger(socket)
}

/** True if the whole request has arrived and its whole answer was sent. */
const isDone = ({ incoming, outgoing }: RequestInFlight): boolean => outgoing.writableFinished && incoming.complete

/** Calls a function once the connection's newest request has its answer. */
const after = (last: RequestInFlight | undefined, then: () => void): void => {
  if (last === undefined || last.outgoing.writableFinished) then()
  else last.outgoing.once("close", then)
}

/** The fault is in that request's body, so that request's answer must report it. */
const refuseBody = (last: RequestInFlight, socket: Duplex, code: ProblemCode): void => {
  if (last.outgoing.writableEnded) return after(last, () => end(socket))
  last.outgoing.shouldKeepAlive = false
  const fault = code === "request_timeout" ? code : "invalid_json"
  if (last.cut === undefined) last.fault = fault
  else last.cut(fault)
}

/** Pauses connections whose requests are shed faster than `shedRetryMs`. Call it after each shed request. */
const pausing = (): Connections["shed"] => {
  /** Time of the last shed request of a connection, ms, monotonic. */
  const shedAt = new WeakMap<Socket, number>()
  /** Timers that end pauses: one timer and one listener for each connection. */
  const pauses = new WeakMap<Socket, NodeJS.Timeout>()

  /** Stops reading a connection for `shedPauseMs`; restarts a running pause. */
  const pause = (socket: Socket): void => {
    // Deferred: Node first finishes reading the answered request.
    setImmediate(() => {
      if (socket.destroyed) return
      socket.pause()
      const before = pauses.get(socket)
      if (before !== undefined) {
        before.refresh()
        return
      }
      const timer = setTimeout(() => socket.resume(), Bounds.shedPauseMs)
      pauses.set(socket, timer)
      socket.once("close", () => clearTimeout(timer))
    })
  }

  return (socket) => {
    const now = performance.now()
    const before = shedAt.get(socket) ?? -Infinity
    shedAt.set(socket, now)
    if (now - before < Bounds.shedRetryMs) pause(socket)
  }
}

/** Counts and logs an answer that the gate does not give. */
export type LogAnswer = (method: string | undefined, requestId: string, reply: TextReply) => void

export const make = (unroutable: Unroutable, logAnswer: LogAnswer): Connections => {
  const sockets = new Set<Socket>()
  const latest = new WeakMap<Duplex, RequestInFlight>()
  const refused = new WeakSet<Duplex>()
  let closing = false

  const write = (socket: Duplex, method: string | undefined, reply: TextReply): void => {
    const requestId = RequestId.make()
    end(socket, lastText(reply, requestId))
    logAnswer(method, requestId, reply)
  }

  return {
    opened: (socket) => {
      sockets.add(socket)
      socket.once("close", () => sockets.delete(socket))
    },
    begun: (incoming, outgoing) => {
      const unanswered = latest.get(incoming.socket)?.unanswered ?? { count: 0 }
      unanswered.count++
      const inFlight: RequestInFlight = { incoming, outgoing, cut: undefined, fault: undefined, unanswered }
      latest.set(incoming.socket, inFlight)
      if (closing) outgoing.shouldKeepAlive = false
      return inFlight
    },
    shed: pausing(),
    refuse: (error, socket) => {
      if (refused.has(socket)) return
      refused.add(socket)
      if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy()
      const code = codeOf(error)
      const last = latest.get(socket)
      // The connection was never used: nobody waits for an answer.
      if (code === "request_timeout" && "bytesRead" in socket && socket.bytesRead === 0) return end(socket)
      if (last !== undefined && !last.incoming.complete) return refuseBody(last, socket, code)
      const { method, target } = last === undefined ? requestLine(error) : { target: "/" }
      const reply =
        error.code === "HPE_INVALID_METHOD" && method !== undefined
          ? unroutable(method, target)
          : problem(code, { detail: details[code], instance: pathOf(target) })
      after(last, () => write(socket, undefined, reply))
    },
    refuseTunnel: (incoming, socket) => {
      refused.add(socket)
      socket.on("error", () => socket.destroy())
      const { method = "CONNECT", url = "/" } = incoming
      after(latest.get(socket), () => write(socket, method, unroutable(method, url)))
    },
    close: () => {
      closing = true
      for (const socket of sockets) {
        const last = latest.get(socket)
        if (last === undefined || isDone(last)) socket.destroy()
        else {
          last.outgoing.shouldKeepAlive = false
          last.outgoing.once("close", () => end(socket))
          if (!last.incoming.complete) cutLater(last, socket)
        }
      }
    }
  }
}

/** Stops waiting for the rest of a body, so that it does not delay the stop. */
const cutLater = (last: RequestInFlight, socket: Socket): void => {
  const timer = setTimeout(() => {
    if (last.incoming.complete) return
    // `cut` is read only now, because it changes when reading begins.
    if (last.cut === undefined) socket.destroy()
    else last.cut("request_timeout")
  }, Bounds.stoppingBodyMs)
  socket.once("close", () => clearTimeout(timer))
}
