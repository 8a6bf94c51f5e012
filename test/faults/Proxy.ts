/**
 * Stands between the service and PostgreSQL, reads along, and fails at the
 * moment it was told to: before, under or after the statement that appends a
 * group, or by holding every byte back.
 */
import * as net from "node:net"

/**
 * Where an append is cut: before any byte of it is passed on; when all of it
 * was, with the answer still to come; or when the answer is here and is kept.
 */
export type CutPoint = "before" | "under" | "after"

interface Armed {
  readonly point: CutPoint
  readonly cut: () => void
}

const [bind, parse, sync, readyForQuery] = ["B", "P", "S", "Z"].map((type) => type.charCodeAt(0)) as [
  number,
  number,
  number,
  number
]

/** Takes whole messages off a stream of bytes: a type, a length that counts itself, the rest. */
class Messages {
  private rest: Buffer = Buffer.alloc(0)
  /** The startup packet has no type. */
  private hasTypes: boolean

  constructor(hasTypes: boolean) {
    this.hasTypes = hasTypes
  }

  take(bytes: Buffer): ReadonlyArray<Buffer> {
    this.rest = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes])
    const messages: Array<Buffer> = []
    for (;;) {
      const head = this.hasTypes ? 1 : 0
      if (this.rest.length < head + 4) return messages
      const length = head + this.rest.readInt32BE(head)
      if (this.rest.length < length) return messages
      messages.push(this.rest.subarray(0, length))
      this.rest = this.rest.subarray(length)
      this.hasTypes = true
    }
  }
}

const textAt = (message: Buffer, from: number): string => message.toString("utf8", from, message.indexOf(0, from))

/** The prepared statement that a Bind message is about: its portal's name comes first. */
const statementOf = (message: Buffer): string => textAt(message, message.indexOf(0, 5) + 1)

class Link {
  private readonly client: net.Socket
  private readonly server: net.Socket
  private readonly proxy: Proxy
  private readonly fromClient = new Messages(false)
  private readonly fromServer = new Messages(true)
  /** Prepared statements that append. */
  private readonly appends = new Set<string>()
  /** An append is being passed on, and this cuts it. */
  private armed: Armed | undefined
  private awaitsAnswer = false

  constructor(proxy: Proxy, client: net.Socket, serverPort: number) {
    this.proxy = proxy
    this.client = client
    this.server = net.connect({ host: "127.0.0.1", port: serverPort, noDelay: true })
    client.setNoDelay(true)
    client.on("data", (bytes) => this.toServer(bytes))
    this.server.on("data", (bytes) => this.toClient(bytes))
    for (const socket of [client, this.server]) {
      // Whichever side goes takes the other along; why does not matter to a wire.
      socket.on("error", () => this.cut())
      socket.on("close", () => this.cut())
    }
    if (proxy.isStalled) this.pause()
  }

  private toServer(bytes: Buffer): void {
    for (const message of this.fromClient.take(bytes)) {
      const type = message[0]
      if (type === parse && message.includes("append_keyed")) this.appends.add(textAt(message, 5))
      if (type === bind && this.appends.has(statementOf(message))) this.armed = this.proxy.disarm()
      if (this.armed?.point === "before") return this.fail(this.armed)
      const { armed } = this
      if (armed?.point === "under" && type === sync) {
        // Sent in full, then gone: the server commits or not, and has nobody to tell.
        this.awaitsAnswer = true
        this.server.write(message, () => this.fail(armed))
        return
      }
      if (armed !== undefined && type === sync) this.awaitsAnswer = true
      this.server.write(message)
    }
  }

  private toClient(bytes: Buffer): void {
    const messages = this.fromServer.take(bytes)
    if (!this.awaitsAnswer) {
      for (const message of messages) this.client.write(message)
      return
    }
    const isAnswered = messages.some((message) => message[0] === readyForQuery)
    if (isAnswered && this.armed?.point === "after") this.fail(this.armed)
  }

  private fail(armed: Armed): void {
    this.cut()
    armed.cut()
  }

  cut(): void {
    this.proxy.links.delete(this)
    this.client.destroy()
    // Written bytes are still sent: the server reads them all before it sees the end.
    this.server.destroySoon()
  }

  pause(): void {
    this.client.pause()
    this.server.pause()
  }

  resume(): void {
    this.client.resume()
    this.server.resume()
  }
}

export class Proxy {
  readonly links = new Set<Link>()
  isStalled = false
  private readonly listener: net.Server
  private armed: Armed | undefined
  private serverPort: number | undefined

  private constructor(listener: net.Server) {
    this.listener = listener
  }

  static start(serverPort: number): Promise<Proxy> {
    return new Promise((resolve, reject) => {
      const listener = net.createServer((client) => {
        if (proxy.serverPort === undefined) client.destroy()
        else proxy.links.add(new Link(proxy, client, proxy.serverPort))
      })
      const proxy = new Proxy(listener)
      proxy.serverPort = serverPort
      listener.once("error", reject)
      listener.listen(0, "127.0.0.1", () => resolve(proxy))
    })
  }

  get port(): number {
    const address = this.listener.address()
    return typeof address === "object" && address !== null ? address.port : 0
  }

  /** New connections lead to this server, or to none; those that are open stay with theirs. */
  moveTo(serverPort: number | undefined): void {
    this.serverPort = serverPort
  }

  /** Cuts the next append at this point; resolves with the moment, ms. */
  cutAppend(point: CutPoint): Promise<number> {
    return new Promise((resolve) => {
      this.armed = { point, cut: () => resolve(Date.now()) }
    })
  }

  /** Fault that the next append is to meet. */
  disarm(): Armed | undefined {
    const { armed } = this
    this.armed = undefined
    return armed
  }

  cutAll(): void {
    for (const link of [...this.links]) link.cut()
  }

  /** Holds every byte back, of new connections too, and closes none. */
  stall(): void {
    this.isStalled = true
    for (const link of this.links) link.pause()
  }

  resume(): void {
    this.isStalled = false
    for (const link of this.links) link.resume()
  }

  close(): Promise<void> {
    this.cutAll()
    return new Promise((resolve) => this.listener.close(() => resolve()))
  }
}
