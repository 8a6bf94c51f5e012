/**
 * contract/databases.md *Clock of the service*: a service whose machine's clock is wrong destroys no points, and says
 * so.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as InProcess from "../cli/InProcess.ts"
import * as Moved from "./Moved.ts"

const day = 86_400_000

const expirations = Effect.map(
  TestDatabase.query("SELECT count(*)::int AS count FROM ledger_entries WHERE operation = 'expiration'"),
  ([row]) => Number(row?.["count"])
)

const program_id = "demo-foodservice"

const ada = {
  context: Testing.context("enroll-ada"),
  program_id,
  member_id: "ada",
  identity: { type: "loyalty_id", value: "ada" }
}

layer(Layer.fresh(TestDatabase.layer), { excludeTestServices: true })("a service whose clock is wrong", (it) => {
  it.effect(
    "refuses the role at the start and after a jump, posts nothing that falls due, and goes on once it is right",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const service = yield* Moved.start(400 * day)
          const refused = yield* service.until("/health/ready", 503)
          const answer = yield* Effect.repeat(
            Effect.tap(service.get("/health/ready"), () => Effect.sleep(20)),
            {
              until: ({ body }) => body["code"] === "clock_disagrees"
            }
          )
          assert.strictEqual(refused.status, 503)
          const { database_time, detail, machine_time } = answer.body
          assert.include(String(detail), String(machine_time).slice(0, 13))
          assert.closeTo(
            Date.parse(String(machine_time)) - Date.parse(String(database_time)),
            400 * day,
            5_000,
            "both times are named"
          )
          yield* service.moveTo(0)
          yield* service.until("/health/ready", 200)
          const made = yield* service.post("/proto/v1/members/enroll", ada)
          assert.strictEqual(made.status, 201, JSON.stringify(made.body))
          const credit = (id: string) =>
            service.post("/proto/v1/ledger/manual-adjustments", {
              context: Testing.context(`key-of-${id}`),
              program_id,
              member_id: "ada",
              adjustment_id: id,
              amount: 100,
              classification: "gift",
              reason: "test",
              qualifies_for_tier: false
            })
          const first = yield* credit("gift-1")
          assert.strictEqual(first.status, 201, JSON.stringify(first.body))

          yield* service.moveTo(400 * day)
          const jumped = yield* service.until("/health/ready", 503)
          assert.strictEqual(jumped.body["code"], "clock_disagrees")
          const write = yield* credit("gift-2")
          assert.deepInclude(write.body, { status: 503, code: "clock_disagrees" })
          yield* Effect.sleep(1_500)
          assert.strictEqual(yield* expirations, 0)

          yield* service.moveTo(0)
          yield* service.until("/health/ready", 200)
          // A beat that comes late on a busy machine refuses a command once more: it is sent again, as a caller does.
          const again = yield* Effect.repeat(credit("gift-2"), { while: ({ status }) => status === 503, times: 100 })
          assert.strictEqual(again.status, 201, JSON.stringify(again.body))
          assert.strictEqual(yield* expirations, 0)
          yield* service.untilLogged('"event":"clock_agrees"', 2)
          const events = [...service.log().matchAll(/"event":"(clock_\w+)"/g)].map(([, event]) => event)
          assert.deepStrictEqual(events, ["clock_disagrees", "clock_agrees", "clock_disagrees", "clock_agrees"])
        })
      ),
    120_000
  )

  it.effect("a command on the database posts nothing at a wrong time either", () =>
    Effect.gen(function* () {
      yield* TestDatabase.query("DELETE FROM nodes")
      const real = Date.now
      Date.now = () => real() + 400 * day
      const ran = yield* Effect.ensuring(
        InProcess.onDatabase(
          ...["members", "adjust", "ada", "--program", program_id, "--id", "late-1"],
          ...["--amount", "1", "--classification", "gift", "--reason", "test"]
        ),
        Effect.sync(() => {
          Date.now = real
        })
      )
      assert.strictEqual(ran.code, 2)
      assert.match(ran.err, /400 days ahead of PostgreSQL's/)
      assert.strictEqual(yield* expirations, 0)
    })
  )
})

layer(Layer.fresh(TestDatabase.layer), { excludeTestServices: true })("an installation that was off for long", (it) => {
  it.effect(
    "waits for lotbook clock confirm, which the audit keeps",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const migrated = yield* InProcess.onDatabase("migrate")
          assert.strictEqual(migrated.code, 0, migrated.err)
          yield* TestDatabase.query(
            "UPDATE newest_beat SET at = (extract(epoch FROM now() - interval '60 days') * 1000)::bigint"
          )
          const service = yield* Moved.start(0)
          const answer = yield* Effect.repeat(
            Effect.tap(service.get("/health/ready"), () => Effect.sleep(20)),
            {
              until: ({ body }) => body["code"] === "clock_disagrees"
            }
          )
          assert.match(String(answer.body["detail"]), /60 days after the newest heartbeat.+lotbook clock confirm/)
          const ran = yield* InProcess.onDatabase("clock", "confirm", "--reason", "Closed for the winter")
          assert.strictEqual(ran.code, 0, ran.err)
          yield* service.until("/health/ready", 200)
          const rows = yield* TestDatabase.query(
            "SELECT actor_kind, action, reason FROM audit WHERE action = 'clock.confirm'"
          )
          assert.deepStrictEqual(rows, [
            { actor_kind: "system", action: "clock.confirm", reason: "Closed for the winter" }
          ])
        })
      ),
    120_000
  )
})

layer(Layer.fresh(TestDatabase.layer), { excludeTestServices: true })("a sandbox", (it) => {
  it.effect(
    "has no check of the clock: its time is its own",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const service = yield* Moved.start(400 * day, ["--sandbox-clock", "2026-07-14T10:00:00Z"])
          yield* service.until("/health/ready", 200)
        })
      ),
    120_000
  )
})
