/** Campaigns that have something to say to a guest now, because they gave it something (contract/guests.md *What a guest sees*). */
import { PgTypes } from "@effect/sql-pg"
import { Schema } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { int8, int8s, optional, rowsOf } from "../../base/database/Values.ts"
import * as Bounds from "./Bounds.ts"

const Told = Schema.Struct({ name: optional(Schema.String), text: Schema.String, at: Schema.Number })
const rows = rowsOf(Told)

// Each half is one look into an index of the account.
const statement = `WITH given AS (
    SELECT r.campaign_id, t.at FROM campaign_targets t JOIN campaign_runs r ON r.n = t.run
      WHERE t.account = ANY($1) AND t.outcome = 'issued' AND t.at > $2
    UNION ALL SELECT e.campaign_id, e.at FROM campaign_events e
      WHERE e.receiver = ANY($1) AND e.outcome = 'issued' AND e.at > $2
  ) SELECT c.guest_name AS name, c.guest_text AS text, max(g.at) AS at
    FROM given g JOIN campaigns c ON c.campaign_id = g.campaign_id
    WHERE c.program_id = $3 AND c.guest_text IS NOT NULL AND c.status = 'active' AND (c.ends_at IS NULL OR c.ends_at > $4)
    GROUP BY c.campaign_id, c.guest_name, c.guest_text ORDER BY max(g.at) DESC, c.campaign_id LIMIT $5`

/**
 * The newest texts of a programme's active campaigns that gave one of these accounts something, from then until the campaign
 * ends, for a month at most. `now`: ms.
 */
export const told = (query: Query, program: string, accounts: ReadonlyArray<number>, now: number) =>
  rows(
    query(statement, [
      int8s(accounts),
      int8(now - Bounds.toldMs),
      PgTypes.text(program),
      int8(now),
      int8(Bounds.toldCampaigns)
    ])
  )
