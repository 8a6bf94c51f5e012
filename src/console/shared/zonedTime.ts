/** Local times of zones. Pure. */

const clocks = new Map<string, Intl.DateTimeFormat>()

/** The local time of a zone at an instant, represented as the same time in UTC, ms. Whole seconds. */
export const clockAt = (zone: string, at: number): number => {
  const options = { timeZone: zone, dateStyle: "short", timeStyle: "medium" } as const
  const clock = clocks.get(zone) ?? new Intl.DateTimeFormat("sv-SE", options)
  clocks.set(zone, clock)
  return Date.parse(`${clock.format(at).replace(" ", "T")}Z`)
}

/** An instant in ISO 8601: `2026-11-28T13:15:00+01:00`. */
export const zonedTime = (timestamp: string, zone: string): string => {
  const at = Math.floor(Date.parse(timestamp) / 1_000) * 1_000
  const local = clockAt(zone, at)
  const ahead = new Date(Math.abs(local - at)).toISOString().slice(11, 16)
  return `${new Date(local).toISOString().slice(0, 19)}${local < at ? "-" : "+"}${ahead}`
}
