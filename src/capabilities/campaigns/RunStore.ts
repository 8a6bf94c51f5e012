/** Reads and writes runs of campaigns, their targets and outcomes (migrations/0010_campaigns.sql). */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Pool, Query } from "../../base/database/Pools.ts"
import { int8, jsonb, oneOf, optional, rowsOf } from "../../base/database/Values.ts"
import { type MailForecast, MailRefusal } from "../../contract/platform/CampaignMail.ts"
import { OutcomeStatus } from "../../contract/platform/CampaignOutcome.ts"
import { CampaignAction } from "../../contract/platform/Campaigns.ts"
import type { Refused } from "../../contract/Refused.ts"
import type { Rule } from "../../core/retention/Retention.ts"
import { dayMs } from "../../core/rules/Calendar.ts"
import type { Audience } from "../segments/Audience.ts"
import { evaluated, membersOf } from "../segments/Audience.ts"
import type { StoredCampaign } from "./CampaignStore.ts"

const { bool, json, text } = PgTypes

type All<A> = Effect.Effect<ReadonlyArray<A>, Refused>

const StoredRun = Schema.Struct({
  /** Number of the run, in the order of creation. */
  n: Schema.Number,
  id: Schema.String,
  campaign: Schema.String,
  key: optional(Schema.String),
  /** `n` of the first run with the same key: each member gets at most one grant in a scope. */
  scope: Schema.Number,
  segment: Schema.String,
  action: CampaignAction,
  /** The last account that was selected. */
  selectedTo: Schema.Number,
  /** True if all targets are selected. */
  isSelected: Schema.Boolean,
  /** Every target up to this account has an outcome. */
  doneTo: Schema.Number,
  selected: Schema.Number,
  issued: Schema.Number,
  skipped: Schema.Number,
  failed: Schema.Number,
  holdout: Schema.Number,
  limitReached: Schema.Boolean,
  /** The name of the caller that started it; undefined: the schedule did. */
  startedBy: optional(Schema.String),
  /** ms */
  startedAt: Schema.Number,
  completedAt: optional(Schema.Number),
  /** True if its targets are only those that got something or were held out (`retention`). */
  isEmptied: Schema.Boolean
})
export type StoredRun = typeof StoredRun.Type

/** A member that a run selected. */
const Target = Schema.Struct({
  account: Schema.Number,
  member: Schema.String,
  /** True if it already has a grant in the run's scope, or was held out in it. */
  isReached: Schema.Boolean
})
export type Target = typeof Target.Type

/** The outcome of a target. */
const Done = Schema.Struct({ account: Schema.Number, outcome: OutcomeStatus, code: Schema.NullOr(Schema.String) })
export type Done = typeof Done.Type

const DoneMember = Schema.Struct({ ...Done.fields, member: Schema.String, name: Schema.NullOr(Schema.String) })
export type DoneMember = typeof DoneMember.Type

/** True of a campaign `c` that had ended at $1, ms. */
const hasEnded = `CASE WHEN c.ends_at IS NULL AND c.archived_at IS NULL
    THEN c.next_at IS NULL AND NOT EXISTS (SELECT FROM campaign_runs o WHERE o.campaign_id = c.campaign_id
      AND (o.completed_at IS NULL OR o.completed_at >= $1))
    ELSE least(c.ends_at, c.archived_at) < $1 END`

const runColumns = `r.n, r.run_id AS id, r.campaign_id AS campaign, r.run_key AS key, r.scope, r.segment_id AS segment,
  r.action, r.selected_to AS "selectedTo", r.is_selected AS "isSelected", r.done_to AS "doneTo", r.selected, r.issued,
  r.skipped, r.failed, r.holdout, r.limit_reached AS "limitReached", r.started_by AS "startedBy",
  r.started_at AS "startedAt", r.completed_at AS "completedAt", r.emptied_to IS DISTINCT FROM 0 AS "isEmptied"`

/**
 * A campaign has ended at its end or when it was archived; one without either when its last run was complete, unless another run
 * is planned. What got something or was held out stays: it says to whom nothing more is given, and reports count it.
 */
export const retention: Rule = {
  kept: "campaign_targets",
  clock: "service",
  deletes: `WITH own AS MATERIALIZED (
      SELECT r.n, r.emptied_to FROM campaign_runs r JOIN campaigns c ON c.campaign_id = r.campaign_id
      WHERE r.emptied_to IS NOT NULL AND r.completed_at < $1 AND ${hasEnded}
      ORDER BY r.completed_at LIMIT 1
    ), seen AS MATERIALIZED (
      SELECT t.run, t.account, t.outcome FROM own CROSS JOIN LATERAL (
          SELECT * FROM campaign_targets t WHERE t.run = own.n AND t.account > own.emptied_to ORDER BY t.account LIMIT $2) t
    ), gone AS (
      DELETE FROM campaign_targets t USING seen s
        WHERE t.run = s.run AND t.account = s.account AND coalesce(s.outcome, 'skipped') IN ('skipped', 'failed') RETURNING 1
    ), moved AS (
      UPDATE campaign_runs r SET emptied_to = CASE WHEN (SELECT count(*) FROM seen) = $2 THEN (SELECT max(account) FROM seen) END
        FROM own WHERE r.n = own.n RETURNING 1
    )
    SELECT (SELECT count(*) FROM gone) AS deleted, EXISTS (SELECT FROM moved) AS more`,
  oldest: `SELECT min(r.completed_at) AS oldest FROM campaign_runs r JOIN campaigns c ON c.campaign_id = r.campaign_id
    WHERE r.emptied_to IS NOT NULL AND c.next_at IS NULL`
}

const runs = rowsOf(StoredRun)
const targets = rowsOf(Target)
const doneMembers = rowsOf(DoneMember)
const writing = oneOf(Schema.Struct({ written: Schema.Literals(["recorded", "replaced"]) }))

const startStatement = `WITH earlier AS (
    SELECT min(n) AS n FROM campaign_runs
    WHERE campaign_id = $2 AND run_key IS NOT DISTINCT FROM $3
  ), own AS (SELECT nextval(pg_get_serial_sequence('campaign_runs', 'n')) AS n)
  INSERT INTO campaign_runs AS r (n, run_id, campaign_id, run_key, scope, segment_id, action, started_by, started_at)
    OVERRIDING SYSTEM VALUE
    SELECT own.n, $1, $2, $3, coalesce(earlier.n, own.n), $4, $5, $6, $7
    FROM earlier, own`

/**
 * The unfinished run of a campaign with this key (undefined: no key), or a new run. Requires: the campaign is locked.
 */
export const start = Effect.fnUntraced(function* (
  query: Query,
  { action, id, segment }: StoredCampaign,
  key: string | undefined,
  newId: string,
  by: string | undefined,
  now: number
): Effect.fn.Return<StoredRun, Refused> {
  const unfinishedStatement = `SELECT ${runColumns} FROM campaign_runs r WHERE r.campaign_id = $1
    AND r.run_key IS NOT DISTINCT FROM $2 AND r.completed_at IS NULL`
  const unfinishedRun = runs(query(unfinishedStatement, [text(id), text(key ?? null)]))
  const [before] = yield* unfinishedRun
  if (before !== undefined) return before
  yield* query(startStatement, [
    text(newId),
    text(id),
    text(key ?? null),
    text(segment ?? ""),
    jsonb(action),
    text(by ?? null),
    int8(now)
  ])
  const [made] = yield* unfinishedRun
  if (made === undefined) throw new Error(`run ${newId} was made`)
  return made
})

const newRoundStatement = `SELECT coalesce(bool_and(run_key IS DISTINCT FROM $2), $2 IS NOT NULL) AS "isNewRound"
  FROM campaign_runs WHERE campaign_id = $1`
const newRoundRow = oneOf(Schema.Struct({ isNewRound: Schema.Boolean }))

/** True if a run gives to members of earlier runs again: its key is new, or it has none and all before it had one. */
export const isNewRound = (query: Query, campaign: string, key: string | undefined): Effect.Effect<boolean, Refused> =>
  Effect.map(newRoundRow(query(newRoundStatement, [text(campaign), text(key ?? null)])), (row) => row.isNewRound)

/** A run of a campaign by its id. */
export const find = (query: Query, campaign: string, id: string): Effect.Effect<StoredRun | undefined, Refused> =>
  Effect.map(
    runs(
      query(`SELECT ${runColumns} FROM campaign_runs r WHERE r.run_id = $1 AND r.campaign_id = $2`, [
        text(id),
        text(campaign)
      ])
    ),
    ([run]) => run
  )

/** A run of a programme by its id. */
export const ofProgram = (query: Query, program: string, id: string): Effect.Effect<StoredRun | undefined, Refused> =>
  Effect.map(
    runs(
      query(
        `SELECT ${runColumns} FROM campaign_runs r JOIN campaigns c ON c.campaign_id = r.campaign_id
          WHERE r.run_id = $1 AND c.program_id = $2`,
        [text(id), text(program)]
      )
    ),
    ([run]) => run
  )

/** Newest first. */
export const list = (
  query: Query,
  campaign: string,
  { after, limit }: { readonly after: number | undefined; readonly limit: number }
): All<StoredRun> =>
  runs(
    query(
      `SELECT ${runColumns} FROM campaign_runs r WHERE r.campaign_id = $1 AND r.n < $2 ORDER BY r.n DESC LIMIT $3`,
      [text(campaign), int8(after ?? Number.MAX_SAFE_INTEGER), int8(limit)]
    )
  )

/** The oldest unfinished run of each active campaign. */
export const unfinished = (query: Query): All<StoredRun> =>
  runs(
    query(`SELECT DISTINCT ON (r.campaign_id) ${runColumns} FROM campaign_runs r
      JOIN campaigns c ON c.campaign_id = r.campaign_id
      WHERE r.completed_at IS NULL AND c.status = 'active' ORDER BY r.campaign_id, r.n`)
  )

/**
 * Selects the next members of an audience as targets, at most `limit`. Does nothing if another call has selected them.
 */
export const select = (
  database: Pool,
  run: StoredRun,
  audience: Audience,
  limit: number
): Effect.Effect<void, Refused> => {
  const parameters: Array<unknown> = []
  const place = (value: unknown): string => `$${parameters.push(value)}`
  const members = membersOf(audience, run.startedAt, place)
  const integer = (value: number) => place(int8(value))
  const statement = `WITH page AS MATERIALIZED (
      SELECT m.account, m.member_id FROM (${members}) m WHERE m.account > ${integer(run.selectedTo)}
      ORDER BY m.account LIMIT ${integer(limit)}
    ), added AS (
      INSERT INTO campaign_targets (run, account, scope, member_id)
        SELECT ${integer(run.n)}, p.account, ${integer(run.scope)}, p.member_id FROM page p ON CONFLICT DO NOTHING
    )
    UPDATE campaign_runs r SET selected = r.selected + seen.members, selected_to = coalesce(seen.last, r.selected_to),
        is_selected = seen.members < ${integer(limit)}
      FROM (SELECT count(*) AS members, max(account) AS last FROM page) seen
      WHERE r.n = ${integer(run.n)} AND r.selected_to = ${integer(run.selectedTo)}`
  return Effect.asVoid(evaluated(database, audience, database.query(statement, parameters)))
}

/** Ends the selection of a run. */
export const endSelection = (query: Query, { n }: StoredRun): Effect.Effect<void, Refused> =>
  Effect.asVoid(query("UPDATE campaign_runs SET is_selected = true WHERE n = $1", [int8(n)]))

/** The next targets without an outcome, sorted by account. */
export const pending = (query: Query, { doneTo, n }: StoredRun, limit: number): All<Target> =>
  targets(
    query(
      `SELECT t.account, t.member_id AS member, EXISTS (SELECT FROM campaign_targets b
          WHERE b.scope = t.scope AND b.account = t.account AND b.outcome IN ('issued', 'holdout')) AS "isReached"
        FROM campaign_targets t WHERE t.run = $1 AND t.account > $2 AND t.outcome IS NULL ORDER BY t.account LIMIT $3`,
      [int8(n), int8(doneTo), int8(limit)]
    )
  )

export interface RunProgress {
  readonly done: ReadonlyArray<Done>
  /** Every target up to this account has an outcome; undefined: unchanged. */
  readonly doneTo?: number | undefined
  readonly reachedLimit?: boolean
  readonly completes?: boolean
}

/** Writes outcomes, all or none. False if node `holder` was declared dead (undefined: not compared): nothing was written. */
export const record = (
  query: Query,
  holder: string | undefined,
  { n }: StoredRun,
  { completes = false, done, doneTo, reachedLimit = false }: RunProgress,
  now: number
): Effect.Effect<boolean, Refused> =>
  Effect.map(
    writing(
      query("SELECT record_campaign_outcomes($1, $2, $3, $4, $5, $6, $7) AS written", [
        text(holder ?? null),
        int8(n),
        int8(doneTo ?? null),
        int8(now),
        json(done),
        bool(reachedLimit),
        bool(completes)
      ])
    ),
    ({ written }) => written === "recorded"
  )

const ForecastCounts = Schema.Struct({
  selected: Schema.Number,
  /** Members with a grant in the scope, or held out in it. */
  reached: Schema.Number,
  /** Of the others, those that the frequency allows nothing more. */
  often: Schema.Number,
  /** Of the rest, guests by the reason why they would get no mail; empty: they would. Undefined: there is no mail. */
  mail: optional(Schema.Record(Schema.String, Schema.Number))
})
const forecastCounts = oneOf(ForecastCounts)

/** The mail of those whom a run would reach: who would get it (''), and why the others would not. */
const mailColumn = (campaign: string) => `(SELECT coalesce(jsonb_object_agg(refusal, n), '{}') FROM (
      SELECT coalesce(CASE WHEN EXISTS (SELECT FROM campaign_mails m
          WHERE m.campaign_id = ${campaign} AND m.account = s.account) THEN 'already_mailed' ELSE mail_refusal(s.account) END, '')
        AS refusal, count(*) AS n FROM seen s WHERE NOT s."inScope" AND NOT s.often GROUP BY 1) r) AS mail`

/** Counts whom a run with this key (undefined: no key) would skip now. A merged member counts for the one that remains. */
export const forecast = (
  database: Pool,
  { frequency, id, mail }: StoredCampaign,
  audience: Audience,
  key: string | undefined,
  now: number
): Effect.Effect<Omit<typeof ForecastCounts.Type, "mail"> & { readonly mail: MailForecast | undefined }, Refused> => {
  const parameters: Array<unknown> = []
  const place = (value: unknown): string => `$${parameters.push(value)}`
  const members = membersOf(audience, now, place)
  const since = frequency === undefined ? now : now - frequency.days * dayMs
  const campaign = place(text(id))
  const statement = `WITH grants AS (
      SELECT coalesce(m.into_account, t.account) AS account,
        bool_or(r.run_key IS NOT DISTINCT FROM ${place(text(key ?? null))}) AS "inScope",
        count(*) FILTER (WHERE t.at > ${place(int8(since))}) AS recent
      FROM campaign_runs r JOIN campaign_targets t ON t.run = r.n AND t.outcome IN ('issued', 'holdout')
        LEFT JOIN rollup_merges m ON m.account = t.account
      WHERE r.campaign_id = ${campaign} GROUP BY 1
    ), seen AS MATERIALIZED (
      SELECT a.account, coalesce(g."inScope", false) AS "inScope",
          coalesce(g.recent >= ${place(int8(frequency?.times ?? null))}, false) AS often
        FROM (${members}) a LEFT JOIN grants g ON g.account = a.account
    ) SELECT count(*) AS selected, count(*) FILTER (WHERE "inScope") AS reached,
        count(*) FILTER (WHERE NOT "inScope" AND often) AS often,
        ${mail === undefined ? "NULL AS mail" : mailColumn(campaign)} FROM seen`
  return Effect.map(
    forecastCounts(evaluated(database, audience, database.query(statement, parameters))),
    ({ mail: mails, ...counts }) => ({ ...counts, mail: mails === undefined ? undefined : mailForecast(mails) })
  )
}

const mailForecast = (counts: Readonly<Record<string, number>>): MailForecast => ({
  open: counts[""] ?? 0,
  without: MailRefusal.literals.flatMap((code) => {
    const count = counts[code] ?? 0
    return count === 0 ? [] : [{ code, count }]
  })
})

/** Outcomes of a run, sorted by account. `outcome` undefined: all. */
export const outcomes = (
  query: Query,
  { n }: StoredRun,
  {
    after,
    limit,
    outcome
  }: { readonly after: number | undefined; readonly limit: number; readonly outcome?: OutcomeStatus | undefined }
): All<DoneMember> =>
  doneMembers(
    query(
      `SELECT t.account, t.member_id AS member, t.outcome, t.code, p.display_name AS name
        FROM campaign_targets t LEFT JOIN profiles p ON p.account = t.account
        WHERE t.run = $1 AND t.account > $2 AND t.outcome IS NOT NULL AND ($4::text IS NULL OR t.outcome = $4)
        ORDER BY t.account LIMIT $3`,
      [int8(n), int8(after ?? -1), int8(limit), text(outcome ?? null)]
    )
  )
