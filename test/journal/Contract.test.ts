/** The journal's contract, held by both versions. */
import { PgConnection } from "@effect/sql-pg"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Database } from "../../src/database/Database.ts"
import type { AppendOutcome, Claim, JournalRecord } from "../../src/journal/Journal.ts"
import { Journal } from "../../src/journal/Journal.ts"
import * as MemoryJournal from "../../src/journal/MemoryJournal.ts"
import * as PgJournal from "../../src/journal/PgJournal.ts"
import * as TestDatabase from "../TestDatabase.ts"

const submit = (record: JournalRecord): Effect.Effect<AppendOutcome, never, Journal> =>
  Effect.flatMap(Journal, (journal) =>
    Effect.callback<AppendOutcome>((resume) => {
      journal.submit(record, (outcome) => resume(Effect.succeed(outcome)))
    }))

const submitAll = (records: ReadonlyArray<JournalRecord>) => Effect.all(records.map(submit), { concurrency: "unbounded" })
const tags = (outcomes: ReadonlyArray<AppendOutcome>) => outcomes.map((outcome) => outcome._tag)

const claim = (name: string) =>
  Effect.map(Journal, ({ claimKey }): Claim => ({ key: claimKey(name), fingerprint: claimKey("facts", name) }))

const record = (account: number, seq: number, claims: ReadonlyArray<Claim> = [], more: Partial<JournalRecord> = {}) =>
  Effect.map(Journal, ({ claimKey }): JournalRecord => ({
    account,
    seq,
    at: 1000 + seq,
    version: 1,
    events: `[${seq}]`,
    reply: "{}",
    hash: claimKey("hash", String(account), String(seq)),
    claims,
    entries: [{ n: seq, operation: "accrual", unit: "points", amount: seq, occurredAt: 1000 + seq, orderId: `o-${seq}` }],
    issuedRewards: [],
    totals: { nextDue: null, balance: seq, status: "active" },
    opens: seq === 1
      ? { programId: "p", memberId: `m-${account}`, identities: [{ type: "token", value: "v", issuer: "i" }], attributes: { a: 1 } }
      : undefined,
    ...more
  }))

/** A new account with one record. */
const opened = Effect.gen(function*() {
  const account = yield* (yield* Journal).newAccountNumber
  assert.strictEqual((yield* submit(yield* record(account, 1)))._tag, "committed")
  return account
})

const suite = <E>(name: string, journal: Layer.Layer<Journal, E>) =>
  describe(name, () => {
    layer(journal, { excludeTestServices: true })("journal", (it) => {
      it.effect("a committed record is read back whole", () =>
        Effect.gen(function*() {
          const { findAccount, ledger, loadAccount, records } = yield* Journal
          const account = yield* opened
          const [stored] = yield* records(account, 1, 10)
          assert.deepInclude(stored, { account, seq: 1, at: 1001, version: 1, events: "[1]", reply: "{}" })
          assert.strictEqual(yield* findAccount("p", `m-${account}`), account)
          const loaded = yield* loadAccount(account)
          assert.deepStrictEqual(loaded?.member, { identities: [{ type: "token", value: "v", issuer: "i" }], attributes: { a: 1 } })
          assert.strictEqual((yield* ledger({ account, limit: 10 })).length, 1)
        }))

      it.effect("a record of which one claim is taken leaves nothing of itself behind", () =>
        Effect.gen(function*() {
          const { holders, records } = yield* Journal
          const account = yield* opened
          const [a, b, c] = [yield* claim(`a${account}`), yield* claim(`b${account}`), yield* claim(`c${account}`)]
          assert.strictEqual((yield* submit(yield* record(account, 2, [b])))._tag, "committed")
          for (const claims of [[a, b], [b, c]]) {
            const outcome = yield* submit(yield* record(account, 3, claims))
            assert.deepStrictEqual(outcome, { _tag: "taken", holder: { ...b, account, seq: 2 } })
          }
          assert.deepStrictEqual(yield* holders([a.key, c.key]), [])
          assert.strictEqual((yield* records(account, 3, 10)).length, 0)
          assert.strictEqual((yield* submit(yield* record(account, 3, [a, c])))._tag, "committed")
        }))

      it.effect("of two records with one claim, submitted together, one commits and the other learns who holds it", () =>
        Effect.gen(function*() {
          const [first, second] = [yield* opened, yield* opened]
          const shared = yield* claim(`shared${first}`)
          const outcomes = yield* submitAll([yield* record(first, 2, [shared]), yield* record(second, 2, [shared])])
          assert.deepStrictEqual(outcomes, [{ _tag: "committed" }, { _tag: "taken", holder: { ...shared, account: first, seq: 2 } }])
        }))

      it.effect("a record that is left out takes its successors with it, and nobody else", () =>
        Effect.gen(function*() {
          const [account, other] = [yield* opened, yield* opened]
          const held = yield* claim(`held${account}`)
          yield* submit(yield* record(account, 2, [held]))
          const outcomes = yield* submitAll([
            yield* record(account, 3, [held]),
            yield* record(account, 4),
            yield* record(other, 2)
          ])
          assert.deepStrictEqual(tags(outcomes), ["taken", "superseded", "committed"])
        }))

      it.effect("a taken or skipped seq is stale", () =>
        Effect.gen(function*() {
          const account = yield* opened
          yield* submit(yield* record(account, 2))
          assert.strictEqual((yield* submit(yield* record(account, 2)))._tag, "stale")
          assert.strictEqual((yield* submit(yield* record(account, 4)))._tag, "stale")
          assert.strictEqual((yield* submit(yield* record(account, 3)))._tag, "committed")
        }))

      it.effect("frozen, nothing is written; thawed, it goes on", () =>
        Effect.gen(function*() {
          const { isFrozen, records, setFrozen } = yield* Journal
          const account = yield* opened
          yield* setFrozen(true)
          assert.isTrue(yield* isFrozen)
          assert.strictEqual((yield* submit(yield* record(account, 2)))._tag, "frozen")
          assert.strictEqual((yield* records(account, 2, 1)).length, 0)
          yield* setFrozen(false)
          assert.strictEqual((yield* submit(yield* record(account, 2)))._tag, "committed")
        }))

      it.effect("the ledger is listed newest first, by page and by filter", () =>
        Effect.gen(function*() {
          const { ledger } = yield* Journal
          const account = yield* opened
          for (let seq = 2; seq <= 6; seq++) yield* submit(yield* record(account, seq))
          const numbers = (query: object) => Effect.map(ledger({ account, limit: 10, ...query }), (rows) => rows.map((row) => row.n))
          assert.deepStrictEqual(yield* numbers({}), [6, 5, 4, 3, 2, 1])
          assert.deepStrictEqual(yield* numbers({ beforeN: 5, limit: 2 }), [4, 3])
          assert.deepStrictEqual(yield* numbers({ occurredFrom: 1002, occurredUntil: 1004 }), [4, 3, 2])
          assert.deepStrictEqual(yield* numbers({ operations: ["manual"] }), [])
          assert.deepStrictEqual(yield* numbers({ unit: "stamps" }), [])
        }))

      it.effect("due accounts come earliest first, and the newest snapshot stays", () =>
        Effect.gen(function*() {
          const { due, loadAccount, nextDue, saveSnapshot } = yield* Journal
          const [late, early] = [yield* opened, yield* opened]
          const totals = (nextDue: number) => ({ totals: { nextDue, balance: 0, status: "active" as const } })
          yield* submit(yield* record(late, 2, [], totals(900)))
          yield* submit(yield* record(early, 2, [], totals(800)))
          assert.deepStrictEqual(yield* due(850, 10), [{ account: early, at: 800 }])
          assert.deepStrictEqual((yield* due(900, 10)).map(({ account }) => account), [early, late])
          assert.strictEqual(yield* nextDue, 800)
          yield* saveSnapshot(late, { seq: 2, version: 1, state: "two" })
          yield* saveSnapshot(late, { seq: 1, version: 1, state: "one" })
          assert.strictEqual((yield* loadAccount(late))?.snapshot?.state, "two")
        }))

      it.effect("2,000 records of 200 accounts, all at once, are all committed in their order", () =>
        Effect.gen(function*() {
          const { records } = yield* Journal
          const accounts = yield* Effect.all(Array.from({ length: 200 }, () => opened), { concurrency: "unbounded" })
          const all = yield* Effect.all(
            accounts.flatMap((account) => Array.from({ length: 10 }, (_, i) => record(account, i + 2)))
          )
          const outcomes = yield* submitAll(all)
          assert.deepStrictEqual([...new Set(tags(outcomes))], ["committed"])
          const [account = 0] = accounts
          assert.deepStrictEqual((yield* records(account, 1, 100)).map(({ seq }) => seq), Array.from({ length: 11 }, (_, i) => i + 1))
        }))
    })
  })

suite("in memory", MemoryJournal.layer.pipe(Layer.provide(MemoryJournal.MemoryStorage.layer)))
suite("on PostgreSQL", PgJournal.layer.pipe(Layer.provide(TestDatabase.layer), Layer.orDie))

layer(PgJournal.layer.pipe(Layer.provideMerge(TestDatabase.layer)), { excludeTestServices: true })("PostgreSQL alone", (it) => {
  const query = (statement: string) =>
    Effect.flatMap(Database, ({ clientConfig }) =>
      Effect.scoped(Effect.flatMap(PgConnection.make(clientConfig), (connection) => connection.query(statement))))

  it.effect("journal and ledger are append-only", () =>
    Effect.gen(function*() {
      yield* opened
      for (const table of ["journal", "ledger_entries"]) {
        for (const statement of [`UPDATE ${table} SET seq = 9`, `DELETE FROM ${table}`, `TRUNCATE ${table}`]) {
          const error = yield* Effect.flip(query(statement))
          assert.include(String((error.reason.cause as Error).message), "append-only", statement)
        }
      }
    }))

  it.effect("two services racing for the same accounts and claims: no seq twice, no claim twice, nothing half written", () =>
    Effect.gen(function*() {
      const rival = yield* Layer.build(Layer.fresh(PgJournal.layer))
      const accounts = yield* Effect.all(Array.from({ length: 20 }, () => opened))
      const records = yield* Effect.all(accounts.flatMap((account, index) =>
        [Effect.flatMap(claim(`race-${index % 7}`), (shared) =>
          Effect.flatMap(claim(`own-${account}`), (own) => record(account, 2, [own, shared])))]))
      const [ours, theirs] = yield* Effect.all([submitAll(records), Effect.provide(submitAll(records), rival)], { concurrency: 2 })
      const committed = [...ours, ...theirs].filter((outcome) => outcome._tag === "committed")
      assert.strictEqual(committed.length, 7)
      const half = yield* query(
        "SELECT count(*)::float8 AS n FROM claims c WHERE NOT EXISTS (SELECT FROM journal j WHERE j.account = c.account AND j.seq = c.seq)"
      )
      assert.deepStrictEqual(half.rows, [{ n: 0 }])
    }))

  it.effect("when the writers' connections die, callers are told and the journal serves again by itself", () =>
    Effect.gen(function*() {
      const account = yield* opened
      yield* query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'lotbook journal' AND datname = current_database()")
      const next = yield* record(account, 2)
      const settled = yield* Effect.repeat(submit(next), {
        until: (outcome) => outcome._tag === "committed" || outcome._tag === "stale",
        times: 10_000
      })
      assert.include(["committed", "stale"], settled._tag)
      assert.strictEqual((yield* (yield* Journal).records(account, 2, 10)).length, 1)
    }))
})
