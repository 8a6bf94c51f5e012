/** Gifts of an enrolment. */
import type { EnrolledVia } from "../../contract/platform/EventTypes.ts"
import type { AuditEntry } from "../journal/Audit.ts"
import type { Claim, Identity, MemberRow, ProfileChange } from "../journal/Records.ts"

/** An enrolment: the guest's data and the claims that guard the request. */
export interface Enrolment {
  readonly program: string
  readonly identity: Identity
  /** Undefined: a node of an earlier version asks. */
  readonly via?: EnrolledVia | undefined
  readonly attributes?: MemberRow["attributes"]
  /** The member id that the request names. Undefined: the service makes one. */
  readonly member?: string | undefined
  readonly key?: Claim | undefined
  /** The member's first profile. */
  readonly profile?: Extract<ProfileChange, { readonly type: "set" }> | undefined
  /** The name of the caller, and the request (`JournalRecord.origin`). */
  readonly actor?: string | undefined
  /** Makes the audit entry that is committed with a new member, from the member's id. */
  readonly audit?: ((member: string) => AuditEntry) | undefined
  readonly origin?: string | undefined
}
