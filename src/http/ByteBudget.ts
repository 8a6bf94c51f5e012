/** A bound on the sum of bytes that are held or in flight. */
export class ByteBudget {
  private readonly bound: number
  private held = 0

  constructor(bound: number) {
    this.bound = bound
  }

  /** Counts more bytes; false, and nothing is counted, where that is too many. */
  reserve(bytes: number): boolean {
    if (this.held + bytes > this.bound) return false
    this.held += bytes
    return true
  }

  release(bytes: number): void {
    this.held -= bytes
  }
}
