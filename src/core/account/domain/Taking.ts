/** Taking a reward into the wallet for points (contract/redemptions.md *Taking into the wallet*). */
import type { Reward } from "../../../contract/protocol/Program.ts"
import { said } from "../../../contract/Said.ts"
import { toMillis } from "../../../contract/Values.ts"
import type { Program } from "../../rules/Program.ts"
import { isForPoints } from "../../rules/Redemption.ts"
import * as Rewards from "../../rules/Rewards.ts"
import type { Paid } from "./AccountEvent.ts"
import type { Draft } from "./Draft.ts"
import type { Refusal } from "./Refusal.ts"
import { refusal } from "./Refusal.ts"
import type { State } from "./State.ts"
import { available, unitOf } from "./State.ts"

/** Why a member cannot take a reward now. `at_the_till`: the reward is never taken, only reserved for an order. */
export type Hindrance = "at_the_till" | "not_yet" | "over" | "below_minimum" | "too_few_points"

/** Points that may be spent of a unit; none below 0. */
export const spendable = (state: State, unit: Reward["cost"]["unit"]): number =>
  Math.max(0, available(unitOf(state, unit)))

/** Points that are missing for a reward, for its cost or the programme's minimum. */
export const missing = (state: State, { primaryUnit, redemption }: Program, { cost }: Reward): number => {
  const minimum = cost.unit === primaryUnit ? redemption.minimumPoints : 0
  return Math.max(0, Math.max(cost.amount, minimum) - spendable(state, cost.unit))
}

/** True if nobody can use the reward any more. */
export const isOver = (reward: Reward, at: number): boolean =>
  Rewards.availability(reward, at) === "no_longer_available"

/**
 * The first reason that applies; undefined: the member can take it. Requires: everything due by `at` is applied. A reward for
 * paying with points is not taken, because its share of an order is known at the till alone; nor is one that costs nothing.
 */
export const hindrance = (state: State, program: Program, reward: Reward, at: number): Hindrance | undefined => {
  if (reward.cost.amount === 0 || isForPoints(program.redemption, reward)) return "at_the_till"
  const availability = Rewards.availability(reward, at)
  if (availability !== "available") return availability === "not_yet_available" ? "not_yet" : "over"
  if (missing(state, program, reward) === 0) return undefined
  return spendable(state, reward.cost.unit) < reward.cost.amount ? "too_few_points" : "below_minimum"
}

const refused = (draft: Draft, { cost, reward_id }: Reward, why: Hindrance): Refusal => {
  const { amount, unit } = cost
  const free = spendable(draft.state, unit)
  switch (why) {
    case "too_few_points":
      return refusal("insufficient_balance", said`Reward ${reward_id} costs ${amount} ${unit}; ${free} are available.`)
    case "below_minimum": {
      const { minimumPoints } = draft.program.redemption
      return refusal(
        "reward_not_available",
        said`Rewards can be used from ${minimumPoints} ${unit} on; ${free} are available.`
      )
    }
    case "at_the_till":
      return refusal("reward_not_available", said`Reward ${reward_id} can only be used for an order.`)
    case "not_yet":
      return refusal("reward_not_available", said`Reward ${reward_id} is not yet available.`)
    case "over":
      return refusal("reward_not_available", said`Reward ${reward_id} is no longer available.`)
  }
}

/** Posts the cost of a reward. It ends with the reward's window, because nobody could use it afterwards. */
export const pay = (
  draft: Draft,
  reward: Reward,
  wallet: string
): { readonly paid: Paid; readonly expires?: number } | Refusal => {
  const why = hindrance(draft.state, draft.program, reward, draft.at)
  if (why !== undefined) return refused(draft, reward, why)
  const { amount: cost, unit } = reward.cost
  draft.post({ op: "redemption", unit, amount: -cost, wallet, reason: `reward ${reward.reward_id} taken` })
  const posted = draft.events.at(-1)
  if (posted?.type !== "posted") throw new Error("the entry is the last event")
  const { n: entry, taken = [] } = posted
  const { available_until: until } = reward
  return { paid: { unit, cost, entry, taken }, ...(until === undefined ? undefined : { expires: toMillis(until) }) }
}
