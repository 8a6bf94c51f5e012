/**
 * Takes requests before Node's parser, on connections where one has been turned
 * away, so that what is carried out goes on nearly as fast as before while most of
 * what comes is refused: to be turned away here costs half of what it does behind the
 * parser, and with what is let in taken here as well, 1.15 to 1.2 times as much was
 * answered well at twice the load that saturates.
 *
 * It reads no HTTP of its own. A piece of a connection's bytes is taken here only
 * if its head is, but for the digits of Content-Length, the one of an earlier
 * request of the same connection that Node has read and the routes let in, and if
 * it ends where its body ends: then Node would read the same again. What then
 * becomes of it is decided by the routes, as for any other request.
 *
 * Hazards: whoever answers here must know that Node's parser is between two
 * requests, or bytes of one request would be taken for another. Hence a connection
 * stays here only while every piece of it is one whole request, as Node has read it.
 * And answers must leave in the order of their requests: what comes while one is
 * carried out here is kept, and nothing more read, until its answer has left. Node's
 * timer for idle connections runs on meanwhile: an operation must be shorter.
 */
import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import * as Bounds from "./Bounds.ts"
import type { Connections } from "./Connections.ts"
import * as Pieces from "./Pieces.ts"

/** What becomes of requests with the same head. */
export interface Course {
  /** The whole answer to one that is turned away, undefined where it is to be carried out all the same. */
  readonly refusal: () => string | undefined
  /** Carries one out, and gives its answer, for what is said there of the connection. */
  readonly carryOut: (socket: Socket, body: Buffer, answer: (text: (connection: string) => string) => void) => void
}

export interface Behind {
  readonly isFull: () => boolean
  readonly connections: Pick<Connections, "answer" | "carries" | "isFree" | "isRefused" | "latest">
  /** What becomes of requests whose head is the one of this request; undefined leaves them to Node. */
  readonly courseOf: (incoming: IncomingMessage) => Course | undefined
}

const headEnd = Buffer.from("\r\n\r\n")
const contentLength = /\r\ncontent-length:[\t ]*(\d{1,8})\r\n/i

/** A head, without the digits of Content-Length between its parts. */
interface Head {
  readonly start: string
  readonly rest: string
}

/** A head that was learnt. */
interface Known extends Head {
  readonly course: Course
}

/** A piece that may be one whole request, by what it says itself. */
interface Piece extends Head {
  readonly bodyBytes: number
}

const pieceOf = (bytes: Buffer): Piece | undefined => {
  const end = bytes.indexOf(headEnd) + headEnd.length
  if (end < headEnd.length) return undefined
  const text = bytes.toString("latin1", 0, end)
  const [line = "", digits = ""] = contentLength.exec(text) ?? []
  const bodyBytes = Number(digits)
  if (line === "" || end + bodyBytes !== bytes.length) return undefined
  const at = text.indexOf(line) + line.length - 2
  // Out of the bytes: a slice of the text would hold all of it, and be slow to compare.
  return { start: bytes.toString("latin1", 0, at - digits.length), rest: bytes.toString("latin1", at, end), bodyBytes }
}

const zero = 48
const nine = 57

/** Where the body begins, if a piece is one whole request with this head. */
const bodyAt = ({ rest, start }: Head, bytes: Buffer): number | undefined => {
  let at = start.length
  let bodyBytes = 0
  for (let code = bytes[at]; code !== undefined && code >= zero && code <= nine; code = bytes[++at]) {
    bodyBytes = bodyBytes * 10 + code - zero
  }
  const end = at + rest.length
  const is =
    at > start.length &&
    end + bodyBytes === bytes.length &&
    bytes.toString("latin1", at, end) === rest &&
    bytes.toString("latin1", 0, start.length) === start
  return is ? end : undefined
}

const linesOf = ({ rest, start }: Head): number => (start + rest).split("\r\n").length

/**
 * Whether the request that Node has read out of the bytes up to a piece's last is that piece. A request that began in
 * an earlier piece has another first line or more headers, and one that begins within this one another length.
 */
const isReadAs = (incoming: IncomingMessage, piece: Piece): boolean =>
  incoming.complete &&
  piece.start.startsWith(`${incoming.method} ${incoming.url} HTTP/1.1\r\n`) &&
  // The first line, and two times nothing at the end, are no headers.
  incoming.rawHeaders.length / 2 === linesOf(piece) - 3 &&
  Number(incoming.headers["content-length"]) === piece.bodyBytes

/**
 * Remembers heads, each once for all connections: most tills send the same, and what all of them are compared with
 * stays in the processor's caches. Past the bound the oldest is forgotten here, not on connections that know it.
 */
export const remembering = (
  courseOf: Behind["courseOf"]
): ((head: Head, incoming: IncomingMessage) => Known | undefined) => {
  const heads = new Map<string, Known>()
  return ({ rest, start }, incoming) => {
    const key = `${start}*${rest}`
    const kept = heads.get(key)
    if (kept !== undefined) return kept
    const course = courseOf(incoming)
    if (course === undefined) return undefined
    const [oldest] = heads.size < Bounds.keptHeads ? [] : heads.keys()
    if (oldest !== undefined) heads.delete(oldest)
    const known = { start, rest, course }
    heads.set(key, known)
    return known
  }
}

/** What is known of one connection's heads. */
class KnownHeads {
  private readonly headOf: ReturnType<typeof remembering>
  private readonly heads: Array<Known> = []

  constructor(headOf: ReturnType<typeof remembering>) {
    this.headOf = headOf
  }

  /** What becomes of a piece that is one whole request with a known head, and where its body begins. */
  find(bytes: Buffer): { readonly course: Course; readonly at: number } | undefined {
    for (const head of this.heads) {
      const at = bodyAt(head, bytes)
      if (at !== undefined) return { course: head.course, at }
    }
    return undefined
  }

  /** Learns a head from the request that Node has just read; says whether the connection is sure to be between two requests. */
  learn(bytes: Buffer, incoming: IncomingMessage): boolean {
    const piece = this.heads.length < Bounds.knownHeads ? pieceOf(bytes) : undefined
    if (piece === undefined || !isReadAs(incoming, piece)) return false
    const head = this.headOf(piece, incoming)
    if (head === undefined) return false
    this.heads.push(head)
    return true
  }

  forget(): void {
    this.heads.length = 0
  }
}

/** Stands before Node's parser on a connection from now on. */
const stand = (socket: Socket, { connections, isFull }: Behind, headOf: ReturnType<typeof remembering>): void => {
  // Node's types say of no listener what it takes; of this event it is a piece, as nobody has set an encoding.
  const [toNode] = socket.listeners("data") as Array<(bytes: Buffer) => void>
  if (toNode === undefined) return
  const known = new KnownHeads(headOf)
  // Whether nothing has gone to Node since nothing was owed.
  let isFree = false
  // Whether a request is being carried out from here, and what came meanwhile.
  let isCarrying = false
  let kept: Buffer | undefined

  const pass = (bytes: Buffer): void => {
    // Node has given its parser away where it became a tunnel.
    if (!connections.isRefused(socket)) toNode.call(socket, bytes)
  }

  /** Looks at nothing any more. */
  const stepAside = (next: typeof receive): void => {
    receive = next
    known.forget()
  }

  const carry = ({ carryOut }: Course, body: Buffer): void => {
    isCarrying = true
    connections.carries(socket)
    carryOut(socket, body, (text) => {
      isCarrying = false
      const goesOn = connections.answer(socket, text)
      const next = kept
      kept = undefined
      // What comes after a last answer is read, so that the caller gets that answer, and belongs to nobody.
      if (!goesOn) stepAside(() => {})
      if (next === undefined) return
      socket.resume()
      receive(next)
    })
  }

  const look = (bytes: Buffer): void => {
    if (isCarrying) {
      // Nothing more is read until that has been answered.
      socket.pause()
      kept = kept === undefined ? Buffer.from(bytes) : Buffer.concat([kept, bytes])
      return
    }
    const found = known.find(bytes)
    // What cannot be sent at once is Node's matter as well: it stops reading from whoever does not read.
    if (found !== undefined && socket.writableLength === 0) {
      isFree = isFree || connections.isFree(socket)
      if (isFree) {
        const refusal = isFull() ? found.course.refusal() : undefined
        if (refusal !== undefined) return void socket.write(refusal)
        // A copy: what is read next goes where this lies.
        return carry(found.course, Buffer.from(bytes.subarray(found.at)))
      }
    }
    isFree = false
    if (found !== undefined) return void toNode.call(socket, bytes)
    const before = connections.latest(socket)
    toNode.call(socket, bytes)
    const latest = connections.latest(socket)
    if (latest === undefined || latest === before || !known.learn(bytes, latest.incoming)) stepAside(pass)
  }

  let receive = look
  // Where that cannot be, all stays with Node, as it was.
  Pieces.handOver(socket, (bytes) => receive(bytes))
}

/** Stands before Node's parser on connections, once on each, that a request is turned away on. */
export const make = (behind: Behind): ((socket: Socket) => void) => {
  const stood = new WeakSet<Socket>()
  const headOf = remembering(behind.courseOf)
  return (socket) => {
    if (stood.has(socket) || socket.destroyed) return
    stood.add(socket)
    stand(socket, behind, headOf)
  }
}
