/** The statement of a month, as it is kept once the month is closed (contract/finance.md *Closing a month*). Pure. */
import { hash } from "node:crypto"
import type { PointsLine, Rewards, Row, Statement } from "../../contract/admin/Finance.ts"
import { statementFormat } from "../../contract/admin/Finance.ts"
import * as Calendar from "../../core/rules/Calendar.ts"
import type { Position } from "../../reads/feed/Position.ts"
import { belowZero, hereLines } from "../../reads/finance/Sums.ts"
import type { CohortLine } from "./CohortSums.ts"
import { cohortsOf } from "./CohortSums.ts"
import * as Owners from "./Owners.ts"
import type { Facts, Part, RewardSums } from "./RollForwardReads.ts"
import * as Reads from "./RollForwardReads.ts"
import * as Rows from "./Rows.ts"

/** The sum since ever of an account, place and line, up to the end of a closed month. */
type KeptSum = readonly [unit: string, place: string, line: string, points: number]

/** A statement as it is kept: with what the next one needs. */
export interface Kept extends Statement {
  /** Owners of the restaurants, which the journal does not have. */
  readonly owners: Owners.Owners
  /** By these the next one tells late entries. */
  readonly sums: ReadonlyArray<KeptSum>
}

/** The days of a month YYYY-MM. */
export const daysOf = (period: string): Rows.Range => {
  const from = Date.parse(`${period}-01`)
  return { from, until: Calendar.monthsLater(from, 1) }
}

export const periodOf = (month: number): string => new Date(month).toISOString().slice(0, 7)

/** The month after. */
export const nextPeriod = (period: string): string => periodOf(daysOf(period).until)

const keyOf = (unit: string, place: string, line: string): string => [unit, place, line].join("\u0000")

/** Sums of a closed month by account, place and line; of an account alone over all places. */
const keptSums = (sums: Kept["sums"]) => {
  const found = new Map<string, number>()
  const add = (key: string, points: number) => found.set(key, (found.get(key) ?? 0) + points)
  for (const [unit, place, line, points] of sums) {
    add(keyOf(unit, `at ${place}`, line), points)
    add(keyOf(unit, "all", line), points)
  }
  return ({ by, place, unit }: Rows.Whose, line: string) =>
    found.get(keyOf(unit, by === "unit" ? "all" : `at ${place}`, line)) ?? 0
}

/** The start of a row: where the closed month before ended, and what was posted into it since. */
const startsAfter = (sums: Kept["sums"] | undefined) => {
  const kept = sums === undefined ? undefined : keptSums(sums)
  return (found: Rows.Found, _period: Rows.Period, whose: Rows.Whose): Rows.Start => {
    const before = found.get(0) ?? new Map<string, number>()
    const sumOf = (line: string) => before.get(line) ?? 0
    const keptOf = (line: string) => (kept === undefined ? sumOf(line) : kept(whose, line))
    const late = new Map<PointsLine, number>()
    let opening = 0
    for (const line of Reads.balanceLineNames) {
      opening += keptOf(line)
      if (sumOf(line) !== keptOf(line)) late.set(line, sumOf(line) - keptOf(line))
    }
    return {
      opening,
      late,
      belowZero: sumOf(belowZero),
      lateHere: {
        redeemed: sumOf(hereLines.redeemed) - keptOf(hereLines.redeemed),
        givenBack: sumOf(hereLines.givenBack) - keptOf(hereLines.givenBack)
      }
    }
  }
}

/** A place that had sums when the month before was closed has a row, even where all of them are gone since. */
const withKept = (parts: ReadonlyArray<Part>, last: Kept | undefined): ReadonlyArray<Part> =>
  last === undefined
    ? parts
    : [...parts, ...last.sums.map(([unit, place, line]) => ({ unit, place, line, segment: 0, points: 0 }))]

const sumsOf = (parts: ReadonlyArray<Part>): ReadonlyArray<KeptSum> => {
  const found = new Map<string, KeptSum>()
  for (const { line, place, points, unit } of parts) {
    const key = keyOf(unit, place, line)
    found.set(key, [unit, place, line, (found.get(key)?.[3] ?? 0) + points])
  }
  return [...found]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, sum]) => (sum[3] === 0 ? [] : [sum]))
}

export const rewardsOf = (
  rewards: ReadonlyArray<RewardSums>,
  { currency, values }: Facts,
  { until }: Rows.Range
): ReadonlyArray<Rewards> => {
  const last = Reads.valuesOn(values, until - Calendar.dayMs)
  return rewards.flatMap(({ given, reward, used, wallets }) => {
    if (given === 0 && used === 0 && wallets === 0) return []
    const amount = last?.rewards.get(reward)
    const value = amount === undefined ? undefined : { value: { amount, currency } }
    return [{ reward_id: reward, in_wallets: wallets, given, used, ...value }]
  })
}

/** Sums up to a position of the journal, as a month's statement needs them. */
export interface Counted {
  readonly position: Position
  readonly head: string
  readonly owners: Owners.Owners
  /** By place, cut also where restaurants change hands; segment 0 has each line since ever. */
  readonly parts: ReadonlyArray<Part>
  readonly rewards: ReadonlyArray<RewardSums>
  readonly cohorts: ReadonlyArray<CohortLine>
}

/** The first days of the segments of a month. */
export const cutsOf = ({ values }: Pick<Facts, "values">, period: string, owners: Owners.Owners) =>
  Rows.cutsOf(daysOf(period), values, Owners.handoversOf(owners))

/** The statement of a month. `last`: that of the month before; undefined: the first that is closed. */
export const statementOf = (
  facts: Facts & { readonly program: string },
  period: string,
  { cohorts, head, owners, parts, position: { account, epoch, seq, transaction }, rewards }: Counted,
  last: Kept | undefined
): Kept => {
  const range = daysOf(period)
  const cuts = cutsOf(facts, period, owners)
  const periods = Rows.periodsOf(cuts, facts.values, false)
  const all = withKept(parts, last)
  const rows = (by: Rows.RowKind): ReadonlyArray<Row> => {
    if (by !== "franchisee") return Rows.rowsOf(facts, all, periods, by, startsAfter(last?.sums))
    const ownerOf = Owners.firstOwners(owners)
    const sums = last?.sums.map(([unit, place, line, points]): KeptSum => [unit, ownerOf(place), line, points])
    return Rows.rowsOf(facts, Owners.byFranchisee(all, owners, cuts), periods, by, startsAfter(sums))
  }
  return {
    format: statementFormat,
    program_id: facts.program,
    period,
    time_zone: facts.zone,
    program_version: facts.version,
    position: { epoch, transaction: String(transaction), account, seq },
    head,
    rows: rows("unit"),
    places: rows("location"),
    franchisees: rows("franchisee"),
    rewards: rewardsOf(rewards, facts, range),
    cohorts: cohortsOf(facts.units, cohorts),
    owners,
    sums: sumsOf(parts)
  }
}

export const textOf = (statement: Kept): string => JSON.stringify(statement)

export const sha256 = (text: string): string => hash("sha256", text)
