/** The feed over spans. Holds contract/databases.md *Spans*, contract/events.md *Order*. */
import { PgConnection } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Database } from "../../../src/base/database/Database.ts"
import { Journal } from "../../../src/core/journal/Journal.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { Feed } from "../../../src/reads/feed/Feed.ts"
import * as PgFeed from "../../../src/reads/feed/PgFeed.ts"
import * as Position from "../../../src/reads/feed/Position.ts"
import { append, record } from "../../core/journal/Records.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const both = Layer.merge(PgFeed.layer, PgJournal.layer).pipe(Layer.provideMerge(TestDatabase.layer))

const begin = Effect.andThen(
  TestDatabase.query("SELECT begin_span(true)"),
  TestDatabase.query("SELECT prepare_spans()")
)

/** Reads on until so many records have come: transactions of other tests may hold them back for a moment. */
const readAll = Effect.fnUntraced(function* (from: Position.Position, count: number, page: number) {
  const feed = yield* Feed
  const all: Array<Position.Position> = []
  while (all.length < count) {
    const found = yield* feed.read(all.at(-1) ?? from, page)
    assert.isAtMost(found.length, page)
    all.push(...found.map(({ position }) => position))
    yield* Effect.yieldNow
  }
  return all
})

it.layer(both, { excludeTestServices: true })("the feed", (it) => {
  it.effect(
    "passes from span to span without a gap, from any place and in pages of any size, over one without records",
    () =>
      Effect.gen(function* () {
        const [feed, journal] = [yield* Feed, yield* Journal]
        const account = yield* journal.newAccountNumber
        const write = Effect.fnUntraced(function* (from: number, until: number) {
          for (let seq = from; seq <= until; seq++)
            assert.strictEqual((yield* append(journal, record(account, seq)))._tag, "committed")
        })
        yield* write(1, 4)
        yield* begin
        yield* begin
        yield* write(5, 7)
        yield* begin
        const before = yield* readAll(Position.beginning, 7, 3)
        // At the border of a span that has no record yet.
        assert.deepStrictEqual(yield* feed.read(before.at(-1)!, 10), [])
        assert.isUndefined(yield* feed.oldestAfter(before.at(-1)!))
        yield* write(8, 9)
        const all = yield* readAll(Position.beginning, 9, 1_000)
        assert.deepStrictEqual(
          all.map(({ seq }) => seq),
          [1, 2, 3, 4, 5, 6, 7, 8, 9]
        )
        for (const page of [1, 2, 3, 1_000])
          for (const [index, from] of all.slice(0, -1).entries())
            assert.deepStrictEqual(yield* readAll(from, 8 - index, page), all.slice(index + 1))
        assert.isDefined(yield* feed.oldestAfter(all[3]!))
      })
  )

  it.effect("goes to no later span while a slower transaction holds back the one before", () =>
    Effect.gen(function* () {
      const [feed, journal] = [yield* Feed, yield* Journal]
      const { clientConfig } = yield* Database
      const slow = yield* PgConnection.make(clientConfig)
      const account = yield* journal.newAccountNumber
      yield* append(journal, record(account, 1))
      const seen = Number((yield* TestDatabase.query("SELECT count(*)::int AS n FROM journal"))[0]?.["n"])
      const from = (yield* readAll(Position.beginning, seen, 1_000)).at(-1)!
      yield* slow.query("BEGIN", [], false)
      yield* slow.query("SELECT pg_current_xact_id()")
      yield* append(journal, record(account, 2))
      yield* begin
      yield* append(journal, record(account, 3))
      assert.deepStrictEqual(yield* feed.read(from, 10), [])
      assert.isDefined(yield* feed.oldestAfter(from))
      yield* slow.query("COMMIT", [], false)
      assert.deepStrictEqual(
        (yield* readAll(from, 2, 10)).map(({ seq }) => seq),
        [2, 3]
      )
    }).pipe(Effect.scoped)
  )
})
