/**
 * The unused rewards of one cause, which are taken back together (contract/operators.md *Taking rewards back*).
 *
 * The tables do not name the cause of a reward. Of cards and challenges the record that issued it tells; of a run, its id.
 */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Pool } from "../../base/database/Pools.ts"
import { int8, rowsOf } from "../../base/database/Values.ts"
import type { RewardCause } from "../../contract/admin/TakeBack.ts"
import type { Refused } from "../../contract/Refused.ts"
import type { ClaimKey } from "../../core/journal/Hashing.ts"
import { refuse } from "../../desk/surface/Refusal.ts"
import * as Bounds from "./Bounds.ts"
import * as Grants from "./Grants.ts"
import * as RunStore from "./RunStore.ts"

const { text } = PgTypes

/** A reward, and who has it. */
export interface Unused {
  readonly member: string
  readonly issued: string
}

/** Instants of issuing, ms. `until` is excluded. */
export interface Range {
  readonly from: number
  readonly until: number
}

/** Rewards `r` that can be used at $1, ms, and were issued from $2 until $3. */
const isUnused = `r.status = 'issued' AND (r.expires_at IS NULL OR r.expires_at > $1)
  AND r.issued_at >= $2 AND r.issued_at < $3`

const order = "ORDER BY issued_at, account, n"
const columns = "r.account, r.n, r.issued_reward_id AS issued, r.issued_at, a.member_id AS member"
const owners = "JOIN accounts a ON a.number = r.account"

/** A record of the account, or of one that was merged into it, tells why a reward was issued: of that instant. */
const earnedStatement = (condition: string) => `WITH unused AS MATERIALIZED (
    SELECT ${columns} FROM issued_rewards r ${owners} WHERE a.program_id = $4 AND ${isUnused}
  ), told AS (
    SELECT DISTINCT u.account, event ->> 'issued' AS issued
      FROM (SELECT DISTINCT account, issued_at FROM unused) u CROSS JOIN LATERAL (
          SELECT of.account FROM (
              SELECT u.account UNION ALL SELECT m.account FROM rollup_merges m WHERE m.into_account = u.account
            ) of WHERE account_here(of.account, u.issued_at, u.issued_at) OFFSET 0
        ) of CROSS JOIN LATERAL (
          SELECT j.events FROM journal j WHERE j.at = u.issued_at AND j.account = of.account OFFSET 0
        ) j CROSS JOIN LATERAL json_array_elements(j.events::json) event
      WHERE ${condition}
  )
  SELECT member, issued FROM unused JOIN told USING (account, issued) ${order}`
const ofCards = earnedStatement("event ->> 'type' = 'reward_issued' AND event ->> 'card' IS NOT NULL")
const ofChallenge = earnedStatement("event ->> 'type' = 'challenge_completed' AND event ->> 'id' = $5")
const earnedRows = rowsOf(Schema.Struct({ member: Schema.String, issued: Schema.String }))

const ofRun = `SELECT t.account AS reached, ${columns}
  FROM campaign_targets t LEFT JOIN rollup_merges m ON m.account = t.account
    JOIN issued_rewards r ON r.account IN (t.account, m.into_account) AND starts_with(r.issued_reward_id, 'cmp_')
    ${owners}
  WHERE t.run = $4 AND t.outcome = 'issued' AND ${isUnused}
  ${order}`
const runRows = rowsOf(Schema.Struct({ reached: Schema.Number, member: Schema.String, issued: Schema.String }))

const limited = <A>({ longTransaction, query }: Pool, statement: Effect.Effect<A, Refused>) =>
  longTransaction(
    Effect.andThen(
      query("SELECT set_config('statement_timeout', $1, true)", [text(String(Bounds.takenBackMs))]),
      statement
    )
  )

/** The unused rewards of a cause as of `now`, ms, oldest first. Requires: the cause names one thing. */
export const find = Effect.fnUntraced(function* (
  pool: Pool,
  claimKey: ClaimKey,
  program: string,
  { challenge_id, run_id }: RewardCause,
  { from, until }: Range,
  now: number
): Effect.fn.Return<ReadonlyArray<Unused>, Refused> {
  const when = [int8(now), int8(from), int8(until)]
  if (run_id === undefined) {
    const given = [...when, text(program), ...(challenge_id === undefined ? [] : [text(challenge_id)])]
    return yield* limited(pool, earnedRows(pool.query(challenge_id === undefined ? ofCards : ofChallenge, given)))
  }
  const run = yield* RunStore.ofProgram(pool.query, program, run_id)
  if (run === undefined) return yield* refuse("not_found", `There is no run ${run_id} of programme ${program}.`)
  const rows = yield* limited(pool, runRows(pool.query(ofRun, [...when, int8(run.n)])))
  const found: Array<Unused> = []
  for (const [index, { issued, member, reached }] of rows.entries()) {
    if (issued === Grants.idOf(claimKey, run, reached)) found.push({ member, issued })
    if (index % Bounds.hashedGrants === Bounds.hashedGrants - 1) yield* Effect.yieldNow
  }
  return found
})
