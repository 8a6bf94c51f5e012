/** Range and filters of the charts on Today, in the address bar. */
export const ranges = [7, 30, 90, 365] as const
export type Range = (typeof ranges)[number]
export const defaultRange: Range = 30

export interface TodaySearch {
  /** Days up to today; absent: 30. */
  readonly days?: Range
  readonly location?: string
  /** The day by which orders are counted. Absent: the day of posting. */
  readonly day?: "business"
  /** The account's unit; absent: the primary account. */
  readonly unit?: string
}

const textIn = <Name extends string>(name: Name, value: unknown): { readonly [N in Name]?: string } =>
  typeof value === "string" && value !== "" ? ({ [name]: value } as { [N in Name]?: string }) : {}

export const todaySearch = (given: Record<string, unknown>): TodaySearch => {
  const days = ranges.find((range) => range === Number(given["days"]) && range !== defaultRange)
  return {
    ...(days === undefined ? {} : { days }),
    ...textIn("location", given["location"]),
    ...(given["day"] === "business" ? { day: "business" } : {}),
    ...textIn("unit", given["unit"])
  }
}
