/** Local times of a till as instants and business dates. */
import { OrderError } from "./OrderError.ts"

const dayMs = 86_400_000
const formats = new Map<string, Intl.DateTimeFormat>()

const formatOf = (zone: string): Intl.DateTimeFormat => {
  let format = formats.get(zone)
  if (format === undefined) {
    try {
      // Without a zone it would be that of the machine.
      if (typeof zone !== "string") throw new TypeError()
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
    } catch {
      throw new OrderError("/zone", `is ${zone}; it must be the name of a time zone, such as Europe/Berlin`)
    }
    formats.set(zone, format)
  }
  return format
}

/** The local time of an instant, as the instant at which UTC shows the same. */
const localAt = (zone: string, at: number): number => {
  const shown = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0 }
  for (const { type, value } of formatOf(zone).formatToParts(at))
    if (type in shown) shown[type as keyof typeof shown] = Number(value)
  const ofSecond = ((at % 1000) + 1000) % 1000
  return Date.UTC(shown.year, shown.month - 1, shown.day, shown.hour, shown.minute, shown.second) + ofSecond
}

const timePattern = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2})?(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})?$/i

const format = 'must be a real time such as "2026-07-14T12:30:00" in the zone, or one with an offset, or a Date'

/** The instant of UTC's `text`; NaN if it is no real time. `Date.parse` takes 30 February. */
const parsed = (text: string): number => {
  const at = Date.parse(`${text}Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().slice(0, text.length) === text ? at : Number.NaN
}

/**
 * The instant of a time, ms. A text without an offset is local. One that occurs twice, when clocks go back, is the first
 * of the two; one that clocks skip is refused.
 */
export const instantOf = (time: string | Date, zone: string, path: string): number => {
  if (time instanceof Date) {
    if (Number.isNaN(time.getTime())) throw new OrderError(path, format)
    return time.getTime()
  }
  const [, date, minutes, seconds = ":00", fraction = "", offset] = timePattern.exec(time) ?? []
  const local = parsed(`${date}T${minutes}${seconds}.${fraction.slice(0, 3).padEnd(3, "0")}`)
  if (Number.isNaN(local)) throw new OrderError(path, format)
  if (offset !== undefined) {
    const at = local + Date.parse(`1970-01-01T00:00:00${offset.toUpperCase()}`)
    if (Number.isNaN(at)) throw new OrderError(path, format)
    return at
  }
  const offsets = [local - dayMs, local + dayMs].map((at) => localAt(zone, at) - at)
  const instants = offsets.map((one) => local - one).filter((at) => localAt(zone, at) === local)
  if (instants.length === 0)
    throw new OrderError(path, `is ${time}, which clocks skip in ${zone}; give the time with its offset`)
  return Math.min(...instants)
}

/** The latest start of a business day: with a later one, its date could be two days before that of UTC. */
const latestStart = "12:00"

/** The date of the business day that an instant is in. `starts`: the local time at which a day begins, `HH:MM`. */
export const businessDate = (at: number, zone: string, starts: string): string => {
  if (!/^\d{2}:[0-5]\d$/.test(starts) || starts > latestStart)
    throw new OrderError("/business_day_starts", `is ${starts}; it must be a time from 00:00 to ${latestStart}`)
  const [hours = 0, minutes = 0] = starts.split(":").map(Number)
  return new Date(localAt(zone, at) - (hours * 60 + minutes) * 60_000).toISOString().slice(0, 10)
}
