/**
 * Decisions about redemptions: reserve, capture, reverse (contract/redemptions.md *Reserve*, *Capture*, *Reverse*).
 */
import type { Order } from "../../../contract/protocol/Order.ts"
import type { Reward } from "../../../contract/protocol/Program.ts"
import type { Sentence } from "../../../contract/Said.ts"
import { faultAt, said } from "../../../contract/Said.ts"
import { later } from "../../rules/Expiration.ts"
import { isForPoints, multiplied } from "../../rules/Redemption.ts"
import * as Rewards from "../../rules/Rewards.ts"
import type { AccountEvent } from "./AccountEvent.ts"
import type { Capture, FindReservation, Reserve, Reverse } from "./Action.ts"
import type { Circumstances, Decided, Decision } from "./Decision.ts"
import { balances, closed, decided, doneBefore, inactive } from "./Decision.ts"
import type { Draft } from "./Draft.ts"
import { evolveReservation, evolveReward } from "./Evolve.ts"
import { reached } from "./HoldLimits.ts"
import { checkOrder } from "./Orders.ts"
import type { Refusal } from "./Refusal.ts"
import { refusal } from "./Refusal.ts"
import { factsOf } from "./Rewards.ts"
import type { IssuedReward, Reservation, State } from "./State.ts"
import { available, holderOf, unitOf } from "./State.ts"

const decidedReservation = (draft: Draft, hold: Reservation, created: boolean): Decided => {
  draft.settle()
  const {
    capturedIn: _c,
    capturedSeq: _d,
    entry: _e,
    reversedIn: _r,
    reversedSeq: _s,
    taken: _t,
    ...reservation
  } = hold
  return decided(draft, { type: "reservation", created, reservation, balances: balances(draft.state, draft.program) })
}

const findHold = (state: State, reservation: string): Reservation | undefined =>
  state.reservations.find((hold) => hold.reservation === reservation)

const rewardOf = (state: State, issued: string, given: Circumstances): IssuedReward | undefined =>
  state.rewards.find((reward) => reward.issued === issued) ?? given.recalled?.reward

/** Refuses a wallet reward that cannot be held. */
const wallet = (state: State, action: Reserve, reward: IssuedReward): Refusal | undefined => {
  const { issued } = reward
  if (reward.reward !== action.reward) {
    return refusal("invalid_state", said`Issued reward ${issued} is for reward ${reward.reward}, not ${action.reward}.`)
  }
  if (reward.status !== "issued") return refusal("invalid_state", said`Issued reward ${issued} is ${reward.status}.`)
  const holder = holderOf(state, issued)
  return holder === undefined
    ? undefined
    : refusal("invalid_state", said`Issued reward ${issued} is held by reservation ${holder.reservation}.`)
}

const notAvailable = (reward: Reward, order: Order, at: number): Refusal | undefined => {
  const availability = Rewards.availability(reward, at)
  if (availability !== "available")
    return refusal("reward_not_available", said`Reward ${reward.reward_id} is ${availability.replaceAll("_", " ")}.`)
  if (Rewards.hasItemFor(reward.effect, order)) return undefined
  return refusal(
    "reward_not_available",
    said`Order ${order.order_id} has no item that reward ${reward.reward_id} is for.`
  )
}

const wrongPoints = (sentence: Sentence): Refusal => {
  const fault = faultAt("/points", sentence)
  return refusal("validation_failed", `/points ${fault.message}.`, [fault])
}

/** How often the reward is held at once; 0 for a wallet reward, which costs nothing. */
const timesOf = ({ redemption }: Draft["program"], reward: Reward, { issued, points }: Reserve): number | Refusal => {
  if (points !== undefined && issued !== undefined)
    return refusal("invalid_state", "A reservation is paid with points or with a wallet reward, not with both.")
  if (issued !== undefined) return 0
  if (points === undefined) return 1
  if (!isForPoints(redemption, reward)) return wrongPoints("must be absent: this reward is not for paying with points")
  const { amount } = reward.cost
  return points % amount === 0 ? points / amount : wrongPoints(said`must be a multiple of ${amount}, the reward's cost`)
}

const limited = (draft: Draft, reward: Reward, order: Order, times: number): Refusal | undefined => {
  const [first] = reached(draft.state, draft.program, reward, order, times)
  return first === undefined ? undefined : refusal("reward_not_available", first.sentence)
}

/** Refuses an order for which no reward is held any more. */
const over = ({ order_id, status }: Order): Refusal | undefined =>
  status === "refunded" || status === "voided"
    ? refusal("invalid_state", said`Order ${order_id} is ${status}; no reward can be reserved for it.`)
    : undefined

export const reserve = (draft: Draft, action: Reserve, given: Circumstances): Decision => {
  const { evaluation, issued, order } = action
  const { reservation } = given
  if (reservation === undefined) throw new Error("reserve comes with the reservation's id")
  const reward = draft.program.rewards.get(action.reward)
  if (reward === undefined)
    return refusal("not_found", said`Programme ${draft.program.id} has no reward ${action.reward}.`)
  const held = issued === undefined ? undefined : rewardOf(draft.state, issued, given)
  if (issued !== undefined && held === undefined) {
    return refusal("not_found", said`Member ${draft.state.member} has no issued reward ${issued}.`)
  }
  const times = timesOf(draft.program, reward, action)
  if (typeof times === "object" && times.code === "validation_failed") return times
  const refused = inactive(draft.state) ?? checkOrder(order, draft.program, draft.state, draft.at)
  if (refused !== undefined) return refused
  if (typeof times === "object") return times
  draft.settle()
  const unheld =
    over(order) ??
    notAvailable(reward, order, draft.at) ??
    limited(draft, reward, order, times) ??
    (held === undefined ? undefined : wallet(draft.state, action, draft.after(held, evolveReward)))
  if (unheld !== undefined) return unheld
  const { unit } = reward.cost
  const cost = times * reward.cost.amount
  const free = available(unitOf(draft.state, unit))
  if (cost > 0 && cost > free) {
    return refusal("insufficient_balance", said`Reward ${action.reward} costs ${cost} ${unit}; ${free} are available.`)
  }
  const { effect } = reward
  draft.emit({
    type: "reserved",
    at: draft.at,
    reservation,
    redemption: action.redemption,
    reward: action.reward,
    order: order.order_id,
    location: order.scope.location_id,
    unit,
    cost,
    effect: effect.type === "discount" && times > 1 ? multiplied(effect, times) : effect,
    funding: reward.funding,
    expires: later(draft.at, draft.program.reservationTtlMs),
    ...(issued === undefined ? undefined : { issued }),
    ...(held?.paid === undefined ? undefined : { isPaid: true }),
    ...(evaluation === undefined ? undefined : { evaluation })
  })
  const hold = findHold(draft.state, reservation)
  if (hold === undefined) throw new Error("a hold is there once it was reserved")
  return decidedReservation(draft, hold, true)
}

const afterEvent = (hold: Reservation, event: AccountEvent, seq: number): Reservation | undefined =>
  "reservation" in event && event.type !== "posted" ? evolveReservation(hold, event, seq) : undefined

const unknown = (reservation: string): Refusal => refusal("not_found", said`There is no reservation ${reservation}.`)

/** Answers a repeated redemption with the present state of its reservation, so that no till gives a discount for an ended hold. */
export const findReservation = (draft: Draft, action: FindReservation, given: Circumstances): Decision => {
  const before = findHold(draft.state, action.reservation) ?? given.recalled?.reservation
  if (before === undefined) return unknown(action.reservation)
  draft.settle()
  return decidedReservation(draft, draft.after(before, afterEvent), false)
}

export const capture = (draft: Draft, action: Capture, given: Circumstances): Decision => {
  const before = findHold(draft.state, action.reservation) ?? given.recalled?.reservation
  if (before === undefined) return unknown(action.reservation)
  if (before.order !== action.order) {
    return refusal(
      "conflict",
      said`Reservation ${action.reservation} is for order ${before.order}, not ${action.order}.`
    )
  }
  if (before.status === "captured" && before.capturedSeq !== undefined)
    return doneBefore(before.capturedSeq, before.capturedIn)
  const refused = closed(draft.state)
  if (refused !== undefined) return refused
  draft.settle()
  const hold = draft.after(before, afterEvent)
  if (hold.status === "expired") return refusal("expired", said`Reservation ${action.reservation} has expired.`)
  if (hold.status !== "reserved")
    return refusal("invalid_state", said`Reservation ${action.reservation} is ${hold.status}.`)
  if (hold.cost > 0) {
    draft.post(
      {
        op: "redemption",
        unit: hold.unit,
        amount: -hold.cost,
        order: hold.order,
        location: hold.location,
        reservation: hold.reservation
      },
      hold.created
    )
  }
  draft.emit({ type: "captured", at: draft.at, reservation: hold.reservation })
  if (hold.issued !== undefined) draft.emit({ type: "reward_redeemed", at: draft.at, issued: hold.issued })
  return decidedReservation(draft, { ...hold, status: "captured", captured: draft.at }, false)
}

export const reverse = (draft: Draft, action: Reverse, given: Circumstances): Decision => {
  const before = findHold(draft.state, action.reservation) ?? given.recalled?.reservation
  if (before === undefined) return unknown(action.reservation)
  if (before.status === "reversed") {
    return before.reversedSeq === undefined
      ? decidedReservation(draft, before, false)
      : doneBefore(before.reversedSeq, before.reversedIn)
  }
  const refused = closed(draft.state)
  if (refused !== undefined) return refused
  draft.settle()
  const hold = draft.after(before, afterEvent)
  if (hold.status === "expired") return refusal("expired", said`Reservation ${action.reservation} has expired.`)
  if (hold.status === "captured") refund(draft, hold, action.reason, given)
  else draft.emit({ type: "released", at: draft.at, reservation: hold.reservation })
  return decidedReservation(draft, { ...hold, status: "reversed", reversed: draft.at }, false)
}

const refund = (draft: Draft, hold: Reservation, reason: string, given: Circumstances): void => {
  const { issued, location, order, reservation } = hold
  if (hold.cost > 0) draft.restore(hold, { order, location, reservation, reason })
  draft.emit({ type: "refunded", at: draft.at, reservation: hold.reservation })
  if (issued === undefined) return
  const isKnown = draft.state.rewards.some((reward) => reward.issued === issued)
  const gone = isKnown ? undefined : given.recalled?.reward
  draft.emit({
    type: "reward_restored",
    at: draft.at,
    issued,
    ...(gone === undefined ? undefined : { was: factsOf(gone) })
  })
}
