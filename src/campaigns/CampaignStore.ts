/**
 * Reads and writes campaigns, and counts their conversions (migrations/0010_campaigns.sql). `RunStore` has their runs.
 */
import { PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import type { AdminQuery, Row } from "../surface/AdminDatabase.ts"
import type { Refused } from "../contract/admin/Common.ts"
import type { Action } from "../contract/platform/Campaigns.ts"
import type { Repeat } from "../contract/platform/Occurrences.ts"
import { dayMs } from "../program/Calendar.ts"
import { numberOf, orNull } from "./Columns.ts"

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
  /** Raised by each change, also of the status. */
  readonly version: number
  readonly createdAt: number
  readonly updatedAt: number
  /** True if there is a run. */
  readonly hasRun: boolean
  /** Members with a grant, over all runs. */
  readonly granted: number
  /** Points credited, over all runs. */
  readonly credited: number
}

const campaignColumns = `c.n::float8 AS n, c.campaign_id, c.program_id, c.name, c.segment_id, c.action::text AS action,
  c.starts_at::float8 AS starts_at, c.ends_at::float8 AS ends_at, c.cron, c.time_zone,
  c.holdout_percent::float8 AS holdout_percent, c.limit_rewards::float8 AS limit_rewards,
  c.limit_amount::float8 AS limit_amount, c.attribution_days::float8 AS attribution_days, c.status,
  c.next_at::float8 AS next_at, c.version::float8 AS version, c.created_at::float8 AS created_at, c.updated_at::float8 AS updated_at,
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
  startsAt: numberOf(row["starts_at"]),
  endsAt: numberOf(row["ends_at"]),
  repeat: row["cron"] === null ? undefined : { cron: String(row["cron"]), time_zone: String(row["time_zone"]) },
  holdoutPercent: Number(row["holdout_percent"]),
  limitRewards: numberOf(row["limit_rewards"]),
  limitAmount: numberOf(row["limit_amount"]),
  attributionDays: Number(row["attribution_days"]),
  status: row["status"] as SetStatus,
  nextAt: numberOf(row["next_at"]),
  version: Number(row["version"]),
  createdAt: Number(row["created_at"]),
  updatedAt: Number(row["updated_at"]),
  hasRun: row["has_run"] === true,
  granted: Number(row["granted"]),
  credited: Number(row["credited"])
})

type Found<A> = Effect.Effect<A | undefined, Refused>
type All<A> = Effect.Effect<ReadonlyArray<A>, Refused>

export const find = (query: AdminQuery, id: string): Found<StoredCampaign> =>
  Effect.map(
    query(`SELECT ${campaignColumns} FROM ${campaignTables} WHERE c.campaign_id = $1::text`, [text(id)]),
    ([row]) => (row === undefined ? undefined : campaignOf(row))
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
          attribution_days = excluded.attribution_days, next_at = excluded.next_at, updated_at = excluded.updated_at,
          version = campaigns.version + 1`,
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
      `UPDATE campaigns SET status = $2::text, next_at = $3::float8::bigint, updated_at = $4::float8::bigint,
          version = version + 1
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

/** Counts the orders that the reached member made itself, so that a later merge changes no figure. */
const countStatement = `WITH reached AS (
    SELECT t.account, coalesce(m.into_account, t.account) AS holder, t.outcome, t.at FROM campaign_runs r
      JOIN campaign_targets t ON t.run = r.n AND t.outcome IN ('issued', 'holdout')
      LEFT JOIN rollup_merges m ON m.account = t.account
    WHERE r.campaign_id = $1::text
  ), hits AS (
    SELECT DISTINCT r.outcome, r.account, o.order_id, o.spend FROM reached r
      JOIN rollup_orders o ON o.account = r.holder AND o.earned_by = r.account AND o.at > r.at AND o.at <= r.at + $2::float8::bigint
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
