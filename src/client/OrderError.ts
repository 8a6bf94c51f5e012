/** A basket of which no valid order can be made: where, and what to do. */
export class OrderError extends Error {
  override readonly name = "OrderError"
  /** JSON Pointer to the property of the input. */
  readonly path: string
  constructor(path: string, message: string) {
    super(`${path} ${message}`)
    this.path = path
  }
}
