/**
 * Splits a range of time into local days, weeks (from Monday) or months. A local date
 * is represented as the midnight of the same date in UTC, ms.
 */
import type { Bucket } from "../../contract/platform/Analytics.ts"
import { dateAt, dayMs, dayStart } from "../../core/rules/Calendar.ts"

/** A bucket of time (the contract names its length `bucket`): its first local date, and the instant at which that date starts, ms. */
export interface TimeBucket {
  readonly date: number
  readonly start: number
}

/** Dates from `first` to `end`, which is excluded. */
export interface Dates {
  readonly first: number
  readonly end: number
}

/** The first date of the bucket that contains a date. */
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

/** The first date of the next bucket. */
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

/**
 * The buckets of the range from `from` to `until` (excluded), ms. Requires: `from` < `until`. A date that the zone
 * skipped has none.
 */
export const bucketsOf = (zone: string, bucket: Bucket, from: number, until: number): ReadonlyArray<TimeBucket> => {
  const buckets: Array<TimeBucket> = []
  for (let date = firstDate(bucket, dateAt(zone, from)); ; date = nextDate(bucket, date)) {
    const start = dayStart(zone, date)
    if (start >= until) return buckets
    const last = buckets.at(-1)
    if (last?.start === start) buckets.pop()
    buckets.push({ date, start })
  }
}

/** The local dates that begin in a range: the first one, and the first one after it. */
export const datesOf = (zone: string, from: number, until: number): Dates => {
  const atOrAfter = (instant: number) => {
    const date = dateAt(zone, instant)
    return dayStart(zone, date) < instant ? date + dayMs : date
  }
  return { first: atOrAfter(from), end: atOrAfter(until) }
}

/** Local months that cover these UTC months in every zone, in order. `months`: starts of UTC months, ms. */
export const monthsOf = (zone: string, months: ReadonlyArray<number>): ReadonlyArray<TimeBucket> => {
  const dates = new Set(
    months.flatMap((month) => {
      const day = new Date(month)
      return [-1, 0, 1, 2].map((more) => Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + more))
    })
  )
  return [...dates].sort((a, b) => a - b).map((date) => ({ date, start: dayStart(zone, date) }))
}

/** Start of the local day `days` days before the day of `at`, ms. */
export const daysBefore = (zone: string, at: number, days: number): number =>
  dayStart(zone, dateAt(zone, at) - days * dayMs)

export const dateText = ({ date }: TimeBucket): string => new Date(date).toISOString().slice(0, 10)
export const monthText = ({ date }: TimeBucket): string => new Date(date).toISOString().slice(0, 7)
