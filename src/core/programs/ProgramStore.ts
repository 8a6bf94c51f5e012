/**
 * The programmes' tables: every definition that was ever in force, append-only,
 * and which programmes are retired (migrations/0003_programs.sql).
 */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Result, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { Connection } from "../../base/database/Connect.ts"
import * as Connect from "../../base/database/Connect.ts"
import { Database } from "../../base/database/Database.ts"
import * as Locks from "../../base/database/Locks.ts"
import { instant, int8, jsonb, oneOf, optional, rowsOf } from "../../base/database/Values.ts"
import type { LimitedPromotion, Program, Version } from "../rules/Program.ts"
import { inForceAs } from "../rules/Program.ts"
import * as ProgramFile from "../rules/ProgramFile.ts"
import type { FileTierPolicy, ProgramFile as ProgramShape } from "../../contract/ProgramFile.ts"
import { ProgramsInvalid } from "../../capabilities/programs/ProgramFiles.ts"
import { serviceNow } from "../../base/time/Times.ts"

/** The source of a version: a file at a start, the admin API, a command, or a rollback to an earlier version. */
const Source = Schema.Literals(["file", "api", "command", "rollback"])
export type Source = typeof Source.Type

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
  readonly tierPolicy: FileTierPolicy | undefined
  readonly stampCard: ProgramShape["stamp_card"]
  readonly pointExpiration: ProgramShape["point_expiration"]
  readonly promotions: ReadonlyArray<LimitedPromotion>
  readonly challenges: ProgramShape["challenges"]
  /** The zone of its days and weeks, if it has one. */
  readonly zone: string | undefined
}

export interface StoredProgram {
  readonly id: string
  /** Oldest first, numbered from 1 without gaps. */
  readonly versions: ReadonlyArray<StoredVersion>
  /** The newest version's definition. */
  readonly program: Program
}

const publishedColumns = `p.version, p.published_at AS "publishedAt", p.published_by AS by, p.source, p.note`
const published = {
  version: Schema.Number,
  publishedAt: Schema.Number,
  by: Schema.String,
  source: Source,
  note: optional(Schema.String)
}

/** `Any`: what was checked when it was published stays readable, whatever is checked today. */
const storedRows = rowsOf(
  Schema.Struct({
    id: Schema.String,
    ...published,
    tierPolicy: optional(Schema.Any),
    stampCard: optional(Schema.Any),
    promotions: Schema.Array(Schema.Struct({ id: Schema.String, every: optional(Schema.String) })),
    challenges: optional(Schema.Any),
    zone: optional(Schema.String),
    pointExpiration: optional(Schema.Any),
    retired: Schema.Boolean,
    tellsFrom: Schema.Number,
    definition: Schema.Unknown
  })
)
const definitionRows = rowsOf(Schema.Struct({ ...published, file: Schema.Any }))
const revisionRow = oneOf(Schema.Struct({ revision: Schema.Number }))
const checksumRows = rowsOf(Schema.Struct({ id: Schema.String, checksum: Schema.String }))

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
  const rows = yield* storedRows(
    connection.query(
      `SELECT p.program_id AS id, ${publishedColumns}, p.definition -> 'tier_policy' AS "tierPolicy",
        p.definition -> 'stamp_card' AS "stampCard",
        (SELECT coalesce(jsonb_agg(jsonb_build_object('id', one ->> 'promotion_id',
            'every', one #>> '{limits,per_member,every}')), '[]')
          FROM jsonb_path_query(p.definition, '$.promotions[*]') one) AS promotions,
        p.definition -> 'challenges' AS challenges,
        coalesce(p.definition ->> 'time_zone', p.definition #>> '{tier_policy,period,time_zone}') AS zone,
        p.definition -> 'point_expiration' AS "pointExpiration", i.tells_from AS "tellsFrom",
        r.program_id IS NOT NULL AS retired,
        CASE WHEN p.version = max(p.version) OVER (PARTITION BY p.program_id) THEN p.definition END AS definition
      FROM programs p LEFT JOIN retired_programs r ON r.program_id = p.program_id CROSS JOIN installation i
      WHERE $1::text IS NULL OR p.program_id = $1 ORDER BY p.program_id COLLATE "C", p.version`,
      [PgTypes.text(only ?? null)]
    )
  )
  const found = new Map<string, StoredProgram>()
  let versions: Array<StoredVersion> = []
  for (const { definition, id, retired, tellsFrom, ...version } of rows) {
    versions.push(version)
    if (definition === null) continue
    const file = yield* fileOf(id, versions.length, definition)
    found.set(id, { id, versions, program: inForceAs(file, versions, retired, tellsFrom) })
    versions = []
  }
  return found
})

const allRows = rowsOf(
  Schema.Struct({
    id: Schema.String,
    publishedAt: Schema.Number,
    tellsFrom: Schema.Number,
    file: Schema.Any
  })
)

const limitedOf = ({ promotions = [] }: Pick<ProgramShape, "promotions">): ReadonlyArray<LimitedPromotion> =>
  promotions.map(({ limits, promotion_id }) => ({ id: promotion_id, every: limits?.per_member?.every }))

/** Every version of every programme as it was in force, from 1; undefined: today's checks refuse it. */
export const allVersions = Effect.fnUntraced(function* (connection: Connection) {
  const rows = yield* allRows(
    connection.query(
      `SELECT p.program_id AS id, p.published_at AS "publishedAt", i.tells_from AS "tellsFrom", p.definition AS file
        FROM programs p CROSS JOIN installation i ORDER BY p.program_id, p.version`
    )
  )
  const found = new Map<string, { readonly versions: Array<Version>; readonly programs: Array<Program | undefined> }>()
  for (const { file, id, publishedAt, tellsFrom } of rows) {
    const { programs, versions } = found.get(id) ?? { versions: [], programs: [] }
    versions.push({
      publishedAt,
      tierPolicy: file.tier_policy,
      stampCard: file.stamp_card,
      pointExpiration: file.point_expiration,
      promotions: limitedOf(file),
      challenges: file.challenges,
      zone: file.time_zone ?? file.tier_policy?.period.time_zone
    })
    const validated = ProgramFile.validate(file)
    programs.push(Result.isSuccess(validated) ? inForceAs(validated.success, versions, false, tellsFrom) : undefined)
    found.set(id, { programs, versions })
  }
  return new Map([...found].map(([id, { programs }]) => [id, programs]))
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
    const { revision } = yield* revisionRow(connection.query("SELECT programs_revision AS revision FROM installation"))
    const stored = yield* read(connection)
    return {
      revision,
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
  definitionRows(
    connection.query(
      `SELECT ${publishedColumns}, p.definition AS file FROM programs p
        WHERE p.program_id = $1 AND p.version < $2 ORDER BY p.version DESC LIMIT $3`,
      [programId, PgTypes.int4(below), int8(limit)]
    )
  )
