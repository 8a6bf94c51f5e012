/** Where a till keeps what it has accepted: four methods. For each id the till calls one at a time. */

/** Text that was kept under an id. Its form is the till's own affair. */
export interface Stored {
  readonly id: string
  readonly text: string
}

export interface Opened {
  /** All that is kept, in any order. */
  readonly entries: ReadonlyArray<Stored>
  /** Where something lies that cannot be read. It is kept for a person to look at, and is no entry any more. */
  readonly damaged: ReadonlyArray<string>
}

/**
 * A durable map of texts with one owner. Rejects with a `StoreError`; after a rejected `put` the id has its former text or
 * the new one, whole.
 */
export interface TillStore {
  /** Becomes the owner and reads everything. `owned`: another process, page or till is the owner. */
  readonly open: () => Promise<Opened>
  /** Keeps a text under an id of at most 300 characters. Resolves once it survives a loss of power. */
  readonly put: (id: string, text: string) => Promise<void>
  /** Forgets an id. One that comes back after a loss of power does no harm: the till repeats it under its key. */
  readonly remove: (id: string) => Promise<void>
  /** Gives ownership back. */
  readonly close: () => Promise<void>
}

export type StoreFault =
  /** Another process, page or till is the owner. */
  | "owned"
  /** The disk or the browser's share of it is full. */
  | "full"
  /** A newer version has written it: this one reads none of it and changes nothing. */
  | "newer_format"
  /** It cannot be read or written for another reason: see `cause`. */
  | "failed"

export class StoreError extends Error {
  override readonly name = "StoreError"
  readonly kind: StoreFault
  constructor(kind: StoreFault, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.kind = kind
  }
}
