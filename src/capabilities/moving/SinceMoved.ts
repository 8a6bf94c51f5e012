/**
 * Reads what makes the balances of members: what was moved, what happened since, and what orders brought before
 * (contract/moving.md *Reconcile*, *Parallel weeks*).
 */
import { Effect, Schema } from "effect"
import { int8s, rowsOf } from "../../base/database/Values.ts"
import type { Before, Since } from "../../contract/admin/MoveIn.ts"
import { Unit } from "../../contract/Values.ts"
import * as EntriesOfAccounts from "../../core/journal/postgres/EntriesOfAccounts.ts"
import { movedPrefix } from "./MovedKeys.ts"
import type { Sources } from "./Remembered.ts"

const rows = rowsOf(
  Schema.Struct({
    account: Schema.Number,
    member: Schema.String,
    unit: Unit,
    moved: Schema.Number,
    accrued: Schema.Number,
    redeemed: Schema.Number,
    expired: Schema.Number,
    balance: Schema.Number,
    earnedBefore: Schema.Number,
    spentBefore: Schema.Number
  })
)
const merges = rowsOf(Schema.Struct({ account: Schema.Number, into: Schema.Number }))

const isMoved = `operation = 'manual' AND adjustment_id LIKE '${movedPrefix}%'`
const isOfOrder = "(e.operation = 'accrual' OR (e.operation = 'adjustment' AND e.order_id IS NOT NULL))"
const isSpent = "e.operation IN ('redemption', 'reversal')"
const sumOf = (which: string): string => `coalesce(sum(e.amount) FILTER (WHERE ${which}), 0)::bigint`

/** An order or a redemption begins with its first entry: what takes it back later counts with it. */
const begunBefore = `coalesce(CASE e.operation WHEN 'reversal' THEN e.related_n WHEN 'redemption' THEN e.n
    ELSE coalesce(e.accrued_n, e.n) END < e.moved_n, false)`

const mergesStatement = `SELECT account, into_account AS "into" FROM rollup_merges WHERE into_account = ANY ($1)`
const statementOver = (
  entries: string
) => `SELECT a.number AS account, a.member_id AS member, e.unit, ${sumOf(isMoved)} AS moved,
    ${sumOf(isOfOrder)} AS accrued, ${sumOf(isSpent)} AS redeemed,
    ${sumOf("e.operation = 'expiration'")} AS expired, sum(e.amount)::bigint AS balance,
    ${sumOf(`${isOfOrder} AND ${begunBefore}`)} AS "earnedBefore", ${sumOf(`${isSpent} AND ${begunBefore}`)} AS "spentBefore"
  FROM (
    SELECT account, n, unit, operation, amount, order_id, related_n, adjustment_id,
      max(n) FILTER (WHERE ${isMoved}) OVER (PARTITION BY account) AS moved_n,
      min(n) FILTER (WHERE operation = 'accrual') OVER (PARTITION BY account, order_id) AS accrued_n
    FROM ${entries} entries
  ) e JOIN accounts a ON a.number = e.account
  GROUP BY a.number, a.member_id, e.unit ORDER BY a.number, e.unit`

type Row = Effect.Success<ReturnType<typeof rows>>[number]

const sinceOf = ({ accrued, balance, expired, moved, redeemed, unit }: Row): Since => ({
  ...{ unit, moved, accrued, redeemed, expired },
  other: balance - moved - accrued - redeemed - expired,
  balance
})

/** Orders before the last points of a move; `isPending`: more points are to be moved, and all orders are before those. */
const beforeOf = (
  own: ReadonlyArray<Row>,
  contained: ReadonlyArray<Row>,
  isPending: boolean
): ReadonlyArray<Before> => {
  const sums = new Map<Unit, { earned: number; spent: number }>()
  for (const row of [...own, ...contained]) {
    const sum = sums.get(row.unit) ?? { earned: 0, spent: 0 }
    sum.earned += isPending ? row.accrued : row.earnedBefore
    sum.spent += isPending ? row.redeemed : row.spentBefore
    sums.set(row.unit, sum)
  }
  return [...sums].flatMap(([unit, { earned, spent }]) =>
    earned === 0 && spent === 0 ? [] : [{ unit, earned, spent }]
  )
}

export interface Told {
  readonly member_id: string
  readonly since: ReadonlyArray<Since>
  readonly before: ReadonlyArray<Before>
}

/** The members of accounts with entries. `pending`: accounts to which the move is about to bring points. */
export const read = Effect.fnUntraced(function* (
  sources: Sources,
  accounts: ReadonlyArray<number>,
  pending: ReadonlySet<number>
) {
  if (accounts.length === 0) return new Map<number, Told>()
  const own = [...new Set(accounts)]
  const merged = yield* merges(sources.query(mergesStatement, [int8s(own)]))
  const all = [...new Set([...own, ...merged.map(({ account }) => account)])]
  const read = EntriesOfAccounts.over(sources, { accounts: all }, (entries, given) =>
    rows(sources.query(statementOver(entries), given))
  )
  const found = Map.groupBy(yield* read, ({ account }) => account)
  const mergedInto = Map.groupBy(merged, ({ into }) => into)
  return new Map(
    own.flatMap((account): ReadonlyArray<readonly [number, Told]> => {
      const units = found.get(account) ?? []
      const [first] = units
      if (first === undefined) return []
      const contained = (mergedInto.get(account) ?? []).flatMap((one) => found.get(one.account) ?? [])
      const before = beforeOf(units, contained, pending.has(account))
      return [[account, { member_id: first.member, since: units.map(sinceOf), before }]]
    })
  )
})
