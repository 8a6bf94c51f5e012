/**
 * Occurrences of a cron schedule in a time zone (contract/engagement.md *Schedules*). A local time that does not exist
 * on a day is skipped. One that occurs twice counts the first time. A search takes some milliseconds at most, also of a
 * schedule without an occurrence: days are looked at without the time zone, and few local times are with it.
 */
import { Cron, DateTime, Result } from "effect"

/** A cron expression of five fields (minute to day of the week) and its IANA time zone. */
export interface CronSchedule {
  readonly cron: string
  readonly time_zone: string
}

/** Number of fields. `Cron` also accepts a field of seconds, but nothing here runs more often than each minute. */
const fields = 5

const dayMs = 86_400_000
const hourMs = 3_600_000
const minuteMs = 60_000

/** Days that a search looks at: 29 February is on each day of the week within 40 years. */
const searchedDays = 40 * 366

/** Local times whose instant a search computes: those of two gaps, with an occurrence each minute. */
const triedTimes = 150

const numbersTo = (end: number): ReadonlySet<number> => new Set(Array.from({ length: end }, (_, index) => index))

/** Local times of a day in ascending order, ms after its start. */
const timesOf = ({ hours, minutes }: Cron.Cron): ReadonlyArray<number> =>
  [...(hours.size === 0 ? numbersTo(24) : hours)]
    .flatMap((hour) => [...(minutes.size === 0 ? numbersTo(60) : minutes)].map((at) => hour * hourMs + at * minuteMs))
    .toSorted((a, b) => a - b)

/**
 * True if there is an occurrence on a date, as its start in UTC, ms, unless its local times do not exist. `isBoth`:
 * days of the month and of the week must both match.
 */
const isDay = ({ days, months, weekdays }: Cron.Cron, isBoth: boolean, date: number): boolean => {
  const at = new Date(date)
  if (months.size > 0 && !months.has(at.getUTCMonth() + 1)) return false
  const isOfMonth = days.has(at.getUTCDate())
  const isOfWeek = weekdays.has(at.getUTCDay())
  if (days.size > 0 && weekdays.size > 0 && !isBoth) return isOfMonth || isOfWeek
  return (days.size === 0 || isOfMonth) && (weekdays.size === 0 || isOfWeek)
}

/** Local times after one (`step` 1), or up to one (`step` -1), ms as in UTC: of occurrences, if they exist. */
function* localTimes(cron: string, from: number, step: 1 | -1): Generator<number> {
  const parsed = Cron.parseUnsafe(cron)
  const [, , days = "", , weekdays = ""] = cron.trim().split(/\s+/)
  const isBoth = days.startsWith("*") || weekdays.startsWith("*")
  const times = step === 1 ? timesOf(parsed) : timesOf(parsed).toReversed()
  const first = Math.floor(from / dayMs) * dayMs
  for (let day = 0; day < searchedDays; day++) {
    const date = first + step * day * dayMs
    if (!isDay(parsed, isBoth, date)) continue
    for (const time of times) if (date + time > from === (step === 1)) yield date + time
  }
}

/** The nearest occurrence after an instant (`step` 1), or up to it (`step` -1); undefined: none is near. */
const nearest = ({ cron, time_zone }: CronSchedule, from: number, step: 1 | -1): number | undefined => {
  const zone = DateTime.zoneMakeNamedUnsafe(time_zone)
  const offsetAt = (at: number): number => DateTime.zonedOffset(DateTime.makeZonedUnsafe(at, { timeZone: zone }))
  // In a repeated hour, a later local time may have been before.
  const repeated = step === 1 ? 0 : Math.max(0, offsetAt(from - dayMs) - offsetAt(from))
  let tried = 0
  for (const wall of localTimes(cron, from + offsetAt(from) + repeated, step)) {
    if (++tried > triedTimes) return undefined
    const at = DateTime.makeZonedUnsafe(wall, { timeZone: zone, adjustForTimeZone: true }).epochMilliseconds
    if (at + offsetAt(at) === wall && at > from === (step === 1)) return at
  }
  return undefined
}

/** No time zone had other rules before than it has now. */
const checkedFrom = Date.UTC(2025, 0, 1)

/** The fault of a cron expression; undefined if it has none. Requires: the time zone exists. */
export const cronFault = (schedule: CronSchedule): string | undefined => {
  const { cron, time_zone } = schedule
  if (cron.trim().split(/\s+/).length !== fields || Result.isFailure(Cron.parse(cron, time_zone)))
    return "must be a cron of five fields, such as `0 9 * * 1`"
  return nearest(schedule, checkedFrom, 1) === undefined ? "must have an occurrence" : undefined
}

const mustExist = (found: number | undefined, from: number): number => {
  if (found === undefined) throw new Error(`no occurrence of a schedule near ${from}`)
  return found
}

/** The first occurrence after an instant, ms. */
export const next = (schedule: CronSchedule, after: number): number => mustExist(nearest(schedule, after, 1), after)

/** The last occurrence up to an instant, ms. */
export const latest = (schedule: CronSchedule, until: number): number => mustExist(nearest(schedule, until, -1), until)
