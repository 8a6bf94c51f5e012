/** Bounds the total bytes that are held or in flight. */
export class ByteBudget {
  private readonly bound: number
  private held = 0

  constructor(bound: number) {
    this.bound = bound
  }

  /** Counts more bytes; false, without counting, past the bound. */
  reserve(bytes: number): boolean {
    if (this.held + bytes > this.bound) return false
    this.held += bytes
    return true
  }

  release(bytes: number): void {
    this.held -= bytes
  }
}
