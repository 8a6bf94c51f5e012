/** Holds contract/databases.md *Retention*: what is old by both clocks is deleted, by the batch. */
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Exit, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Pools from "../../../src/base/database/Pools.ts"
import { WriteFreeze } from "../../../src/core/journal/WriteFreeze.ts"
import * as Bounds from "../../../src/core/retention/Bounds.ts"
import * as Retention from "../../../src/core/retention/Retention.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import { keptMs, measured, round } from "./Rounds.ts"

const dayMs = 86_400_000
const limit = keptMs("deliveries")

const rule: Retention.Rule = {
  kept: "deliveries",
  clock: "machine",
  deletes: `WITH old AS MATERIALIZED (SELECT n FROM things WHERE at < $1 ORDER BY n LIMIT $2),
      gone AS (DELETE FROM things t USING old WHERE t.n = old.n RETURNING 1) SELECT count(*) AS deleted, count(*) > 0 AS more FROM gone`,
  oldest: "SELECT min(at) AS oldest FROM things"
}

const freezeOf = (mayWrite: () => boolean) =>
  Layer.succeed(WriteFreeze, WriteFreeze.of({ isFrozen: () => false, mayWrite, set: () => Effect.void }))

const database = Layer.provideMerge(Pools.layer, TestDatabase.layer)

/** Runs with the node's clock at a time, ms. The loops of pools do not see it: they would make up for all the time. */
const at = <A, E, R>(ms: number, work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Clock.Clock, (clock) =>
    Effect.provideService(work, Clock.Clock, Object.create(clock, { currentTimeMillisUnsafe: { value: () => ms } }))
  )

/** Rows with these times, ms. */
const things = (...times: ReadonlyArray<number>) =>
  Effect.andThen(
    TestDatabase.query("CREATE TABLE IF NOT EXISTS things (n serial PRIMARY KEY, at bigint NOT NULL)"),
    Effect.forEach(times, (at) => TestDatabase.query(`INSERT INTO things (at) VALUES (${at})`), { discard: true })
  )
const left = Effect.map(TestDatabase.query("SELECT at::float8 AS at FROM things ORDER BY at"), (rows) =>
  rows.map(({ at }) => Number(at))
)

/** A node that may write, on the database. */
const writable = Layer.provideMerge(
  freezeOf(() => true),
  database
)

it.effect("a row that is old goes, one that is a day too young stays, and both are told by metrics", () =>
  Effect.gen(function* () {
    yield* things(-limit - 1, -limit, -limit + dayMs, 0)
    assert.deepStrictEqual(yield* round(rule), ["worked", "worked", "idle"])
    assert.deepStrictEqual(yield* left, [-limit, -limit + dayMs, 0])
    assert.strictEqual(yield* measured("lotbook_retention_deleted_total", "deliveries"), 1)
    assert.strictEqual(yield* measured("lotbook_retention_oldest_seconds", "deliveries"), limit / 1000)
    assert.deepStrictEqual(yield* round(rule), ["worked", "idle"])
  }).pipe(Effect.provide(writable))
)

it.effect("many rows go by the batch, and a round that was cut off is gone on with", () =>
  Effect.gen(function* () {
    yield* things()
    yield* TestDatabase.query(
      `INSERT INTO things (at) SELECT ${-limit - 1} FROM generate_series(1, ${Bounds.batchRows + 1})`
    )
    const { batch } = yield* Retention.make([rule])
    assert.strictEqual(yield* batch, "worked")
    assert.lengthOf(yield* left, 1)
    assert.deepStrictEqual(yield* round(rule), ["worked", "worked", "idle"])
    assert.lengthOf(yield* left, 0)
  }).pipe(Effect.provide(writable))
)

it.effect("a clock that is ahead deletes nothing, PostgreSQL's or the node's", () =>
  Effect.gen(function* () {
    const [row] = yield* TestDatabase.query("SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now")
    const now = Math.floor(Number(row?.["now"]))
    yield* things(now - limit + dayMs)
    const ahead = yield* at(now + 400 * dayMs, round(rule))
    assert.deepStrictEqual(ahead, ["worked", "idle"], "the node is ahead by 400 days")
    yield* things(now - limit - dayMs)
    const behind = yield* at(now - 400 * dayMs, round(rule))
    assert.deepStrictEqual(behind, ["worked", "idle"], "PostgreSQL is ahead by 400 days")
    assert.lengthOf(yield* left, 2)
    yield* at(now, round(rule))
    assert.deepStrictEqual(yield* left, [now - limit + dayMs])
  }).pipe(Effect.provide(writable))
)

it.effect("nothing is deleted while writes are frozen or the clock is not trusted", () => {
  let mayWrite = false
  return Effect.gen(function* () {
    yield* things(-limit - 1)
    assert.deepStrictEqual(yield* round(rule), ["waits"])
    assert.lengthOf(yield* left, 1)
    mayWrite = true
    yield* round(rule)
    assert.lengthOf(yield* left, 0)
  }).pipe(
    Effect.provide(
      Layer.provideMerge(
        freezeOf(() => mayWrite),
        database
      )
    )
  )
})

it.effect("in a sandbox its own clock counts for rows that have its times, and no other ones", () =>
  Effect.gen(function* () {
    yield* TestDatabase.query("UPDATE sandbox_clock SET now = 0")
    const far = Date.UTC(2090, 0, 1)
    yield* things(far - limit - 1, far - limit)
    assert.deepStrictEqual(yield* at(far, round(rule)), ["worked", "idle"])
    assert.deepStrictEqual(yield* at(far, round({ ...rule, clock: "service" })), ["worked", "worked", "idle"])
    assert.deepStrictEqual(yield* left, [far - limit])
  }).pipe(Effect.provide(writable))
)

it.effect("a rule that fails leaves the turn to the next one", () =>
  Effect.gen(function* () {
    yield* things(-limit - 1)
    const { batch } = yield* Retention.make([{ ...rule, deletes: "SELECT 1/0 AS deleted, false AS more" }, rule])
    assert.isTrue(Exit.isFailure(yield* Effect.exit(batch)))
    assert.strictEqual(yield* batch, "worked")
    assert.lengthOf(yield* left, 0)
  }).pipe(Effect.provide(writable))
)

it.effect("between two batches there is a pause in which others that write the same rows go on", () => {
  const begun: Array<number> = []
  const row = { databaseMs: 0, isSandbox: false, deleted: 1, more: true }
  const query = () =>
    Effect.as(
      Effect.map(Clock.currentTimeMillis, (now) => begun.push(now)),
      [row]
    )
  const pool = Layer.succeed(Pools.WorkPool, Object.assign(Object.create(null), { query }))
  return Effect.gen(function* () {
    yield* Retention.worker([rule])
    yield* TestClock.adjust(Bounds.firstMs + 5_000)
    const batches = [...new Set(begun)]
    assert.isAbove(batches.length, 5)
    for (const [n, at] of batches.slice(1).entries()) assert.isAtLeast(at - (batches[n] ?? at), Bounds.pauseMs)
  }).pipe(
    Effect.scoped,
    Effect.provide(
      Layer.merge(
        freezeOf(() => true),
        pool
      )
    )
  )
})
