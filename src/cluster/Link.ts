/**
 * The link between nodes: requests and answers, both text, on one connection for each direction of two nodes.
 *
 * Always TLS with a pre-shared key, which only nodes of the same database can derive: no certificate, and no request
 * of a stranger is read. Each connection has fresh keys (ECDHE), so a key that leaks later opens no recorded traffic.
 */
import { Cause, type Context, Effect, Exit, Fiber, Metric, Schema, type Scope } from "effect"
import { constants, createHmac } from "node:crypto"
import * as net from "node:net"
import * as tls from "node:tls"
import * as LogEvent from "../metrics/LogEvent.ts"
import * as Series from "../metrics/Series.ts"
import * as Bounds from "./Bounds.ts"
import { FrameReader, FrameWriter, Kind, maxId, type Outgoing } from "./Frames.ts"

const callsSent = Metric.counter("lotbook_cluster_calls_sent_total", {
  description: "Calls to other nodes",
  incremental: true
})

const callsAnswered = Metric.counter("lotbook_cluster_calls_answered_total", {
  description: "Calls of other nodes that were answered",
  incremental: true
})

const callsInFlight = Metric.gauge("lotbook_cluster_calls_in_flight", {
  description: "Calls to other nodes that have no answer yet"
})

/** A call has no answer. */
export class LinkFailed extends Schema.TaggedError<LinkFailed>()("LinkFailed", {
  /** False: the request never left this process. True: the outcome is unknown. */
  sent: Schema.Boolean,
  reason: Schema.String
}) {}

/** Too many bytes wait to be written to the peer. The request never left this process. */
export class LinkOverloaded extends Schema.TaggedError<LinkOverloaded>()("LinkOverloaded", {
  waitingBytes: Schema.Number
}) {}

/** The request is larger than a frame may be. It never left this process, and no node takes it. */
export class PayloadTooLarge extends Schema.TaggedError<PayloadTooLarge>()("PayloadTooLarge", {
  bytes: Schema.Number,
  maxBytes: Schema.Number
}) {}

/** The address cannot be listened on. */
export class ListenFailed extends Schema.TaggedError<ListenFailed>()("ListenFailed", { reason: Schema.String }) {}

export interface Address {
  readonly host: string
  readonly port: number
}

export interface Link {
  readonly call: (payload: string) => Effect.Effect<string, LinkFailed | LinkOverloaded | PayloadTooLarge>
  /** Fails every call in flight at once, and closes the connection: the peer was declared dead. */
  readonly fail: (reason: string) => void
}

interface LinkBounds {
  readonly maxPayloadBytes?: number
  readonly maxWaitingBytes?: number
}

export interface ServeOptions extends Address, LinkBounds {
  readonly key: Buffer
  /** Runs in a fiber of its own for each request; a lost connection does not interrupt it. */
  readonly answer: (payload: string) => Effect.Effect<string>
}

/** The key of the nodes of one database, from the secret of its installation. */
export const keyOf = (installationSecret: Uint8Array): Buffer =>
  createHmac("sha256", installationSecret).update("lotbook link between nodes").digest()

const identity = "lotbook"

/** OpenSSL's only suite of TLS 1.2 with pre-shared key, forward secrecy and AEAD. Tickets would outlive a handshake. */
const protection: tls.SecureContextOptions = {
  ciphers: "ECDHE-PSK-CHACHA20-POLY1305",
  minVersion: "TLSv1.2",
  maxVersion: "TLSv1.2",
  secureOptions: constants.SSL_OP_NO_TICKET
}

/** Runs a function later; the returned one cancels it. */
const timers = Effect.map(Effect.context<never>(), (context) => (ms: number, run: () => void) => {
  const fiber = Effect.runForkWith(context)(Effect.andThen(Effect.sleep(ms), Effect.sync(run)))
  return () => fiber.interruptUnsafe()
})

type Later = Effect.Success<typeof timers>

/** A node's end of a connection that another node has opened. */
interface Inbound {
  readonly socket: net.Socket
  readonly writer: FrameWriter
}

/** The parts of a node that answers others. */
interface Server extends Required<Omit<ServeOptions, keyof Address>> {
  readonly context: Context.Context<never>
  readonly fork: ReturnType<typeof Effect.runForkWith<never>>
  readonly later: Later
  /** By the name of their socket. */
  readonly handshakes: Map<string, { readonly socket: net.Socket; readonly cancel: () => void }>
  readonly connections: Set<Inbound>
  readonly running: Set<Fiber.Fiber<string>>
  onIdle: (() => void) | undefined
}

/** Answers other nodes. Closing the scope accepts nothing new, answers the requests in flight, then closes. */
export const serve = Effect.fnUntraced(function* (
  options: ServeOptions
): Effect.fn.Return<Address, ListenFailed, Scope.Scope> {
  const { answer, host, key, maxPayloadBytes = Bounds.maxPayloadBytes, port } = options
  const context = yield* Effect.context<never>()
  const server: Server = {
    answer,
    key,
    maxPayloadBytes,
    maxWaitingBytes: options.maxWaitingBytes ?? Bounds.maxWaitingBytes,
    context,
    fork: Effect.runForkWith(context),
    later: yield* timers,
    handshakes: new Map(),
    connections: new Set(),
    running: new Set(),
    onIdle: undefined
  }
  for (const one of [callsSent, callsAnswered]) yield* Series.begin(one)
  yield* Series.begin(callsInFlight)
  yield* Series.gauge(
    "lotbook_cluster_inbound_connections",
    { description: "Connections that other nodes have opened, with those in their handshake" },
    () => server.connections.size + server.handshakes.size
  )
  const secured = tls.createServer(
    { ...protection, pskCallback: (_, name) => (name === identity ? key : null) },
    (socket) => opened(server, socket)
  )
  secured.on("tlsClientError", (_, socket) => socket.destroy())
  const listener = net.createServer((socket) => {
    boundHandshake(server, socket)
    secured.emit("connection", socket)
  })
  return yield* Effect.acquireRelease(listen(listener, host, port), () => close(server, listener))
})

const listen = (listener: net.Server, host: string, port: number) =>
  Effect.callback<Address, ListenFailed>((resume) => {
    listener.on("error", (error) => resume(Effect.fail(new ListenFailed({ reason: error.message }))))
    listener.listen({ host, port }, () => {
      const bound = listener.address() as net.AddressInfo
      resume(Effect.succeed({ host: bound.address, port: bound.port }))
    })
  })

const close = Effect.fnUntraced(function* (server: Server, listener: net.Server) {
  const { connections, handshakes, running } = server
  listener.close()
  for (const { socket } of [...handshakes.values()]) socket.destroy()
  for (const { writer } of connections) writer.add(Kind.goodbye, 0, "")
  yield* Effect.timeoutOption(
    Effect.callback<void>((resume) => {
      server.onIdle = () => resume(Effect.void)
      checkIdle(server)
    }),
    Bounds.drainMs
  )
  for (const { socket } of connections) socket.destroy()
  yield* Fiber.interruptAll([...running])
})

/** Bounds the number and the time of handshakes. */
const boundHandshake = ({ handshakes, later }: Server, socket: net.Socket): void => {
  const name = nameOf(socket)
  if (handshakes.size >= Bounds.maxHandshakes) handshakes.values().next().value?.socket.destroy()
  const cancel = later(Bounds.handshakeMs, () => socket.destroy())
  handshakes.set(name, { socket, cancel })
  socket.on("error", () => socket.destroy())
  socket.on("close", () => {
    if (handshakes.get(name)?.socket !== socket) return
    cancel()
    handshakes.delete(name)
  })
}

const checkIdle = ({ connections, onIdle, running }: Server): void => {
  if (connections.size === 0 && running.size === 0) onIdle?.()
}

/** Serves a connection whose handshake is done. */
const opened = (server: Server, socket: tls.TLSSocket): void => {
  const { answer, connections, context, fork, handshakes, maxPayloadBytes, maxWaitingBytes, running } = server
  handshakes.get(nameOf(socket))?.cancel()
  handshakes.delete(nameOf(socket))
  const writer = new FrameWriter(socket)
  const connection: Inbound = { socket, writer }
  let inFlight = 0
  let isPeerDone = false
  /** Reads no more requests while too much is in flight, or too many answers wait to be read. */
  const regulate = () => {
    const isFull = inFlight >= Bounds.maxRequestsInFlight || writer.waitingBytes > maxWaitingBytes
    if (isFull !== socket.isPaused()) isFull ? socket.pause() : socket.resume()
    if (isPeerDone && inFlight === 0) writer.end()
  }
  const reply = (id: number, exit: Exit.Exit<string>): void => {
    inFlight--
    const text = Exit.isSuccess(exit) ? exit.value : LogEvent.reasonOf(Cause.squash(exit.cause))
    const bytes = Buffer.byteLength(text)
    if (bytes > maxPayloadBytes) writer.add(Kind.failed, id, `the answer has ${bytes} bytes, over ${maxPayloadBytes}`)
    else writer.add(Exit.isSuccess(exit) ? Kind.answer : Kind.failed, id, text, bytes)
    callsAnswered.updateUnsafe(1, context)
    regulate()
  }
  const reader = new FrameReader(maxPayloadBytes, (kind, id, payload) => {
    if (kind === Kind.goodbye) isPeerDone = true
    if (kind !== Kind.request) return
    inFlight++
    const fiber = fork(Effect.suspend(() => answer(payload)))
    running.add(fiber)
    fiber.addObserver((exit) => {
      running.delete(fiber)
      reply(id, exit)
      checkIdle(server)
    })
  })
  connections.add(connection)
  tune(socket)
  socket.on("data", (chunk: Buffer) => {
    if (reader.push(chunk)) regulate()
    else socket.destroy()
  })
  socket.on("drain", regulate)
  socket.on("error", () => socket.destroy())
  socket.on("close", () => {
    connections.delete(connection)
    checkIdle(server)
  })
  writer.start()
}

/** A call whose answer is awaited. */
interface Call {
  readonly frame: Outgoing
  readonly resume: (outcome: Effect.Effect<string, LinkFailed>) => void
}

/** A connection to a peer, from the first attempt on. */
interface Outbound {
  readonly socket: net.Socket
  readonly writer: FrameWriter
  readonly calls: Map<number, Call>
  lastId: number
}

/** The parts of a link. */
interface Peer extends Required<LinkBounds> {
  readonly address: Address
  readonly key: Buffer
  readonly context: Context.Context<never>
  readonly later: Later
  /** With those that a peer is closing and that still owe answers. */
  readonly connections: Set<Outbound>
  /** The one that new calls use. */
  current: Outbound | undefined
  /** Why new calls fail at once. */
  down: string | undefined
  pauseMs: number
  cancelPause: () => void
}

/**
 * A link to a peer. The first call opens the connection; calls wait for it. After a loss, calls fail at once for a
 * short pause, and the next one opens it again. Closing the scope fails every call in flight.
 */
export const connect = Effect.fnUntraced(function* (
  address: Address,
  key: Buffer,
  bounds: LinkBounds = {}
): Effect.fn.Return<Link, never, Scope.Scope> {
  const peer: Peer = {
    maxPayloadBytes: bounds.maxPayloadBytes ?? Bounds.maxPayloadBytes,
    maxWaitingBytes: bounds.maxWaitingBytes ?? Bounds.maxWaitingBytes,
    address,
    key,
    context: yield* Effect.context<never>(),
    later: yield* timers,
    connections: new Set(),
    current: undefined,
    down: undefined,
    pauseMs: Bounds.reconnectMinMs,
    cancelPause: () => undefined
  }
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      fail(peer, "the link is closed")
      peer.cancelPause()
      peer.down = "the link is closed"
    })
  )
  return { call: (payload) => call(peer, payload), fail: (reason) => fail(peer, reason) }
})

const retire = (peer: Peer, connection: Outbound, reason: string): void => {
  if (peer.current !== connection) return
  peer.current = undefined
  peer.down = reason
  peer.cancelPause = peer.later(peer.pauseMs, () => {
    peer.down = undefined
  })
  peer.pauseMs = Math.min(peer.pauseMs * 2, Bounds.reconnectMaxMs)
}

const lose = (peer: Peer, connection: Outbound, reason: string): void => {
  const { connections, context } = peer
  if (!connections.delete(connection)) return
  connection.socket.destroy()
  retire(peer, connection, reason)
  const calls = [...connection.calls.values()]
  connection.calls.clear()
  callsInFlight.modifyUnsafe(-calls.length, context)
  for (const { frame, resume } of calls) resume(Effect.fail(new LinkFailed({ sent: frame.isSent, reason })))
}

const open = (peer: Peer): Outbound => {
  const { address, connections, context, key, later, maxPayloadBytes } = peer
  const socket = tls.connect({
    ...protection,
    ...address,
    pskCallback: () => ({ psk: key, identity }),
    checkServerIdentity: () => undefined
  })
  const connection: Outbound = { socket, writer: new FrameWriter(socket), calls: new Map(), lastId: 0 }
  const reader = new FrameReader(maxPayloadBytes, (kind, id, payload) => {
    if (kind === Kind.goodbye) {
      retire(peer, connection, "the peer is stopping")
      connection.writer.add(Kind.goodbye, 0, "")
    }
    const call = connection.calls.get(id)
    if (call === undefined) return
    connection.calls.delete(id)
    callsInFlight.modifyUnsafe(-1, context)
    call.resume(
      kind === Kind.answer ? Effect.succeed(payload) : Effect.fail(new LinkFailed({ sent: true, reason: payload }))
    )
  })
  const cancel = later(Bounds.connectMs, () => lose(peer, connection, `no connection within ${Bounds.connectMs} ms`))
  tune(socket)
  socket.on("secureConnect", () => {
    cancel()
    peer.pauseMs = Bounds.reconnectMinMs
    connection.writer.start()
  })
  socket.on("data", (chunk: Buffer) => {
    if (!reader.push(chunk)) lose(peer, connection, `the peer sent a frame of more than ${maxPayloadBytes} bytes`)
  })
  socket.on("error", (error: NodeJS.ErrnoException) => lose(peer, connection, reasonOf(error)))
  socket.on("end", () => lose(peer, connection, "the peer closed the connection"))
  socket.on("close", () => {
    cancel()
    lose(peer, connection, "the connection closed")
  })
  connections.add(connection)
  return connection
}

const call = (peer: Peer, payload: string): ReturnType<Link["call"]> =>
  Effect.callback((resume) => {
    const bytes = Buffer.byteLength(payload)
    if (bytes > peer.maxPayloadBytes)
      return resume(Effect.fail(new PayloadTooLarge({ bytes, maxBytes: peer.maxPayloadBytes })))
    if (peer.down !== undefined) return resume(Effect.fail(new LinkFailed({ sent: false, reason: peer.down })))
    peer.current ??= open(peer)
    const connection = peer.current
    const { calls, writer } = connection
    const waitingBytes = writer.waitingBytes
    if (waitingBytes + bytes > peer.maxWaitingBytes) return resume(Effect.fail(new LinkOverloaded({ waitingBytes })))
    const id = connection.lastId === maxId ? 1 : connection.lastId + 1
    connection.lastId = id
    calls.set(id, { frame: writer.add(Kind.request, id, payload, bytes), resume })
    callsSent.updateUnsafe(1, peer.context)
    callsInFlight.modifyUnsafe(1, peer.context)
    return Effect.sync(() => {
      if (calls.delete(id)) callsInFlight.modifyUnsafe(-1, peer.context)
    })
  })

const fail = (peer: Peer, reason: string): void => {
  for (const connection of [...peer.connections]) lose(peer, connection, reason)
}

const tune = (socket: net.Socket): void => {
  socket.setNoDelay(true)
  socket.setKeepAlive(true, Bounds.keepAliveMs)
}

const nameOf = (socket: net.Socket): string => `${socket.remoteAddress}:${socket.remotePort}`

/** A refused key shows as a record that cannot be read. */
const reasonOf = (error: NodeJS.ErrnoException): string =>
  error.code?.startsWith("ERR_SSL") === true
    ? `the handshake failed (${error.code}); nodes of one database have the same key`
    : error.message
