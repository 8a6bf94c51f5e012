/**
 * Notices of an account at an instant at which no balance changes: that points expire soon, and the tier of a new period
 * or of a new version of the programme (contract/events.md *Warnings and tiers*). Pure.
 *
 * Of warnings nothing is remembered: those of the instants after the last record are still to be told.
 */
import * as Calendar from "../../rules/Calendar.ts"
import * as Periods from "../../rules/Periods.ts"
import type { Program, Warning } from "../../rules/Program.ts"
import * as Lots from "./Lots.ts"
import * as Metrics from "./Metrics.ts"
import type { PointsExpiring, TierChanged } from "./NoticeEvents.ts"
import type { State, UnitBalance } from "./State.ts"

/** Accounts wake up to this much after the instant, ms: a million members have the same one. */
const spreadMs = 3_600_000

/** How much after an instant this account wakes, ms: by a hash (FNV-1a) of the member. */
const delayOf = ({ member, program }: State): number => {
  let hash = 0x81_1c_9d_c5
  for (const text of [program, member])
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01_00_01_93)
  return (hash >>> 0) % spreadMs
}

/** When the account must be woken for the next notice; Infinity if there is none. */
export const wakeAt = (state: State, program: Program): number => {
  const at = nextAt(state, program, state.at)
  return at === Infinity ? at : at + delayOf(state)
}

/** The first instant after `told` at which there is something to tell; Infinity if there is none. */
export const nextAt = (state: State, program: Program, told: number): number =>
  state.status === "closed"
    ? Infinity
    : Math.min(nextWarning(state, program, told), nextTierChange(state, program, told))

/** Notices to be told at an instant of `nextAt`. */
export const at = (state: State, program: Program, instant: number): ReadonlyArray<PointsExpiring | TierChanged> => {
  const warnings = state.units.flatMap((balance) =>
    program.warnings.flatMap((warning) => warningAt(balance, program, warning, instant, state.idle) ?? [])
  )
  const from = toldTier(state, program)
  const to = tierAt(state, program, instant)
  return from === undefined || to === undefined || from === to
    ? warnings
    : [...warnings, tierChanged(state, program, instant, from, to)]
}

/** The date that is `days` after the first date to begin after an instant. */
const firstWarned = (zone: string, { days, from }: Warning, told: number): number =>
  Calendar.dateOf(zone, Math.max(told, from)) + (1 + days) * Calendar.dayMs

const nextWarning = ({ idle, units }: State, { warnings, zone }: Program, told: number): number => {
  let next = Infinity
  for (const warning of warnings) {
    const { days, from } = warning
    if (from === Infinity) continue
    let expires = Infinity
    for (const { lots } of units) {
      if (Lots.earliestOf(lots, idle) === Infinity) continue
      const first = Calendar.startOf(zone, firstWarned(zone, warning, told))
      expires = Math.min(expires, Lots.earliestFrom(lots, first, idle))
    }
    if (expires === Infinity) continue
    next = Math.min(next, Calendar.startOf(zone, Calendar.dateOf(zone, expires) - days * Calendar.dayMs))
  }
  return next
}

/** True if a warning is still to be given, after `at`, of points that expire at `expires`. */
export const isWarned = ({ warnings, zone }: Program, expires: number, at: number): boolean =>
  warnings.some(
    ({ days, from }) =>
      Calendar.startOf(zone, Calendar.dateOf(zone, expires) - days * Calendar.dayMs) > Math.max(at, from)
  )

/** The warning that is given of a unit at an instant, which is the start of a date. */
const warningAt = (
  { lots, unit }: UnitBalance,
  { zone }: Program,
  { days, from }: Warning,
  at: number,
  idle: number | undefined
): PointsExpiring | undefined => {
  if (at <= from) return undefined
  const date = Calendar.dateOf(zone, at) + days * Calendar.dayMs
  if (Calendar.startOf(zone, date - days * Calendar.dayMs) !== at) return undefined
  const [start, end] = [Calendar.startOf(zone, date), Calendar.startOf(zone, date + Calendar.dayMs)]
  let [amount, first] = [0, Infinity]
  const count = (_: number, left: number, expires: number) => {
    if (expires < start || expires >= end) return
    amount += left
    first = Math.min(first, expires)
  }
  Lots.each(lots, count, idle)
  return amount === 0 ? undefined : { type: "points_expiring", at, unit, amount, first, days }
}

const tierAt = (state: State, program: Program, at: number): string | undefined =>
  Metrics.tierOf(state, program, at)?.tier_id

const amountAt = (state: State, program: Program, at: number): number =>
  Math.max(0, Metrics.qualification(state, program, at)?.reached ?? 0)

/** The tier that others know of. An account that has told none is taken to have told that of its last record. */
const toldTier = (state: State, program: Program): string | undefined =>
  state.tier ?? tierAt(state, program, Math.max(state.at, program.tellsFrom))

/** Periods in which what was earned in one may count. */
const countingPeriods = 2

const nextTierChange = (state: State, program: Program, told: number): number => {
  const tier = toldTier(state, program)
  if (tier === undefined) return Infinity
  const { publishedAt } = program
  const isRevised = publishedAt > told && tierAt(state, program, publishedAt) !== tier
  let next = isRevised ? publishedAt : Infinity
  // A new period brings nobody up.
  if (tier === program.tiers[0]?.tier_id) return next
  const ends = state.promised?.until ?? Infinity
  if (ends > told && ends < next && tierAt(state, program, ends) !== tier) next = ends
  let start = state.tier === undefined ? Math.max(told, program.tellsFrom) : told
  for (let period = 0; period < countingPeriods; period++) {
    start = Periods.periodEnd(program, start)
    if (start >= next) break
    if (tierAt(state, program, start) !== tier) next = start
  }
  return next
}

/** The tier that a decision brought, if others do not know of it. */
export const tierAfter = (before: State, state: State, program: Program, at: number): TierChanged | undefined => {
  const to = tierAt(state, program, at)
  if (to === undefined || to === state.tier || state.status === "closed") return undefined
  const from = state.tier ?? toldTier(before, program)
  return from === undefined || from === to
    ? { type: "tier_changed", at, to, amount: amountAt(state, program, at) }
    : tierChanged(state, program, at, from, to)
}

const tierChanged = (state: State, program: Program, at: number, from: string, to: string): TierChanged => {
  const [low, high] = [from, to].map((tier) => program.tiers.findIndex(({ tier_id }) => tier_id === tier))
  const isKnown = low !== undefined && high !== undefined && low >= 0
  return {
    type: "tier_changed",
    at,
    from,
    to,
    amount: amountAt(state, program, at),
    ...(isKnown ? { places: [low, high] } : undefined)
  }
}

/** With which tier a member begins: nothing counts for it yet. */
export const firstTier = ({ tiers }: Program): { readonly tier?: string } => {
  const [lowest] = tiers
  return lowest === undefined ? {} : { tier: lowest.tier_id }
}
