/**
 * When promotions run, in local time of the programme. Local times are instants at which UTC shows the same. Pure. The
 * service decides by instants: where clocks change, a window here may be an hour off.
 */
import type { Promotion } from "../../contract/Promotions.ts"
import { isLocal, weekdays } from "../../contract/Promotions.ts"
import { localOf } from "../shared/schedule.ts"

const minuteMs = 60_000
export const dayMs = 1_440 * minuteMs
/** So far ahead a next window is looked for, ms: a yearly one is found. */
const aheadMs = 400 * dayMs

/** Something that runs at times: a promotion or a challenge. */
type Timed = Pick<Promotion, "enabled" | "when">

export interface Span {
  readonly start: number
  readonly end: number
}

/** The local time of an instant. */
export const localAt = (at: number, zone: string): number => Date.parse(`${localOf(at, zone)}:00Z`)

const momentOf = (text: string, zone: string, isEnd: boolean): number => {
  if (!isLocal(text)) return localAt(Date.parse(text), zone)
  if (text.length > 10) return Date.parse(`${text}Z`)
  return Date.parse(`${text}T00:00:00Z`) + (isEnd ? dayMs : 0)
}

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

/** 0 is Monday. */
const weekdayOf = (day: number): number => (new Date(day).getUTCDay() + 6) % 7

type When = NonNullable<Promotion["when"]>

const spansOn = (day: number, { weekly }: When): ReadonlyArray<Span> => {
  if (weekly === undefined) return [{ start: day, end: day + dayMs }]
  return weekly.flatMap(({ days, from, until }) => {
    const name = weekdays[weekdayOf(day)]
    if (name === undefined || !days.includes(name)) return []
    const isPastMidnight = minutesOf(until) <= minutesOf(from)
    const end = day + minutesOf(until) * minuteMs + (isPastMidnight ? dayMs : 0)
    return [{ start: day + minutesOf(from) * minuteMs, end }]
  })
}

/** A date beside weekly windows, which bounds the days on which they begin. */
const dayOf = ({ weekly }: When, text: string | undefined): string | undefined =>
  weekly !== undefined && text?.length === 10 ? text : undefined

const isDay = (when: When, date: string): boolean =>
  when.dates?.includes(date) !== false &&
  date >= (dayOf(when, when.from) ?? date) &&
  date <= (dayOf(when, when.until) ?? date)

/** The times within a range at which it runs, in order; empty if it is off. */
export const spansWithin = ({ enabled, when = {} }: Timed, zone: string, range: Span): ReadonlyArray<Span> => {
  if (enabled === false) return []
  const cut = (text: string | undefined, isEnd: boolean) =>
    text === undefined || dayOf(when, text) !== undefined ? undefined : momentOf(text, zone, isEnd)
  const [from, until] = [cut(when.from, false) ?? -Infinity, cut(when.until, true) ?? Infinity]
  const [first, last] = [Math.max(from, range.start), Math.min(until, range.end)]
  if (first >= last) return []
  if (when.weekly === undefined && when.dates === undefined) return [{ start: first, end: last }]
  const spans: Array<Span> = []
  // A window past midnight belongs to the day before.
  for (let day = Math.floor(first / dayMs) * dayMs - dayMs; day < last; day += dayMs) {
    if (!isDay(when, new Date(day).toISOString().slice(0, 10))) continue
    for (const { end, start } of spansOn(day, when))
      if (Math.max(start, first) < Math.min(end, last))
        spans.push({ start: Math.max(start, first), end: Math.min(end, last) })
  }
  return spans.toSorted((a, b) => a.start - b.start)
}

export type State =
  | { readonly is: "off" | "over" }
  /** Absent `until`: without end. */
  | { readonly is: "running"; readonly until?: number }
  | { readonly is: "next"; readonly from: number }

/** Its state at a local time. */
export const stateAt = (promotion: Timed, zone: string, now: number): State => {
  if (promotion.enabled === false) return { is: "off" }
  const [first] = spansWithin(promotion, zone, { start: now, end: now + aheadMs })
  if (first === undefined) {
    const { from } = promotion.when ?? {}
    const begin = from === undefined ? -Infinity : momentOf(from, zone, false)
    return begin > now ? { is: "next", from: begin } : { is: "over" }
  }
  if (first.start > now) return { is: "next", from: first.start }
  return first.end >= now + aheadMs ? { is: "running" } : { is: "running", until: first.end }
}
