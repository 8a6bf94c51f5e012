/**
 * Open connections and what is under way on each: so that a fault in a body is
 * answered in its turn, input that is no HTTP still gets a problem document,
 * and a stopping service lets go of connections that nobody uses.
 *
 * Hazard: requests may be pipelined. An answer written straight to the socket
 * while an earlier one is still owed would be taken for that one, and a till
 * would believe that its accrual was refused. Hence the waiting in `refuse`.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { performance } from "node:perf_hooks"
import type { Duplex } from "node:stream"
import * as Bounds from "./Bounds.ts"
import type { ProblemCode } from "./Problems.ts"
import type { TextReply } from "./Reply.ts"
import { lastText, pathOf, problem } from "./Reply.ts"
import * as RequestId from "./RequestId.ts"

/** What can be wrong with a body before anybody reads it as JSON. */
export type BodyFault = "payload_too_large" | "invalid_json" | "request_timeout" | "overloaded"

/** The newest request of a connection that Node reads. */
export interface InFlight {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  /** Ends the reading of the body, once it has begun. */
  cut: ((fault: BodyFault) => void) | undefined
  /** A fault found before the reading began. */
  fault: BodyFault | undefined
}

/** What routing alone says about a method and a request target. */
export type Unroutable = (method: string, target: string) => TextReply

export interface Connections {
  /** A connection was accepted. */
  readonly opened: (socket: Socket) => void
  readonly begun: (incoming: IncomingMessage, outgoing: ServerResponse) => InFlight
  /** A request was refused for overload. A connection that comes again before `Retry-After` is over is not read for a moment. */
  readonly shed: (socket: Socket) => void
  /** Node could not go on reading: malformed HTTP, a body cut off, too many headers, time over. */
  readonly refuse: (error: NodeJS.ErrnoException, socket: Duplex) => void
  /** A request to turn the connection into a tunnel. */
  readonly refuseTunnel: (incoming: IncomingMessage, socket: Duplex) => void
  /** From now on connections end with the answers that they still owe. */
  readonly close: () => void
}

/** The answers to faults that Node finds. */
export const details = {
  malformed_request: "The request could not be read as HTTP.",
  headers_too_large: `The header block exceeds ${Bounds.maxHeaderBytes} bytes.`,
  request_timeout: "The request did not arrive in time.",
  invalid_json: "The body was cut off, or its framing is broken.",
  overloaded: "Too many bodies are arriving; nothing was done."
}

const codeOf = (error: NodeJS.ErrnoException): ProblemCode & keyof typeof details => {
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") return "request_timeout"
  return error.code === "HPE_HEADER_OVERFLOW" ? "headers_too_large" : "malformed_request"
}

/** Method and target of a first line that Node refused, where they can be made out. */
const requestLine = (error: NodeJS.ErrnoException & { readonly rawPacket?: unknown }) => {
  const packet = Buffer.isBuffer(error.rawPacket) ? error.rawPacket : Buffer.alloc(0)
  const [, method, target] =
    /^([!-~]{1,40}) (\/[!-~]{0,2000}) HTTP\/1\.[01]\r?\n/.exec(packet.toString("latin1", 0, 2100)) ?? []
  return { method, target: target ?? "/" }
}

/** Cuts a connection that the caller has not ended after `lingerMs`. */
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

/** Nothing of a request is to come, and all of its answer has left. */
const isOver = ({ incoming, outgoing }: InFlight): boolean => outgoing.writableFinished && incoming.complete

export const make = (unroutable: Unroutable): Connections => {
  const sockets = new Set<Socket>()
  const latest = new WeakMap<Duplex, InFlight>()
  const refused = new WeakSet<Duplex>()
  /** When a connection was last refused for overload, ms on the monotonic clock. */
  const shedAt = new WeakMap<Socket, number>()
  /** The ends of pauses: one timer and one listener a connection. */
  const pauses = new WeakMap<Socket, NodeJS.Timeout>()
  let closing = false

  /** Stops reading a connection for `shedPauseMs`; a pause that runs begins anew. */
  const pause = (socket: Socket): void => {
    // Not at once: Node reads on to the end of the request that was answered.
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

  const write = (socket: Duplex, reply: TextReply): void => end(socket, lastText(reply, RequestId.make()))

  const after = (last: InFlight | undefined, then: () => void): void => {
    if (last === undefined || last.outgoing.writableFinished) then()
    else last.outgoing.once("close", then)
  }

  return {
    opened: (socket) => {
      sockets.add(socket)
      socket.once("close", () => sockets.delete(socket))
    },
    begun: (incoming, outgoing) => {
      const inFlight: InFlight = { incoming, outgoing, cut: undefined, fault: undefined }
      latest.set(incoming.socket, inFlight)
      if (closing) outgoing.shouldKeepAlive = false
      return inFlight
    },
    shed: (socket) => {
      const now = performance.now()
      const before = shedAt.get(socket) ?? -Infinity
      shedAt.set(socket, now)
      if (now - before < Bounds.shedAgainMs) pause(socket)
    },
    refuse: (error, socket) => {
      if (refused.has(socket)) return
      refused.add(socket)
      if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy()
      const code = codeOf(error)
      const last = latest.get(socket)
      // Opened ahead and never used: nobody waits for an answer.
      if (code === "request_timeout" && "bytesRead" in socket && socket.bytesRead === 0) return end(socket)
      if (last !== undefined && !last.incoming.complete) {
        // The fault is in the body of that request: its own answer says so.
        if (last.outgoing.writableEnded) return after(last, () => end(socket))
        last.outgoing.shouldKeepAlive = false
        const fault = code === "request_timeout" ? code : "invalid_json"
        if (last.cut === undefined) last.fault = fault
        else last.cut(fault)
        return
      }
      const { method, target } = last === undefined ? requestLine(error) : { target: "/" }
      const reply =
        error.code === "HPE_INVALID_METHOD" && method !== undefined
          ? unroutable(method, target)
          : problem(code, { detail: details[code], instance: pathOf(target) })
      after(last, () => write(socket, reply))
    },
    refuseTunnel: (incoming, socket) => {
      refused.add(socket)
      socket.on("error", () => socket.destroy())
      after(latest.get(socket), () => write(socket, unroutable(incoming.method ?? "CONNECT", incoming.url ?? "/")))
    },
    close: () => {
      closing = true
      for (const socket of sockets) {
        const last = latest.get(socket)
        if (last === undefined || isOver(last)) socket.destroy()
        else {
          last.outgoing.shouldKeepAlive = false
          last.outgoing.once("close", () => end(socket))
          if (!last.incoming.complete) cutLater(last, socket)
        }
      }
    }
  }
}

/** Ends the wait for the rest of a body that holds up a stop. */
const cutLater = (last: InFlight, socket: Socket): void => {
  const timer = setTimeout(() => {
    if (last.incoming.complete) return
    // Asked for only now: a body whose reading has just begun has another way to end it by then.
    if (last.cut === undefined) socket.destroy()
    else last.cut("request_timeout")
  }, Bounds.stoppingBodyMs)
  socket.once("close", () => clearTimeout(timer))
}
