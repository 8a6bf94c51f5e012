/**
 * Things that fall due with time: open holds, issued rewards, lots, and notices.
 */
import type { Unit } from "../../../contract/Values.ts"
import type { Program } from "../../rules/Program.ts"
import type { Lot } from "./Lots.ts"
import * as Lots from "./Lots.ts"
import * as Notices from "./Notices.ts"
import type { IssuedReward, Reservation, State, UnitBalance } from "./State.ts"
import { holderOf } from "./State.ts"

export type Due =
  | { readonly type: "hold"; readonly at: number; readonly hold: Reservation }
  | { readonly type: "reward"; readonly at: number; readonly reward: IssuedReward }
  | { readonly type: "lot"; readonly at: number; readonly unit: Unit; readonly lot: Lot; readonly free: number }

/** A hold only keeps lots that had not expired when it was created (contract/points.md *Expiration*). */
const nextLot = (state: State, balance: UnitBalance): ReturnType<typeof Lots.nextExpiring> => {
  const keepers = (expires: number) => {
    let cost = 0
    for (const hold of state.reservations) {
      if (hold.status === "reserved" && hold.unit === balance.unit && hold.created < expires) cost += hold.cost
    }
    return cost
  }
  return Lots.nextExpiring(balance.lots, balance.reserved, keepers, state.idle)
}

/**
 * The earliest thing that falls due; undefined if there is none. At one instant
 * holds expire first, so that a lot which they kept expires in one entry.
 */
export const nextDue = (state: State): Due | undefined => {
  let due: Due | undefined
  for (const hold of state.reservations) {
    if (hold.status === "reserved" && hold.expires < (due?.at ?? Infinity))
      due = { type: "hold", at: hold.expires, hold }
  }
  for (const reward of state.rewards) {
    if (reward.status !== "issued" || reward.expires === undefined || reward.expires >= (due?.at ?? Infinity)) continue
    if (holderOf(state, reward.issued) === undefined) due = { type: "reward", at: reward.expires, reward }
  }
  for (const balance of state.units) {
    if (Lots.earliestOf(balance.lots, state.idle) >= (due?.at ?? Infinity)) continue
    const next = nextLot(state, balance)
    if (next !== undefined && next.at < (due?.at ?? Infinity)) due = { type: "lot", unit: balance.unit, ...next }
  }
  return due
}

/**
 * The time at which the account must be woken, or null: the value of `accounts.next_due`. Without a programme notices do
 * not count, as in records of 0.2.0.
 */
export const nextDueAt = (state: State, program: Program | undefined): number | null => {
  const notice = program === undefined ? Infinity : Notices.wakeAt(state, program)
  const soonest = earliestOf(state)
  // Without holds nothing delays an expiration, so the earliest instant is right.
  const due = soonest !== Infinity && isHolding(state) ? (nextDue(state)?.at ?? Infinity) : soonest
  const at = Math.min(notice, due)
  return at === Infinity ? null : at
}

/** The earliest instant at which anything expires, ignoring that a hold may delay it. */
const earliestOf = (state: State): number => {
  let earliest = Infinity
  for (const { lots } of state.units) earliest = Math.min(earliest, Lots.earliestOf(lots, state.idle))
  for (const hold of state.reservations)
    if (hold.status === "reserved" && hold.expires < earliest) earliest = hold.expires
  for (const reward of state.rewards)
    if (reward.status === "issued" && reward.expires !== undefined && reward.expires < earliest)
      earliest = reward.expires
  return earliest
}

const isHolding = (state: State): boolean => state.reservations.some((hold) => hold.status === "reserved")

/** True if something may be due by `at`. A cheap check before `nextDue`. */
export const mayBeDue = (state: State, at: number): boolean => earliestOf(state) <= at
