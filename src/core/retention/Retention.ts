/**
 * Deletes what is not the ledger once it is old enough (contract/databases.md *Retention*), on one node at a time.
 *
 * Each statement deletes a batch and is a transaction of its own. So a kill loses nothing, the next round goes on, and no lock
 * that a request of a till waits for is held.
 *
 * Invariant: a row is deleted only if it is old by PostgreSQL's clock and by this node's, while the two agree. So a clock that
 * jumps ahead deletes nothing. A sandbox's rows have the times of its own clock, which alone counts for them.
 */
import { Effect, Metric, Schema } from "effect"
import { WorkPool } from "../../base/database/Pools.ts"
import { int8, oneOf } from "../../base/database/Values.ts"
import * as Series from "../../base/metrics/Series.ts"
import * as Pace from "../../base/time/Pace.ts"
import { machineTime, serviceTime } from "../../base/time/Times.ts"
import { Partitions } from "../cluster/Partitions.ts"
import { singletons } from "../cluster/Placement.ts"
import { WriteFreeze } from "../journal/WriteFreeze.ts"
import * as Bounds from "./Bounds.ts"
import { type Kept, KeptTimes } from "./Kept.ts"

/** How one kind of row is deleted. */
export interface Rule {
  readonly kept: Kept
  /** The clock that the rows have their times of. */
  readonly clock: "service" | "machine"
  /** Deletes at most $2 rows from before $1 (ms). Returns how many as `deleted`, and as `more` whether others may be left. */
  readonly deletes: string
  /** Returns the time of the oldest row that is there as `oldest`, ms; null: there is none. */
  readonly oldest: string
}

const deletedTotal = (kept: Kept) =>
  Metric.counter("lotbook_retention_deleted_total", {
    description: "Rows that were deleted because they were kept long enough",
    attributes: { kept },
    incremental: true
  })

const oldestSeconds = (kept: Kept) =>
  Metric.gauge("lotbook_retention_oldest_seconds", {
    description:
      "Age of the oldest row of those that are deleted with time, as of the last round of this node, seconds",
    attributes: { kept }
  })

const dayMs = 86_400_000

const timeStatement = `SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "databaseMs",
  (SELECT now IS NOT NULL FROM sandbox_clock) AS "isSandbox"`
const timeRow = oneOf(Schema.Struct({ databaseMs: Schema.Number, isSandbox: Schema.Boolean }))
const deletedRow = oneOf(Schema.Struct({ deleted: Schema.Number, more: Schema.Boolean }))
const oldestRow = oneOf(Schema.Struct({ oldest: Schema.NullOr(Schema.Number) }))

/** Batches, one rule after the other. `idle`: nothing of any rule is old any more. */
export const make = Effect.fnUntraced(function* (rules: ReadonlyArray<Rule>) {
  const days = yield* KeptTimes
  const { query } = yield* WorkPool
  const { mayWrite } = yield* WriteFreeze
  const times = { service: yield* serviceTime, machine: yield* machineTime }
  /** Rules before this one have had their turn. */
  let turn = 0

  const nowOf = Effect.fnUntraced(function* ({ clock }: Rule) {
    const now = times[clock].now()
    const { databaseMs, isSandbox } = yield* timeRow(query(timeStatement))
    return isSandbox && clock === "service" ? now : Math.min(now, Math.floor(databaseMs))
  })

  const measure = Effect.fnUntraced(function* (rule: Rule, now: number) {
    const { oldest } = yield* oldestRow(query(rule.oldest))
    yield* Metric.update(oldestSeconds(rule.kept), oldest === null ? 0 : Math.max(0, now - oldest) / 1000)
  })

  const batchOf = Effect.fnUntraced(function* (rule: Rule) {
    const now = yield* nowOf(rule)
    // Asked after the time was read: a clock that is not trusted by now counts for nothing.
    if (!mayWrite()) return "waits" as const
    const before = now - days[rule.kept] * dayMs
    const { deleted, more } = yield* deletedRow(query(rule.deletes, [int8(before), int8(Bounds.batchRows)]))
    yield* Metric.update(deletedTotal(rule.kept), deleted)
    if (!more) {
      yield* measure(rule, now)
      turn++
    }
    return "worked" as const
  })

  return {
    batch: Effect.suspend(() => {
      const rule = rules[turn]
      if (rule === undefined) {
        turn = 0
        return Effect.succeed("idle" as const)
      }
      return Effect.tapCause(batchOf(rule), (cause) => {
        // The others have their turn.
        turn++
        return Effect.logWarning(`Old ${rule.kept} are not deleted yet; the next round tries again`, cause)
      })
    })
  }
})

/** Deletes until the scope closes, on one node at a time. */
export const worker = Effect.fnUntraced(function* (rules: ReadonlyArray<Rule>) {
  for (const { kept } of rules) {
    yield* Series.begin(deletedTotal(kept))
    yield* Series.begin(oldestSeconds(kept))
  }
  const { batch } = yield* make(rules)
  const { whileMine } = yield* Partitions
  const keep = Pace.keep({
    name: "Deletions of what is old",
    batch,
    idle: Effect.sleep(Bounds.roundMs),
    pauseMs: Bounds.pauseMs,
    busyPauseMs: () => Bounds.pauseMs,
    troubleMs: Bounds.troubleMs
  })
  // Another node measures from then on.
  const forget = Effect.forEach(rules, ({ kept }) => Metric.update(oldestSeconds(kept), 0), { discard: true })
  const work = Effect.ensuring(Effect.andThen(Effect.sleep(Bounds.firstMs), keep), forget)
  yield* Effect.forkScoped(whileMine(singletons.retention, work))
})
