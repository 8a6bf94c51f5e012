/**
 * A programme's tier periods (contract/points.md *Tier periods*).
 */
import type { TierPolicy } from "../contract/protocol/Program.ts"
import type { Window } from "./Calendar.ts"
import { firstInstant } from "./Calendar.ts"
import type { Program } from "./Program.ts"
import { inForce, periodAt } from "./TierPolicies.ts"

/** Cache of the last window, by programme: nearly all orders are in the same one. */
const windows = new WeakMap<Program, Window>()
const effective = new WeakMap<TierPolicy, number>()

const windowAt = (program: Program, at: number): Window => {
  const known = windows.get(program)
  if (known !== undefined && at >= known.start && at < known.end) return known
  const window = periodAt(program.tierPolicies, at)
  windows.set(program, window)
  return window
}

/** Start of the tier period at an instant; undefined if the programme never had a tier policy. */
export const periodStart = (program: Program, at: number): number | undefined => {
  const { start } = windowAt(program, at)
  return start === -Infinity ? undefined : start
}

/** True if an entry of this instant counts for a period: not before `effective_from` in the policy's zone. */
export const counts = (program: Program, at: number): boolean => {
  const policy = inForce(program.tierPolicies, at)
  if (policy?.effective_from === undefined) return true
  let instant = effective.get(policy)
  if (instant === undefined) {
    instant = firstInstant(policy.period.time_zone, Date.parse(`${policy.effective_from}T00:00:00Z`))
    effective.set(policy, instant)
  }
  return at >= instant
}
