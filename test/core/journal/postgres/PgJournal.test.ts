import { PgConnection } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Logger, Queue, References, Schedule } from "effect"
import { connections } from "../../../../src/base/database/Bounds.ts"
import { Database } from "../../../../src/base/database/Database.ts"
import * as Bounds from "../../../../src/core/journal/Bounds.ts"
import { Journal } from "../../../../src/core/journal/Journal.ts"
import type { EraOptions } from "../../../../src/core/journal/postgres/Eras.ts"
import * as PgJournal from "../../../../src/core/journal/postgres/PgJournal.ts"
import type { AppendOutcome } from "../../../../src/core/journal/Records.ts"
import * as TestDatabase from "../../../TestDatabase.ts"
import { journalSuite } from "../JournalSuite.ts"
import { append, appendAll, claim, entry, hash128, issuedReward, record, tags } from "../Records.ts"

journalSuite("the journal on PostgreSQL", PgJournal.layer.pipe(Layer.provide(TestDatabase.layer)))

/** A node of its own on the test's database. */
const built = <E, R>(layer: Layer.Layer<Journal, E, R>) =>
  Effect.map(Layer.build(layer), (context) => Context.get(context, Journal))
const nodeOf = (options: EraOptions) => built(PgJournal.layerFrom(options))
const node = nodeOf({})

/** The same, with waits for its log lines about learnt claims. */
const learningNode = Effect.fnUntraced(function* (options: EraOptions) {
  const said = yield* Queue.unbounded<string>()
  const logger = Logger.make<unknown, void>(({ message }) => void Queue.offerUnsafe(said, String(message)))
  const journal = yield* built(
    PgJournal.layerFrom(options).pipe(
      Layer.provide(Logger.layer([logger])),
      Layer.provide(Layer.succeed(References.MinimumLogLevel, "Debug"))
    )
  )
  const saidOf = (what: RegExp): Effect.Effect<RegExpExecArray> =>
    Effect.flatMap(Queue.take(said), (message) => {
      const found = what.exec(message)
      return found === null ? saidOf(what) : Effect.succeed(found)
    })
  const learnt = (era: number): Effect.Effect<{ readonly keys: number; readonly bytes: number }> =>
    Effect.flatMap(saidOf(/before (\d+): (\d+) more in (\d+) kB/), ([, before, keys, kb]) =>
      Number(before) === era ? Effect.succeed({ keys: Number(keys), bytes: Number(kb) * 1024 }) : learnt(era)
    )
  return { journal, learnt, saidOf }
})

const connect = Effect.flatMap(Database, ({ clientConfig }) => PgConnection.make(clientConfig))

const beginEra = (sql: PgConnection.PgConnection, leastBytes: number) =>
  Effect.map(sql.query("SELECT begin_era($1::text::bigint) AS begun", [String(leastBytes)]), ({ rows }) => {
    return rows[0]?.["begun"] === true
  })

/** The same, as if the present era had all claims. */
const beginGrown = (sql: PgConnection.PgConnection) =>
  Effect.andThen(sql.query("UPDATE eras SET began = 0"), beginEra(sql, 0))

const eraOf = (sql: PgConnection.PgConnection) =>
  Effect.map(sql.query("SELECT max(era) AS era FROM eras"), ({ rows }) => Number(rows[0]?.["era"]))

const written = [
  "journal",
  "claims",
  "eras",
  "ledger_entries",
  "accounts",
  "members",
  "identities",
  "issued_rewards",
  "snapshots"
]
/** Keeps a copy of all that the journal writes. */
const setAside = (sql: PgConnection.PgConnection) =>
  Effect.forEach(written, (table) => sql.query(`CREATE TABLE aside_${table} AS TABLE ${table}`), { discard: true })
/** Brings the copy back, as restoring a backup does. */
const setBack = Effect.fnUntraced(function* (sql: PgConnection.PgConnection) {
  yield* sql.query("BEGIN", [], false)
  yield* sql.query("SET LOCAL session_replication_role = replica")
  for (const table of written) {
    yield* sql.query(`TRUNCATE ${table}`)
    yield* sql.query(`INSERT INTO ${table} TABLE aside_${table}`)
    yield* sql.query(`DROP TABLE aside_${table}`)
  }
  yield* sql.query("COMMIT", [], false)
})

/** Without autovacuum on the claims, which would let new ones fill pages of rolled back ones. */
const database = Layer.tap(TestDatabase.layer, (context) =>
  Effect.gen(function* () {
    const sql = yield* connect
    yield* sql.query("ALTER TABLE claims SET (autovacuum_enabled = off)")
  }).pipe(Effect.scoped, Effect.provideContext(context))
)

it.layer(database, { excludeTestServices: true })("the journal's tables", (it) => {
  it.effect("refuse to change or lose what was appended", () =>
    Effect.gen(function* () {
      const journal = yield* node
      const sql = yield* connect
      yield* append(journal, record(yield* journal.newAccountNumber, 1))
      for (const table of ["journal", "ledger_entries"]) {
        for (const change of [`UPDATE ${table} SET seq = seq`, `DELETE FROM ${table}`, `TRUNCATE ${table}`]) {
          const error = yield* Effect.flip(sql.query(change))
          assert.match(String(error.reason.cause), /append-only/, change)
        }
        assert.isAbove((yield* sql.query(`SELECT 1 FROM ${table}`)).rowCount, 0)
      }
    })
  )

  it.effect("take no second record of a seq, whatever the account's row says", () =>
    Effect.gen(function* () {
      const journal = yield* node
      const sql = yield* connect
      const account = yield* journal.newAccountNumber
      yield* append(journal, record(account, 1))
      const again = sql.query(
        `INSERT INTO journal SELECT account, seq, at + 1, transaction, hash, epoch, program_version, version, actor, origin, events,
            reply, balances FROM journal WHERE account = $1::text::bigint`,
        [String(account)]
      )
      assert.strictEqual((yield* Effect.flip(again)).reason._tag, "UniqueViolation")
    })
  )

  it.effect("hold no claim, entry or seq twice when two nodes race for the same accounts and claims", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* node, yield* node]
      const sql = yield* connect
      const accounts = yield* Effect.all(Array.from({ length: 12 }, () => one.newAccountNumber))
      yield* appendAll(
        one,
        accounts.map((account) => record(account, 1))
      )
      /** Writes 25 records to each account, going on from what is there whenever the other node was first. */
      const write = (journal: Journal["Service"], name: string, account: number, order: number) =>
        Effect.gen(function* () {
          let wins = 0
          for (let i = 0; i < 25; i++) {
            const seq = ((yield* journal.loadAccount(account))?.seq ?? 0) + 1
            // The same keys on both nodes, in opposite orders, over all accounts.
            const keys = [`${i}:${account % 3}`, `${i}:${(account + order) % 3}`, `${name}:${account}:${i}`]
            const claims = [...new Set(keys)].map((key) => claim(journal.claimKey("race", key), hash128(account)))
            const outcome = yield* append(
              journal,
              record(account, seq, { claims: order > 0 ? claims : claims.reverse() })
            )
            assert.include(["committed", "taken", "stale"], outcome._tag)
            if (outcome._tag === "committed") wins++
          }
          return wins
        })
      const wins = yield* Effect.all(
        accounts.flatMap((account) => [write(one, "one", account, 1), write(two, "two", account, -1)]),
        { concurrency: "unbounded" }
      )
      const total = wins.reduce((sum, won) => sum + won, 0)
      const among = "account = ANY ($1::text[]::bigint[])"
      const count = (statement: string) =>
        Effect.map(sql.query(statement, [accounts.map(String)]), ({ rows }) => Number(rows[0]?.["n"]))
      assert.isAbove(total, 0)
      assert.strictEqual(yield* count(`SELECT count(*)::int AS n FROM journal WHERE ${among}`), total + accounts.length)
      assert.strictEqual(
        yield* count(`SELECT count(*)::int AS n FROM ledger_entries WHERE ${among}`),
        total + accounts.length
      )
      // Every claim belongs to a record that was written, and every record kept all of its claims.
      assert.strictEqual(
        yield* count(
          `SELECT count(*)::int AS n FROM claims c LEFT JOIN journal j USING (account, seq) WHERE c.${among} AND j.seq IS NULL`
        ),
        0
      )
      assert.strictEqual(
        yield* count(
          `SELECT count(*)::int AS n FROM (SELECT account, seq, count(*) AS held FROM claims WHERE ${among} GROUP BY 1, 2) c
            WHERE held < 2`
        ),
        0
      )
      assert.strictEqual(
        yield* count(
          `SELECT count(*)::int AS n FROM accounts a WHERE a.number = ANY ($1::text[]::bigint[])
            AND a.seq <> (SELECT max(seq) FROM journal j WHERE j.account = a.number)`
        ),
        0
      )
    })
  )

  it.effect("call no record committed whose claim the other node takes while its group is looked through", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* node, yield* node]
      const sql = yield* connect
      const taken = claim(one.claimKey("meanwhile", "taken"))
      yield* append(one, record(yield* one.newAccountNumber, 1, { claims: [taken] }))
      let committed = 0
      const accounts: Array<string> = []
      /** A group of records for the same keys, each time, behind one whose claim is taken anyway. */
      const group = (journal: Journal["Service"], round: number) =>
        Effect.gen(function* () {
          const numbers = yield* Effect.all(Array.from({ length: 61 }, () => journal.newAccountNumber))
          accounts.push(...numbers.map(String))
          const records = numbers.map((account, index) => {
            const own = claim(journal.claimKey("meanwhile", `${round}:${index}`), hash128(account))
            return record(account, 1, { claims: index === 0 ? [taken] : [own] })
          })
          for (const outcome of yield* appendAll(journal, records)) if (outcome._tag === "committed") committed++
        })
      for (let round = 0; round < 120; round++) {
        yield* Effect.all([group(one, round), Effect.andThen(Effect.yieldNow, group(two, round))], { concurrency: 2 })
      }
      const { rows } = yield* sql.query(
        "SELECT count(*)::int AS n FROM journal WHERE account = ANY ($1::text[]::bigint[])",
        [accounts]
      )
      assert.strictEqual(Number(rows[0]?.["n"]), committed)
    })
  )

  it.effect("find a claim in whichever era it was made, and take it in no other", () =>
    Effect.gen(function* () {
      const journal = yield* node
      const sql = yield* connect
      const [a, b] = [yield* journal.newAccountNumber, yield* journal.newAccountNumber]
      const key = (name: string) => journal.claimKey("eras", name)
      yield* append(journal, record(a, 1, { claims: [claim(key("old"), hash128(7))] }))
      const before = yield* eraOf(sql)
      assert.isFalse(yield* beginEra(sql, 2 ** 40))
      assert.isTrue(yield* beginEra(sql, 0))
      assert.isFalse(yield* beginEra(sql, 0), "nothing has grown since")
      assert.strictEqual(yield* eraOf(sql), before + 1)
      const both = [claim(key("new")), claim(key("old"), hash128(8))]
      const holder = { key: key("old"), account: a, seq: 1, fingerprint: hash128(7) }
      assert.deepStrictEqual(yield* append(journal, record(b, 1, { claims: both })), { _tag: "taken", holder })
      yield* append(journal, record(b, 1, { claims: [claim(key("new"))] }))
      for (const found of [
        yield* journal.holders([key("new"), key("old"), key("none")]),
        (yield* journal.witness(b, [key("new"), key("old"), key("none")])).holders
      ]) {
        assert.deepStrictEqual(
          found.map(({ account, key }) => ({ account, key })),
          [
            { account: b, key: key("new") },
            { account: a, key: key("old") }
          ]
        )
      }
      assert.deepStrictEqual(yield* journal.witness(b, [key("none")]), { seq: 1, revision: 0, holders: [] })
      const { rows } = yield* sql.query(
        "SELECT era FROM claims WHERE account = ANY ($1::text[]::bigint[]) ORDER BY era",
        [[a, b].map(String)]
      )
      assert.deepStrictEqual(
        rows.map(({ era }) => Number(era)),
        [before, before + 1]
      )
    })
  )

  it.effect("know at a start what was claimed in eras that have ended, and do not look there for anything else", () =>
    Effect.gen(function* () {
      const sql = yield* connect
      const before = yield* node
      const [a, b] = [yield* before.newAccountNumber, yield* before.newAccountNumber]
      const key = (name: string) => before.claimKey("known", name)
      yield* append(before, record(a, 1, { claims: [claim(key("oldest"), hash128(7))] }))
      const oldest = yield* eraOf(sql)
      yield* beginGrown(sql)
      yield* append(before, record(a, 2, { claims: [claim(key("older"), hash128(8))] }))
      yield* beginGrown(sql)
      const { journal, learnt } = yield* learningNode({})
      yield* learnt(oldest + 2)
      for (const [name, seq, fingerprint] of [
        ["oldest", 1, hash128(7)],
        ["older", 2, hash128(8)]
      ] as const) {
        const holder = { key: key(name), account: a, seq, fingerprint }
        const taken = record(b, 1, { claims: [claim(key("new")), claim(key(name))] })
        assert.deepStrictEqual(yield* append(journal, taken), { _tag: "taken", holder })
      }
      // Nobody claims anything in an era that has ended: put there by hand, it is not looked for, but for the one in some
      // hundred that a Bloom filter takes for another. Keys differ from run to run, so that it may be any of them.
      const planted = Array.from({ length: 12 }, (_, index) => key(`planted ${index}`))
      yield* sql.query(
        "INSERT INTO claims (key, fingerprint, account, seq, era) SELECT k, k, 1, 1, $2::text::int FROM unnest($1::text[]::uuid[]) k",
        [planted, String(oldest)]
      )
      let committed = 0
      for (const one of planted) {
        const outcome = yield* append(journal, record(yield* journal.newAccountNumber, 1, { claims: [claim(one)] }))
        if (outcome._tag === "committed") committed++
      }
      assert.isAtLeast(committed, 9)
      yield* sql.query("DELETE FROM claims WHERE key = ANY ($1::text[]::uuid[]) AND era = $2::text::int", [
        planted,
        String(oldest)
      ])
    })
  )

  it.effect("are looked for in the eras that are meant and one by one, also by who began when there were few", () =>
    Effect.gen(function* () {
      const sql = yield* connect
      yield* node
      const keys = (from: number) => `array(SELECT md5(n::text)::uuid FROM generate_series(${from}, ${from + 39}) n)`
      const look = (from: number, firstEra: number, lastEra: number) =>
        Effect.map(
          sql.query(`SELECT any_claimed(${keys(from)}, ${firstEra}, ${lastEra}) AS is_claimed`),
          ({ rows }) => rows[0]?.["is_claimed"]
        )
      // Columns that a look reads of the index.
      const read = Effect.map(
        sql.query(`SELECT pg_stat_get_xact_numscans('claims_pkey'::regclass)::int AS searches,
          pg_stat_get_xact_tuples_returned('claims_pkey'::regclass)::int AS claims`),
        ({ rows }) => ({ searches: Number(rows[0]?.["searches"]), claims: Number(rows[0]?.["claims"]) })
      )
      // Eras far from all others.
      const era = 100_000
      yield* sql.query("BEGIN", [], false)
      for (let times = 0; times < 10; times++) assert.strictEqual(yield* look(1, era, era), false)
      yield* sql.query(`INSERT INTO claims (key, fingerprint, account, seq, era)
        SELECT md5(n::text)::uuid, md5(n::text)::uuid, 1, 1, ${era} + n / 10000 FROM generate_series(1, 59999) n`)
      for (const analysed of [false, true]) {
        if (analysed) yield* sql.query("ANALYZE claims")
        const before = yield* read
        // Claimed in the second era.
        assert.strictEqual(yield* look(10_000, era, era), false)
        assert.strictEqual(yield* look(10_000, era + 2, era + 5), false)
        const after = yield* read
        assert.strictEqual(after.claims, before.claims)
        assert.isAtMost(after.searches - before.searches, 5 * 40)
        assert.strictEqual(yield* look(10_000, era, era + 5), true)
        assert.isAtMost((yield* read).claims - after.claims, 1)
      }
      yield* sql.query("ROLLBACK", [], false)
    })
  )

  it.effect("begin an era after so many claims, and know then what the one before had", () =>
    Effect.gen(function* () {
      const sql = yield* connect
      yield* sql.query("UPDATE eras SET began = 0")
      const before = yield* eraOf(sql)
      const { journal, learnt } = yield* learningNode({ eraBytes: 0, claimsPerEraLook: 10 })
      const numbers = yield* Effect.all(Array.from({ length: 10 }, () => journal.newAccountNumber))
      const claimed = (account: number) => [claim(journal.claimKey("begins", String(account)))]
      yield* appendAll(
        journal,
        numbers.map((account) => record(account, 1, { claims: claimed(account) }))
      )
      yield* learnt(before + 1)
      assert.strictEqual(yield* eraOf(sql), before + 1)
      for (const account of numbers) {
        const again = yield* append(journal, record(account, 2, { claims: claimed(account) }))
        assert.strictEqual(again._tag === "taken" ? again.holder.account : again._tag, account)
      }
    })
  )

  it.effect(
    "are read once while their pages are young, so that reading them after a checkpoint adds nothing to the log",
    () =>
      Effect.gen(function* () {
        const sql = yield* connect
        const claimsPerEraLook = 500
        const { journal, saidOf } = yield* learningNode({ claimsPerEraLook })
        yield* sql.query("SET enable_seqscan = off")
        const account = yield* journal.newAccountNumber
        /** Pages that a read of new claims logs after a checkpoint. */
        const logged = Effect.fnUntraced(function* (seq: number) {
          const keys = Array.from({ length: claimsPerEraLook }, (_, index) =>
            claim(journal.claimKey("account", `young ${seq} ${index}`))
          )
          yield* append(journal, record(account, seq, { claims: keys }))
          const [, first, last] = yield* saidOf(/Read new claims in pages (\d+) to (\d+)/)
          assert.isAtLeast(Number(last) - Number(first), 2)
          yield* sql.query("CHECKPOINT")
          const { rows } = yield* sql.query(`EXPLAIN (ANALYZE, WAL, FORMAT JSON)
            SELECT count(*) FROM claims WHERE ctid >= '(${first},0)' AND ctid <= '(${last},999)'`)
          const plans = rows[0]?.["QUERY PLAN"] as [{ Plan: { "WAL FPI": number; Plans: [{ "Actual Rows": number }] } }]
          const plan = plans[0].Plan
          assert.isAtLeast(plan.Plans[0]["Actual Rows"], claimsPerEraLook)
          return plan["WAL FPI"]
        })
        // PostgreSQL leaves hint bits unset while the asynchronous commit of a near transaction is not on disk. A lease's
        // beat of another test is one, and transactions are numbered across the server: not every attempt is undisturbed.
        let least = Infinity
        for (let seq = 1; seq <= 10 && least > 0; seq++) least = Math.min(least, yield* logged(seq))
        assert.strictEqual(least, 0)
      })
  )

  it.effect("of an era that ends while the service runs are all learnt, however many there are", () =>
    Effect.gen(function* () {
      const sql = yield* connect
      const first = yield* node
      yield* append(first, record(yield* first.newAccountNumber, 1))
      yield* beginGrown(sql)
      const era = yield* eraOf(sql)
      // Most of it was there before the service: enough for the table to have grown by a sixth, and for readings of all sizes.
      const many = 30_000
      assert.isAbove(many, 3 * Bounds.learntKeys.most)
      yield* sql.query(`INSERT INTO claims (key, fingerprint, account, seq, era)
        SELECT md5('many' || n)::uuid, md5('many' || n)::uuid, 1, n, ${era} FROM generate_series(1, ${many}) n`)
      const { journal, learnt } = yield* learningNode({ eraBytes: 0, claimsPerEraLook: 10 })
      yield* learnt(era)
      const numbers = yield* Effect.all(Array.from({ length: 10 }, () => journal.newAccountNumber))
      yield* appendAll(
        journal,
        numbers.map((account) =>
          record(account, 1, { claims: [claim(journal.claimKey("after many", String(account)))] })
        )
      )
      const { bytes, keys } = yield* learnt(era + 1)
      assert.strictEqual(keys, many + numbers.length)
      assert.isAtLeast(bytes, Bounds.filterBytesPerClaim * keys)
      // Some in the order in which they are read, among them those on both sides of where a reading ended, whatever its size.
      const { rows } = yield* sql.query(`SELECT key::text AS key, seq::int AS seq FROM (
          SELECT key, seq, account, row_number() OVER (ORDER BY key) AS place FROM claims WHERE era = ${era}
        ) k WHERE account = 1 AND place % ${Bounds.learntKeys.least} IN (0, 1) ORDER BY key`)
      const account = yield* journal.newAccountNumber
      const outcomes = yield* Effect.forEach(rows, ({ key }) =>
        append(journal, record(account, 1, { claims: [claim(String(key))] }))
      )
      assert.isAtLeast(outcomes.length, (2 * (many - numbers.length)) / Bounds.learntKeys.least - 2)
      assert.deepStrictEqual(
        outcomes.map((outcome) => (outcome._tag === "taken" ? outcome.holder.seq : outcome._tag)),
        rows.map(({ seq }) => Number(seq))
      )
      yield* sql.query(`DELETE FROM claims WHERE era = ${era} AND account = 1`)
    })
  )

  it.effect("are held once by a database that is set back under the service, which then learns anew", () =>
    Effect.gen(function* () {
      const sql = yield* connect
      const { journal, learnt, saidOf } = yield* learningNode({ claimsPerEraLook: 10 })
      const [a, b, c] = [
        yield* journal.newAccountNumber,
        yield* journal.newAccountNumber,
        yield* journal.newAccountNumber
      ]
      const key = (name: string) => journal.claimKey("set back", name)
      const many = (name: string) => Array.from({ length: 10 }, (_, index) => claim(key(`${name} ${index}`)))
      yield* append(journal, record(a, 1, { claims: [claim(key("kept"), hash128(7))] }))
      yield* setAside(sql)
      const copied = yield* eraOf(sql)
      yield* append(journal, record(b, 1, { claims: [claim(key("lost"))] }))
      for (const name of ["first", "second", "third"]) {
        yield* beginGrown(sql)
        const era = yield* eraOf(sql)
        yield* append(journal, record(yield* journal.newAccountNumber, 1, { claims: many(name) }))
        yield* learnt(era)
      }
      yield* setBack(sql)
      assert.strictEqual(yield* eraOf(sql), copied)
      // Lost claims may be claimed again, in eras with the numbers of those that the service knew.
      const fields = { claims: [claim(key("lost"), hash128(9))] }
      assert.strictEqual((yield* append(journal, record(c, 1, fields)))._tag, "committed")
      yield* saidOf(/changed since its claims were read/)
      for (const _ of [1, 2]) yield* beginGrown(sql)
      for (const [name, holder] of [
        ["kept", { key: key("kept"), account: a, seq: 1, fingerprint: hash128(7) }],
        ["lost", { key: key("lost"), account: c, seq: 1, fingerprint: hash128(9) }]
      ] as const) {
        const again = record(yield* journal.newAccountNumber, 1, { claims: [claim(key(name))] })
        assert.deepStrictEqual(yield* append(journal, again), { _tag: "taken", holder })
      }
      assert.strictEqual((yield* journal.loadAccount(b))?.seq, undefined)
      // And again in eras as many as were known before.
      yield* beginGrown(sql)
      const again = record(yield* journal.newAccountNumber, 1, { claims: [claim(key("lost"))] })
      assert.strictEqual((yield* append(journal, again))._tag, "taken")
      const { rows } = yield* sql.query("SELECT key FROM claims GROUP BY key HAVING count(*) > 1")
      assert.deepStrictEqual(rows, [])
    })
  )

  it.effect("begin no era while a group is in flight, and delay other groups only briefly", () =>
    Effect.gen(function* () {
      const journal = yield* node
      const [sql, group] = [yield* connect, yield* connect]
      yield* append(journal, record(yield* journal.newAccountNumber, 1))
      const before = yield* eraOf(sql)
      yield* group.query("BEGIN", [], false)
      yield* group.query("SELECT pg_advisory_xact_lock_shared(7270001)")
      assert.match(String((yield* Effect.flip(beginGrown(sql))).reason.cause), /lock timeout/)
      assert.strictEqual(yield* eraOf(sql), before)
      yield* group.query("COMMIT", [], false)
      assert.isTrue(yield* beginGrown(sql))
      assert.strictEqual(yield* eraOf(sql), before + 1)
    })
  )

  it.effect("hold no claim twice when two nodes race for the same ones while eras begin", () =>
    Effect.gen(function* () {
      // Each learns again and again what was claimed.
      const [one, two] = [yield* nodeOf({ claimsPerEraLook: 60 }), yield* nodeOf({ claimsPerEraLook: 60 })]
      const [sql, other] = [yield* connect, yield* connect]
      const before = yield* eraOf(sql)
      // An era that would have to wait for a group for long is not begun: the next try comes at once.
      const isLate = (error: { readonly reason: { readonly cause: unknown } }) =>
        /lock timeout/.test(String(error.reason.cause))
      const begin = Effect.catchIf(beginGrown(other), isLate, () => Effect.succeed(false))
      const beginning = yield* Effect.forkChild(Effect.forever(begin))
      let committed = 0
      const accounts: Array<string> = []
      const group = (journal: Journal["Service"], round: number) =>
        Effect.gen(function* () {
          const numbers = yield* Effect.all(Array.from({ length: 30 }, () => journal.newAccountNumber))
          accounts.push(...numbers.map(String))
          const records = numbers.map((account, index) =>
            record(account, 1, { claims: [claim(journal.claimKey("racing eras", `${round}:${index}`))] })
          )
          for (const outcome of yield* appendAll(journal, records)) {
            assert.include(["committed", "taken"], outcome._tag)
            if (outcome._tag === "committed") committed++
          }
        })
      let rounds = 0
      while (rounds < 100 || (yield* eraOf(sql)) <= before + 20) {
        const round = rounds++
        yield* Effect.all([group(one, round), Effect.andThen(Effect.yieldNow, group(two, round))], { concurrency: 2 })
        assert.isUndefined(beginning.pollUnsafe(), "eras begin until the end")
      }
      yield* Fiber.interrupt(beginning)
      assert.strictEqual(committed, rounds * 30)
      const { rows } = yield* sql.query(
        "SELECT count(*)::int AS n, count(DISTINCT key)::int AS keys FROM claims WHERE account = ANY ($1::text[]::bigint[])",
        [accounts]
      )
      assert.deepStrictEqual({ ...rows[0] }, { n: committed, keys: committed })
    })
  )

  it.effect("leave one of two enrolments that race for one identity on two nodes, and nothing of the other", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* node, yield* node]
      for (let i = 0; i < 20; i++) {
        const [a, b] = [yield* one.newAccountNumber, yield* two.newAccountNumber]
        assert.notStrictEqual(a, b)
        const claims = [claim(one.claimKey("identity", `${i}`)), claim(one.claimKey("member", `${i}`))]
        const outcomes = yield* Effect.all(
          [
            append(one, record(a, 1, { claims, issuedRewards: [issuedReward(`x ${i}`)] })),
            append(two, record(b, 1, { claims: [...claims].reverse(), issuedRewards: [issuedReward(`x ${i}`)] }))
          ],
          { concurrency: "unbounded" }
        )
        assert.sameMembers([...tags(outcomes)], ["committed", "taken"])
        const loser = outcomes[0]?._tag === "taken" ? a : b
        assert.strictEqual(yield* one.loadAccount(loser), undefined)
        assert.deepStrictEqual(yield* one.issuedRewards(loser), [])
      }
    })
  )

  it.effect("are read only after a session that was given up is gone, and nobody else's is ended", () =>
    Effect.gen(function* () {
      const [journal, other] = [yield* node, yield* node]
      const [sql, blocker] = [yield* connect, yield* connect]
      const account = yield* journal.newAccountNumber
      yield* append(journal, record(account, 1))
      yield* blocker.query("BEGIN", [], false)
      yield* blocker.query("LOCK TABLE ledger_entries IN EXCLUSIVE MODE", [], false)
      // The group waits for the lock until the server's own limit: it is given up, and its session with it.
      const appending = yield* Effect.forkChild(append(journal, record(account, 2)), { startImmediately: true })
      const waiting = sql.query(
        `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'lotbook journal'
          AND wait_event_type = 'Lock'`
      )
      const { rows } = yield* Effect.repeat(waiting, {
        until: ({ rowCount }) => rowCount === 1,
        schedule: Schedule.spaced(10)
      })
      assert.strictEqual((yield* Fiber.join(appending))._tag, "in_doubt")
      assert.strictEqual((yield* journal.witness(account, [])).seq, 1)
      const left = yield* sql.query(`SELECT FROM pg_stat_activity WHERE pid = ${String(rows[0]?.["pid"])}`)
      assert.strictEqual(left.rowCount, 0)
      yield* blocker.query("COMMIT", [], false)
      assert.strictEqual((yield* append(other, record(account, 2)))._tag, "committed")
    })
  )

  it.effect("are written at once after every connection was killed while nobody wrote", () =>
    Effect.gen(function* () {
      const journal = yield* node
      const sql = yield* connect
      const account = yield* journal.newAccountNumber
      assert.strictEqual((yield* append(journal, record(account, 1)))._tag, "committed")
      const ofJournal = "datname = current_database() AND application_name = 'lotbook journal'"
      yield* sql.query(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE ${ofJournal}`)
      yield* sql.query(`SELECT count(*)::int AS open FROM pg_stat_activity WHERE ${ofJournal}`).pipe(
        Effect.repeat({
          until: ({ rows }) => Number(rows[0]?.["open"]) >= Bounds.writerConnections,
          schedule: Schedule.spaced(20)
        }),
        Effect.timeout(10_000)
      )
      assert.strictEqual((yield* append(journal, record(account, 2)))._tag, "committed")
    })
  )

  it.effect("tell the truth and serve again after every connection was killed under load", () =>
    Effect.gen(function* () {
      const journal = yield* node
      const sql = yield* connect
      const accounts = yield* Effect.all(Array.from({ length: 20 }, () => journal.newAccountNumber))
      yield* appendAll(
        journal,
        accounts.map((account) => record(account, 1))
      )
      const kill = sql.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = 'lotbook journal'`
      )
      const seqOf = (account: number) =>
        Effect.map(
          Effect.retry(journal.loadAccount(account), { schedule: Schedule.spaced(20) }),
          (loaded) => loaded?.seq ?? 0
        )
      let [doubts, kills, committed] = [0, 0, 0]
      const run = (account: number) =>
        Effect.gen(function* () {
          for (let i = 0; i < 60 || doubts === 0 || kills < 8; i++) {
            const seq = (yield* seqOf(account)) + 1
            const outcome = yield* append(journal, record(account, seq))
            // A commit of the dead connection may still land after the reload: then this one is stale.
            assert.include(["committed", "in_doubt", "unavailable", "stale"], outcome._tag)
            if (outcome._tag === "committed") {
              committed++
              assert.isAtLeast(yield* seqOf(account), seq)
            }
            if (outcome._tag === "in_doubt") doubts++
          }
        })
      // A kill that comes while connections open meets no group: the next one waits until so many records are written.
      const killOnce = Effect.gen(function* () {
        const before = committed
        yield* Effect.repeat(Effect.sleep(2), { until: () => committed >= before + accounts.length })
        yield* kill
        kills++
      })
      // Until a kill has met a group whose outcome nobody knows.
      yield* Effect.raceFirst(Effect.all(accounts.map(run), { concurrency: "unbounded" }), Effect.forever(killOnce))
      for (const account of accounts) {
        const outcome = yield* append(journal, record(account, (yield* seqOf(account)) + 1)).pipe(
          Effect.filterOrFail((outcome) => outcome._tag === "committed"),
          Effect.retry({ schedule: Schedule.spaced(20) })
        )
        assert.strictEqual(outcome._tag, "committed")
        const records = yield* journal.records(account, 1, 1_000)
        assert.deepStrictEqual(
          records.map(({ seq }) => seq),
          records.map((_, index) => index + 1)
        )
      }
    })
  )

  it.effect("hold nothing that was appended after the freeze was answered, on any node", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* node, yield* node]
      const sql = yield* connect
      const count = Effect.map(sql.query("SELECT count(*)::int AS n FROM journal"), ({ rows }) =>
        Number(rows[0]?.["n"])
      )
      const accounts = yield* Effect.all(Array.from({ length: 30 }, () => one.newAccountNumber))
      const writing = yield* Effect.forkChild(
        Effect.all(
          accounts.map((account, index) =>
            Effect.gen(function* () {
              for (let seq = 1; seq < 10_000; seq++) {
                const outcome = yield* append(index % 2 === 0 ? one : two, record(account, seq))
                if (outcome._tag === "frozen") return seq
                assert.strictEqual(outcome._tag, "committed")
              }
              return 0
            })
          ),
          { concurrency: "unbounded" }
        )
      )
      yield* Effect.repeat(count, { until: (n) => n > 300 })
      yield* two.setFrozen(true)
      const frozenAt = yield* count
      const ends = yield* Fiber.join(writing)
      assert.notInclude(ends, 0)
      assert.strictEqual(yield* count, frozenAt)
      yield* one.setFrozen(false)
    })
  )

  it.effect("take the others of a group in which PostgreSQL refuses a record", () =>
    Effect.gen(function* () {
      const sql = yield* connect
      const sessions = Effect.map(
        sql.query(
          `SELECT pid FROM pg_stat_activity
            WHERE datname = current_database() AND application_name LIKE 'lotbook journal%'`
        ),
        ({ rows }) => rows.map(({ pid }) => Number(pid))
      )
      // Those of earlier tests are gone a little after their nodes.
      yield* Effect.repeat(sessions, { until: (pids) => pids.length === 0, schedule: Schedule.spaced(20) })
      const journal = yield* node
      const accounts = yield* Effect.all(Array.from({ length: 8 }, () => journal.newAccountNumber))
      const [spoilt = 0, double = 0] = accounts
      yield* append(journal, record(double, 1))
      const before = yield* sessions
      const outcomes = yield* appendAll(journal, [
        record(spoilt, 1, { entries: [entry(1, { reason: "\u0000" })] }),
        record(spoilt, 2),
        // An entry that is there already, as in a table that somebody has changed.
        record(double, 2, { entries: [entry(1)] }),
        ...accounts.slice(2).map((account) => record(account, 1))
      ])
      assert.deepStrictEqual(tags(outcomes), [
        "unavailable",
        "superseded",
        "unavailable",
        ...accounts.slice(2).map(() => "committed" as const)
      ])
      // None was given up; one that opens later may have come.
      assert.isNotEmpty(before)
      assert.includeMembers(yield* sessions, before)
      assert.isUndefined(yield* journal.loadAccount(spoilt))
      const both = yield* Effect.callback<ReadonlyArray<AppendOutcome>>((resume) =>
        journal.submitLinked([record(spoilt, 1), record(double, 2, { entries: [entry(1)] })], (outcomes) =>
          resume(Effect.succeed(outcomes))
        )
      )
      assert.deepStrictEqual(tags(both), ["unavailable", "unavailable"])
      assert.deepStrictEqual(tags([yield* append(journal, record(spoilt, 1))]), ["committed"])
    })
  )

  it.effect("freeze without holding up reads, and without waiting for them", () =>
    Effect.gen(function* () {
      const [journal, slow, watching] = [yield* node, yield* connect, yield* connect]
      const account = yield* journal.newAccountNumber
      const reads = Effect.all(
        Array.from({ length: 2 * 32 * connections.reads }, () => journal.loadAccount(account)),
        { concurrency: "unbounded", discard: true }
      )
      const waiting = (kind: string) =>
        Effect.map(
          watching.query(
            `SELECT count(*)::int AS n FROM pg_locks JOIN pg_database d ON d.oid = database
              WHERE datname = current_database() AND locktype = $1 AND NOT granted`,
            [kind]
          ),
          ({ rows }) => Number(rows[0]?.["n"])
        )
      const untilWaiting = (kind: string, count: number) => Effect.repeat(waiting(kind), { until: (n) => n >= count })
      // A group that takes long.
      yield* slow.query("BEGIN", [], false)
      yield* slow.query("SELECT pg_advisory_xact_lock_shared(7270001)")
      const freezing = yield* Effect.forkChild(journal.setFrozen(true))
      yield* untilWaiting("advisory", 1)
      yield* reads
      assert.strictEqual(yield* waiting("advisory"), 1)
      yield* slow.query("COMMIT", [], false)
      yield* Fiber.join(freezing)
      // Reads that take long, on every session of the pool.
      yield* slow.query("BEGIN", [], false)
      yield* slow.query("LOCK TABLE snapshots", [], false)
      const reading = yield* Effect.forkChild(reads)
      yield* untilWaiting("relation", connections.reads)
      yield* journal.setFrozen(false)
      assert.strictEqual(yield* waiting("relation"), connections.reads)
      yield* slow.query("COMMIT", [], false)
      yield* Fiber.join(reading)
    })
  )

  it.effect(
    "write nothing for a node that was declared dead, also where its connections open again (contract/databases.md *Beats of a node*)",
    () =>
      Effect.gen(function* () {
        const sql = yield* connect
        const nodeOfHolder = (holder: string) =>
          built(
            PgJournal.layer.pipe(
              Layer.provide(
                Layer.effect(
                  Database,
                  Effect.map(Database, (database) => ({ ...database, holder }))
                )
              )
            )
          )
        const join = (id: string) =>
          sql.query("INSERT INTO nodes (id, address, protocol, version) VALUES ($1, '127.0.0.1:1', 1, 'test')", [id])
        const former = yield* nodeOfHolder("aaaaaaaaaaaa")
        const account = yield* former.newAccountNumber
        yield* join("aaaaaaaaaaaa")
        assert.strictEqual((yield* append(former, record(account, 1)))._tag, "committed")
        yield* sql.query("UPDATE nodes SET dead = true WHERE id = 'aaaaaaaaaaaa'")
        yield* join("bbbbbbbbbbbb")
        yield* sql.query(
          `SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity
          WHERE application_name = 'lotbook journal aaaaaaaaaaaa'`
        )
        // The first groups meet the sessions that were ended.
        const late = yield* Effect.repeat(append(former, record(account, 2)), {
          until: ({ _tag }) => _tag !== "in_doubt",
          times: 2 * Bounds.writerConnections
        })
        assert.deepStrictEqual(late, { _tag: "unavailable" })
        const present = yield* nodeOfHolder("bbbbbbbbbbbb")
        assert.strictEqual((yield* present.loadAccount(account))?.seq, 1)
        assert.strictEqual((yield* append(present, record(account, 2)))._tag, "committed")
        yield* sql.query("DELETE FROM nodes")
      })
  )

  it.effect("let no group past a freeze that is being switched on (contract/databases.md *Write freeze*)", () =>
    Effect.gen(function* () {
      const journal = yield* node
      const switching = yield* connect
      const watching = yield* connect
      const account = yield* journal.newAccountNumber
      yield* switching.query("BEGIN")
      yield* switching.query("SELECT set_write_frozen(true)")
      const appending = yield* Effect.forkChild(append(journal, record(account, 1)))
      const state = Effect.map(
        watching.query(
          `SELECT EXISTS (SELECT FROM pg_locks JOIN pg_database d ON d.oid = database
                WHERE datname = current_database() AND locktype = 'advisory' AND NOT granted) AS waits,
              EXISTS (SELECT FROM journal WHERE account = $1::text::bigint) AS written`,
          [String(account)]
        ),
        ({ rows }) => ({ waits: rows[0]?.["waits"] === true, written: rows[0]?.["written"] === true })
      )
      const seen = yield* Effect.repeat(state, { until: ({ waits, written }) => waits || written })
      yield* switching.query("COMMIT")
      assert.deepStrictEqual(seen, { waits: true, written: false })
      assert.deepStrictEqual(yield* Fiber.join(appending), { _tag: "frozen" })
      assert.strictEqual(yield* journal.loadAccount(account), undefined)
      yield* journal.setFrozen(false)
    })
  )
})
