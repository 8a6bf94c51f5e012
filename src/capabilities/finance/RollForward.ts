/** The roll-forward of a range (contract/finance.md *Roll-forward*). */
import { Effect } from "effect"
import { WorkPool } from "../../base/database/Pools.ts"
import { serviceTime } from "../../base/time/Times.ts"
import type { RollForward, RollForwardQuery } from "../../contract/admin/Finance.ts"
import { maxRangeDays } from "../../contract/admin/Finance.ts"
import type { Refused } from "../../contract/Refused.ts"
import { fromMillis } from "../../contract/Values.ts"
import { Programs } from "../../core/programs/Programs.ts"
import * as Calendar from "../../core/rules/Calendar.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Limited from "../../desk/surface/Limited.ts"
import { refuseFaults } from "../../desk/surface/Refusal.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import { Finance } from "../../reads/finance/Finance.ts"
import { monthOf } from "../../reads/finance/Sums.ts"
import * as Closings from "./Closings.ts"
import { countedUntil } from "./Counted.ts"
import * as Reads from "./RollForwardReads.ts"
import * as Rows from "./Rows.ts"
import * as Statement from "./Statement.ts"

const rangeOf = ({ from, until }: RollForwardQuery): Effect.Effect<Rows.Range, Refused> => {
  const range = { from: Date.parse(from), until: Date.parse(until) }
  if (range.from >= range.until) return refuseFaults([{ path: "/until", message: "must be after `from`" }])
  return range.until - range.from > maxRangeDays * Calendar.dayMs
    ? refuseFaults([{ path: "/from", message: `must be at most ${maxRangeDays} days before the end of the range` }])
    : Effect.succeed(range)
}

/** The month that a range is; undefined: it is none. */
const monthIn = ({ from, until }: Rows.Range): string | undefined =>
  monthOf(from) === from && Calendar.monthsLater(from, 1) === until ? Statement.periodOf(from) : undefined

type Answer = Pick<RollForward, "closed" | "rewards" | "rows">

const ofStatement = ({ places, rewards, rows }: Statement.Kept, isByPlace: boolean): Answer => ({
  rows: isByPlace ? places : rows,
  rewards
})

export const make = Effect.gen(function* () {
  const { query, transaction } = yield* WorkPool
  const time = yield* serviceTime
  const [finance, programs] = [yield* Finance, yield* Programs]

  /** The statement of a closed month, or that of the month after the last closed one as it would be; undefined: by date alone. */
  const byStatement = Effect.fnUntraced(function* (
    program: string,
    period: string,
    isByPlace: boolean
  ): Effect.fn.Return<Answer | undefined, Refused> {
    const closed = yield* Closings.find(query, program, period)
    if (closed !== undefined)
      return { ...ofStatement(Closings.keptOf(closed), isByPlace), closed: Closings.closingOf(closed) }
    const last = yield* Closings.lastBefore(query, program, period)
    if (last === undefined || Statement.nextPeriod(last.period) !== period) return undefined
    const kept = Closings.keptOf(last)
    return ofStatement(yield* transaction(Closings.statementBySums(query, program, period, kept)), isByPlace)
  })

  const byDate = Effect.fnUntraced(function* (
    program: string,
    range: Rows.Range,
    isByMonth: boolean,
    isByPlace: boolean
  ): Effect.fn.Return<Answer, Refused> {
    const facts = yield* Reads.facts(query, program)
    const segments = Rows.cutsOf(range, facts.values, isByMonth)
    const parts = yield* Reads.sums(query, { program, ...range, segments, isByPlace })
    const rewards = yield* Reads.rewards(query, { program, ...range })
    const periods = Rows.periodsOf(segments, facts.values, isByMonth)
    return {
      rows: Rows.rowsOf(facts, parts, periods, isByPlace),
      rewards: Statement.rewardsOf(rewards, facts, range)
    }
  })

  return Effect.fn("RollForward.show")(function* (
    asked: RollForwardQuery
  ): Effect.fn.Return<RollForward, Refused, CurrentCaller> {
    const caller = yield* CurrentCaller
    const program = yield* Visible.programOf(programs, caller, asked.program_id)
    const range = yield* rangeOf(asked)
    const asOf = yield* countedUntil(finance, time, Calendar.startOf(program.zone, range.until))
    const isByPlace = asked.by === "location" || caller.restaurants !== undefined
    const period = asked.by === "month" ? undefined : monthIn(range)
    const stated = period === undefined ? undefined : yield* byStatement(program.id, period, isByPlace)
    const { closed, rewards, rows } = stated ?? (yield* byDate(program.id, range, asked.by === "month", isByPlace))
    return {
      program_id: program.id,
      time_zone: program.zone,
      as_of: fromMillis(asOf),
      from: asked.from,
      until: asked.until,
      ...(closed === undefined ? undefined : { closed }),
      // A restaurant that changed hands amid the range is nobody's row: each asks for the days on which it was theirs.
      rows: rows.filter(({ location_id }) => Limited.hasAll(caller, location_id, asked.from, asked.until)),
      rewards: caller.restaurants === undefined ? rewards : []
    }
  })
})
