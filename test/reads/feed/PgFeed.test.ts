/** Promises of the feed (src/reads/feed/Feed.ts), whatever other transactions do, and whatever happens to the server. */
import { PgConnection } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { Database } from "../../../src/base/database/Database.ts"
import { Journal } from "../../../src/core/journal/Journal.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { Feed, type FeedRecord } from "../../../src/reads/feed/Feed.ts"
import * as PgFeed from "../../../src/reads/feed/PgFeed.ts"
import * as Position from "../../../src/reads/feed/Position.ts"
import { append, appendAll, record } from "../../core/journal/Records.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const both = Layer.merge(PgFeed.layer, PgJournal.layer)

const nameOf = ({ account, seq }: { readonly account: number; readonly seq: number }) => `${account}:${seq}`

const sign = (a: bigint | number, b: bigint | number): number => (a < b ? -1 : a > b ? 1 : 0)

const inOrder = (a: Position.Position, b: Position.Position): number =>
  sign(a.epoch, b.epoch) || sign(a.transaction, b.transaction) || sign(a.account, b.account) || sign(a.seq, b.seq)

/** Reads on in pages until so many records have come: transactions of other tests may hold them back for a moment. */
const readAll = Effect.fnUntraced(function* (from: Position.Position, count: number, page = 7) {
  const feed = yield* Feed
  const all: Array<FeedRecord> = []
  for (let after = from; all.length < count; ) {
    const found = yield* feed.read(after, page)
    assert.isAtMost(found.length, page)
    all.push(...found)
    after = all.at(-1)?.position ?? from
    yield* Effect.yieldNow
  }
  return all
})

/** A position behind everything that was committed so far, once that can be read. */
const drained = Effect.gen(function* () {
  const feed = yield* Feed
  let after = Position.beginning
  while ((yield* feed.oldestAfter(after)) !== undefined) {
    after = (yield* feed.read(after, 1_000)).at(-1)?.position ?? after
    yield* Effect.yieldNow
  }
  return after
})

it.layer(both.pipe(Layer.provide(TestDatabase.layer)), { excludeTestServices: true })("reading the feed", (it) => {
  const write = Effect.fnUntraced(function* (accounts: number, records: number, at?: number) {
    const journal = yield* Journal
    const numbers = yield* Effect.all(Array.from({ length: accounts }, () => journal.newAccountNumber))
    const all = Array.from({ length: records }, (_, index) => index + 1).flatMap((seq) =>
      numbers.map((account) => record(account, seq, at === undefined ? {} : { at }))
    )
    const outcomes = yield* appendAll(journal, all)
    assert.isTrue(outcomes.every(({ _tag }) => _tag === "committed"))
    return all
  })

  it.effect("every record comes once, those of an account in their order, in pages of any size", () =>
    Effect.gen(function* () {
      const from = yield* drained
      const written = yield* write(20, 5)
      for (const page of [1, 7, 1_000]) {
        const read = yield* readAll(from, written.length, page)
        assert.deepStrictEqual(read.map(nameOf).toSorted(), written.map(nameOf).toSorted())
        assert.deepStrictEqual(
          read.map(({ position }) => position),
          read.map(({ position }) => position).toSorted(inOrder)
        )
        const next = new Map<number, number>()
        for (const { account, seq } of read) {
          assert.strictEqual(seq, (next.get(account) ?? 0) + 1)
          next.set(account, seq)
        }
      }
      const last = (yield* readAll(from, written.length)).at(-1)?.position
      assert.deepStrictEqual(yield* (yield* Feed).read(last ?? from, 10), [])
    })
  )

  it.effect("a record comes with all that the journal has of it", () =>
    Effect.gen(function* () {
      const from = yield* drained
      const [first] = yield* write(1, 1)
      const [{ position: _, ...stored } = {}] = yield* readAll(from, 1)
      const journal = yield* Journal
      assert.deepStrictEqual([stored], [...(yield* journal.records(first?.account ?? 0, 1, 1))])
    })
  )
})

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
      const all = (yield* feed.read(Position.beginning, 10_000)).map(nameOf)
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
