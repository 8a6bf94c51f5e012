/** Reads what earlier moves have brought of guests: the claims of their names, and the entries of their lots. */
import { Effect, Schema } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { instant, int8s, rowsOf } from "../../base/database/Values.ts"
import type { MovedGuest } from "../../contract/admin/MovedGuest.ts"
import { Unit } from "../../contract/Values.ts"
import type { LotOrigin } from "../../core/account/domain/Action.ts"
import type { FileReads } from "../../core/journal/archive/ArchiveFiles.ts"
import type { Journal } from "../../core/journal/Journal.ts"
import * as EntriesOfAccounts from "../../core/journal/postgres/EntriesOfAccounts.ts"
import { orUnavailable } from "../../desk/surface/Refusal.ts"
import * as MovedKeys from "./MovedKeys.ts"

/** Points of a lot that were moved, corrections included. */
export interface MovedPoints {
  readonly adjustment: string
  readonly unit: Unit
  readonly amount: number
  /** Entries of the lot: its own, and one for each correction. */
  readonly entries: number
  /** The entries that added points. */
  readonly lots: ReadonlyArray<LotOrigin>
  /** True if the points have expired, or their date has passed. */
  readonly isOver: boolean
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
    n: Schema.Number,
    adjustment: Schema.String,
    unit: Unit,
    amount: Schema.Number,
    over: Schema.Boolean
  })
)

const accountsStatement = `SELECT a.number AS own, coalesce(m.into_account, a.number) AS account,
    EXISTS (SELECT FROM erasures e WHERE e.account = a.number) AS erased
  FROM accounts a LEFT JOIN rollup_merges m ON m.account = a.number WHERE a.number = ANY ($1)`
const entriesStatement = (entries: string) => `WITH entries AS MATERIALIZED ${entries}
  SELECT e.account, e.n, e.adjustment_id AS adjustment, e.unit, e.amount,
    coalesce(e.expires_at <= $3, false) OR coalesce((e.account, e.n) IN (
      SELECT x.account, x.related_n FROM entries x WHERE x.operation = 'expiration'
    ), false) AS over
  FROM entries e WHERE e.operation = 'manual' AND e.adjustment_id LIKE '${MovedKeys.movedPrefix}%'`

type EntryRow = Effect.Success<ReturnType<typeof entries>>[number]

export interface Sources {
  readonly query: Query
  readonly files: FileReads | undefined
}

/** Entries of points that were moved to accounts. `now`: ms. */
export const entriesOf = (sources: Sources, of: ReadonlyArray<number>, now: number) =>
  EntriesOfAccounts.over(sources, { accounts: of, operations: ["manual", "expiration"] }, (all, given) =>
    entries(sources.query(entriesStatement(all), [...given, instant(now)]))
  )

/** Lots by the id of their entries. */
export const lotsIn = (rows: ReadonlyArray<EntryRow>): ReadonlyMap<string, MovedPoints> =>
  new Map(
    Map.groupBy(rows, ({ adjustment }) => adjustment)
      .entries()
      .map(([adjustment, own]) => {
        const made = own.filter(({ amount }) => amount > 0)
        const amount = own.reduce((sum, one) => sum + one.amount, 0)
        const lots = made.map(({ account, n }) => ({ account, n }))
        const isOver = made.some(({ over }) => over)
        return [adjustment, { adjustment, unit: own[0]!.unit, amount, entries: own.length, lots, isOver }]
      })
  )

interface Parts extends Sources {
  /** ms */
  readonly now: number
  readonly journal: Pick<Journal["Service"], "claimKey" | "holders">
}

/**
 * Tells of some guests what is remembered, in their order; undefined: a guest was never moved. `taken`: keys of their names by
 * which guests are remembered already.
 */
export const remembered = Effect.fnUntraced(function* (
  { files, journal, now, query }: Parts,
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
  const taken: ReadonlySet<string> = new Set(byKey.keys())
  if (own.length === 0) return { taken, guests: guests.map(() => undefined) }
  const there = new Map((yield* accounts(query(accountsStatement, [int8s(own)]))).map((one) => [one.own, one]))
  const all = [...new Set([...own, ...[...there.values()].map(({ account }) => account)])]
  const points = Map.groupBy(yield* entriesOf({ files, query }, all, now), ({ account }) => account)
  const known = holders.map((holder): Remembered | undefined => {
    const found = holder && there.get(holder.account)
    if (holder === undefined || found === undefined) return undefined
    const prefix = MovedKeys.guestPrefix(holder.fingerprint)
    const moved = [...new Set([found.own, found.account])].flatMap((of) => points.get(of) ?? [])
    const lots = lotsIn(moved.filter(({ adjustment }) => adjustment.startsWith(prefix)))
    return { root: holder.fingerprint, account: found.account, isErased: found.erased, points: lots }
  })
  return { taken, guests: known }
})
