/** Months of the books, and what stands in the way of closing one. Pure. */
import type { ClosingList, PointValueSince } from "../../contract/admin/Finance.ts"
import { calendarDay, money, monthLong, number } from "../shared/format.ts"
import { financeStrings as text } from "./financeStrings.ts"

const textOf = (at: number): string => new Date(at).toISOString().slice(0, 7)

/** The month so many months later; before, if negative. */
export const monthsLater = (month: string, months: number): string => {
  const [year = 0, number = 1] = month.split("-").map(Number)
  return textOf(Date.UTC(year, number - 1 + months, 1))
}

/** The first day of a month, and the day after the last. */
export const daysOf = (month: string): { readonly from: string; readonly until: string } => ({
  from: `${month}-01`,
  until: `${monthsLater(month, 1)}-01`
})

const isMonth = (text: string): boolean => /^20\d\d-(0[1-9]|1[0-2])$/.test(text)

export const monthName = monthLong

type Closed = Pick<ClosingList, "closings" | "first_period" | "next_period">

const isClosed = ({ closings }: Closed, month: string): boolean => closings.some(({ period }) => period === month)

/** The month of the page: the asked one if it has begun, or else the one that it begins with. `today`: `YYYY-MM-DD`. */
export const monthOf = (asked: string | undefined, { next_period }: Closed, today: string): string => {
  if (asked !== undefined && isMonth(asked) && asked <= today.slice(0, 7)) return asked
  const last = monthsLater(today.slice(0, 7), -1)
  return next_period !== undefined && next_period < last ? next_period : last
}

/** The months from the first entry on, the newest first. */
export const choices = (closed: Closed, today: string, chosen: string): ReadonlyArray<string> => {
  const now = today.slice(0, 7)
  const begun: Array<string> = [now]
  while (closed.first_period !== undefined && begun.at(-1)! > closed.first_period)
    begun.push(monthsLater(begun.at(-1)!, -1))
  const all = new Set([...begun, ...closed.closings.map(({ period }) => period), chosen])
  return [...all].toSorted().toReversed()
}

/** `closed`: it is. `goes_on`: it is not over. `order`: another one comes first. `before`: a later one was closed as the first. */
export type MonthState = "closed" | "before" | "goes_on" | "order" | "first" | "next"

export const stateOf = (closed: Closed, month: string, today: string): MonthState => {
  const { next_period } = closed
  if (isClosed(closed, month)) return "closed"
  if (next_period !== undefined && month < next_period) return "before"
  if (month >= today.slice(0, 7)) return "goes_on"
  if (next_period === undefined) return "first"
  return month === next_period ? "next" : "order"
}

/** The values of points in a sentence, the newest first; undefined: they had no worth. */
export const worthSentence = (values: ReadonlyArray<PointValueSince>): string | undefined => {
  if (values.every(({ value }) => value === undefined)) return undefined
  const [newest = "", ...earlier] = values.toReversed().map(({ since, value }, at) => {
    const day = since === undefined ? undefined : calendarDay(since)
    if (value === undefined) return at === 0 ? text.noWorthSince(day ?? "") : text.hadNoWorth(day)
    return text.valueSince(value.points, number(value.points), money(value.worth), day)
  })
  return `${[newest, ...earlier.map(text.beforeThat)].join("; ")}.`
}
