/**
 * Reads and writes campaigns, and counts their conversions (migrations/0010_campaigns.sql). `RunStore` has their runs.
 */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import * as Locks from "../../base/database/Locks.ts"
import type { Query } from "../../base/database/Pools.ts"
import { int8, int8s, jsonb, oneOf, optional, rowsOf } from "../../base/database/Values.ts"
import { CampaignMail } from "../../contract/platform/CampaignMail.ts"
import { CampaignAction } from "../../contract/platform/Campaigns.ts"
import { GuestTexts } from "../../contract/platform/GivenCampaigns.ts"
import { Frequency, Trigger } from "../../contract/platform/Triggers.ts"
import type { Refused } from "../../contract/Refused.ts"
import { dayMs } from "../../core/rules/Calendar.ts"
import type { CampaignPlan } from "./CampaignPlan.ts"

const { int4, text } = PgTypes

/** The status that callers set. `CampaignShown` has more: an active campaign may be scheduled, completed or expired. */
const StoredStatus = Schema.Literals(["draft", "active", "paused", "archived"])
export type StoredStatus = typeof StoredStatus.Type

export interface StoredCampaign extends CampaignPlan {
  /** Number of the campaign, in the order of creation. */
  readonly n: number
  readonly status: StoredStatus
  /** The next occurrence of the schedule, ms. */
  readonly nextAt: number | undefined
  /** Raised by each change, also of the status, and of its audience unless it is active. */
  readonly version: number
  readonly createdAt: number
  readonly updatedAt: number
  /** With a trigger: the place in the feed up to which its events are stored; undefined: it reads none. */
  readonly place: string | undefined
  /** True if there is a run, or somebody got something or was held out by the trigger. */
  readonly hasRun: boolean
  /** Grants, over all runs and events. */
  readonly granted: number
  /** Points credited, over all runs and events. */
  readonly credited: number
  /** The part of its limit that somebody was counted for. */
  readonly countedPoints: number
  readonly countedRewards: number
  /** The user or key that was counted for all of its limit; empty: several were, undefined: nobody for what is left. */
  readonly countedBy: string | undefined
}

const campaignColumns = `c.n, c.campaign_id AS id, c.program_id AS program, c.name, c.guest_name AS "guestName", c.guest_text AS "guestText", c.mail, c.guest_texts AS "guestTexts", c.guest_days AS "guestDays", nullif(c.segment_id, '') AS segment, c.trigger, c.frequency, c.place, c.action,
  c.starts_at AS "startsAt", c.ends_at AS "endsAt", c.cron, c.time_zone, c.holdout_percent AS "holdoutPercent",
  c.limit_rewards AS "limitRewards", c.limit_amount AS "limitAmount", c.attribution_days AS "attributionDays",
  CASE WHEN c.archived_at IS NULL THEN c.status ELSE 'archived' END AS status,
  c.counted_points AS "countedPoints", c.counted_rewards AS "countedRewards", c.counted_by AS "countedBy", c.next_at AS "nextAt", c.version, c.created_at AS "createdAt", c.updated_at AS "updatedAt",
  total.runs > 0 OR EXISTS (SELECT FROM campaign_events e
    WHERE e.campaign_id = c.campaign_id AND e.outcome IN ('issued', 'holdout')) AS "hasRun",
  total.granted + c.triggered_grants AS granted, total.credited + c.triggered_points AS credited`

const campaignTables = `campaigns c CROSS JOIN LATERAL (
    SELECT count(*) AS runs, coalesce(sum(r.issued), 0)::float8 AS granted,
      coalesce(sum(r.issued * (r.action -> 'credit' ->> 'amount')::bigint), 0)::float8 AS credited
    FROM campaign_runs r WHERE r.campaign_id = c.campaign_id) total`

const Columns = Schema.Struct({
  n: Schema.Number,
  id: Schema.String,
  program: Schema.String,
  name: Schema.String,
  guestName: optional(Schema.String),
  guestText: optional(Schema.String),
  mail: optional(CampaignMail),
  guestTexts: optional(GuestTexts),
  guestDays: optional(Schema.Number),
  segment: optional(Schema.String),
  trigger: optional(Trigger),
  frequency: optional(Frequency),
  place: optional(Schema.String),
  action: CampaignAction,
  startsAt: optional(Schema.Number),
  endsAt: optional(Schema.Number),
  cron: optional(Schema.String),
  time_zone: optional(Schema.String),
  holdoutPercent: Schema.Number,
  limitRewards: optional(Schema.Number),
  limitAmount: optional(Schema.Number),
  attributionDays: Schema.Number,
  status: StoredStatus,
  nextAt: optional(Schema.Number),
  version: Schema.Number,
  createdAt: Schema.Number,
  updatedAt: Schema.Number,
  hasRun: Schema.Boolean,
  granted: Schema.Number,
  credited: Schema.Number,
  countedPoints: Schema.Number,
  countedRewards: Schema.Number,
  countedBy: optional(Schema.String)
})

const campaigns = rowsOf(Columns)

const campaignOf = ({ cron, time_zone, ...row }: typeof Columns.Type): StoredCampaign => ({
  ...row,
  repeat: cron === undefined || time_zone === undefined ? undefined : { cron, time_zone }
})

type Found<A> = Effect.Effect<A | undefined, Refused>
type All<A> = Effect.Effect<ReadonlyArray<A>, Refused>

export const find = (query: Query, id: string): Found<StoredCampaign> =>
  Effect.map(
    campaigns(query(`SELECT ${campaignColumns} FROM ${campaignTables} WHERE c.campaign_id = $1`, [text(id)])),
    ([row]) => row && campaignOf(row)
  )

/** Like `find`, and locks the campaign until the transaction ends. */
export const lock = (query: Query, id: string): Found<StoredCampaign> =>
  Effect.andThen(query("SELECT FROM campaigns WHERE campaign_id = $1 FOR UPDATE", [text(id)]), find(query, id))

/**
 * Keeps other steps and changes of a campaign away until the transaction ends: no grant is made beside a change. Call it
 * before anything is read.
 */
export const holdGrants = (query: Query, id: string): Effect.Effect<void, Refused> =>
  Effect.asVoid(query(`SELECT pg_advisory_xact_lock(${Locks.campaignGrants}, hashtext($1))`, [text(id)]))

/** Newest first. */
export const list = (
  query: Query,
  program: string,
  { after, limit }: { readonly after: number | undefined; readonly limit: number }
): All<StoredCampaign> =>
  Effect.map(
    campaigns(
      query(
        `SELECT ${campaignColumns} FROM ${campaignTables}
          WHERE c.program_id = $1 AND c.n < $2 ORDER BY c.n DESC LIMIT $3`,
        [text(program), int8(after ?? Number.MAX_SAFE_INTEGER), int8(limit)]
      )
    ),
    (rows) => rows.map(campaignOf)
  )

/** Creates a draft, or changes a campaign without its status. */
export const put = (
  query: Query,
  plan: CampaignPlan,
  nextAt: number | undefined,
  now: number
): Effect.Effect<void, Refused> =>
  Effect.asVoid(
    query(
      `INSERT INTO campaigns (campaign_id, program_id, name, segment_id, action, starts_at, ends_at, cron, time_zone,
          holdout_percent, limit_rewards, limit_amount, attribution_days, status, next_at, created_at, updated_at,
          trigger, frequency, guest_name, guest_text, mail, guest_texts, guest_days)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 'draft', $14, $15, $15, $16, $17, $18, $19, $20, $21, $22)
        ON CONFLICT (campaign_id) DO UPDATE SET name = excluded.name, segment_id = excluded.segment_id,
          action = excluded.action, starts_at = excluded.starts_at, ends_at = excluded.ends_at, cron = excluded.cron,
          time_zone = excluded.time_zone, holdout_percent = excluded.holdout_percent,
          limit_rewards = excluded.limit_rewards, limit_amount = excluded.limit_amount,
          trigger = excluded.trigger, frequency = excluded.frequency,
          guest_name = excluded.guest_name, guest_text = excluded.guest_text, mail = excluded.mail,
          guest_texts = excluded.guest_texts, guest_days = excluded.guest_days,
          attribution_days = excluded.attribution_days, next_at = excluded.next_at, updated_at = excluded.updated_at,
          version = campaigns.version + 1`,
      [
        text(plan.id),
        text(plan.program),
        text(plan.name),
        text(plan.segment ?? ""),
        jsonb(plan.action),
        int8(plan.startsAt ?? null),
        int8(plan.endsAt ?? null),
        text(plan.repeat?.cron ?? null),
        text(plan.repeat?.time_zone ?? null),
        int4(plan.holdoutPercent),
        int8(plan.limitRewards ?? null),
        int8(plan.limitAmount ?? null),
        int4(plan.attributionDays),
        int8(nextAt ?? null),
        int8(now),
        jsonb(plan.trigger ?? null),
        jsonb(plan.frequency ?? null),
        text(plan.guestName ?? null),
        text(plan.guestText ?? null),
        jsonb(plan.mail ?? null),
        jsonb(plan.guestTexts ?? null),
        int4(plan.guestDays ?? null)
      ]
    )
  )

/** Nodes of earlier versions see an archived campaign as a paused one, or as a draft. */
export const setStatus = (
  query: Query,
  id: string,
  status: StoredStatus,
  nextAt: number | undefined,
  now: number
): Effect.Effect<void, Refused> =>
  Effect.asVoid(
    query(
      `UPDATE campaigns SET status = CASE WHEN $2 <> 'archived' THEN $2 WHEN status = 'active' THEN 'paused' ELSE status END,
          archived_at = CASE WHEN $2 = 'archived' THEN $4 END, next_at = $3, updated_at = $4, version = version + 1
        WHERE campaign_id = $1`,
      [text(id), text(status), int8(nextAt ?? null), int8(now)]
    )
  )

/** The audience of a campaign has changed: nobody resumes it by the version that had another one. */
export const raiseUnlessActive = (query: Query, id: string): Effect.Effect<void, Refused> =>
  Effect.asVoid(
    query("UPDATE campaigns SET version = version + 1 WHERE campaign_id = $1 AND status <> 'active'", [text(id)])
  )

/** Deletes a campaign without runs, events or a time when it was active; false: it has some. */
export const removeUnused = (query: Query, id: string): Effect.Effect<boolean, Refused> =>
  Effect.map(
    query(
      `DELETE FROM campaigns c WHERE c.campaign_id = $1
          AND NOT EXISTS (SELECT FROM campaign_runs r WHERE r.campaign_id = c.campaign_id)
          AND NOT EXISTS (SELECT FROM campaign_windows w WHERE w.campaign_id = c.campaign_id)
          AND NOT EXISTS (SELECT FROM campaign_events e WHERE e.campaign_id = c.campaign_id)
        RETURNING c.campaign_id`,
      [text(id)]
    ),
    (rows) => rows.length > 0
  )

const ids = rowsOf(Schema.Struct({ id: Schema.String }))

/** Ids of campaigns whose next occurrence is due. */
export const due = (query: Query, now: number): All<string> =>
  Effect.map(
    ids(query("SELECT campaign_id AS id FROM campaigns WHERE next_at <= $1 ORDER BY next_at, n", [int8(now)])),
    (rows) => rows.map(({ id }) => id)
  )

export const setNext = (query: Query, id: string, nextAt: number | undefined): Effect.Effect<void, Refused> =>
  Effect.asVoid(query("UPDATE campaigns SET next_at = $2 WHERE campaign_id = $1", [text(id), int8(nextAt ?? null)]))

/** Members with a grant and held-out members, and their orders in the attribution window. */
const Counts = Schema.Struct({
  /** Members with a grant. */
  targeted: Schema.Number,
  /** Members of these with an order in the window. */
  converted: Schema.Number,
  /** Orders in the window. */
  conversions: Schema.Number,
  /** Spend of these orders, minor units. */
  value: Schema.Number,
  /** Members held out. */
  held: Schema.Number,
  heldConverted: Schema.Number,
  heldConversions: Schema.Number,
  heldValue: Schema.Number
})
export type Counts = typeof Counts.Type

/**
 * Members, each with the number of grants of a campaign that it got after an instant, ms, or was held out from; none: it
 * is left out.
 */
export const grantsSince = (
  query: Query,
  campaign: string,
  accounts: ReadonlyArray<number>,
  after: number
): Effect.Effect<ReadonlyMap<number, number>, Refused> =>
  Effect.map(
    grantCounts(
      query(
        `SELECT g.account, count(*) AS grants FROM (
            SELECT t.account FROM campaign_targets t JOIN campaign_runs r ON r.n = t.run
              WHERE r.campaign_id = $1 AND t.outcome IN ('issued', 'holdout') AND t.account = ANY($2) AND t.at > $3
            UNION ALL SELECT e.receiver FROM campaign_events e
              WHERE e.campaign_id = $1 AND e.outcome IN ('issued', 'holdout') AND e.receiver = ANY($2) AND e.at > $3
          ) g GROUP BY g.account`,
        [text(campaign), int8s(accounts), int8(after)]
      )
    ),
    (rows) => new Map(rows.map(({ account, grants }) => [account, grants]))
  )

const grantCounts = rowsOf(Schema.Struct({ account: Schema.Number, grants: Schema.Number }))

/** Counts the orders that the reached member made itself, so that a later merge changes no figure. */
const countStatement = `WITH reached AS (
    SELECT t.account, coalesce(m.into_account, t.account) AS holder, t.outcome, t.at FROM (
        SELECT t.account, t.outcome, t.at FROM campaign_runs r
          JOIN campaign_targets t ON t.run = r.n AND t.outcome IN ('issued', 'holdout')
        WHERE r.campaign_id = $1
        UNION ALL SELECT e.receiver, e.outcome, e.at FROM campaign_events e
        WHERE e.campaign_id = $1 AND e.outcome IN ('issued', 'holdout')
      ) t LEFT JOIN rollup_merges m ON m.account = t.account
  ), hits AS (
    SELECT DISTINCT r.outcome, r.account, o.order_id, o.spend FROM reached r
      JOIN rollup_orders o ON o.account = r.holder AND o.earned_by = r.account AND o.counts AND o.at > r.at AND o.at <= r.at + $2
  ), members AS (
    SELECT count(DISTINCT account) FILTER (WHERE outcome = 'issued') AS targeted,
      count(DISTINCT account) FILTER (WHERE outcome = 'holdout') AS held FROM reached
  ), orders AS (
    SELECT count(DISTINCT account) FILTER (WHERE outcome = 'issued') AS converted,
      count(*) FILTER (WHERE outcome = 'issued') AS conversions,
      coalesce(sum(spend) FILTER (WHERE outcome = 'issued'), 0)::float8 AS value,
      count(DISTINCT account) FILTER (WHERE outcome = 'holdout') AS "heldConverted",
      count(*) FILTER (WHERE outcome = 'holdout') AS "heldConversions",
      coalesce(sum(spend) FILTER (WHERE outcome = 'holdout'), 0)::float8 AS "heldValue" FROM hits
  ) SELECT * FROM members, orders`

/** The report's numbers over all runs of a campaign. `days`: length of the attribution window. */
export const count = (query: Query, campaign: string, days: number): Effect.Effect<Counts, Refused> =>
  oneOf(Counts)(query(countStatement, [text(campaign), int8(days * dayMs)]))
