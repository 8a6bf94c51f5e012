/** The pools of the surfaces: what is out of reach, what is a defect, and that one never waits for the other. */
import { PgConnection } from "@effect/sql-pg"
import { assert, describe, it, layer } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Layer, Metric } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { alone, connections } from "../../../src/base/database/Bounds.ts"
import { Database } from "../../../src/base/database/Database.ts"
import { mostConnections } from "../../../src/base/database/embedded/PostgresServer.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import { PeoplePool, WorkPool } from "../../../src/base/database/Pools.ts"
import { writerConnections } from "../../../src/core/journal/Bounds.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import { get, rootKey, signIn } from "../../capabilities/operators/Operators.ts"
import * as TestDatabase from "../../TestDatabase.ts"

layer(Layer.provideMerge(Pools.layer, TestDatabase.layer))("a statement", (it) => {
  it.effect("that would fail again is a defect, one that was cut off is storage_unavailable", () =>
    Effect.gen(function* () {
      const { query } = yield* PeoplePool
      for (const statement of ["SELECT 1 / 0", "SELEC", "SELECT FROM nowhere", "SELECT 'x'::int"]) {
        const exit = yield* Effect.exit(query(statement))
        assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause), statement)
      }
      const ended = yield* Effect.flip(query("SELECT pg_terminate_backend(pg_backend_pid())"))
      assert.strictEqual(ended.code, "storage_unavailable")
    })
  )

  it.effect("in a transaction of the other pool is a defect: the two would commit apart", () =>
    Effect.gen(function* () {
      const [people, work] = [yield* PeoplePool, yield* WorkPool]
      yield* people.transaction(people.query("CREATE TABLE kept (n int)"))
      const keep = people.query("INSERT INTO kept VALUES (1)")
      const uses: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
        work.query("SELECT 1"),
        work.transaction(Effect.void),
        work.longTransaction(Effect.void),
        work.connection.query("SELECT 1"),
        work.onCommit(Effect.void)
      ]
      for (const use of uses) {
        const exit = yield* Effect.exit(people.transaction(Effect.andThen(keep, use)))
        assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      }
      assert.deepStrictEqual(yield* people.query("SELECT FROM kept"), [])
      yield* people.transaction(people.transaction(keep))
      assert.strictEqual((yield* work.query("SELECT FROM kept")).length, 1)
    })
  )
})

/** Metrics of this service alone: other tests of the process have services too. */
const registry = Layer.sync(Metric.MetricRegistry, () => new Map())
const service = TestServer.layer(PgJournal.layer, [], undefined, [Testing.demoProgram], Pools.layer).pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(registry)
)

const analytics = TestServer.send("/platform/v1/analytics", undefined, { method: "GET" })

const inFlight = (pool: string) =>
  Effect.map(TestServer.send("/metrics", undefined, { method: "GET" }), ({ body }) =>
    Number(
      new RegExp(`^lotbook_postgres_statements_in_flight\\{pool="${pool}"\\} (\\d+)$`, "m").exec(
        String(body["text"])
      )?.[1]
    )
  )

layer(service, { excludeTestServices: true })("a service whose pool for work is full", (it) => {
  it.effect("signs in and answers operators at once", () =>
    Effect.gen(function* () {
      const { clientConfig } = yield* Database
      const asked = connections.work + 1
      const holding = yield* PgConnection.make(clientConfig)
      yield* holding.query("BEGIN", [], false)
      yield* holding.query("LOCK TABLE behaviour", [], false)
      const questions = yield* Effect.forkChild(Effect.replicateEffect(analytics, asked, { concurrency: "unbounded" }))
      yield* Effect.repeat(
        holding.query("SELECT FROM pg_locks WHERE NOT granted AND relation = 'behaviour'::regclass", []),
        { until: ({ rows }) => rows.length === connections.work }
      )
      const { cookie } = yield* signIn(rootKey)
      assert.strictEqual((yield* get("/audit", { authorization: "", cookie })).status, 200)
      // The first round of campaigns may wait, too.
      assert.isAtLeast(yield* inFlight("work"), connections.work)
      assert.strictEqual(yield* inFlight("people"), 0)
      yield* holding.query("COMMIT", [], false)
      const answers = yield* Fiber.join(questions)
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        Array.from({ length: asked }, () => 200)
      )
    }).pipe(Effect.scoped)
  )
})

describe("the connections of a service", () => {
  it("are as many as the guides say, and with those of commands fit into the embedded server", () => {
    const most = Object.values(connections).reduce((sum, of) => sum + of, writerConnections + alone)
    const docs = path.join(import.meta.dirname, "..", "..", "..", "src", "docs")
    for (const guide of ["operating.md", "runbook/connections.md", "runbook/storage-unavailable.md"])
      assert.include(fs.readFileSync(path.join(docs, guide), "utf8"), `some ${most} connections`)
    // PostgreSQL keeps three for superusers; a command needs a few.
    assert.isAtMost(most, mostConnections - 3 - 8)
  })
})
