/** Keys beside a business id on PostgreSQL. Holds contract/databases.md *Keys* and contract/idempotency.md *Keys*. */
import { PgConnection } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { Database } from "../../../../src/base/database/Database.ts"
import { Journal } from "../../../../src/core/journal/Journal.ts"
import * as EndedKeys from "../../../../src/core/journal/postgres/EndedKeys.ts"
import type { EraOptions } from "../../../../src/core/journal/postgres/Eras.ts"
import { KeyFilters } from "../../../../src/core/journal/postgres/KeyFilters.ts"
import * as PgJournal from "../../../../src/core/journal/postgres/PgJournal.ts"
import type { Query } from "../../../../src/core/journal/postgres/Query.ts"
import { settings } from "../../../../src/core/journal/postgres/Session.ts"
import { type AppendOutcome, type Claim, JournalUnavailable } from "../../../../src/core/journal/Records.ts"
import * as TestDatabase from "../../../TestDatabase.ts"
import { append, appendAll, claim, hash128, record } from "../Records.ts"

const nodeOf = (options: EraOptions = {}) =>
  Effect.map(Layer.build(Layer.fresh(PgJournal.layerFrom(options))), (context) => Context.get(context, Journal))
/** It learns nothing, so it looks up every key in each span. */
const forgetful = nodeOf({ keyFilterBytes: 0 })
const connect = Effect.flatMap(Database, ({ clientConfig }) => PgConnection.make(clientConfig))

const beginSpan = Effect.gen(function* () {
  yield* TestDatabase.query("SELECT prepare_spans()")
  const [row] = yield* TestDatabase.query("SELECT begin_span(true) AS span")
  return Number(row?.["span"])
})
const present = Effect.map(TestDatabase.query("SELECT span FROM installation"), ([row]) => Number(row?.["span"]))

const ending = (key: string, fingerprint = hash128(1)): Claim => ({ key, fingerprint, hasEnd: true })

/** Where a key is: in `keys` by span, in `claims`, and in records. */
const placesOf = (key: string) =>
  Effect.map(
    TestDatabase.query(
      `SELECT array(SELECT span::int FROM keys WHERE key = '${key}' ORDER BY 1) AS keys,
        (SELECT count(*)::int FROM claims WHERE key = '${key}') AS claims,
        (SELECT count(*)::int FROM journal WHERE key = '${key}') AS records`
    ),
    ([row]) => row
  )

/** Appends a key to the first record of a new account. */
const claimed = Effect.fnUntraced(function* (journal: Journal["Service"], ...claims: ReadonlyArray<Claim>) {
  const account = yield* journal.newAccountNumber
  return { account, outcome: yield* append(journal, record(account, 1, { claims })) }
})

/** The holder that a record was rejected for. */
const holderIn = (outcome: AppendOutcome) => {
  if (outcome._tag !== "taken") throw new Error(`it is ${outcome._tag}`)
  return outcome.holder
}

/** A session as a node's, which waits for nothing else. */
const learner = Effect.gen(function* () {
  const { clientConfig } = yield* Database
  const connection = yield* PgConnection.make({ ...clientConfig, startupParameters: settings })
  const query: Query = (statement, parameters) =>
    Effect.mapBoth(connection.query(statement, parameters), {
      onSuccess: ({ rows }) => rows,
      onFailure: (cause) => new JournalUnavailable({ cause })
    })
  return query
})

it.layer(TestDatabase.layer, { excludeTestServices: true })("keys with an end", (it) => {
  it.effect("lie in the present span and in their record, other claims where they were", () =>
    Effect.gen(function* () {
      const journal = yield* nodeOf()
      const [key, order] = [journal.claimKey("lies"), journal.claimKey("lies", "order")]
      const { account } = yield* claimed(journal, ending(key), claim(order, hash128(2)))
      assert.deepStrictEqual(yield* placesOf(key), { keys: [yield* present], claims: 0, records: 1 })
      assert.deepStrictEqual(yield* placesOf(order), { keys: [], claims: 1, records: 0 })
      const held = { key, fingerprint: hash128(1), account, seq: 1 }
      assert.deepStrictEqual(yield* journal.holders([order], key), [
        held,
        { key: order, fingerprint: hash128(2), account, seq: 1 }
      ])
      assert.deepStrictEqual((yield* journal.witness(account, [], key)).holders, [held])
    })
  )

  it.effect("are taken in their span and after it, whatever a node knows, and reported before other claims", () =>
    Effect.gen(function* () {
      const one = yield* nodeOf()
      const keys = ["one", "two", "three"].map((name) => one.claimKey("taken", name))
      const orders = keys.map((key) => one.claimKey("order of", key))
      for (const [index, key] of keys.entries()) {
        yield* claimed(one, ending(key), claim(orders[index]!))
        yield* beginSpan
      }
      // The first has learnt nothing of them, the second has all in its filters, the third can learn none.
      for (const journal of [one, yield* nodeOf(), yield* forgetful])
        for (const [index, key] of keys.entries()) {
          const { outcome } = yield* claimed(journal, ending(key, hash128(9)), claim(orders[index]!))
          assert.deepInclude(holderIn(outcome), { key, fingerprint: hash128(1), seq: 1 })
          const other = yield* claimed(journal, ending(one.claimKey("other", key)), claim(orders[index]!))
          assert.strictEqual(holderIn(other.outcome).key, orders[index])
        }
      assert.strictEqual((yield* claimed(one, ending(one.claimKey("taken", "four")))).outcome._tag, "committed")
    })
  )

  it.effect("are held once when two nodes race for them, while spans begin", () =>
    Effect.gen(function* () {
      const nodes = [yield* nodeOf(), yield* forgetful]
      const keys = Array.from({ length: 60 }, (_, n) => nodes[0]!.claimKey("raced", String(n)))
      const races = nodes.map((journal, from) =>
        Effect.forEach(keys, (_, at) => claimed(journal, ending(keys[from === 0 ? at : keys.length - 1 - at]!)), {
          concurrency: 8
        })
      )
      const [, ...outcomes] = yield* Effect.all([Effect.retry(beginSpan, { times: 20 }), ...races] as const, {
        concurrency: "unbounded"
      })
      const won = outcomes.flat().filter(({ outcome }) => outcome._tag === "committed")
      const lost = outcomes.flat().filter(({ outcome }) => outcome._tag === "taken")
      assert.deepStrictEqual([won.length, lost.length], [keys.length, keys.length])
      const twice = "SELECT key FROM keys GROUP BY key HAVING count(*) > 1"
      assert.deepStrictEqual(yield* TestDatabase.query(twice), [])
    })
  )

  it.effect("of which two are one are held by the first record of a group", () =>
    Effect.gen(function* () {
      const journal = yield* nodeOf()
      const key = journal.claimKey("same group")
      const [a, b] = [yield* journal.newAccountNumber, yield* journal.newAccountNumber]
      const outcomes = yield* appendAll(journal, [
        record(a, 1, { claims: [ending(key)] }),
        record(b, 1, { claims: [ending(key, hash128(2))] })
      ])
      assert.deepStrictEqual(
        outcomes.map(({ _tag }) => _tag),
        ["committed", "taken"]
      )
    })
  )

  it.effect("of before keys went apart are taken where they are, in claims", () =>
    Effect.gen(function* () {
      const journal = yield* nodeOf()
      const key = journal.claimKey("of before")
      yield* TestDatabase.query("UPDATE installation SET keys_apart = false")
      yield* claimed(journal, ending(key))
      // The claim is held for good, so the record's hash is proven by it alone.
      assert.deepStrictEqual(yield* placesOf(key), { keys: [], claims: 1, records: 0 })
      yield* TestDatabase.query("UPDATE installation SET keys_apart = true")
      for (const node of [journal, yield* forgetful])
        assert.strictEqual((yield* claimed(node, ending(key, hash128(2)))).outcome._tag, "taken")
      assert.deepStrictEqual(yield* placesOf(key), { keys: [], claims: 1, records: 0 })
    })
  )

  it.effect("are learnt of spans that are over, and again where the database is another one", () =>
    Effect.gen(function* () {
      const journal = yield* nodeOf()
      const query = yield* learner
      const known = new KeyFilters()
      const [old, late] = [journal.claimKey("learnt", "old"), journal.claimKey("learnt", "late")]
      yield* claimed(journal, ending(old))
      const span = yield* beginSpan
      assert.deepStrictEqual(yield* EndedKeys.learnEnded(query, known), [])
      assert.strictEqual(known.before, span)
      assert.deepStrictEqual([known.placesOf(old), known.placesOf(late)], [[span - 1], []])
      // A restored copy has the span, begun anew, and other keys before it.
      yield* TestDatabase.query(`UPDATE spans SET stamp = gen_random_uuid() WHERE span = ${span}`)
      yield* TestDatabase.query(
        `INSERT INTO keys (key, fingerprint, account, seq, span) VALUES ('${late}', '${hash128(1)}', 1, 1, ${span - 1})`
      )
      assert.deepStrictEqual(yield* EndedKeys.learnEnded(query, known), [])
      assert.deepStrictEqual(known.placesOf(late), [span - 1])
    })
  )

  it.effect("of spans for which there is no memory are looked up there alone, the newest spans being learnt", () =>
    Effect.gen(function* () {
      const journal = yield* nodeOf()
      const query = yield* learner
      const [older, newer] = [journal.claimKey("short", "older"), journal.claimKey("short", "newer")]
      yield* claimed(journal, ending(older))
      yield* beginSpan
      yield* claimed(journal, ending(newer))
      const span = yield* beginSpan
      // Room for the filter of one small span: each has a page.
      const bytes = 200
      const small = new KeyFilters(bytes)
      const without = yield* EndedKeys.learnEnded(query, small)
      assert.include(without, span - 2)
      assert.notInclude(without, span - 1)
      assert.strictEqual(small.before, span)
      assert.deepStrictEqual(small.placesOf(journal.claimKey("short", "new")), without)
      assert.deepStrictEqual(small.placesOf(newer), [span - 1, ...without])
      const node = yield* nodeOf({ keyFilterBytes: bytes })
      yield* claimed(node, ending(journal.claimKey("short", "any")))
      for (const key of [older, newer]) {
        assert.strictEqual((yield* claimed(node, ending(key, hash128(2)))).outcome._tag, "taken")
        assert.lengthOf(yield* node.holders([], key), 1)
        assert.lengthOf((yield* node.witness(1, [], key)).holders, 1)
      }
    })
  )

  it.effect("leave memory with the keys of their span", () =>
    Effect.gen(function* () {
      const journal = yield* nodeOf()
      const query = yield* learner
      const known = new KeyFilters()
      const key = journal.claimKey("left")
      yield* claimed(journal, ending(key))
      const span = yield* beginSpan
      yield* EndedKeys.learnEnded(query, known)
      yield* TestDatabase.query(`DROP TABLE keys_${span - 1}`)
      yield* EndedKeys.learnEnded(query, known)
      assert.deepStrictEqual(known.placesOf(key), [])
    })
  )

  it.effect("are taken on a copy of the database that a node has not learnt", () =>
    Effect.gen(function* () {
      const first = yield* nodeOf()
      yield* claimed(first, ending(first.claimKey("copied", "any")))
      const span = yield* beginSpan
      const journal = yield* nodeOf()
      yield* claimed(journal, ending(journal.claimKey("copied", "known")))
      const key = journal.claimKey("copied", "lost and made again")
      yield* TestDatabase.query(`UPDATE spans SET stamp = gen_random_uuid() WHERE span = ${span}`)
      yield* TestDatabase.query(
        `INSERT INTO keys (key, fingerprint, account, seq, span) VALUES ('${key}', '${hash128(1)}', 1, 1, ${span - 1})`
      )
      assert.strictEqual((yield* claimed(journal, ending(key, hash128(2)))).outcome._tag, "taken")
    })
  )

  it.effect("go apart once no older node runs and none can join", () =>
    Effect.gen(function* () {
      const part = Effect.map(TestDatabase.query("SELECT part_keys() AS apart"), ([row]) => row?.["apart"])
      const [own] = yield* TestDatabase.query("SELECT oldest FROM migrations WHERE name = 'keys'")
      // A new database, on which no older version starts.
      assert.deepStrictEqual([own, yield* part], [{ oldest: "0.4.0" }, true])
      yield* TestDatabase.query("UPDATE installation SET keys_apart = false")
      yield* TestDatabase.query("DELETE FROM migrations WHERE name = 'keys'")
      assert.isFalse(yield* part)
      yield* TestDatabase.query("UPDATE partitions SET protocol = 3 WHERE partition = 0")
      yield* TestDatabase.query("ALTER TABLE nodes DISABLE TRIGGER ALL")
      yield* TestDatabase.query(
        `INSERT INTO nodes (id, address, protocol, version, beat, wants) VALUES ('older', 'a:1', 2, '0.3.0', 1, true)`
      )
      assert.isFalse(yield* part)
      yield* TestDatabase.query("DELETE FROM nodes")
      yield* TestDatabase.query("ALTER TABLE nodes ENABLE TRIGGER ALL")
      const group = yield* connect
      yield* group.query("BEGIN", [], false)
      yield* group.query("SELECT pg_advisory_xact_lock_shared(7270001)")
      // A group of before is in flight.
      assert.match(String((yield* Effect.flip(part)).reason.cause), /lock timeout/)
      yield* group.query("COMMIT", [], false)
      assert.isTrue(yield* part)
      assert.lengthOf(yield* TestDatabase.query("SELECT FROM migrations WHERE name = 'keys' AND oldest = '0.4.0'"), 1)
    })
  )
})

const dayMs = 86_400_000
/** Drops what is old for a caller whose clock shows so many days from now. */
const drop = (days = 0) =>
  Effect.map(
    TestDatabase.query(
      `SELECT more FROM drop_keys((extract(epoch FROM clock_timestamp()) * 1000)::bigint + ${days * dayMs}::bigint - 400 * ${dayMs}::bigint)`
    ),
    ([row]) => row?.["more"] === true
  )
/** As if the spans after this one had begun so long ago. */
const age = (span: number, days: number) =>
  TestDatabase.query(
    `UPDATE spans SET began_at = clock_timestamp() - interval '${days} days' WHERE span BETWEEN 1 AND ${span + 1}`
  )
const seal = (span: number) =>
  TestDatabase.query(
    `INSERT INTO seals (span, accounts, records, entries, sums, digest) VALUES (${span}, 0, 0, 0, '[]', '')`
  )

it.layer(TestDatabase.layer, { excludeTestServices: true })("the keys of a span", (it) => {
  it.effect("are dropped once it is sealed and 400 days over by both clocks, and then the key is free", () =>
    Effect.gen(function* () {
      const journal = yield* nodeOf()
      const [key, order] = [journal.claimKey("dropped"), journal.claimKey("dropped", "order")]
      yield* claimed(journal, ending(key), claim(order))
      yield* beginSpan
      const kept = journal.claimKey("kept")
      yield* claimed(journal, ending(kept))
      const learnt = yield* nodeOf()
      yield* claimed(learnt, ending(journal.claimKey("any")))
      yield* age(0, 399)
      yield* seal(0)
      // A caller's clock that jumps ahead, and one of PostgreSQL that does.
      assert.isFalse(yield* drop(400))
      yield* age(0, 401)
      assert.isFalse(yield* drop(-2))
      yield* TestDatabase.query("ALTER TABLE seals DISABLE TRIGGER seals_append_only")
      yield* TestDatabase.query("DELETE FROM seals")
      assert.isFalse(yield* drop())
      yield* seal(0)
      const verifies = yield* connect
      yield* verifies.query("SELECT pg_advisory_lock_shared(7270013)")
      assert.match(String((yield* Effect.flip(drop())).reason.cause), /lock timeout/)
      yield* verifies.query("SELECT pg_advisory_unlock_shared(7270013)")
      assert.isTrue(yield* drop())
      assert.isFalse(yield* drop())
      assert.deepStrictEqual(yield* placesOf(key), { keys: [], claims: 0, records: 1 })
      assert.deepStrictEqual(yield* placesOf(kept), { keys: [1], claims: 0, records: 1 })
      const repeated = yield* claimed(learnt, ending(key), claim(order))
      assert.deepInclude(holderIn(repeated.outcome), { key: order })
      for (const node of [learnt, yield* forgetful]) {
        const again = yield* claimed(node, ending(key, hash128(node === learnt ? 2 : 3)))
        assert.strictEqual(again.outcome._tag, node === learnt ? "committed" : "taken")
        assert.strictEqual((yield* claimed(node, ending(kept))).outcome._tag, "taken")
      }
      // In the span of its record: the nodes of this test begin spans by the month.
      const [places] = yield* TestDatabase.query(
        `SELECT array_agg(j.span) = array(SELECT span FROM keys WHERE key = '${key}') AS same FROM journal j
          WHERE j.key = '${key}' AND j.span > 0`
      )
      assert.deepStrictEqual(places, { same: true })
    })
  )

  it.effect("are never those of the present span, whatever the clock shows", () =>
    Effect.gen(function* () {
      const now = yield* present
      yield* age(now, 4000)
      assert.isFalse(yield* drop(400))
    })
  )
})
