/** Reads and writes campaigns, their runs and targets (migrations/0010_campaigns.sql). */
import { PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import type { AdminDatabase, AdminQuery, Row } from "../admin/AdminDatabase.ts"
import type { Refused } from "../contract/admin/Common.ts"
import type { Action, OutcomeStatus } from "../contract/platform/Campaigns.ts"
import type { Repeat } from "../contract/platform/Occurrences.ts"
import { dayMs } from "../program/Calendar.ts"
import type { Audience } from "./Audience.ts"
import { membersOf, evaluated } from "./Audience.ts"

const { float8, text } = PgTypes

/** The properties of a campaign that a caller sets. Times are ms. */
export interface Plan {
  readonly id: string
  readonly program: string
  readonly name: string
  readonly segment: string
  readonly action: Action
  readonly startsAt: number | undefined
  readonly endsAt: number | undefined
  readonly repeat: Repeat | undefined
  readonly holdoutPercent: number
  readonly limitRewards: number | undefined
  readonly limitAmount: number | undefined
  readonly attributionDays: number
}

export type SetStatus = "draft" | "active" | "paused"

export interface StoredCampaign extends Plan {
  /** Number of the campaign, in the order of creation. */
  readonly n: number
  readonly status: SetStatus
  /** The next occurrence of the schedule, ms. */
  readonly nextAt: number | undefined
  readonly createdAt: number
  readonly updatedAt: number
  /** True if there is a run. */
  readonly hasRun: boolean
  /** Members with a grant, over all runs. */
  readonly granted: number
  /** Points credited, over all runs. */
  readonly credited: number
}

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

const number = (value: unknown): number | undefined => (value === null ? undefined : Number(value))
const string = (value: unknown): string | undefined => (value === null ? undefined : String(value))
const orNull = (value: number | undefined) => float8(value ?? null)

const campaignColumns = `c.n::float8 AS n, c.campaign_id, c.program_id, c.name, c.segment_id, c.action::text AS action,
  c.starts_at::float8 AS starts_at, c.ends_at::float8 AS ends_at, c.cron, c.time_zone,
  c.holdout_percent::float8 AS holdout_percent, c.limit_rewards::float8 AS limit_rewards,
  c.limit_amount::float8 AS limit_amount, c.attribution_days::float8 AS attribution_days, c.status,
  c.next_at::float8 AS next_at, c.created_at::float8 AS created_at, c.updated_at::float8 AS updated_at,
  total.runs > 0 AS has_run, total.granted, total.credited`

const campaignTables = `campaigns c CROSS JOIN LATERAL (
    SELECT count(*) AS runs, coalesce(sum(r.issued), 0)::float8 AS granted,
      coalesce(sum(r.issued * (r.action -> 'credit' ->> 'amount')::bigint), 0)::float8 AS credited
    FROM campaign_runs r WHERE r.campaign_id = c.campaign_id) total`

const campaignOf = (row: Row): StoredCampaign => ({
  n: Number(row["n"]),
  id: String(row["campaign_id"]),
  program: String(row["program_id"]),
  name: String(row["name"]),
  segment: String(row["segment_id"]),
  // Checked when it was stored.
  action: JSON.parse(String(row["action"])) as Action,
  startsAt: number(row["starts_at"]),
  endsAt: number(row["ends_at"]),
  repeat: row["cron"] === null ? undefined : { cron: String(row["cron"]), time_zone: String(row["time_zone"]) },
  holdoutPercent: Number(row["holdout_percent"]),
  limitRewards: number(row["limit_rewards"]),
  limitAmount: number(row["limit_amount"]),
  attributionDays: Number(row["attribution_days"]),
  status: row["status"] as SetStatus,
  nextAt: number(row["next_at"]),
  createdAt: Number(row["created_at"]),
  updatedAt: Number(row["updated_at"]),
  hasRun: row["has_run"] === true,
  granted: Number(row["granted"]),
  credited: Number(row["credited"])
})

type Found<A> = Effect.Effect<A | undefined, Refused>
type All<A> = Effect.Effect<ReadonlyArray<A>, Refused>

const first = <A>(rows: ReadonlyArray<Row>, of: (row: Row) => A): A | undefined =>
  rows[0] === undefined ? undefined : of(rows[0])

export const find = (query: AdminQuery, id: string): Found<StoredCampaign> =>
  Effect.map(
    query(`SELECT ${campaignColumns} FROM ${campaignTables} WHERE c.campaign_id = $1::text`, [text(id)]),
    (rows) => first(rows, campaignOf)
  )

/** As `find`, and locks the campaign until the transaction ends. */
export const lock = (query: AdminQuery, id: string): Found<StoredCampaign> =>
  Effect.andThen(query("SELECT FROM campaigns WHERE campaign_id = $1::text FOR UPDATE", [text(id)]), find(query, id))

/** Newest first. */
export const list = (
  query: AdminQuery,
  program: string,
  { after, limit }: { readonly after: number | undefined; readonly limit: number }
): All<StoredCampaign> =>
  Effect.map(
    query(
      `SELECT ${campaignColumns} FROM ${campaignTables}
        WHERE c.program_id = $1::text AND c.n < $2::float8::bigint ORDER BY c.n DESC LIMIT $3::float8::bigint`,
      [text(program), float8(after ?? Number.MAX_SAFE_INTEGER), float8(limit)]
    ),
    (rows) => rows.map(campaignOf)
  )

/** Creates a draft, or changes a campaign without its status. */
export const put = (
  query: AdminQuery,
  plan: Plan,
  nextAt: number | undefined,
  now: number
): Effect.Effect<void, Refused> =>
  Effect.asVoid(
    query(
      `INSERT INTO campaigns (campaign_id, program_id, name, segment_id, action, starts_at, ends_at, cron, time_zone,
          holdout_percent, limit_rewards, limit_amount, attribution_days, status, next_at, created_at, updated_at)
        VALUES ($1::text, $2::text, $3::text, $4::text, $5::text::jsonb, $6::float8::bigint, $7::float8::bigint, $8::text,
          $9::text, $10::float8::int, $11::float8::bigint, $12::float8::bigint, $13::float8::int, 'draft',
          $14::float8::bigint, $15::float8::bigint, $15::float8::bigint)
        ON CONFLICT (campaign_id) DO UPDATE SET name = excluded.name, segment_id = excluded.segment_id,
          action = excluded.action, starts_at = excluded.starts_at, ends_at = excluded.ends_at, cron = excluded.cron,
          time_zone = excluded.time_zone, holdout_percent = excluded.holdout_percent,
          limit_rewards = excluded.limit_rewards, limit_amount = excluded.limit_amount,
          attribution_days = excluded.attribution_days, next_at = excluded.next_at, updated_at = excluded.updated_at`,
      [
        text(plan.id),
        text(plan.program),
        text(plan.name),
        text(plan.segment),
        text(JSON.stringify(plan.action)),
        orNull(plan.startsAt),
        orNull(plan.endsAt),
        text(plan.repeat?.cron ?? null),
        text(plan.repeat?.time_zone ?? null),
        float8(plan.holdoutPercent),
        orNull(plan.limitRewards),
        orNull(plan.limitAmount),
        float8(plan.attributionDays),
        orNull(nextAt),
        float8(now)
      ]
    )
  )

export const setStatus = (
  query: AdminQuery,
  id: string,
  status: SetStatus,
  nextAt: number | undefined,
  now: number
): Effect.Effect<void, Refused> =>
  Effect.asVoid(
    query(
      `UPDATE campaigns SET status = $2::text, next_at = $3::float8::bigint, updated_at = $4::float8::bigint
        WHERE campaign_id = $1::text`,
      [text(id), text(status), orNull(nextAt), float8(now)]
    )
  )

/** Ids of campaigns whose next occurrence is due. */
export const due = (query: AdminQuery, now: number): All<string> =>
  Effect.map(
    query("SELECT campaign_id FROM campaigns WHERE next_at <= $1::float8::bigint ORDER BY next_at, n", [float8(now)]),
    (rows) => rows.map((row) => String(row["campaign_id"]))
  )

export const setNext = (query: AdminQuery, id: string, nextAt: number | undefined): Effect.Effect<void, Refused> =>
  Effect.asVoid(
    query("UPDATE campaigns SET next_at = $2::float8::bigint WHERE campaign_id = $1::text", [text(id), orNull(nextAt)])
  )

const runColumns = `r.n::float8 AS n, r.run_id, r.campaign_id, r.run_key, r.scope::float8 AS scope, r.segment_id,
  r.action::text AS action, r.selected_to::float8 AS selected_to, r.is_selected, r.done_to::float8 AS done_to,
  r.selected::float8 AS selected, r.issued::float8 AS issued, r.skipped::float8 AS skipped, r.failed::float8 AS failed,
  r.holdout::float8 AS holdout, r.limit_reached, r.started_at::float8 AS started_at,
  r.completed_at::float8 AS completed_at`

const runOf = (row: Row): StoredRun => ({
  n: Number(row["n"]),
  id: String(row["run_id"]),
  campaign: String(row["campaign_id"]),
  key: string(row["run_key"]),
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
  startedAt: Number(row["started_at"]),
  completedAt: number(row["completed_at"])
})

const startStatement = `WITH earlier AS (
    SELECT min(n) AS n FROM campaign_runs
    WHERE campaign_id = $2::text AND run_key IS NOT DISTINCT FROM $3::text
  ), own AS (SELECT nextval(pg_get_serial_sequence('campaign_runs', 'n')) AS n)
  INSERT INTO campaign_runs AS r (n, run_id, campaign_id, run_key, scope, segment_id, action, started_at)
    OVERRIDING SYSTEM VALUE
    SELECT own.n, $1::text, $2::text, $3::text, coalesce(earlier.n, own.n), $4::text, $5::text::jsonb, $6::float8::bigint
    FROM earlier, own`

/**
 * The unfinished run of a campaign with this key (undefined: no key), or a new run. Requires: the campaign is locked.
 */
export const start = Effect.fnUntraced(function* (
  query: AdminQuery,
  { action, id, segment }: StoredCampaign,
  key: string | undefined,
  newId: string,
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
    float8(now)
  ])
  const [made] = yield* query(unfinishedStatement, [text(id), text(key ?? null)])
  if (made === undefined) throw new Error(`run ${newId} was made`)
  return runOf(made)
})

/** A run of a campaign by its id. */
export const findRun = (query: AdminQuery, campaign: string, id: string): Found<StoredRun> =>
  Effect.map(
    query(`SELECT ${runColumns} FROM campaign_runs r WHERE r.run_id = $1::text AND r.campaign_id = $2::text`, [
      text(id),
      text(campaign)
    ]),
    (rows) => first(rows, runOf)
  )

/** Newest first. */
export const runs = (
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

/** True if one of these accounts has a grant in the run's scope. */
export const isReached = (
  query: AdminQuery,
  { scope }: StoredRun,
  accounts: PgTypes.Parameter
): Effect.Effect<boolean, Refused> =>
  Effect.map(
    query(
      `SELECT FROM campaign_targets WHERE scope = $1::float8::bigint AND account = ANY ($2::float8[]::bigint[])
        AND outcome = 'issued' LIMIT 1`,
      [float8(scope), accounts]
    ),
    (rows) => rows.length > 0
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
        code: string(row["code"]) ?? null
      }))
  )

/** Members with a grant and held-out members, and their orders in the attribution window. */
export interface Counts {
  /** Members with a grant. */
  readonly targeted: number
  /** Members of these with an order in the window. */
  readonly converted: number
  /** Orders in the window. */
  readonly conversions: number
  /** Spend of these orders, minor units. */
  readonly value: number
  /** Members held out. */
  readonly held: number
  readonly heldConverted: number
}

/** A merged member counts as the remaining member, which has its orders. */
const countStatement = `WITH reached AS (
    SELECT coalesce(m.into_account, t.account) AS account, t.outcome, t.at FROM campaign_runs r
      JOIN campaign_targets t ON t.run = r.n AND t.outcome IN ('issued', 'holdout')
      LEFT JOIN rollup_merges m ON m.account = t.account
    WHERE r.campaign_id = $1::text
  ), hits AS (
    SELECT DISTINCT r.outcome, r.account, o.order_id, o.spend FROM reached r
      JOIN rollup_orders o ON o.account = r.account AND o.at > r.at AND o.at <= r.at + $2::float8::bigint
  ), members AS (
    SELECT count(DISTINCT account) FILTER (WHERE outcome = 'issued')::float8 AS targeted,
      count(DISTINCT account) FILTER (WHERE outcome = 'holdout')::float8 AS held FROM reached
  ), orders AS (
    SELECT count(DISTINCT account) FILTER (WHERE outcome = 'issued')::float8 AS converted,
      count(*) FILTER (WHERE outcome = 'issued')::float8 AS conversions,
      coalesce(sum(spend) FILTER (WHERE outcome = 'issued'), 0)::float8 AS value,
      count(DISTINCT account) FILTER (WHERE outcome = 'holdout')::float8 AS held_converted FROM hits
  ) SELECT * FROM members, orders`

/** The report's numbers over all runs of a campaign. `days`: length of the attribution window. */
export const count = (query: AdminQuery, campaign: string, days: number): Effect.Effect<Counts, Refused> =>
  Effect.map(query(countStatement, [text(campaign), float8(days * dayMs)]), ([row]) => ({
    targeted: Number(row?.["targeted"]),
    converted: Number(row?.["converted"]),
    conversions: Number(row?.["conversions"]),
    value: Number(row?.["value"]),
    held: Number(row?.["held"]),
    heldConverted: Number(row?.["held_converted"])
  }))
