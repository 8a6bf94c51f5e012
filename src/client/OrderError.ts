/** Why a basket makes no valid order, or an order no refund: the place in the input, and the remedy. */
export class OrderError extends Error {
  override readonly name = "OrderError"
  /** JSON Pointer to the property of the input. */
  readonly path: string
  constructor(path: string, message: string) {
    super(`${path === "" ? "The input" : path} ${message}`)
    this.path = path
  }
}
