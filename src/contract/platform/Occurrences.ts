/**
 * Occurrences of a repeated schedule, by the clock of a time zone (platform.md *Campaigns*): a local time that
 * does not exist is skipped, one that comes twice counts the first time.
 */
import { Cron, Result } from "effect"

/** A minute, an hour, a day of the month, a month, a day of the week, as a zone's clock shows them. */
export interface Repeat {
  readonly cron: string
  readonly time_zone: string
}

/** `Cron` takes seconds as well; nothing here runs more often than each minute. */
const fields = 5

/** Occurrences in a row that a zone's clock skips: a change of the clock lasts some hours. */
const maxSkipped = 1_000

const cronOf = ({ cron, time_zone }: Repeat): Cron.Cron => Cron.parseUnsafe(cron, time_zone)

/** What is wrong with the text of a cron; the zone is one that there is. */
export const cronFault = ({ cron, time_zone }: Repeat): string | undefined => {
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

/** The nearest occurrence in a direction. A result that the zone's clock does not show is one that it skips. */
const nearest = (cron: Cron.Cron, step: typeof Cron.next, from: number): number => {
  let at = from
  for (let tries = 0; tries < maxSkipped; tries++) {
    at = step(cron, at).getTime()
    if (Cron.match(cron, at)) return at
  }
  throw new Error(`no occurrence of a schedule near ${from}`)
}

/** The first occurrence after an instant, ms. */
export const next = (repeat: Repeat, after: number): number => nearest(cronOf(repeat), Cron.next, after)

/** The last occurrence up to an instant, ms. */
export const latest = (repeat: Repeat, until: number): number => nearest(cronOf(repeat), Cron.prev, until + 1)
