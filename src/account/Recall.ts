/**
 * What has left memory, folded again from the journal: an order to refund, a
 * captured hold to reverse, a reward that was used.
 */
import type { Action } from "./Command.ts"
import type { Recorded } from "./Codec.ts"
import type { Recalled } from "./Decision.ts"
import { evolveOrder, evolveReservation, evolveReward } from "./Evolve.ts"
import type { IssuedReward, OrderRecord, Reservation, State } from "./State.ts"

export type Want =
  | { readonly type: "order"; readonly id: string }
  | { readonly type: "reservation"; readonly id: string }
  | { readonly type: "reward"; readonly id: string }

/** What an action needs that the state does not hold (any more). */
export const wants = (state: State, action: Action): Want | undefined => {
  switch (action.type) {
    case "adjust_order": {
      const id = action.adjustment.original_order_id
      return state.orders.some((record) => record.order === id) ? undefined : { type: "order", id }
    }
    case "capture":
    case "reverse": {
      const id = action.reservation
      return state.reservations.some((hold) => hold.reservation === id) ? undefined : { type: "reservation", id }
    }
    case "reserve":
    case "cancel_reward": {
      const id = action.issued
      if (id === undefined || state.rewards.some((reward) => reward.issued === id)) return undefined
      return { type: "reward", id }
    }
    default:
      return undefined
  }
}

/** Folds the records from the one that began the thing to the newest, in order. */
export const recall = (want: Want, records: Iterable<Recorded>): Recalled => {
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
  return { order, reservation, reward }
}
