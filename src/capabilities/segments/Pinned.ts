/**
 * The audiences of active campaigns (contract/engagement.md *Changes of an active audience*). A change of a segment by
 * somebody who may not give first pins all segments of each active campaign that uses it, as they are; the campaign uses
 * the pinned ones until somebody who may give confirms. Invariant: a campaign has all segments of its audience pinned,
 * or none.
 */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Pool, Query } from "../../base/database/Pools.ts"
import { int8, oneOf, optional, rowsOf, texts } from "../../base/database/Values.ts"
import { CampaignAction } from "../../contract/platform/Campaigns.ts"
import { Rules } from "../../contract/platform/Rules.ts"
import type { Refused } from "../../contract/Refused.ts"
import { said } from "../../contract/Said.ts"
import type { Program } from "../../core/rules/Program.ts"
import { refuse } from "../../desk/surface/Refusal.ts"
import type { Audience } from "./Audience.ts"
import { evaluated, membersOf, ofSegment } from "./Audience.ts"
import { ruleOf } from "./Rules.ts"

const { text } = PgTypes

/** A campaign with the segment that it is for. */
export interface Aimed {
  readonly id: string
  readonly segment: string
}

/** A campaign that may give. */
interface Giving extends Aimed {
  readonly name: string
  readonly isTriggered: boolean
  readonly action: CampaignAction
  /** The user counted for its gifts (`capabilities/campaigns/Caused.ts`); undefined: nobody alone, or no limit. */
  readonly countedBy: string | undefined
}

const pinnedRows = rowsOf(Schema.Struct({ segment_id: Schema.String, rules: optional(Rules) }))
const givingRows = rowsOf(
  Schema.Struct({
    id: Schema.String,
    name: Schema.String,
    segment: Schema.String,
    isTriggered: Schema.Boolean,
    action: CampaignAction,
    countedBy: optional(Schema.String)
  })
)
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

/**
 * SQL that is true of a campaign `c` that may give: an active or paused one, since a pause is ended and begun without
 * changing it, that has neither ended nor used up its limit. `now`: a placeholder.
 */
export const mayStillGive = (now: string): string => `c.status IN ('active', 'paused') AND c.archived_at IS NULL
  AND (c.ends_at IS NULL OR c.ends_at > ${now}
    OR EXISTS (SELECT FROM campaign_runs r WHERE r.campaign_id = c.campaign_id AND r.completed_at IS NULL))
  AND NOT EXISTS (
    SELECT FROM (
      SELECT c.triggered_grants + coalesce(sum(r.issued), 0) AS granted,
        c.triggered_points + coalesce(sum(r.issued * (r.action -> 'credit' ->> 'amount')::bigint), 0) AS credited
      FROM campaign_runs r WHERE r.campaign_id = c.campaign_id
    ) g WHERE g.granted >= c.limit_rewards OR g.credited + (c.action -> 'credit' ->> 'amount')::bigint > c.limit_amount)`

/** SQL that is true of a campaign `c` that has a limit of what it gives in all. */
export const isLimited = `(c.limit_rewards IS NOT NULL OR (c.limit_amount IS NOT NULL AND c.action ? 'credit'))`

// A run that has not selected its targets goes on with the segment that it began with.
const givingStatement = `WITH giving AS (
    SELECT c.n, c.campaign_id AS id, c.name, c.segment_id AS segment, c.trigger IS NOT NULL AS "isTriggered", c.action,
      CASE WHEN ${isLimited} THEN nullif(c.counted_by, '') END AS "countedBy"
    FROM campaigns c WHERE c.program_id = $1 AND ${mayStillGive("$2")}
  ) SELECT id, name, segment, "isTriggered", action, "countedBy" FROM (
    SELECT * FROM giving
    UNION SELECT g.n, g.id, g.name, r.segment_id, g."isTriggered", g.action, g."countedBy" FROM giving g
      JOIN campaign_runs r ON r.campaign_id = g.id
      WHERE r.completed_at IS NULL AND NOT r.is_selected
  ) a WHERE segment <> '' AND EXISTS (SELECT FROM segments s WHERE s.segment_id = segment) ORDER BY n, segment`

/** The campaigns that may give to a segment, each with the audience that it uses. */
const giving = (query: Query, program: Program, now: number) =>
  Effect.flatMap(givingRows(query(givingStatement, [text(program.id), int8(now)])), (all) =>
    Effect.forEach(all, (one: Giving) => Effect.map(ofCampaign(query, program, one), (audience) => ({ one, audience })))
  )

/** The campaigns that may give and whose audience has a segment. */
export const usersOf = (
  query: Query,
  program: Program,
  segment: string,
  now: number
): Effect.Effect<ReadonlyArray<Giving>, Refused> =>
  Effect.map(giving(query, program, now), (all) =>
    all.flatMap(({ audience, one }) => (audience.named.has(segment) ? [one] : []))
  )

/** The audiences of the campaigns that may give: those that they use, and those that wait for a confirmation. */
export const audiencesOf = Effect.fnUntraced(function* (query: Query, program: Program, now: number) {
  const used = yield* giving(query, program, now)
  const pinned = used.filter(({ audience }) => audience.pinnedBy !== undefined)
  const waiting = yield* Effect.forEach(pinned, ({ one }) =>
    Effect.map(ofSegment(query, program, one.segment), (audience) => ({ one, audience }))
  )
  return [...used, ...waiting]
})

const mayGiveNow = `c.status = 'active' AND ${mayStillGive("$5")}`

// A draft, or what has ended, is counted anew before it gives to others. The version of what gives nothing now goes up:
// its audience is not the one that somebody looked at to have it give.
const redefinedStatement = `WITH RECURSIVE naming AS (
    SELECT $2 AS segment_id
    UNION
    SELECT r.segment_id FROM naming JOIN segment_references r ON r.refers_to = naming.segment_id
  ) UPDATE campaigns c SET version = version + CASE WHEN ${mayGiveNow} THEN 0 ELSE 1 END,
      counted_by = CASE WHEN $3 = '' OR counted_by = $3 THEN counted_by END
    WHERE program_id = $1 AND segment_id IN (SELECT segment_id FROM naming)
      AND (NOT (${mayGiveNow}) OR ($3 <> '' AND counted_by <> $3)) AND NOT campaign_id = ANY ($4)`

/**
 * A segment got other rules or members, for its campaigns other than those where the change waits. `by`: the caller, if
 * it is not counted for what they give.
 */
export const redefined = (
  query: Query,
  program: Program,
  segment: string,
  by: string | undefined,
  waiting: ReadonlyArray<Aimed>,
  now: number
): Effect.Effect<void, Refused> =>
  Effect.asVoid(
    query(redefinedStatement, [
      text(program.id),
      text(segment),
      text(by ?? ""),
      texts(waiting.map(({ id }) => id)),
      int8(now)
    ])
  )

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

const nameOf = Effect.fnUntraced(function* (query: Query, program: Program, one: Aimed, version: string) {
  const { named } = yield* ofSegment(query, program, one.segment)
  const statement = `SELECT md5(concat_ws(';',
      (SELECT string_agg(n || ' ' || version, ',' ORDER BY n) FROM segments WHERE segment_id = ANY ($1)),
      (SELECT concat_ws(' ', max(n), count(completed_at)) FROM imports WHERE program_id = $2),
      (SELECT count(*) FROM imports i JOIN import_rows r ON r.import = i.n WHERE i.completed_at IS NULL), $3)) AS seen`
  return (yield* seenOf(query(statement, [texts([...named.keys()]), text(program.id), text(version)]))).seen
})

/** Names the segments of a campaign's next audience as they are: each change of one, and each import, gives another name. */
export const defined = (query: Query, program: Program, one: Aimed) => nameOf(query, program, one, "")

/** Names that audience as it is: as `defined`, and each version of the programme, whose tiers decide, gives another. */
export const seen = (query: Query, program: Program, one: Aimed) => nameOf(query, program, one, String(program.version))

/** Refuses to act on another audience than one that was seen. */
export const mustBeSeen = Effect.fnUntraced(function* (query: Query, program: Program, one: Aimed, expected: string) {
  if ((yield* seen(query, program, one)) !== expected)
    return yield* refuse("conflict", said`The audience of ${one.id} has changed since; preview it again.`, [
      { path: "/seen", message: "is not of the audience as it is now" }
    ])
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
