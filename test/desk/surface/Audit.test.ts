/** The audit: entries commit with what they tell of, and `journal verify` finds every one that was touched. */
import { PgConnection } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { causeOf, Database } from "../../../src/base/database/Database.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import { PeoplePool } from "../../../src/base/database/Pools.ts"
import type { AuditEntry } from "../../../src/core/journal/Audit.ts"
import { Journal } from "../../../src/core/journal/Journal.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import * as Audit from "../../../src/desk/surface/Audit.ts"
import * as AuditChain from "../../../src/reads/reconcile/AuditChain.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import { get } from "../../capabilities/operators/Operators.ts"
import { append, appendAll, claim, hash128, record, tags } from "../../core/journal/Records.ts"
import * as Scenario from "../../reads/reconcile/Scenario.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const entry = (id: string): AuditEntry => ({
  at: Date.UTC(2026, 6, 14, 10),
  actor: { kind: "session", name: "Ana – Größe", tokenId: "tok_1" },
  action: "member.adjust",
  subject: { type: "member", id },
  programId: "demo",
  changes: { before: { points: 1 }, after: { points: 2, note: "🎉: - |" } },
  reason: "made good",
  sourceIp: "127.0.0.1",
  requestId: "req-1"
})

const subjects = Effect.map(
  PeoplePool.pipe(Effect.flatMap(({ query }) => query("SELECT subject_id FROM audit ORDER BY chain, n"))),
  (rows) => rows.map((row) => String(row["subject_id"]))
)

const connect = Effect.flatMap(Database, ({ clientConfig }) => PgConnection.make(clientConfig))

const verified = Effect.map(Scenario.verify(), ({ found }) => found.filter(({ table }) => table === "audit"))

const differences = (connection: PgConnection.PgConnection) =>
  Effect.flatMap(connection.query("SELECT secret FROM installation"), ({ rows }) =>
    AuditChain.differences(connection, String(rows[0]?.["secret"]))
  )

const shared = TestServer.layer(PgJournal.layer, [], undefined, [], Pools.layer).pipe(
  Layer.provideMerge(TestDatabase.layer)
)

layer(shared, { excludeTestServices: true })("the audit", (it) => {
  it.effect("takes a record's entry with the record, and none of one that is rejected", () =>
    Effect.gen(function* () {
      const journal = yield* Journal
      yield* append(journal, record(1, 1, { claims: [claim(hash128(1))], audit: entry("one") }))
      const outcomes = yield* appendAll(journal, [
        record(2, 1, { claims: [claim(hash128(1))], audit: entry("taken") }),
        record(2, 2, { audit: entry("superseded") }),
        record(1, 3, { audit: entry("stale") }),
        record(3, 1, { audit: entry("two") }),
        record(3, 2),
        record(3, 3, { audit: entry("three") })
      ])
      assert.deepStrictEqual(tags(outcomes), ["taken", "superseded", "stale", "committed", "committed", "committed"])
      assert.deepStrictEqual(yield* subjects, ["one", "two", "three"])
      assert.deepStrictEqual(yield* verified, [])
    })
  )

  it.effect("takes an entry of the operators' own statements with them, or not at all", () =>
    Effect.gen(function* () {
      const { query, transaction } = yield* PeoplePool
      const change = (id: string) =>
        Effect.andThen(
          query("INSERT INTO members (account, identities) VALUES (9, '[]')"),
          Audit.append(query, entry(id))
        )
      yield* Effect.flip(transaction(Effect.andThen(change("undone"), Effect.fail("refused"))))
      assert.notInclude(yield* subjects, "undone")
      yield* transaction(change("four"))
      yield* Effect.all(
        Array.from({ length: 20 }, (_, n) => Audit.append(query, entry(`at-once-${n}`))),
        { concurrency: "unbounded", discard: true }
      )
      assert.strictEqual((yield* subjects).length, 24)
      assert.deepStrictEqual(yield* verified, [])
    })
  )

  it.effect("cannot be changed by anybody who keeps to the rules", () =>
    Effect.gen(function* () {
      const connection = yield* connect
      for (const statement of ["UPDATE audit SET reason = ''", "DELETE FROM audit", "TRUNCATE audit"]) {
        assert.include(causeOf(yield* Effect.flip(connection.query(statement))), "append-only", statement)
      }
    })
  )

  it.effect("shows each edit, removal and insertion to journal verify", () =>
    Effect.gen(function* () {
      const connection = yield* connect
      /** As somebody who may do everything on the database. */
      const byHand = (...statements: ReadonlyArray<string>) =>
        Effect.forEach(statements, (statement) => connection.query(statement, [], false), { discard: true })
      yield* byHand("SET session_replication_role = replica", "CREATE TABLE kept AS TABLE audit")
      const edited = ["at = at + 1", "actor_kind = 'root'", "actor_name = 'Bob'", "token_id = null", "action = 'x'"]
      edited.push("subject_type = 'token'", "subject_id = 'x'", "program_id = null", "changes = null", "reason = ''")
      edited.push("source_ip = '::1'", "request_id = null", "hash = sha256(hash)", "chain = 1", "n = 100")
      const columns =
        "chain, n, at, actor_kind, actor_name, token_id, action, subject_type, subject_id, program_id, changes, reason, source_ip, request_id, hash"
      const damages = [
        ...edited.flatMap((edit) => [2, 24].map((n) => `UPDATE audit SET ${edit} WHERE chain = 0 AND n = ${n}`)),
        ...[1, 12, 24].map((n) => `DELETE FROM audit WHERE n = ${n}`),
        "DELETE FROM audit",
        `INSERT INTO audit (${columns}) SELECT ${columns.replace("chain, n,", "0, 25,")} FROM kept WHERE n = 24`,
        `INSERT INTO audit (${columns}) SELECT ${columns.replace("chain, n,", "1, 1,")} FROM kept WHERE n = 1`,
        `INSERT INTO audit (${columns}) SELECT ${columns.replace("chain, n,", "7, 1,")} FROM kept WHERE n = 1`,
        `INSERT INTO audit (${columns}) SELECT ${columns.replace("chain, n,", "0, 0,")} FROM kept WHERE n = 1`,
        "UPDATE audit_heads SET n = n - 1 WHERE chain = 0"
      ]
      const restore = "INSERT INTO audit OVERRIDING SYSTEM VALUE SELECT * FROM kept"
      for (const damage of damages) {
        yield* byHand(damage)
        assert.isNotEmpty(yield* differences(connection), damage)
        yield* byHand("TRUNCATE audit", restore, "UPDATE audit_heads SET n = 24 WHERE chain = 0")
      }
      assert.deepStrictEqual(yield* verified, [])
      yield* byHand("DELETE FROM audit WHERE n = 1")
      assert.isNotEmpty(yield* verified)
    })
  )

  it.effect("tells of each export of itself after what the export shows, and of no refused one", () =>
    Effect.gen(function* () {
      const rows = Effect.map(get("/audit.csv?action=audit.export"), ({ body }) =>
        String(body["text"]).trim().split("\r\n")
      )
      assert.strictEqual((yield* get("/audit.csv?limit=5")).status, 422)
      assert.strictEqual((yield* rows).length, 1, "the header alone")
      const [, told, ...more] = yield* rows
      assert.deepStrictEqual(more, [])
      assert.include(told, "root,root,,audit.export,installation,audit,")
    })
  )
})
