/** What the feed promises whatever other transactions do, and whatever happens to the server. */
import { PgConnection } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { Database } from "../../src/database/Database.ts"
import { Feed } from "../../src/feed/Feed.ts"
import * as Position from "../../src/feed/Position.ts"
import * as PgFeed from "../../src/feed/PgFeed.ts"
import { Journal } from "../../src/journal/Journal.ts"
import * as PgJournal from "../../src/journal/postgres/PgJournal.ts"
import { append, record } from "../journal/Records.ts"
import * as TestDatabase from "../TestDatabase.ts"
import { drained, feedSuite, nameOf, readAll } from "./FeedSuite.ts"

const both = Layer.merge(PgFeed.layer, PgJournal.layer)

feedSuite("the feed on PostgreSQL", both.pipe(Layer.provide(TestDatabase.layer)))

const connectTo = (database?: string) =>
  Effect.flatMap(Database, ({ clientConfig }) =>
    PgConnection.make({
      ...clientConfig,
      ...(database === undefined ? undefined : { database }),
      applicationName: "slow"
    })
  )

const appendNew = Effect.fnUntraced(function* (journal: Journal["Service"]) {
  const account = yield* journal.newAccountNumber
  assert.strictEqual((yield* append(journal, record(account, 1)))._tag, "committed")
  return `${account}:1`
})

/** A record of another account, written by hand in the connection's transaction. */
const insert = (connection: PgConnection.PgConnection, account: number) =>
  connection.query(`INSERT INTO journal SELECT ${account}, 1, at, pg_current_xact_id(), hash, epoch, program_version, version,
    actor, origin, events, reply, balances FROM journal LIMIT 1`)

/** A journal of a service that starts now, as it does after a restore. */
const restarted = Effect.map(Layer.build(Layer.fresh(PgJournal.layer)), (context) => Context.get(context, Journal))

const epochOf = (sql: PgConnection.PgConnection) =>
  Effect.map(sql.query("SELECT epoch FROM installation"), ({ rows }) => Number(rows[0]?.["epoch"]))

it.layer(both.pipe(Layer.provideMerge(TestDatabase.layer)), { excludeTestServices: true })("the feed", (it) => {
  it.effect("does not pass a transaction that began first and commits last", () =>
    Effect.gen(function* () {
      const [feed, journal, slow] = [yield* Feed, yield* Journal, yield* connectTo()]
      yield* appendNew(journal)
      const from = yield* drained
      yield* slow.query("BEGIN", [], false)
      yield* insert(slow, 900_001)
      const later = yield* appendNew(journal)
      assert.deepStrictEqual(yield* feed.read(from, 10), [])
      yield* slow.query("COMMIT", [], false)
      assert.deepStrictEqual((yield* readAll(from, 2)).map(nameOf), ["900001:1", later])
    })
  )

  it.effect("waits for a transaction in another database of the cluster, and loses nothing", () =>
    Effect.gen(function* () {
      const [feed, journal, slow] = [yield* Feed, yield* Journal, yield* connectTo("postgres")]
      const from = yield* drained
      yield* slow.query("BEGIN", [], false)
      yield* slow.query("SELECT pg_current_xact_id()::text")
      const written = [yield* appendNew(journal), yield* appendNew(journal)]
      assert.deepStrictEqual(yield* feed.read(from, 10), [])
      yield* slow.query("ROLLBACK", [], false)
      assert.deepStrictEqual((yield* readAll(from, 2)).map(nameOf), written)
      yield* drained
    })
  )

  it.effect("goes on in a new epoch where transaction ids begin anew, as in a new cluster", () =>
    Effect.gen(function* () {
      const [feed, journal, sql] = [yield* Feed, yield* Journal, yield* connectTo()]
      const from = yield* drained
      const before = yield* epochOf(sql)
      const old = [yield* appendNew(journal), yield* appendNew(journal)]
      const [, second] = yield* readAll(from, 2)
      // The rows as another cluster would have them, far ahead of this one's transactions.
      yield* sql.query("BEGIN", [], false)
      yield* sql.query("SET LOCAL session_replication_role = replica")
      yield* sql.query(
        "UPDATE journal SET transaction = (transaction::text::bigint + 1000000000000)::text::xid8 WHERE epoch = $1::text::int",
        [String(before)]
      )
      yield* sql.query("COMMIT", [], false)
      const anew = yield* restarted
      assert.strictEqual(yield* epochOf(sql), before + 1)
      const added = yield* appendNew(anew)
      const moved = { ...from, transaction: from.transaction + 1_000_000_000_000n }
      assert.deepStrictEqual((yield* readAll(moved, 3)).map(nameOf), [...old, added])
      const place = second?.position
      if (place === undefined) throw new Error("two were written")
      const after = { ...place, transaction: place.transaction + 1_000_000_000_000n }
      assert.deepStrictEqual((yield* readAll(after, 1)).map(nameOf), [added])
      // A time is found across epochs.
      const all = (yield* feed.read(yield* feed.at(0), 10_000)).map(nameOf)
      for (const name of [...old, added]) assert.include(all, name)
    })
  )

  it.effect("goes on in a new epoch on another server, on another timeline and after an import", () =>
    Effect.gen(function* () {
      const [journal, sql] = [yield* Journal, yield* connectTo()]
      for (const change of [
        "UPDATE installation SET system_identifier = system_identifier + 1",
        "UPDATE installation SET timeline = timeline + 1",
        "SELECT begin_epoch(true)"
      ]) {
        const from = yield* drained
        const written = [yield* appendNew(journal)]
        const before = yield* epochOf(sql)
        yield* sql.query(change)
        const anew = yield* restarted
        assert.strictEqual(yield* epochOf(sql), before + 1, change)
        written.push(yield* appendNew(anew))
        const read = yield* readAll(from, 2)
        assert.deepStrictEqual(read.map(nameOf), written)
        assert.deepStrictEqual(
          read.map(({ position }) => position.epoch),
          [before, before + 1]
        )
      }
    })
  )

  it.effect("is in the order of transactions as numbers, of however many digits", () =>
    Effect.gen(function* () {
      const [feed, journal, sql] = [yield* Feed, yield* Journal, yield* connectTo()]
      yield* appendNew(journal)
      for (const [account, transaction] of [
        [900_010, 100],
        [900_011, 99],
        [900_012, 9]
      ]) {
        yield* sql.query(`INSERT INTO journal SELECT ${account}, 1, at, '${transaction}', hash, 0, program_version, version,
          actor, origin, events, reply, balances FROM journal LIMIT 1`)
      }
      const read = yield* feed.read(Position.beginning, 3)
      assert.deepStrictEqual(
        read.map(({ position }) => position.transaction),
        [9n, 99n, 100n]
      )
    })
  )

  it.effect("stays in its epoch where nothing has changed", () =>
    Effect.gen(function* () {
      const [journal, sql] = [yield* Journal, yield* connectTo()]
      yield* appendNew(journal)
      const before = yield* epochOf(sql)
      yield* appendNew(yield* restarted)
      assert.strictEqual(yield* epochOf(sql), before)
    })
  )
})
