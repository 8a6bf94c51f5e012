/**
 * The lease's statements on a real PostgreSQL, and what a database stays. Holds
 * contract/databases.md *Live or sandbox*.
 */
import { PgConnection } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Layer, Schedule, Scope } from "effect"
import type { Environment as EnvironmentName } from "../../src/database/Active.ts"
import { Database } from "../../src/database/Database.ts"
import { sessionName } from "../../src/database/SessionName.ts"
import * as Environment from "../../src/database/Environment.ts"
import type { Lease } from "../../src/database/Lease.ts"
import * as PgLease from "../../src/database/PgLease.ts"
import * as TestDatabase from "../TestDatabase.ts"

const start = Effect.fnUntraced(function* (holder: string) {
  const scope = yield* Scope.make()
  const lease = yield* Scope.provide(PgLease.make({ environment: "live", holder }), scope)
  return { lease, scope }
})

const session = (name: string) =>
  Effect.flatMap(Database, ({ clientConfig }) => PgConnection.make({ ...clientConfig, applicationName: name }))

/** Waits until something holds, for as long as a test may take. */
const eventually = <E, R>(look: Effect.Effect<boolean, E, R>) =>
  Effect.repeat(look, { until: (isSo) => isSo, schedule: Schedule.spaced("20 millis") })

const current = (lease: Lease) => eventually(Effect.sync(() => lease.active.isCurrent()))

const row = Effect.scoped(
  Effect.flatMap(session("lotbook test"), (sql) =>
    Effect.map(sql.query("SELECT holder, beat::float8 AS beat FROM active_service"), ({ rows }) => rows[0])
  )
)

layer(Layer.fresh(TestDatabase.layer), { excludeTestServices: true })("the lease on PostgreSQL", (it) => {
  it.effect("goes from one to the next after a stop in order", () =>
    Effect.gen(function* () {
      const first = yield* start("aaaaaaaaaaaa")
      yield* first.lease.taken
      yield* current(first.lease)
      const second = yield* start("bbbbbbbbbbbb")
      yield* second.lease.connected
      assert.strictEqual(second.lease.active.role(), "standby")
      assert.deepInclude(yield* row, { holder: "aaaaaaaaaaaa" })
      yield* Scope.close(first.scope, Exit.void)
      yield* second.lease.taken
      yield* current(second.lease)
      assert.deepInclude(yield* row, { holder: "bbbbbbbbbbbb" })
      yield* Scope.close(second.scope, Exit.void)
      assert.deepInclude(yield* row, { holder: null })
    })
  )

  it.effect(
    "a takeover ends every session of the former holder on this database and no other, and the former hears of it",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const former = yield* start("cccccccccccc")
          yield* former.lease.taken
          const lane = yield* session(sessionName("journal", "cccccccccccc"))
          const bystander = yield* session(sessionName("journal", "dddddddddddd"))
          // A restored copy on the same server names the holder of the database that it was copied from.
          const { clientConfig } = yield* Database
          const elsewhere = yield* PgConnection.make({
            ...clientConfig,
            database: "postgres",
            applicationName: sessionName("journal", "cccccccccccc")
          })
          // As a takeover leaves the row while its former holder still has all its sessions.
          const other = yield* session("lotbook test")
          yield* other.query("UPDATE active_service SET holder = 'eeeeeeeeeeee', beat = beat + 1", [], false)
          assert.strictEqual((yield* Effect.flip(former.lease.lost))._tag, "LeaseLost")
          assert.isFalse(former.lease.active.isCurrent())
          yield* Scope.close(former.scope, Exit.void)
          assert.strictEqual((yield* row)?.["holder"], "eeeeeeeeeeee", "one that was replaced resigns nothing")

          yield* other.query("UPDATE active_service SET holder = 'cccccccccccc'", [], false)
          const next = yield* start("ffffffffffff")
          yield* next.lease.taken
          assert.isTrue(Exit.isFailure(yield* Effect.exit(lane.query("SELECT 1"))))
          assert.strictEqual((yield* bystander.query("SELECT 1")).rowCount, 1)
          assert.strictEqual((yield* elsewhere.query("SELECT 1")).rowCount, 1, "another database of the server")
          yield* Scope.close(next.scope, Exit.void)
        })
      )
  )

  it.effect("one whose session was ended takes the lock again and stays the holder", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { lease, scope } = yield* start("abababababab")
        yield* lease.taken
        const sql = yield* session("lotbook test")
        const backends = Effect.map(
          sql.query("SELECT pid FROM pg_stat_activity WHERE application_name = $1", [
            sessionName("lease", "abababababab")
          ]),
          ({ rows }) => rows.map((found) => Number(found["pid"]))
        )
        const [before] = yield* backends
        yield* sql.query("SELECT pg_terminate_backend($1::int)", [before])
        yield* eventually(Effect.map(backends, ([pid]) => pid !== undefined && pid !== before))
        yield* current(lease)
        const lockHolders = Effect.map(
          sql.query(
            `SELECT a.application_name AS name FROM pg_locks l JOIN pg_stat_activity a USING (pid)
              WHERE l.locktype = 'advisory' AND l.objid = 7270004 AND l.granted AND a.datname = current_database()`
          ),
          ({ rows }) => rows.map(({ name }) => name)
        )
        yield* eventually(Effect.map(lockHolders, ([name]) => name === sessionName("lease", "abababababab")))
        yield* current(lease)
        yield* Scope.close(scope, Exit.void)
      })
    )
  )
})

layer(Layer.fresh(TestDatabase.layer), { excludeTestServices: true })("the kind of a database", (it) => {
  const settle = (environment: EnvironmentName) => Environment.settle(environment)

  it.effect("is that of its first start, and the other is refused with what to do", () =>
    Effect.gen(function* () {
      yield* settle("sandbox")
      yield* settle("sandbox")
      const refused = yield* Effect.flip(settle("live"))
      assert.match(refused.message, /is a sandbox database: start with --sandbox-clock, or use another/)
      const sql = yield* session("lotbook test")
      yield* sql.query("UPDATE installation SET environment = 'live'", [], false)
      const other = yield* Effect.flip(settle("sandbox"))
      assert.match(other.message, /is a live database: start without --sandbox-clock, or use another/)
    }).pipe(Effect.scoped)
  )
})
