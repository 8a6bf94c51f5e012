/**
 * The actions of an account. An action carries everything that `decide` needs
 * from outside: checked input, ids and random codes. The time comes
 * separately, as `now`.
 */
import type { EnrolledVia } from "../../../contract/platform/EventTypes.ts"
import type { Order, OrderAdjustment } from "../../../contract/protocol/Order.ts"
import type { Classification, MemberStatus, Unit } from "../../../contract/Values.ts"
import type { IssuedArtifact, IssuedFacts } from "./AccountEvent.ts"
import type { LotShare } from "./Lots.ts"

export interface Enroll {
  readonly type: "enroll"
  readonly program: string
  readonly member: string
  /** Keyed hash of the identity. */
  readonly identity: string
  /** Keyed hash of the profile's external id. */
  readonly external?: string | undefined
  readonly via?: EnrolledVia | undefined
  /** Of a guest who is moved in. */
  readonly joined?: number | undefined
  readonly moves?: Moved | undefined
}

/** A lot by the entry that made it, of this account or of one that was merged into it. */
export interface LotOrigin {
  readonly account: number
  readonly n: number
}

/** Points that are moved in. Times are ms. */
export interface MovedPoints {
  /** The id of the entry, which is the lot's in the files of the move. */
  readonly adjustment: string
  readonly unit: Unit
  /** Below 0: a correction takes what an earlier file had too much. */
  readonly amount: number
  /** Of a correction: the lots that it corrects. It takes of no other. */
  readonly lots?: ReadonlyArray<LotOrigin> | undefined
  /** When they were earned; absent: now. */
  readonly earned?: number | undefined
  /** When they expire; null: never; absent: by the programme's rule. */
  readonly expires?: number | null | undefined
}

/** A wallet reward that is moved in. */
export interface MovedReward {
  readonly issued: string
  readonly reward: string
  readonly code: string
  /** When it was issued; absent: now. */
  readonly at?: number | undefined
  readonly expires?: number | undefined
}

/** All that a guest brings from another provider. */
export interface Moved {
  /** Keyed hashes of identities to add. */
  readonly identities: ReadonlyArray<string>
  readonly points: ReadonlyArray<MovedPoints>
  /** Amounts by unit: ever earned, and in the present tier period. */
  readonly counters: ReadonlyArray<readonly [unit: Unit, lifetime: number, qualified: number]>
  readonly orders: number
  /** When the guest last earned, for points that expire by inactivity; absent: as the latest of `points`. */
  readonly lastEarned?: number | undefined
  /** `until` absent: to the end of the present tier period. */
  readonly tier?: { readonly id: string; readonly until?: number | undefined } | undefined
  readonly rewards: ReadonlyArray<MovedReward>
}

/** A member brings something from another provider. */
export interface MoveIn extends Moved {
  readonly type: "move_in"
  /** Keyed hash of the profile's external id, if it changes. */
  readonly external?: string | undefined
  /** True if profile, consent or attributes change. */
  readonly changesProfile: boolean
}

/** An enrolment whose identity belongs to this member already. Its own member id is ignored. */
interface FindMember {
  readonly type: "find_member"
}

export interface Accrue {
  readonly type: "accrue"
  readonly order: Order
  /** The evaluation that the caller acted on. It is stored and not checked. */
  readonly evaluation?: string | undefined
}

export interface AdjustOrder {
  readonly type: "adjust_order"
  readonly adjustment: OrderAdjustment
}

export interface AdjustManually {
  readonly type: "adjust_manually"
  readonly adjustment: string
  /** The restaurant that gives or takes; absent: none. */
  readonly location?: string | undefined
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
  /** Paying with points: a multiple of the reward's cost. Absent: once. */
  readonly points?: number | undefined
  readonly order: Order
  readonly issued?: string | undefined
  /** As in `Accrue`. */
  readonly evaluation?: string | undefined
}

/** Finds the present state of a redemption that was reserved before. */
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
  /** True: the member pays its cost (`Taking`). Absent: it is a gift. */
  readonly isPaid?: true
  readonly issued: string
  readonly reward: string
  readonly expires?: number | undefined
  readonly artifact: IssuedArtifact
}

export interface CancelReward {
  readonly type: "cancel_reward"
  readonly issued: string
  readonly reason: string
  /** True: it was issued by mistake, and is cancelled for a suspended member, too. */
  readonly isTakenBack?: boolean
}

export interface SetStatus {
  readonly type: "set_status"
  readonly status: MemberStatus
  readonly reason: string
}

/** Keyed hashes of the identities to add and to remove. No identity is in both lists. */
export interface ChangeIdentities {
  readonly type: "change_identities"
  readonly add: ReadonlyArray<string>
  readonly remove: ReadonlyArray<string>
}

/** Changes profile, consent or attributes. Their values are stored beside the record, not in it. */
export interface ChangeProfile {
  readonly type: "change_profile"
  /** Keyed hash of the new external id; null: the external id is removed; absent: unchanged. */
  readonly external?: string | null | undefined
  /** True if the change only withdraws consent. That is allowed for suspended members and in retired programmes. */
  readonly onlyWithdraws: boolean
}

/** Closes the member and erases all personal data. */
export interface Erase {
  readonly type: "erase"
  readonly reason: string
}

/** An expiration of a lot whose time had not come. */
export interface ExpiredEarly {
  readonly unit: Unit
  /** Number of the expiration's entry. */
  readonly entry: number
  /** The points to return; at most what the entry took. */
  readonly share: LotShare
}

/** A wallet reward that expired before its time. */
export interface RewardExpiredEarly {
  readonly issued: string
  readonly was: IssuedFacts
}

/** Lots and rewards that expired early on an account. */
export interface FoundEarly {
  readonly lots: ReadonlyArray<ExpiredEarly>
  readonly rewards: ReadonlyArray<RewardExpiredEarly>
  /** seq of the last record that was read. */
  readonly seq: number
  /** Records that are dated after they were written, and not explained by an earlier restoration. */
  readonly records: number
}

/** Return what a clock ahead of time has expired, and take the account's time back to the present. */
export interface RestoreExpired {
  readonly type: "restore_expired"
  readonly found: FoundEarly
  readonly reason: string
}

/** Post everything that is due. */
interface Expire {
  readonly type: "expire"
}

export type Action =
  | Enroll
  | FindMember
  | MoveIn
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
  | RestoreExpired

/** Id and random code for a reward that a full stamp card or a completed challenge will issue. */
export interface CardReward {
  readonly issued: string
  readonly code: string
}
