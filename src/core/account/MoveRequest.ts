/** Request to move an order. */
import type { AuditEntry } from "../journal/Audit.ts"
import type { Claim } from "../journal/Records.ts"

/** Effects of a move beside the order. */
export interface Brought {
  /** Rewards of cards and challenges that the order completes. */
  readonly rewards: number
  /** Points of the order that its first guest has spent: the second one can spend them again. */
  readonly points: number
}

export interface MoveRequest {
  readonly order: string
  /** Member ids, also of members that were merged since. */
  readonly from: string
  readonly into: string
  readonly reason: string
  /** The most that it may bring about: it was counted. Absent: anything. */
  readonly counted?: Brought | undefined
  /** The idempotency key, its fingerprint of the whole payload. */
  readonly key?: Claim | undefined
  /** The name of the caller. */
  readonly actor?: string | undefined
  readonly origin?: string | undefined
  /** The audit entries: one for each member. */
  readonly audit?: { readonly from: AuditEntry; readonly into: AuditEntry } | undefined
}
