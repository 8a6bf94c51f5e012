/** Points and gifts of campaigns in money, as the programme has it. */
import type { PointValue } from "../../contract/ProgramFile.ts"
import type { Campaign } from "../../contract/platform/Campaigns.ts"
import { rewardWorth, worthOf } from "../../contract/Worth.ts"
import { useProgram } from "../shared/program.tsx"

type Worth = PointValue["worth"]

/**
 * The worth of an amount of an account's points. Undefined: the programme sets none for it, or the session may not read the
 * programme. `unit` undefined: the primary account.
 */
const usePointWorth = (unit: string | undefined): ((amount: number) => Worth) | undefined => {
  const program = useProgram().data?.program
  const primary = program?.accounts.find(({ is_primary }) => is_primary)?.unit
  const value = unit === undefined || unit === primary ? program?.point_value : undefined
  return value === undefined ? undefined : (amount) => worthOf(value, amount)
}

/** Why nobody knows what a gift costs. `account`: points of another account than the primary one, which have no value. */
type Unknown = "points" | "account" | "reward"

/** The most that so many gifts cost, or why nobody knows it; undefined: the session may not read the programme. */
export const useGiftWorth = ({
  credit,
  issue_reward: reward
}: Campaign["action"]): ((times: number) => Worth) | Unknown | undefined => {
  const program = useProgram().data?.program
  const ofPoints = usePointWorth(credit?.unit)
  if (program === undefined) return undefined
  if (reward !== undefined) {
    const each = rewardWorth(program.rewards, reward.reward_id)
    return each === undefined ? "reward" : (times) => ({ amount: times * each, currency: program.currency })
  }
  if (ofPoints !== undefined) return (times) => ofPoints(times * (credit?.amount ?? 0))
  return program.point_value === undefined ? "points" : "account"
}
