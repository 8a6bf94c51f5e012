/** Counts what a campaign gave, and how many of its rewards were redeemed (contract/engagement.md *Campaign reports*). */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { optional, rowsOf } from "../../base/database/Values.ts"
import type { CampaignCost, CampaignGiven } from "../../contract/platform/CampaignGiven.ts"
import type { Refused } from "../../contract/Refused.ts"
import { Unit } from "../../contract/Values.ts"
import { worthOf } from "../../contract/Worth.ts"
import type { ClaimKey } from "../../core/journal/Hashing.ts"
import type { Program } from "../../core/rules/Program.ts"
import { worthOfRewards } from "../../reads/rollups/Owed.ts"
import * as Bounds from "./Bounds.ts"
import * as Grants from "./Grants.ts"

const { text } = PgTypes

const Sum = Schema.Struct({
  /** Undefined: the primary account's unit. */
  unit: optional(Unit),
  /** Points credited. */
  points: Schema.Number,
  /** Rewards issued. */
  rewards: Schema.Number
})
const sums = rowsOf(Sum)

// Each run and each event keeps the action that it began with.
const sumStatement = `WITH given AS (
    SELECT action, issued AS grants FROM campaign_runs WHERE campaign_id = $1
    UNION ALL SELECT action, count(*) FROM campaign_events WHERE campaign_id = $1 AND outcome = 'issued' GROUP BY action
  ) SELECT action -> 'credit' ->> 'unit' AS unit,
      coalesce(sum(grants * (action -> 'credit' ->> 'amount')::bigint), 0)::float8 AS points,
      coalesce(sum(grants) FILTER (WHERE action ? 'issue_reward'), 0)::float8 AS rewards
    FROM given GROUP BY 1 ORDER BY 1`

/**
 * The grants of rewards to members with redeemed rewards of the same kind, with the ids of these. A merge may have moved a
 * reward to the remaining member's account.
 */
const redeemedStatement = `WITH given AS (
    SELECT t.account, r.run_key AS key, NULL AS event, r.action -> 'issue_reward' ->> 'reward_id' AS reward
      FROM campaign_runs r JOIN campaign_targets t ON t.run = r.n AND t.outcome = 'issued' WHERE r.campaign_id = $1
    UNION ALL SELECT e.receiver, NULL, e.event_id, e.action -> 'issue_reward' ->> 'reward_id'
      FROM campaign_events e WHERE e.campaign_id = $1 AND e.outcome = 'issued'
  ) SELECT g.account, g.key, g.event, g.reward, array_agg(w.issued_reward_id) AS redeemed
    FROM given g LEFT JOIN rollup_merges m ON m.account = g.account
      JOIN issued_rewards w ON w.account IN (g.account, m.into_account) AND w.reward_id = g.reward
        AND w.status = 'redeemed' AND starts_with(w.issued_reward_id, 'cmp_')
    GROUP BY g.account, g.key, g.event, g.reward`

interface Candidate {
  readonly account: number
  readonly key: string | null
  readonly event: string | null
  readonly reward: string
  readonly redeemed: ReadonlyArray<string>
}

/** Counts the redeemed rewards of each kind. Only their ids tell which campaign issued them. */
const redeemedOf = Effect.fnUntraced(function* (
  query: Query,
  claimKey: ClaimKey,
  campaign: string
): Effect.fn.Return<ReadonlyMap<string, number>, Refused> {
  // Not decoded by a schema: the columns are the statement's own, and with very many rows other requests would wait for it.
  const rows = (yield* query(redeemedStatement, [text(campaign)])) as unknown as ReadonlyArray<Candidate>
  const counts = new Map<string, number>()
  for (const [index, { account, event, key, redeemed, reward }] of rows.entries()) {
    const id =
      event === null
        ? Grants.idOf(claimKey, { campaign, key: key ?? undefined }, account)
        : Grants.idFor(claimKey, { campaign, event })
    if (redeemed.includes(id)) counts.set(reward, (counts.get(reward) ?? 0) + 1)
    if (index % Bounds.hashedGrants === Bounds.hashedGrants - 1) yield* Effect.yieldNow
  }
  return counts
})

/** The cost until now, as far as the programme gives it a value. */
const costOf = (
  program: Program,
  points: ReadonlyMap<Unit, number>,
  redeemed: ReadonlyMap<string, number>
): CampaignCost => {
  const value = program.file.point_value
  const credited = points.get(program.primaryUnit) ?? 0
  const used = [...redeemed].map(([reward, many]) => ({ many, worth: worthOfRewards(program, reward, many) }))
  return {
    ...(value === undefined || credited === 0 ? undefined : { points: worthOf(value, credited) }),
    rewards: { amount: used.reduce((sum, { worth }) => sum + worth, 0), currency: program.currency },
    unvalued_rewards: used.reduce((sum, { many, worth }) => (worth === 0 ? sum + many : sum), 0)
  }
}

/** Gifts of a campaign of a programme, and their cost. */
export const count = Effect.fnUntraced(function* (
  query: Query,
  claimKey: ClaimKey,
  campaign: string,
  program: Program
): Effect.fn.Return<{ readonly given: CampaignGiven; readonly cost: CampaignCost }, Refused> {
  const rows = yield* sums(query(sumStatement, [text(campaign)]))
  const points = new Map<Unit, number>()
  for (const { points: amount, unit = program.primaryUnit } of rows)
    if (amount > 0) points.set(unit, (points.get(unit) ?? 0) + amount)
  const issued = rows.reduce((sum, { rewards }) => sum + rewards, 0)
  const redeemed = issued === 0 ? new Map<string, number>() : yield* redeemedOf(query, claimKey, campaign)
  return {
    given: {
      rewards_issued: issued,
      rewards_redeemed: [...redeemed.values()].reduce((sum, many) => sum + many, 0),
      points: [...points].map(([unit, amount]) => ({ unit, amount }))
    },
    cost: costOf(program, points, redeemed)
  }
})
