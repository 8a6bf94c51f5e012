/**
 * What is not in memory, folded again from its records: an order to refund, a
 * captured hold to reverse, a reward that was used.
 */
import type { Action } from "./Command.ts"
import type { Recalled } from "./Decision.ts"
import type { Event } from "./Event.ts"
import { evolveOrder, evolveReservation, evolveReward } from "./Evolve.ts"
import type { IssuedReward, OrderRecord, Reservation, State } from "./State.ts"

export type Want =
  | { readonly type: "order"; readonly id: string }
  | { readonly type: "reservation"; readonly id: string }
  | { readonly type: "reward"; readonly id: string }

/** What an action needs that neither the state holds (any more) nor was recalled for it. */
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
      // A wallet reward that comes back must be known again.
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

/** A record's events, and its number. */
export interface Happened {
  readonly seq: number
  readonly events: ReadonlyArray<Event>
}

/** Folds the records from the one that began the thing to the newest, in order; undefined where there is no such thing. */
export const recall = (want: Want, records: Iterable<Happened>): Recalled => {
  let order: OrderRecord | undefined
  let reservation: Reservation | undefined
  let reward: IssuedReward | undefined
  for (const record of records) {
    for (const event of record.events) {
      if (want.type === "order") {
        if (event.type !== "posted" && event.type !== "order_adjusted") continue
        if (order === undefined && (event.type !== "posted" || event.order !== want.id)) continue
        order = evolveOrder(order, event) ?? order
      } else if (want.type === "reservation") {
        if (!("reservation" in event) || event.reservation !== want.id) continue
        reservation = evolveReservation(reservation, event, record.seq) ?? reservation
      } else if ("issued" in event && event.issued === want.id) {
        reward = evolveReward(reward, event, record.seq) ?? reward
      }
    }
  }
  if (want.type === "order") return { order }
  return want.type === "reservation" ? { reservation } : { reward }
}
