/** Points and rewards in money. Pure. */
import type { PointValue } from "./ProgramFile.ts"
import type { Reward } from "./protocol/Program.ts"

/** Rounded to whole minor units, halves away from 0. Exact, however many points. */
export const worthOf = ({ points, worth }: PointValue, amount: number): PointValue["worth"] => {
  const [of, total] = [BigInt(points), BigInt(Math.abs(amount)) * BigInt(worth.amount)]
  const rounded = Number((2n * total + of) / (2n * of))
  return { amount: amount < 0 ? -rounded : rounded, currency: worth.currency }
}

/** The most that a reward costs, minor units; undefined: its definition says none. */
export const rewardWorth = (rewards: ReadonlyArray<Reward>, id: string): number | undefined => {
  const effect = rewards.find(({ reward_id }) => reward_id === id)?.effect
  if (effect?.type === "discount") return effect.amount.amount
  return effect?.type === "free_item" ? effect.max_value?.amount : undefined
}
