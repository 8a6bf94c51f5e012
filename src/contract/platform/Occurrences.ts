/**
 * Occurrences of a cron schedule in a time zone (contract/engagement.md *Schedules*). A local time that does not exist
 * on a day is skipped. One that occurs twice counts the first time.
 */
import { Cron, Result } from "effect"

/** A cron expression of five fields (minute to day of the week) and its IANA time zone. */
export interface CronSchedule {
  readonly cron: string
  readonly time_zone: string
}

/** Number of fields. `Cron` also accepts a field of seconds, but nothing here runs more often than each minute. */
const fields = 5

/** Most consecutive occurrences in a gap of local time: a gap lasts some hours. */
const maxSkipped = 1_000

const cronOf = ({ cron, time_zone }: CronSchedule): Cron.Cron => Cron.parseUnsafe(cron, time_zone)

/** The fault of a cron expression; undefined if it has none. Requires: the time zone exists. */
export const cronFault = ({ cron, time_zone }: CronSchedule): string | undefined => {
  const parsed = Cron.parse(cron, time_zone)
  if (cron.trim().split(/\s+/).length !== fields || Result.isFailure(parsed))
    return "must be a cron of five fields, such as `0 9 * * 1`"
  try {
    Cron.next(parsed.success, 0)
    return undefined
  } catch {
    return "must have an occurrence"
  }
}

/**
 * The nearest occurrence in one direction. Skips results that do not match the expression: these local times do not
 * exist.
 */
const nearest = (cron: Cron.Cron, step: typeof Cron.next, from: number): number => {
  let at = from
  for (let tries = 0; tries < maxSkipped; tries++) {
    at = step(cron, at).getTime()
    if (Cron.match(cron, at)) return at
  }
  throw new Error(`no occurrence of a schedule near ${from}`)
}

/** The first occurrence after an instant, ms. */
export const next = (schedule: CronSchedule, after: number): number => nearest(cronOf(schedule), Cron.next, after)

/** The last occurrence up to an instant, ms. */
export const latest = (schedule: CronSchedule, until: number): number => nearest(cronOf(schedule), Cron.prev, until + 1)
