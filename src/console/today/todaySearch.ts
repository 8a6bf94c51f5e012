/** Range and filters of the charts of all figures, in the address bar. */

/** The page of all figures. */
export const figuresPath = "/today/figures"

export const ranges = [7, 30, 90, 365] as const
export type Range = (typeof ranges)[number]
export const defaultRange: Range = 30

/** Most days of a range. */
export const maxDays = 3_650

export interface TodaySearch {
  /** Days up to today; absent: 30. */
  readonly days?: Range
  /** The first and the last day, `YYYY-MM-DD`: both or none. In place of `days`. */
  readonly from?: string
  readonly to?: string
  readonly location?: string
  /** The day by which orders are counted. Absent: the day of posting. */
  readonly day?: "business"
  /** The account's unit; absent: the primary account. */
  readonly unit?: string
}

const textIn = <Name extends string>(name: Name, value: unknown): { readonly [N in Name]?: string } =>
  typeof value === "string" && value !== "" ? ({ [name]: value } as { [N in Name]?: string }) : {}

const dayMs = 86_400_000

/** A day's midnight in UTC, ms; undefined: no day. A year that is being typed is none, either. */
const midnightOf = (day: unknown): number | undefined => {
  if (typeof day !== "string" || !/^(19|20)\d\d-\d\d-\d\d$/.test(day)) return undefined
  const at = Date.parse(`${day}T00:00:00Z`)
  // The 31st of a month without one is the first of the next to browsers.
  return Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== day ? undefined : at
}

/** Number of days from a day to another, both included; undefined: they make no range. */
export const daysOf = (from: unknown, to: unknown): number | undefined => {
  const [first, last] = [midnightOf(from), midnightOf(to)]
  if (first === undefined || last === undefined || last < first) return undefined
  const days = (last - first) / dayMs + 1
  return days > maxDays ? undefined : days
}

export const todaySearch = (given: Record<string, unknown>): TodaySearch => {
  const days = ranges.find((range) => range === Number(given["days"]) && range !== defaultRange)
  const isRange = daysOf(given["from"], given["to"]) !== undefined
  return {
    ...(isRange || days === undefined ? {} : { days }),
    ...(isRange ? { ...textIn("from", given["from"]), ...textIn("to", given["to"]) } : {}),
    ...textIn("location", given["location"]),
    ...(given["day"] === "business" ? { day: "business" } : {}),
    ...textIn("unit", given["unit"])
  }
}
