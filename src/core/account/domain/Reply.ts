/**
 * The reply of a decision, as stored with its record. From it the original
 * response body can be built again, at any time and for any caller. It contains
 * no personal data.
 */
import type { IneligibleReason, MemberStatus, Unit } from "../../../contract/Values.ts"
import type { IssuedReward, Reservation } from "./State.ts"

/** `[unit, amount, reserved, label]`; without label if the programme has none. */
export type BalanceFigures = readonly [unit: Unit, amount: number, reserved: number, label?: string]

/** The record's own entries from number `first` to `last`, without expirations that were posted before them. */
interface EntriesReply {
  readonly type: "entries"
  readonly first: number
  readonly last: number
  readonly balances: ReadonlyArray<BalanceFigures>
  /** Accruals: the reasons why a balance that earns by spend earned nothing. */
  readonly ineligible?: ReadonlyArray<IneligibleReason>
}

export interface ReservationReply {
  readonly type: "reservation"
  readonly created: boolean
  readonly reservation: Omit<
    Reservation,
    "taken" | "entry" | "capturedSeq" | "capturedIn" | "reversedSeq" | "reversedIn"
  >
  readonly balances: ReadonlyArray<BalanceFigures>
}

export interface RewardReply {
  readonly type: "reward"
  readonly created: boolean
  readonly reward: Omit<IssuedReward, "cancelledSeq" | "cancelledIn" | "paid">
}

/** Rendering adds the member's identities and attributes. */
interface MemberReply {
  readonly type: "member"
  readonly created: boolean
  /** Absent: active. */
  readonly status?: MemberStatus
  readonly tier?: string
  readonly balances: ReadonlyArray<BalanceFigures>
}

/** The same was done before under another idempotency key: the first record's reply is the answer. */
interface SameReply {
  readonly type: "same"
  readonly seq: number
  /** That record's account, if it belongs to a member that was merged into this one. */
  readonly account?: number
  /** Of a repeated business identifier: the balances when it was repeated, which are answered instead of the first. */
  readonly balances?: ReadonlyArray<BalanceFigures>
}

/** The reply of commands without a response body. */
interface NoReply {
  readonly type: "none"
}

export type Reply = EntriesReply | ReservationReply | RewardReply | MemberReply | SameReply | NoReply
