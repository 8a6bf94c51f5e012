/** The roll-forward of a range (contract/finance.md *Roll-forward*). */
import { Effect } from "effect"
import { WorkPool } from "../../base/database/Pools.ts"
import { serviceTime } from "../../base/time/Times.ts"
import type { RollForward, RollForwardQuery, Row } from "../../contract/admin/Finance.ts"
import { maxRangeDays } from "../../contract/admin/Finance.ts"
import type { Refused } from "../../contract/Refused.ts"
import { said } from "../../contract/Said.ts"
import { fromMillis } from "../../contract/Values.ts"
import { Programs } from "../../core/programs/Programs.ts"
import { Restaurants } from "../../core/protocol/Restaurants.ts"
import * as Calendar from "../../core/rules/Calendar.ts"
import { CurrentCaller, type RequestCaller } from "../../desk/access/CurrentCaller.ts"
import * as Limited from "../../desk/surface/Limited.ts"
import { refuseFaults } from "../../desk/surface/Refusal.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import { Finance } from "../../reads/finance/Finance.ts"
import { monthOf } from "../../reads/finance/Sums.ts"
import { maxHandovers } from "./Bounds.ts"
import * as Closings from "./Closings.ts"
import { countedUntil } from "./Counted.ts"
import * as Owners from "./Owners.ts"
import * as PointValues from "./PointValues.ts"
import * as Reads from "./RollForwardReads.ts"
import * as Rows from "./Rows.ts"
import * as Statement from "./Statement.ts"

const rangeOf = ({ from, until }: RollForwardQuery): Effect.Effect<Rows.Range, Refused> => {
  const range = { from: Date.parse(from), until: Date.parse(until) }
  if (range.from >= range.until) return refuseFaults([{ path: "/until", message: "must be after `from`" }])
  return range.until - range.from > maxRangeDays * Calendar.dayMs
    ? refuseFaults([{ path: "/from", ...said`must be at most ${maxRangeDays} days before the end of the range` }])
    : Effect.succeed(range)
}

/** The month that a range is; undefined: it is none. */
const monthIn = ({ from, until }: Rows.Range): string | undefined =>
  monthOf(from) === from && Calendar.monthsLater(from, 1) === until ? Statement.periodOf(from) : undefined

interface Answer extends Pick<RollForward, "closed" | "rewards" | "rows"> {
  /** The programme's version that a statement goes by; undefined: the newest. */
  readonly version?: number
  /** The owners that a statement says; undefined: the answer goes by date alone. */
  readonly owners?: Owners.Owners
}

const ofStatement = (kept: Statement.Kept, by: Rows.RowKind): Answer => {
  const { franchisees, owners, places, program_version: version, rewards, rows } = kept
  return { rows: by === "location" ? places : by === "franchisee" ? franchisees : rows, rewards, owners, version }
}

/** Rows that a caller sees: by place, if it is limited to restaurants; by franchisee, if its limits name franchisees alone. */
const kindFor = ({ restaurants }: RequestCaller, by: Rows.RowKind): Rows.RowKind => {
  if (restaurants === undefined) return by
  const { brand_ids, franchisee_ids, location_ids } = restaurants.limits
  const isOfFranchisees = franchisee_ids !== undefined && brand_ids === undefined && location_ids === undefined
  return by === "franchisee" && isOfFranchisees ? by : "location"
}

/** True if a caller of the restaurants may see a row. */
const mayFor =
  (restaurants: Restaurants | undefined, { from, until }: RollForwardQuery, by: Rows.RowKind) =>
  ({ franchisee_id, location_id }: Row): boolean => {
    // A restaurant that changed hands amid the range is nobody's row: each asks for the days on which it was theirs.
    if (restaurants === undefined || by !== "franchisee")
      return Limited.hasAll({ restaurants }, location_id, from, until)
    return franchisee_id !== undefined && restaurants.limits.franchisee_ids?.includes(franchisee_id) === true
  }

/** Sums of each place are cut at each handover: a range of a month has few. */
const mustBeFew = (handovers: ReadonlyArray<number>): Effect.Effect<void, Refused> =>
  handovers.length > maxHandovers
    ? refuseFaults([
        {
          path: "/from",
          ...said`restaurants change hands on more than ${maxHandovers} days of the range: ask for a shorter one`
        }
      ])
    : Effect.void

export const make = Effect.gen(function* () {
  const { query, transaction } = yield* WorkPool
  const time = yield* serviceTime
  const [finance, programs] = [yield* Finance, yield* Programs]

  /** The statement of a closed month, or that of the month after the last closed one as it would be; undefined: by date alone. */
  const byStatement = Effect.fnUntraced(function* (
    program: string,
    period: string,
    by: Rows.RowKind,
    caller: RequestCaller
  ): Effect.fn.Return<Answer | undefined, Refused> {
    const found = yield* Closings.find(query, program, period)
    if (found !== undefined)
      return { ...ofStatement(Closings.keptOf(found), by), closed: Closings.closingFor(caller)(found) }
    const last = yield* Closings.lastBefore(query, program, period)
    if (last === undefined || Statement.nextPeriod(last.period) !== period) return undefined
    const kept = Closings.keptOf(last)
    return ofStatement(yield* transaction(Closings.statementBySums(query, program, period, kept)), by)
  })

  /** The restaurants that are a caller's in a range: a statement says whose they were, whatever is said of its days since. */
  const restaurantsBy = Effect.fnUntraced(function* (
    { restaurants }: RequestCaller,
    owners: Owners.Owners | undefined
  ): Effect.fn.Return<Restaurants | undefined, Refused> {
    if (owners === undefined || restaurants?.limits.franchisee_ids === undefined) return restaurants
    return new Restaurants(restaurants.limits, Owners.withOwners(yield* Reads.places(query), owners))
  })

  const byDate = Effect.fnUntraced(function* (
    program: string,
    range: Rows.Range,
    by: Rows.RowKind,
    isByMonth: boolean
  ): Effect.fn.Return<Answer, Refused> {
    const facts = yield* Reads.facts(query, program)
    const owners = by === "franchisee" ? Owners.ownersOf(yield* Reads.places(query), range) : []
    const handovers = Owners.handoversOf(owners)
    yield* mustBeFew(handovers)
    const segments = Rows.cutsOf(range, facts.values, isByMonth ? Rows.monthsIn(range) : handovers)
    const isByPlace = by === "location" || by === "franchisee"
    const parts = yield* Reads.sums(query, { program, ...range, segments, isByPlace })
    const rewards = yield* Reads.rewards(query, { program, ...range })
    const periods = Rows.periodsOf(segments, facts.values, isByMonth)
    const whose = by === "franchisee" ? Owners.byFranchisee(parts, owners, segments) : parts
    return {
      rows: Rows.rowsOf(facts, whose, periods, by),
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
    const by = kindFor(caller, asked.by ?? "unit")
    // Somebody who is limited has months of each restaurant.
    const isByMonth = asked.by === "month"
    const period = isByMonth ? undefined : monthIn(range)
    const stated = period === undefined ? undefined : yield* byStatement(program.id, period, by, caller)
    const { closed, owners, rewards, rows, version } = stated ?? (yield* byDate(program.id, range, by, isByMonth))
    const restaurants = yield* restaurantsBy(caller, owners)
    return {
      program_id: program.id,
      time_zone: program.zone,
      as_of: fromMillis(asOf),
      from: asked.from,
      until: asked.until,
      ...(closed === undefined ? undefined : { closed }),
      rows: rows.filter(mayFor(restaurants, asked, by)),
      rewards: restaurants === undefined ? rewards : [],
      point_values: yield* PointValues.read(query, program.id, range, version)
    }
  })
})
