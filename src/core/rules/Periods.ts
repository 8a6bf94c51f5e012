/**
 * A programme's tier periods (contract/points.md *Tier periods*).
 */
import type { FileTierPolicy } from "../../contract/ProgramFile.ts"
import type { Window } from "./Calendar.ts"
import { firstInstant } from "./Calendar.ts"
import type { Program } from "./Program.ts"
import { inForce, periodAt } from "./TierPolicies.ts"

/** A tier period, and the start of the one before: −Infinity if it had no start, undefined if there was none. */
interface Period extends Window {
  readonly before: number | undefined
}

/** Periods that a programme has needed: of nearly all orders the same one, and of what is due the next ones. */
const periods = new WeakMap<Program, ReadonlyArray<Period>>()
/** Periods that are kept of a programme. */
const keptPeriods = 16
const effective = new WeakMap<FileTierPolicy, number>()

const windowAt = (program: Program, at: number): Period => {
  const kept = periods.get(program) ?? []
  for (const known of kept) if (at >= known.start && at < known.end) return known
  const window = periodAt(program.tierPolicies, at)
  const before = window.start === -Infinity ? undefined : periodAt(program.tierPolicies, window.start - 1).start
  const period = { ...window, before }
  periods.set(program, [period, ...kept.slice(0, keptPeriods - 1)])
  return period
}

/** End of the tier period at an instant, which is the start of the next one; Infinity if there is none. */
export const periodEnd = (program: Program, at: number): number => windowAt(program, at).end

/** Start of the tier period at an instant; undefined if the programme never had a tier policy. */
export const periodStart = (program: Program, at: number): number | undefined => {
  const { start } = windowAt(program, at)
  return start === -Infinity ? undefined : start
}

/** Start of the tier period that ended when that of an instant began; 0: the time before the first policy. */
export const lastPeriodStart = (program: Program, at: number): number | undefined => {
  const { before } = windowAt(program, at)
  return before === -Infinity ? 0 : before
}

/** True if what the last period's figures reach still counts at an instant (contract/points.md *Tier periods*). */
export const retains = (program: Program, at: number): boolean =>
  inForce(program.tierPolicies, at)?.retention === "following_period"

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
