/**
 * The model of the schedule form, with dates and times of a time zone. Converts the contract's schedule to it and back.
 * Pure.
 */
import { DateTime, Option } from "effect"
import type { Schedule } from "../../contract/platform/CampaignSchedule.ts"
import type { Campaign } from "../../contract/platform/Campaigns.ts"
import { cronFault, next } from "../../contract/platform/Occurrences.ts"
import { clockAt } from "./zonedTime.ts"

type Sent = typeof Schedule.Type

export const modes = ["none", "once", "repeated"] as const
type Mode = (typeof modes)[number]

export const patterns = ["daily", "weekdays", "weekly", "monthly", "advanced"] as const
export type Pattern = (typeof patterns)[number]

export interface Draft {
  readonly mode: Mode
  readonly pattern: Pattern
  /** `HH:mm`. */
  readonly time: string
  /** 0 is Sunday. */
  readonly days: ReadonlyArray<number>
  readonly day: number | undefined
  readonly cron: string
  readonly zone: string
  /** Local time, `YYYY-MM-DDTHH:mm`, or empty. `from` and `until` have the same form. */
  readonly once: string
  readonly from: string
  readonly until: string
  /** The stored schedule: unchanged times keep their seconds, which the form does not show. */
  readonly before: Sent | undefined
}

const dayMs = 86_400_000

/** An instant as local time of a zone: `YYYY-MM-DDTHH:mm`. */
export const localOf = (timestamp: string | number, zone: string): string =>
  new Date(clockAt(zone, new Date(timestamp).getTime())).toISOString().slice(0, 16)

/** The instant of a local time, ms. A local time in a gap becomes later by the length of the gap. */
export const instantOf = (local: string, zone: string): number | undefined =>
  Option.match(DateTime.makeZoned(`${local}:00.000Z`, { timeZone: zone, adjustForTimeZone: true }), {
    onNone: () => undefined,
    onSome: DateTime.toEpochMillis
  })

const iso = (at: number): string => new Date(at).toISOString()

/** A cron of a single time each year: minute, hour, day and month. */
const yearly = /^(\d{1,2}) (\d{1,2}) (\d{1,2}) (\d{1,2}) \*$/
const repeated = /^(\d{1,2}) (\d{1,2}) (\*|\d{1,2}) \* (\*|1-5|[0-6](?:,[0-6])*)$/

const twoDigits = (text: string | number): string => String(text).padStart(2, "0")

/**
 * The only occurrence of a yearly cron whose schedule lasts a day, ms: cron has no years. Undefined: another schedule.
 */
const onceOf = ({ ends_at, repeat, starts_at }: Sent): number | undefined => {
  if (repeat === undefined || starts_at === undefined || ends_at === undefined || !yearly.test(repeat.cron))
    return undefined
  const [from, until] = [Date.parse(starts_at), Date.parse(ends_at)]
  const zoned = { cron: repeat.cron, time_zone: repeat.time_zone ?? "UTC" }
  return until - from === dayMs && next(zoned, from - 1) === from ? from : undefined
}

const patternOf = (cron: string): Partial<Draft> => {
  const [, minute, hour, day, days] = repeated.exec(cron) ?? []
  if (minute === undefined || hour === undefined || (day !== "*" && days !== "*")) return { pattern: "advanced", cron }
  const time = `${twoDigits(hour)}:${twoDigits(minute)}`
  if (day !== "*") return { pattern: "monthly", time, day: Number(day), cron }
  if (days === "*") return { pattern: "daily", time, cron }
  if (days === "1-5") return { pattern: "weekdays", time, cron }
  return { pattern: "weekly", time, days: (days ?? "").split(",").map(Number), cron }
}

const blank = (zone: string): Draft => ({
  mode: "none",
  pattern: "daily",
  time: "09:00",
  days: [1],
  day: 1,
  cron: "0 9 * * *",
  zone,
  once: "",
  from: "",
  until: "",
  before: undefined
})

/** The form's model of a schedule. `usual`: the time zone if the schedule has none. */
export const draftOf = (schedule: Campaign["schedule"], usual: string): Draft => {
  if (schedule === undefined) return blank(usual)
  const { ends_at, repeat, starts_at } = schedule
  const zone = repeat?.time_zone ?? usual
  const whole = { ...blank(zone), before: schedule }
  const once = onceOf(schedule)
  if (once !== undefined) return { ...whole, mode: "once", once: localOf(once, zone) }
  return {
    ...whole,
    ...(repeat === undefined ? {} : { mode: "repeated" as const, ...patternOf(repeat.cron) }),
    from: starts_at === undefined ? "" : localOf(starts_at, zone),
    until: ends_at === undefined ? "" : localOf(ends_at, zone)
  }
}

const cronOf = ({ cron, day, days, pattern, time }: Draft): string | undefined => {
  const [hour, minute] = time.split(":").map(Number)
  if (pattern === "advanced") return cron.trim() === "" ? undefined : cron.trim()
  if (hour === undefined || minute === undefined) return undefined
  switch (pattern) {
    case "daily":
      return `${minute} ${hour} * * *`
    case "weekdays":
      return `${minute} ${hour} * * 1-5`
    case "weekly":
      return days.length === 0 ? undefined : `${minute} ${hour} * * ${days.toSorted((a, b) => a - b).join(",")}`
    case "monthly":
      return day === undefined ? undefined : `${minute} ${hour} ${day} * *`
  }
}

/** A bound of the schedule. The stored one if the form shows the same. */
const boundOf = (local: string, zone: string, before: string | undefined): string | undefined => {
  if (local === "") return undefined
  if (before !== undefined && localOf(before, zone) === local) return before
  const at = instantOf(local, zone)
  return at === undefined ? undefined : iso(at)
}

/** The contract's schedule; undefined: none. `isComplete`: no input is missing. */
export const scheduleOf = (draft: Draft): { readonly schedule: Sent | undefined; readonly isComplete: boolean } => {
  const { before, mode, once, zone } = draft
  if (mode === "once") {
    const at = once === "" ? undefined : instantOf(once, zone)
    if (at === undefined) return { schedule: undefined, isComplete: false }
    // Uses the instant, because the entered local time may be in a gap.
    const [date = "", time = ""] = localOf(at, zone).split("T")
    const [, month, day] = date.split("-").map(Number)
    const [hour, minute] = time.split(":").map(Number)
    const repeat = { cron: `${minute} ${hour} ${day} ${month} *`, time_zone: zone }
    return { schedule: { starts_at: iso(at), ends_at: iso(at + dayMs), repeat }, isComplete: true }
  }
  const cron = mode === "repeated" ? cronOf(draft) : undefined
  const starts_at = boundOf(draft.from, zone, before?.starts_at)
  const ends_at = boundOf(draft.until, zone, before?.ends_at)
  const schedule = {
    ...(starts_at === undefined ? {} : { starts_at }),
    ...(ends_at === undefined ? {} : { ends_at }),
    ...(cron === undefined ? {} : { repeat: { cron, time_zone: zone } })
  }
  return {
    schedule: Object.keys(schedule).length === 0 ? undefined : schedule,
    isComplete: mode === "none" || cron !== undefined
  }
}

/** Number of occurrences that the form shows. */
const shown = 3

/** The occurrences of a schedule that are still to come, ms. */
const upcoming = function* (schedule: Sent | undefined, now: number): Generator<number> {
  if (schedule?.repeat === undefined) return
  const repeat = { cron: schedule.repeat.cron, time_zone: schedule.repeat.time_zone ?? "UTC" }
  if (cronFault(repeat) !== undefined) return
  const until = schedule.ends_at === undefined ? Number.POSITIVE_INFINITY : Date.parse(schedule.ends_at)
  let at = Math.max(now, schedule.starts_at === undefined ? 0 : Date.parse(schedule.starts_at) - 1)
  for (;;) {
    at = next(repeat, at)
    if (at >= until) return
    yield at
  }
}

/** The next occurrences of a schedule, ms. */
export const occurrencesOf = (schedule: Sent | undefined, now: number): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (const at of upcoming(schedule, now)) if (found.push(at) === shown) break
  return found
}

/** True if it gives nothing any more: its end is over, or no time of its schedule is left. */
export const isOver = (schedule: Sent | undefined, now: number): boolean =>
  (schedule?.ends_at !== undefined && Date.parse(schedule.ends_at) <= now) ||
  (schedule?.repeat !== undefined && faultOf(schedule) === undefined && occurrencesOf(schedule, now).length === 0)

/** Days of a month that is foretold. */
export const monthDays = 30
/** Most occurrences of a month that are counted: more than one an hour. */
export const mostCounted = 1_000

/** Number of occurrences in the `monthDays` from the first on, at most `mostCounted`. */
export const occurrencesInMonth = (schedule: Sent | undefined, now: number): number => {
  let [count, end] = [0, Number.POSITIVE_INFINITY]
  for (const at of upcoming(schedule, now)) {
    if (count === 0) end = at + monthDays * dayMs
    if (at >= end || count === mostCounted) break
    count++
  }
  return count
}

/** Occurrences that are looked at for the longest gap: more than a month of days, more than a year of months. */
const compared = 40

/** The most days between two occurrences of a repeated schedule; undefined: it is not repeated, or has a fault. */
export const longestGapDays = (schedule: Sent | undefined, now: number): number | undefined => {
  if (schedule?.repeat === undefined || faultOf(schedule) !== undefined) return undefined
  const repeat = { cron: schedule.repeat.cron, time_zone: schedule.repeat.time_zone ?? "UTC" }
  let [longest, at] = [0, next(repeat, now)]
  for (let n = 0; n < compared; n++) {
    const following = next(repeat, at)
    longest = Math.max(longest, following - at)
    at = following
  }
  return Math.round(longest / dayMs)
}

/** A campaign's next scheduled run. For an inactive campaign: the next one if it were activated now. */
export const nextOf = (
  { next_run_at, schedule, status }: Pick<Campaign, "next_run_at" | "schedule" | "status">,
  now: number
): string | undefined => {
  if (next_run_at !== undefined) return next_run_at
  const [first] = status === "draft" || status === "paused" ? occurrencesOf(schedule, now) : []
  return first === undefined ? undefined : iso(first)
}

/** The fault of a schedule's cron; undefined if it has none. */
export const faultOf = (schedule: Sent | undefined): string | undefined =>
  schedule?.repeat === undefined
    ? undefined
    : cronFault({ cron: schedule.repeat.cron, time_zone: schedule.repeat.time_zone ?? "UTC" })
