/** Reads and writes segments (migrations/0009_segments.sql). */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Pool, Query } from "../../base/database/Pools.ts"
import { firstOf, int8, int8s, oneOf, optional, rowsOf, texts } from "../../base/database/Values.ts"
import { Rules } from "../../contract/platform/Rules.ts"
import type { Segment } from "../../contract/platform/Segments.ts"
import type { Refused } from "../../contract/Refused.ts"
import { fromMillis } from "../../contract/Values.ts"
import type { Audience } from "./Audience.ts"
import { evaluated, membersOf } from "./Audience.ts"

const { bool, int4, json, text } = PgTypes

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

const columns = "n, segment_id, program_id, name, rules, members, version, created_at, updated_at, archived_at"

const Columns = Schema.Struct({
  n: Schema.Number,
  segment_id: Schema.String,
  program_id: Schema.String,
  name: Schema.String,
  rules: optional(Rules),
  members: Schema.Number,
  version: Schema.Number,
  created_at: Schema.Number,
  updated_at: Schema.Number,
  archived_at: optional(Schema.Number)
})

const segments = rowsOf(Columns)

const storedOf = ({
  archived_at,
  created_at,
  members,
  n,
  rules,
  updated_at,
  ...row
}: typeof Columns.Type): StoredSegment => ({
  n,
  segment: {
    ...row,
    ...(rules === undefined ? { mode: "static", member_count: members } : { mode: "dynamic", rules }),
    created_at: fromMillis(created_at),
    updated_at: fromMillis(updated_at),
    ...(archived_at === undefined ? undefined : { archived_at: fromMillis(archived_at) })
  }
})

type Found = Effect.Effect<StoredSegment | undefined, Refused>

/** A segment of any programme. */
export const find = (query: Query, id: string): Found =>
  Effect.map(
    segments(query(`SELECT ${columns} FROM segments WHERE segment_id = $1`, [text(id)])),
    ([row]) => row && storedOf(row)
  )

/** A page of segments, newest first. */
export const list = (
  query: Query,
  { after, limit, program, segment }: SegmentFilter
): Effect.Effect<ReadonlyArray<StoredSegment>, Refused> =>
  Effect.map(
    segments(
      query(
        `SELECT ${columns} FROM segments WHERE program_id = $1 AND n < $2 AND ($3 IS NULL OR segment_id = $3)
          ORDER BY n DESC LIMIT $4`,
        [text(program), int8(after ?? Number.MAX_SAFE_INTEGER), text(segment ?? null), int8(limit)]
      )
    ),
    (rows) => rows.map(storedOf)
  )

/** Locks all segments of a programme against changes until the transaction ends. */
export const lock = (query: Query, program: string): Effect.Effect<void, Refused> =>
  Effect.asVoid(query("SELECT segments_lock($1)", [text(program)]))

const accounts = rowsOf(Schema.Struct({ account: optional(Schema.Number) }))

/** The accounts of members, in order; undefined: no such member. */
export const accountsOf = (
  query: Query,
  program: string,
  members: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<number | undefined>, Refused> =>
  Effect.map(
    accounts(
      query(
        `SELECT a.number AS account FROM unnest($2) WITH ORDINALITY m(id, place)
          LEFT JOIN accounts a ON a.program_id = $1 AND a.member_id = m.id ORDER BY m.place`,
        [text(program), texts(members)]
      )
    ),
    (rows) => rows.map(({ account }) => account)
  )

/** The segments that rules refer to, directly and through others. */
const Reach = Schema.Struct({
  /** Ids of referred segments that the programme does not have. */
  missing: Schema.Array(Schema.String),
  /** True if the segment would refer to itself. */
  isCircle: Schema.Boolean,
  /** Number of conditions in all referred segments, each segment counted once. */
  conditions: Schema.Number
})

/** The reach of segment `id` with these references. */
export const reachOf = (
  query: Query,
  { id, program, references }: Pick<NewSegment, "id" | "program" | "references">
): Effect.Effect<typeof Reach.Type, Refused> =>
  oneOf(Reach)(
    query(
      `WITH RECURSIVE reached AS (
            SELECT unnest($1) AS segment_id
            UNION
            SELECT r.refers_to FROM reached JOIN segment_references r ON r.segment_id = reached.segment_id
          ) SELECT ARRAY(
                SELECT w.id FROM unnest($1) w(id) WHERE w.id <> $2 AND NOT EXISTS (
                  SELECT FROM segments s WHERE s.segment_id = w.id AND s.program_id = $3)
              ) AS missing,
              coalesce(bool_or(reached.segment_id = $2), false) AS "isCircle",
              coalesce(sum(s.conditions), 0) AS conditions
            FROM reached LEFT JOIN segments s ON s.segment_id = reached.segment_id`,
      [texts(references), text(id), text(program)]
    )
  )

const Largest = Schema.Struct({ segment: Schema.String, conditions: Schema.Number })

/** Of `id` and all segments that refer to it, directly or through others: the one with the most conditions. */
export const largest = (query: Query, id: string): Effect.Effect<typeof Largest.Type | undefined, Refused> =>
  firstOf(Largest)(
    query(
      `WITH RECURSIVE naming AS (
          SELECT $1 AS segment_id
          UNION
          SELECT r.segment_id FROM naming JOIN segment_references r ON r.refers_to = naming.segment_id
        ), reached AS (
          SELECT segment_id AS whole, segment_id FROM naming
          UNION
          SELECT reached.whole, r.refers_to FROM reached JOIN segment_references r ON r.segment_id = reached.segment_id
        ) SELECT reached.whole AS segment, sum(s.conditions) AS conditions
          FROM reached JOIN segments s ON s.segment_id = reached.segment_id
          GROUP BY reached.whole ORDER BY sum(s.conditions) DESC, reached.whole LIMIT 1`,
      [text(id)]
    )
  )

/** Creates or replaces a segment; undefined if another programme has one with this id. */
export const put = Effect.fnUntraced(function* (
  query: Query,
  { accounts, conditions, id, name, program, references, rules }: NewSegment,
  now: number
): Effect.fn.Return<StoredSegment | undefined, Refused> {
  const members = [...new Set(accounts)]
  const [row] = yield* segments(
    query(
      `INSERT INTO segments (segment_id, program_id, name, rules, conditions, members, created_at, updated_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
      ON CONFLICT (segment_id) DO UPDATE SET name = excluded.name, rules = excluded.rules,
        conditions = excluded.conditions, members = excluded.members, updated_at = excluded.updated_at,
        version = segments.version + 1
        WHERE segments.program_id = excluded.program_id
      RETURNING ${columns}`,
      [text(id), text(program), text(name), json(rules ?? null), int4(conditions), int4(members.length), int8(now)]
    )
  )
  if (row === undefined) return undefined
  yield* query("DELETE FROM segment_references WHERE segment_id = $1", [text(id)])
  yield* query("DELETE FROM segment_members WHERE segment_id = $1", [text(id)])
  yield* query("INSERT INTO segment_references (segment_id, refers_to) SELECT $1, unnest($2)", [
    text(id),
    texts(references)
  ])
  yield* query("INSERT INTO segment_members (segment_id, account) SELECT $1, unnest($2)", [text(id), int8s(members)])
  return storedOf(row)
})

const exchange = oneOf(Schema.Struct({ added: Schema.Number, removed: Schema.Number }))

/** How many members another list would add to a static segment and remove from it; empty if there are none. */
export const exchanged = (
  query: Query,
  { accounts, id }: Pick<NewSegment, "accounts" | "id">
): Effect.Effect<{ readonly members_added?: number; readonly members_removed?: number }, Refused> =>
  Effect.map(
    exchange(
      query(
        `SELECT (SELECT count(*) FROM (SELECT unnest($2) EXCEPT
              SELECT account FROM segment_members WHERE segment_id = $1) a) AS added,
            (SELECT count(*) FROM segment_members WHERE segment_id = $1 AND NOT account = ANY ($2)) AS removed`,
        [text(id), int8s(accounts)]
      )
    ),
    ({ added, removed }) => ({
      ...(added === 0 ? undefined : { members_added: added }),
      ...(removed === 0 ? undefined : { members_removed: removed })
    })
  )

/**
 * Prevents the deletion of a segment until the transaction ends. Read the segment after this: it may be gone already.
 */
export const holdAgainstDeletion = (query: Query, id: string): Effect.Effect<void, Refused> =>
  Effect.asVoid(query("SELECT FROM segments WHERE segment_id = $1 FOR KEY SHARE", [text(id)]))

/** Archives a segment, or restores it. */
export const setArchived = (query: Query, id: string, isArchived: boolean, now: number): Effect.Effect<void, Refused> =>
  Effect.asVoid(
    query(
      `UPDATE segments SET archived_at = CASE WHEN $2 THEN $3 END, updated_at = $3, version = version + 1
        WHERE segment_id = $1`,
      [text(id), bool(isArchived), int8(now)]
    )
  )

/** An archived segment that the rules of a segment name; undefined: none. */
export const archivedIn = (
  query: Query,
  references: ReadonlyArray<string>
): Effect.Effect<string | undefined, Refused> =>
  Effect.map(
    query("SELECT segment_id AS id FROM segments WHERE segment_id = ANY ($1) AND archived_at IS NOT NULL LIMIT 1", [
      texts(references)
    ]),
    ([row]) => row && String(row["id"])
  )

const User = Schema.Struct({ kind: Schema.String, id: Schema.String })

/**
 * A campaign or segment that uses a segment; undefined: none. `living`: one that is not archived. Locks the segment until the transaction ends, so that
 * `holdAgainstDeletion` waits.
 */
export const usedBy = (
  query: Query,
  id: string,
  living = false
): Effect.Effect<typeof User.Type | undefined, Refused> =>
  Effect.gen(function* () {
    yield* query("SELECT FROM segments WHERE segment_id = $1 FOR UPDATE", [text(id)])
    return yield* firstOf(User)(
      query(
        `SELECT 'campaign' AS kind, campaign_id AS id FROM campaigns
          WHERE segment_id = $1 AND NOT ($2 AND archived_at IS NOT NULL)
        UNION ALL
        SELECT 'segment', r.segment_id FROM segment_references r JOIN segments s ON s.segment_id = r.segment_id
          WHERE r.refers_to = $1 AND NOT ($2 AND s.archived_at IS NOT NULL)
        UNION ALL
        SELECT 'campaign', campaign_id FROM campaign_audiences WHERE segment_id = $1 LIMIT 1`,
        [text(id), bool(living)]
      )
    )
  })

export const remove = (query: Query, id: string): Effect.Effect<void, Refused> =>
  Effect.asVoid(query("DELETE FROM segments WHERE segment_id = $1", [text(id)]))

const Previewed = Schema.Struct({ size: Schema.Number, sample: Schema.Array(Schema.String) })

/** The number of members in an audience and the ids of some, from one snapshot. */
export const preview = (
  database: Pool,
  audience: Audience,
  now: number,
  sampleSize: number
): Effect.Effect<typeof Previewed.Type, Refused> => {
  const parameters: Array<PgTypes.Parameter> = []
  const members = membersOf(audience, now, (parameter) => `$${parameters.push(parameter)}`)
  const most = `$${parameters.push(int8(sampleSize))}`
  const statement = `SELECT count(*) AS size, coalesce(array_agg(c.member_id) FILTER (WHERE c.n <= ${most}), '{}') AS sample
    FROM (SELECT m.member_id, row_number() OVER () AS n FROM (${members}) m) c`
  return oneOf(Previewed)(evaluated(database, audience, database.query(statement, parameters)))
}
