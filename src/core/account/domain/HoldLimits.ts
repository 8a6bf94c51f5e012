/**
 * The programme's limits on rewards of an order (contract/redemptions.md *Limits of an order*, *Paying with points*).
 *
 * Counted are the member's own holds on the order, open or captured, that memory has: the open ones and the latest
 * ended ones.
 */
import type { Order } from "../../../contract/protocol/Order.ts"
import type { Reward } from "../../../contract/protocol/Program.ts"
import type { Said } from "../../../contract/Said.ts"
import { said } from "../../../contract/Said.ts"
import { maxAmount, type UnavailableReason } from "../../../contract/Values.ts"
import type { Program } from "../../rules/Program.ts"
import { discountOf, isForPoints, largestShare } from "../../rules/Redemption.ts"
import type { Reservation, State } from "./State.ts"
import { available, unitOf } from "./State.ts"

/** A limit that prevents a hold. */
export interface Reached {
  readonly reason: Extract<UnavailableReason, "limit_reached" | "below_minimum_points">
  readonly sentence: Said
}

/** The member's own holds on an order, open or captured. */
export const holdsOn = ({ reservations }: State, { order_id }: Order): ReadonlyArray<Reservation> =>
  reservations.filter(({ order, status }) => order === order_id && (status === "reserved" || status === "captured"))

/** Minor units that points may still take off an order; undefined if the reward is not for that. */
const shareLeft = ({ redemption }: Program, reward: Reward, order: Order, holds: ReadonlyArray<Reservation>) => {
  const pay = redemption.payWithPoints
  if (pay === undefined || !isForPoints(redemption, reward)) return undefined
  const paid = holds.filter((hold) => hold.reward === reward.reward_id && hold.cost > 0)
  const taken = paid.reduce((sum, { effect }) => sum + discountOf(effect), 0)
  return largestShare(order.totals.total.amount, pay.maxShareBps) - taken
}

/** The limits that prevent a hold of the reward `times` times; 0 times: a wallet reward, which costs nothing. */
export const reached = (
  state: State,
  program: Program,
  reward: Reward,
  order: Order,
  times: number
): ReadonlyArray<Reached> => {
  const { minimumPoints, rewardsPerOrder } = program.redemption
  const { amount, unit } = reward.cost
  const holds = holdsOn(state, order)
  const found: Array<Reached> = []
  const limit = (sentence: Said) => found.push({ reason: "limit_reached", sentence })
  if (holds.length >= rewardsPerOrder)
    limit(said`Order ${order.order_id} has ${holds.length} rewards; the programme allows ${rewardsPerOrder}.`)
  if (times === 0 || amount === 0) return found
  const left = shareLeft(program, reward, order, holds)
  // Compared before they are multiplied: the product may be no exact number.
  if (left !== undefined && times > Math.floor(Math.max(0, left) / discountOf(reward.effect)))
    limit(said`Points may take ${Math.max(0, left)} more, in minor units, off order ${order.order_id}.`)
  if (unit !== program.primaryUnit) return found
  const own = holds.reduce((sum, hold) => sum + (hold.unit === unit ? hold.cost : 0), 0)
  const had = available(unitOf(state, unit)) + own
  // A balance below zero lacks points, which is another refusal.
  if (Math.max(0, had) < minimumPoints) {
    const sentence = said`Rewards can be used from ${minimumPoints} ${unit} on; ${had} are available.`
    found.push({ reason: "below_minimum_points", sentence })
  }
  return found
}

/** The most `points` that a hold of the reward may take now; undefined if the reward is not for that. */
export const mostPoints = (state: State, program: Program, reward: Reward, order: Order): number | undefined => {
  const left = shareLeft(program, reward, order, holdsOn(state, order))
  if (left === undefined) return undefined
  const { amount, unit } = reward.cost
  const spendable = Math.min(available(unitOf(state, unit)), maxAmount)
  const times = Math.min(Math.floor(spendable / amount), Math.floor(left / discountOf(reward.effect)))
  return Math.max(0, times) * amount
}
