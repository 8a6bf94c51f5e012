/**
 * Reads the programmes' tables: every definition that was ever in force, and which
 * programmes are retired (migrations/0003_programs.sql).
 */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Result, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { Connection } from "../../base/database/Connect.ts"
import * as Connect from "../../base/database/Connect.ts"
import type { Database } from "../../base/database/Database.ts"
import { int8, oneOf, optional, rowsOf } from "../../base/database/Values.ts"
import type { FileTierPolicy, ProgramFile as ProgramShape } from "../../contract/ProgramFile.ts"
import type { LimitedPromotion, Program, Version } from "../rules/Program.ts"
import { inForceAs } from "../rules/Program.ts"
import * as ProgramFile from "../rules/ProgramFile.ts"

/**
 * No programme file, or invalid ones. The message has a line for every fault of
 * every file: `file: /path: reason`.
 */
export class ProgramsInvalid extends Schema.TaggedError<ProgramsInvalid>()("ProgramsInvalid", {
  message: Schema.String
}) {}

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
  readonly rehearsal: boolean | undefined
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
    rehearsal: optional(Schema.Boolean),
    pointExpiration: optional(Schema.Any),
    retired: Schema.Boolean,
    tellsFrom: Schema.Number,
    definition: Schema.Unknown
  })
)
const definitionRows = rowsOf(Schema.Struct({ ...published, file: Schema.Any }))
const revisionRow = oneOf(Schema.Struct({ revision: Schema.Number }))

const fileOf = (id: string, version: number, definition: unknown): Effect.Effect<Program, ProgramsInvalid> => {
  const validated = ProgramFile.validate(definition)
  if (Result.isSuccess(validated)) return Effect.succeed(validated.success)
  const faults = validated.failure.map(
    (fault) => `programme ${id}, version ${version}: ${fault.path}: ${fault.message}`
  )
  return new ProgramsInvalid({ message: faults.join("\n") })
}

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
        (p.definition -> 'rehearsal')::boolean AS rehearsal,
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
      zone: file.time_zone ?? file.tier_policy?.period.time_zone,
      rehearsal: file.rehearsal
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
