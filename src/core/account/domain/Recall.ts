/**
 * Folds things that have left memory from their records again: an order to
 * refund, a captured hold to reverse, a reward that was used.
 */

import type { Unit } from "../../../contract/Values.ts"
import type { AccountEvent, Merged } from "./AccountEvent.ts"
import type { Action } from "./Action.ts"
import type { Recalled } from "./Decision.ts"
import { evolveReservation, evolveReward } from "./Evolve.ts"
import { evolveOrder } from "./EvolveOrder.ts"
import type { LotShare } from "./Lots.ts"
import type { IssuedReward, OrderRecord, Reservation, State } from "./State.ts"

export type Want =
  | { readonly type: "order"; readonly id: string }
  | { readonly type: "reservation"; readonly id: string }
  | { readonly type: "reward"; readonly id: string }

/** The thing that an action needs and that neither the state nor `recalled` has. */
export const wants = (state: State, action: Action, recalled: Recalled = {}): Want | undefined => {
  switch (action.type) {
    case "adjust_order":
      return "order" in recalled ? undefined : { type: "order", id: action.adjustment.original_order_id }
    case "find_reservation":
    case "capture":
    case "reverse": {
      const id = action.reservation
      const hold = state.reservations.find((one) => one.reservation === id) ?? recalled.reservation
      if (hold === undefined) return "reservation" in recalled ? undefined : { type: "reservation", id }
      // The reversal restores a wallet reward, so its facts are needed again.
      return action.type === "reverse" && hold.status === "captured"
        ? wantsReward(state, hold.issued, recalled)
        : undefined
    }
    case "reserve":
    case "cancel_reward":
      return wantsReward(state, action.issued, recalled)
    default:
      return undefined
  }
}

const wantsReward = (state: State, id: string | undefined, recalled: Recalled): Want | undefined =>
  id === undefined || "reward" in recalled || state.rewards.some((reward) => reward.issued === id)
    ? undefined
    : { type: "reward", id }

/** The events of one record, and its seq. */
interface Happened {
  readonly seq: number
  readonly events: ReadonlyArray<AccountEvent>
}

/** Records of one account, in order. */
export interface Segment {
  /**
   * The merge that brought the thing to this account: it is applied at its `merged_in` event, and later events are folded.
   * Absent in the first segment.
   */
  readonly merged?: Merged | undefined
  readonly records: Iterable<Happened>
}

/**
 * Folds a thing from its first record to the newest, through the accounts that
 * it was merged into. The result is undefined if there is no such thing.
 */
export const recall = (want: Want, segments: Iterable<Segment>): Recalled => {
  let recalled: Recalled = {}
  for (const { merged, records } of segments) {
    let isThere = merged === undefined
    for (const record of records) {
      for (const event of record.events) {
        if (isThere) recalled = foldInto(recalled, want, event, record.seq)
        else if (event.type === "merged_in" && merged?.account === event.account) {
          isThere = true
          recalled = brought(recalled, merged)
        }
      }
    }
  }
  return { [want.type]: undefined, ...recalled }
}

const isOfOrder = (event: AccountEvent) =>
  event.type === "posted" ||
  event.type === "order_adjusted" ||
  event.type === "order_received" ||
  event.type === "challenge_progressed"

/** An order's record begins with its accrual. */
const isAccrualOf = (event: AccountEvent, order: string): boolean =>
  event.type === "posted" && event.op === "accrual" && event.order === order

const foldInto = (recalled: Recalled, want: Want, event: AccountEvent, seq: number): Recalled => {
  const { order, reservation, reward } = recalled
  switch (want.type) {
    case "order":
      if (!isOfOrder(event)) return recalled
      if (order === undefined && !isAccrualOf(event, want.id)) return recalled
      return { order: evolveOrder(order, event) ?? order }
    case "reservation":
      if (!("reservation" in event) || event.reservation !== want.id) return recalled
      return { reservation: evolveReservation(reservation, event, seq) ?? reservation }
    case "reward":
      if (!("issued" in event) || event.issued !== want.id) return recalled
      return { reward: evolveReward(reward, event, seq) ?? reward }
  }
}

/** A thing of a merged member, with the numbers of the account that the member was merged into. */
const brought = ({ order, reservation, reward }: Recalled, merged: Merged): Recalled => ({
  ...(order === undefined ? undefined : { order: broughtOrder(order, merged) }),
  ...(reservation === undefined ? undefined : { reservation: broughtReservation(reservation, merged) }),
  ...(reward === undefined ? undefined : { reward: broughtReward(reward, merged) })
})

/** Shares with new lot numbers. Number 0 is a hole and stays 0. */
const moved = (shares: ReadonlyArray<LotShare>, { shift }: Merged): ReadonlyArray<LotShare> =>
  shares.map(([n, points, expires, earned]): LotShare => [n === 0 ? n : n + shift, points, expires, earned])

const entryOf = ({ entries }: Merged, unit: Unit): number => {
  const entry = entries.find(([of]) => of === unit)
  if (entry === undefined) throw new Error(`a merge brought nothing of ${unit}`)
  return entry[1]
}

const broughtOrder = (order: OrderRecord, merged: Merged): OrderRecord => ({
  ...order,
  earnings: order.earnings.map((earning) => ({
    ...earning,
    n: entryOf(merged, earning.unit),
    lots: earning.lots.map((n) => n + merged.shift),
    filled: moved(earning.filled, merged),
    clawed: moved(earning.clawed, merged)
  }))
})

const broughtReservation = (hold: Reservation, merged: Merged): Reservation => {
  const { account } = merged
  return {
    ...hold,
    ...(hold.entry === undefined ? undefined : { entry: entryOf(merged, hold.unit) }),
    ...(hold.taken === undefined ? undefined : { taken: moved(hold.taken, merged) }),
    ...(hold.capturedSeq === undefined ? undefined : { capturedIn: hold.capturedIn ?? account }),
    ...(hold.reversedSeq === undefined ? undefined : { reversedIn: hold.reversedIn ?? account })
  }
}

/** A wallet reward of a merged member, with the numbers of the account that the member was merged into. */
export const broughtReward = (reward: IssuedReward, merged: Merged): IssuedReward => {
  const { cancelledIn = merged.account, cancelledSeq, paid } = reward
  return {
    ...reward,
    ...(cancelledSeq === undefined ? undefined : { cancelledIn }),
    ...(paid === undefined
      ? undefined
      : { paid: { ...paid, entry: entryOf(merged, paid.unit), taken: moved(paid.taken, merged) } })
  }
}
