/** Points by the month in which they were earned, as a statement keeps them (contract/finance.md *Cohorts*). Pure. */
import type { StatementCohort } from "../../contract/admin/Finance.ts"
import type { Unit } from "../../contract/Values.ts"

/** Points of one account, month of earning and line, up to the end of a month. */
export interface CohortLine {
  readonly unit: string
  /** The first day of the month of earning: a midnight in UTC, ms. */
  readonly earned: number
  readonly line: string
  readonly points: number
}

const issued: ReadonlySet<string> = new Set(["base", "promotions", "orders_up"])
const redeemed: ReadonlySet<string> = new Set(["redeemed", "given_back"])

const groupOf = (line: string): "issued" | "redeemed" | "expired" | "other" => {
  if (issued.has(line) || line.endsWith("_credits")) return "issued"
  if (redeemed.has(line)) return "redeemed"
  return line === "expired" ? line : "other"
}

const cohortOf = (unit: Unit, earned: number, lines: ReadonlyArray<CohortLine>): StatementCohort => {
  const found = { issued: 0, redeemed: 0, expired: 0, other: 0 }
  for (const { line, points } of lines) found[groupOf(line)] += points
  const open = lines.reduce((sum, { points }) => sum + points, 0)
  return { unit, earned: new Date(earned).toISOString().slice(0, 7), ...found, open }
}

/** Cohorts by account in the programme's order, then by month. */
export const cohortsOf = (
  units: ReadonlyArray<Unit>,
  lines: ReadonlyArray<CohortLine>
): ReadonlyArray<StatementCohort> =>
  units.flatMap((unit) => {
    const own = lines.filter((one) => one.unit === unit && one.points !== 0)
    return [...Map.groupBy(own, ({ earned }) => earned)]
      .toSorted(([one], [other]) => one - other)
      .map(([earned, all]) => cohortOf(unit, earned, all))
  })
