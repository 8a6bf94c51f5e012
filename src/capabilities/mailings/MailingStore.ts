/** Reads and writes the mails of campaigns (migrations/0190_campaign_mails.sql), which the recording of outcomes claims. */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { firstOf, int8, int8s, oneOf, optional, rowsOf } from "../../base/database/Values.ts"
import { CampaignMail, type CampaignMailed, defaultMailDays } from "../../contract/platform/CampaignMail.ts"
import type { Refused } from "../../contract/Refused.ts"
import { dayMs } from "../../core/rules/Calendar.ts"
import * as Bounds from "./Bounds.ts"

const { text } = PgTypes
type Read<A> = Effect.Effect<A, Refused>

const Taken = Schema.Struct({ campaign: Schema.String, account: Schema.Number, attempts: Schema.Number })
export type Taken = typeof Taken.Type
const takenRow = firstOf(Taken)
const countRow = oneOf(Schema.Struct({ n: Schema.Number }))

export type Outcome = "sent" | "failed" | "skipped"

/** Mails that are due, of active campaigns alone. $1: now, ms; $2: most. Each campaign's are found by the index. */
const next = `SELECT m.campaign_id, m.account FROM campaigns c CROSS JOIN LATERAL (
      SELECT w.campaign_id, w.account, w.due_at FROM campaign_mails w
        WHERE w.campaign_id = c.campaign_id AND w.outcome IS NULL AND w.begun_at IS NULL AND w.due_at <= $1
        ORDER BY w.due_at LIMIT $2) m
    WHERE c.status = 'active' AND c.archived_at IS NULL ORDER BY m.due_at LIMIT $2`

/** Begins the next mail. Of two nodes the second finds it begun. */
export const take = (query: Query, now: number): Read<Taken | undefined> =>
  takenRow(
    query(
      `WITH next AS MATERIALIZED (${next})
        UPDATE campaign_mails m SET begun_at = $1, attempts = m.attempts + 1 FROM next
        WHERE m.campaign_id = next.campaign_id AND m.account = next.account AND m.begun_at IS NULL AND m.outcome IS NULL
        RETURNING m.campaign_id AS campaign, m.account, m.attempts`,
      [int8(now), int8(1)]
    )
  )

/** Ends mails as a sandbox does, which sends none. Returns their number. */
export const rehearse = (query: Query, now: number): Read<number> =>
  Effect.map(
    countRow(
      query(
        `WITH next AS MATERIALIZED (${next}), judged AS MATERIALIZED (
            SELECT campaign_id, account, mail_refusal(account) AS refusal FROM next
          ), done AS (
            UPDATE campaign_mails m SET outcome = CASE WHEN j.refusal IS NULL THEN 'rehearsed' ELSE 'skipped' END,
                code = j.refusal, at = $1 FROM judged j
              WHERE m.campaign_id = j.campaign_id AND m.account = j.account AND m.outcome IS NULL RETURNING m.outcome
          ) SELECT count(*) AS n FROM done`,
        [int8(now), int8(Bounds.endedMails)]
      )
    ),
    ({ n }) => n
  )

const endedRow = oneOf(Schema.Struct({ late: Schema.Number, inDoubt: Schema.Number }))

/**
 * Ends mails whose days are over, and those that a killed node has begun: nobody knows whether they were sent, and nobody gets
 * one twice.
 */
export const endOld = (query: Query, now: number) =>
  endedRow(
    query(
      `WITH over AS MATERIALIZED (
          SELECT w.campaign_id, w.account FROM campaigns c CROSS JOIN LATERAL (
            SELECT o.campaign_id, o.account FROM campaign_mails o
              WHERE o.campaign_id = c.campaign_id AND o.outcome IS NULL AND o.begun_at IS NULL
                AND o.due_at <= $1 - coalesce((c.mail ->> 'days')::int, ${defaultMailDays}) * ${dayMs}::bigint LIMIT $3) w
          LIMIT $3
        ), late AS (
          UPDATE campaign_mails m SET outcome = 'failed', code = 'late', at = $1 FROM over
            WHERE m.campaign_id = over.campaign_id AND m.account = over.account AND m.outcome IS NULL AND m.begun_at IS NULL
            RETURNING 1
        ), doubtful AS (
          UPDATE campaign_mails SET outcome = 'failed', code = 'in_doubt', at = $1
            WHERE outcome IS NULL AND begun_at <= $2 RETURNING 1
        ) SELECT (SELECT count(*) FROM late) AS late, (SELECT count(*) FROM doubtful) AS "inDoubt"`,
      [int8(now), int8(now - Bounds.leaseMs), int8(Bounds.endedMails)]
    )
  )

const Facts = Schema.Struct({
  program: Schema.String,
  claimedAt: Schema.Number,
  mail: optional(CampaignMail),
  email: optional(Schema.String),
  language: optional(Schema.String),
  /** Why the guest gets none now; undefined: the guest gets it. */
  refusal: optional(Schema.String)
})
const factsRow = firstOf(Facts)

/** Everything that decides on a mail which is begun, as it is now; undefined: a merge has moved it. */
export const facts = (query: Query, { account, campaign }: Taken): Read<typeof Facts.Type | undefined> =>
  factsRow(
    query(
      `SELECT c.program_id AS program, m.claimed_at AS "claimedAt", c.mail, p.email, s.language,
          mail_refusal(m.account) AS refusal
        FROM campaign_mails m JOIN campaigns c ON c.campaign_id = m.campaign_id
          LEFT JOIN profiles p ON p.account = m.account LEFT JOIN guest_settings s ON s.account = m.account
        WHERE m.campaign_id = $1 AND m.account = $2`,
      [text(campaign), int8(account)]
    )
  )

/** Ends a mail that is begun. */
export const finish = (
  query: Query,
  { account, campaign }: Taken,
  outcome: Outcome,
  code: string | null,
  now: number
) =>
  Effect.asVoid(
    query(
      `UPDATE campaign_mails SET outcome = $3, code = $4, at = $5
        WHERE campaign_id = $1 AND account = $2 AND outcome IS NULL`,
      [text(campaign), int8(account), text(outcome), text(code), int8(now)]
    )
  )

/** A mail that was not sent waits again. */
export const later = (query: Query, { account, campaign }: Taken, dueAt: number): Read<void> =>
  Effect.asVoid(
    query(
      `UPDATE campaign_mails SET begun_at = NULL, due_at = $3
        WHERE campaign_id = $1 AND account = $2 AND outcome IS NULL`,
      [text(campaign), int8(account), int8(dueAt)]
    )
  )

const busyRow = oneOf(Schema.Struct({ busy: Schema.Boolean }))

/** True if mails that people wait for are to be sent, such as codes: those come first. */
export const hasUrgent = (query: Query): Read<boolean> =>
  Effect.map(
    busyRow(
      query(
        `SELECT EXISTS (SELECT FROM mails
          WHERE due_at <= (extract(epoch FROM statement_timestamp()) * 1000)::bigint) AS busy`
      )
    ),
    ({ busy }) => busy
  )

/** Notes that the guest withdrew by this mail. `accounts`: the guest's, also those that were merged. */
export const unsubscribe = (query: Query, campaign: string, accounts: ReadonlyArray<number>, now: number): Read<void> =>
  Effect.asVoid(
    query(
      `UPDATE campaign_mails SET unsubscribed_at = $3
        WHERE campaign_id = $1 AND account = ANY($2) AND unsubscribed_at IS NULL`,
      [text(campaign), int8s(accounts), int8(now)]
    )
  )

export const waiting = (query: Query): Read<number> =>
  Effect.map(countRow(query("SELECT count(*) AS n FROM campaign_mails WHERE outcome IS NULL")), ({ n }) => n)

const FigureRow = Schema.Struct({ outcome: optional(Schema.String), n: Schema.Number, unsubscribed: Schema.Number })
const figureRows = rowsOf(FigureRow)

/** Figures of a campaign's mails; undefined: there are none. */
export const figures = (query: Query, campaign: string): Read<CampaignMailed | undefined> =>
  Effect.map(
    figureRows(
      query(
        `SELECT CASE WHEN code = 'in_doubt' THEN code ELSE outcome END AS outcome, count(*) AS n,
            count(unsubscribed_at) AS unsubscribed
          FROM campaign_mails WHERE campaign_id = $1 GROUP BY 1`,
        [text(campaign)]
      )
    ),
    (rows) => {
      if (rows.length === 0) return undefined
      const of = (outcome: string | undefined) => rows.find((row) => row.outcome === outcome)?.n ?? 0
      const inDoubt = of("in_doubt")
      const rehearsed = of("rehearsed")
      return {
        waiting: of(undefined),
        sent: of("sent"),
        failed: of("failed"),
        ...(inDoubt === 0 ? undefined : { in_doubt: inDoubt }),
        skipped: of("skipped"),
        unsubscribed: rows.reduce((sum, row) => sum + row.unsubscribed, 0),
        ...(rehearsed === 0 ? undefined : { rehearsed })
      }
    }
  )
