/** Points by the month in which they were earned: redeemed, expired and open (contract/finance.md *Cohorts*). */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { WorkPool } from "../../base/database/Pools.ts"
import { int8, rowsOf } from "../../base/database/Values.ts"
import { serviceTime } from "../../base/time/Times.ts"
import type { CohortQuery, Cohorts } from "../../contract/admin/Finance.ts"
import { maxCohorts } from "../../contract/admin/Finance.ts"
import type { Refused } from "../../contract/Refused.ts"
import { said } from "../../contract/Said.ts"
import { fromMillis } from "../../contract/Values.ts"
import { Programs } from "../../core/programs/Programs.ts"
import * as Calendar from "../../core/rules/Calendar.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import { refuseFaults } from "../../desk/surface/Refusal.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import { Finance } from "../../reads/finance/Finance.ts"
import { countedUntil } from "./Counted.ts"
import * as Statement from "./Statement.ts"

const Found = Schema.Struct({
  unit: Schema.String,
  earned: Schema.Number,
  month: Schema.Number,
  issued: Schema.Number,
  redeemed: Schema.Number,
  expired: Schema.Number,
  other: Schema.Number
})
type Found = typeof Found.Type
const foundRows = rowsOf(Found)

/** Every line is in one of the four sums. */
const sums = {
  issued: "line IN ('base', 'promotions', 'orders_up') OR line LIKE '%\\_credits'",
  redeemed: "line IN ('redeemed', 'given_back')",
  expired: "line = 'expired'",
  other: "line IN ('orders_down', 'card_resets', 'moved') OR line LIKE '%\\_debits'"
}
const statement = `SELECT unit::text, earned, month, ${Object.entries(sums)
  .map(([name, where]) => `coalesce(sum(points) FILTER (WHERE ${where}), 0)::float8 AS ${name}`)
  .join(", ")}
  FROM finance_cohorts WHERE program_id = $1 AND unit = ANY (enum_range(null::unit)) AND earned >= $2 AND earned < $3
  GROUP BY unit, earned, month ORDER BY unit, earned, month`

const monthsOf = (rows: ReadonlyArray<Found>): Cohorts["cohorts"][number]["months"] => {
  let open = 0
  return rows.map(({ expired, issued, month, other, redeemed }) => {
    open += issued + redeemed + expired + other
    return { month: Statement.periodOf(month), issued, redeemed, expired, other, open }
  })
}

export const make = Effect.gen(function* () {
  const { query } = yield* WorkPool
  const time = yield* serviceTime
  const [finance, programs] = [yield* Finance, yield* Programs]

  return Effect.fn("Finance.cohorts")(function* (
    asked: CohortQuery
  ): Effect.fn.Return<Cohorts, Refused, CurrentCaller> {
    const program = yield* Visible.programOf(programs, yield* CurrentCaller, asked.program_id)
    const { from } = Statement.daysOf(asked.from)
    const { until } = Statement.daysOf(asked.until)
    if (from >= until) return yield* refuseFaults([{ path: "/until", message: "must not be before `from`" }])
    if (Calendar.monthsLater(from, maxCohorts) < until)
      return yield* refuseFaults([{ path: "/until", ...said`must be within ${maxCohorts} months` }])
    const asOf = yield* countedUntil(finance, time, time.now())
    const rows = yield* foundRows(query(statement, [PgTypes.text(program.id), int8(from), int8(until)]))
    const cohorts = program.accounts.flatMap(({ unit }) => {
      const own = rows.filter((row) => row.unit === unit)
      return [...Map.groupBy(own, ({ earned }) => earned)].map(([earned, all]) => ({
        unit,
        earned: Statement.periodOf(earned),
        months: monthsOf(all)
      }))
    })
    return { program_id: program.id, time_zone: program.zone, as_of: fromMillis(asOf), cohorts }
  })
})
