/**
 * The state of an account in memory: immutable data, the fold of its events.
 *
 * Memory is bounded by what is open. Only the latest few ended reservations and
 * rewards stay. Older ones, and all orders, are folded again from their records
 * when a command needs them (`Recall`). Orders are not kept because few are ever
 * refunded, and each would cost the garbage collector ten objects.
 */
import type { Funding, RewardEffect } from "../../../contract/protocol/Program.ts"
import type { MemberStatus, Unit } from "../../../contract/Values.ts"
import type { Counted, Progress } from "../../rules/Challenges.ts"
import type { Use, Uses } from "../../rules/Promotions.ts"
import type { IssuedArtifact, Merged, Paid, PromisedTier } from "./AccountEvent.ts"
import * as Lots from "./Lots.ts"
import type { EarnRule, PromotionFacts } from "./Posted.ts"

/** One unit's balance with its lots and counters. */
export interface UnitBalance {
  readonly unit: Unit
  readonly posted: number
  /** Sum of the costs of open holds. */
  readonly reserved: number
  readonly lots: Lots.Lots
  /** Sum of all accruals, adjustments and manual entries, where an order's adjustment counts by what the order keeps. */
  readonly lifetime: number
  /** The same sum within `State.period`, of entries that qualify. */
  readonly qualified: number
  /** The same sum within `State.lastPeriod`. */
  readonly last: number
  /** Sum of the amounts of these entries without the expired points that clawbacks have counted: it fills stamp cards. */
  readonly credited: number
}

/** The points of one unit that an order earned. */
export interface OrderEarning {
  readonly unit: Unit
  /** Number of the accrual's entry; after a merge, number of the entry that brought its points. */
  readonly n: number
  readonly rule: EarnRule
  readonly promotions: ReadonlyArray<PromotionFacts>
  /** Most that the order earns on the account. */
  readonly most: number
  /** Points of the order that the member keeps by the rule and the promotions, including expired ones. */
  readonly kept: number
  /** Amounts that metrics have counted of it. They differ from `kept` only where older records adjusted the order. */
  readonly inMetrics: number
  /** The order's own lots: the accrual's and those of its corrections, oldest first. */
  readonly lots: ReadonlyArray<number>
  /** Points that filled a hole which the order had not left, instead of returning to a lot. */
  readonly filled: ReadonlyArray<Lots.LotShare>
  /** Points of the own lots that have expired, minus those that clawbacks have counted. */
  readonly expired: number
  /** Expired points that clawbacks have counted. */
  readonly counted: number
  /** Points that clawbacks have taken and no correction has undone, in order of taking. Lot 0: they left a hole. */
  readonly clawed: ReadonlyArray<Lots.LotShare>
}

/** A line of an order, and what adjustments that named it have left of it. */
export interface OrderLine {
  readonly id: string
  /** Eligible spend at the accrual, minor units. */
  readonly spend: number
  /** True for a modifier that lowers the price. */
  readonly isNegative: boolean
  readonly quantity: number
  /** Minor units. */
  readonly subtotal: number
  /** Quantity and subtotal at the accrual. */
  readonly accrued: { readonly quantity: number; readonly subtotal: number }
}

/** The terms of an order's accrual, beside its rules. */
export interface OrderTerms {
  /** An order with less eligible spend earns nothing, minor units. */
  readonly minimum: number
  /** True if the order earns nothing, for its channel or a limit. */
  readonly isElsewhere: boolean
  readonly lines: ReadonlyArray<OrderLine>
  /** Sum of the eligible spend that corrections have added, minor units. */
  readonly raised: number
}

export interface OrderRecord {
  readonly order: string
  readonly location: string
  /** Start of the tier period that the accrual counts in; undefined if it counts in none. */
  readonly period: number | undefined
  /** Eligible spend at the accrual, minor units. */
  readonly spend: number
  /** Undefined: the accrual was recorded under earlier rules, which know no terms. */
  readonly terms: OrderTerms | undefined
  /** Sum of the eligible spend deltas so far. */
  readonly delta: number
  readonly closed: boolean
  /** True if adjustments have left nothing of its eligible spend. It counts as closed until spend returns. */
  readonly isEmpty: boolean
  /** True if some account has earned by its base rule. Then it counts as an order while it is neither closed nor empty. */
  readonly hasEarned: boolean
  /** Amounts that it counts for in limits while it is neither closed nor empty. */
  readonly uses: ReadonlyArray<Use>
  /** True if it was moved to another member: this is not its present record. */
  readonly isMoved?: true
  /** Amounts that it counts for in challenges, as it stands. */
  readonly challenges: ReadonlyArray<Counted>
  readonly earnings: ReadonlyArray<OrderEarning>
}

type ReservationStatus = "reserved" | "captured" | "reversed" | "expired"

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
  /** seq of the records that captured and reversed it: their replies are the first results. Absent if closing the member released it. */
  readonly capturedSeq?: number
  readonly reversedSeq?: number
  /** The accounts of those records, if they belong to a member that was merged into this one. */
  readonly capturedIn?: number
  readonly reversedIn?: number
}

/** `merged`: the reward moved to the member that this one was merged into. */
type IssuedStatus = "issued" | "redeemed" | "cancelled" | "expired" | "merged"

/** False for a reward that another member has now. */
export const isOwn = <A extends { readonly status: IssuedStatus }>(
  reward: A
): reward is A & { readonly status: Exclude<IssuedStatus, "merged"> } => reward.status !== "merged"

export interface IssuedReward {
  readonly issued: string
  /** Number of the reward in its account, from 1, in the order of issuing. */
  readonly n: number
  readonly reward: string
  readonly status: IssuedStatus
  readonly at: number
  readonly artifact: IssuedArtifact
  readonly expires?: number
  /** Absent: it was a gift. */
  readonly paid?: Paid
  readonly redeemed?: number
  readonly cancelled?: number
  readonly reason?: string
  /** seq of the record that cancelled it: its reply is the first result. Absent if closing the member cancelled it. */
  readonly cancelledSeq?: number
  /** The account of that record, if it belongs to a member that was merged into this one. */
  readonly cancelledIn?: number
}

/** The member that a member was merged into. */
export interface MergedInto {
  readonly account: number
  readonly member: string
  /** The record of that account with the merge. */
  readonly seq: number
}

export interface State {
  readonly program: string
  readonly member: string
  readonly status: MemberStatus
  /** Keyed hashes of the member's identities, in the order in which they were added. */
  readonly identities: ReadonlyArray<string>
  /** Keyed hash of the profile's external id. */
  readonly external: string | undefined
  /** The member that this one was merged into; everything of this one moved there. */
  readonly mergedInto: MergedInto | undefined
  /** The members that were merged into this one, in that order. */
  readonly merged: ReadonlyArray<Merged>
  /** When the member was enrolled, or, of a guest who was moved in, joined the other provider; ms. */
  readonly joined: number
  /** seq of the last record; 0 before the first. */
  readonly seq: number
  /** Time of the last event. No later event is dated before it. */
  readonly at: number
  /** Number of events that its records have announced (contract/events.md *Order*). */
  readonly announced: number
  /** Number of ledger entries so far, which is the number of the last one. */
  readonly entries: number
  readonly units: ReadonlyArray<UnitBalance>
  /** When lots without a date of their own expire; undefined if there never was such a date. It only moves to later. */
  readonly idle: number | undefined
  /** Start of the tier period that `qualified` counts; undefined before the first qualifying entry. */
  readonly period: number | undefined
  /** Start of the tier period that `last` counts: the latest that an entry counted in before `period`. */
  readonly lastPeriod: number | undefined
  /** The tier that the account last told; undefined if it told none. */
  readonly tier: string | undefined
  /** A tier that the member has at least; undefined: none was promised. It may have ended. */
  readonly promised: PromisedTier | undefined
  /** Number of rewards issued so far, which is the number of the last one. */
  readonly issued: number
  /** Number of full stamp cards for which a reward was issued. */
  readonly cards: number
  /** The instant at which the card began that `cards` counts (`Program.stampCards`); undefined if no record says so. */
  readonly card: number | undefined
  /** Number of orders that have earned by the base rules and do not count as closed. */
  readonly orders: number
  /** Uses that limits count, by promotion and window. */
  readonly uses: ReadonlyArray<Uses>
  /** Progress of challenges. */
  readonly challenges: ReadonlyArray<Progress>
  /** Open holds and the latest ended ones, oldest first. */
  readonly reservations: ReadonlyArray<Reservation>
  /** Usable rewards and the latest ended ones, oldest first. */
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
  announced: 0,
  entries: 0,
  units: [],
  idle: undefined,
  period: undefined,
  lastPeriod: undefined,
  tier: undefined,
  promised: undefined,
  issued: 0,
  cards: 0,
  card: undefined,
  orders: 0,
  uses: [],
  challenges: [],
  reservations: [],
  rewards: []
}

/** A state with its lots as a list. Snapshots store this form, and states are compared in it. */
export const plain = (state: State) => ({
  ...state,
  units: state.units.map((balance) => ({ ...balance, lots: Lots.toArray(balance.lots) }))
})

/** Empty balances by unit, shared: there are five units. */
const untouched = new Map<Unit, UnitBalance>()

/** The balance of a unit; an empty one if the unit never had an entry. */
export const unitOf = ({ units }: Pick<State, "units">, unit: Unit): UnitBalance => {
  for (const balance of units) if (balance.unit === unit) return balance
  let fresh = untouched.get(unit)
  if (fresh === undefined) {
    fresh = { unit, posted: 0, reserved: 0, lots: Lots.empty, lifetime: 0, qualified: 0, last: 0, credited: 0 }
    untouched.set(unit, fresh)
  }
  return fresh
}

/** Amounts that an account of a unit has counted within a tier period; older figures are not kept. */
export const qualifiedIn = (
  state: Pick<State, "period" | "lastPeriod">,
  { last, qualified }: Pick<UnitBalance, "last" | "qualified">,
  period: number | undefined
): number => {
  if (period === undefined) return 0
  if (period === state.period) return qualified
  return period === state.lastPeriod ? last : 0
}

/** Points that may be spent: posted minus open holds. Negative after a clawback below zero. */
export const available = (balance: UnitBalance): number => balance.posted - balance.reserved

/** Number of the entry that made a lot, or of the merge's entry that brought it. */
export const sourceOf = ({ merged }: Pick<State, "merged">, unit: Unit, n: number): number => {
  if (n > 0) return n
  const source = merged.find(({ lowest }) => n >= lowest)?.entries.find(([of]) => of === unit)
  if (source === undefined) throw new Error(`no entry has brought lot ${n}`)
  return source[1]
}

/**
 * The merges from `account` to this one, in order of time; undefined if it was
 * never merged into this one.
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

/** The accounts whose members were merged into this one, directly or through others; the latest and nearest first. */
export const mergedAccounts = ({ merged }: Pick<State, "merged">): ReadonlyArray<number> =>
  merged.toReversed().flatMap((one) => [one.account, ...mergedAccounts(one)])

/** The members that were merged into this one, directly or through others. */
export const mergedMembers = ({ merged }: Pick<State, "merged">): ReadonlyArray<Merged> =>
  merged.flatMap((one) => [one, ...mergedMembers(one)])

/** True if the member was erased: only an erased member is closed, not merged, and has no identities. */
export const isErased = ({ identities, mergedInto, status }: State): boolean =>
  status === "closed" && mergedInto === undefined && identities.length === 0

/** True if `name` is the id of this member or of a member that was merged into it. */
export const isNamed = ({ member, merged }: Pick<State, "member" | "merged">, name: string): boolean =>
  member === name || merged.some((one) => isNamed(one, name))

/** The reservation that holds an issued reward. */
export const holderOf = (state: State, issued: string): Reservation | undefined =>
  state.reservations.find((hold) => hold.status === "reserved" && hold.issued === issued)
