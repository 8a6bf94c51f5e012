/** The end of the link between nodes that answers (`Link.ts`). */
import { Cause, type Context, Effect, Exit, Fiber, Metric, Schema, type Scope } from "effect"
import * as net from "node:net"
import * as tls from "node:tls"
import * as LogEvent from "../../base/metrics/LogEvent.ts"
import * as Series from "../../base/metrics/Series.ts"
import * as Bounds from "./Bounds.ts"
import { FrameReader, FrameWriter, Kind } from "./Frames.ts"
import {
  type Address,
  callsInFlight,
  callsSent,
  identity,
  type Later,
  type LinkBounds,
  protection,
  timers,
  tune
} from "./Link.ts"
import { Silence } from "./Silence.ts"

const callsAnswered = Metric.counter("lotbook_cluster_calls_answered_total", {
  description: "Calls of other nodes that were answered",
  incremental: true
})

/** The address cannot be listened on. */
export class ListenFailed extends Schema.TaggedError<ListenFailed>()("ListenFailed", { reason: Schema.String }) {}

export interface ServeOptions extends Address, LinkBounds {
  readonly key: Buffer
  /** Runs in a fiber of its own for each request; a lost connection does not interrupt it. */
  readonly answer: (payload: string) => Effect.Effect<string>
}

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
  const { answer, connections, context, fork, handshakes, later, maxPayloadBytes, maxWaitingBytes, running } = server
  handshakes.get(nameOf(socket))?.cancel()
  handshakes.delete(nameOf(socket))
  const writer = new FrameWriter(socket)
  const connection: Inbound = { socket, writer }
  const silence = new Silence()
  let inFlight = 0
  let isPeerDone = false
  /** Nodes of an older version send none. */
  let hasHeartbeats = false
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
  const beat = (): void => {
    if (!connections.has(connection)) return
    // A peer whose requests are not read for now must not take this node for lost.
    if (socket.isPaused()) writer.add(Kind.heartbeat, 0, "")
    else if (hasHeartbeats && silence.grows()) return void socket.destroy()
    later(Bounds.heartbeatMs, beat)
  }
  const reader = new FrameReader(maxPayloadBytes, (kind, id, payload) => {
    if (kind === Kind.goodbye) isPeerDone = true
    if (kind === Kind.heartbeat) {
      hasHeartbeats = true
      writer.add(Kind.heartbeat, 0, "")
    }
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
    silence.broken()
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
  beat()
}

const nameOf = (socket: net.Socket): string => `${socket.remoteAddress}:${socket.remotePort}`
