/**
 * Frames on a socket: payload bytes (u32), kind (u8), id (u32), then the payload in UTF-8; numbers are big-endian.
 */
import type { Socket } from "node:net"

/**
 * The meaning of a frame. `failed`: no answer, the payload is the reason. `goodbye`: the sender sends no more requests.
 * `heartbeat`: is answered by another one.
 */
export const Kind = { request: 0, answer: 1, failed: 2, goodbye: 3, heartbeat: 4 } as const

const headBytes = 9

/** Largest id: they begin again at 1 after it. */
export const maxId = 0xffff_ffff

/** A frame to be written. */
export interface Outgoing {
  readonly kind: number
  readonly id: number
  payload: string
  /** Bytes of the payload in UTF-8. */
  readonly bytes: number
  /** True once the socket has it. */
  isSent: boolean
}

/** Writes frames: those of one turn of the event loop leave in one write. Holds them until `start`. */
export class FrameWriter {
  private frames: Array<Outgoing> = []
  private queuedBytes = 0
  private isStarted = false
  private isEnding = false
  private isScheduled = false
  private readonly socket: Socket

  constructor(socket: Socket) {
    this.socket = socket
  }

  /** Bytes that the kernel has not taken yet. */
  get waitingBytes(): number {
    return this.queuedBytes + this.socket.writableLength
  }

  start(): void {
    this.isStarted = true
    if (this.frames.length > 0) this.schedule()
  }

  add(kind: number, id: number, payload: string, bytes = Buffer.byteLength(payload)): Outgoing {
    const frame: Outgoing = { kind, id, payload, bytes, isSent: false }
    this.frames.push(frame)
    this.queuedBytes += headBytes + bytes
    if (this.isStarted) this.schedule()
    return frame
  }

  /** Ends the socket after the frames that were added. */
  end(): void {
    this.isEnding = true
    this.schedule()
  }

  private schedule(): void {
    if (this.isScheduled) return
    this.isScheduled = true
    setImmediate(this.flush)
  }

  private readonly flush = (): void => {
    this.isScheduled = false
    if (!this.socket.writable) return
    const buffer = Buffer.allocUnsafe(this.queuedBytes)
    let at = 0
    for (const frame of this.frames) {
      at = buffer.writeUInt32BE(frame.bytes, at)
      at = buffer.writeUInt8(frame.kind, at)
      at = buffer.writeUInt32BE(frame.id, at)
      at += buffer.write(frame.payload, at, "utf8")
      frame.isSent = true
      frame.payload = ""
    }
    this.frames = []
    this.queuedBytes = 0
    if (at > 0) this.socket.write(buffer)
    if (this.isEnding) this.socket.end()
  }
}

/** Makes frames of the chunks that arrive. */
export class FrameReader {
  private chunks: Array<Buffer> = []
  private bytes = 0
  /** Bytes without which there is no further frame. */
  private needed = headBytes
  private readonly maxPayloadBytes: number
  private readonly onFrame: (kind: number, id: number, payload: string) => void

  constructor(maxPayloadBytes: number, onFrame: (kind: number, id: number, payload: string) => void) {
    this.maxPayloadBytes = maxPayloadBytes
    this.onFrame = onFrame
  }

  /** False: a frame is larger than the bound, and nothing after it can be read. */
  push(chunk: Buffer): boolean {
    this.chunks.push(chunk)
    this.bytes += chunk.length
    if (this.bytes < this.needed) return true
    const buffer = this.chunks.length === 1 ? chunk : Buffer.concat(this.chunks, this.bytes)
    let at = 0
    this.needed = headBytes
    while (buffer.length - at >= headBytes) {
      const length = buffer.readUInt32BE(at)
      if (length > this.maxPayloadBytes) return false
      const end = at + headBytes + length
      if (end > buffer.length) {
        this.needed = headBytes + length
        break
      }
      this.onFrame(buffer.readUInt8(at + 4), buffer.readUInt32BE(at + 5), buffer.toString("utf8", at + headBytes, end))
      at = end
    }
    this.chunks = at === buffer.length ? [] : [buffer.subarray(at)]
    this.bytes = buffer.length - at
    return true
  }
}
