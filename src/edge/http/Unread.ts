/**
 * Bounds what streamed answers hold for callers that do not read: past the bound, the connection is cut whose answer has
 * waited longest. A caller that reads takes its part at once, and so is never that one.
 */
import type { ServerResponse } from "node:http"

type StreamedResponse = Pick<ServerResponse, "writableLength" | "writableNeedDrain" | "req">

export class Unread {
  private readonly bound: number
  private total = 0
  /** Bytes that wait for each caller, the answer first that has waited longest. */
  private readonly waiting = new Map<StreamedResponse, number>()

  constructor(bound: number) {
    this.bound = bound
  }

  /** Call it after a part was written. */
  wrote(answer: StreamedResponse): void {
    this.taken(answer)
    if (!answer.writableNeedDrain) return
    this.waiting.set(answer, answer.writableLength)
    this.total += answer.writableLength
    for (const [oldest] of this.waiting) {
      if (this.total <= this.bound) return
      this.taken(oldest)
      oldest.req.socket.destroy()
    }
  }

  /** Nothing waits any more: it was read, or the connection has closed. */
  taken(answer: StreamedResponse): void {
    this.total -= this.waiting.get(answer) ?? 0
    this.waiting.delete(answer)
  }
}
