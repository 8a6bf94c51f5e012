/** A receiver of webhooks on loopback. It answers 204, or what a test says. */
import { Effect } from "effect"
import * as http from "node:http"
import type * as net from "node:net"

export interface Heard {
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
  readonly event: {
    readonly id: string
    readonly type: string
    readonly subject?: string
    readonly sequence?: string
    readonly data: Readonly<Record<string, unknown>>
  }
}

/** Answers a request; undefined: 204. */
export type Answering = (
  heard: Heard,
  answer: http.ServerResponse,
  request: http.IncomingMessage
) => undefined | "answered"

export class Receiver {
  readonly heard: Array<Heard> = []
  answering: Answering = () => undefined
  connections = 0
  private server: http.Server
  private readonly sockets = new Set<net.Socket>()
  port = 0

  constructor() {
    this.server = this.make()
  }

  private make(): http.Server {
    const server = http.createServer((request, answer) => {
      const parts: Array<Buffer> = []
      request.on("data", (part: Buffer) => parts.push(part))
      request.on("error", () => undefined)
      request.on("end", () => {
        const body = Buffer.concat(parts).toString("utf8")
        const heard: Heard = { headers: request.headers, body, event: JSON.parse(body) }
        this.heard.push(heard)
        if (this.answering(heard, answer, request) === undefined) answer.writeHead(204).end()
      })
    })
    server.on("connection", (socket) => {
      this.connections++
      this.sockets.add(socket)
      socket.on("error", () => undefined)
      socket.on("close", () => this.sockets.delete(socket))
    })
    return server
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/in`
  }

  /** Ids in the order in which they came. */
  get ids(): ReadonlyArray<string> {
    return this.heard.map(({ event }) => event.id)
  }

  /** Listens, at the same port as before. */
  readonly listen = Effect.callback<void>((resume) => {
    this.server.listen(this.port, "127.0.0.1", () => {
      const address = this.server.address()
      this.port = typeof address === "object" && address !== null ? address.port : 0
      resume(Effect.void)
    })
  })

  /** Closes everything at once. */
  readonly kill = Effect.callback<void>((resume) => {
    for (const socket of this.sockets) socket.destroy()
    this.server.close(() => {
      this.server = this.make()
      resume(Effect.void)
    })
  })
}

/** A receiver that listens until the scope closes. */
export const make = Effect.acquireRelease(
  Effect.gen(function* () {
    const receiver = new Receiver()
    yield* receiver.listen
    return receiver
  }),
  ({ kill }) => kill
)
