/**
 * The unused rewards of one cause, which are taken back together (contract/operators.md *Taking rewards back*).
 *
 * The tables do not name the cause of a reward. Of cards and challenges the record that issued it tells; of a run, its id.
 */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Pool } from "../../base/database/Pools.ts"
import { int8, int8s, rowsOf, texts } from "../../base/database/Values.ts"
import type { RewardCause } from "../../contract/admin/TakeBack.ts"
import type { Refused } from "../../contract/Refused.ts"
import { said } from "../../contract/Said.ts"
import { decodeEvents } from "../../core/account/Codec.ts"
import type { AccountEvent } from "../../core/account/domain/AccountEvent.ts"
import type { FileReads } from "../../core/journal/archive/ArchiveFiles.ts"
import type { ClaimKey } from "../../core/journal/Hashing.ts"
import * as ArchivedReads from "../../core/journal/postgres/ArchivedReads.ts"
import { refuse, refuseFaults } from "../../desk/surface/Refusal.ts"
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

const unused = `WITH unused AS MATERIALIZED (
    SELECT ${columns} FROM issued_rewards r ${owners} WHERE a.program_id = $4 AND ${isUnused}
  )`
/** The account of a reward `u`, and those that were merged into it: a record of one, of the instant, tells why it was issued. */
const accountsOf = "SELECT u.account UNION ALL SELECT m.account FROM rollup_merges m WHERE m.into_account = u.account"

/** $5 and $6: accounts and their rewards that files tell. `isHere` holds for every account and instant. */
const earnedStatement = (condition: string, isHere: string) => `${unused}, told AS (
    SELECT account, issued FROM unnest($5::bigint[], $6::text[]) filed(account, issued)
    UNION SELECT u.account, event ->> 'issued'
      FROM (SELECT DISTINCT account, issued_at FROM unused) u CROSS JOIN LATERAL (
          SELECT of.account FROM (${accountsOf}) of WHERE ${isHere} OFFSET 0
        ) of CROSS JOIN LATERAL (
          SELECT j.events FROM journal j WHERE j.at = u.issued_at AND j.account = of.account OFFSET 0
        ) j CROSS JOIN LATERAL json_array_elements(j.events::json) event
      WHERE ${condition}
  )
  SELECT member, issued FROM unused JOIN told USING (account, issued) ${order}`
const isHere = "account_here(of.account, u.issued_at, u.issued_at)"
const ofCards = "event ->> 'type' = 'reward_issued' AND event ->> 'card' IS NOT NULL"
const ofChallenge = "event ->> 'type' = 'challenge_completed' AND event ->> 'id' = $7"
const earnedRows = rowsOf(Schema.Struct({ member: Schema.String, issued: Schema.String }))

/** Places of the records in archived spans that may tell causes. */
const filedStatement = `${unused}
  SELECT u.account AS owner, u.issued_at AS at, of.account, r.first_seq AS first, r.last_seq AS last, x.file, x.checksum
    FROM (SELECT DISTINCT account, issued_at FROM unused) u CROSS JOIN LATERAL (${accountsOf}) of
      CROSS JOIN LATERAL archived_records(of.account) r
      JOIN archived_spans x ON x.span = r.span AND x.first_at <= u.issued_at AND x.last_at >= u.issued_at
    ORDER BY x.span, of.account`
const filedRows = rowsOf(
  Schema.Struct({
    ...{ owner: Schema.Number, at: Schema.Number, account: Schema.Number, first: Schema.Number, last: Schema.Number },
    ...{ file: Schema.String, checksum: Schema.Uint8Array }
  })
)

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

/** A reward that a record in a file tells. */
interface Filed {
  readonly account: number
  readonly issued: string
}

/** Rewards with a cause, by their records in files, each read once. `issuedBy`: the reward that an event issued for it. */
const filed = Effect.fnUntraced(function* (
  pool: Pool,
  files: FileReads,
  asked: ReadonlyArray<unknown>,
  issuedBy: (event: AccountEvent) => string | undefined
) {
  const found: Array<Filed> = []
  const places = yield* limited(pool, filedRows(pool.query(filedStatement, asked)))
  for (const own of Map.groupBy(places, ({ account, file }) => `${account} ${file}`).values()) {
    const { checksum, file, owner, ...range } = own[0]!
    const instants = new Set(own.map(({ at }) => at))
    for (const record of (yield* files.rows({ checksum, file }, "records", range)).map(ArchivedReads.recordOf)) {
      if (!instants.has(record.at)) continue
      const all = decodeEvents(record).map(issuedBy)
      found.push(...all.flatMap((issued) => (issued === undefined ? [] : [{ account: owner, issued }])))
    }
  }
  return found
})

/** A retry would take as long: fewer rewards are fewer files to read. */
const tooLong = refuseFaults([
  { path: "/from", message: "archived months of this range take too long to read: ask for a shorter range" }
])

const issuedByCard = (event: AccountEvent) =>
  event.type === "reward_issued" && event.card !== undefined ? event.issued : undefined

/** The unused rewards of stamp cards, or of a challenge. */
const earned = (
  { files, pool }: Sources,
  asked: ReadonlyArray<unknown>,
  challenge: string | undefined
): Effect.Effect<ReadonlyArray<Unused>, Refused> => {
  const condition = challenge === undefined ? ofCards : ofChallenge
  const ask = (isHere: string, told: ReadonlyArray<Filed>) => {
    const given = [int8s(told.map(({ account }) => account)), texts(told.map(({ issued }) => issued))]
    const parameters = [...asked, ...given, ...(challenge === undefined ? [] : [text(challenge)])]
    return limited(pool, earnedRows(pool.query(earnedStatement(condition, isHere), parameters)))
  }
  const issuedBy = (event: AccountEvent) =>
    event.type === "challenge_completed" && event.id === challenge ? event.issued : undefined
  return ArchivedReads.orOfTables(pool.query, files, {
    ofTables: ask(isHere, []),
    ofBoth: (files) =>
      filed(pool, files, asked, challenge === undefined ? issuedByCard : issuedBy).pipe(
        Effect.timeoutOrElse({ duration: Bounds.takenBackMs, orElse: () => tooLong }),
        Effect.flatMap((told) => ask("true", told))
      )
  })
}

/** Tables, and the folder of archived months if the node has it. */
export interface Sources {
  readonly pool: Pool
  readonly files: FileReads | undefined
}

/** The unused rewards of a cause as of `now`, ms, oldest first. Requires: the cause names one thing. */
export const find = Effect.fnUntraced(function* (
  sources: Sources,
  claimKey: ClaimKey,
  program: string,
  { challenge_id, run_id }: RewardCause,
  { from, until }: Range,
  now: number
): Effect.fn.Return<ReadonlyArray<Unused>, Refused> {
  const when = [int8(now), int8(from), int8(until)]
  if (run_id === undefined) return yield* earned(sources, [...when, text(program)], challenge_id)
  const { pool } = sources
  const run = yield* RunStore.ofProgram(pool.query, program, run_id)
  if (run === undefined) return yield* refuse("not_found", said`There is no run ${run_id} of programme ${program}.`)
  const rows = yield* limited(pool, runRows(pool.query(ofRun, [...when, int8(run.n)])))
  const found: Array<Unused> = []
  for (const [index, { issued, member, reached }] of rows.entries()) {
    if (issued === Grants.idOf(claimKey, run, reached)) found.push({ member, issued })
    if (index % Bounds.hashedGrants === Bounds.hashedGrants - 1) yield* Effect.yieldNow
  }
  return found
})
