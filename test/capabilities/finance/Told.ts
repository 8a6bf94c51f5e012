/** Answers of finance in the form of the model, and their money. */
import { assert } from "@effect/vitest"
import { isDeepStrictEqual } from "node:util"
import type { Facts, Part, RewardSums } from "../../../src/capabilities/finance/RollForwardReads.ts"
import type { Row, Statement } from "../../../src/contract/admin/Finance.ts"
import type { PointValue } from "../../../src/contract/ProgramFile.ts"
import * as Expected from "../../reads/finance/Expected.ts"

type Range = Expected.Range
type TableRow = Readonly<Record<string, unknown>>

/** As `assert.deepStrictEqual`, which takes long even where all is the same. */
export const same = (found: unknown, expected: unknown, message?: string): void => {
  if (!isDeepStrictEqual(found, expected)) assert.deepStrictEqual(found, expected, message)
}

const day = 86_400_000
const monthOf = (at: number): number => Date.parse(`${new Date(at).toISOString().slice(0, 7)}-01`)

const here = ["redeemed_here", "given_back_here"]

/** The line of what was before a range: a balance alone, unless each line is kept. */
const lineBefore = (line: string): string => (line === "below_zero" ? line : "opening")

/** Sums of a range by its segments out of rows of days, as the database's statements read them. */
export const partsOf = (
  rows: ReadonlyArray<TableRow>,
  { until }: Range,
  cuts: ReadonlyArray<number>,
  keepsLines: boolean
): ReadonlyArray<Part> =>
  rows.flatMap(({ line, location_id, points, span, start, unit }): ReadonlyArray<Part> => {
    if (Number(span) !== 1 || Number(start) >= until) return []
    const segment = cuts.findLastIndex((first) => first <= Number(start)) + 1
    const isBefore = segment === 0 && !keepsLines
    if (isBefore && here.includes(String(line))) return []
    const name = isBefore ? lineBefore(String(line)) : String(line)
    return [{ unit: String(unit), place: String(location_id), line: name, segment, points: Number(points) }]
  })

/** The same of rewards. */
/** The lines of cohorts up to the end of a range, as a statement needs them. */
export const cohortLines = (rows: ReadonlyArray<TableRow>, { until }: Range) =>
  rows
    .filter(({ month }) => Number(month) < until)
    .map(({ earned, line, points, unit }) => {
      return { unit: String(unit), earned: Number(earned), line: String(line), points: Number(points) }
    })

export const rewardSums = (rows: ReadonlyArray<TableRow>, { from, until }: Range): ReadonlyArray<RewardSums> => {
  const own = rows.filter(({ span, start }) => Number(span) === 1 && Number(start) < until)
  return [...Map.groupBy(own, ({ reward_id }) => String(reward_id))]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([reward, all]) => {
      const sum = (since: number, ...lines: ReadonlyArray<string>) =>
        all.reduce(
          (total, { line, rewards, start }) =>
            Number(start) >= since && (lines.length === 0 || lines.includes(String(line)))
              ? total + Number(rewards)
              : total,
          0
        )
      return { reward, wallets: sum(-Infinity), given: sum(from, "given"), used: 0 - sum(from, "used", "restored") }
    })
}

const added = (rows: ReadonlyArray<TableRow>, nameOf: (row: TableRow) => string) =>
  Expected.byLine(rows.map((row) => ({ line: nameOf(row), points: Number(row["points"]) })))

/** Months have the sums of their days. */
export const checkMonths = (rows: ReadonlyArray<TableRow>): void => {
  const spanOf = (wanted: number) =>
    added(
      rows.filter(({ span }) => Number(span) === wanted),
      ({ line, location_id, start, unit }) => [unit, location_id, monthOf(Number(start)), line].join(" ")
    )
  const [days, months] = [spanOf(1), spanOf(31)]
  same(days, months)
}

export const cohortsOf = (rows: ReadonlyArray<TableRow>): Readonly<Record<string, number>> => {
  const month = (at: unknown) => new Date(Number(at)).toISOString().slice(0, 7)
  return added(rows, ({ earned, line, month: of, unit }) => [unit, month(earned), month(of), line].join(" "))
}

const linesOf = (lines: Row["lines"]): Readonly<Record<string, number>> =>
  Object.fromEntries(lines.flatMap(({ line, points }) => (line === "revalued" || points === 0 ? [] : [[line, points]])))

const pointsOf = (row: Row): Expected.ExpectedRow => {
  const { late: _, ...lines } = linesOf(row.lines)
  return {
    unit: row.unit,
    place: row.location_id ?? "",
    opening: row.opening.points,
    lines,
    late: linesOf(row.late ?? []),
    closing: row.closing.points,
    belowZero: row.below_zero,
    redeemedHere: row.redeemed_here,
    givenBackHere: row.given_back_here
  }
}

const byName = (rows: ReadonlyArray<Expected.ExpectedRow>) =>
  rows
    .filter(Expected.tells)
    .toSorted((one, other) => (`${one.unit} ${one.place}` < `${other.unit} ${other.place}` ? -1 : 1))

const valueOn = ({ values }: Facts, at: number): PointValue | undefined =>
  values.findLast(({ from }) => from <= at)?.point

const exactly = (value: PointValue | undefined, points: number): number =>
  value === undefined ? 0 : (points * value.worth.amount) / value.points

const rounded = (exact: number): number => Math.sign(exact) * Math.round(Math.abs(exact) + 1e-9) + 0

/** Opening and closing are rounded as one, all lines add up, and none is off by a cent. */
const checkWorth = (row: Row, { from, until }: Range, own: ReadonlyArray<Expected.Change>, facts: Facts): void => {
  if (row.unit !== facts.primaryUnit) {
    same(row.opening.worth, undefined)
    return
  }
  const exact = new Map<string, number>()
  const add = (line: string, amount: number) => exact.set(line, (exact.get(line) ?? 0) + amount)
  const late = row.lines.find(({ line }) => line === "late")?.points ?? 0
  let balance = row.opening.points
  const byDay = Map.groupBy(own, (one) => one.day)
  const days = new Set([from, ...facts.values.map((one) => one.from), ...byDay.keys()])
  for (const date of [...days].filter((one) => one >= from && one < until).toSorted((a, b) => a - b)) {
    add("revalued", exactly(valueOn(facts, date), balance) - exactly(valueOn(facts, date - day), balance))
    if (date === from) {
      balance += late
      add("late", exactly(valueOn(facts, date), late))
    }
    for (const { line, points } of byDay.get(date) ?? []) {
      balance += points
      add(line, exactly(valueOn(facts, date), points))
    }
  }
  const [opening, closing] = [row.opening.worth!.amount, row.closing.worth!.amount]
  same(opening, rounded(exactly(valueOn(facts, from - day), row.opening.points)))
  same(closing, rounded(exactly(valueOn(facts, until - day), row.closing.points)))
  same(row.below_zero_worth?.amount ?? 0, rounded(exactly(valueOn(facts, until - day), row.below_zero)))
  same(
    row.lines.reduce((sum, { worth }) => sum + worth!.amount, opening),
    closing
  )
  for (const { line, worth } of row.lines)
    if (Math.abs(worth!.amount - (exact.get(line) ?? 0)) > 1 + 1e-6) assert.fail(`${line} of ${JSON.stringify(row)}`)
}

/** Checks rows of one account each, of places or of months, against the model. */
export const checkRows = (
  rows: ReadonlyArray<Row>,
  range: Range,
  changes: Expected.Changes,
  counted: Expected.Counted,
  facts: Facts
): void => {
  const isByPlace = rows.some(({ location_id }) => location_id !== undefined)
  const rangeOf = (row: Row): Range => {
    if (row.month === undefined) return range
    const from = Date.parse(`${row.month}-01`)
    return { from: Math.max(from, range.from), until: Math.min(monthOf(from + 31 * day), range.until) }
  }
  for (const [month, own] of Map.groupBy(rows, ({ month }) => month)) {
    const expected = Expected.rowsOf(changes, rangeOf(own[0]!), counted, isByPlace)
    same(byName(own.map(pointsOf)), byName(expected), month)
  }
  for (const row of rows) {
    const lines = row.lines.reduce((sum, { points }) => sum + points, row.opening.points)
    same(lines, row.closing.points)
    const own = changes.points.filter(
      ({ index, place, unit }) =>
        index < counted.until && unit === row.unit && (!isByPlace || place === (row.location_id ?? ""))
    )
    checkWorth(row, rangeOf(row), own, facts)
  }
}

/** Checks the statement of a month against the model. */
export const checkStatement = (
  { places, rewards, rows }: Pick<Statement, "places" | "rewards" | "rows">,
  range: Range,
  changes: Expected.Changes,
  counted: Expected.Counted,
  facts: Facts
): void => {
  checkRows(rows, range, changes, counted, facts)
  checkRows(places, range, changes, counted, facts)
  assert.deepStrictEqual(
    rewards.map(({ given, in_wallets, reward_id, used }) => ({
      reward: reward_id,
      inWallets: in_wallets,
      given,
      used
    })),
    Expected.rewardsOf(changes, range, counted.until) as never
  )
}
