/** Campaigns that have something to say to a guest now, because they gave it something (contract/guests.md *What a guest sees*). */
import { PgTypes } from "@effect/sql-pg"
import { Schema } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { int8, int8s, optional, rowsOf } from "../../base/database/Values.ts"
import { defaultGuestDays, maxGuestDays } from "../../contract/platform/GivenCampaigns.ts"
import { dayMs } from "../../core/rules/Calendar.ts"
import * as Bounds from "./Bounds.ts"

const Told = Schema.Struct({ name: optional(Schema.String), text: Schema.String, at: Schema.Number })
const rows = rowsOf(Told)

/** Name and text of a campaign `c` in a language (an expression), else those for all. */
export const words = (language: string): string =>
  `CASE WHEN c.guest_texts -> ${language} IS NULL THEN c.guest_name ELSE c.guest_texts -> ${language} ->> 'name' END AS name,
      coalesce(c.guest_texts -> ${language} ->> 'text', c.guest_text) AS text`

// Each half is one look into an index of the account.
const statement = `WITH given AS (
    SELECT r.campaign_id, t.at FROM campaign_targets t JOIN campaign_runs r ON r.n = t.run
      WHERE t.account = ANY($1) AND t.outcome = 'issued' AND t.at > $4 - $2
    UNION ALL SELECT e.campaign_id, e.at FROM campaign_events e
      WHERE e.receiver = ANY($1) AND e.outcome = 'issued' AND e.at > $4 - $2
  ) SELECT ${words("$6")}, max(g.at) AS at
    FROM given g JOIN campaigns c ON c.campaign_id = g.campaign_id
    WHERE c.program_id = $3 AND c.guest_text IS NOT NULL AND c.status = 'active' AND (c.ends_at IS NULL OR c.ends_at > $4)
      AND g.at > $4 - coalesce(c.guest_days, ${defaultGuestDays}) * ${dayMs}::bigint
    GROUP BY c.n ORDER BY max(g.at) DESC, c.campaign_id LIMIT $5`

/**
 * The newest texts of a programme's active campaigns that gave one of these accounts something, from then until the campaign
 * ends or its days are over. `now`: ms.
 */
export const told = (query: Query, program: string, accounts: ReadonlyArray<number>, now: number, language: string) =>
  rows(
    query(statement, [
      int8s(accounts),
      int8(maxGuestDays * dayMs),
      PgTypes.text(program),
      int8(now),
      int8(Bounds.toldCampaigns),
      PgTypes.text(language)
    ])
  )
