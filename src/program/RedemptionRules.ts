/** The rules of a programme file's `redemption` and of its limit on rewards (contract/programmes.md *Checks of a file*). */
import type { BodyFault } from "../contract/Decode.ts"
import { maxAmount } from "../contract/Values.ts"
import type { ProgramFile } from "../contract/ProgramFile.ts"
import type { Reward } from "../contract/protocol/Program.ts"

/** Most rewards on an order. */
const maxRewards = 1000

const place = "/redemption/pay_with_points"

/** The parts of a file whose own shape is valid. */
interface Draft {
  readonly limits?: ProgramFile["limits"]
  readonly redemption?: ProgramFile["redemption"]
  readonly rewards: {
    readonly items: ReadonlyArray<{ readonly [K in keyof Reward]?: Reward[K] | undefined } | undefined>
    readonly isWhole: boolean
  }
}

/** Every violated rule, with place (JSON Pointer) and reason. */
export const redemptionFaults = ({ limits, redemption, rewards }: Draft): ReadonlyArray<BodyFault> => {
  const found: Array<BodyFault> = []
  const say = (path: string, message: string) => found.push({ path, message })
  const within = (value: number | undefined, low: number, high: number, path: string) => {
    if (value !== undefined && (value < low || value > high)) say(path, `must be ${low} to ${high}`)
  }
  within(limits?.rewards_per_order, 1, maxRewards, "/limits/rewards_per_order")
  within(redemption?.minimum_points, 0, maxAmount, "/redemption/minimum_points")
  const pay = redemption?.pay_with_points
  if (pay === undefined) return found
  within(pay.max_share_bps, 1, 10_000, `${place}/max_share_bps`)
  const reward = rewards.items.find((one) => one?.reward_id === pay.reward_id)
  if (reward === undefined) {
    const mayBeMalformed = rewards.items.some((one) => one?.reward_id === undefined)
    if (rewards.isWhole && !mayBeMalformed) say(`${place}/reward_id`, "must name one of the rewards")
    return found
  }
  const { cost, effect } = reward
  const isDiscount = effect === undefined || (effect.type === "discount" && effect.amount.amount > 0)
  if (!isDiscount || cost?.amount === 0)
    say(`${place}/reward_id`, "must name a reward that has a cost and a discount above 0")
  return found
}
