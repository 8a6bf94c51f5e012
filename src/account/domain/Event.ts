/**
 * What happened to an account: the events that the journal keeps.
 *
 * An event carries every fact that `evolve` needs, lot by lot, so that a
 * journal means the same after the rules have moved on. Times are ms, amounts
 * whole points. Personal data never enters an event.
 */
import type { Funding, RewardEffect } from "../../contract/protocol/Program.ts"
import type { Classification, LedgerOperation, MemberStatus, OrderAdjustmentType, Unit } from "../../contract/Values.ts"
import type { LotShare } from "./Lots.ts"

export interface IssuedArtifact {
  readonly type: "code" | "qr_code"
  readonly value: string
}

/** Format of the records this code writes and reads. */
export const EVENT_VERSION = 1

/**
 * How an accrual's points follow from eligible spend, kept with the accrual:
 * `[amount, spend, multiplier_bps]`. Spend is minor units; 0 means per order.
 */
export type EarnRule = readonly [amount: number, spend: number, multiplierBps: number]

/** A ledger entry and what it did to the lots. */
export interface Posted {
  readonly type: "posted"
  readonly at: number
  /** The account's entries are numbered from 1. */
  readonly n: number
  readonly op: LedgerOperation
  readonly unit: Unit
  readonly amount: number
  /** Instant at which the lot made by this entry expires. */
  readonly expires?: number
  /** Points that went into a new lot, where that is not the whole positive amount. */
  readonly lot?: number
  /** Points taken out of lots. */
  readonly taken?: ReadonlyArray<LotShare>
  /** Points put back into lots, or brought by a merge with the dates they had; then the entry makes no other lot unless `lot` says so. */
  readonly back?: ReadonlyArray<LotShare>
  /** Expired points of an order that a clawback counted and did not post; negative where a correction undid that. */
  readonly counted?: number
  /** Points of earlier clawbacks that a correction undid, in lot 0 those that had left a hole; `back` is less by what filled one. */
  readonly undone?: ReadonlyArray<LotShare>
  /** Of `undone` and what was added, what filled a hole of somebody else's; of a clawback, what it took out of there again. */
  readonly filled?: ReadonlyArray<LotShare>
  /** Number of the source entry. */
  readonly related?: number
  readonly order?: string
  readonly location?: string
  readonly adjustment?: string
  readonly reservation?: string
  readonly classification?: Classification
  readonly reason?: string
  readonly qualifies?: boolean
  /** Start of the tier period in which the amount counts as qualifying; 0 without a tier policy. */
  readonly period?: number
  /** A stamp card's reset, or a merge's entry: counts for no metric. */
  readonly reset?: true
  /** Accruals: the order's eligible spend and the rule that earned. */
  readonly spend?: number
  readonly rule?: EarnRule
  /** Accruals: the evaluation that the caller acted on. */
  readonly evaluation?: string
}

export interface Enrolled {
  readonly type: "enrolled"
  readonly at: number
  readonly program: string
  readonly member: string
  /** Keyed hash of the identity: the identity itself is personal and stays out of the journal. */
  readonly identity: string
}

/** The member is given another identity, or loses one: its keyed hash. */
export interface IdentityChanged {
  readonly type: "identity_added" | "identity_removed"
  readonly at: number
  readonly identity: string
}

/** The profile is given an external id, or loses it: its keyed hash, which no other member of the programme has. */
export interface ExternalIdChanged {
  readonly type: "external_id_given" | "external_id_freed"
  readonly at: number
  readonly external: string
}

/** Profile, consent or attributes were changed: they lie beside the journal. */
export interface ProfileChanged {
  readonly type: "profile_changed"
  readonly at: number
}

/** All personal data of the member was erased; it is closed and has no identities any more. */
export interface Erased {
  readonly type: "erased"
  readonly at: number
  readonly reason: string
}

export interface StatusChanged {
  readonly type: "status_changed"
  readonly at: number
  readonly status: MemberStatus
  readonly reason: string
}

/** A member that was merged into this one, and where what it had is found. */
export interface Merged {
  /** Its account. */
  readonly account: number
  readonly member: string
  /** Its lots have other numbers here: theirs and `shift`, the least of them `lowest`, all below 0. */
  readonly shift: number
  readonly lowest: number
  /** The entries that brought its points. */
  readonly entries: ReadonlyArray<readonly [unit: Unit, n: number]>
  /** The record of this account that did. */
  readonly seq: number
  /** The members that had been merged into it before. */
  readonly merged: ReadonlyArray<Merged>
}

/** Another member was merged into this one. Entries, identities and wallet rewards have events of their own. */
export interface MergedIn extends Omit<Merged, "seq"> {
  readonly type: "merged_in"
  readonly at: number
  /** What it adds to the counters of each unit. */
  readonly counters: ReadonlyArray<readonly [unit: Unit, lifetime: number, qualified: number, credited: number]>
  /** Start of the tier period in which all of `qualified` counts. */
  readonly period?: number
  /** Full stamp cards for which it was issued a reward. */
  readonly cards: number
}

/** The member was merged into another one: it is closed for ever, and its counters are the other's. */
export interface MergedAway {
  readonly type: "merged_away"
  readonly at: number
  readonly account: number
  readonly member: string
  /** The other account's record. */
  readonly seq: number
}

export interface OrderAdjusted {
  readonly type: "order_adjusted"
  readonly at: number
  readonly order: string
  readonly adjustment: string
  readonly kind: OrderAdjustmentType
  /** Change of eligible spend, minor units. */
  readonly delta: number
  /** A full refund or void: nothing of the order is left to adjust. */
  readonly closes?: true
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
  /** The evaluation that the caller acted on. */
  readonly evaluation?: string
}

/** The end of a hold, or of what a hold had become. */
export interface HoldEnded {
  readonly type: "captured" | "released" | "refunded" | "hold_expired"
  readonly at: number
  readonly reservation: string
  /** It ended because the member was closed: no command on the hold has that answer. */
  readonly closing?: true
}

export interface RewardIssued {
  readonly type: "reward_issued"
  readonly at: number
  readonly issued: string
  /** The account's rewards are numbered from 1, in the order of issuing. */
  readonly n: number
  readonly reward: string
  readonly artifact: IssuedArtifact
  readonly expires?: number
  /** Issued by the stamp card: which full card of the account, from 1. */
  readonly card?: number
}

export interface RewardRedeemed {
  readonly type: "reward_redeemed"
  readonly at: number
  readonly issued: string
}

export interface RewardRestored {
  readonly type: "reward_restored"
  readonly at: number
  readonly issued: string
  /** What it was issued as, where it had left memory when it came back. */
  readonly was?: Pick<RewardIssued, "at" | "n" | "reward" | "artifact" | "expires">
}

export interface RewardCancelled {
  readonly type: "reward_cancelled"
  readonly at: number
  readonly issued: string
  readonly reason: string
  /** As of a hold's end. */
  readonly closing?: true
}

/** An open reward went to the member that this one was merged into. */
export interface RewardMoved {
  readonly type: "reward_moved"
  readonly at: number
  readonly issued: string
}

/** An open reward of a member that was merged into this one: as it was issued, under a number of this account. */
export interface RewardReceived {
  readonly type: "reward_received"
  readonly at: number
  readonly issued: string
  readonly was: Pick<RewardIssued, "at" | "n" | "reward" | "artifact" | "expires">
}

export interface RewardExpired {
  readonly type: "reward_expired"
  readonly at: number
  readonly issued: string
}

export type Event =
  | Posted
  | Enrolled
  | IdentityChanged
  | ExternalIdChanged
  | ProfileChanged
  | Erased
  | StatusChanged
  | MergedIn
  | MergedAway
  | OrderAdjusted
  | Reserved
  | HoldEnded
  | RewardIssued
  | RewardRedeemed
  | RewardRestored
  | RewardCancelled
  | RewardExpired
  | RewardMoved
  | RewardReceived
