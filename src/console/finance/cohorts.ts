/** Points by month of earning, as the page shows them: kept ones of a closed month, or else those posted up to now. Pure. */
import type { ClosedMonth, Cohorts, StatementCohort } from "../../contract/admin/Finance.ts"
import { monthsLater } from "./months.ts"

type Live = Cohorts["cohorts"][number]

/** Months of earning in the table. */
const months = 12

/** The first month of earning that a month's table has. */
export const firstOf = (month: string): string => monthsLater(month, 1 - months)

/** A cohort's sums up to the end of a month, by what is posted now. */
const upTo = (month: string, { earned, months: all, unit }: Live): StatementCohort => {
  const own = all.filter((one) => one.month <= month)
  const sum = (of: (one: Live["months"][number]) => number) => own.reduce((points, one) => points + of(one), 0)
  return {
    ...{ unit, earned, open: own.at(-1)?.open ?? 0 },
    issued: sum((one) => one.issued),
    redeemed: sum((one) => one.redeemed),
    expired: sum((one) => one.expired),
    other: sum((one) => one.other)
  }
}

/** The sum of each account's cohorts. */
export const totalsOf = (cohorts: ReadonlyArray<StatementCohort>): ReadonlyArray<Omit<StatementCohort, "earned">> =>
  [...Map.groupBy(cohorts, ({ unit }) => unit)].map(([unit, own]) => {
    const sum = (of: (one: StatementCohort) => number) => own.reduce((points, one) => points + of(one), 0)
    return {
      unit,
      issued: sum(({ issued }) => issued),
      redeemed: sum(({ redeemed }) => redeemed),
      expired: sum(({ expired }) => expired),
      other: sum(({ other }) => other),
      open: sum(({ open }) => open)
    }
  })

/** A closed month's cohorts are those of its statement, whatever was posted since. `from`: either may be absent while it loads. */
export const cohortsOf = (
  month: string,
  from: { readonly kept?: ClosedMonth | undefined; readonly live?: Cohorts | undefined }
): ReadonlyArray<StatementCohort> => {
  const { kept, live } = from
  if (kept === undefined) return (live?.cohorts ?? []).map((one) => upTo(month, one))
  return kept.statement.cohorts.filter(({ earned }) => earned >= firstOf(month))
}
