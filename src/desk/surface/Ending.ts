/** Memberships that end, as limits count them (contract/operators.md *Limits*). */
import type { State } from "../../core/account/domain/State.ts"
import type { Program } from "../../core/rules/Program.ts"
import type { Gift } from "./Given.ts"
import { nothing } from "./Limits.ts"

/** The points of a member, in all units. */
export const pointsOf = ({ units }: Pick<State, "units">): number =>
  units.reduce((sum, { posted }) => sum + Math.max(0, posted), 0)

/** The unused rewards of a wallet. */
export const rewardsOf = ({ rewards }: Pick<State, "rewards">): number =>
  rewards.filter(({ status }) => status === "issued").length

/** The points and rewards that end with a membership; none if it was closed before. */
export const endingOf = (program: Program, account: number, state: State): Gift => ({
  program,
  id: ["close", String(account)],
  ...nothing,
  ...(state.status === "closed" ? undefined : { points: pointsOf(state), rewards: rewardsOf(state) })
})
