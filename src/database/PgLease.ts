/** The lease on PostgreSQL: the lock's session and its statements. */
import { PgConnection, PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Scope } from "effect"
import type { Environment } from "./Active.ts"
import * as ClockCheck from "./ClockCheck.ts"
import { Database } from "./Database.ts"
import { sessionName } from "./SessionName.ts"
import { isAlive } from "./embedded/Processes.ts"
import * as Lease from "./Lease.ts"
import type { LeaseOptions, LockSession } from "./Lease.ts"
import * as Locks from "./Locks.ts"
import { LeaseUnavailable } from "./Lease.ts"
import { int8, oneOf } from "./Values.ts"
import { machineTime } from "../time/Times.ts"

const servedRow = oneOf(Schema.Struct({ served: Schema.Boolean }))

/** True while a service is active on the connection's database. */
export const isServed = (connection: PgConnection.PgConnection) =>
  Effect.map(
    servedRow(
      connection.query(
        `SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid = 0 AND objid = ${Locks.active}
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS served`
      )
    ),
    ({ served }) => served
  )

/** PostgreSQL's time, and its time at the newest stored heartbeat or commit, ms. */
const timeStatement = `SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "databaseMs", greatest(beat_at,
    (SELECT written_at FROM journal ORDER BY epoch DESC, transaction DESC LIMIT 1)) AS "newestMs"
  FROM active_service`
const timeRow = oneOf(Schema.Struct({ databaseMs: Schema.Number, newestMs: Schema.NullOr(Schema.Number) }))

const seenRow = oneOf(
  Schema.Struct({
    holder: Schema.NullOr(Schema.String),
    beat: Schema.Number,
    process: Schema.NullOr(Schema.Number)
  })
)
const lockedRow = oneOf(Schema.Struct({ locked: Schema.Boolean }))
const aliveRow = oneOf(Schema.Struct({ alive: Schema.Number }))

/** Most difference between the clocks that a command accepts, ms. */
const commandToleranceMs = 30_000

/** Why a command may not post at this machine's time; undefined: it may. */
export const clockFault = Effect.fnUntraced(function* (connection: PgConnection.PgConnection) {
  const clock = yield* machineTime
  const check = new ClockCheck.ClockCheck(clock, commandToleranceMs)
  yield* ClockCheck.ask(check, clock, timeRow(connection.query(timeStatement)))
  return check.fault
})

/** Timeout of a connection attempt, ms. */
const connectMs = 2_000
/** Most checks for whether terminated sessions have ended, and the pause between them, ms: 2 s in all. */
const endChecks = 200
const endCheckMs = 10

const parameters = {
  // If the holder's machine is cut off, the server ends the session, and with it the lock, within seconds.
  tcp_keepalives_idle: "1",
  tcp_keepalives_interval: "1",
  tcp_keepalives_count: "2",
  // A heartbeat must not wait for a slow disk: a takeover would not help, as the standby has the same disk.
  synchronous_commit: "off"
}

interface PgLeaseOptions {
  /** The service's id, as in the names of its sessions. */
  readonly holder: string
  readonly environment: Environment
  readonly clockCheck?: LeaseOptions["clockCheck"]
}

/**
 * Ends the other sessions whose name ends with $1, of this database alone: a restored copy on the same server names the
 * holder of the database that it was copied from. Materialized: otherwise the planner may call pg_terminate_backend before
 * the filter.
 */
const endSessionsStatement = `WITH former AS MATERIALIZED (SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND right(application_name, length($1)) = $1 AND pid <> pg_backend_pid())
  SELECT count(pg_terminate_backend(pid)) AS alive FROM former`

const openSession = (
  { clientConfig, durability, lineage }: Database["Service"],
  { holder }: PgLeaseOptions
): Effect.Effect<LockSession, LeaseUnavailable, Scope.Scope> => {
  const failed = Effect.mapError((cause: unknown) => new LeaseUnavailable({ cause }))
  const name = sessionName("lease", holder)
  const connect = PgConnection.make({
    ...clientConfig,
    applicationName: name,
    connectTimeout: connectMs,
    startupParameters: parameters
  })
  const checked = Effect.tap(connect, (connection) =>
    Effect.gen(function* () {
      if (lineage !== undefined) yield* lineage.check(connection)
      // A claim that timed out may still wait for the synchronous standby, with the row locked.
      yield* connection.query(endSessionsStatement, [name])
    })
  )
  return Effect.gen(function* (): Effect.fn.Return<LockSession, LeaseUnavailable, Scope.Scope> {
    const connection = yield* failed(checked)
    const scope = yield* Effect.scope
    const rows = (statement: string, values: ReadonlyArray<unknown> = []) =>
      failed(Effect.map(connection.query(statement, values), (result) => result.rows))
    return {
      time: timeRow(rows(timeStatement)),
      seen: seenRow(rows("SELECT holder, beat, process FROM active_service")),
      // PostgreSQL counts repeated locks of a session; `pg_advisory_unlock_all` releases all of them.
      lock: Effect.map(
        lockedRow(rows(`SELECT pg_try_advisory_lock(${Locks.active}) AS locked`)),
        ({ locked }) => locked
      ),
      unlock: Effect.asVoid(rows("SELECT pg_advisory_unlock_all()")),
      claim: (seen) =>
        Effect.gen(function* () {
          // A claim waits for the synchronous standby. Asked too, `durability` says in the log and as a metric what for.
          durability?.doubt()
          if (durability !== undefined) yield* Effect.forkIn(durability.wait, scope)
          yield* rows("SET synchronous_commit = on")
          const claimed = yield* rows(
            `UPDATE active_service SET holder = $1, process = $2, beat = beat + 1
              WHERE holder IS NOT DISTINCT FROM $3 AND beat = $4 RETURNING true`,
            [holder, PgTypes.int4(process.pid), PgTypes.text(seen.holder), int8(seen.beat)]
          )
          yield* rows("SET synchronous_commit = off")
          return claimed.length === 1
        }),
      // Polls instead of pg_terminate_backend's timeout argument, which waits 100 ms for each session in turn.
      endSessions: Effect.fnUntraced(function* (ending) {
        for (let checks = 1; ; checks++) {
          const { alive } = yield* aliveRow(rows(endSessionsStatement, [ending]))
          if (alive === 0 || checks === endChecks) return alive
          yield* Effect.sleep(endCheckMs)
        }
      }),
      beat: Effect.suspend(() =>
        Effect.map(
          rows(
            `UPDATE active_service SET beat = beat + 1, beat_at = (extract(epoch FROM clock_timestamp()) * 1000)::bigint
              WHERE holder = $1 RETURNING true`,
            [holder]
          ),
          (found) => found.length === 1
        )
      ),
      resign: Effect.asVoid(rows("UPDATE active_service SET holder = NULL, process = NULL WHERE holder = $1", [holder]))
    }
  })
}

/** Competes for the database's lease until the scope closes. */
export const make = Effect.fnUntraced(function* (options: PgLeaseOptions) {
  const database = yield* Database
  const { lineage } = database
  const lease = yield* Lease.make({
    environment: options.environment,
    holder: options.holder,
    clockCheck: options.clockCheck,
    open: openSession(database, options),
    // Process ids are comparable only on one machine. A row with our own id is from an ended process.
    isGone: ({ process: former }) =>
      database.isEmbedded === true && former !== null && (former === process.pid || !isAlive(former))
  })
  if (lineage === undefined) return lease
  const { active } = lease
  return { ...lease, active: { ...active, isCurrent: () => lineage.isCurrent() && active.isCurrent() } }
})
