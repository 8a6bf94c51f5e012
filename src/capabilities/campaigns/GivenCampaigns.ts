/** Campaigns' gifts to a member, in words for guests (contract/engagement.md *Texts for guests*). */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { PeoplePool } from "../../base/database/Pools.ts"
import { int8, int8s, optional, rowsOf } from "../../base/database/Values.ts"
import { CampaignAction } from "../../contract/platform/Campaigns.ts"
import type { GivenCampaign, GivenQuery } from "../../contract/platform/GivenCampaigns.ts"
import { fromMillis } from "../../contract/Values.ts"
import { Accounts } from "../../core/account/Accounts.ts"
import { mergedAccounts } from "../../core/account/domain/State.ts"
import type { ClaimKey } from "../../core/journal/Hashing.ts"
import { Journal } from "../../core/journal/Journal.ts"
import { Programs } from "../../core/programs/Programs.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import { memberOf } from "../../desk/surface/MemberOf.ts"
import { paged, pageOf } from "../../desk/surface/Paging.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import * as Grants from "./Grants.ts"
import { words } from "./Told.ts"

const { text } = PgTypes

const Given = Schema.Struct({
  campaign: Schema.String,
  /** The event that gave it; undefined: a run did. */
  event: optional(Schema.String),
  /** The run's key. */
  key: optional(Schema.String),
  account: Schema.Number,
  action: CampaignAction,
  /** ms */
  at: Schema.Number,
  name: optional(Schema.String),
  text: Schema.String,
  /** Its place in the list. */
  place: Schema.String
})
type Given = typeof Given.Type

const given = rowsOf(Given)

// At one instant events precede runs. A place is [at, 0 for runs or 1 for events, number of the run or event, account].
const statement = `WITH given AS (
    SELECT t.at, 0 AS kind, r.n, t.account, r.campaign_id, r.run_key AS key, NULL AS event, r.action
      FROM campaign_targets t JOIN campaign_runs r ON r.n = t.run
      WHERE t.account = ANY($1) AND t.outcome = 'issued'
    UNION ALL SELECT e.at, 1, e.n, e.receiver, e.campaign_id, NULL, e.event_id, e.action
      FROM campaign_events e WHERE e.receiver = ANY($1) AND e.outcome = 'issued'
  ) SELECT g.campaign_id AS campaign, g.event, g.key, g.account, g.action, g.at,
      ${words("s.language")}, json_build_array(g.at, g.kind, g.n, g.account)::text AS place
    FROM given g JOIN campaigns c ON c.campaign_id = g.campaign_id LEFT JOIN guest_settings s ON s.account = $4
    WHERE c.guest_text IS NOT NULL AND ($2::json IS NULL OR (g.at, g.kind, g.n, g.account) <
      (($2::json ->> 0)::bigint, ($2::json ->> 1)::int, ($2::json ->> 2)::bigint, ($2::json ->> 3)::bigint))
    ORDER BY g.at DESC, g.kind DESC, g.n DESC, g.account DESC LIMIT $3`

const idOf = (claimKey: ClaimKey, { account, campaign, event, key }: Given): string =>
  event === undefined ? Grants.idOf(claimKey, { campaign, key }, account) : Grants.idFor(claimKey, { campaign, event })

const shown = (claimKey: ClaimKey, row: Given): GivenCampaign => ({
  campaign_id: row.campaign,
  ...(row.name === undefined ? undefined : { name: row.name }),
  text: row.text,
  given_at: fromMillis(row.at),
  ...(row.action.issue_reward === undefined ? undefined : { issued_reward_id: idOf(claimKey, row) })
})

export const make = Effect.gen(function* () {
  const [accounts, programs, people] = [yield* Accounts, yield* Programs, yield* PeoplePool]
  const { claimKey } = yield* Journal
  return Effect.fn("GivenCampaigns.list")(function* ({ cursor, limit, member_id, program_id }: GivenQuery) {
    const program = yield* Visible.programOf(programs, yield* CurrentCaller, program_id)
    const { account, state } = yield* memberOf(accounts, program.id, member_id)
    const bound = ["given campaigns", program.id, member_id]
    const page = yield* pageOf(claimKey, bound, { cursor, limit })
    const found = yield* given(
      people.query(statement, [
        int8s([account, ...mergedAccounts(state)]),
        text(page.after ?? null),
        int8(page.limit + 1),
        int8(account)
      ])
    )
    const { rows, ...next } = paged(claimKey, bound, page, found, ({ place }) => place)
    return { campaigns: rows.map((row) => shown(claimKey, row)), ...next }
  })
})
