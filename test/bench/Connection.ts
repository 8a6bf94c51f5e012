/**
 * A keep-alive connection that carries one request at a time: bytes out, bytes
 * in, no HTTP client between, so that the load costs as little CPU as it can.
 */
import * as net from "node:net"

export interface Answer {
  readonly status: number
  readonly hasRetryAfter: boolean
  /** Only until the callback returns: the bytes are read over. */
  readonly body: () => string
}

/** Shared by all connections: what is read is used up before the next read begins. */
const readBuffer = Buffer.allocUnsafe(256 * 1024)
const headEnd = Buffer.from("\r\n\r\n")

const lengthOf = (head: string): number => {
  const found = /\r\ncontent-length: *(\d+)/i.exec(head)
  if (found === null) throw new Error(`an answer without Content-Length: ${head}`)
  return Number(found[1])
}

export class Connection {
  private readonly socket: net.Socket
  private readonly onAnswer: (connection: Connection, answer: Answer) => void
  private pending: Buffer | undefined
  /** Which of the job's connections it is. */
  readonly index: number
  isOpen = false
  isBusy = false

  constructor(
    index: number,
    port: number,
    onOpen: () => void,
    onAnswer: (connection: Connection, answer: Answer) => void,
    onClose: (connection: Connection) => void
  ) {
    this.index = index
    this.onAnswer = onAnswer
    this.socket = net.connect({
      port,
      host: "127.0.0.1",
      noDelay: true,
      onread: {
        buffer: readBuffer,
        callback: (count, buffer) => {
          this.read(Buffer.from(buffer.buffer, buffer.byteOffset, count))
          return true
        }
      }
    })
    this.socket.once("connect", () => {
      this.isOpen = true
      onOpen()
    })
    // "close" follows and tells all there is to do.
    this.socket.on("error", () => undefined)
    this.socket.once("close", () => {
      const wasOpen = this.isOpen
      this.isOpen = false
      if (!wasOpen) onOpen()
      onClose(this)
    })
  }

  send(text: string): void {
    this.isBusy = true
    this.socket.write(text, "latin1")
  }

  end(): void {
    this.socket.destroy()
  }

  private read(chunk: Buffer): void {
    const bytes = this.pending === undefined ? chunk : Buffer.concat([this.pending, chunk])
    const headLength = bytes.indexOf(headEnd)
    const head = headLength < 0 ? "" : bytes.toString("latin1", 0, headLength)
    const bodyAt = headLength + headEnd.length
    if (headLength < 0 || bytes.length < bodyAt + lengthOf(head)) {
      this.pending = Buffer.from(bytes)
      return
    }
    this.pending = undefined
    this.isBusy = false
    const status = Number.parseInt(head.slice(9, 12), 10)
    this.onAnswer(this, {
      status,
      hasRetryAfter: status === 503 && /\r\nretry-after: *\d/i.test(head),
      body: () => bytes.toString("latin1", bodyAt)
    })
  }
}
