/**
 * ISO 8601 durations such as `P30D`, `P1Y2M` or `PT1H30M`: years and months by
 * the calendar in UTC, weeks, days and below by their length.
 */
import { DateTime, Schema } from "effect"

const pattern =
  /^P(?!$)(?:(\d{1,5})Y)?(?:(\d{1,5})M)?(?:(\d{1,6})W)?(?:(\d{1,7})D)?(?:T(?=\d)(?:(\d{1,8})H)?(?:(\d{1,9})M)?(?:(\d{1,10})(?:\.(\d{1,3}))?S)?)?$/

export const IsoDuration = Schema.String.check(
  Schema.isPattern(pattern, { message: "must be an ISO 8601 duration such as P30D, P1M or PT12H" })
).annotate({ identifier: "IsoDuration", title: "ISO 8601 duration", examples: ["P30D"] })

/** `from` (ms) moved on by a checked duration, ms; may be after the last instant that a timestamp can represent. */
export const after = (from: number, duration: string): number => {
  const [, years, months, weeks, days, hours, minutes, seconds, fraction] = pattern.exec(duration) ?? []
  const part = (text: string | undefined) => Number(text ?? 0)
  const moved = DateTime.add(DateTime.makeUnsafe(from), { years: part(years), months: part(months) })
  const rest = (((part(weeks) * 7 + part(days)) * 24 + part(hours)) * 60 + part(minutes)) * 60 + part(seconds)
  return DateTime.toEpochMillis(moved) + rest * 1_000 + part((fraction ?? "").padEnd(3, "0"))
}
