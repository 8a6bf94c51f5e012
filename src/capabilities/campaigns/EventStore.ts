/** Reads and writes the events that trigger campaigns (migrations/0021_automations.sql). */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { int8, int8s, jsonb, oneOf, optional, rowsOf, xid8 } from "../../base/database/Values.ts"
import { OutcomeStatus } from "../../contract/platform/CampaignOutcome.ts"
import { CampaignAction } from "../../contract/platform/Campaigns.ts"
import type { Triggered } from "../../contract/platform/Triggers.ts"
import { reportedEvents } from "../../contract/platform/Triggers.ts"
import type { Refused } from "../../contract/Refused.ts"
import { fromMillis } from "../../contract/Values.ts"
import type { Place } from "../../reads/feed/Place.ts"
import * as PlaceOf from "../../reads/feed/Place.ts"
import type { StoredCampaign } from "./CampaignStore.ts"

const { int4, json, text } = PgTypes

/** An event that triggered a campaign and has no outcome yet. Times are ms. */
const StoredEvent = Schema.Struct({
  n: Schema.Number,
  campaign: Schema.String,
  program: Schema.String,
  event: Schema.String,
  /** The event's member, as it was then. */
  account: Schema.Number,
  order: optional(Schema.String),
  occurredAt: Schema.Number,
  dueAt: Schema.Number,
  action: CampaignAction
})
export type StoredEvent = typeof StoredEvent.Type

/** An event to store. */
export interface SeenEvent {
  readonly place: Place
  readonly event: string
  readonly member: string
  readonly order: string | undefined
  readonly occurredAt: number
  readonly dueAt: number
}

/** The outcome of an event. */
export interface EventOutcome {
  readonly n: number
  readonly outcome: OutcomeStatus
  readonly code: string | null
  /** The account that got it or is held out. */
  readonly receiver: number | null
}

const events = rowsOf(StoredEvent)
const placeRow = oneOf(Schema.Struct({ epoch: Schema.Number, transaction: Schema.BigInt }))
const ids = rowsOf(Schema.Struct({ id: Schema.String }))
const accountRows = rowsOf(Schema.Struct({ account: Schema.Number }))
const firstRow = oneOf(Schema.Struct({ account: Schema.Number }))
const writing = oneOf(Schema.Struct({ written: Schema.Literals(["recorded", "replaced"]) }))

/**
 * From now on the campaign sees what is committed. Requires: it is locked, and was not active. If it has still to read
 * what was committed while it was active before, it reads on from there.
 */
export const beginWindow = Effect.fnUntraced(function* (query: Query, campaign: string) {
  const { epoch, transaction } = yield* placeRow(
    query(
      `INSERT INTO campaign_windows (campaign_id, began, began_epoch)
        SELECT $1, pg_current_snapshot(), epoch FROM installation
        RETURNING began_epoch AS epoch, pg_snapshot_xmin(began) AS transaction`,
      [text(campaign)]
    )
  )
  const place = PlaceOf.toText({ position: { epoch, transaction, account: 0, seq: 0 }, skipped: 0 })
  yield* query("UPDATE campaigns SET place = $2 WHERE campaign_id = $1 AND place IS NULL", [
    text(campaign),
    text(place)
  ])
})

/** The campaign sees nothing that is committed from now on. Requires: it is locked. */
export const endWindow = (query: Query, campaign: string): Effect.Effect<void, Refused> =>
  Effect.asVoid(
    query(
      `UPDATE campaign_windows w SET ended = pg_current_snapshot(), ended_epoch = i.epoch FROM installation i
        WHERE w.campaign_id = $1 AND w.ended IS NULL`,
      [text(campaign)]
    )
  )

const positionRow = oneOf(
  Schema.Struct({ epoch: Schema.Number, transaction: Schema.BigInt, account: Schema.Number, seq: Schema.Number })
)

/** The place up to which the figures of members count every record. A rebuild begins with the first one. */
export const counted = (query: Query): Effect.Effect<Place, Refused> =>
  Effect.map(positionRow(query("SELECT epoch, transaction, account, seq FROM rollup_progress", [])), (position) => ({
    position,
    skipped: 0
  }))

/** Ids of campaigns that have a place in the feed. */
export const readers = (query: Query): Effect.Effect<ReadonlyArray<string>, Refused> =>
  Effect.map(ids(query("SELECT campaign_id AS id FROM campaigns WHERE place IS NOT NULL ORDER BY n", [])), (rows) =>
    rows.map(({ id }) => id)
  )

/**
 * Moves the campaign's place to `next`, and stores those of the events that were committed while it was active. Does
 * nothing if the campaign or its place has changed since it was read.
 */
export const advance = (
  query: Query,
  { action, id, place, version }: StoredCampaign,
  seen: ReadonlyArray<SeenEvent>,
  next: string
): Effect.Effect<void, Refused> =>
  Effect.asVoid(
    query(
      `WITH moved AS (
          UPDATE campaigns SET place = $4 WHERE campaign_id = $1 AND place = $2 AND version = $3
          RETURNING campaign_id, program_id
        )
        INSERT INTO campaign_events (campaign_id, event_id, account, order_id, occurred_at, due_at, action)
          SELECT m.campaign_id, e.event_id, a.number, e.order_id, e.occurred_at, e.due_at, $6
          FROM moved m CROSS JOIN json_to_recordset($5) e(epoch int, transaction text, event_id text, member_id text,
            order_id text, occurred_at bigint, due_at bigint)
          JOIN accounts a ON a.program_id = m.program_id AND a.member_id = e.member_id
          WHERE EXISTS (SELECT FROM campaign_windows w WHERE w.campaign_id = m.campaign_id
            AND (e.epoch > w.began_epoch
              OR e.epoch = w.began_epoch AND NOT pg_visible_in_snapshot(e.transaction::xid8, w.began))
            AND (w.ended IS NULL OR e.epoch < w.ended_epoch
              OR e.epoch = w.ended_epoch AND pg_visible_in_snapshot(e.transaction::xid8, w.ended)))
          ON CONFLICT (campaign_id, event_id) DO NOTHING`,
      [
        text(id),
        text(place ?? null),
        int8(version),
        text(next),
        json(
          seen.map((one) => ({
            epoch: one.place.position.epoch,
            transaction: String(one.place.position.transaction),
            event_id: one.event,
            member_id: one.member,
            order_id: one.order ?? null,
            occurred_at: one.occurredAt,
            due_at: one.dueAt
          }))
        ),
        jsonb(action)
      ]
    )
  )

/**
 * Stops reading for a campaign that is not active, once it has read everything that was committed while it was.
 * `horizon`: a place before everything that was not readable before its last read.
 */
export const close = (
  query: Query,
  { id, place, version }: StoredCampaign,
  { position: { epoch, transaction } }: Place
): Effect.Effect<void, Refused> =>
  Effect.asVoid(
    query(
      `WITH closed AS (
          UPDATE campaigns c SET place = NULL
          WHERE c.campaign_id = $1 AND c.place = $2 AND c.version = $3 AND c.status <> 'active'
            AND NOT EXISTS (SELECT FROM campaign_windows w WHERE w.campaign_id = $1 AND (w.ended IS NULL
              OR w.ended_epoch > $4 OR w.ended_epoch = $4 AND pg_snapshot_xmax(w.ended) > $5))
          RETURNING c.campaign_id
        )
        DELETE FROM campaign_windows w USING closed WHERE w.campaign_id = closed.campaign_id`,
      [text(id), text(place ?? null), int8(version), int4(epoch), xid8(transaction)]
    )
  )

/** Ids of active campaigns with events that are due. */
export const due = (query: Query, now: number): Effect.Effect<ReadonlyArray<string>, Refused> =>
  Effect.map(
    ids(
      query(
        `SELECT c.campaign_id AS id FROM campaigns c WHERE c.trigger IS NOT NULL AND c.status = 'active' AND (
            EXISTS (SELECT FROM campaign_events e
              WHERE e.campaign_id = c.campaign_id AND e.outcome IS NULL AND NOT e.begun AND e.due_at <= $1)
            OR EXISTS (SELECT FROM campaign_events e
              WHERE e.campaign_id = c.campaign_id AND e.outcome IS NULL AND e.begun)) ORDER BY c.n`,
        [int8(now)]
      )
    ),
    (rows) => rows.map(({ id }) => id)
  )

/** The events that the worker has begun, in their order. */
export const begun = (query: Query, campaign: string): Effect.Effect<ReadonlyArray<StoredEvent>, Refused> =>
  events(
    query(
      `SELECT e.n, e.campaign_id AS campaign, c.program_id AS program, e.event_id AS event, e.account,
          e.order_id AS "order", e.occurred_at AS "occurredAt", e.due_at AS "dueAt", e.action
        FROM campaign_events e JOIN campaigns c ON c.campaign_id = e.campaign_id
        WHERE e.campaign_id = $1 AND e.outcome IS NULL AND e.begun ORDER BY e.n`,
      [text(campaign)]
    )
  )

/** Begins the next events that are due, at most `limit`. Requires: none is begun. */
export const begin = (query: Query, campaign: string, now: number, limit: number): Effect.Effect<void, Refused> =>
  Effect.asVoid(
    query(
      `UPDATE campaign_events SET begun = true WHERE n IN (
          SELECT n FROM campaign_events WHERE campaign_id = $1 AND outcome IS NULL AND NOT begun AND due_at <= $2
          ORDER BY due_at, n LIMIT $3)`,
      [text(campaign), int8(now), int8(limit)]
    )
  )

/** Those of the accounts whose events gave something, or whose receiver was held out, after an instant, ms. */
export const reached = (
  query: Query,
  campaign: string,
  accounts: ReadonlyArray<number>,
  after: number
): Effect.Effect<ReadonlySet<number>, Refused> =>
  Effect.map(
    accountRows(
      query(
        `SELECT DISTINCT account FROM campaign_events
          WHERE campaign_id = $1 AND account = ANY($2) AND outcome IN ('issued', 'holdout') AND at > $3`,
        [text(campaign), int8s(accounts), int8(after)]
      )
    ),
    (rows) => new Set(rows.map(({ account }) => account))
  )

/** The one of some accounts that was enrolled first. */
export const firstEnrolled = (query: Query, accounts: ReadonlyArray<number>): Effect.Effect<number, Refused> =>
  Effect.map(
    firstRow(
      query(
        `SELECT account, at FROM journal WHERE account = ANY($1) AND seq = 1
          UNION ALL SELECT account, enrolled_at FROM archived_accounts WHERE account = ANY($1) AND enrolled_at IS NOT NULL
          ORDER BY at, account LIMIT 1`,
        [int8s(accounts)]
      )
    ),
    ({ account }) => account
  )

/** Writes outcomes, all or none. False if node `holder` was declared dead (undefined: not compared): nothing was written. */
export const record = (
  query: Query,
  holder: string | undefined,
  campaign: string,
  done: ReadonlyArray<EventOutcome>,
  now: number
): Effect.Effect<boolean, Refused> =>
  Effect.map(
    writing(
      query("SELECT record_campaign_events($1, $2, $3, $4) AS written", [
        text(holder ?? null),
        text(campaign),
        int8(now),
        json(done)
      ])
    ),
    ({ written }) => written === "recorded"
  )

const counts = rowsOf(
  Schema.Struct({ outcome: optional(Schema.String), code: optional(Schema.String), events: Schema.Number })
)

const outcomeRows = rowsOf(
  Schema.Struct({
    member: Schema.String,
    order: optional(Schema.String),
    receiver: optional(Schema.String),
    occurredAt: Schema.Number,
    dueAt: Schema.Number,
    outcome: optional(OutcomeStatus),
    code: optional(Schema.String),
    at: optional(Schema.Number)
  })
)

/** Outcomes of the newest events of a campaign, the newest first. */
export const newest = (query: Query, campaign: string): Effect.Effect<Triggered["outcomes"], Refused> =>
  Effect.map(
    outcomeRows(
      query(
        `SELECT a.member_id AS member, e.order_id AS "order", b.member_id AS receiver, e.occurred_at AS "occurredAt",
            e.due_at AS "dueAt", e.outcome, e.code, e.at
          FROM campaign_events e JOIN accounts a ON a.number = e.account LEFT JOIN accounts b ON b.number = e.receiver
          WHERE e.campaign_id = $1 ORDER BY e.n DESC LIMIT $2`,
        [text(campaign), int8(reportedEvents)]
      )
    ),
    (rows) =>
      rows.map(({ at, code, dueAt, member, occurredAt, order, outcome, receiver }) => ({
        member_id: member,
        ...(order === undefined ? undefined : { order_id: order }),
        ...(receiver === undefined ? undefined : { receiver_id: receiver }),
        occurred_at: fromMillis(occurredAt),
        due_at: fromMillis(dueAt),
        status: outcome ?? "waiting",
        ...(code === undefined ? undefined : { code }),
        ...(at === undefined ? undefined : { decided_at: fromMillis(at) })
      }))
  )

/** How often what became of a campaign's events. */
export const count = (query: Query, campaign: string): Effect.Effect<Omit<Triggered, "outcomes">, Refused> =>
  Effect.map(
    counts(
      query(
        `SELECT outcome, code, count(*) AS events FROM campaign_events WHERE campaign_id = $1
          GROUP BY outcome, code ORDER BY outcome, code`,
        [text(campaign)]
      )
    ),
    (rows) => {
      const total = (outcome: OutcomeStatus | undefined) =>
        rows.reduce((sum, row) => (row.outcome === outcome ? sum + row.events : sum), 0)
      return {
        waiting: total(undefined),
        issued: total("issued"),
        skipped: rows.flatMap((row) =>
          row.outcome === "skipped" && row.code !== undefined ? [{ code: row.code, count: row.events }] : []
        ),
        failed: total("failed"),
        holdout: total("holdout")
      }
    }
  )
