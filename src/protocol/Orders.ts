/**
 * Orders: evaluation, accrual, adjustments.
 */
import { Effect } from "effect"
import * as Codes from "../account/Codes.ts"
import { checkOrder, estimate } from "../account/domain/Orders.ts"
import { refusal } from "../account/domain/Refusal.ts"
import type { State } from "../account/domain/State.ts"
import { available, unitOf } from "../account/domain/State.ts"
import * as Rows from "../account/Rows.ts"
import { canonical } from "../contract/Decode.ts"
import type { RequestOf } from "../contract/protocol/Operations.ts"
import type { Order } from "../contract/protocol/Order.ts"
import type { Reward } from "../contract/protocol/Program.ts"
import { fromMillis } from "../contract/Values.ts"
import { Journal } from "../journal/Journal.ts"
import { later } from "../program/Expiration.ts"
import * as Funding from "../program/Funding.ts"
import type { Program } from "../program/Program.ts"
import * as Rewards from "../program/Rewards.ts"
import type { Caller, Handled } from "./Handler.ts"
import * as Reads from "./Reads.ts"
import { answer, ownerOf } from "./Reads.ts"
import * as Render from "./Render.ts"
import * as Writes from "./Writes.ts"
import { payload } from "./Writes.ts"

/** A reward in an evaluation, with every reason why it is unavailable. */
const evaluated = (state: State, program: Program, reward: Reward, order: Order, at: number) => {
  const availability = Rewards.availability(reward, at)
  const reasons = [
    ...(program.isRetired ? ["program_retired"] : []),
    ...(state.status === "active" ? [] : ["member_not_active"]),
    ...(availability === "available" ? [] : [availability]),
    ...(Rewards.hasItemFor(reward.effect, order) ? [] : ["no_matching_item"]),
    ...(available(unitOf(state, reward.cost.unit)) >= reward.cost.amount || reward.cost.amount === 0
      ? []
      : ["insufficient_balance"])
  ]
  return {
    reward_id: reward.reward_id,
    name: reward.name,
    status: reasons.length === 0 ? "available" : "unavailable",
    unavailable_reasons: reasons.length === 0 ? undefined : reasons,
    cost: reward.cost,
    effect: reward.effect,
    funding: Funding.split(reward.funding, Rewards.valueOf(reward.effect))
  }
}

/**
 * The points that an order would earn under a definition, and the rewards that it could use. The definition need not be
 * in force.
 */
export const evaluationOf = (state: State, program: Program, order: Order, at: number) => {
  const refused = checkOrder(order, program, state, at)
  if (refused !== undefined) return refused
  const { accruals, ineligible } = estimate(state, program, order, at)
  const estimates = accruals.map(({ points, unit }) => ({ unit, amount: points }))
  if (estimates.some(({ amount }) => !Number.isSafeInteger(amount))) {
    return refusal("invalid_state", "The order would earn more points than can be counted exactly.")
  }
  return {
    order_id: order.order_id,
    estimated_accrual: estimates[0] ?? { unit: program.primaryUnit, amount: 0 },
    estimated_accruals: estimates.length > 1 ? estimates : undefined,
    ineligible_reasons: ineligible.length > 0 ? ineligible : undefined,
    rewards: [...program.rewards.values()].map((reward) => evaluated(state, program, reward, order, at))
  }
}

export const make = Effect.gen(function* () {
  const { claimKey } = yield* Journal
  const { read } = yield* Reads.make
  const { guard, guardFacts, write } = yield* Writes.make

  const evaluate = (request: RequestOf<"order.evaluate">): Effect.Effect<Handled> => {
    const { member_id, order } = request
    return read(order.scope.program_id, member_id, (state, resident, program, at) => {
      const found = evaluationOf(state, program, order, at)
      if ("code" in found) return found
      const owner = ownerOf(resident)
      return answer(
        {
          evaluation_id: Codes.identifier("evl"),
          member_id: owner.member,
          ...found,
          balances: Render.balances(owner, state, program, at),
          expires_at: fromMillis(later(at, program.evaluationTtlMs))
        },
        at
      )
    })
  }

  const accrue = (request: RequestOf<"accrual.post">, caller: Caller): Effect.Effect<Handled> => {
    const { context, evaluation_id, member_id, order } = request
    const program = order.scope.program_id
    const facts = [`${member_id} `, canonical(order)]
    const business = { key: Rows.orderClaim(claimKey, program, order.order_id), facts }
    const guards = guardFacts("accrual.post", program, context, evaluation_id, business)
    return write(caller, program, member_id, { type: "accrue", order, evaluation: evaluation_id }, guards)
  }

  const adjustOrder = (request: RequestOf<"order.adjust">, caller: Caller): Effect.Effect<Handled> => {
    const { adjustment, context, member_id, program_id } = request
    const text = canonical(payload(request))
    const business = { key: Rows.adjustmentClaim(claimKey, program_id, adjustment.adjustment_id), facts: text }
    return write(
      caller,
      program_id,
      member_id,
      { type: "adjust_order", adjustment },
      guard("order.adjust", program_id, context, text, business)
    )
  }

  return { "order.evaluate": evaluate, "accrual.post": accrue, "order.adjust": adjustOrder }
})
