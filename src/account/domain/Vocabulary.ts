/**
 * The wire's enumerations under the names the account core uses.
 */
import type { MemberStatus as StoredMemberStatus } from "../../journal/Journal.ts"

export type MemberStatus = StoredMemberStatus
export type Classification = "bonus" | "gift" | "migration" | "service_recovery" | "correction"
export type OrderAdjustmentType = "partial_refund" | "full_refund" | "void" | "correction"

export interface IssuedArtifact {
  readonly type: "code" | "qr_code"
  readonly value: string
}
