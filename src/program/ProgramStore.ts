/**
 * The programmes' tables: every definition that was ever in force, append-only,
 * and which programmes are retired (migrations/0003_programs.sql).
 */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Result } from "effect"
import type { SqlError } from "effect/sql"
import type { ProgramDefinition } from "../contract/protocol/Program.ts"
import type { Connection, Row } from "../database/Connect.ts"
import * as Connect from "../database/Connect.ts"
import { Database } from "../database/Database.ts"
import * as Locks from "../database/Locks.ts"
import type { Program } from "./Program.ts"
import { inForceAs } from "./Program.ts"
import * as ProgramFile from "./ProgramFile.ts"
import type { ProgramFile as ProgramShape } from "../contract/ProgramFile.ts"
import { ProgramsInvalid } from "./ProgramFiles.ts"
import { serviceNow } from "../time/Times.ts"

/** The source of a version: a file at a start, the admin API, a command, or a rollback to an earlier version. */
export type Source = "file" | "api" | "command" | "rollback"

/** The publisher of a version, and its source. */
export interface Publication {
  readonly by: string
  readonly source: Source
  readonly note?: string | undefined
}

/** A version in the list of a programme's versions. */
interface StoredVersion extends Publication {
  readonly version: number
  /** ms */
  readonly publishedAt: number
  readonly tierPolicy: ProgramDefinition["tier_policy"]
}

export interface StoredProgram {
  readonly id: string
  /** Oldest first, numbered from 1 without gaps. */
  readonly versions: ReadonlyArray<StoredVersion>
  /** The newest version's definition. */
  readonly program: Program
}

const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`

const versionOf = (row: Row): StoredVersion => ({
  version: Number(row["version"]),
  publishedAt: Number(row["published_at"]),
  by: String(row["published_by"]),
  // The table checks its values.
  source: row["source"] as Source,
  note: row["note"] === null ? undefined : String(row["note"]),
  // Checked when it was published.
  tierPolicy: (row["tier_policy"] ?? undefined) as StoredVersion["tierPolicy"]
})

const fileOf = (id: string, version: number, definition: unknown): Effect.Effect<Program, ProgramsInvalid> => {
  const validated = ProgramFile.validate(definition)
  if (Result.isSuccess(validated)) return Effect.succeed(validated.success)
  const faults = validated.failure.map(
    (fault) => `programme ${id}, version ${version}: ${fault.path}: ${fault.message}`
  )
  return new ProgramsInvalid({ message: faults.join("\n") })
}

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

/** Every programme with its versions, sorted by id. `only`: the id of a single programme. */
export const read = Effect.fnUntraced(function* (connection: Connection, only?: string) {
  const { rows } = yield* connection.query(
    `SELECT p.program_id, p.version::float8 AS version, ${ms("p.published_at")} AS published_at, p.published_by, p.source,
        p.note, p.definition -> 'tier_policy' AS tier_policy, r.program_id IS NOT NULL AS retired,
        CASE WHEN p.version = max(p.version) OVER (PARTITION BY p.program_id) THEN p.definition END AS definition
      FROM programs p LEFT JOIN retired_programs r ON r.program_id = p.program_id
      WHERE $1::text IS NULL OR p.program_id = $1 ORDER BY p.program_id COLLATE "C", p.version`,
    [PgTypes.text(only ?? null)]
  )
  const found = new Map<string, StoredProgram>()
  let versions: Array<StoredVersion> = []
  for (const row of rows) {
    versions.push(versionOf(row))
    if (row["definition"] === null) continue
    const id = String(row["program_id"])
    const file = yield* fileOf(id, versions.length, row["definition"])
    found.set(id, { id, versions, program: inForceAs(file, versions, row["retired"] === true) })
    versions = []
  }
  return found
})

/** The programmes in force, from one snapshot. */
export interface InForce {
  /** Changes with every publication, retirement and restoration. */
  readonly revision: number
  /** The newest version of every programme, by id. */
  readonly programs: ReadonlyMap<string, Program>
}

export const inForce: Effect.Effect<InForce, SqlError.SqlError | ProgramsInvalid, Database> = Connect.apart(
  Effect.fnUntraced(function* (connection) {
    // Read first, so that it is never newer than the definitions: the journal rejects decisions by an outdated
    // revision.
    const { rows } = yield* connection.query("SELECT programs_revision::float8 AS revision FROM installation")
    const stored = yield* read(connection)
    return {
      revision: Number(rows[0]?.["revision"]),
      programs: new Map([...stored].map(([id, { program }]) => [id, program]))
    }
  })
)

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
        SELECT $1, $2::float8::int + 1, greatest(to_timestamp($3::float8 / 1000), (SELECT max(published_at) FROM programs
          WHERE program_id = $1)), $4, $5, $6, $7`,
      [
        program.id,
        PgTypes.float8(last),
        PgTypes.float8(at),
        by,
        source,
        PgTypes.text(note ?? null),
        PgTypes.jsonb(program.file)
      ]
    )
  )

/** The checksum of each programme's file at the last start. */
export const filesRead = (connection: Connection) =>
  Effect.map(
    connection.query("SELECT program_id, checksum FROM program_files"),
    ({ rows }) => new Map(rows.map((row) => [String(row["program_id"]), String(row["checksum"])]))
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
      VALUES ($1, to_timestamp($2::float8 / 1000), $3, $4) ON CONFLICT (program_id) DO NOTHING`,
    [programId, PgTypes.float8(at), by, reason]
  )

export const restore = (connection: Connection, programId: string) =>
  connection.query("DELETE FROM retired_programs WHERE program_id = $1", [programId])

/** A definition that was in force, as it was published. */
export interface Definition extends Publication {
  readonly version: number
  /** ms */
  readonly publishedAt: number
  /** Checked when it was published. */
  readonly file: ProgramShape
}

/** Versions of a programme below `below`, newest first, at most `limit`. */
export const definitions = (
  connection: Connection,
  programId: string,
  below: number,
  limit: number
): Effect.Effect<ReadonlyArray<Definition>, SqlError.SqlError> =>
  Effect.map(
    connection.query(
      `SELECT version::float8 AS version, ${ms("published_at")} AS published_at, published_by, source, note, definition,
          NULL AS tier_policy
        FROM programs WHERE program_id = $1 AND version < $2::float8::int ORDER BY version DESC LIMIT $3::float8::int`,
      [programId, PgTypes.float8(below), PgTypes.float8(limit)]
    ),
    ({ rows }) =>
      rows.map((row) => {
        const { by, note, publishedAt, source, version } = versionOf(row)
        return { by, note, publishedAt, source, version, file: row["definition"] as ProgramShape }
      })
  )
