/**
 * Counts closed months anew from the journal, out of tables and files, and compares them byte for byte (contract/finance.md
 * *Verification*). Nothing of the sums that the statements were made of is read.
 */
import { Effect, Schema } from "effect"
import { rowsOf } from "../../base/database/Values.ts"
import { decodeEvents } from "../../core/account/Codec.ts"
import type { JournalUnavailable } from "../../core/journal/Records.ts"
import { Feed, type FeedRecord } from "../../reads/feed/Feed.ts"
import { FeedQuery } from "../../reads/feed/PgFeed.ts"
import { beginning, compare, type Position } from "../../reads/feed/Position.ts"
import { remakeRecords } from "../../reads/finance/Bounds.ts"
import { factsOf, Zones } from "../../reads/finance/Facts.ts"
import { FinanceStore } from "../../reads/finance/FinanceStore.ts"
import { counted, headAfter, monthOf, Sums } from "../../reads/finance/Sums.ts"
import { keptOf } from "./Closings.ts"
import type { CohortLine } from "./CohortSums.ts"
import * as Owners from "./Owners.ts"
import type { Facts, Part, RewardSums } from "./RollForwardReads.ts"
import * as Reads from "./RollForwardReads.ts"
import type * as Rows from "./Rows.ts"
import * as Statement from "./Statement.ts"

/** A closed month, and what is wrong with it; empty: it is as it was told. */
export interface Recounted {
  readonly program: string
  readonly period: string
  readonly faults: ReadonlyArray<string>
}

const storedRows = rowsOf(
  Schema.Struct({ program: Schema.String, period: Schema.String, statement: Schema.String, sha256: Schema.String })
)

interface Closed {
  readonly program: string
  readonly text: string
  readonly sha256: string
  readonly kept: Statement.Kept
  readonly position: Position
}

/** In the order of their positions, and of one position in that of the months. */
const inOrder = (one: Closed, other: Closed): number =>
  compare(one.position, other.position) || (one.kept.period < other.kept.period ? -1 : 1)

/** Sums from a day on: months are cut where the value of a point changes, and where a restaurant changes hands. */
const cutOf = (facts: ReadonlyMap<string, Facts>, closed: ReadonlyArray<Closed>) => {
  const handovers = new Map<string, ReadonlyArray<number>>()
  for (const { kept, program } of closed)
    handovers.set(program, [...(handovers.get(program) ?? []), ...Owners.handoversOf(kept.owners)])
  return (program: string, day: number) => {
    const change = Reads.valuesOn(facts.get(program)?.values ?? [], day)?.from ?? -Infinity
    const handover = (handovers.get(program) ?? []).filter((first) => first <= day)
    return [[0, Math.max(monthOf(day), change, ...handover)] as const]
  }
}

type Row = Readonly<Record<string, unknown>>

const partsOf = (
  rows: ReadonlyArray<Row>,
  program: string,
  { from, until }: Rows.Range,
  segments: ReadonlyArray<number>
) =>
  rows.flatMap((row): ReadonlyArray<Part> => {
    const start = Number(row["start"])
    if (row["program_id"] !== program || start >= until) return []
    const segment = start < from ? 0 : segments.findLastIndex((first) => first <= start) + 1
    const [unit, place, line] = [String(row["unit"]), String(row["location_id"]), String(row["line"])]
    return [{ unit, place, line, segment, points: Number(row["points"]) }]
  })

const rewardsOf = (
  rows: ReadonlyArray<Row>,
  program: string,
  { from, until }: Rows.Range
): ReadonlyArray<RewardSums> => {
  const own = rows.filter((row) => row["program_id"] === program && Number(row["start"]) < until)
  const ids = [...new Set(own.map((row) => String(row["reward_id"])))].toSorted()
  return ids.map((reward) => {
    const of = own.filter((row) => row["reward_id"] === reward)
    const sum = (isWanted: (row: Row) => boolean) =>
      of.reduce((all, row) => (isWanted(row) ? all + Number(row["rewards"]) : all), 0)
    const inRange = (...lines: ReadonlyArray<string>) =>
      sum((row) => Number(row["start"]) >= from && lines.includes(String(row["line"])))
    return { reward, wallets: sum(() => true), given: inRange("given"), used: 0 - inRange("used", "restored") }
  })
}

const cohortsOf = (rows: ReadonlyArray<Row>, program: string, { until }: Rows.Range): ReadonlyArray<CohortLine> =>
  rows.flatMap((row) =>
    row["program_id"] === program && Number(row["month"]) < until
      ? [
          {
            unit: String(row["unit"]),
            earned: Number(row["earned"]),
            line: String(row["line"]),
            points: Number(row["points"])
          }
        ]
      : []
  )

/** The differences of a statement, by its fields. */
const faultsOf = ({ kept, sha256, text }: Closed, anew: Statement.Kept): ReadonlyArray<string> => {
  const faults = Statement.sha256(text) === sha256 ? [] : ["the statement does not have its hash"]
  if (Statement.textOf(anew) === text) return faults
  const differing = Object.keys(anew).filter(
    (name) => JSON.stringify(Reflect.get(anew, name)) !== JSON.stringify(Reflect.get(kept, name))
  )
  return [...faults, `counted anew, the journal says other ${differing.length === 0 ? "bytes" : differing.join(", ")}`]
}

const closedMonths = Effect.gen(function* () {
  const query = yield* FeedQuery
  const rows = yield* storedRows(
    query(
      "SELECT program_id AS program, period, statement, sha256 FROM finance_closings ORDER BY program_id, period",
      []
    )
  )
  return rows
    .map(({ program, sha256, statement: text }): Closed => {
      const kept = keptOf({ statement: text })
      const position = { ...kept.position, transaction: BigInt(kept.position.transaction) }
      return { program, text, sha256, kept, position }
    })
    .toSorted(inOrder)
})

/** Calls `onMonth` with each closed month, in the order in which they were closed. */
export const run = Effect.fnUntraced(function* (onMonth: (found: Recounted) => Effect.Effect<void>) {
  const [feed, query, store] = [yield* Feed, yield* FeedQuery, yield* FinanceStore]
  const closed = yield* closedMonths
  const facts = new Map<string, Facts>()
  for (const { program } of closed) if (!facts.has(program)) facts.set(program, yield* Reads.facts(query, program))
  const sums = new Sums(cutOf(facts, closed))
  const zones = new Zones()
  const last = new Map<string, Statement.Kept>()
  let head = ""
  let place = beginning
  let ahead: ReadonlyArray<FeedRecord> = []

  const add = Effect.fnUntraced(function* (records: ReadonlyArray<FeedRecord>) {
    const batch = records.map((record) => counted(record, decodeEvents(record)))
    const factsIn = yield* factsOf(store, zones, batch)
    for (const one of batch) sums.record(one, factsIn(one))
    head = records.reduce((before, { hash }) => headAfter(before, hash), head)
  })

  /** Counts all records up to a position. */
  const countTo = Effect.fnUntraced(function* (end: Position): Effect.fn.Return<void, JournalUnavailable> {
    for (;;) {
      if (ahead.length === 0) ahead = yield* feed.read(place, remakeRecords)
      const upTo = ahead.filter(({ position }) => compare(position, end) <= 0)
      if (upTo.length === 0) return
      yield* add(upTo)
      place = upTo.at(-1)!.position
      ahead = ahead.slice(upTo.length)
      yield* Effect.yieldNow
    }
  })

  for (const one of closed) {
    const { kept, position, program } = one
    yield* countTo(position)
    const then = yield* Reads.facts(query, program, kept.program_version)
    const range = Statement.daysOf(kept.period)
    const rows = sums.toJson()
    const found = {
      position,
      head,
      owners: kept.owners,
      parts: partsOf(rows.days, program, range, Statement.cutsOf(then, kept.period, kept.owners)),
      rewards: rewardsOf(rows.rewards, program, range),
      cohorts: cohortsOf(rows.cohorts, program, range)
    }
    const anew = Statement.statementOf({ ...then, program }, kept.period, found, last.get(program))
    last.set(program, anew)
    yield* onMonth({ program, period: kept.period, faults: faultsOf(one, anew) })
  }
  return closed.length
})
