/** Times of a zone as files have them. Pure. */

const two = (n: number): string => String(n).padStart(2, "0")

/** An instant in ISO 8601: `2026-11-28T13:15:00+01:00`. */
export const zonedTime = (timestamp: string, zone: string): string => {
  const at = Math.floor(Date.parse(timestamp) / 1_000) * 1_000
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" })
  const local = format.format(at).replace(" ", "T")
  const minutes = Math.round((Date.parse(`${local}Z`) - at) / 60_000)
  const ahead = Math.abs(minutes)
  return `${local}${minutes < 0 ? "-" : "+"}${two(Math.floor(ahead / 60))}:${two(ahead % 60)}`
}
