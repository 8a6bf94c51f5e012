/**
 * Local calendars: the first instant of a day in a time zone, and yearly windows
 * that begin on such a day (contract/points.md *Tier periods*).
 */
import type { TierPeriod } from "../../contract/protocol/Program.ts"

const hourMs = 3_600_000
/** A day of 24 hours. */
export const dayMs = 24 * hourMs
/** Largest distance of a local midnight from UTC midnight: no zone was ever 16 hours off. */
const farthestMs = 16 * hourMs

const formats = new Map<string, Intl.DateTimeFormat>()

const formatOf = (zone: string): Intl.DateTimeFormat => {
  let format = formats.get(zone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en", {
      timeZone: zone,
      calendar: "gregory",
      numberingSystem: "latn",
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric"
    })
    formats.set(zone, format)
  }
  return format
}

/** Offset of a zone from UTC at an instant, ms. */
const offsetAt = (zone: string, at: number): number => {
  const second = Math.floor(at / 1000) * 1000
  const shown = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0 }
  for (const { type, value } of formatOf(zone).formatToParts(second)) {
    if (type in shown) shown[type as keyof typeof shown] = Number(value)
  }
  return Date.UTC(shown.year, shown.month - 1, shown.day, shown.hour, shown.minute, shown.second) - second
}

/** Offsets change at full quarters of an hour, in every zone since 1972. */
const quarterMs = hourMs / 4
/** By zone, offsets of quarters that were asked for: entries and the lots that they take are asked for in turns. */
const offsets = new Map<string, Map<number, number>>()
/** Quarters that are kept of a zone: those of a year. */
const keptQuarters = 35_040

/** The local time of an instant, as the instant at which UTC shows the same. */
export const localAt = (zone: string, at: number): number => {
  const quarter = Math.floor(at / quarterMs)
  const known = offsets.get(zone) ?? new Map<number, number>()
  if (known.size === 0) offsets.set(zone, known)
  let offset = known.get(quarter)
  if (offset === undefined) {
    if (known.size >= keptQuarters) known.clear()
    offset = offsetAt(zone, quarter * quarterMs)
    known.set(quarter, offset)
  }
  return at + offset
}

/** The day of the week of a local date, which is given as its midnight in UTC: 0 is Monday. */
export const weekdayOf = (date: number): number => (((Math.floor(date / dayMs) + 3) % 7) + 7) % 7

/** The first ms in (`before`, `after`] whose offset differs from that of `before`. */
const changeBetween = (zone: string, before: number, after: number): number => {
  const offset = offsetAt(zone, before)
  let low = before
  let high = after
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(zone, middle) === offset) low = middle
    else high = middle
  }
  return high
}

/**
 * The first instant of a local date or time, which is given as the same one in
 * UTC. If the zone skipped the whole date, that of the next date. If clocks skip
 * midnight, the day starts at one o'clock; if midnight occurs twice, at the first one.
 */
export const firstInstant = (zone: string, midnight: number): number => {
  const last = midnight + farthestMs
  let from = midnight - farthestMs
  while (true) {
    const offset = offsetAt(zone, from)
    const reached = Math.max(from, midnight - offset)
    // An offset lasts at least an hour, so hourly samples find every offset.
    let until = from
    while (until < last && offsetAt(zone, until) === offset) until += hourMs
    const end = until >= last ? Number.POSITIVE_INFINITY : changeBetween(zone, until - hourMs, until)
    if (reached < end) return reached
    from = end
  }
}

/** The same, and quick: a zone whose offset is the same on both sides of the date has not changed it between. */
export const dayStart = (zone: string, midnight: number): number => {
  const offset = offsetAt(zone, midnight - farthestMs)
  return offset === offsetAt(zone, midnight + farthestMs) ? midnight - offset : firstInstant(zone, midnight)
}

/** The starts of dates that were asked for, by zone. */
const starts = new Map<string, Map<number, number>>()
/** Starts that are kept of a zone: the dates of 50 years. */
const keptStarts = 18_250

/** `dayStart`, remembered. */
export const startOf = (zone: string, midnight: number): number => {
  if (zone === "UTC") return midnight
  const known = starts.get(zone) ?? new Map<number, number>()
  if (known.size === 0) starts.set(zone, known)
  let start = known.get(midnight)
  if (start === undefined) {
    if (known.size >= keptStarts) known.clear()
    start = dayStart(zone, midnight)
    known.set(midnight, start)
  }
  return start
}

/** `dateAt`, quick by remembered starts. */
export const dateOf = (zone: string, at: number): number => {
  const midnight = at - (((at % dayMs) + dayMs) % dayMs)
  if (zone === "UTC") return midnight
  if (startOf(zone, midnight + dayMs) <= at) return midnight + dayMs
  return startOf(zone, midnight) <= at ? midnight : midnight - dayMs
}

/** A zone's one name, however its IANA name is spelled; undefined for others: Intl also accepts offsets such as `+01:00`. */
export const zoneOf = (name: string): string | undefined => {
  try {
    const { timeZone } = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions()
    return /^[+-]/.test(name) ? undefined : timeZone
  } catch {
    // Intl throws for an unknown zone; there is no other check.
    return undefined
  }
}

/** `start` <= t < `end`, ms. */
export interface Window {
  readonly start: number
  readonly end: number
}

/** The yearly window of a policy at an instant. A start on 29 February becomes 1 March in other years. */
export const yearAt = ({ starts_day, starts_month, time_zone }: TierPeriod, at: number): Window => {
  // Date.UTC turns a missing 29 February into 1 March, as the rule requires.
  const starts = (year: number) => startOf(time_zone, Date.UTC(year, starts_month - 1, starts_day))
  // The UTC year differs from the local one by at most one.
  let year = new Date(at).getUTCFullYear() + 1
  let end = starts(year + 1)
  let start = starts(year)
  while (start > at) {
    year -= 1
    end = start
    start = starts(year)
  }
  return { start, end }
}

/** The local date of an instant, as the same date's midnight in UTC. */
export const dateAt = (zone: string, at: number): number => {
  const local = at + offsetAt(zone, at)
  let midnight = local - (((local % dayMs) + dayMs) % dayMs)
  // Where clocks go back over midnight, the date turns twice: the day began with the first time.
  while (dayStart(zone, midnight + dayMs) <= at) midnight += dayMs
  return midnight
}

/** The local day that an instant falls into. */
export const dayAt = (zone: string, at: number): Window => {
  const midnight = dateAt(zone, at)
  return { start: firstInstant(zone, midnight), end: firstInstant(zone, midnight + dayMs) }
}

/** A date's midnight in UTC, `months` later: the same day of that month, or its last day. */
export const monthsLater = (midnight: number, months: number): number => {
  const date = new Date(midnight)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months]
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return Date.UTC(year, month, Math.min(date.getUTCDate(), last))
}

/**
 * The instant `months` later at the same local time. If clocks skip that time, the instant at which they do; if it
 * occurs twice, the first one.
 */
export const sameTimeAfter = (zone: string, at: number, months: number): number => {
  const local = at + offsetAt(zone, at)
  const midnight = Math.floor(local / dayMs) * dayMs
  return dayStart(zone, monthsLater(midnight, months) + local - midnight)
}
