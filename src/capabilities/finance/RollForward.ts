/** The roll-forward of a range (contract/finance.md *Roll-forward*). */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { WorkPool } from "../../base/database/Pools.ts"
import { serviceTime } from "../../base/time/Times.ts"
import { AdminApi } from "../../contract/admin/Api.ts"
import type { Balance, Line, RollForward, RollForwardQuery, Row, StatementLine } from "../../contract/admin/Finance.ts"
import { maxRangeDays, statementLines } from "../../contract/admin/Finance.ts"
import type { PointValue } from "../../contract/ProgramFile.ts"
import type { Refused } from "../../contract/Refused.ts"
import { fromMillis } from "../../contract/Values.ts"
import { Programs } from "../../core/programs/Programs.ts"
import * as Calendar from "../../core/rules/Calendar.ts"
import type { Program } from "../../core/rules/Program.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Limited from "../../desk/surface/Limited.ts"
import { orUnavailable, refuse, refuseFaults } from "../../desk/surface/Refusal.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import { Finance } from "../../reads/finance/Finance.ts"
import { belowZero, brand, hereLines, monthOf } from "../../reads/finance/Sums.ts"
import { lagMs } from "./Bounds.ts"
import type { Part, Values } from "./RollForwardReads.ts"
import * as Reads from "./RollForwardReads.ts"
import { valued } from "./Valued.ts"

interface Range {
  readonly from: number
  readonly until: number
}

const rangeOf = ({ from, until }: RollForwardQuery): Effect.Effect<Range, Refused> => {
  const range = { from: Date.parse(from), until: Date.parse(until) }
  if (range.from >= range.until) return refuseFaults([{ path: "/until", message: "must be after `from`" }])
  return range.until - range.from > maxRangeDays * Calendar.dayMs
    ? refuseFaults([{ path: "/from", message: `must be at most ${maxRangeDays} days before the end of the range` }])
    : Effect.succeed(range)
}

/** The first days of the months in a range. */
const monthsIn = ({ from, until }: Range): ReadonlyArray<number> => {
  const months: Array<number> = []
  for (let day = monthOf(from); day < until; day = Calendar.monthsLater(day, 1)) months.push(Math.max(day, from))
  return months
}

/** The days on which a range is cut: where a month begins, if rows are by month, and where the value of a point changes. */
const cutsOf = (range: Range, values: ReadonlyArray<Values>, isByMonth: boolean): ReadonlyArray<number> => {
  const changes = values.flatMap(({ from }) => (from > range.from && from < range.until ? [from] : []))
  return [...new Set([range.from, ...changes, ...(isByMonth ? monthsIn(range) : [])])].toSorted((a, b) => a - b)
}

/** Sums of one account and place: by segment, and within it by line. */
type Found = ReadonlyMap<number, ReadonlyMap<string, number>>

const bySegment = (parts: ReadonlyArray<Part>): Found =>
  new Map(
    [...Map.groupBy(parts, ({ segment }) => segment)].map(([segment, all]) => [
      segment,
      new Map(all.map(({ line, points }) => [line, points]))
    ])
  )

const pointsIn = (found: Found, segments: ReadonlyArray<number>, line: string): number =>
  segments.reduce((sum, segment) => sum + (found.get(segment)?.get(line) ?? 0), 0)

const balanceLines = (found: Found, segment: number): ReadonlyMap<StatementLine, number> =>
  new Map(
    [...(found.get(segment) ?? [])].flatMap(([line, points]) =>
      Reads.isOfBalance(line) && points !== 0 ? [[line, points] as const] : []
    )
  )

/** A row's segments, numbered from 1 in the range, and what they need. */
interface Period {
  readonly month: string | undefined
  readonly segments: ReadonlyArray<number>
  /** The value of a point before the first segment, and in each. */
  readonly before: PointValue | undefined
  readonly values: ReadonlyArray<PointValue | undefined>
}

const periodsOf = (cuts: ReadonlyArray<number>, values: ReadonlyArray<Values>, isByMonth: boolean) => {
  const numbers = cuts.map((_, place) => place + 1)
  const groups = Map.groupBy(numbers, (segment) => (isByMonth ? monthOf(cuts[segment - 1]!) : undefined))
  const pointOn = (day: number) => Reads.valuesOn(values, day)?.point
  return [...groups].map(
    ([month, segments]): Period => ({
      month: month === undefined ? undefined : new Date(month).toISOString().slice(0, 7),
      segments,
      before: pointOn(cuts[segments[0]! - 1]! - Calendar.dayMs),
      values: segments.map((segment) => pointOn(cuts[segment - 1]!))
    })
  )
}

const rowOf = (
  { currency, primaryUnit }: Program,
  found: Found,
  { before, month, segments, values }: Period,
  { isByPlace, place, unit }: { readonly unit: string; readonly place: string; readonly isByPlace: boolean }
): Row => {
  const earlier = Array.from({ length: segments[0]! }, (_, segment) => segment)
  const lines = segments.map((segment) => balanceLines(found, segment))
  const openingPoints =
    pointsIn(found, [0], Reads.opening) +
    earlier
      .slice(1)
      .reduce((sum, segment) => sum + [...balanceLines(found, segment).values()].reduce((a, b) => a + b, 0), 0)
  const totals = new Map<StatementLine, number>()
  for (const all of lines) for (const [line, points] of all) totals.set(line, (totals.get(line) ?? 0) + points)
  const hasWorth = unit === primaryUnit && [before, ...values].some((value) => value !== undefined)
  const money = hasWorth
    ? valued(
        openingPoints,
        before,
        values.map((value, at) => ({ value, lines: lines[at]! }))
      )
    : undefined
  const worth = (amount: number | undefined): Pick<Balance, "worth"> =>
    amount === undefined ? {} : { worth: { amount, currency } }
  const shown = statementLines.flatMap((line): ReadonlyArray<Line> => {
    const [points, amount] = [totals.get(line) ?? 0, money?.lines.get(line) ?? 0]
    return points === 0 && amount === 0 ? [] : [{ line, points, ...worth(money === undefined ? undefined : amount) }]
  })
  return {
    unit: unit as Program["primaryUnit"],
    ...(month === undefined ? undefined : { month }),
    ...(isByPlace && place !== brand ? { location_id: place } : undefined),
    opening: { points: openingPoints, ...worth(money?.opening) },
    lines: shown,
    closing: {
      points: [...totals.values()].reduce((sum, points) => sum + points, openingPoints),
      ...worth(money?.closing)
    },
    below_zero: pointsIn(found, [...earlier, ...segments], belowZero),
    redeemed_here: pointsIn(found, segments, hereLines.redeemed),
    given_back_here: pointsIn(found, segments, hereLines.givenBack)
  }
}

/** Rows by account in the programme's order, then by month, or by place: the brand first. */
const rowsOf = (
  program: Program,
  parts: ReadonlyArray<Part>,
  periods: ReadonlyArray<Period>,
  isByPlace: boolean
): ReadonlyArray<Row> =>
  program.accounts.flatMap(({ unit }) => {
    const own = Map.groupBy(
      parts.filter((part) => part.unit === unit),
      ({ place }) => place
    )
    const places = isByPlace ? [...own.keys()].toSorted() : [brand]
    return places.flatMap((place) => {
      const found = bySegment(own.get(place) ?? [])
      return periods.map((period) => rowOf(program, found, period, { unit, place, isByPlace }))
    })
  })

const make = Effect.gen(function* () {
  const { query } = yield* WorkPool
  const { now } = yield* serviceTime
  const [finance, programs] = [yield* Finance, yield* Programs]

  /** Refused while records of the range are not counted yet. */
  const countedUntil = Effect.fnUntraced(function* (end: number) {
    const asOf = yield* orUnavailable(finance.asOf)
    const needed = Math.min(end, now() - lagMs)
    if (asOf !== undefined && asOf < needed)
      return yield* refuse(
        "invalid_state",
        `The sums of finance are counted up to ${fromMillis(asOf)}; they go on by themselves. Ask again later.`
      )
    return Math.min(asOf ?? now(), now())
  })

  return Effect.fn("RollForward.show")(function* (
    asked: RollForwardQuery
  ): Effect.fn.Return<RollForward, Refused, CurrentCaller> {
    const caller = yield* CurrentCaller
    const program = yield* Visible.programOf(programs, caller, asked.program_id)
    const range = yield* rangeOf(asked)
    const asOf = yield* countedUntil(Calendar.startOf(program.zone, range.until))
    const values = yield* Reads.values(query, program.id, program.zone)
    const isByPlace = asked.by === "location" || caller.restaurants !== undefined
    const cuts = cutsOf(range, values, asked.by === "month")
    const parts = yield* Reads.sums(query, { program: program.id, ...range, segments: cuts, isByPlace })
    const rewards =
      caller.restaurants === undefined ? yield* Reads.rewards(query, { program: program.id, ...range }) : []
    const rows = rowsOf(program, parts, periodsOf(cuts, values, asked.by === "month"), isByPlace)
    const last = Reads.valuesOn(values, range.until - Calendar.dayMs)
    return {
      program_id: program.id,
      time_zone: program.zone,
      as_of: fromMillis(asOf),
      from: asked.from,
      until: asked.until,
      // A restaurant that changed hands amid the range is nobody's row: each asks for the days on which it was theirs.
      rows: rows.filter(({ location_id }) => Limited.hasAll(caller, location_id, asked.from, asked.until)),
      rewards: rewards.map(({ given, reward, used, wallets }) => {
        const amount = last?.rewards.get(reward)
        return {
          reward_id: reward,
          in_wallets: wallets,
          given,
          used,
          ...(amount === undefined ? undefined : { value: { amount, currency: program.currency } })
        }
      })
    }
  })
})

export const layer = HttpApiBuilder.group(AdminApi, "finance", (handlers) =>
  Effect.map(make, (show) => handlers.handle("rollForward", ({ query }) => show(query)))
)
