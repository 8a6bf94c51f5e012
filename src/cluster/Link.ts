/**
 * The link between nodes: requests and answers, both text, on one connection for each direction of two nodes.
 *
 * Always TLS with a pre-shared key, which only nodes of the same database can derive: no certificate, and no request
 * of a stranger is read. Each connection has fresh keys (ECDHE), so a key that leaks later opens no recorded traffic.
 */
import { Cause, Effect, Exit, Fiber, Metric, Schema, type Scope } from "effect"
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
  readonly maxPayloadBytes?: number | undefined
  readonly maxWaitingBytes?: number | undefined
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

/** A node's end of a connection that another node has opened. */
interface Inbound {
  readonly socket: net.Socket
  readonly writer: FrameWriter
}

/** Answers other nodes. Closing the scope accepts nothing new, answers the requests in flight, then closes. */
export const serve = Effect.fnUntraced(function* (
  options: ServeOptions
): Effect.fn.Return<Address, ListenFailed, Scope.Scope> {
  const { answer, key, maxPayloadBytes = Bounds.maxPayloadBytes, maxWaitingBytes = Bounds.maxWaitingBytes } = options
  const context = yield* Effect.context<never>()
  const runFork = Effect.runForkWith(context)
  const later = yield* timers
  for (const one of [callsSent, callsAnswered]) yield* Series.begin(one)
  yield* Series.begin(callsInFlight)

  const handshakes = new Map<string, { readonly socket: net.Socket; readonly cancel: () => void }>()
  const connections = new Set<Inbound>()
  const running = new Set<Fiber.Fiber<string>>()
  let onIdle: (() => void) | undefined
  const checkIdle = () => {
    if (connections.size === 0 && running.size === 0) onIdle?.()
  }

  const opened = (socket: tls.TLSSocket): void => {
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
      if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause))
        runFork(Effect.logError("A call of another node failed", exit.cause))
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
      const fiber = runFork(Effect.suspend(() => answer(payload)))
      running.add(fiber)
      fiber.addObserver((exit) => {
        running.delete(fiber)
        reply(id, exit)
        checkIdle()
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
      checkIdle()
    })
    writer.start()
  }

  const secured = tls.createServer(
    { ...protection, pskCallback: (_, name) => (name === identity ? key : null) },
    opened
  )
  secured.on("tlsClientError", (_, socket) => socket.destroy())

  const listener = net.createServer((socket) => {
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
    secured.emit("connection", socket)
  })
  yield* Series.gauge(
    "lotbook_cluster_inbound_connections",
    { description: "Connections that other nodes have opened, with those in their handshake" },
    () => connections.size + handshakes.size
  )

  const address = yield* Effect.acquireRelease(
    Effect.callback<Address, ListenFailed>((resume) => {
      listener.on("error", (error) => resume(Effect.fail(new ListenFailed({ reason: error.message }))))
      listener.listen({ host: options.host, port: options.port }, () => {
        const { address: host, port } = listener.address() as net.AddressInfo
        resume(Effect.succeed({ host, port }))
      })
    }),
    () =>
      Effect.gen(function* () {
        listener.close()
        for (const { socket } of [...handshakes.values()]) socket.destroy()
        for (const { writer } of connections) writer.add(Kind.goodbye, 0, "")
        yield* Effect.timeoutOption(
          Effect.callback<void>((resume) => {
            onIdle = () => resume(Effect.void)
            checkIdle()
          }),
          Bounds.drainMs
        )
        for (const { socket } of connections) socket.destroy()
        yield* Fiber.interruptAll([...running])
      })
  )
  return address
})

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

/**
 * A link to a peer. The first call opens the connection; calls wait for it. After a loss, calls fail at once for a
 * short pause, and the next one opens it again. Closing the scope fails every call in flight.
 */
export const connect = Effect.fnUntraced(function* (
  address: Address,
  key: Buffer,
  bounds: LinkBounds = {}
): Effect.fn.Return<Link, never, Scope.Scope> {
  const { maxPayloadBytes = Bounds.maxPayloadBytes, maxWaitingBytes = Bounds.maxWaitingBytes } = bounds
  const context = yield* Effect.context<never>()
  const later = yield* timers

  /** With those that a peer is closing and that still owe answers. */
  const connections = new Set<Outbound>()
  /** The one that new calls use. */
  let current: Outbound | undefined
  /** Why new calls fail at once. */
  let down: string | undefined
  let pauseMs = Bounds.reconnectMinMs
  let cancelPause = (): void => undefined

  const retire = (connection: Outbound, reason: string): void => {
    if (current !== connection) return
    current = undefined
    down = reason
    cancelPause = later(pauseMs, () => {
      down = undefined
    })
    pauseMs = Math.min(pauseMs * 2, Bounds.reconnectMaxMs)
  }

  const lose = (connection: Outbound, reason: string): void => {
    if (!connections.delete(connection)) return
    connection.socket.destroy()
    retire(connection, reason)
    const calls = [...connection.calls.values()]
    connection.calls.clear()
    callsInFlight.modifyUnsafe(-calls.length, context)
    for (const { frame, resume } of calls) resume(Effect.fail(new LinkFailed({ sent: frame.isSent, reason })))
  }

  const open = (): Outbound => {
    const socket = tls.connect({
      ...protection,
      ...address,
      pskCallback: () => ({ psk: key, identity }),
      checkServerIdentity: () => undefined
    })
    const connection: Outbound = { socket, writer: new FrameWriter(socket), calls: new Map(), lastId: 0 }
    const reader = new FrameReader(maxPayloadBytes, (kind, id, payload) => {
      if (kind === Kind.goodbye) {
        retire(connection, "the peer is stopping")
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
    const cancel = later(Bounds.connectMs, () => lose(connection, `no connection within ${Bounds.connectMs} ms`))
    tune(socket)
    socket.on("secureConnect", () => {
      cancel()
      pauseMs = Bounds.reconnectMinMs
      connection.writer.start()
    })
    socket.on("data", (chunk: Buffer) => {
      if (!reader.push(chunk)) lose(connection, `the peer sent a frame of more than ${maxPayloadBytes} bytes`)
    })
    socket.on("error", (error: NodeJS.ErrnoException) => lose(connection, reasonOf(error)))
    socket.on("end", () => lose(connection, "the peer closed the connection"))
    socket.on("close", () => {
      cancel()
      lose(connection, "the connection closed")
    })
    connections.add(connection)
    return connection
  }

  const call: Link["call"] = (payload) =>
    Effect.callback((resume) => {
      const bytes = Buffer.byteLength(payload)
      if (bytes > maxPayloadBytes) return resume(Effect.fail(new PayloadTooLarge({ bytes, maxBytes: maxPayloadBytes })))
      if (down !== undefined) return resume(Effect.fail(new LinkFailed({ sent: false, reason: down })))
      current ??= open()
      const connection = current
      const { calls, writer } = connection
      const waitingBytes = writer.waitingBytes
      if (waitingBytes + bytes > maxWaitingBytes) return resume(Effect.fail(new LinkOverloaded({ waitingBytes })))
      const id = connection.lastId === maxId ? 1 : connection.lastId + 1
      connection.lastId = id
      calls.set(id, { frame: writer.add(Kind.request, id, payload, bytes), resume })
      callsSent.updateUnsafe(1, context)
      callsInFlight.modifyUnsafe(1, context)
      return Effect.sync(() => {
        if (calls.delete(id)) callsInFlight.modifyUnsafe(-1, context)
      })
    })

  const fail = (reason: string): void => {
    for (const connection of [...connections]) lose(connection, reason)
  }

  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      fail("the link is closed")
      cancelPause()
      down = "the link is closed"
    })
  )
  return { call, fail }
})

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
