/**
 * What an account can be asked to do. An action brings everything `decide`
 * needs from outside: checked input, ids and random codes. Times come
 * separately, as `now`.
 */
import type { Order, OrderAdjustment } from "../../contract/protocol/Order.ts"
import type { Classification, MemberStatus, Unit } from "../../contract/Values.ts"
import type { IssuedArtifact } from "./Event.ts"

export interface Enroll {
  readonly type: "enroll"
  readonly program: string
  readonly member: string
  /** Keyed hash of the identity. */
  readonly identity: string
  /** Keyed hash of the profile's external id. */
  readonly external?: string | undefined
}

/** An enrolment whose identity already has this member, whichever member id it asked for. */
export interface FindMember {
  readonly type: "find_member"
}

export interface Accrue {
  readonly type: "accrue"
  readonly order: Order
  /** The evaluation that the caller acted on: kept, not checked. */
  readonly evaluation?: string | undefined
}

export interface AdjustOrder {
  readonly type: "adjust_order"
  readonly adjustment: OrderAdjustment
}

export interface AdjustManually {
  readonly type: "adjust_manually"
  readonly adjustment: string
  readonly amount: number
  readonly unit?: Unit | undefined
  readonly classification: Classification
  readonly reason: string
  readonly qualifies: boolean
  readonly expires?: number | undefined
}

export interface Reserve {
  readonly type: "reserve"
  readonly redemption: string
  readonly reward: string
  readonly order: Order
  readonly issued?: string | undefined
  /** As of an accrual. */
  readonly evaluation?: string | undefined
}

/** A redemption that was reserved before: its reservation as it stands now. */
export interface FindReservation {
  readonly type: "find_reservation"
  readonly reservation: string
}

export interface Capture {
  readonly type: "capture"
  readonly reservation: string
  readonly order: string
}

export interface Reverse {
  readonly type: "reverse"
  readonly reservation: string
  readonly reason: string
}

export interface IssueReward {
  readonly type: "issue_reward"
  readonly issued: string
  readonly reward: string
  readonly expires?: number | undefined
  readonly artifact: IssuedArtifact
}

export interface CancelReward {
  readonly type: "cancel_reward"
  readonly issued: string
  readonly reason: string
}

export interface SetStatus {
  readonly type: "set_status"
  readonly status: MemberStatus
  readonly reason: string
}

/** Keyed hashes of the identities that the member is given, and of those that it loses; none is in both. */
export interface ChangeIdentities {
  readonly type: "change_identities"
  readonly add: ReadonlyArray<string>
  readonly remove: ReadonlyArray<string>
}

/** Profile, consent or attributes: what they become is written beside the record. */
export interface ChangeProfile {
  readonly type: "change_profile"
  /** Keyed hash of the external id that it is given, null where it loses it; absent: unchanged. */
  readonly external?: string | null | undefined
  /** Nothing but consent is withdrawn: a suspended member may, in a retired programme too. */
  readonly onlyWithdraws: boolean
}

/** Closes the member and takes all personal data away. */
export interface Erase {
  readonly type: "erase"
  readonly reason: string
}

/** Post everything that is due. */
export interface Expire {
  readonly type: "expire"
}

export type Action =
  | Enroll
  | FindMember
  | Accrue
  | AdjustOrder
  | AdjustManually
  | Reserve
  | FindReservation
  | Capture
  | Reverse
  | IssueReward
  | CancelReward
  | SetStatus
  | ChangeIdentities
  | ChangeProfile
  | Erase
  | Expire

/** A stamp card's reward in the making: an id and a code nobody can guess. */
export interface CardReward {
  readonly issued: string
  readonly code: string
}
