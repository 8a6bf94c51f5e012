/**
 * Points of a statement in money, exact by the largest remainder: the worth of `opening` and of all lines is that of
 * `closing` (contract/finance.md *Money*). Pure.
 */
import type { StatementLine } from "../../contract/admin/Finance.ts"
import { statementLines } from "../../contract/admin/Finance.ts"
import type { PointValue } from "../../contract/ProgramFile.ts"
import { worthOf } from "../../contract/Worth.ts"

/** Days in a row on which a point had one value; undefined: it had none, which is worth 0. */
export interface Segment {
  readonly value: PointValue | undefined
  readonly lines: ReadonlyMap<StatementLine, number>
}

export interface Valued {
  /** Minor units. */
  readonly opening: number
  readonly lines: ReadonlyMap<StatementLine, number>
  readonly closing: number
}

const greatestDivisor = (a: bigint, b: bigint): bigint => (b === 0n ? a : greatestDivisor(b, a % b))
const floor = (a: bigint, by: bigint): bigint => a / by - (a % by < 0n ? 1n : 0n)

const minorUnits = (value: PointValue | undefined, points: number): number =>
  value === undefined ? 0 : worthOf(value, points).amount

/** Rounds parts down, and gives what is missing to those with the largest remainders, of two alike to the first line. */
const rounded = (
  parts: ReadonlyArray<readonly [StatementLine, bigint]>,
  scale: bigint,
  total: number
): ReadonlyMap<StatementLine, number> => {
  const found = new Map(parts.map(([line, exact]) => [line, Number(floor(exact, scale))]))
  const remainder = ([, exact]: (typeof parts)[number]) => exact - floor(exact, scale) * scale
  const order = parts.toSorted((one, other) => {
    const [a, b] = [remainder(one), remainder(other)]
    return a === b ? 0 : a > b ? -1 : 1
  })
  let missing = total - [...found.values()].reduce((sum, amount) => sum + amount, 0)
  // Halves are rounded away from 0, so that a balance that crosses 0 may be a unit more or less than all lines.
  for (let place = 0; missing > 0; place++, missing--) {
    const [line] = order[place % order.length]!
    found.set(line, found.get(line)! + 1)
  }
  for (let place = order.length - 1; missing < 0; place--, missing++) {
    const [line] = order[place]!
    found.set(line, found.get(line)! - 1)
  }
  return found
}

/** `before`: the value of a point on the day before the first one. */
export const valued = (opening: number, before: PointValue | undefined, segments: ReadonlyArray<Segment>): Valued => {
  const values = [before, ...segments.map(({ value }) => value)]
  const scale = values.reduce((least, value) => {
    const points = BigInt(value?.points ?? 1)
    return (least * points) / greatestDivisor(least, points)
  }, 1n)
  const rate = (value: PointValue | undefined) =>
    value === undefined ? 0n : BigInt(value.worth.amount) * (scale / BigInt(value.points))
  const exact = new Map<StatementLine, bigint>()
  const add = (line: StatementLine, amount: bigint) => exact.set(line, (exact.get(line) ?? 0n) + amount)
  let balance = opening
  for (const [place, { lines, value }] of segments.entries()) {
    add("revalued", BigInt(balance) * (rate(value) - rate(values[place])))
    for (const [line, points] of lines) {
      add(line, BigInt(points) * rate(value))
      balance += points
    }
  }
  const [first, last] = [minorUnits(before, opening), minorUnits(values.at(-1), balance)]
  const parts = statementLines.flatMap((line) => {
    const amount = exact.get(line) ?? 0n
    return amount === 0n ? [] : [[line, amount] as const]
  })
  return { opening: first, lines: rounded(parts, scale, last - first), closing: last }
}
