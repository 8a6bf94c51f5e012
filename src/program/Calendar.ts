/**
 * Local calendars: the first instant of a day in a time zone, and the year that
 * begins with it (decisions.md §4 Metrics and tiers).
 */
import type { TierPeriod } from "../contract/protocol/Program.ts"

const hourMs = 3_600_000
/** How far from UTC midnight a local midnight may lie: no zone was ever 16 hours off. */
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

/** How far the clocks of a zone are ahead of UTC at an instant, ms. */
const offsetAt = (zone: string, at: number): number => {
  const second = Math.floor(at / 1000) * 1000
  const shown = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0 }
  for (const { type, value } of formatOf(zone).formatToParts(second)) {
    if (type in shown) shown[type as keyof typeof shown] = Number(value)
  }
  return Date.UTC(shown.year, shown.month - 1, shown.day, shown.hour, shown.minute, shown.second) - second
}

/** The first ms after `before`, up to `after`, at which the offset is no longer that of `before`. */
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
 * The first instant of a local date, given as that date's midnight in UTC, or
 * of the next date where a zone skipped it. Where clocks skip midnight the day
 * starts at one o'clock; where they go back over it, at its first midnight.
 */
export const firstInstant = (zone: string, midnight: number): number => {
  const last = midnight + farthestMs
  let from = midnight - farthestMs
  while (true) {
    const offset = offsetAt(zone, from)
    const reached = Math.max(from, midnight - offset)
    // Clocks change at most once in an hour, so that hourly looks see every stretch of one offset.
    let until = from
    while (until < last && offsetAt(zone, until) === offset) until += hourMs
    const end = until >= last ? Number.POSITIVE_INFINITY : changeBetween(zone, until - hourMs, until)
    if (reached < end) return reached
    from = end
  }
}

/** From `start` up to, not including, `end`; ms. */
export interface Window {
  readonly start: number
  readonly end: number
}

/** The year of a policy's period that an instant falls into: 1 March where 29 February is missing. */
export const yearAt = ({ starts_day, starts_month, time_zone }: TierPeriod, at: number): Window => {
  // Date.UTC takes 29 February for 1 March where it is missing, as the rule does.
  const starts = (year: number) => firstInstant(time_zone, Date.UTC(year, starts_month - 1, starts_day))
  // By UTC's year the local one is off by one at most.
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
