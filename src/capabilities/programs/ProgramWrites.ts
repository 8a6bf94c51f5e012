/** Writes the programmes' tables, which keep every definition (migrations/0003_programs.sql). */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { Connection } from "../../base/database/Connect.ts"
import * as Connect from "../../base/database/Connect.ts"
import { Database } from "../../base/database/Database.ts"
import * as Locks from "../../base/database/Locks.ts"
import { instant, jsonb, rowsOf } from "../../base/database/Values.ts"
import { serviceNow } from "../../base/time/Times.ts"
import type { Publication } from "../../core/programs/ProgramStore.ts"
import type { Program } from "../../core/rules/Program.ts"

/** Runs the statements of a publication. */
export interface Writer<F> {
  /** Runs `work` in a transaction, which is rolled back if `work` fails. */
  readonly transaction: <A, E, R>(
    work: (connection: Connection) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | F, R>
  /** Runs `work` on a separate connection, outside the transaction and without a timeout. */
  readonly apart: <A, E, R>(
    work: (connection: Connection) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | SqlError.SqlError, R>
  /** Runs `effect` after the transaction has committed. */
  readonly onCommit: (effect: Effect.Effect<void>) => Effect.Effect<void>
  /** The date of versions, ms: the service's clock, also a sandbox's. */
  readonly now: Effect.Effect<number>
}

/** A writer with a separate connection. */
export const ownWriter: Effect.Effect<Writer<SqlError.SqlError>, never, Database> = Effect.map(
  Database,
  (database) => ({
    transaction: <A, E, R>(work: (connection: Connection) => Effect.Effect<A, E, R>) =>
      Connect.apart((connection) =>
        Effect.gen(function* () {
          yield* connection.query("BEGIN", [], false)
          const result = yield* work(connection)
          yield* connection.query("COMMIT", [], false)
          return result
        })
      ).pipe(Effect.provideService(Database, database)),
    apart: (work) => Effect.provideService(Connect.apart(work), Database, database),
    onCommit: (effect) => effect,
    now: serviceNow
  })
)

/**
 * Takes the lock until the transaction ends. No service has an append in flight then,
 * so checked facts stay true until the commit. All appends wait: keep the rest of the
 * transaction short.
 */
export const holdAppends = (connection: Connection) => connection.query(`SELECT pg_advisory_xact_lock(${Locks.append})`)

const checksumRows = rowsOf(Schema.Struct({ id: Schema.String, checksum: Schema.String }))

/** Writes the version after `last` (0 for a new programme), never dated before it. */
export const write = (
  connection: Connection,
  program: Program,
  { by, note, source }: Publication,
  last: number,
  at: number
) =>
  Effect.asVoid(
    connection.query(
      `INSERT INTO programs (program_id, version, published_at, published_by, source, note, definition)
        SELECT $1, $2 + 1, greatest($3, (SELECT max(published_at) FROM programs
          WHERE program_id = $1)), $4, $5, $6, $7`,
      [program.id, PgTypes.int4(last), instant(at), by, source, PgTypes.text(note ?? null), jsonb(program.file)]
    )
  )

/** The checksum of each programme's file at the last start. */
export const filesRead = (connection: Connection) =>
  Effect.map(
    checksumRows(connection.query("SELECT program_id AS id, checksum FROM program_files")),
    (rows) => new Map(rows.map(({ checksum, id }) => [id, checksum]))
  )

export const rememberFile = (connection: Connection, programId: string, checksum: string) =>
  connection.query(
    `INSERT INTO program_files (program_id, checksum) VALUES ($1, $2)
      ON CONFLICT (program_id) DO UPDATE SET checksum = excluded.checksum`,
    [programId, checksum]
  )

/** Retires a programme; repeated, the first time and reason stay. */
export const retire = (connection: Connection, programId: string, by: string, reason: string, at: number) =>
  connection.query(
    `INSERT INTO retired_programs (program_id, retired_at, retired_by, reason)
      VALUES ($1, $2, $3, $4) ON CONFLICT (program_id) DO NOTHING`,
    [programId, instant(at), by, reason]
  )

export const restore = (connection: Connection, programId: string) =>
  connection.query("DELETE FROM retired_programs WHERE program_id = $1", [programId])
