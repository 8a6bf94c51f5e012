/**
 * The audiences of active campaigns (contract/engagement.md *Changes of an active audience*). A change of a segment by
 * somebody who may not give first pins all segments of each active campaign that uses it, as they are; the campaign uses
 * the pinned ones until somebody who may give confirms. Invariant: a campaign has all segments of its audience pinned,
 * or none.
 */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Pool, Query } from "../database/Pools.ts"
import { int8, oneOf, optional, rowsOf, texts } from "../database/Values.ts"
import type { Refused } from "../contract/admin/Common.ts"
import { Rules } from "../contract/platform/Rules.ts"
import type { Program } from "../program/Program.ts"
import type { Audience } from "./Audience.ts"
import { evaluated, membersOf, ofSegment } from "./Audience.ts"
import { conditionsOf, ruleOf } from "./Rules.ts"

const { text } = PgTypes

/** A campaign with the segment that it is for. */
export interface Aimed {
  readonly id: string
  readonly segment: string
}

const pinnedRows = rowsOf(Schema.Struct({ segment_id: Schema.String, rules: optional(Rules) }))
const aimedRows = rowsOf(Schema.Struct({ id: Schema.String, segment: Schema.String }))
const idRows = rowsOf(Schema.Struct({ segment_id: Schema.String }))

/** The audience that a campaign uses. */
export const ofCampaign = Effect.fnUntraced(function* (
  query: Query,
  program: Program,
  { id, segment }: Aimed
): Effect.fn.Return<Audience, Refused> {
  const rows = yield* pinnedRows(
    query("SELECT segment_id, rules FROM campaign_audiences WHERE campaign_id = $1", [text(id)])
  )
  const named = new Map(rows.map((row) => [row.segment_id, row.rules && ruleOf(row.rules)]))
  return named.has(segment)
    ? { program, id: segment, rule: named.get(segment), named, pinnedBy: id }
    : yield* ofSegment(query, program, segment)
})

// A run that has not selected its targets goes on with the segment that it began with.
const aimedStatement = `WITH aimed AS (
    SELECT n, campaign_id AS id, segment_id AS segment FROM campaigns
      WHERE program_id = $1 AND status = ANY ($2) AND archived_at IS NULL
  ) SELECT id, segment FROM (
    SELECT n, id, segment FROM aimed
    UNION SELECT aimed.n, aimed.id, r.segment_id FROM aimed JOIN campaign_runs r ON r.campaign_id = aimed.id
      WHERE r.completed_at IS NULL AND NOT r.is_selected
  ) a WHERE segment <> '' AND EXISTS (SELECT FROM segments s WHERE s.segment_id = segment) ORDER BY n, segment`

/** The campaigns of these statuses with a segment, each with its audience. */
const aimed = (query: Query, program: Program, statuses: ReadonlyArray<string>) =>
  Effect.flatMap(aimedRows(query(aimedStatement, [text(program.id), texts(statuses)])), (all) =>
    Effect.forEach(all, (one) => Effect.map(ofCampaign(query, program, one), (audience) => ({ one, audience })))
  )

/** The active campaigns whose audience has a segment. */
export const usersOf = (
  query: Query,
  program: Program,
  segment: string
): Effect.Effect<ReadonlyArray<Aimed>, Refused> =>
  Effect.map(aimed(query, program, ["active"]), (all) =>
    all.flatMap(({ audience, one }) => (audience.named.has(segment) ? [one] : []))
  )

/** The attributes that audiences ask for, of active campaigns and of those that were paused, which needs no scope to give. */
export const attributesOf = (query: Query, program: Program): Effect.Effect<ReadonlySet<string>, Refused> =>
  Effect.map(aimed(query, program, ["active", "paused"]), (all) => {
    const rules = all.flatMap(({ audience }) => [...audience.named.values()].filter((one) => one !== undefined))
    return new Set(rules.flatMap(conditionsOf).flatMap((one) => (one.type === "attribute" ? [one.name] : [])))
  })

const pinStatement = `INSERT INTO campaign_audiences (campaign_id, segment_id, rules, version)
  SELECT $1, segment_id, rules, version FROM segments WHERE segment_id = ANY ($2) ON CONFLICT DO NOTHING
  RETURNING segment_id`
const pinMembersStatement = `INSERT INTO campaign_audience_members (campaign_id, segment_id, account)
  SELECT $1, segment_id, account FROM segment_members WHERE segment_id = ANY ($2) ON CONFLICT DO NOTHING`

/** Pins the segments of a campaign as they are, those that it has not pinned yet. Requires: a transaction. */
export const pin = Effect.fnUntraced(function* (query: Query, program: Program, one: Aimed) {
  const { named } = yield* ofSegment(query, program, one.segment)
  const pinned = yield* idRows(query(pinStatement, [text(one.id), texts([...named.keys()])]))
  yield* query(pinMembersStatement, [text(one.id), texts(pinned.map(({ segment_id }) => segment_id))])
})

/** Ends the pins of a campaign: it uses its segments as they are. */
export const release = (query: Query, campaign: string): Effect.Effect<void, Refused> =>
  Effect.asVoid(query("DELETE FROM campaign_audiences WHERE campaign_id = $1", [text(campaign)]))

/** The segments whose changes a campaign does not use yet. */
export const pendingOf = (query: Query, campaign: string): Effect.Effect<ReadonlyArray<string>, Refused> =>
  Effect.map(
    idRows(
      query(
        `SELECT p.segment_id FROM campaign_audiences p LEFT JOIN segments s ON s.segment_id = p.segment_id
          WHERE p.campaign_id = $1 AND s.version IS DISTINCT FROM p.version ORDER BY p.segment_id`,
        [text(campaign)]
      )
    ),
    (rows) => rows.map(({ segment_id }) => segment_id)
  )

/** A segment was changed by somebody who may give: the change holds at once, also where other changes wait. */
export const follow = Effect.fnUntraced(function* (query: Query, program: Program, one: Aimed, segment: string) {
  const pinned = yield* idRows(
    query("DELETE FROM campaign_audiences WHERE campaign_id = $1 AND segment_id = $2 RETURNING segment_id", [
      text(one.id),
      text(segment)
    ])
  )
  if (pinned.length === 0) return
  const { named } = yield* ofSegment(query, program, segment)
  const added = yield* idRows(query(pinStatement, [text(one.id), texts([...named.keys()])]))
  yield* query(pinMembersStatement, [text(one.id), texts(added.map(({ segment_id }) => segment_id))])
  if ((yield* pendingOf(query, one.id)).length === 0) yield* release(query, one.id)
})

/** A segment was changed without its definition, such as by name. */
export const keep = (query: Query, segment: string, before: number): Effect.Effect<void, Refused> =>
  Effect.asVoid(
    query(
      `UPDATE campaign_audiences p SET version = s.version FROM segments s
        WHERE s.segment_id = p.segment_id AND p.segment_id = $1 AND p.version = $2`,
      [text(segment), int8(before)]
    )
  )

const seenOf = oneOf(Schema.Struct({ seen: Schema.String }))

/** Names the segments of a campaign's next audience as they are: each change of one gives another name. */
export const seen = Effect.fnUntraced(function* (query: Query, program: Program, one: Aimed) {
  const { named } = yield* ofSegment(query, program, one.segment)
  const statement = `SELECT md5(string_agg(n || ' ' || version, ',' ORDER BY n)) AS seen
    FROM segments WHERE segment_id = ANY ($1)`
  return (yield* seenOf(query(statement, [texts([...named.keys()])]))).seen
})

const Compared = Schema.Struct({
  comes: Schema.Number,
  goes: Schema.Number,
  comes_sample: Schema.Array(Schema.String),
  goes_sample: Schema.Array(Schema.String)
})
const comparedOf = oneOf(Compared)

/** The most members of a sample. */
const sampled = 25

/** The members who come and who go once the changes of a campaign's audience are confirmed. */
export const compared = Effect.fnUntraced(function* (
  database: Pool,
  program: Program,
  one: Aimed,
  now: number
): Effect.fn.Return<typeof Compared.Type, Refused> {
  const used = yield* ofCampaign(database.query, program, one)
  const next = yield* ofSegment(database.query, program, one.segment)
  const parameters: Array<PgTypes.Parameter> = []
  const place = (value: PgTypes.Parameter): string => `$${parameters.push(value)}`
  const sample = (condition: string) =>
    `coalesce((array_agg(coalesce(b.member_id, a.member_id) ORDER BY coalesce(b.account, a.account))
      FILTER (WHERE ${condition}))[:${sampled}], '{}')`
  const statement = `SELECT count(*) FILTER (WHERE a.account IS NULL) AS comes,
      count(*) FILTER (WHERE b.account IS NULL) AS goes,
      ${sample("a.account IS NULL")} AS comes_sample, ${sample("b.account IS NULL")} AS goes_sample
    FROM (${membersOf(used, now, place)}) a FULL JOIN (${membersOf(next, now, place)}) b ON b.account = a.account
    WHERE a.account IS NULL OR b.account IS NULL`
  return yield* comparedOf(evaluated(database, next, database.query(statement, parameters)))
})
