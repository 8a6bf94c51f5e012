/**
 * What an account can be asked to do. A command brings everything `decide`
 * needs from outside: checked input, ids and random codes, and the claims that
 * guard it. Times come separately, as `now`.
 */
import type { Unit } from "../../contract/Values.ts"
import type { Order, OrderAdjustment } from "../../contract/protocol/Order.ts"
import type { Claim, Hash128 } from "../../journal/Journal.ts"
import type { Classification, IssuedArtifact, MemberStatus } from "./Vocabulary.ts"

/** An idempotency key's claim: its fingerprint is of the whole payload. */
export interface KeyClaim extends Claim {
  /** The fingerprint as earlier versions made it, where that was another. */
  readonly formerly?: () => ReadonlyArray<Hash128>
}

/** Whether a key was claimed with this payload, by this version or an earlier one. */
export const isOfPayload = (key: KeyClaim, fingerprint: Hash128): boolean =>
  key.fingerprint === fingerprint || key.formerly?.().includes(fingerprint) === true

/** What guards a command against happening twice (decisions.md §4 Idempotency). */
export interface Guards {
  /** The idempotency key; absent for the service's own commands. */
  readonly key?: KeyClaim
  /** The business identifier: order, adjustment, redemption, issued reward or identity. */
  readonly business?: Claim
  /** Whatever else must be unique: an artifact's value, a new member's id. */
  readonly further?: ReadonlyArray<Claim>
}

export interface Enroll {
  readonly type: "enroll"
  readonly program: string
  readonly member: string
}

/** An enrolment whose identity already has this member. */
export interface FindMember {
  readonly type: "find_member"
  /** The member id that the request named, if any: another one is a conflict. */
  readonly member?: string
}

export interface Accrue {
  readonly type: "accrue"
  readonly order: Order
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
  /** The reservation's id; undefined where the member was unknown when it was to be made. */
  readonly reservation: string | undefined
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
}

/** Post what has fallen due. */
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
  | Capture
  | Reverse
  | IssueReward
  | CancelReward
  | SetStatus
  | Expire

export interface Command {
  readonly action: Action
  readonly guards: Guards
}

/** A stamp card's reward in the making: an id and a code nobody can guess. */
export interface CardReward {
  readonly issued: string
  readonly code: string
  /** The claims for both. */
  readonly claims: ReadonlyArray<Claim>
}
