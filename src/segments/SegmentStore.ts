/** Reads and writes segments (migrations/0009_segments.sql). */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Result } from "effect"
import type { AdminDatabase, AdminQuery, Row } from "../surface/AdminDatabase.ts"
import type { Refused } from "../contract/admin/Common.ts"
import { decodeRules } from "../contract/platform/Rules.ts"
import type { Rules } from "../contract/platform/Rules.ts"
import type { Segment } from "../contract/platform/Segments.ts"
import { fromMillis } from "../contract/Values.ts"
import { numbers, texts } from "../journal/postgres/Parameters.ts"
import type { Audience } from "./Audience.ts"
import { membersOf, evaluated } from "./Audience.ts"

const { float8, text } = PgTypes

interface StoredSegment {
  /** Number of the segment, in the order of creation. */
  readonly n: number
  readonly segment: Segment
}

export interface NewSegment {
  readonly id: string
  readonly program: string
  readonly name: string
  readonly rules: Rules | undefined
  /** Number of conditions in the rules. */
  readonly conditions: number
  /** Ids of the segments that the rules refer to. */
  readonly references: ReadonlyArray<string>
  /** Accounts of a static segment. */
  readonly accounts: ReadonlyArray<number>
}

interface SegmentFilter {
  readonly program: string
  readonly segment: string | undefined
  /** `n` of the previous page's last segment. */
  readonly after: number | undefined
  readonly limit: number
}

const columns = `n::float8 AS n, segment_id, program_id, name, rules, members::float8 AS members,
  version::float8 AS version, created_at::float8 AS created_at, updated_at::float8 AS updated_at`

const storedOf = (row: Row): StoredSegment => ({
  n: Number(row["n"]),
  segment: {
    segment_id: String(row["segment_id"]),
    program_id: String(row["program_id"]),
    name: String(row["name"]),
    ...(row["rules"] === null
      ? { mode: "static", member_count: Number(row["members"]) }
      : { mode: "dynamic", rules: Result.getOrThrow(decodeRules(JSON.parse(String(row["rules"])))) }),
    version: Number(row["version"]),
    created_at: fromMillis(Number(row["created_at"])),
    updated_at: fromMillis(Number(row["updated_at"]))
  }
})

type Found = Effect.Effect<StoredSegment | undefined, Refused>

/** A segment of any programme. */
export const find = (query: AdminQuery, id: string): Found =>
  Effect.map(query(`SELECT ${columns} FROM segments WHERE segment_id = $1::text`, [text(id)]), ([row]) =>
    row === undefined ? undefined : storedOf(row)
  )

/** A page of segments, newest first. */
export const list = (
  query: AdminQuery,
  { after, limit, program, segment }: SegmentFilter
): Effect.Effect<ReadonlyArray<StoredSegment>, Refused> =>
  Effect.map(
    query(
      `SELECT ${columns} FROM segments
        WHERE program_id = $1::text AND n < $2::float8::bigint AND ($3::text IS NULL OR segment_id = $3::text)
        ORDER BY segments.n DESC LIMIT $4::float8::bigint`,
      [text(program), float8(after ?? Number.MAX_SAFE_INTEGER), text(segment ?? null), float8(limit)]
    ),
    (rows) => rows.map(storedOf)
  )

/** Locks all segments of a programme against changes until the transaction ends. */
export const lock = (query: AdminQuery, program: string): Effect.Effect<void, Refused> =>
  Effect.asVoid(query("SELECT segments_lock($1::text)", [text(program)]))

/** The accounts of members, in order; undefined: no such member. */
export const accountsOf = (
  query: AdminQuery,
  program: string,
  members: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<number | undefined>, Refused> =>
  Effect.map(
    query(
      `SELECT a.number::float8 AS account FROM unnest($2::text[]) WITH ORDINALITY m(id, place)
        LEFT JOIN accounts a ON a.program_id = $1::text AND a.member_id = m.id ORDER BY m.place`,
      [text(program), texts(members)]
    ),
    (rows) => rows.map(({ account }) => (account === null ? undefined : Number(account)))
  )

/** The segments that rules refer to, directly and through others. */
interface Reach {
  /** Ids of referred segments that the programme does not have. */
  readonly missing: ReadonlyArray<string>
  /** True if the segment would refer to itself. */
  readonly isCircle: boolean
  /** Number of conditions in all referred segments, each segment counted once. */
  readonly conditions: number
}

/** The reach of segment `id` with these references. */
export const reachOf = (
  query: AdminQuery,
  { id, program, references }: Pick<NewSegment, "id" | "program" | "references">
): Effect.Effect<Reach, Refused> =>
  Effect.map(
    query(
      `WITH RECURSIVE reached AS (
          SELECT unnest($1::text[]) AS segment_id
          UNION
          SELECT r.refers_to FROM reached JOIN segment_references r ON r.segment_id = reached.segment_id
        ) SELECT ARRAY(
              SELECT w.id FROM unnest($1::text[]) w(id) WHERE w.id <> $2::text AND NOT EXISTS (
                SELECT FROM segments s WHERE s.segment_id = w.id AND s.program_id = $3::text)
            ) AS missing,
            coalesce(bool_or(reached.segment_id = $2::text), false) AS circle,
            coalesce(sum(s.conditions), 0)::float8 AS conditions
          FROM reached LEFT JOIN segments s ON s.segment_id = reached.segment_id`,
      [texts(references), text(id), text(program)]
    ),
    ([row]) => ({
      missing: (row?.["missing"] ?? []) as ReadonlyArray<string>,
      isCircle: row?.["circle"] === true,
      conditions: Number(row?.["conditions"])
    })
  )

/** Of `id` and all segments that refer to it, directly or through others: the one with the most conditions. */
export const largest = (
  query: AdminQuery,
  id: string
): Effect.Effect<{ readonly segment: string; readonly conditions: number } | undefined, Refused> =>
  Effect.map(
    query(
      `WITH RECURSIVE naming AS (
          SELECT $1::text AS segment_id
          UNION
          SELECT r.segment_id FROM naming JOIN segment_references r ON r.refers_to = naming.segment_id
        ), reached AS (
          SELECT segment_id AS whole, segment_id FROM naming
          UNION
          SELECT reached.whole, r.refers_to FROM reached JOIN segment_references r ON r.segment_id = reached.segment_id
        ) SELECT reached.whole AS segment, sum(s.conditions)::float8 AS conditions
          FROM reached JOIN segments s ON s.segment_id = reached.segment_id
          GROUP BY reached.whole ORDER BY sum(s.conditions) DESC, reached.whole LIMIT 1`,
      [text(id)]
    ),
    ([row]) =>
      row === undefined ? undefined : { segment: String(row["segment"]), conditions: Number(row["conditions"]) }
  )

/** Creates or replaces a segment; undefined if another programme has one with this id. */
export const put = Effect.fnUntraced(function* (
  query: AdminQuery,
  { accounts, conditions, id, name, program, references, rules }: NewSegment,
  now: number
): Effect.fn.Return<StoredSegment | undefined, Refused> {
  const members = [...new Set(accounts)]
  const [row] = yield* query(
    `INSERT INTO segments (segment_id, program_id, name, rules, conditions, members, created_at, updated_at)
      VALUES ($1::text, $2::text, $3::text, $4::text, $5::float8::int, $6::float8::int, $7::float8::bigint,
        $7::float8::bigint)
      ON CONFLICT (segment_id) DO UPDATE SET name = excluded.name, rules = excluded.rules,
        conditions = excluded.conditions, members = excluded.members, updated_at = excluded.updated_at,
        version = segments.version + 1
        WHERE segments.program_id = excluded.program_id
      RETURNING ${columns}`,
    [
      text(id),
      text(program),
      text(name),
      text(rules === undefined ? null : JSON.stringify(rules)),
      float8(conditions),
      float8(members.length),
      float8(now)
    ]
  )
  if (row === undefined) return undefined
  yield* query("DELETE FROM segment_references WHERE segment_id = $1::text", [text(id)])
  yield* query("DELETE FROM segment_members WHERE segment_id = $1::text", [text(id)])
  yield* query("INSERT INTO segment_references (segment_id, refers_to) SELECT $1::text, unnest($2::text[])", [
    text(id),
    texts(references)
  ])
  yield* query("INSERT INTO segment_members (segment_id, account) SELECT $1::text, unnest($2::float8[]::bigint[])", [
    text(id),
    numbers(members)
  ])
  return storedOf(row)
})

/** How many members another list would add to a static segment and remove from it; empty if there are none. */
export const exchanged = (
  query: AdminQuery,
  { accounts, id }: Pick<NewSegment, "accounts" | "id">
): Effect.Effect<{ readonly members_added?: number; readonly members_removed?: number }, Refused> =>
  Effect.map(
    query(
      `SELECT
          (SELECT count(*) FROM (SELECT unnest($2::float8[]::bigint[]) EXCEPT
            SELECT account FROM segment_members WHERE segment_id = $1::text) a)::float8 AS added,
          (SELECT count(*) FROM segment_members
            WHERE segment_id = $1::text AND NOT account = ANY ($2::float8[]::bigint[]))::float8 AS removed`,
      [text(id), numbers(accounts)]
    ),
    ([row]) => {
      const [added, removed] = [Number(row?.["added"]), Number(row?.["removed"])]
      return {
        ...(added === 0 ? undefined : { members_added: added }),
        ...(removed === 0 ? undefined : { members_removed: removed })
      }
    }
  )

/**
 * Prevents the deletion of a segment until the transaction ends. Read the segment after this: it may be gone already.
 */
export const holdAgainstDeletion = (query: AdminQuery, id: string): Effect.Effect<void, Refused> =>
  Effect.asVoid(query("SELECT FROM segments WHERE segment_id = $1::text FOR KEY SHARE", [text(id)]))

/**
 * A campaign or segment that uses a segment; undefined: none. Locks the segment until the transaction ends, so that
 * `holdAgainstDeletion` waits.
 */
export const usedBy = (
  query: AdminQuery,
  id: string
): Effect.Effect<{ readonly kind: string; readonly id: string } | undefined, Refused> =>
  Effect.gen(function* () {
    yield* query("SELECT FROM segments WHERE segment_id = $1::text FOR UPDATE", [text(id)])
    const [row] = yield* query(
      `SELECT 'campaign' AS kind, campaign_id AS id FROM campaigns WHERE segment_id = $1::text
        UNION ALL
        SELECT 'segment', segment_id FROM segment_references WHERE refers_to = $1::text LIMIT 1`,
      [text(id)]
    )
    return row === undefined ? undefined : { kind: String(row["kind"]), id: String(row["id"]) }
  })

export const remove = (query: AdminQuery, id: string): Effect.Effect<void, Refused> =>
  Effect.asVoid(query("DELETE FROM segments WHERE segment_id = $1::text", [text(id)]))

interface Previewed {
  readonly size: number
  readonly sample: ReadonlyArray<string>
}

/** The number of members in an audience and the ids of some, from one snapshot. */
export const preview = (
  database: AdminDatabase["Service"],
  audience: Audience,
  now: number,
  sampleSize: number
): Effect.Effect<Previewed, Refused> => {
  const parameters: Array<PgTypes.Parameter> = []
  const members = membersOf(audience, now, (parameter) => `$${parameters.push(parameter)}`)
  const most = `$${parameters.push(float8(sampleSize))}::float8::bigint`
  return Effect.map(
    evaluated(
      database,
      audience,
      database.query(
        `SELECT count(*)::float8 AS size, coalesce(json_agg(c.member_id) FILTER (WHERE c.n <= ${most}), '[]')::text AS sample
        FROM (SELECT m.member_id, row_number() OVER () AS n FROM (${members}) m) c`,
        parameters
      )
    ),
    ([row]) => ({ size: Number(row?.["size"]), sample: JSON.parse(String(row?.["sample"])) as ReadonlyArray<string> })
  )
}
