/**
 * The parts of a range of time by a local calendar: days, weeks that begin on
 * Monday, months. A local date is written as the same date's midnight in UTC.
 */
import type { Bucket } from "../contract/platform/Analytics.ts"
import { dateAt, dayStart } from "../program/Calendar.ts"

const dayMs = 86_400_000

/** A part: its first date, and the instant at which that begins, ms. */
export interface Part {
  readonly date: number
  readonly start: number
}

/** The first date of the part that a date falls into. */
const firstDate = (bucket: Bucket, date: number): number => {
  const day = new Date(date)
  switch (bucket) {
    case "day":
      return date
    case "week":
      return date - ((day.getUTCDay() + 6) % 7) * dayMs
    case "month":
      return Date.UTC(day.getUTCFullYear(), day.getUTCMonth())
  }
}

/** The first date of the next part. */
const nextDate = (bucket: Bucket, date: number): number => {
  const day = new Date(date)
  switch (bucket) {
    case "day":
      return date + dayMs
    case "week":
      return date + 7 * dayMs
    case "month":
      return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1)
  }
}

/** The parts that a range touches; `from` < `until`, ms. A date that the zone has skipped has no part. */
export const partsOf = (zone: string, bucket: Bucket, from: number, until: number): ReadonlyArray<Part> => {
  const parts: Array<Part> = []
  for (let date = firstDate(bucket, dateAt(zone, from)); ; date = nextDate(bucket, date)) {
    const start = dayStart(zone, date)
    if (start >= until) return parts
    const last = parts.at(-1)
    if (last?.start === start) parts.pop()
    parts.push({ date, start })
  }
}

/** The local months that instants of these UTC months fall into, in order; months are the first of them, UTC. */
export const monthsOf = (zone: string, months: ReadonlyArray<number>): ReadonlyArray<Part> => {
  const dates = new Set(
    months.flatMap((month) => {
      const day = new Date(month)
      return [-1, 0, 1, 2].map((more) => Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + more))
    })
  )
  return [...dates].sort((a, b) => a - b).map((date) => ({ date, start: dayStart(zone, date) }))
}

/** The first instant of the local day that is so many days before the one of `at`. */
export const daysBefore = (zone: string, at: number, days: number): number =>
  dayStart(zone, dateAt(zone, at) - days * dayMs)

export const dateText = ({ date }: Part): string => new Date(date).toISOString().slice(0, 10)
export const monthText = ({ date }: Part): string => new Date(date).toISOString().slice(0, 7)
