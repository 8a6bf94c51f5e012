/**
 * The tier policies of a programme, each with its first instant (contract/points.md *Tier periods*).
 *
 * A changed policy starts when the present period ends; of several changes the
 * latest one counts. A policy after none starts at once.
 */
import type { FileTierPolicy } from "../../contract/ProgramFile.ts"
import type { Window } from "./Calendar.ts"
import { yearAt } from "./Calendar.ts"

/** A policy, or the absence of one, from an instant until the next element's instant. */
interface PolicyFrom {
  /** ms; −Infinity for the policy of the programme's first version. */
  readonly from: number
  readonly policy: FileTierPolicy | undefined
}

/** Ordered by `from`; the last ones may be in the future. Never empty. */
export type PolicyHistory = readonly [PolicyFrom, ...ReadonlyArray<PolicyFrom>]

/** The history of a programme's first version. */
export const first = (policy: FileTierPolicy | undefined): PolicyHistory => [{ from: -Infinity, policy }]

const isSame = (a: FileTierPolicy | undefined, b: FileTierPolicy | undefined): boolean =>
  a === b ||
  (a !== undefined &&
    b !== undefined &&
    a.metric_id === b.metric_id &&
    a.effective_from === b.effective_from &&
    (a.retention ?? "period") === (b.retention ?? "period") &&
    a.period.starts_month === b.period.starts_month &&
    a.period.starts_day === b.period.starts_day &&
    a.period.time_zone === b.period.time_zone)

const placeAt = (history: PolicyHistory, at: number): number =>
  Math.max(
    0,
    history.findLastIndex(({ from }) => from <= at)
  )

/** The policy at an instant. */
export const inForce = (history: PolicyHistory, at: number): FileTierPolicy | undefined =>
  history[placeAt(history, at)]?.policy

/** The tier period at an instant. Without a policy it starts when the last one ended: −Infinity if there never was one. */
export const periodAt = (history: PolicyHistory, at: number): Window => {
  const place = placeAt(history, at)
  const { from, policy } = history[place] ?? history[0]
  const until = history[place + 1]?.from ?? Infinity
  if (policy === undefined) return { start: from, end: until }
  const { end, start } = yearAt(policy.period, at)
  return { start: Math.max(start, from), end: Math.min(end, until) }
}

/** The history after the publication of a version with this policy at `at`. */
export const published = (history: PolicyHistory, policy: FileTierPolicy | undefined, at: number): PolicyHistory => {
  const [oldest, ...later] = history
  const kept: PolicyHistory = [oldest, ...later.filter(({ from }) => from <= at)]
  const running = inForce(kept, at)
  if (isSame(running, policy)) return kept
  return [...kept, { policy, from: running === undefined ? at : periodAt(kept, at).end }]
}
