/**
 * Repairs from the journal: rows of accounts, identities, wallet rewards and
 * snapshots, and the rollups as a whole. Ledger rows are append-only, and the journal has no personal data:
 * a difference there, or a damaged journal, is only reported.
 *
 * Safe beside a running service: an account's row is locked while it is written.
 * An account that has new records since it was read is skipped, because the
 * service's own commit has just written its rows.
 */
import { PgConnection, PgTypes } from "@effect/sql-pg"
import { Effect, Layer, Schema } from "effect"
import { Database } from "../../base/database/Database.ts"
import * as SpanOf from "../../base/database/SpanOf.ts"
import { firstOf, instant, int8, int8s, oneOf, optional, uuids } from "../../base/database/Values.ts"
import { passivatedTail } from "../../core/account/Bounds.ts"
import { encodeSnapshot, SNAPSHOT_VERSION } from "../../core/account/Codec.ts"
import { nextDueAt } from "../../core/account/domain/Due.ts"
import { unitOf } from "../../core/account/domain/State.ts"
import type { ClaimKey } from "../../core/journal/Hashing.ts"
import { makeClaimKey } from "../../core/journal/Hashing.ts"
import { Programs } from "../../core/programs/Programs.ts"
import type { Program } from "../../core/rules/Program.ts"
import * as PgFeed from "../feed/PgFeed.ts"
import type * as Position from "../feed/Position.ts"
import { Finance } from "../finance/Finance.ts"
import * as FinanceStore from "../finance/FinanceStore.ts"
import * as RollupStore from "../rollups/RollupStore.ts"
import { Rollups } from "../rollups/Rollups.ts"
import type { AccountAudit, Rebuilt } from "./AccountAudit.ts"
import * as CountedTo from "./CountedTo.ts"
import type { Difference } from "./Difference.ts"
import type { AccountMaterial } from "./Material.ts"
import * as SpanAudit from "./SpanAudit.ts"
import type { Progress } from "./Verification.ts"
import * as Verify from "./Verify.ts"

interface RebuildOptions {
  /** The only account to rebuild; absent: all accounts. */
  readonly account?: number | undefined
  readonly onProgress: (progress: Progress) => Effect.Effect<void>
  /** Called with each difference that a rebuild cannot repair. */
  readonly onUnrepaired: (difference: Difference, name: string | undefined) => Effect.Effect<void>
}

export interface Rebuilds {
  readonly accounts: number
  readonly written: number
  /** Accounts skipped because they had new records. */
  readonly skipped: number
  /** Differences that remain. */
  readonly unrepaired: number
  /** True if the rollups differed, and were made again from the first record. */
  readonly hasRemadeRollups: boolean
  /** The last record that rollups and sums of finance count now; undefined: nothing was counted. */
  readonly countedTo: string | undefined
}

const repairable = new Set(["accounts", "identities", "issued_rewards", "snapshots"])

/** Rollups with rows of single accounts. */
const memberRollups = new Set([
  "member_rollups",
  "rollup_member_lots",
  "rollup_orders",
  "rollup_buyers",
  "rollup_older",
  "rollup_merges"
])

const { int2, int4, json, text } = PgTypes
const newestRow = oneOf(Schema.Struct({ seq: optional(Schema.Number) }))
/** The last record of an account, which may be archived. */
const newestStatement = `SELECT greatest((SELECT max(seq) FROM journal WHERE account = $1),
  (SELECT max(s.seq) FROM sealed_accounts s WHERE s.account = $1 AND s.span = ANY (ARRAY(SELECT span FROM archived_spans)))) AS seq`
const secretRow = oneOf(Schema.Struct({ secret: Schema.String }))

const accountStatement = `INSERT INTO accounts (number, seq, next_due, due_version, balance, status, program_id, member_id, joined_at)
  VALUES ($1, $2, $3, $9, $4, $5::member_status, $6, $7, $8)
  ON CONFLICT (number) DO UPDATE SET seq = excluded.seq, next_due = excluded.next_due, due_version = excluded.due_version, balance = excluded.balance,
    status = excluded.status, program_id = excluded.program_id, member_id = excluded.member_id,
    joined_at = excluded.joined_at`

/** The rows of spans that lie in tables; those of archived ones stay. */
const noSpansStatement = `DELETE FROM account_spans
  WHERE account = $1 AND span <> ALL (ARRAY(SELECT x.span FROM archived_spans x))`
const spansStatement = `INSERT INTO account_spans (account, first_seq, first_n, span)
  SELECT $1, min(j.seq), coalesce((SELECT min(e.n) FROM ledger_entries e WHERE e.account = $1 AND e.span = j.span),
      greatest((SELECT max(e.n) + 1 FROM ledger_entries e WHERE e.account = $1 AND e.span < j.span),
        (SELECT x.next_n FROM archived_accounts x WHERE x.account = $1 AND x.span < j.span)), 1), j.span
    FROM journal j WHERE j.account = $1 AND j.span > 0 GROUP BY j.span`
const spanStatement = `UPDATE accounts SET span = ${SpanOf.newest("$1", "true")}
  WHERE number = $1`

/** An identity that another account holds is not moved: the next verification reports the conflict. */
const identitiesStatement = `INSERT INTO identities (key, account, seq)
  SELECT i.key, $1, i.seq FROM unnest($2, $3) i(key, seq)
  ON CONFLICT (key) DO NOTHING`

const rewardsStatement = `INSERT INTO issued_rewards SELECT $1, x.* FROM json_to_recordset($2)
  x(issued_reward_id text, n bigint, reward_id text, status issued_reward_status, issued_at bigint, expires_at bigint,
    redeemed_at bigint, cancelled_at bigint, cancellation_reason text, artifact_type text, artifact_value text)`

const rewardRows = ({ rewards }: Rebuilt) =>
  rewards.map((reward) => ({
    issued_reward_id: reward.issued,
    n: reward.n,
    reward_id: reward.reward,
    status: reward.status,
    issued_at: reward.at,
    expires_at: reward.expires,
    redeemed_at: reward.redeemed,
    cancelled_at: reward.cancelled,
    cancellation_reason: reward.reason,
    artifact_type: reward.artifact.type,
    artifact_value: reward.artifact.value
  }))

/** Writes an account's rows as its journal has them; false if it has new records. */
const write = (
  connection: PgConnection.PgConnection,
  claimKey: ClaimKey,
  account: number,
  rebuilt: Rebuilt,
  program: Program | undefined,
  balance: number
) => {
  const { hash, identities, state } = rebuilt
  const own = [int8(account)]
  return Effect.gen(function* () {
    yield* connection.query("SELECT FROM accounts WHERE number = $1 FOR UPDATE", own)
    const { seq } = yield* newestRow(connection.query(newestStatement, own))
    if (seq !== state.seq) return false
    yield* connection.query(accountStatement, [
      ...own,
      int8(state.seq),
      int8(nextDueAt(state, program)),
      int8(balance),
      text(state.status),
      text(state.program),
      text(state.member),
      instant(state.joined),
      int4(program?.version ?? 0)
    ])
    yield* connection.query(noSpansStatement, own)
    yield* connection.query(spansStatement, own)
    yield* connection.query(spanStatement, own)
    yield* connection.query("DELETE FROM issued_rewards WHERE account = $1", own)
    yield* connection.query(rewardsStatement, [...own, json(rewardRows(rebuilt))])
    yield* connection.query("DELETE FROM identities WHERE account = $1", own)
    yield* connection.query(identitiesStatement, [
      ...own,
      uuids([...identities.keys()]),
      int8s([...identities.values()])
    ])
    yield* connection.query("DELETE FROM snapshots WHERE account = $1", own)
    if (state.seq >= passivatedTail) {
      yield* connection.query("INSERT INTO snapshots (account, seq, version, state) VALUES ($1, $2, $3, $4)", [
        ...own,
        int8(state.seq),
        int2(SNAPSHOT_VERSION),
        text(encodeSnapshot(claimKey, state, hash))
      ])
    }
    return true
  }).pipe((body) =>
    Effect.andThen(connection.query("BEGIN", [], false), body).pipe(
      Effect.onExit((exit) => connection.query(exit._tag === "Success" ? "COMMIT" : "ROLLBACK", [], false))
    )
  )
}

const remade = Layer.merge(Rollups.layer, Finance.layer).pipe(
  Layer.provideMerge(Layer.merge(RollupStore.layer, FinanceStore.layer)),
  Layer.provideMerge(PgFeed.layer)
)

const lastRow = firstOf(RollupStore.PositionColumns)
/** The newest record of the present span and the one before it, which always lie in tables; undefined: they have none. */
const lastStatement = `SELECT epoch, transaction, account, seq FROM journal WHERE span >= (SELECT span - 1 FROM installation)
  ORDER BY epoch DESC, transaction DESC, account DESC, seq DESC LIMIT 1`

/**
 * Counts the records up to `last` that the rollups and the sums of finance lack; with `isAnew` all, after it has emptied them. What
 * tills add meanwhile is the services' to count: this would never end. A node that runs starts again too; both may write. Meanwhile
 * `as_of` of the figures tells how far they are.
 */
const countRollups = Effect.fnUntraced(
  function* (isAnew: boolean, last: Position.Position | undefined) {
    if (isAnew) yield* (yield* RollupStore.RollupStore).reset
    yield* (yield* Rollups).catchUp({ until: last })
    yield* (yield* Finance).catchUp({ until: last })
    return (yield* (yield* FinanceStore.FinanceStore).progress).position
  },
  // Fresh: the feed of this run has its folder of archived spans.
  Effect.provide(Layer.fresh(remade))
)

/** True if rows of the account can be repaired, or a long account lacks a current snapshot. */
const needsWriting = (audit: AccountAudit, { snapshot }: AccountMaterial): boolean =>
  audit.differences.some(({ table }) => repairable.has(table)) ||
  (audit.records >= passivatedTail && snapshot?.version !== SNAPSHOT_VERSION)

export const run = Effect.fnUntraced(function* (options: RebuildOptions) {
  const { clientConfig } = yield* Database
  const programs = yield* Programs
  const connection = yield* PgConnection.make({ ...clientConfig, applicationName: "lotbook journal rebuild" })
  const { secret } = yield* secretRow(connection.query("SELECT secret FROM installation"))
  const claimKey = makeClaimKey(secret)
  const misplaced = new Set(
    [...(yield* SpanAudit.lost(connection)), ...(yield* SpanAudit.differences(connection))].map(
      ({ account }) => account
    )
  )
  let written = 0
  let skipped = 0
  let unrepaired = 0
  const rollups: Array<Difference> = []
  const report = (differences: ReadonlyArray<Difference>, material: AccountMaterial) => {
    unrepaired += differences.length
    return Effect.forEach(differences, (difference) => options.onUnrepaired(difference, material.row?.memberId), {
      discard: true
    })
  }
  const visit = Effect.fnUntraced(function* (audit: AccountAudit, material: AccountMaterial) {
    const { rebuilt } = audit
    rollups.push(...audit.differences.filter(({ table }) => memberRollups.has(table)))
    const others = audit.differences.filter(({ table }) => !memberRollups.has(table))
    if (rebuilt === undefined) return yield* report(others, material)
    if (needsWriting(audit, material) || misplaced.has(material.account)) {
      const program = programs.get(rebuilt.state.program)
      // Only the programme knows the primary unit.
      const balance =
        program === undefined ? (material.row?.balance ?? 0) : unitOf(rebuilt.state, program.primaryUnit).posted
      if (yield* write(connection, claimKey, material.account, rebuilt, program, balance)) written++
      else skipped++
    }
    yield* report(
      others.filter(({ table }) => !repairable.has(table)),
      material
    )
  })
  const { accounts, canCount, differences, filed } = yield* Verify.walkAll(options.account, visit, options.onProgress)
  rollups.push(...differences)
  // A damaged record, or a file in another order, cannot be counted: rollups from before the damage are better than none.
  const hasRemadeRollups = rollups.length > 0 && options.account === undefined && canCount
  // An earlier run that was cut off leaves them right but short. A node without the folder cannot go on with them.
  const canGoOn = hasRemadeRollups || (rollups.length === 0 && options.account === undefined && canCount)
  const last = yield* lastRow(connection.query(lastStatement))
  const countedTo = canGoOn ? CountedTo.text(yield* countRollups(hasRemadeRollups, last)) : undefined
  const left = [...filed, ...(hasRemadeRollups ? [] : rollups)]
  unrepaired += left.length
  yield* Effect.forEach(left, (difference) => options.onUnrepaired(difference, undefined), { discard: true })
  return { accounts, written, skipped, unrepaired, hasRemadeRollups, countedTo } satisfies Rebuilds
}, Effect.scoped)
