/** Seals of spans. Holds contract/databases.md *Seals*. */
import { PgConnection } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as fs from "node:fs"
import * as path from "node:path"
import { credit, earn, enroll } from "../../../src/app/testing/Guests.ts"
import { Database } from "../../../src/base/database/Database.ts"
import { WriteFreeze } from "../../../src/core/journal/WriteFreeze.ts"
import * as Bounds from "../../../src/reads/reconcile/Bounds.ts"
import type { Difference } from "../../../src/reads/reconcile/Difference.ts"
import * as Seals from "../../../src/reads/reconcile/Seals.ts"
import * as SealWorker from "../../../src/reads/reconcile/SealWorker.ts"
import * as InProcess from "../../app/cli/InProcess.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Scenario from "./Scenario.ts"

/** Seals the next span once no transaction of another test is open, in pages of a few records. */
const sealNext = Effect.gen(function* () {
  const found: Array<Difference> = []
  for (;;) {
    const outcome = yield* Seals.sealNext({
      pageRows: 7,
      onDifference: (difference) => Effect.sync(() => void found.push(difference)),
      onPage: Effect.void
    })
    const [{ over } = {}] = yield* Scenario.byHand(
      "SELECT (SELECT span FROM installation) > (SELECT coalesce(max(span), -1) + 1 FROM seals) AS over"
    )
    if (outcome._tag !== "Nothing" || over !== true) return { outcome, found }
    yield* Effect.yieldNow
  }
})

const begin = Scenario.byHand("SELECT prepare_spans()", "SELECT begin_span(true)")

const until = Effect.fnUntraced(function* (condition: string, meanwhile: Effect.Effect<void>) {
  for (;;) {
    const [{ done } = {}] = yield* Scenario.byHand(`SELECT ${condition} AS done`)
    if (done === true) return
    yield* meanwhile
  }
})

const later = Effect.fnUntraced(function* (span: string, members: ReadonlyArray<string>) {
  for (const member of members) {
    for (let order = 0; order < 6; order++) yield* earn(member, `${member}-${span}-${order}`, 1_000 + order)
    yield* credit(member, -25)
  }
  yield* Scenario.countRollups
})

/** Changes that somebody makes who knows how to get past the triggers, and what verify says of each, from the seal and in full. */
const damage = [
  ["UPDATE seals SET records = records + 1 WHERE span = 0", "seals", "both"],
  ["DELETE FROM seals WHERE span = 0", "seals", "both"],
  ["UPDATE sealed_accounts SET hash = gen_random_uuid() WHERE span = 1", "sealed_accounts", "both"],
  ["DELETE FROM sealed_accounts WHERE span = 1 AND state IS NOT NULL", "sealed_accounts", "both"],
  [
    "UPDATE sealed_accounts SET state = replace(state, '\"orders\":', '\"orders\":1') WHERE span = 1",
    "sealed_accounts",
    "both"
  ],
  ["UPDATE journal SET events = replace(events, 'm-0-2-1', 'm-0-2-x')", "journal", "both"],
  ["UPDATE ledger_entries SET amount = amount + 1 WHERE span = 2 AND order_id = 'm-0-2-1'", "ledger_entries", "both"],
  [
    "DELETE FROM claims WHERE era = 0 AND key = (SELECT c.key FROM claims c JOIN journal j USING (account, seq) WHERE j.span = 2 LIMIT 1)",
    "journal",
    "both"
  ],
  ["UPDATE accounts SET balance = balance + 1 WHERE member_id = 'm-0'", "accounts", "both"],
  ["UPDATE accounts SET span = 1 WHERE member_id = 'm-0'", "accounts", "both"],
  ["UPDATE account_spans SET first_n = first_n + 1 WHERE span = 2", "account_spans", "both"],
  ["DELETE FROM account_spans WHERE span = 2", "account_spans", "both"],
  [
    `WITH one AS (SELECT number FROM accounts WHERE member_id = 'm-0'),
      records AS (DELETE FROM journal WHERE span = 2 AND account = (SELECT number FROM one)),
      entries AS (DELETE FROM ledger_entries WHERE span = 2 AND account = (SELECT number FROM one))
      DELETE FROM account_spans WHERE span = 2 AND account = (SELECT number FROM one)`,
    "accounts",
    "both"
  ],
  ["UPDATE journal SET events = replace(events, 'm-0-3', 'm-0-x') WHERE span = 0", "journal", "full"],
  ["DELETE FROM ledger_entries WHERE span = 1 AND order_id = 'm-1-1-2'", "ledger_entries", "full"],
  ["UPDATE issued_rewards SET status = 'issued' WHERE issued_reward_id = 'm-0-wallet-1'", "issued_rewards", "full"]
] as const

layer(Scenario.layer, { excludeTestServices: true })("a seal", (it) => {
  it.effect("is of a span that is over, one after the other, and keeps the state of its accounts", () =>
    Effect.gen(function* () {
      yield* Scenario.lives(3)
      assert.deepStrictEqual((yield* sealNext).outcome, { _tag: "Nothing", span: 0 })
      yield* begin
      yield* enroll("late")
      yield* later("1", ["late", "m-0", "m-1"])
      // m-2 has no record in span 1, none has one in span 3.
      const first = yield* sealNext
      assert.deepStrictEqual(first.found, [])
      assert.include(first.outcome, { _tag: "Sealed", span: 0, accounts: 3 })
      yield* begin
      yield* later("2", ["m-0", "m-2"])
      yield* begin
      yield* begin
      for (const [span, accounts] of [
        [1, 3],
        [2, 2],
        [3, 0]
      ] as const)
        assert.include((yield* sealNext).outcome, { _tag: "Sealed", span, accounts })
      assert.deepStrictEqual((yield* sealNext).outcome, { _tag: "Nothing", span: 4 })
      const seals = yield* Scenario.byHand(
        `SELECT s.span::int AS span, s.records = (SELECT count(*) FROM journal j WHERE j.span = s.span) AS records,
          s.entries = (SELECT count(*) FROM ledger_entries e WHERE e.span = s.span) AS entries,
          (SELECT coalesce(sum((x ->> 1)::bigint), 0) FROM jsonb_array_elements(s.sums::jsonb) x)
            = (SELECT coalesce(sum(amount), 0) FROM ledger_entries e WHERE e.span = s.span) AS sums
        FROM seals s ORDER BY 1`
      )
      assert.deepStrictEqual(
        seals,
        [0, 1, 2, 3].map((span) => ({ span, records: true, entries: true, sums: true }))
      )
      // The newest state of an account alone, but for the last seal's.
      const states = yield* Scenario.byHand(
        `SELECT s.span::int AS span, array_agg(a.member_id ORDER BY a.member_id COLLATE "C") AS members
          FROM sealed_accounts s JOIN accounts a ON a.number = s.account WHERE s.state IS NOT NULL GROUP BY 1 ORDER BY 1`
      )
      assert.deepStrictEqual(states, [
        { span: 1, members: ["late", "m-1"] },
        { span: 2, members: ["m-0", "m-2"] }
      ])
    })
  )

  it.effect("does not change: the table is append-only", () =>
    Effect.gen(function* () {
      for (const change of ["UPDATE seals SET records = records", "DELETE FROM seals", "TRUNCATE seals"])
        assert.match(String((yield* Effect.flip(TestDatabase.query(change))).reason.cause), /append-only/, change)
    })
  )

  it.effect("is made by a service by itself", () =>
    Effect.gen(function* () {
      yield* begin
      yield* until("(SELECT max(transaction) FROM spans) < pg_snapshot_xmin(pg_current_snapshot())", Effect.yieldNow)
      yield* Effect.forkChild(Layer.launch(SealWorker.layer))
      yield* TestClock.adjust(Bounds.firstSealMs)
      // Small steps: no connection that is being opened times out.
      yield* until("(SELECT max(span) = 4 FROM seals)", TestClock.adjust(100))
    }).pipe(Effect.provide(WriteFreeze.layer(false, () => true)), Effect.provide(TestClock.layer()))
  )

  it.effect("is what journal verify begins from, and --full compares", () =>
    Effect.gen(function* () {
      const full = yield* Scenario.verify(100, { isFull: true })
      assert.deepStrictEqual(full.found, [])
      const none = yield* Scenario.verify(100, { rangeRows: 7 })
      assert.deepStrictEqual(none.found, [])
      assert.include(none, { after: 4, accounts: 0, records: 0 })
      yield* later("5", ["m-0", "m-1"])
      const recent = yield* Scenario.verify(100, { rangeRows: 7 })
      assert.deepStrictEqual(recent.found, [])
      assert.include(recent, { after: 4, accounts: 2, records: 14, entries: 14 })
    })
  )
})

layer(Scenario.layer, { excludeTestServices: true })("damage", (it) => {
  it.effect("after the last seal, of seals and of sealed states is found by journal verify, any other by --full", () =>
    Effect.gen(function* () {
      yield* Scenario.lives(2)
      yield* begin
      yield* later("1", ["m-0", "m-1"])
      yield* begin
      yield* later("2", ["m-0", "m-1"])
      yield* sealNext
      yield* sealNext
      for (const [statement, table, by] of damage) {
        const tables = [
          "journal",
          "ledger_entries",
          "claims",
          "accounts",
          "account_spans",
          "issued_rewards",
          "seals",
          "sealed_accounts"
        ]
        yield* Scenario.byHand(...tables.map((name) => `CREATE TABLE kept_${name} AS TABLE ${name}`))
        yield* Scenario.byHand(statement)
        const [recent, full] = [yield* Scenario.verify(), yield* Scenario.verify(100, { isFull: true })]
        const names = (found: ReadonlyArray<Difference>) => found.map((difference) => difference.table)
        assert.include(names(full.found), table, `full: ${statement}`)
        if (by === "both") assert.include(names(recent.found), table, `recent: ${statement}`)
        else assert.deepStrictEqual(recent.found, [], `recent: ${statement}`)
        if (statement.startsWith("UPDATE sealed_accounts")) {
          // Alone, once an account: records that nothing can be compared with tell of no other difference.
          const paged = yield* Scenario.verify(100, { rangeRows: 3 })
          for (const { found } of [recent, paged])
            assert.deepStrictEqual(
              found.filter(({ account }) => account !== undefined).map(({ message, table }) => [table, message]),
              [1, 2].map(() => ["sealed_accounts", "was changed"]),
              statement
            )
        }
        yield* Scenario.byHand(
          ...tables.flatMap((name) => [
            `DELETE FROM ${name}`,
            `INSERT INTO ${name} SELECT * FROM kept_${name}`,
            `DROP TABLE kept_${name}`
          ])
        )
      }
      assert.deepStrictEqual((yield* Scenario.verify(100, { isFull: true })).found, [])
    })
  )

  it.effect("of a seal is over once it is made again, as it was: the last one alone, or all from span 0", () =>
    Effect.gen(function* () {
      const seals = Scenario.byHand("SELECT span, encode(hash, 'hex') AS hash FROM seals ORDER BY span")
      const sealed = Scenario.byHand("SELECT span, account, seq, hash FROM sealed_accounts ORDER BY span, account")
      const [before, states] = [yield* seals, yield* sealed]
      const ran = yield* InProcess.onDatabase("journal", "seal", "--anew", "5")
      assert.deepStrictEqual([ran.code, ran.err.includes("The last seal is that of span 1")], [2, true], ran.err)
      for (const [span, statement] of [
        [1, "UPDATE sealed_accounts SET state = replace(state, '\"orders\":', '\"orders\":1') WHERE span = 1"],
        [1, "DELETE FROM sealed_accounts WHERE span = 1"],
        [1, "UPDATE seals SET records = records + 1 WHERE span = 1"],
        [0, "UPDATE seals SET records = records + 1 WHERE span = 0"],
        [0, "UPDATE sealed_accounts SET seq = seq + 1 WHERE span = 0"]
      ] as const) {
        yield* Scenario.byHand(statement)
        assert.isNotEmpty((yield* Scenario.verify(100, { isFull: true })).found, statement)
        const { code, err, out } = yield* InProcess.onDatabase("journal", "seal", "--anew", String(span))
        assert.strictEqual(code, 0, err)
        assert.match(out, span === 0 ? /^All seals are forgotten/ : /^The seal of span 1 is forgotten/)
        // Transactions of other tests may hold the seal back for a moment.
        while ((yield* seals).length < before.length) yield* sealNext
        assert.deepStrictEqual([yield* seals, yield* sealed], [before, states], statement)
        assert.deepStrictEqual((yield* Scenario.verify(100, { isFull: true })).found, [], statement)
      }
      // Once the next one has begun, states before the last are gone.
      yield* Scenario.byHand("UPDATE sealed_accounts SET state = NULL WHERE span = 0")
      const pruned = yield* InProcess.onDatabase("journal", "seal", "--anew", "1")
      assert.deepStrictEqual([pruned.code, pruned.err.includes("from span 0")], [2, true], pruned.err)
      assert.deepStrictEqual(yield* seals, before)
      // Archived spans cannot be sealed again.
      yield* Scenario.byHand(
        "INSERT INTO archived_spans (span, month, records, entries, file, bytes, checksum) VALUES (0, '2025-03', 1, 1, 'f', 1, '')"
      )
      const archived = yield* InProcess.onDatabase("journal", "seal", "--anew", "0")
      assert.deepStrictEqual([archived.code, archived.err.includes("2025-03")], [2, true], archived.err)
      yield* Scenario.byHand("DELETE FROM archived_spans")
    })
  )

  it.effect("of a seal that is cut off is none: it begins again", () =>
    Effect.gen(function* () {
      yield* begin
      const cut = yield* Effect.exit(
        Seals.sealNext({ pageRows: 7, onDifference: () => Effect.void, onPage: Effect.die("killed") })
      )
      assert.strictEqual(cut._tag, "Failure")
      // Rows that it has written by then, also of accounts whose state was another one.
      yield* Scenario.byHand(
        `INSERT INTO sealed_accounts SELECT 2, account, 1, gen_random_uuid(), 1, gen_random_uuid(), '{}'
          FROM (SELECT DISTINCT account FROM journal WHERE span = 2 LIMIT 1) one`
      )
      assert.deepStrictEqual((yield* Scenario.verify()).found, [])
      assert.include((yield* sealNext).outcome, { _tag: "Sealed", span: 2 })
      assert.deepStrictEqual((yield* Scenario.verify(100, { isFull: true })).found, [])
      // One session at a time.
      const [held] = yield* Scenario.byHand(
        `SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory' AND objid = 7270012`
      )
      assert.deepStrictEqual(held, { n: 0 })
      yield* begin
      yield* later("4", ["m-0", "m-1"])
    })
  )

  it.effect("is no record that is dated ahead: a record of a later span may explain it", () =>
    Effect.gen(function* () {
      assert.include((yield* sealNext).outcome, { _tag: "Sealed", span: 3 })
      yield* begin
      yield* Scenario.byHand("UPDATE journal SET written_at = written_at - 3 * 3600000 WHERE span = 4")
      const { found } = yield* Scenario.verify(100, { isFull: true })
      assert.isTrue(found.length > 0 && found.every(({ message }) => message.startsWith("is dated ")))
      assert.include((yield* sealNext).outcome, { _tag: "Sealed", span: 4 })
      yield* Scenario.byHand("UPDATE journal SET written_at = written_at + 3 * 3600000 WHERE span = 4")
      yield* later("5", ["m-0", "m-1"])
    })
  )

  it.effect("in a span that is over keeps it from being sealed", () =>
    Effect.gen(function* () {
      yield* begin
      yield* Scenario.byHand("UPDATE ledger_entries SET amount = amount + 1 WHERE span = 5 AND order_id = 'm-0-5-1'")
      const { found, outcome } = yield* sealNext
      assert.include(outcome, { _tag: "Differs", span: 5 })
      assert.isNotEmpty(found)
      yield* Scenario.byHand("UPDATE ledger_entries SET amount = amount - 1 WHERE span = 5 AND order_id = 'm-0-5-1'")
      assert.include((yield* sealNext).outcome, { _tag: "Sealed", span: 5 })
    })
  )

  it.effect("that leaves nothing of an account's records of a span keeps it from being sealed", () =>
    Effect.gen(function* () {
      yield* later("6", ["m-0", "m-1"])
      yield* begin
      const rows = ["journal", "ledger_entries", "account_spans"].map((table) => ({
        table,
        condition: "span = 6 AND account = (SELECT number FROM accounts WHERE member_id = 'm-0')"
      }))
      for (const { condition, table } of rows)
        yield* Scenario.byHand(
          `CREATE TABLE kept_${table} AS SELECT * FROM ${table} WHERE ${condition}`,
          `DELETE FROM ${table} WHERE ${condition}`
        )
      const { found, outcome } = yield* sealNext
      assert.include(outcome, { _tag: "Differs", span: 6 })
      assert.include(
        found.map(({ table }) => table),
        "accounts"
      )
      for (const { table } of rows)
        yield* Scenario.byHand(`INSERT INTO ${table} SELECT * FROM kept_${table}`, `DROP TABLE kept_${table}`)
      assert.include((yield* sealNext).outcome, { _tag: "Sealed", span: 6 })
    })
  )

  it.effect("of the clock does none: 400 days ahead nothing begins, and nothing is sealed", () =>
    Effect.gen(function* () {
      yield* Scenario.byHand(
        "UPDATE spans SET began_at = began_at - interval '400 days'",
        "UPDATE journal SET written_at = written_at - 400 * 86400000::bigint"
      )
      yield* Scenario.byHand("SELECT begin_span()")
      assert.deepStrictEqual((yield* sealNext).outcome, { _tag: "Nothing", span: 7 })
    })
  )
})

layer(Scenario.layer, { excludeTestServices: true })("seals", (it) => {
  it.effect(
    "that are made while journal verify runs are no difference: it reads the last seal in the snapshot of everything else",
    () =>
      Effect.gen(function* () {
        yield* Scenario.lives(2)
        for (const span of ["1", "2"]) {
          yield* begin
          yield* later(span, ["m-0", "m-1"])
        }
        yield* begin
        assert.include((yield* sealNext).outcome, { _tag: "Sealed", span: 0 })
        const { clientConfig } = yield* Database
        const other = yield* PgConnection.make(clientConfig)
        yield* other.query("BEGIN", [], false)
        yield* other.query("LOCK TABLE audit IN ACCESS EXCLUSIVE MODE", [], false)
        const verifying = yield* Effect.forkChild(Scenario.verify(), { startImmediately: true })
        for (let waits = false; !waits; ) {
          const [row] = yield* Scenario.byHand(
            "SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'audit'::regclass AND NOT granted) AS waits"
          )
          waits = row?.["waits"] === true
        }
        // That of span 2 prunes the states of span 0.
        for (const span of [1, 2]) assert.include((yield* sealNext).outcome, { _tag: "Sealed", span })
        yield* other.query("ROLLBACK", [], false)
        const { after, found, records } = yield* Fiber.join(verifying)
        assert.deepStrictEqual(found, [])
        assert.deepInclude({ after, records }, { after: 0, records: 28 })
      })
  )

  it.effect("by a service give way to one by hand once its session is ended, as the runbook tells", () =>
    Effect.gen(function* () {
      const page = fs.readFileSync(
        path.join(import.meta.dirname, "../../../src/docs/runbook/spans-unsealed.md"),
        "utf8"
      )
      const [, statement = ""] = /-c "(SELECT pg_terminate_backend[^"]+)"/.exec(page) ?? []
      yield* begin
      yield* until("(SELECT max(transaction) FROM spans) < pg_snapshot_xmin(pg_current_snapshot())", Effect.yieldNow)
      const walks =
        "EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE '%audit')"
      yield* Effect.forkChild(Layer.launch(SealWorker.layer))
      yield* TestClock.adjust(Bounds.firstSealMs)
      yield* until(walks, Effect.yieldNow)
      assert.deepStrictEqual((yield* sealNext).outcome, { _tag: "Elsewhere" })
      assert.strictEqual((yield* Scenario.byHand(statement)).length, 1)
      yield* until("NOT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 7270012)", Effect.yieldNow)
      assert.include((yield* sealNext).outcome, { _tag: "Sealed", span: 3 })
      // The service's own seal fails at its next statement.
      yield* until(`NOT ${walks}`, TestClock.adjust(100))
      yield* begin
      yield* until("(SELECT max(transaction) FROM spans) < pg_snapshot_xmin(pg_current_snapshot())", Effect.yieldNow)
      yield* TestClock.adjust(Bounds.sealLookMs)
      yield* until("(SELECT max(span) = 4 FROM seals)", TestClock.adjust(100))
      assert.deepStrictEqual((yield* Scenario.verify(100, { isFull: true })).found, [])
    }).pipe(Effect.provide(WriteFreeze.layer(false, () => true)), Effect.provide(TestClock.layer()), (sealing) =>
      Effect.andThen(later("3", ["m-0", "m-1"]), sealing)
    )
  )
})
