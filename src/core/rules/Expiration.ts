/**
 * When earned points and other things of limited life end (contract/points.md *Lots*; contract/resources.md *Values*).
 */
import type { PointExpiration } from "../../contract/ProgramFile.ts"
import { latestInstant } from "../../contract/Values.ts"
import { dateAt, dayMs, dayStart, monthsLater, sameTimeAfter } from "./Calendar.ts"
import type { Program } from "./Program.ts"

/** `at` plus a duration, ms; at most the last time that a timestamp can represent. */
export const later = (at: number, ms: number): number => Math.min(at + ms, latestInstant)

/** The date after the day, month or year of a date. Dates are midnights in UTC. */
const dateAfter = (date: number, period: "end_of_day" | "end_of_month" | "end_of_year"): number => {
  const day = new Date(date)
  switch (period) {
    case "end_of_day":
      return date + dayMs
    case "end_of_month":
      return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1)
    case "end_of_year":
      return Date.UTC(day.getUTCFullYear() + 1, 0)
  }
}

/** When what is earned at `at` expires by these terms, in a time zone. */
export const endOf = (
  { at: when = "instant", days = 0, months }: Pick<PointExpiration, "at" | "days" | "months">,
  zone: string,
  at: number
): number => {
  if (when === "instant")
    return months === undefined ? later(at, days * dayMs) : later(sameTimeAfter(zone, at, months), 0)
  // Whole days are counted in the calendar: an hour that clocks skip or repeat moves no date.
  const earned = dateAt(zone, at)
  const last = months === undefined ? earned + days * dayMs : monthsLater(earned, months)
  return later(dayStart(zone, dateAfter(last, when)), 0)
}

/** Stands for the expiry of a lot without a date of its own, which ends at its account's date. No date is as late. */
export const withAccount = 8.64e15

/** When points earned at `at` expire, or `withAccount`; undefined if the unit's points never expire. */
export const expiresAt = (program: Program, unit: string, at: number): number | undefined => {
  const { pointExpiration, zone } = program
  if (pointExpiration === undefined || (unit !== "points" && unit !== "credits")) return undefined
  return pointExpiration.type === "after_inactivity" ? withAccount : endOf(pointExpiration, zone, at)
}

/** The date that an accrual at `at` gives to its account; undefined if lots have dates of their own. */
export const inactiveAt = ({ pointExpiration, zone }: Program, at: number): number | undefined =>
  pointExpiration?.type === "after_inactivity" ? endOf(pointExpiration, zone, at) : undefined
