/**
 * contract/databases.md *Sandbox clock*: a sandbox that is started over keeps what was configured and nothing that
 * happened, on PostgreSQL.
 */
import { PgConnection } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { Database } from "../../../src/base/database/Database.ts"
import { sessionName } from "../../../src/base/database/SessionName.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import { lotbook } from "../cli/Lotbook.ts"
import * as Moved from "./Moved.ts"

const start = "2026-07-14T10:00:00.000Z"
const program_id = "demo-foodservice"
const clock = "/admin/api/v1/clock"

const ada = {
  context: Testing.context("enroll-ada"),
  program_id,
  member_id: "ada",
  identity: { type: "loyalty_id", value: "ada" },
  attributes: { name: "Ada" }
}

const gift = (adjustment_id: string) => ({
  context: Testing.context(`key-of-${adjustment_id}`),
  program_id,
  member_id: "ada",
  adjustment_id,
  amount: 100,
  classification: "gift",
  reason: "test",
  qualifies_for_tier: false
})

const account = { context: Testing.context(), member_id: "ada", program_id }

/** Tables that say what was configured, or have one row that always exists. All others are empty after a reset. */
const staying = new Set([
  ...["audit", "audit_heads", "business_look", "campaigns", "connectors", "durability", "eras", "installation"],
  ...[
    "finance_progress",
    "migrations",
    "newest_beat",
    "nodes",
    "partitions",
    "program_files",
    "program_logos",
    "programs",
    "retired_programs",
    "rollup_progress",
    "sandbox_clock"
  ],
  ...["segment_references", "segments", "sessions", "token_addresses", "token_secrets", "tokens"],
  // Has rows from the first start on.
  "role_limits",
  // Tells where the positions of before lie: in spans of before.
  "spans",
  // Built again from the programmes.
  "rollup_ladders",
  // The worker begins again at the new end of the feed.
  "kept_orders_read"
])

const filled = Effect.gen(function* () {
  const tables = yield* TestDatabase.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
  const found: Array<string> = []
  for (const { tablename } of tables) {
    const [row] = yield* TestDatabase.query(`SELECT EXISTS (SELECT FROM ${String(tablename)}) AS is_filled`)
    if (row?.["is_filled"] === true) found.push(String(tablename))
  }
  return found
})

layer(Layer.fresh(TestDatabase.layer), { excludeTestServices: true })("a sandbox that is started over", (it) => {
  it.effect("has its programmes and tokens, no member, and a new audit; requests in flight are answered", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const service = yield* Moved.start(0, ["--sandbox-clock", start])
        yield* service.until("/health/ready", 200)
        const asAdmin = (address: string, body: unknown, key?: string) =>
          service.post(address, body, {
            authorization: "Bearer proto-dev-admin-key",
            ...(key === undefined ? {} : { "idempotency-key": key })
          })
        const enrolled = yield* service.post("/proto/v1/members/enroll", ada)
        assert.strictEqual(enrolled.status, 201, JSON.stringify(enrolled.body))
        assert.strictEqual((yield* service.post("/proto/v1/ledger/manual-adjustments", gift("gift-1"))).status, 201)
        const token = yield* asAdmin("/admin/api/v1/tokens", { name: "till", scopes: ["protocol:read"] })
        assert.strictEqual(token.status, 201, JSON.stringify(token.body))
        // A static segment with its member, and an active campaign with its run.
        yield* TestDatabase.query(`INSERT INTO segments (segment_id, program_id, name, conditions, members, created_at, updated_at)
          VALUES ('some', '${program_id}', 'Some', 0, 1, 0, 0)`)
        yield* TestDatabase.query("INSERT INTO segment_members SELECT 'some', number FROM accounts")
        yield* TestDatabase.query(`INSERT INTO campaigns (campaign_id, program_id, name, segment_id, action, holdout_percent,
            attribution_days, status, next_at, created_at, updated_at)
          VALUES ('gifts', '${program_id}', 'Gifts', 'some', '{}', 0, 30, 'active', ${Date.UTC(2090, 0)}, 0, 0)`)
        yield* TestDatabase.query(`INSERT INTO campaign_runs (run_id, campaign_id, scope, segment_id, action, started_at, completed_at)
          VALUES ('run-1', 'gifts', 1, 'some', '{}', 0, 0)`)
        yield* TestDatabase.query(`INSERT INTO asks (ask_id, program_id, member_id, gift, reason, look, user_id, asked_by, asked_at, ends_at, status)
          VALUES ('ask_1', '${program_id}', 'ada', '{}', 'r', '1-1', 'root', 'root', 0, 0, 'open')`)
        yield* TestDatabase.query(`INSERT INTO handovers (handover_id, program_id, kind, subject, what, reason, look, user_id, handed_by, handed_at, ends_at, status)
          VALUES ('hov_1', '${program_id}', 'campaign', 'gifts', '{}', 'r', '1', 'root', 'root', 0, 0, 'open')`)
        yield* TestDatabase.query(`INSERT INTO owed_closings VALUES ('${program_id}', 0, '{}')`)
        yield* TestDatabase.query(
          "INSERT INTO seals (span, accounts, records, entries, sums, digest) VALUES (0, 1, 1, 1, '[]', '')"
        )
        // A daily schedule runs each morning that the clock passes.
        yield* TestDatabase.query(`INSERT INTO campaigns (campaign_id, program_id, name, segment_id, action, holdout_percent,
            attribution_days, status, cron, time_zone, next_at, created_at, updated_at)
          VALUES ('mornings', '${program_id}', 'Mornings', 'some', '{"credit": {"amount": 1, "reason": "t"}}', 0, 30, 'active',
            '0 9 * * *', 'UTC', ${Date.UTC(2026, 6, 15, 9)}, 0, 0)`)
        assert.strictEqual((yield* asAdmin(clock, { advance: "P3D" })).status, 200)
        const mornings = yield* TestDatabase.query(
          "SELECT run_key, issued FROM campaign_runs WHERE campaign_id = 'mornings' ORDER BY n"
        )
        assert.deepStrictEqual(
          mornings.map(({ issued, run_key }) => [run_key, String(issued)]),
          [15, 16, 17].map((day) => [`2026-07-${day}T09:00:00.000Z`, "1"])
        )
        yield* TestDatabase.query(
          "UPDATE campaigns SET status = 'paused', next_at = NULL WHERE campaign_id = 'mornings'"
        )
        assert.strictEqual((yield* asAdmin(clock, { advance: "P1Y" })).status, 200)

        // Exactly one of the three.
        const both = yield* asAdmin(clock, { advance: "P1D", reset: true })
        assert.deepInclude(both.body, { status: 422, code: "validation_failed" })
        assert.deepInclude((yield* asAdmin(clock, { reset: false })).body, { status: 422 })
        // Scope: the token of tills has no admin scope.
        assert.deepInclude((yield* service.post(clock, { reset: true })).body, { status: 403, code: "forbidden" })

        // Another service of the database, as the session of one that waits shows it.
        yield* Effect.scoped(
          Effect.gen(function* () {
            const { clientConfig } = yield* Database
            yield* PgConnection.make({ ...clientConfig, applicationName: sessionName("node", "aaaaaaaaaaaa") })
            const refused = yield* asAdmin(clock, { reset: true })
            assert.deepInclude(refused.body, { status: 409, code: "invalid_state" })
          })
        )
        yield* asAdmin("/admin/api/v1/maintenance", { write_frozen: true })
        assert.deepInclude((yield* asAdmin(clock, { reset: true })).body, { status: 503, code: "write_frozen" })
        yield* asAdmin("/admin/api/v1/maintenance", { write_frozen: false })
        assert.strictEqual((yield* service.post("/proto/v1/ledger/manual-adjustments", gift("gift-2"))).status, 201)

        const [before] = yield* TestDatabase.query("SELECT epoch FROM installation")
        const [one, two, ...others] = yield* Effect.all(
          [
            asAdmin(clock, { reset: true }),
            asAdmin(clock, { reset: true }),
            ...Array.from({ length: 40 }, (_, n) =>
              service.post("/proto/v1/ledger/manual-adjustments", gift(`race-${n}`))
            )
          ],
          { concurrency: "unbounded" }
        )
        const done = { status: 200, body: { now: start, sandbox: true } }
        const resets = [one, two].toSorted((a, b) => a.status - b.status)
        assert.deepInclude(resets[0], done)
        if (resets[1]?.status !== 200) assert.deepInclude(resets[1]?.body, { status: 503, code: "not_active" })
        for (const { body, status } of others)
          assert.include(
            ["", "not_active", "not_found"],
            String(body["code"] ?? ""),
            `${status} ${JSON.stringify(body)}`
          )
        // The same key answers the first result, and starts nothing over.
        assert.deepInclude(yield* asAdmin(clock, { reset: true }, "start-over-1"), done)
        assert.strictEqual((yield* service.post("/proto/v1/members/enroll", ada)).status, 201)
        assert.deepInclude(yield* asAdmin(clock, { reset: true }, "start-over-1"), done)
        const kept = yield* service.post("/proto/v1/accounts/get", account)
        assert.strictEqual(kept.status, 200, "nothing was started over by the second")
        assert.deepInclude(yield* asAdmin(clock, { reset: true }), done)

        const [after] = yield* TestDatabase.query("SELECT epoch FROM installation")
        assert.isAbove(Number(after?.["epoch"]), Number(before?.["epoch"]))
        assert.deepStrictEqual(
          (yield* filled).filter((table) => !staying.has(table)),
          []
        )
        for (const table of ["journal", "ledger_entries", "seals", "audit"])
          assert.match(
            String((yield* Effect.flip(TestDatabase.query(`DELETE FROM ${table}`))).reason.cause),
            /append-only/
          )
        const actions = yield* TestDatabase.query("SELECT n::int, action FROM audit WHERE chain = 0 ORDER BY n")
        assert.deepStrictEqual(actions.slice(0, 1), [{ n: 1, action: "clock.reset" }])
        assert.deepStrictEqual(
          yield* TestDatabase.query("SELECT segment_id, members FROM segments WHERE segment_id = 'some'"),
          [{ segment_id: "some", members: 0 }]
        )
        assert.deepStrictEqual(
          yield* TestDatabase.query("SELECT status, next_at FROM campaigns WHERE campaign_id = 'gifts'"),
          [{ status: "paused", next_at: null }]
        )
        const verified = yield* lotbook(["journal", "verify"])
        assert.strictEqual(verified.code, 0, verified.out + verified.err)

        // Everything works as in a new sandbox, with the same ids and keys.
        const gone = yield* service.post("/proto/v1/accounts/get", account)
        assert.deepInclude(gone.body, { status: 404 })
        const anew = yield* service.post("/proto/v1/members/enroll", ada)
        assert.strictEqual(anew.status, 201, JSON.stringify(anew.body))
        const first = yield* service.post("/proto/v1/ledger/manual-adjustments", gift("gift-1"))
        assert.strictEqual(first.status, 201, JSON.stringify(first.body))
        const withToken = yield* service.post("/proto/v1/accounts/get", account, {
          authorization: `Bearer ${String(token.body["secret"])}`
        })
        assert.strictEqual(withToken.status, 200, JSON.stringify(withToken.body))
        assert.include(JSON.stringify(withToken.body), '"amount":100')
      })
    )
  )
})
