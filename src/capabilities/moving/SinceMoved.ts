/** Reads what makes the balances of members: what was moved, and what happened since (contract/moving.md *Reconcile*). */
import { Effect, Schema } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { int8s, rowsOf } from "../../base/database/Values.ts"
import type { Since } from "../../contract/admin/MoveIn.ts"
import { Unit } from "../../contract/Values.ts"
import { movedPrefix } from "./MovedKeys.ts"

const rows = rowsOf(
  Schema.Struct({
    account: Schema.Number,
    member: Schema.String,
    unit: Unit,
    moved: Schema.Number,
    accrued: Schema.Number,
    redeemed: Schema.Number,
    expired: Schema.Number,
    balance: Schema.Number
  })
)

const isMoved = `e.operation = 'manual' AND e.adjustment_id LIKE '${movedPrefix}%'`
const sumOf = (which: string): string => `coalesce(sum(e.amount) FILTER (WHERE ${which}), 0)::bigint`

const statement = `SELECT a.number AS account, a.member_id AS member, e.unit, ${sumOf(isMoved)} AS moved,
    ${sumOf("e.operation = 'accrual' OR (e.operation = 'adjustment' AND e.order_id IS NOT NULL)")} AS accrued,
    ${sumOf("e.operation IN ('redemption', 'reversal')")} AS redeemed,
    ${sumOf("e.operation = 'expiration'")} AS expired, sum(e.amount)::bigint AS balance
  FROM ledger_entries e JOIN accounts a ON a.number = e.account WHERE e.account = ANY ($1) AND accounts_here($1)
  GROUP BY a.number, a.member_id, e.unit ORDER BY a.number, e.unit`

/** The members of accounts, each with what makes its balances. */
export const read = Effect.fnUntraced(function* (query: Query, accounts: ReadonlyArray<number>) {
  if (accounts.length === 0)
    return new Map<number, { readonly member_id: string; readonly since: ReadonlyArray<Since> }>()
  const found = Map.groupBy(yield* rows(query(statement, [int8s([...new Set(accounts)])])), ({ account }) => account)
  return new Map(
    [...found].map(([account, units]) => {
      const since = units.map(
        ({ accrued, balance, expired, moved, redeemed, unit }): Since => ({
          ...{ unit, moved, accrued, redeemed, expired },
          other: balance - moved - accrued - redeemed - expired,
          balance
        })
      )
      return [account, { member_id: units[0]?.member ?? "", since }] as const
    })
  )
})
