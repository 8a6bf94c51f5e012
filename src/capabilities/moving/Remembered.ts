/** Reads what earlier moves have brought of guests: the claims of their names, and the entries of their lots. */
import { Effect, Schema } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { int8s, rowsOf } from "../../base/database/Values.ts"
import type { MovedGuest } from "../../contract/admin/MovedGuest.ts"
import { Unit } from "../../contract/Values.ts"
import type { Journal } from "../../core/journal/Journal.ts"
import { orUnavailable } from "../../desk/surface/Refusal.ts"
import * as MovedKeys from "./MovedKeys.ts"

/** Points of a lot that were moved, corrections included. */
export interface MovedPoints {
  readonly adjustment: string
  readonly unit: Unit
  readonly amount: number
  /** Entries of the lot: its own, and one for each correction. */
  readonly entries: number
}

/** A guest that was moved before. */
export interface Remembered {
  readonly root: string
  /** The member's account now. */
  readonly account: number
  readonly isErased: boolean
  /** The lots of the guest by the id of their entries; not those of another guest who is the same member. */
  readonly points: ReadonlyMap<string, MovedPoints>
}

const accounts = rowsOf(Schema.Struct({ own: Schema.Number, account: Schema.Number, erased: Schema.Boolean }))
const entries = rowsOf(
  Schema.Struct({
    account: Schema.Number,
    adjustment: Schema.String,
    unit: Unit,
    amount: Schema.Number,
    entries: Schema.Number
  })
)

const accountsStatement = `SELECT a.number AS own, coalesce(m.into_account, a.number) AS account,
    EXISTS (SELECT FROM erasures e WHERE e.account = a.number) AS erased
  FROM accounts a LEFT JOIN rollup_merges m ON m.account = a.number WHERE a.number = ANY ($1)`
const entriesStatement = `SELECT account, adjustment_id AS adjustment, unit, sum(amount)::bigint AS amount,
    count(*)::bigint AS entries
  FROM ledger_entries
  WHERE account = ANY ($1) AND operation = 'manual' AND adjustment_id LIKE '${MovedKeys.movedPrefix}%'
  GROUP BY account, adjustment_id, unit`

interface Parts {
  readonly query: Query
  readonly journal: Pick<Journal["Service"], "claimKey" | "holders">
}

/** Tells of some guests what is remembered, in their order; undefined: a guest was never moved. */
export const remembered = Effect.fnUntraced(function* (
  { journal, query }: Parts,
  program: string,
  guests: ReadonlyArray<MovedGuest>
) {
  const names = guests.map((guest) => MovedKeys.namesOf(journal.claimKey, program, guest))
  const held = yield* orUnavailable(
    journal.holders([...new Set(names.flatMap(({ cards, ids }) => [...ids, ...cards]))])
  )
  const byKey = new Map(held.map((holder) => [holder.key, holder]))
  const holders = names.map(({ cards, ids }) =>
    (ids.length > 0 ? ids : cards).map((key) => byKey.get(key)).find((holder) => holder !== undefined)
  )
  const own = [...new Set(holders.flatMap((holder) => holder?.account ?? []))]
  if (own.length === 0) return guests.map(() => undefined)
  const there = new Map((yield* accounts(query(accountsStatement, [int8s(own)]))).map((one) => [one.own, one]))
  const all = [...new Set([...own, ...[...there.values()].map(({ account }) => account)])]
  const points = Map.groupBy(yield* entries(query(entriesStatement, [int8s(all)])), ({ account }) => account)
  return holders.map((holder): Remembered | undefined => {
    const found = holder && there.get(holder.account)
    if (holder === undefined || found === undefined) return undefined
    const sums = new Map<string, MovedPoints>()
    const prefix = MovedKeys.guestPrefix(holder.fingerprint)
    for (const of of new Set([found.own, found.account]))
      for (const { adjustment, amount, entries, unit } of points.get(of) ?? []) {
        if (!adjustment.startsWith(prefix)) continue
        const before = sums.get(adjustment) ?? { amount: 0, entries: 0 }
        sums.set(adjustment, { adjustment, unit, amount: amount + before.amount, entries: entries + before.entries })
      }
    return { root: holder.fingerprint, account: found.account, isErased: found.erased, points: sums }
  })
})
