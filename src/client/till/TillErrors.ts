/** Refusals of a till's own calls, before anything is kept. */
export type TillFault =
  /** It keeps as many entries as it may: see `QueueFull`. */
  | "queue_full"
  /** It keeps other facts under the same order, adjustment or redemption. */
  | "conflict"
  /** It keeps nothing refused under this id, or no member has the card. */
  | "not_found"
  /** The facts cannot be sent, whatever the service says. */
  | "invalid"
  /** It was told to stop. */
  | "stopped"

export class TillError extends Error {
  override readonly name: string = "TillError"
  readonly kind: TillFault
  constructor(kind: TillFault, message: string) {
    super(message)
    this.kind = kind
  }
}

/** Nothing was accepted: the till keeps `maxEntries` already. */
export class QueueFull extends TillError {
  override readonly name = "QueueFull"
  readonly maxEntries: number
  constructor(maxEntries: number) {
    super("queue_full", `the till keeps ${maxEntries} entries, as many as it may`)
    this.maxEntries = maxEntries
  }
}
