/** The rules of a programme file's `redemption` (contract/programmes.md *Checks of a file*). */
import type { BodyFault } from "../../contract/Decode.ts"
import type { ProgramFile } from "../../contract/ProgramFile.ts"
import type { Reward } from "../../contract/protocol/Program.ts"

const place = "/redemption/pay_with_points"

/** The parts of a file whose own shape is valid. */
interface Draft {
  readonly redemption?: ProgramFile["redemption"]
  readonly rewards: {
    readonly items: ReadonlyArray<{ readonly [K in keyof Reward]?: Reward[K] | undefined } | undefined>
    readonly isWhole: boolean
  }
}

/** Every violated rule, with place (JSON Pointer) and reason. */
export const redemptionFaults = ({ redemption, rewards }: Draft): ReadonlyArray<BodyFault> => {
  const found: Array<BodyFault> = []
  const say = (path: string, message: string) => found.push({ path, message })
  const pay = redemption?.pay_with_points
  if (pay === undefined) return found
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
