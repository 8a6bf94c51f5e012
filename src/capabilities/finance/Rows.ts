/** The rows of a statement, out of sums (contract/finance.md *Roll-forward*). Pure. */
import type { Balance, Line, PointsLine, RollForwardQuery, Row, StatementLine } from "../../contract/admin/Finance.ts"
import { pointsLines, statementLines } from "../../contract/admin/Finance.ts"
import type { PointValue } from "../../contract/ProgramFile.ts"
import type { Unit } from "../../contract/Values.ts"
import { worthOf } from "../../contract/Worth.ts"
import * as Calendar from "../../core/rules/Calendar.ts"
import { belowZero, brand, hereLines, monthOf } from "../../reads/finance/Sums.ts"
import type { Values } from "./RollForwardReads.ts"
import * as Reads from "./RollForwardReads.ts"
import { valued } from "./Valued.ts"

/** The first and the last day of a range: midnights in UTC of their dates, ms. `until` is the day after. */
export interface Range {
  readonly from: number
  readonly until: number
}

/** The facts of a programme that rows show. */
export interface Shown {
  readonly currency: string
  readonly primaryUnit: Unit
  readonly units: ReadonlyArray<Unit>
}

/** The first days of the months in a range. */
export const monthsIn = ({ from, until }: Range): ReadonlyArray<number> => {
  const months: Array<number> = []
  for (let day = monthOf(from); day < until; day = Calendar.monthsLater(day, 1)) months.push(Math.max(day, from))
  return months
}

/** Kinds of rows of an account: months are segments of it, places and franchisees have sums of their own. */
export type RowKind = NonNullable<RollForwardQuery["by"]>

/** The days on which a range is cut: where the value of a point changes, and where asked, such as where a month begins. */
export const cutsOf = (
  range: Range,
  values: ReadonlyArray<Values>,
  asked: ReadonlyArray<number>
): ReadonlyArray<number> => {
  const changes = values.flatMap(({ from }) => (from > range.from && from < range.until ? [from] : []))
  return [...new Set([range.from, ...changes, ...asked])].toSorted((a, b) => a - b)
}

/** Sums of one account and place: by segment, and within it by line. */
export type Found = ReadonlyMap<number, ReadonlyMap<string, number>>

const bySegment = (parts: ReadonlyArray<Reads.Part>): Found => {
  const found = new Map<number, Map<string, number>>()
  for (const { line, points, segment } of parts) {
    const lines = found.get(segment) ?? new Map<string, number>()
    found.set(segment, lines.set(line, (lines.get(line) ?? 0) + points))
  }
  return found
}

const pointsIn = (found: Found, segments: ReadonlyArray<number>, line: string): number =>
  segments.reduce((sum, segment) => sum + (found.get(segment)?.get(line) ?? 0), 0)

/** The lines of a balance. */
const balanceLines = (lines: ReadonlyMap<string, number> = new Map()): ReadonlyMap<StatementLine, number> =>
  new Map(
    [...pointsLines, "handed_over" as const].flatMap((line) =>
      lines.get(line) ? [[line, lines.get(line)!] as const] : []
    )
  )

const total = (lines: ReadonlyMap<unknown, number>): number =>
  [...lines.values()].reduce((sum, points) => sum + points, 0)

/** A row's segments, numbered from 1 in the range, and the values of a point. */
export interface Period {
  readonly month: string | undefined
  readonly segments: ReadonlyArray<number>
  /** The value of a point before the first segment, and in each. */
  readonly before: PointValue | undefined
  readonly values: ReadonlyArray<PointValue | undefined>
}

export const periodsOf = (
  cuts: ReadonlyArray<number>,
  values: ReadonlyArray<Values>,
  isByMonth: boolean
): ReadonlyArray<Period> => {
  const numbers = cuts.map((_, place) => place + 1)
  const groups = Map.groupBy(numbers, (segment) => (isByMonth ? monthOf(cuts[segment - 1]!) : undefined))
  const pointOn = (day: number) => Reads.valuesOn(values, day)?.point
  return [...groups].map(([month, segments]) => ({
    month: month === undefined ? undefined : new Date(month).toISOString().slice(0, 7),
    segments,
    before: pointOn(cuts[segments[0]! - 1]! - Calendar.dayMs),
    values: segments.map((segment) => pointOn(cuts[segment - 1]!))
  }))
}

/** Sums before a row's first segment. */
export interface Start {
  readonly opening: number
  readonly belowZero: number
  /** Points that are dated earlier, and were posted after the month before was closed. */
  readonly late: ReadonlyMap<PointsLine, number>
  /** The same of redemptions at the place. */
  readonly lateHere: { readonly redeemed: number; readonly givenBack: number }
}

/** The sums before a row that nothing was closed before. */
const startOf = (found: Found, { segments }: Period): Start => {
  const earlier = Array.from({ length: segments[0]! - 1 }, (_, place) => place + 1)
  return {
    opening:
      pointsIn(found, [0], Reads.opening) +
      earlier.reduce((sum, segment) => sum + total(balanceLines(found.get(segment))), 0),
    belowZero: pointsIn(found, [0, ...earlier], belowZero),
    late: new Map(),
    lateHere: { redeemed: 0, givenBack: 0 }
  }
}

const withoutMoney = (lines: ReadonlyMap<PointsLine, number>): ReadonlyArray<Line> =>
  [...lines].map(([line, points]) => ({ line, points }))

/** The points of the lines of all segments; late ones belong to the first. */
const linesOf = (
  found: Found,
  { segments }: Period,
  { late }: Start
): ReadonlyArray<ReadonlyMap<StatementLine, number>> =>
  segments.map((segment, place): ReadonlyMap<StatementLine, number> => {
    const lines = balanceLines(found.get(segment))
    return place === 0 && total(late) !== 0 ? new Map<StatementLine, number>([["late", total(late)], ...lines]) : lines
  })

/** The account of a row, and its location or franchisee. */
export interface Whose {
  readonly unit: Unit
  readonly place: string
  readonly by: RowKind
}

/** The field of a row that has its place. */
const placeNames: Partial<Record<RowKind, "franchisee_id" | "location_id">> = {
  franchisee: "franchisee_id",
  location: "location_id"
}

const rowOf = (
  { currency, primaryUnit }: Shown,
  found: Found,
  period: Period,
  start: Start,
  { by, place, unit }: Whose
): Row => {
  const placeName = placeNames[by]
  const { before, month, segments, values } = period
  const lines = linesOf(found, period, start)
  const totals = new Map<StatementLine, number>()
  for (const all of lines) for (const [line, points] of all) totals.set(line, (totals.get(line) ?? 0) + points)
  const hasWorth = unit === primaryUnit && [before, ...values].some((value) => value !== undefined)
  const parts = values.map((value, at) => ({ value, lines: lines[at]! }))
  const money = hasWorth ? valued(start.opening, before, parts) : undefined
  const worth = (amount = 0): Pick<Balance, "worth"> => (money === undefined ? {} : { worth: { amount, currency } })
  const owed = start.belowZero + pointsIn(found, segments, belowZero)
  const last = values.at(-1)
  return {
    unit,
    ...(month === undefined ? undefined : { month }),
    ...(placeName !== undefined && place !== brand ? { [placeName]: place } : undefined),
    opening: { points: start.opening, ...worth(money?.opening) },
    lines: statementLines.flatMap((line): ReadonlyArray<Line> => {
      const [points = 0, amount = 0] = [totals.get(line), money?.lines.get(line)]
      return points === 0 && amount === 0 ? [] : [{ line, points, ...worth(amount) }]
    }),
    ...(start.late.size === 0 ? undefined : { late: withoutMoney(start.late) }),
    closing: { points: start.opening + total(totals), ...worth(money?.closing) },
    below_zero: owed,
    ...(money === undefined || last === undefined || owed === 0
      ? undefined
      : { below_zero_worth: worthOf(last, owed) }),
    redeemed_here: start.lateHere.redeemed + pointsIn(found, segments, hereLines.redeemed),
    given_back_here: start.lateHere.givenBack + pointsIn(found, segments, hereLines.givenBack)
  }
}

/** Rows by account in the programme's order, then by location or franchisee, the brand first, and by period. */
export const rowsOf = (
  program: Shown,
  parts: ReadonlyArray<Reads.Part>,
  periods: ReadonlyArray<Period>,
  by: RowKind,
  starts: (found: Found, period: Period, whose: Whose) => Start = startOf
): ReadonlyArray<Row> =>
  program.units.flatMap((unit) => {
    const own = Map.groupBy(
      parts.filter((part) => part.unit === unit),
      ({ place }) => place
    )
    const isByPlace = placeNames[by] !== undefined
    const places = isByPlace ? [...own.keys()].toSorted() : [brand]
    return places.flatMap((place) => {
      const found = bySegment(isByPlace ? (own.get(place) ?? []) : [...own.values()].flat())
      const whose = { unit, place, by }
      return periods.map((period) => rowOf(program, found, period, starts(found, period, whose), whose))
    })
  })
