/**
 * What a decision answers, as it is kept with its record: enough to put the
 * original body together again, at any time and for any caller, without personal data.
 */
import type { IneligibleReason, Unit } from "../../contract/Values.ts"
import type { IssuedReward, Reservation } from "./State.ts"

/** `[unit, amount, reserved, label]`; the label is there where the programme has one. */
export type BalanceFigures = readonly [unit: Unit, amount: number, reserved: number, label?: string]

/** The record's own entries from number `first` to `last`: expirations that came before are not among them. */
export interface EntriesReply {
  readonly type: "entries"
  readonly first: number
  readonly last: number
  readonly balances: ReadonlyArray<BalanceFigures>
  /** Accruals: why an account that earns by spend earned nothing. */
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
  readonly reward: Omit<IssuedReward, "cancelledSeq" | "cancelledIn">
}

/** The member's identities and attributes are put in when the answer is rendered. */
export interface MemberReply {
  readonly type: "member"
  readonly created: boolean
  readonly tier?: string
  readonly balances: ReadonlyArray<BalanceFigures>
}

/** A business identifier again, under another key: the first record's reply. */
export interface SameReply {
  readonly type: "same"
  readonly seq: number
  /** That record's account, where it is of a member that was merged into this one. */
  readonly account?: number
}

/** The service's own commands answer nobody. */
export interface NoReply {
  readonly type: "none"
}

export type Reply = EntriesReply | ReservationReply | RewardReply | MemberReply | SameReply | NoReply
