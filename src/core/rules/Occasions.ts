/**
 * When and where something of a programme holds, and the windows in which it is counted, in the programme's zone
 * (contract/programmes.md *Promotions*). Pure.
 */
import type { Promotion as PromotionFile, PromotionWhen } from "../../contract/Promotions.ts"
import { isLocal, weekdays } from "../../contract/Promotions.ts"
import type { Order, OrderLine } from "../../contract/protocol/Order.ts"
import { toMillis } from "../../contract/Values.ts"
import * as Calendar from "./Calendar.ts"
import { dayMs } from "./Calendar.ts"

const minuteMs = 60_000
const quarterMs = 15 * minuteMs
/** Most that clocks were ever turned back for a season. */
const mostTurnedMs = 2 * 60 * minuteMs

export type Every = "day" | "week" | "month" | "year" | "promotion"

interface Weekly {
  /** By day from Monday. */
  readonly days: ReadonlyArray<boolean>
  /** Minutes of the local day, `until` excluded. */
  readonly from: number
  readonly until: number
}

/** When, where and on which lines something holds. */
export interface Occasion {
  /** ms; at `until` and later it never holds. */
  readonly from: number
  readonly until: number
  /** First and last date on which a weekly window may begin, as their midnights in UTC. */
  readonly firstDay: number
  readonly lastDay: number
  readonly weekly: ReadonlyArray<Weekly> | undefined
  /** Local dates, as their midnights in UTC. */
  readonly dates: ReadonlySet<number> | undefined
  readonly locations: ReadonlySet<string> | undefined
  readonly channels: ReadonlySet<string> | undefined
  readonly isOn: ((line: OrderLine) => boolean) | undefined
  /** Of the lines that count, minor units. */
  readonly minimumSpend: number
}

export const setOf = <A>(values: ReadonlyArray<A> | undefined): ReadonlySet<A> | undefined =>
  values === undefined ? undefined : new Set(values)

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

/** The instant of a timestamp, or of a date or time in the zone; the end of a date if `isEnd`. */
export const momentOf = (zone: string, text: string, isEnd = false): number => {
  if (!isLocal(text)) return toMillis(text)
  const midnight = Date.parse(`${text.slice(0, 10)}T00:00:00Z`)
  if (text.length > 10) return Calendar.firstInstant(zone, Date.parse(`${text}Z`))
  return Calendar.firstInstant(zone, isEnd ? midnight + dayMs : midnight)
}

const midnightOf = (date: string): number => Date.parse(`${date}T00:00:00Z`)

const weeklyOf = (weekly: NonNullable<PromotionWhen["weekly"]>): ReadonlyArray<Weekly> =>
  weekly.map(({ days, from, until }) => ({
    days: weekdays.map((day) => days.includes(day)),
    from: minutesOf(from),
    until: minutesOf(until)
  }))

/** The part that decides by time. */
type Times = Pick<Occasion, "dates" | "firstDay" | "from" | "lastDay" | "until" | "weekly">

/** The last instant at which local clocks show a time: it may come twice. */
const lastInstant = (zone: string, local: number): number => {
  const first = Calendar.dayStart(zone, local)
  let last = first
  for (let at = first + quarterMs; at <= first + mostTurnedMs; at += quarterMs)
    if (Calendar.localAt(zone, at) <= local) last = at
  return last
}

const isDay = ({ dates, firstDay, lastDay }: Times, date: number): boolean =>
  date >= firstDay && date <= lastDay && dates?.has(date) !== false

/** The last end of what begins on a local date before `until`, both in local time. */
const endOn = (times: Times, date: number, until: number): number => {
  if (!isDay(times, date)) return -Infinity
  const all = times.weekly ?? [{ days: [], from: 0, until: dayMs / minuteMs }]
  return all.reduce((latest, window) => {
    if (times.weekly !== undefined && window.days[Calendar.weekdayOf(date)] !== true) return latest
    if (date + window.from * minuteMs >= until) return latest
    return Math.max(latest, date + window.until * minuteMs + (window.until < window.from ? dayMs : 0))
  }, -Infinity)
}

/** When it holds for the last time, ms; −Infinity: it never does. */
const endOf = (zone: string, times: Times): number => {
  const { dates, from, lastDay, until, weekly } = times
  if (dates === undefined && (weekly === undefined || (until === Infinity && lastDay === Infinity))) return until
  const local = until === Infinity ? Infinity : Calendar.localAt(zone, until)
  // Some day of a week is the last one, and a window may end on the day after.
  const last = local === Infinity ? lastDay : Math.min(lastDay, local - (local % dayMs))
  const days = dates ?? Array.from({ length: 9 }, (_, index) => last - index * dayMs)
  const latest = [...days].reduce((so, date) => Math.max(so, endOn(times, date, local)), -Infinity)
  if (latest === -Infinity) return latest
  const end = Math.min(lastInstant(zone, latest), until)
  return end > from ? end : -Infinity
}

/** Dates bound the days on which weekly windows begin; instants and local times cut. */
const timesOf = (zone: string, when: PromotionWhen): Times => {
  const { from, until } = when
  const weekly = when.weekly === undefined ? undefined : weeklyOf(when.weekly)
  const day = (text: string | undefined) => (weekly !== undefined && text?.length === 10 ? midnightOf(text) : undefined)
  const times = {
    from: from === undefined ? -Infinity : momentOf(zone, from),
    until: until === undefined || day(until) !== undefined ? Infinity : momentOf(zone, until, true),
    firstDay: day(from) ?? -Infinity,
    lastDay: day(until) ?? Infinity,
    weekly,
    dates: when.dates === undefined ? undefined : new Set(when.dates.map(midnightOf))
  }
  return { ...times, until: endOf(zone, times) }
}

const matcher = (on: PromotionFile["on"]): Occasion["isOn"] => {
  if (on === undefined) return undefined
  const [products, categories, tags] = [setOf(on.product_ids), setOf(on.category_ids), setOf(on.tags)]
  return (line) =>
    products?.has(line.product_id) === true ||
    (categories !== undefined && line.category_ids?.some((id) => categories.has(id)) === true) ||
    (tags !== undefined && line.tags?.some((tag) => tags.has(tag)) === true)
}

export const occasionOf = (
  zone: string,
  { minimum_spend, on, when = {}, where = {} }: Pick<PromotionFile, "minimum_spend" | "on" | "when" | "where">
): Occasion => ({
  ...timesOf(zone, when),
  locations: setOf(where.location_ids),
  channels: setOf(where.channels),
  isOn: matcher(on),
  minimumSpend: minimum_spend?.amount ?? 0
})

/** True if the time holds at an instant. */
export const isWithin = (times: Times, zone: string, at: number): boolean => {
  const { dates, from, until, weekly } = times
  if (at < from || at >= until) return false
  if (weekly === undefined && dates === undefined) return true
  const local = Calendar.localAt(zone, at)
  const minute = Math.floor((local % dayMs) / minuteMs)
  const today = local - (local % dayMs)
  if (weekly === undefined) return dates?.has(today) === true
  const begins = (date: number, days: ReadonlyArray<boolean>) =>
    days[Calendar.weekdayOf(date)] === true && isDay(times, date)
  return weekly.some((window) => {
    if (window.from < window.until) return minute >= window.from && minute < window.until && begins(today, window.days)
    return (
      (minute >= window.from && begins(today, window.days)) ||
      (minute < window.until && begins(today - dayMs, window.days))
    )
  })
}

/** True if the time holds at an instant, or later on its local day. */
export const holdsToday = (times: Times, zone: string, at: number): boolean => {
  const local = Calendar.localAt(zone, at)
  const today = local - (local % dayMs)
  const end = Calendar.startOf(zone, today + dayMs)
  const begins = (times.weekly ?? []).map(({ from }) => Calendar.startOf(zone, today + from * minuteMs))
  return [at, times.from, ...begins].some((one) => one >= at && one < end && isWithin(times, zone, one))
}

/** When an order counts. */
export interface OrderTime {
  /** Its own time, ms. */
  readonly own: number
  /** It is older than late orders may be, and nothing with a time counts it. */
  readonly isTooLate: boolean
}

export const orderTime = ({ placed_at }: Order, { lateMs }: { readonly lateMs: number }, at: number): OrderTime => {
  const placed = toMillis(placed_at)
  const isTooLate = placed < at - lateMs
  return { own: placed > at || isTooLate ? at : placed, isTooLate }
}

/** The instant by which an order counts: `placed_at`, if that is neither ahead nor older than late orders may be. */
export const ownTime = (order: Order, late: { readonly lateMs: number }, at: number): number =>
  orderTime(order, late, at).own

const isTimed = ({ dates, from, until, weekly }: Occasion): boolean =>
  from !== -Infinity || until !== Infinity || weekly !== undefined || dates !== undefined

/** Why an order of this time is not placed at the right time and place; undefined if it is. */
export const heldFrom = (
  occasion: Occasion,
  zone: string,
  { channel, scope }: Order,
  { isTooLate, own }: OrderTime
): "other_location" | "other_channel" | "other_time" | undefined => {
  if (occasion.locations?.has(scope.location_id) === false) return "other_location"
  if (occasion.channels?.has(channel) === false) return "other_channel"
  if (isTooLate && isTimed(occasion)) return "other_time"
  return isWithin(occasion, zone, own) ? undefined : "other_time"
}

/** True if an order of this time is placed at the right time and place. */
export const isHeld = (occasion: Occasion, zone: string, order: Order, time: OrderTime): boolean =>
  heldFrom(occasion, zone, order, time) === undefined

/** Furthest end of a local date from its midnight in UTC, ms. */
export const farthestMs = 16 * 3_600_000

/** First date and end (as midnights in UTC) of a window of the local calendar. */
export const windowOf = (every: Exclude<Every, "promotion">, local: number): readonly [start: number, end: number] => {
  const today = local - (local % dayMs)
  switch (every) {
    case "day":
      return [today, today + dayMs]
    case "week": {
      const monday = today - Calendar.weekdayOf(today) * dayMs
      return [monday, monday + 7 * dayMs]
    }
    case "month": {
      const date = new Date(today)
      const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
      return [Date.UTC(year, month, 1), Date.UTC(year, month + 1, 1)]
    }
    case "year": {
      const year = new Date(today).getUTCFullYear()
      return [Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1)]
    }
  }
}
