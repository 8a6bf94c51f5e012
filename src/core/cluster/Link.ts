/**
 * The link between nodes: requests and answers, both text, on one connection for each direction of two nodes. This is the end
 * that asks; `LinkServer` answers.
 *
 * Always TLS with a pre-shared key, which only nodes of the same database can derive: no certificate, and no request
 * of a stranger is read. Each connection has fresh keys (ECDHE), so a key that leaks later opens no recorded traffic.
 *
 * A node keeps its connections open and asks each peer for a word every 250 ms. Invariant: no call waits longer than 2 s on a
 * connection over which nothing comes back.
 */
import { type Context, Effect, Metric, Schema, type Scope } from "effect"
import { constants, createHmac } from "node:crypto"
import type * as net from "node:net"
import * as tls from "node:tls"
import { type MachineTime, machineTime } from "../../base/time/Times.ts"
import * as Bounds from "./Bounds.ts"
import { FrameReader, FrameWriter, Kind, maxId, type Outgoing } from "./Frames.ts"
import { Silence } from "./Silence.ts"

export const callsSent = Metric.counter("lotbook_cluster_calls_sent_total", {
  description: "Calls to other nodes",
  incremental: true
})

export const callsInFlight = Metric.gauge("lotbook_cluster_calls_in_flight", {
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
class PayloadTooLarge extends Schema.TaggedError<PayloadTooLarge>()("PayloadTooLarge", {
  bytes: Schema.Number,
  maxBytes: Schema.Number
}) {}

export interface Address {
  readonly host: string
  readonly port: number
}

export interface Link {
  readonly call: (payload: string) => Effect.Effect<string, LinkFailed | LinkOverloaded | PayloadTooLarge>
  /** Fails every call in flight at once, and closes the connection: the peer was declared dead. */
  readonly fail: (reason: string) => void
  /** How long the peer has not been heard, ms; 0 while the connection works. Cheap while it does. */
  readonly downMs: () => number
  /** Connections that were given up because the peer was silent. */
  readonly silences: () => number
  /** Why the last connection ended. */
  readonly reason: () => string
}

export interface LinkBounds {
  readonly maxPayloadBytes?: number
  readonly maxWaitingBytes?: number
}

/** The key of the nodes of one database, from the secret of its installation. */
export const keyOf = (installationSecret: Uint8Array): Buffer =>
  createHmac("sha256", installationSecret).update("lotbook link between nodes").digest()

export const identity = "lotbook"

/** OpenSSL's only suite of TLS 1.2 with pre-shared key, forward secrecy and AEAD. Tickets would outlive a handshake. */
export const protection: tls.SecureContextOptions = {
  ciphers: "ECDHE-PSK-CHACHA20-POLY1305",
  minVersion: "TLSv1.2",
  maxVersion: "TLSv1.2",
  secureOptions: constants.SSL_OP_NO_TICKET
}

/** Runs a function later; the returned one cancels it. */
export const timers = Effect.map(Effect.context<never>(), (context) => (ms: number, run: () => void) => {
  const fiber = Effect.runForkWith(context)(Effect.andThen(Effect.sleep(ms), Effect.sync(run)))
  return () => fiber.interruptUnsafe()
})

export type Later = Effect.Success<typeof timers>

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
  readonly silence: Silence
  lastId: number
  cancelBeat: () => void
}

/** The parts of a link. */
interface Peer extends Required<ConnectOptions> {
  readonly address: Address
  readonly key: Buffer
  readonly clock: MachineTime
  readonly context: Context.Context<never>
  readonly later: Later
  /** With those that a peer is closing and that still owe answers. */
  readonly connections: Set<Outbound>
  /** The one that new calls use; undefined: they fail at once. */
  current: Outbound | undefined
  /** Why the last connection ended. */
  reason: string
  isDown: boolean
  heardNanos: bigint
  silences: number
  pauseMs: number
  cancelPause: () => void
}

interface ConnectOptions extends LinkBounds {
  /** False: the peer is of a version that answers none. */
  readonly hasHeartbeats?: boolean
}

/**
 * A link to a peer, whose connection opens at once; calls wait for it. After a loss, calls fail at once for a short
 * pause, and the connection opens again. Closing the scope fails every call in flight.
 */
export const connect = Effect.fnUntraced(function* (
  address: Address,
  key: Buffer,
  options: ConnectOptions = {}
): Effect.fn.Return<Link, never, Scope.Scope> {
  const clock = yield* machineTime
  const peer: Peer = {
    maxPayloadBytes: options.maxPayloadBytes ?? Bounds.maxPayloadBytes,
    maxWaitingBytes: options.maxWaitingBytes ?? Bounds.maxWaitingBytes,
    hasHeartbeats: options.hasHeartbeats ?? true,
    address,
    key,
    clock,
    context: yield* Effect.context<never>(),
    later: yield* timers,
    connections: new Set(),
    current: undefined,
    reason: "",
    isDown: false,
    heardNanos: clock.nanos(),
    silences: 0,
    pauseMs: Bounds.reconnectMinMs,
    cancelPause: () => undefined
  }
  peer.current = open(peer)
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      fail(peer, "the link is closed")
      peer.cancelPause()
      peer.reason = "the link is closed"
    })
  )
  return {
    call: (payload) => call(peer, payload),
    fail: (reason) => fail(peer, reason),
    downMs: () => (peer.isDown ? Number((clock.nanos() - peer.heardNanos) / 1_000_000n) : 0),
    silences: () => peer.silences,
    reason: () => peer.reason
  }
})

const retire = (peer: Peer, connection: Outbound, reason: string): void => {
  if (peer.current !== connection) return
  peer.current = undefined
  peer.reason = reason
  peer.isDown = true
  peer.cancelPause = peer.later(peer.pauseMs, () => {
    peer.current = open(peer)
  })
  peer.pauseMs = Math.min(peer.pauseMs * 2, Bounds.reconnectMaxMs)
}

/** The peer was heard. */
const heard = (peer: Peer): void => {
  peer.heardNanos = peer.clock.nanos()
  peer.isDown = false
}

/** Asks the peer for a word; gives the connection up if none has come for too long. */
const beat = (peer: Peer, connection: Outbound): void => {
  const { silence, writer } = connection
  if (silence.isBroken && peer.current === connection) heard(peer)
  if (silence.grows()) {
    peer.silences++
    return lose(peer, connection, `nothing has come back for ${Bounds.silenceMs} ms`)
  }
  writer.add(Kind.heartbeat, 0, "")
  connection.cancelBeat = peer.later(Bounds.heartbeatMs, () => beat(peer, connection))
}

const lose = (peer: Peer, connection: Outbound, reason: string): void => {
  const { connections, context } = peer
  if (!connections.delete(connection)) return
  connection.cancelBeat()
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
  const connection: Outbound = {
    socket,
    writer: new FrameWriter(socket),
    calls: new Map(),
    silence: new Silence(),
    lastId: 0,
    cancelBeat: () => undefined
  }
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
    if (peer.hasHeartbeats) beat(peer, connection)
    else heard(peer)
  })
  socket.on("data", (chunk: Buffer) => {
    connection.silence.broken()
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
    const connection = peer.current
    if (connection === undefined) return resume(Effect.fail(new LinkFailed({ sent: false, reason: peer.reason })))
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

export const tune = (socket: net.Socket): void => {
  socket.setNoDelay(true)
  socket.setKeepAlive(true, Bounds.keepAliveMs)
}

/** A refused key shows as a record that cannot be read. */
const reasonOf = (error: NodeJS.ErrnoException): string =>
  error.code?.startsWith("ERR_SSL") === true
    ? `the handshake failed (${error.code}); nodes of one database have the same key`
    : error.message
