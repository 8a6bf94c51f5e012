/** Migrations of a database. Holds contract/databases.md *Versions*. */
import { PgConnection } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { randomBytes } from "node:crypto"
import { Database } from "../../../src/base/database/Database.ts"
import * as Migrations from "../../../src/base/database/Migrations.ts"
import { softwareVersion } from "../../../src/contract/Version.ts"
import { Journal } from "../../../src/core/journal/Journal.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { append, entry, record } from "../../core/journal/Records.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import released from "./released.json" with { type: "json" }

const migration = (name: string, sql: string, oldest = softwareVersion, checksum = name): Migrations.Migration => ({
  name,
  sql,
  checksum,
  oldest
})

const shipped = Migrations.load()
it("migrations have numbers of their own and come in their order", () => {
  assert.strictEqual(shipped[0]?.name, "0001_journal.sql")
  const numbers = shipped.map(({ name }) => Number(name.slice(0, 4)))
  assert.deepStrictEqual(
    numbers,
    [...new Set(numbers)].sort((a, b) => a - b)
  )
})

it("migrations of a release stay as they were released", () => {
  const now = new Map(shipped.map(({ checksum, name }) => [name, checksum]))
  for (const [version, files] of Object.entries(released)) {
    assert.isNotEmpty(Object.keys(files))
    for (const [name, checksum] of Object.entries(files))
      assert.strictEqual(now.get(name), checksum, `${version}: ${name}`)
  }
})

it.effect("a database that has every migration is left alone", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* Migrations.run(), [])
  }).pipe(Effect.provide(TestDatabase.layer))
)

it.effect("a file of several statements with function bodies is applied whole", () =>
  Effect.gen(function* () {
    const sql =
      "CREATE FUNCTION two() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 2; END; $$; CREATE TABLE t (a int)"
    assert.deepStrictEqual(yield* Migrations.run([...shipped, migration("9001_next.sql", sql)]), ["9001_next.sql"])
    assert.deepStrictEqual(yield* TestDatabase.query("SELECT two() AS two FROM (SELECT count(*) FROM t) c"), [
      { two: 2 }
    ])
  }).pipe(Effect.provide(TestDatabase.layer))
)

it.effect("a file with a mistake leaves nothing behind and can be applied once mended", () =>
  Effect.gen(function* () {
    const broken = migration("9001_next.sql", "CREATE TABLE half (a int); SELECT 1/0")
    const error = yield* Effect.flip(Migrations.run([...shipped, broken]))
    assert.include(error.message, "division by zero")
    const mended = migration("9001_next.sql", "CREATE TABLE half (a int)")
    assert.deepStrictEqual(yield* Migrations.run([...shipped, mended]), ["9001_next.sql"])
  }).pipe(Effect.provide(TestDatabase.layer))
)

it.effect("a role that owns no database is told to get one", () =>
  Effect.gen(function* () {
    const forbidden = migration(
      "9001_next.sql",
      "DO $forbid$ BEGIN RAISE EXCEPTION 'permission denied for schema public' USING ERRCODE = '42501'; END $forbid$"
    )
    const error = yield* Effect.flip(Migrations.run([...shipped, forbidden]))
    assert.match(error.message, /permission denied for schema public\. Give the role of DATABASE_URL a database/)
  }).pipe(Effect.provide(TestDatabase.layer))
)

it.effect("several services that start at once apply each file once", () =>
  Effect.gen(function* () {
    const next = [...shipped, migration("9001_next.sql", "CREATE TABLE once (a int)")]
    const applied = yield* Effect.all(
      Array.from({ length: 6 }, () => Migrations.run(next)),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(applied.flat(), ["9001_next.sql"])
  }).pipe(Effect.provide(TestDatabase.layer))
)

it.effect("a database that is ahead of this version is refused", () =>
  Effect.gen(function* () {
    yield* Migrations.run([...shipped, migration("9001_next.sql", "SELECT 1", "99.0.0")])
    const error = yield* Effect.flip(Migrations.run(shipped))
    assert.strictEqual(error._tag, "DatabaseStartError")
    assert.include(error.message, "9001_next.sql")
  }).pipe(Effect.provide(TestDatabase.layer))
)

it.effect("a file that was changed after it had been applied is refused", () =>
  Effect.gen(function* () {
    yield* Migrations.run([...shipped, migration("9001_next.sql", "SELECT 1", softwareVersion, "old")])
    const error = yield* Effect.flip(
      Migrations.run([...shipped, migration("9001_next.sql", "SELECT 2", softwareVersion, "new")])
    )
    assert.include(error.message, "9001_next.sql")
    assert.include(error.message, "with other contents")
  }).pipe(Effect.provide(TestDatabase.layer))
)

it.effect("a database of another version is refused by the service and by the commands, with advice", () =>
  Effect.gen(function* () {
    for (const change of [
      "UPDATE migrations SET checksum = 'another' WHERE name = '0001_journal.sql'",
      "UPDATE migrations SET name = '0001_before.sql', oldest = '99.0.0' WHERE name = '0001_journal.sql'"
    ]) {
      yield* TestDatabase.query(change)
      for (const refused of [Migrations.run(), Migrations.check]) {
        const { message } = yield* Effect.flip(Effect.asVoid(refused))
        assert.include(message, "0001_")
        assert.include(message, "empty database")
      }
    }
  }).pipe(Effect.provide(TestDatabase.layer))
)

const everything = Effect.map(
  TestDatabase.query(
    "SELECT relname::text AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1"
  ),
  (rows) => rows.map(({ name }) => name)
)

for (const foreign of ["CREATE TABLE orders (id int)", "CREATE TABLE migrations (id int, batch int)"]) {
  it.effect(`a schema of another program (${foreign}) is refused, and nothing is left behind`, () =>
    Effect.gen(function* () {
      yield* TestDatabase.query("DROP SCHEMA public CASCADE")
      yield* TestDatabase.query("CREATE SCHEMA public")
      yield* TestDatabase.query(foreign)
      const before = yield* everything
      const { message } = yield* Effect.flip(Migrations.run())
      assert.match(
        message,
        /holds 1 relations of another program \((orders|migrations)\)\. Give Lotbook a database of its own/
      )
      assert.deepStrictEqual(yield* everything, before)
    }).pipe(Effect.provide(TestDatabase.layer))
  )
}

it.effect("a migration is refused while a node runs that is older than it allows", () =>
  Effect.gen(function* () {
    yield* TestDatabase.query(
      "INSERT INTO nodes (id, address, protocol, version) VALUES ('aaaaaaaaaaaa', '127.0.0.1:1', 1, '0.2.1')"
    )
    const next = migration("9001_next.sql", "-- Oldest: 0.10.0\nSELECT 1", "0.10.0")
    const { message } = yield* Effect.flip(Migrations.run([...shipped, next]))
    assert.match(
      message,
      /lacks 9001_next\.sql, on which 0\.10\.0 is the oldest .* a node of version 0\.2\.1 runs\. Stop/
    )
    const beside = migration("9002_beside.sql", "-- Oldest: 0.2.1\nSELECT 1", "0.2.1")
    assert.deepStrictEqual(yield* Migrations.run([...shipped, beside]), ["9002_beside.sql"])
    yield* TestDatabase.query("UPDATE nodes SET dead = true")
    assert.deepStrictEqual(yield* Migrations.run([...shipped, next, beside]), ["9001_next.sql"])
  }).pipe(Effect.provide(TestDatabase.layer))
)

it.effect("a version starts on later migrations that let it run, and is refused by those that do not", () =>
  Effect.gen(function* () {
    yield* Migrations.run([...shipped, migration("9001_next.sql", "SELECT 1", softwareVersion)])
    assert.deepStrictEqual(yield* Migrations.run(), [])
    yield* Migrations.run([...shipped, migration("9002_later.sql", "SELECT 1", "99.0.0")])
    const { message } = yield* Effect.flip(Migrations.run())
    assert.match(
      message,
      /has migration 9002_later\.sql, which this version \(.*\) lacks, and needs 99\.0\.0 or later\. Run/
    )
  }).pipe(Effect.provide(TestDatabase.layer))
)

it.effect("a version is refused once a newer one owned accounts, also on migrations that it has", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* Migrations.run(), [])
    yield* TestDatabase.query("UPDATE migrations SET oldest = '99.0.0' WHERE name = '0042_newer_versions.sql'")
    const { message } = yield* Effect.flip(Migrations.run())
    assert.match(message, /has migration 0042_newer_versions\.sql, which .* has: it now needs 99\.0\.0 or later\. Run/)
  }).pipe(Effect.provide(TestDatabase.layer))
)

it("versions compare by their numbers", () => {
  assert.isTrue(Migrations.isOlder("0.2.9", "0.2.10"))
  assert.isTrue(Migrations.isOlder("0.9.0", "1.0.0"))
  assert.isFalse(Migrations.isOlder("0.2.0", "0.2.0"))
  assert.isFalse(Migrations.isOlder("1.0.0", "0.9.9"))
})

it.effect("a migration gives up on a lock that another session holds, instead of blocking everybody behind it", () =>
  Effect.gen(function* () {
    const sql = "CREATE TABLE seen AS SELECT current_setting('lock_timeout') AS timeout"
    yield* Migrations.run([...shipped, migration("9001_next.sql", sql)])
    assert.deepStrictEqual(yield* TestDatabase.query("SELECT timeout FROM seen"), [{ timeout: "10s" }])
  }).pipe(Effect.provide(TestDatabase.layer))
)

it.effect("a migration that a node and it wait for each other is applied again", () =>
  Effect.gen(function* () {
    yield* TestDatabase.query("CREATE TABLE one (a int)")
    yield* TestDatabase.query("CREATE TABLE two (a int)")
    const { clientConfig } = yield* Database
    const node = yield* PgConnection.make(clientConfig)
    // The migration looks for a deadlock, and gives way.
    yield* node.query("SET deadlock_timeout = '1min'")
    yield* node.query("BEGIN", [], false)
    yield* node.query("LOCK TABLE two")
    const sql = "LOCK TABLE one; ALTER TABLE two ADD COLUMN b int"
    const migrating = yield* Effect.forkChild(Migrations.run([...shipped, migration("9001_next.sql", sql)]))
    const waits = "SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted AND relation = 'two'::regclass"
    while ((yield* TestDatabase.query(waits))[0]?.["n"] === 0) yield* Effect.yieldNow
    yield* node.query("LOCK TABLE one")
    yield* node.query("COMMIT", [], false)
    assert.deepStrictEqual(yield* Fiber.join(migrating), ["9001_next.sql"])
    assert.lengthOf(yield* TestDatabase.query("SELECT b FROM two"), 0)
  }).pipe(Effect.provide(TestDatabase.layer))
)

/** A database of its own, without any migration. */
const emptyDatabase = Effect.gen(function* () {
  const { clientConfig } = yield* Database
  const name = `before_${randomBytes(6).toString("hex")}`
  yield* Effect.acquireRelease(TestDatabase.administer(`CREATE DATABASE ${name} TEMPLATE template0`), () =>
    Effect.orDie(TestDatabase.administer(`DROP DATABASE ${name} WITH (FORCE)`))
  )
  return { clientConfig: { ...clientConfig, database: name }, describe: name }
})

it.effect(
  "an upgrade numbers the events of the records that are there, and of those that a former node still writes",
  () =>
    Effect.gen(function* () {
      const older = yield* emptyDatabase
      yield* Effect.gen(function* () {
        yield* Migrations.run(shipped.filter(({ name }) => name < "0015"))
        const expired = (at: number) => ({ type: "posted", op: "expiration", at })
        const records = [
          [{ type: "enrolled" }, { type: "external_id_given" }],
          [{ type: "profile_changed" }],
          [expired(1), expired(1), expired(2), { type: "posted", op: "manual" }, { type: "reward_issued", issued: "w" }]
        ]
        const write = (from: number, all: ReadonlyArray<ReadonlyArray<object>>) =>
          TestDatabase.query(`INSERT INTO journal (account, seq, at, transaction, hash, epoch, program_version, version, events,
            reply, balances)
          VALUES ${all
            .map(
              (events, index) =>
                `(1, ${from + index}, 0, '3', gen_random_uuid(), 1, 1, 1, '${JSON.stringify(events)}', '{}', '[]')`
            )
            .join(", ")}`)
        yield* write(1, records)
        assert.include(yield* Migrations.run(), "0015_feed.sql")
        yield* write(4, records.slice(1))
        assert.deepStrictEqual(
          (yield* TestDatabase.query("SELECT announced::int AS n FROM journal ORDER BY seq")).map(({ n }) => n),
          [1, 1, 5, 5, 9]
        )
      }).pipe(Effect.provideService(Database, older))
    }).pipe(Effect.scoped, Effect.provide(TestDatabase.layer))
)

const callsAnnounced = [
  `CREATE TYPE keyed_record AS (
    account bigint, seq bigint, at bigint, hash uuid, program_version int, version smallint, actor text, origin text, events text,
    reply text, balances text, next_due bigint, balance bigint, status text, moves_from bigint, announced bigint,
    key uuid, key_fingerprint uuid
  )`,
  `CREATE FUNCTION append_keyed(
    keyed_record[], appended_claim[], appended_entry[], appended_reward[], appended_account[], appended_identity[],
    appended_member[], appended_profile[], appended_audit[], boolean, uuid[], int, uuid, text, int, uuid[], int[],
    smallint, uuid
  ) RETURNS TABLE (account bigint, seq bigint, outcome append_outcome, key uuid, fingerprint uuid, holder_account bigint,
    holder_seq bigint) LANGUAGE sql AS $$
    SELECT * FROM append_announced(array(
        SELECT (r.account, r.seq, r.at, r.hash, r.program_version, r.version, r.actor, r.origin, r.events, r.reply, r.balances,
          r.next_due, r.balance, r.status, r.moves_from, r.announced)::announced_record FROM unnest($1) r
      ), $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
  $$`
]

it.effect("an upgrade puts the records that are there into span 0, while a node writes on", () =>
  Effect.gen(function* () {
    const served = `served_${randomBytes(6).toString("hex")}`
    yield* Effect.acquireRelease(TestDatabase.administer(`CREATE ROLE ${served}`), () =>
      Effect.orDie(TestDatabase.administer(`DROP ROLE ${served}`))
    )
    const older = yield* emptyDatabase
    yield* Effect.gen(function* () {
      const first = shipped.findIndex(({ name }) => /^\d+_span_column/.test(name))
      const [before, steps] = [shipped.slice(0, first), shipped.slice(first, first + 6)]
      assert.match(steps.at(-1)?.name ?? "", /entries_in_spans/)
      yield* Migrations.run(before)
      yield* TestDatabase.query(`GRANT SELECT, INSERT ON journal, ledger_entries TO ${served}`)
      // A node of then: it calls append_announced, and knows no keys.
      yield* Effect.forEach(callsAnnounced, (statement) => TestDatabase.query(statement))
      // One node over all steps: its sessions have planned their statements before the first.
      const journal = Context.get(yield* Layer.build(PgJournal.layer), Journal)
      const account = yield* journal.newAccountNumber
      let seq = 0
      const write = Effect.suspend(() => append(journal, record(account, ++seq, { entries: [entry(seq)] })))
      assert.deepStrictEqual((yield* write)._tag, "committed")
      for (let next = 1; next <= steps.length; next++) {
        yield* Migrations.run([...before, ...steps.slice(0, next)])
        assert.deepStrictEqual((yield* write)._tag, "committed")
        assert.deepStrictEqual(yield* TestDatabase.query("SELECT count(*)::int AS n FROM journal"), [{ n: seq }])
        // A record that is there is refused as before.
        assert.strictEqual((yield* append(journal, record(account, seq)))._tag, "stale")
      }
      assert.deepStrictEqual(
        yield* TestDatabase.query(
          `SELECT (SELECT count(*)::int FROM journal_0) AS records, (SELECT count(*)::int FROM ledger_entries_0) AS entries,
            (SELECT count(*)::int FROM ledger) AS shown`
        ),
        [{ records: seq, entries: seq, shown: seq }]
      )
      // A role has the rights of before on the tables, and none on their partitions.
      assert.deepStrictEqual(
        yield* TestDatabase.query(
          `SELECT t.name, has_table_privilege('${served}', t.name, 'INSERT') AS may FROM unnest(ARRAY['journal', 'journal_0',
            'ledger_entries', 'ledger_entries_0']) t(name) ORDER BY 1`
        ),
        [
          { name: "journal", may: true },
          { name: "journal_0", may: false },
          { name: "ledger_entries", may: true },
          { name: "ledger_entries_0", may: false }
        ]
      )
      for (const table of ["journal", "journal_0", "ledger_entries", "ledger_entries_0"])
        for (const change of [`UPDATE ${table} SET seq = seq`, `DELETE FROM ${table}`, `TRUNCATE ${table}`]) {
          const error = yield* Effect.flip(TestDatabase.query(change))
          assert.match(String(error.reason.cause), /append-only/, change)
        }
    }).pipe(Effect.provideService(Database, older))
  }).pipe(Effect.scoped, Effect.provide(TestDatabase.layer))
)

it.effect("a command refuses a database that lacks a migration", () =>
  Effect.gen(function* () {
    yield* TestDatabase.query("DELETE FROM migrations WHERE name = '0002_claims.sql'")
    assert.include((yield* Effect.flip(Migrations.check)).message, "lacks 0002_claims.sql")
  }).pipe(Effect.provide(TestDatabase.layer))
)

it.effect(
  "what is written once is vacuumed by the million, and slowly, its statistics taken seldom and of few pages",
  () =>
    Effect.gen(function* () {
      const rows = yield* TestDatabase.query(
        "SELECT relname::text AS name, reloptions AS options FROM pg_class WHERE reloptions::text LIKE '%vacuum%' ORDER BY 1"
      )
      const options = [
        "autovacuum_vacuum_insert_threshold=1000000",
        "autovacuum_vacuum_cost_delay=80",
        "autovacuum_vacuum_cost_limit=100",
        "autovacuum_analyze_threshold=200000",
        "autovacuum_analyze_scale_factor=0.5",
        // Not a fifth of the table: in the tenth year a vacuum reads a million new rows, as in the first.
        "autovacuum_vacuum_insert_scale_factor=0"
      ]
      const spans = [0, 1, 2]
      const parted = ["journal", "keys", "ledger_entries"]
      const tables = ["claims", ...parted.flatMap((of) => spans.map((span) => `${of}_${span}`))].sort()
      assert.deepStrictEqual(
        rows,
        tables.map((name) => ({ name, options }))
      )
      const targets = yield* TestDatabase.query(
        `SELECT DISTINCT attrelid::regclass::text AS name, attstattarget AS target FROM pg_attribute
      WHERE attrelid::regclass::text ~ '^(claims|(journal|keys|ledger_entries)_[0-9]+)$' AND attnum > 0 ORDER BY 1`
      )
      assert.deepStrictEqual(
        targets,
        tables.map((name) => ({ name, target: 1 }))
      )
    }).pipe(Effect.provide(TestDatabase.layer))
)
