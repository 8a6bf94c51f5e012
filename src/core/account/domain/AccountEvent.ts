/**
 * The events of an account, as the journal keeps them.
 *
 * An event carries every fact that `evolve` needs, lot by lot, so that a journal keeps its meaning when the rules
 * change. Times are ms, amounts are whole points. An event never contains personal data.
 */
import type { EnrolledVia } from "../../../contract/platform/EventTypes.ts"
import type { Funding, RewardEffect } from "../../../contract/protocol/Program.ts"
import type { MemberStatus, OrderAdjustmentType, Unit } from "../../../contract/Values.ts"
import type { Change, Completion, Counted, Progress } from "../../rules/Challenges.ts"
import type { Use, Uses } from "../../rules/Promotions.ts"
import type { LotShare } from "./Lots.ts"
import type { PointsExpiring, TierChanged } from "./NoticeEvents.ts"
import type { Posted } from "./Posted.ts"

export interface IssuedArtifact {
  readonly type: "code" | "qr_code"
  readonly value: string
}

/** The reason of the entries that a merge posts. */
export const mergeReason = "members merged"

/** Format of the records that this code writes and reads. */
export const EVENT_VERSION = 1

/** The change of a line by an adjustment: the line's place in the accrual, from 0. */
export type LineChange = readonly [place: number, quantity: number, subtotal: number]

interface Enrolled {
  readonly type: "enrolled"
  readonly at: number
  readonly program: string
  readonly member: string
  /** Keyed hash of the identity. The identity itself is personal data and is not in the journal. */
  readonly identity: string
  /** The tier with which the member begins. Absent in older records and without tiers. */
  readonly tier?: string
  /** Absent in older records. */
  readonly via?: EnrolledVia
  /** When a guest who was moved in joined the other provider, ms. Absent: at `at`. */
  readonly joined?: number
}

/** An identity was added to the member, or removed from it. */
interface IdentityChanged {
  readonly type: "identity_added" | "identity_removed"
  readonly at: number
  /** Its keyed hash. */
  readonly identity: string
}

/** An external id was added to the profile, or removed from it. */
interface ExternalIdChanged {
  readonly type: "external_id_given" | "external_id_freed"
  readonly at: number
  /** Its keyed hash, unique in the programme. */
  readonly external: string
}

/** Profile, consent or attributes were changed. Their values are stored outside the journal. */
interface ProfileChanged {
  readonly type: "profile_changed"
  readonly at: number
}

/** All personal data of the member was erased. The member is closed and has no identities. */
interface Erased {
  readonly type: "erased"
  readonly at: number
  readonly reason: string
}

interface StatusChanged {
  readonly type: "status_changed"
  readonly at: number
  readonly status: MemberStatus
  readonly reason: string
}

/** A member that was merged into this one, and how to find its points here. */
export interface Merged {
  /** The account of that member. */
  readonly account: number
  readonly member: string
  /** Its lots have new numbers here: the old number plus `shift`. All are below 0, and the least is `lowest`. */
  readonly shift: number
  readonly lowest: number
  /** The entries that brought its points. */
  readonly entries: ReadonlyArray<readonly [unit: Unit, n: number]>
  /** The record of this account with those entries. */
  readonly seq: number
  /** The members that had been merged into it before. */
  readonly merged: ReadonlyArray<Merged>
}

/** A tier that a member has at least, until an instant; absent: without an end. */
export interface PromisedTier {
  readonly tier: string
  readonly until?: number
}

/**
 * The standing that a guest had with another provider. The points, rewards and identities that were moved in have events of
 * their own in the same record, before this one.
 */
export interface MovedIn {
  readonly type: "moved_in"
  readonly at: number
  /** The amounts that it adds to the counters of each unit. */
  readonly counters: ReadonlyArray<readonly [unit: Unit, lifetime: number, qualified: number]>
  /** Start of the tier period in which all of `qualified` counts. */
  readonly period?: number
  readonly orders: number
  /** As in `Posted`. */
  readonly idle?: number
  readonly promised?: PromisedTier
  /** The tier that the member has from then on. Nobody is told of it. Absent without tiers. */
  readonly tier?: string
}

/** Another member was merged into this one. Entries, identities and wallet rewards have events of their own. */
export interface MergedIn extends Omit<Merged, "seq"> {
  readonly type: "merged_in"
  readonly at: number
  /** The amounts that it adds to the counters of each unit. */
  readonly counters: ReadonlyArray<
    readonly [unit: Unit, lifetime: number, qualified: number, credited: number, last?: number]
  >
  /** Start of the tier period in which all of `qualified` counts. */
  readonly period?: number
  /** The same of `last`, a period before. */
  readonly lastPeriod?: number
  /** Number of full stamp cards for which the other member was issued a reward, by the card in force. */
  readonly cards: number
  /** As in `Posted`, for this member. */
  readonly card?: Posted["card"]
  /** The other member's orders that are not closed, and its counts of limits. Absent in older records. */
  readonly orders?: number
  readonly uses?: ReadonlyArray<Uses>
  readonly challenges?: ReadonlyArray<Progress>
  /** As in `Posted`: the later date of both. */
  readonly idle?: number
  /** The higher of both promised tiers, if the other member has one. */
  readonly promised?: PromisedTier
}

/** The member was merged into another one. It is closed permanently, and its counters were added to the other's. */
export interface MergedAway {
  readonly type: "merged_away"
  readonly at: number
  readonly account: number
  readonly member: string
  /** The other account's record. */
  readonly seq: number
}

/** Earlier records were dated by a clock that was ahead of time. Later ones may be dated before them. */
interface ClockCorrected {
  readonly type: "clock_corrected"
  readonly at: number
  /** The time of the account's last record, by the wrong clock. */
  readonly from: number
}

/**
 * The account's date passed while open holds kept lots without a date of their own: they have it as their own from then
 * on, and end with the holds, whatever moves the account's date later.
 */
export interface LotsDated {
  readonly type: "lots_dated"
  readonly at: number
  readonly unit: Unit
  /** The lots with their points left and their date. */
  readonly lots: ReadonlyArray<LotShare>
}

/** Changes of an adjustment in the count of orders and in limits, so that replay asks no rule. */
export interface OrderCounts {
  /**
   * `none`: from now on adjustments have left nothing of an order whose eligible spend was above 0. It counts as closed.
   * `some`: spend has returned to such an order, and it counts again. Never twice in a row; absent: neither changed.
   */
  readonly left?: "none" | "some"
  /** Change of the count of orders, always set if the order closes. Absent in older records: −1 if it closes, and not `again`. */
  readonly orders?: -1 | 0 | 1
  /** Counts of limits that the order gives back, and those that it takes again. */
  readonly returns?: ReadonlyArray<Use>
  readonly takes?: ReadonlyArray<Use>
}

export interface OrderAdjusted extends OrderCounts {
  readonly type: "order_adjusted"
  readonly at: number
  readonly order: string
  readonly adjustment: string
  readonly kind: OrderAdjustmentType
  /** Change of eligible spend, minor units. */
  readonly delta: number
  /** The changes of its lines, if the adjustment was measured and named some. */
  readonly lines?: ReadonlyArray<LineChange>
  /** A full refund or void: the order cannot be adjusted any more. */
  readonly closes?: true
  /** The order was closed before, or counted as closed because nothing was left of it. */
  readonly again?: true
  /** The order was moved to this account, whose record `seq` has it from then on. */
  readonly moved?: { readonly account: number; readonly member: string; readonly seq: number }
}

/**
 * An order was moved to this member: what its adjustments had left of it. Its accrual's entries come before, and tell the
 * rest, as if something was left of it; if nothing was, `left` is `none`, and this takes back what they count.
 */
export interface OrderReceived extends OrderCounts {
  readonly type: "order_received"
  readonly at: number
  readonly order: string
  /** Number of the move among those of the order, from 1. */
  readonly move: number
  /** The account that it came from, with the record that took it back there. */
  readonly account: number
  readonly member: string
  readonly seq: number
  /** The amounts of that record's entries. */
  readonly taken: ReadonlyArray<readonly [unit: Unit, amount: number]>
  /** All accounts with records of it: `account`, those that it had belonged to, and members merged into them. */
  readonly before: ReadonlyArray<number>
  /** Sum of the changes of eligible spend so far, and of those that added. Minor units. */
  readonly delta: number
  readonly raised: number
  /** The sums of the changes of its lines. */
  readonly lines?: ReadonlyArray<LineChange>
  /** Points that refunds had taken of it, as shares of the lot of its entry here: corrections return them with these dates. */
  readonly refunded?: ReadonlyArray<readonly [unit: Unit, shares: ReadonlyArray<LotShare>]>
}

export interface Reserved {
  readonly type: "reserved"
  readonly at: number
  readonly reservation: string
  readonly redemption: string
  readonly reward: string
  readonly order: string
  readonly location: string
  readonly unit: Unit
  readonly cost: number
  readonly effect: RewardEffect
  readonly funding: ReadonlyArray<Funding>
  readonly expires: number
  /** The wallet reward that is held. */
  readonly issued?: string
  /** The member paid points for that wallet reward. */
  readonly isPaid?: true
  /** The evaluation that the caller acted on. */
  readonly evaluation?: string
}

/** The end of a hold, or the refund of a captured one. */
export interface HoldEnded {
  readonly type: "captured" | "released" | "refunded" | "hold_expired"
  readonly at: number
  readonly reservation: string
  /** The hold ended because the member was closed. So the reply of this record answers no command on the hold. */
  readonly closing?: true
}

/** The points that a member paid for a wallet reward. */
export interface Paid {
  readonly unit: Unit
  readonly cost: number
  /** Number of the entry; after a merge, number of the entry that brought its points. */
  readonly entry: number
  /** The lots that it consumed. */
  readonly taken: ReadonlyArray<LotShare>
}

export interface RewardIssued {
  readonly type: "reward_issued"
  readonly at: number
  readonly issued: string
  /** Number of the reward in its account, from 1, in the order of issuing. */
  readonly n: number
  readonly reward: string
  readonly artifact: IssuedArtifact
  readonly expires?: number
  /** Number of the full stamp card that issued it, from 1. Absent: not issued by a stamp card. */
  readonly card?: number
  /** Absent: it was a gift. */
  readonly paid?: Paid
}

/** The facts of an issued reward that it keeps when it comes back, or moves to another account. */
export type IssuedFacts = Pick<RewardIssued, "at" | "n" | "reward" | "artifact" | "expires" | "paid">

/** Progress that an order adds to challenges, or changes of it by an adjustment. */
export interface ChallengeProgressed {
  readonly type: "challenge_progressed"
  readonly at: number
  readonly order: string
  /** The accrual's parts, with their terms. */
  readonly counts?: ReadonlyArray<Counted>
  /** The changes of an adjustment. */
  readonly changes?: ReadonlyArray<Change>
  /** Progress that no challenge has any more. */
  readonly forgets?: ReadonlyArray<Pick<Change, "id" | "since">>
}

interface ChallengeCompleted extends Completion {
  readonly type: "challenge_completed"
  readonly at: number
  /** The reward that was issued; absent if the completion makes up for one that a refund undid. */
  readonly issued?: string
}

interface RewardRedeemed {
  readonly type: "reward_redeemed"
  readonly at: number
  readonly issued: string
}

interface RewardRestored {
  readonly type: "reward_restored"
  readonly at: number
  readonly issued: string
  /** The facts of its issuing, if it had left memory. */
  readonly was?: IssuedFacts
}

interface RewardCancelled {
  readonly type: "reward_cancelled"
  readonly at: number
  readonly issued: string
  readonly reason: string
  /** As in `HoldEnded`. */
  readonly closing?: true
}

/** An open reward moved to the member that this one was merged into. */
interface RewardMoved {
  readonly type: "reward_moved"
  readonly at: number
  readonly issued: string
}

/** An open reward came from a member that was merged into this one, or was moved in. `was.n` is its number in this account. */
interface RewardReceived {
  readonly type: "reward_received"
  readonly at: number
  readonly issued: string
  readonly was: IssuedFacts
}

interface RewardExpired {
  readonly type: "reward_expired"
  readonly at: number
  readonly issued: string
}

/** An issued reward of the account is redeemed, given back, or ended. */
export type RewardChanged = RewardRedeemed | RewardRestored | RewardCancelled | RewardExpired

export type AccountEvent =
  | Posted
  | Enrolled
  | IdentityChanged
  | ExternalIdChanged
  | ProfileChanged
  | Erased
  | StatusChanged
  | MovedIn
  | MergedIn
  | MergedAway
  | ClockCorrected
  | LotsDated
  | OrderAdjusted
  | OrderReceived
  | Reserved
  | HoldEnded
  | RewardIssued
  | ChallengeProgressed
  | ChallengeCompleted
  | RewardChanged
  | RewardMoved
  | RewardReceived
  | TierChanged
  | PointsExpiring
