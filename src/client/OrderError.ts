/** Tells why a basket makes no valid order: the place in the basket, and the remedy. */
export class OrderError extends Error {
  override readonly name = "OrderError"
  /** JSON Pointer to the property of the input. */
  readonly path: string
  constructor(path: string, message: string) {
    super(`${path} ${message}`)
    this.path = path
  }
}
