/**
 * What an account holds in memory: plain immutable data, the fold of its events.
 *
 * Memory is bounded by what is open. Of ended reservations and rewards only the
 * latest few stay; older ones, and orders, are folded again from their records
 * when a command asks for them (`Recall`). Few orders are ever refunded: kept
 * here, each was ten objects more for a young collection to copy.
 */
import type { Funding, RewardEffect } from "../../contract/protocol/Program.ts"
import type { MemberStatus, Unit } from "../../contract/Values.ts"
import type { EarnRule, IssuedArtifact, Merged } from "./Event.ts"
import * as Lots from "./Lots.ts"

/** One unit's balance with its lots and counters. */
export interface UnitAccount {
  readonly unit: Unit
  readonly posted: number
  /** Sum of the costs of open holds. */
  readonly reserved: number
  readonly lots: Lots.Lots
  /** Accruals, adjustments and manual entries ever. */
  readonly lifetime: number
  /** The same within `State.period`, manual ones only where they qualify. */
  readonly qualified: number
  /** Accruals and manual credits ever: what fills stamp cards. */
  readonly credited: number
}

/** What one unit's account has of an order. */
export interface OrderEarning {
  readonly unit: Unit
  /** Number of the accrual's entry; after a merge, of the entry that brought its points. */
  readonly n: number
  readonly rule: EarnRule
  /** What the member keeps of the order by its rule, expired or not. */
  readonly kept: number
  /** The order's own lots: the accrual's and those of its corrections, oldest first. */
  readonly lots: ReadonlyArray<number>
  /** Points that filled a hole which the order had not left, instead of coming back to a lot. */
  readonly filled: ReadonlyArray<Lots.LotShare>
  /** Points that have expired out of the own lots, less what clawbacks have counted of that. */
  readonly expired: number
  readonly counted: number
  /** What clawbacks have taken and no correction has undone, in their order; lot 0 stands for a hole. */
  readonly clawed: ReadonlyArray<Lots.LotShare>
}

export interface OrderRecord {
  readonly order: string
  readonly location: string
  /** Eligible spend when it accrued, minor units; 0 where it earned nothing. */
  readonly spend: number
  /** Sum of the eligible spend deltas so far. */
  readonly delta: number
  readonly closed: boolean
  readonly earnings: ReadonlyArray<OrderEarning>
}

export type ReservationStatus = "reserved" | "captured" | "reversed" | "expired"

export interface Reservation {
  readonly reservation: string
  readonly redemption: string
  readonly reward: string
  readonly order: string
  readonly location: string
  readonly unit: Unit
  readonly cost: number
  readonly effect: RewardEffect
  readonly funding: ReadonlyArray<Funding>
  readonly created: number
  readonly expires: number
  readonly issued?: string
  readonly status: ReservationStatus
  readonly captured?: number
  readonly reversed?: number
  /** Number of the redemption entry, and the lots it consumed. */
  readonly entry?: number
  readonly taken?: ReadonlyArray<Lots.LotShare>
  /** seq of the records that captured and reversed it: their replies are the first results. None where closing the member released it. */
  readonly capturedSeq?: number
  readonly reversedSeq?: number
  /** The accounts of those records, where they are of a member that was merged into this one. */
  readonly capturedIn?: number
  readonly reversedIn?: number
}

/** `merged`: the member that this one was merged into has it. */
export type IssuedStatus = "issued" | "redeemed" | "cancelled" | "expired" | "merged"

export interface IssuedReward {
  readonly issued: string
  /** Counts the account's rewards in the order of issuing, from 1. */
  readonly n: number
  readonly reward: string
  readonly status: IssuedStatus
  readonly at: number
  readonly artifact: IssuedArtifact
  readonly expires?: number
  readonly redeemed?: number
  readonly cancelled?: number
  readonly reason?: string
  /** seq of the record that cancelled it, as of a reservation. */
  readonly cancelledSeq?: number
  /** As of a reservation's. */
  readonly cancelledIn?: number
}

/** Where a member is that was merged into another one. */
export interface MergedInto {
  readonly account: number
  readonly member: string
  /** The record that took it in. */
  readonly seq: number
}

export interface State {
  readonly program: string
  readonly member: string
  readonly status: MemberStatus
  /** Keyed hashes of the member's identities, in the order in which they were given. */
  readonly identities: ReadonlyArray<string>
  /** Keyed hash of the profile's external id. */
  readonly external: string | undefined
  /** The member that this one was merged into; it has everything that this one had. */
  readonly mergedInto: MergedInto | undefined
  /** The members that were merged into this one, in that order. */
  readonly merged: ReadonlyArray<Merged>
  /** When the member was enrolled, ms. */
  readonly joined: number
  /** seq of the last record; 0 before the first. */
  readonly seq: number
  /** Time of the last event: nothing is dated before it. */
  readonly at: number
  /** Ledger entries so far; the last one's number. */
  readonly entries: number
  readonly units: ReadonlyArray<UnitAccount>
  /** Start of the tier period that `qualified` counts; undefined before the first qualifying entry. */
  readonly period: number | undefined
  /** Rewards ever issued; the last one's number. */
  readonly issued: number
  /** Full stamp cards for which a reward was issued. */
  readonly cards: number
  /** Open holds and the latest ended ones, oldest first. */
  readonly reservations: ReadonlyArray<Reservation>
  /** Rewards that can be used and the latest that cannot any more, oldest first. */
  readonly rewards: ReadonlyArray<IssuedReward>
}

export const initialState: State = {
  program: "",
  member: "",
  status: "active",
  identities: [],
  external: undefined,
  mergedInto: undefined,
  merged: [],
  joined: 0,
  seq: 0,
  at: 0,
  entries: 0,
  units: [],
  period: undefined,
  issued: 0,
  cards: 0,
  reservations: [],
  rewards: []
}

/** A state with its lots as a list: what snapshots keep, and what two states are compared by. */
export const plain = (state: State) => ({
  ...state,
  units: state.units.map((account) => ({ ...account, lots: Lots.toArray(account.lots) }))
})

/** Empty accounts by unit, shared: there are five units. */
const untouched = new Map<Unit, UnitAccount>()

/** The account of a unit; one that was never posted to is empty. */
export const unitOf = ({ units }: Pick<State, "units">, unit: Unit): UnitAccount => {
  for (const account of units) if (account.unit === unit) return account
  let fresh = untouched.get(unit)
  if (fresh === undefined) {
    fresh = { unit, posted: 0, reserved: 0, lots: Lots.empty, lifetime: 0, qualified: 0, credited: 0 }
    untouched.set(unit, fresh)
  }
  return fresh
}

/** Points that may be spent: posted less open holds; negative after a clawback below zero. */
export const available = (account: UnitAccount): number => account.posted - account.reserved

/** Number of the entry that made a lot, or brought it where a merge did. */
export const sourceOf = ({ merged }: Pick<State, "merged">, unit: Unit, n: number): number => {
  if (n > 0) return n
  const source = merged.find(({ lowest }) => n >= lowest)?.entries.find(([of]) => of === unit)
  if (source === undefined) throw new Error(`no entry has brought lot ${n}`)
  return source[1]
}

/**
 * The merges through which what an account had came to this one, the first of
 * them first; undefined where it did not.
 */
export const pathFrom = (
  { merged }: Pick<State, "merged">,
  account: number
): readonly [Merged, ...ReadonlyArray<Merged>] | undefined => {
  for (const one of merged) {
    if (one.account === account) return [one]
    const path = pathFrom(one, account)
    if (path !== undefined) return [...path, one]
  }
  return undefined
}

/** The accounts whose members were merged into this one, also through others; the latest and nearest first. */
export const mergedAccounts = ({ merged }: Pick<State, "merged">): ReadonlyArray<number> =>
  merged.toReversed().flatMap((one) => [one.account, ...mergedAccounts(one)])

/** Whether the member was erased: no other closed member is without identities. */
export const isErased = ({ identities, mergedInto, status }: State): boolean =>
  status === "closed" && mergedInto === undefined && identities.length === 0

/** Whether a member's id names this account: its own, or that of a member merged into it. */
export const isNamed = ({ member, merged }: Pick<State, "member" | "merged">, name: string): boolean =>
  member === name || merged.some((one) => isNamed(one, name))

/** The reservation that holds an issued reward. */
export const holderOf = (state: State, issued: string): Reservation | undefined =>
  state.reservations.find((hold) => hold.status === "reserved" && hold.issued === issued)
