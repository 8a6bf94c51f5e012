/** Events that a till tells while it works. */
import type { PauseReason, TillAnswer } from "./Calls.ts"
import type { Entry, Refusal } from "./Entries.ts"
import type { StoreError } from "./Store.ts"

/** An entry that the service refused. It is kept until it is mended or dropped. */
export interface RefusedEntry extends Entry {
  readonly refusal: Refusal
}

export type TillEvent =
  /** It is on the disk. */
  | { readonly type: "accepted"; readonly entry: Entry }
  /** The service has carried it out; its answer, absent for a hold that was not there to be reversed. */
  | { readonly type: "posted"; readonly entry: Entry; readonly answer: TillAnswer | undefined }
  /** Everything waits, for so long; the next attempt is of one entry. */
  | { readonly type: "paused"; readonly entry: Entry; readonly reason: PauseReason; readonly waitMs: number }
  | { readonly type: "resumed" }
  /** It went to the list of the refused ones; the others go on. */
  | { readonly type: "refused"; readonly entry: RefusedEntry }
  | { readonly type: "dropped"; readonly entry: RefusedEntry; readonly why: string }
  /** Something was not accepted: as many entries are kept as may be. */
  | { readonly type: "full"; readonly maxEntries: number }
  /** Texts that the store could not read at the start. A person has to look: it may be a sale. */
  | { readonly type: "damaged"; readonly where: string }
  /**
   * The till's clock differs from the service's by so much, positive where it is ahead: told once, until they agree. Sales
   * and holds that are refused because of it are dated back and sent again.
   */
  | { readonly type: "clock"; readonly aheadMs: number }
  /** The store failed after something was done. It does no harm: after a restart it is repeated under its key. */
  | { readonly type: "store_failed"; readonly entry: Entry; readonly error: StoreError }

/** Result of an entry while this till ran. */
export type Outcome<Answer = TillAnswer | undefined> =
  | { readonly outcome: "posted"; readonly answer: Answer }
  | { readonly outcome: "refused"; readonly entry: RefusedEntry }
  | { readonly outcome: "dropped" }

/** Resolves with what an attempt came to. `later`: it stays in the queue. */
export type Attempt =
  | Exclude<Outcome, { readonly outcome: "dropped" }>
  | { readonly outcome: "later"; readonly error: unknown }
