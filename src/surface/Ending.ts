/** Memberships that end, as limits count them (contract/operators.md *Limits*). */
import type { State } from "../account/domain/State.ts"
import type { Program } from "../program/Program.ts"
import type { Gift } from "./Given.ts"
import { nothing } from "./Limits.ts"

/** The points of a member, in all units. */
export const pointsOf = ({ units }: Pick<State, "units">): number =>
  units.reduce((sum, { posted }) => sum + Math.max(0, posted), 0)

/** The points that end with a membership; none if it was closed before. */
export const endingOf = (program: Program, account: number, state: State): Gift => ({
  program,
  id: ["close", String(account)],
  ...nothing,
  points: state.status === "closed" ? 0 : pointsOf(state)
})
