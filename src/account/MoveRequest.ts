/** What the move of an order is asked with. */
import type { AuditEntry } from "../journal/Audit.ts"
import type { Claim } from "../journal/Records.ts"

export interface MoveRequest {
  readonly order: string
  /** Member ids, also of members that were merged since. */
  readonly from: string
  readonly into: string
  readonly reason: string
  /** The idempotency key, its fingerprint of the whole payload. */
  readonly key?: Claim | undefined
  /** The name of the caller. */
  readonly actor?: string | undefined
  readonly origin?: string | undefined
  /** The audit entries: one for each member. */
  readonly audit?: { readonly from: AuditEntry; readonly into: AuditEntry } | undefined
}
