/**
 * Tier periods: a year from the first instant of a month and day in the
 * policy's time zone (decisions.md §4 Metrics and tiers).
 */
import type { Program } from "./Program.ts"

const dayMs = 86_400_000

const formats = new Map<string, Intl.DateTimeFormat>()

const formatOf = (zone: string): Intl.DateTimeFormat => {
  let format = formats.get(zone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-CA", {
      timeZone: zone,
      calendar: "iso8601",
      year: "numeric",
      month: "2-digit",
      day: "2-digit"
    })
    formats.set(zone, format)
  }
  return format
}

/** The local date of an instant, `YYYY-MM-DD`. */
export const localDate = (zone: string, at: number): string => {
  const parts = new Map(formatOf(zone).formatToParts(at).map((part) => [part.type, part.value]))
  return `${parts.get("year")?.padStart(4, "0")}-${parts.get("month")}-${parts.get("day")}`
}

/**
 * The first instant of a local date, or of the next one where a zone skipped
 * it: the earliest ms whose local date is not before. Where clocks skip
 * midnight the day starts at one o'clock, and that is what is found.
 */
export const firstInstant = (zone: string, date: string): number => {
  const noon = Date.parse(`${date}T00:00:00Z`)
  // Offsets reach from −12 to +14 hours, so the first instant lies within a day of UTC midnight.
  let before = noon - dayMs
  let after = noon + dayMs
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (localDate(zone, middle) >= date) after = middle
    else before = middle
  }
  return after
}

const startDate = (year: number, month: number, day: number): string => {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const [m, d] = month === 2 && day === 29 && !isLeap ? [3, 1] : [month, day]
  return `${String(year).padStart(4, "0")}-${String(m).padStart(2, "0")}-${String(d).padStart(2, "0")}`
}

interface Window {
  readonly start: number
  readonly end: number
}

/** The last window asked for, by programme: nearly every order falls into the same one. */
const windows = new WeakMap<Program, Window>()
const effective = new WeakMap<Program, number>()

const windowAt = (program: Program, policy: NonNullable<Program["tierPolicy"]>, at: number): Window => {
  const known = windows.get(program)
  if (known !== undefined && at >= known.start && at < known.end) return known
  const { starts_day, starts_month, time_zone } = policy.period
  const starts = (year: number) => firstInstant(time_zone, startDate(year, starts_month, starts_day))
  const year = Number(localDate(time_zone, at).slice(0, 4))
  const window = at >= starts(year)
    ? { start: starts(year), end: starts(year + 1) }
    : { start: starts(year - 1), end: starts(year) }
  windows.set(program, window)
  return window
}

/** Start of the tier period that an instant falls into; undefined without a tier policy. */
export const periodStart = (program: Program, at: number): number | undefined =>
  program.tierPolicy === undefined ? undefined : windowAt(program, program.tierPolicy, at).start

/** Whether an entry of this instant counts for a period: not before `effective_from` in the policy's zone. */
export const counts = (program: Program, at: number): boolean => {
  const from = program.tierPolicy?.effective_from
  if (program.tierPolicy === undefined || from === undefined) return true
  let instant = effective.get(program)
  if (instant === undefined) {
    instant = firstInstant(program.tierPolicy.period.time_zone, from)
    effective.set(program, instant)
  }
  return at >= instant
}
