/** The lease of the active service on PostgreSQL: the lock's session and its statements. */
import { PgConnection, PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import type { Scope } from "effect"
import type { Environment } from "./Active.ts"
import { Database, sessionName } from "./Database.ts"
import { isAlive } from "./embedded/Processes.ts"
import * as Lease from "./Lease.ts"
import type { LockSession } from "./Lease.ts"
import { LeaseUnavailable } from "./Lease.ts"

/** Advisory lock of the active service. */
const activeLock = 7_270_004

/** Longest wait for a connection, ms. */
const connectMs = 2_000
/** How often sessions that were told to end are looked for, and the pause between two looks, ms: 2 s in all. */
const endLooks = 200
const endLookMs = 10

const parameters = {
  // The server ends the session within seconds of the holder's machine going silent, and the lock with it.
  tcp_keepalives_idle: "1",
  tcp_keepalives_interval: "1",
  tcp_keepalives_count: "2",
  // A heartbeat must not wait for a slow disk: a standby on the same database would be no faster.
  synchronous_commit: "off"
}

export interface PgLeaseOptions {
  /** The service's own id, as in the names of its sessions. */
  readonly holder: string
  readonly environment: Environment
  /** Where a sandbox's clock stands, ms; undefined in real time and while there is none. */
  readonly sandboxNow: () => number | undefined
}

const openSession = (
  { clientConfig }: Database["Service"],
  { holder, sandboxNow }: PgLeaseOptions
): Effect.Effect<LockSession, LeaseUnavailable, Scope.Scope> => {
  const failed = Effect.mapError((cause: unknown) => new LeaseUnavailable({ cause }))
  const connect = PgConnection.make({
    ...clientConfig,
    applicationName: sessionName("lease", holder),
    connectTimeout: connectMs,
    startupParameters: parameters
  })
  return Effect.map(failed(connect), (connection): LockSession => {
    const rows = (statement: string, values: ReadonlyArray<unknown> = []) =>
      failed(Effect.map(connection.query(statement, values), (result) => result.rows))
    return {
      seen: Effect.map(rows("SELECT holder, beat::float8 AS beat, process FROM active_service"), ([row]) => ({
        holder: row?.["holder"] === null || row === undefined ? null : String(row["holder"]),
        beat: Number(row?.["beat"]),
        process: row?.["process"] === null || row === undefined ? null : Number(row["process"])
      })),
      // PostgreSQL counts how often a session took it: one unlock frees it whatever the count.
      lock: Effect.map(
        rows(`SELECT pg_try_advisory_lock(${activeLock}) AS locked`),
        ([row]) => row?.["locked"] === true
      ),
      unlock: Effect.asVoid(rows("SELECT pg_advisory_unlock_all()")),
      claim: (seen) =>
        Effect.gen(function* () {
          yield* rows("SET synchronous_commit = on")
          const claimed = yield* rows(
            `UPDATE active_service SET holder = $1, process = $2, beat = beat + 1
              WHERE holder IS NOT DISTINCT FROM $3 AND beat = $4::float8::bigint RETURNING true`,
            [holder, PgTypes.int4(process.pid), PgTypes.text(seen.holder), PgTypes.float8(seen.beat)]
          )
          yield* rows("SET synchronous_commit = off")
          return claimed.length === 1
        }),
      // Not pg_terminate_backend's own waiting: it takes 100 ms for each session, one after the other.
      endSessions: Effect.fnUntraced(function* (ending) {
        for (let looks = 1; ; looks++) {
          const [row] = yield* rows(
            // Materialized: else the planner may end sessions before it has chosen which.
            `WITH former AS MATERIALIZED (SELECT pid FROM pg_stat_activity
                WHERE right(application_name, length($1)) = $1 AND pid <> pg_backend_pid())
              SELECT count(pg_terminate_backend(pid))::int AS alive FROM former`,
            [ending]
          )
          const alive = Number(row?.["alive"])
          if (alive === 0 || looks === endLooks) return alive
          yield* Effect.sleep(endLookMs)
        }
      }),
      beat: Effect.suspend(() =>
        Effect.map(
          rows(
            `UPDATE active_service SET beat = beat + 1, sandbox_now = coalesce($2::float8::bigint, sandbox_now)
              WHERE holder = $1 RETURNING true`,
            [holder, PgTypes.float8(sandboxNow() ?? null)]
          ),
          (found) => found.length === 1
        )
      ),
      resign: Effect.asVoid(rows("UPDATE active_service SET holder = NULL, process = NULL WHERE holder = $1", [holder]))
    }
  })
}

/** Takes part in the lease on the database while the scope lives. */
export const make = Effect.fnUntraced(function* (options: PgLeaseOptions) {
  const database = yield* Database
  return yield* Lease.make({
    environment: options.environment,
    holder: options.holder,
    open: openSession(database, options),
    // Process ids mean something on one machine alone. Our own means a process of before that had the same one.
    isGone: ({ process: former }) =>
      database.isEmbedded === true && former !== null && (former === process.pid || !isAlive(former))
  })
})
