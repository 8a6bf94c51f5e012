/**
 * How long the other end of a connection has said nothing. Counts this node's own heartbeats and no time: a process that
 * stood still has heard nothing meanwhile, and must not give up a peer that is well.
 */
import * as Bounds from "./Bounds.ts"

export class Silence {
  /** Heartbeats since the last word. A handshake alone is none: what follows it may be lost. */
  private heartbeats = 1

  /** True if there was a word since the last heartbeat. */
  get isBroken(): boolean {
    return this.heartbeats === 0
  }

  broken(): void {
    this.heartbeats = 0
  }

  /** Counts a heartbeat; true: it has lasted too long. */
  grows(): boolean {
    return ++this.heartbeats >= Bounds.silenceMs / Bounds.heartbeatMs
  }
}
