/** Reads and writes runs of campaigns, their targets and outcomes (migrations/0010_campaigns.sql). */
import { PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import type { AdminDatabase, AdminQuery, Row } from "../surface/AdminDatabase.ts"
import type { Refused } from "../contract/admin/Common.ts"
import type { Action, OutcomeStatus } from "../contract/platform/Campaigns.ts"
import type { Audience } from "../segments/Audience.ts"
import { evaluated, membersOf } from "../segments/Audience.ts"
import type { StoredCampaign } from "./CampaignStore.ts"
import { numberOf, orNull, textOf } from "./Columns.ts"

const { float8, text } = PgTypes

type All<A> = Effect.Effect<ReadonlyArray<A>, Refused>

export interface StoredRun {
  /** Number of the run, in the order of creation. */
  readonly n: number
  readonly id: string
  readonly campaign: string
  readonly key: string | undefined
  /** `n` of the first run with the same key: each member gets at most one grant in a scope. */
  readonly scope: number
  readonly segment: string
  readonly action: Action
  /** The last account that was selected. */
  readonly selectedTo: number
  /** True if all targets are selected. */
  readonly isSelected: boolean
  /** Every target up to this account has an outcome. */
  readonly doneTo: number
  readonly selected: number
  readonly issued: number
  readonly skipped: number
  readonly failed: number
  readonly holdout: number
  readonly limitReached: boolean
  /** The name of the caller that started it; undefined: the schedule did. */
  readonly startedBy: string | undefined
  /** ms */
  readonly startedAt: number
  readonly completedAt: number | undefined
}

/** A member that a run selected. */
export interface Target {
  readonly account: number
  readonly member: string
  /** True if it already has a grant in the run's scope. */
  readonly isReached: boolean
}

/** The outcome of a target. */
export interface Done {
  readonly account: number
  readonly outcome: OutcomeStatus
  readonly code: string | null
}

export interface DoneMember extends Done {
  readonly member: string
}

const runColumns = `r.n::float8 AS n, r.run_id, r.campaign_id, r.run_key, r.scope::float8 AS scope, r.segment_id,
  r.action::text AS action, r.selected_to::float8 AS selected_to, r.is_selected, r.done_to::float8 AS done_to,
  r.selected::float8 AS selected, r.issued::float8 AS issued, r.skipped::float8 AS skipped, r.failed::float8 AS failed,
  r.holdout::float8 AS holdout, r.limit_reached, r.started_by, r.started_at::float8 AS started_at,
  r.completed_at::float8 AS completed_at`

const runOf = (row: Row): StoredRun => ({
  n: Number(row["n"]),
  id: String(row["run_id"]),
  campaign: String(row["campaign_id"]),
  key: textOf(row["run_key"]),
  scope: Number(row["scope"]),
  segment: String(row["segment_id"]),
  action: JSON.parse(String(row["action"])) as Action,
  selectedTo: Number(row["selected_to"]),
  isSelected: row["is_selected"] === true,
  doneTo: Number(row["done_to"]),
  selected: Number(row["selected"]),
  issued: Number(row["issued"]),
  skipped: Number(row["skipped"]),
  failed: Number(row["failed"]),
  holdout: Number(row["holdout"]),
  limitReached: row["limit_reached"] === true,
  startedBy: textOf(row["started_by"]),
  startedAt: Number(row["started_at"]),
  completedAt: numberOf(row["completed_at"])
})

const startStatement = `WITH earlier AS (
    SELECT min(n) AS n FROM campaign_runs
    WHERE campaign_id = $2::text AND run_key IS NOT DISTINCT FROM $3::text
  ), own AS (SELECT nextval(pg_get_serial_sequence('campaign_runs', 'n')) AS n)
  INSERT INTO campaign_runs AS r (n, run_id, campaign_id, run_key, scope, segment_id, action, started_by, started_at)
    OVERRIDING SYSTEM VALUE
    SELECT own.n, $1::text, $2::text, $3::text, coalesce(earlier.n, own.n), $4::text, $5::text::jsonb, $6::text, $7::float8::bigint
    FROM earlier, own`

/**
 * The unfinished run of a campaign with this key (undefined: no key), or a new run. Requires: the campaign is locked.
 */
export const start = Effect.fnUntraced(function* (
  query: AdminQuery,
  { action, id, segment }: StoredCampaign,
  key: string | undefined,
  newId: string,
  by: string | undefined,
  now: number
): Effect.fn.Return<StoredRun, Refused> {
  const unfinishedStatement = `SELECT ${runColumns} FROM campaign_runs r WHERE r.campaign_id = $1::text
    AND r.run_key IS NOT DISTINCT FROM $2::text AND r.completed_at IS NULL`
  const [before] = yield* query(unfinishedStatement, [text(id), text(key ?? null)])
  if (before !== undefined) return runOf(before)
  yield* query(startStatement, [
    text(newId),
    text(id),
    text(key ?? null),
    text(segment),
    text(JSON.stringify(action)),
    text(by ?? null),
    float8(now)
  ])
  const [made] = yield* query(unfinishedStatement, [text(id), text(key ?? null)])
  if (made === undefined) throw new Error(`run ${newId} was made`)
  return runOf(made)
})

/** A run of a campaign by its id. */
export const find = (query: AdminQuery, campaign: string, id: string): Effect.Effect<StoredRun | undefined, Refused> =>
  Effect.map(
    query(`SELECT ${runColumns} FROM campaign_runs r WHERE r.run_id = $1::text AND r.campaign_id = $2::text`, [
      text(id),
      text(campaign)
    ]),
    ([row]) => (row === undefined ? undefined : runOf(row))
  )

/** Newest first. */
export const list = (
  query: AdminQuery,
  campaign: string,
  { after, limit }: { readonly after: number | undefined; readonly limit: number }
): All<StoredRun> =>
  Effect.map(
    query(
      `SELECT ${runColumns} FROM campaign_runs r WHERE r.campaign_id = $1::text AND r.n < $2::float8::bigint
        ORDER BY r.n DESC LIMIT $3::float8::bigint`,
      [text(campaign), float8(after ?? Number.MAX_SAFE_INTEGER), float8(limit)]
    ),
    (rows) => rows.map(runOf)
  )

/** The oldest unfinished run of each active campaign. */
export const unfinished = (query: AdminQuery): All<StoredRun> =>
  Effect.map(
    query(`SELECT DISTINCT ON (r.campaign_id) ${runColumns} FROM campaign_runs r
      JOIN campaigns c ON c.campaign_id = r.campaign_id
      WHERE r.completed_at IS NULL AND c.status = 'active' ORDER BY r.campaign_id, r.n`),
    (rows) => rows.map(runOf)
  )

/**
 * Selects the next members of an audience as targets, at most `limit`. Does nothing if another call has selected them.
 */
export const select = (
  database: AdminDatabase["Service"],
  run: StoredRun,
  audience: Audience,
  limit: number
): Effect.Effect<void, Refused> => {
  const parameters: Array<unknown> = []
  const place = (value: unknown): string => `$${parameters.push(value)}`
  const members = membersOf(audience, run.startedAt, place)
  const integer = (value: number) => `${place(float8(value))}::float8::bigint`
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
export const endSelection = (query: AdminQuery, { n }: StoredRun): Effect.Effect<void, Refused> =>
  Effect.asVoid(query("UPDATE campaign_runs SET is_selected = true WHERE n = $1::float8::bigint", [float8(n)]))

/** The next targets without an outcome, sorted by account. */
export const pending = (query: AdminQuery, { doneTo, n }: StoredRun, limit: number): All<Target> =>
  Effect.map(
    query(
      `SELECT t.account::float8 AS account, t.member_id, EXISTS (SELECT FROM campaign_targets b
          WHERE b.scope = t.scope AND b.account = t.account AND b.outcome = 'issued') AS reached
        FROM campaign_targets t
        WHERE t.run = $1::float8::bigint AND t.account > $2::float8::bigint AND t.outcome IS NULL
        ORDER BY t.account LIMIT $3::float8::bigint`,
      [float8(n), float8(doneTo), float8(limit)]
    ),
    (rows) =>
      rows.map((row) => ({
        account: Number(row["account"]),
        member: String(row["member_id"]),
        isReached: row["reached"] === true
      }))
  )

export interface Recorded {
  readonly done: ReadonlyArray<Done>
  /** Every target up to this account has an outcome; undefined: unchanged. */
  readonly doneTo?: number | undefined
  readonly reachedLimit?: boolean
  readonly completes?: boolean
}

/**
 * Writes outcomes, all or none. False if service `holder` (undefined: any) is not the active one: nothing was written.
 */
export const record = (
  query: AdminQuery,
  holder: string | undefined,
  { n }: StoredRun,
  { completes = false, done, doneTo, reachedLimit = false }: Recorded,
  now: number
): Effect.Effect<boolean, Refused> =>
  Effect.map(
    query(
      `SELECT record_campaign_outcomes($1::text, $2::float8::bigint, $3::float8::bigint, $4::float8::bigint,
        $5::text::json, $6::text::boolean, $7::text::boolean) AS written`,
      [
        text(holder ?? null),
        float8(n),
        orNull(doneTo),
        float8(now),
        text(JSON.stringify(done)),
        text(String(reachedLimit)),
        text(String(completes))
      ]
    ),
    ([row]) => row?.["written"] === "recorded"
  )

/** Outcomes of a run, sorted by account. */
export const outcomes = (
  query: AdminQuery,
  { n }: StoredRun,
  { after, limit }: { readonly after: number | undefined; readonly limit: number }
): All<DoneMember> =>
  Effect.map(
    query(
      `SELECT account::float8 AS account, member_id, outcome, code FROM campaign_targets
        WHERE run = $1::float8::bigint AND campaign_targets.account > $2::float8::bigint AND outcome IS NOT NULL
        ORDER BY campaign_targets.account LIMIT $3::float8::bigint`,
      [float8(n), float8(after ?? -1), float8(limit)]
    ),
    (rows) =>
      rows.map((row) => ({
        account: Number(row["account"]),
        member: String(row["member_id"]),
        outcome: row["outcome"] as OutcomeStatus,
        code: textOf(row["code"]) ?? null
      }))
  )
