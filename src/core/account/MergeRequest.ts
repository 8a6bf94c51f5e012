/** Request to merge two members. */
import type { AuditEntry } from "../journal/Audit.ts"
import type { Claim } from "../journal/Records.ts"

export interface MergeRequest {
  /** Member ids; the member `from` is closed permanently. */
  readonly from: string
  readonly into: string
  /** The idempotency key, its fingerprint of the whole payload. */
  readonly key?: Claim | undefined
  /** The name of the caller. */
  readonly actor?: string | undefined
  readonly origin?: string | undefined
  /** The audit entries: one for each member. */
  readonly audit?: { readonly from: AuditEntry; readonly into: AuditEntry } | undefined
}
