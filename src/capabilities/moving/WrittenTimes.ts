/** Times as other systems write them. Pure. */
import { isTimestamp } from "../../contract/Values.ts"
import type { DateOrder } from "../../contract/WrittenDates.ts"
import { isoDate } from "../../contract/WrittenDates.ts"
import { dayMs, localAt, startOf } from "../../core/rules/Calendar.ts"

export interface DateForm {
  /** Undefined: nobody has said. */
  readonly order: DateOrder | undefined
  /** Of times without a zone. */
  readonly zone: string
}

const dayMonthYear = /^\s*(\d{1,2})([./-])(\d{1,2})\2\d{4}(?!\d)/

/** Remembers how the first date of a file is written: others may have another order. */
export class DateMarks {
  private first: string | undefined

  /** True of a date with other marks than the first one, whose day and month can be taken for each other. */
  isAmbiguous(cell: string): boolean {
    const [, one = "", mark, other = ""] = dayMonthYear.exec(cell) ?? []
    if (mark === undefined) return false
    this.first ??= mark
    return mark !== this.first && Number(one) <= 12 && Number(other) <= 12 && Number(one) !== Number(other)
  }
}

const written = /^(\S+?)(?:[T ](\d{1,2}:\d{2})(:\d{2}(?:\.\d{1,6})?)?)?$/
const yearLast = /^\d{1,2}([./-])\d{1,2}\1\d{4}$/

/** True of a date whose day and month nobody can tell apart without being told. */
const isAmbiguous = (date: string): boolean => yearLast.test(date)

/** The instant of a local time, given as the same one in UTC, ms. A time that clocks skip is taken an hour later. */
const instantOf = (zone: string, local: number): number => {
  const before = local - (localAt(zone, local) - local)
  return local - (localAt(zone, before) - before)
}

export type Read = { readonly at: number } | "unsaid" | "invalid"

/** The date of a cell, as its midnight in UTC. */
const dateOf = (date: string, order: DateOrder | undefined): Read => {
  if (order === undefined && isAmbiguous(date)) return "unsaid"
  const iso = isoDate(date, order ?? "YMD")
  return /^\d{4}-\d{2}-\d{2}$/.test(iso) && isTimestamp(`${iso}T00:00:00Z`)
    ? { at: Date.parse(`${iso}T00:00:00Z`) }
    : "invalid"
}

/** The instant that a cell tells, ms. `end`: a date alone means its end, as of something that is valid on that day. */
export const instantIn = (cell: string, { order, zone }: DateForm, end: boolean): Read => {
  const text = cell.trim()
  const rfc = text.replace(" ", "T")
  if (isTimestamp(rfc)) return { at: Date.parse(rfc) }
  const [, date = "", minutes, seconds = ":00"] = written.exec(text) ?? []
  const day = dateOf(date, order)
  if (typeof day === "string") return day
  if (minutes === undefined) return { at: startOf(zone, end ? day.at + dayMs : day.at) }
  const time = Date.parse(`1970-01-01T${minutes.padStart(5, "0")}${seconds}Z`)
  return Number.isNaN(time) ? "invalid" : { at: instantOf(zone, day.at + time) }
}

/** The date of birth of a cell, as `1990-12-10`. */
export const birthDateIn = (cell: string, order: DateOrder | undefined): string | "unsaid" | "invalid" => {
  const read = dateOf(cell.trim().replace(/[T ]0{1,2}:00(?::00(?:\.0+)?)?$/, ""), order)
  return typeof read === "string" ? read : new Date(read.at).toISOString().slice(0, 10)
}
