/** A member's lots for operators: the original amount of each lot, and the points left. */
import { Effect } from "effect"
import type { Lot } from "../../contract/admin/Members.ts"
import { fromMillis } from "../../contract/Values.ts"
import { decodeEvents } from "../../core/account/Codec.ts"
import * as Lots from "../../core/account/domain/Lots.ts"
import type { Posted } from "../../core/account/domain/Posted.ts"
import type { State } from "../../core/account/domain/State.ts"
import { unitOf } from "../../core/account/domain/State.ts"
import type { LedgerReads } from "../../core/journal/LedgerReads.ts"
import type { JournalUnavailable } from "../../core/journal/Records.ts"
import { withAccount } from "../../core/rules/Expiration.ts"
import type { Program } from "../../core/rules/Program.ts"
import * as Bounds from "./Bounds.ts"

type Reads = Pick<LedgerReads, "entriesOtherThan" | "recordsOf">

/** Calls `read` with at most `size` items at a time. */
const inPages = <A, B>(
  all: ReadonlyArray<A>,
  size: number,
  read: (some: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>, JournalUnavailable>
): Effect.Effect<ReadonlyArray<B>, JournalUnavailable> =>
  Effect.map(
    Effect.forEach(
      Array.from({ length: Math.ceil(all.length / size) }, (_, page) => page * size),
      (from) => read(all.slice(from, from + size))
    ),
    (pages) => pages.flat()
  )

/** The points that an entry put into its new lot: of points that were moved in, those that come with dates of their own. */
export const putInto = ({ amount, back, lot, n }: Posted): number =>
  lot ?? back?.find(([into]) => into === n)?.[1] ?? (back === undefined ? amount : 0)

/** The entry that made a lot: an entry of this account, or of an account that was merged into it. */
interface Origin {
  readonly account: number
  readonly n: number
}

const originOf = ({ merged }: Pick<State, "merged">, account: number, n: number): Origin => {
  if (n > 0) return { account, n }
  const one = merged.find(({ lowest }) => n >= lowest)
  if (one === undefined) throw new Error(`no merge has brought lot ${account}/${n}`)
  return originOf(one, one.account, n - one.shift)
}

/** `[number of the entry, points left]` of lots that entries of one account made. */
type Left = ReadonlyArray<readonly [n: number, left: number]>

/**
 * The original amount of each lot, by its entry's number. If the amount of the ledger row is still left, it is that
 * amount. Otherwise it comes from the entry's event, because part of a credit may have filled a hole.
 */
const amountsOf = Effect.fnUntraced(function* (
  journal: Reads,
  account: number,
  lots: Left
): Effect.fn.Return<ReadonlyMap<number, number>, JournalUnavailable> {
  const touched = new Set(yield* inPages(lots, Bounds.lotsPage, (some) => journal.entriesOtherThan(account, some)))
  const amounts = new Map(lots.filter(([n]) => !touched.has(n)))
  const records = yield* inPages([...touched], Bounds.recordsPage, (ns) => journal.recordsOf(account, ns))
  for (const record of records) {
    for (const event of decodeEvents(record))
      if (event.type === "posted" && touched.has(event.n)) amounts.set(event.n, putInto(event))
  }
  return amounts
})

/**
 * The same where records may be archived: a lot whose amount lies in one has none. A guest who rests is shown all the same.
 */
const knownAmountsOf = (
  journal: Reads,
  account: number,
  lots: Left
): Effect.Effect<ReadonlyMap<number, number>, JournalUnavailable> =>
  Effect.catch(amountsOf(journal, account, lots), (error) => {
    if (error.archived === undefined) return Effect.fail(error)
    if (lots.length === 1) return Effect.succeed(new Map<number, number>())
    return Effect.map(
      Effect.forEach(lots, (one) => knownAmountsOf(journal, account, [one])),
      (known) => new Map(known.flatMap((amounts) => [...amounts]))
    )
  })

/** The original amounts for lots of several accounts; undefined: of an archived record. */
const amountsByAccount = Effect.fnUntraced(function* (
  journal: Reads,
  lots: ReadonlyArray<Origin & { readonly left: number }>
): Effect.fn.Return<(origin: Origin) => number | undefined, JournalUnavailable> {
  const accounts = Map.groupBy(lots, ({ account }) => account)
  const amounts = new Map<number, ReadonlyMap<number, number>>()
  for (const [account, own] of accounts) {
    const left = own.map(({ left, n }) => [n, left] as const)
    amounts.set(account, yield* knownAmountsOf(journal, account, left))
  }
  return ({ account, n }) => amounts.get(account)?.get(n)
})

/** A lot keeps its id when a merge moves it. */
const lotId = ({ account, n }: Origin): string => `lot_${account.toString(36)}_${n.toString(36)}`

/** All lots with points left, in order of spending, for each account of the programme in turn. */
export const shown = Effect.fnUntraced(function* (
  journal: Reads,
  account: number,
  state: State,
  program: Program
): Effect.fn.Return<ReadonlyArray<typeof Lot.Type>, JournalUnavailable> {
  const lots = program.accounts.flatMap(({ unit }) =>
    Lots.toArray(unitOf(state, unit).lots).map(([n, left, expires, earned]) => ({
      ...originOf(state, account, n),
      unit,
      left,
      expires: expires === withAccount ? (state.idle ?? null) : expires,
      earned
    }))
  )
  const amountOf = yield* amountsByAccount(journal, lots)
  return lots.map((lot) => {
    const amount = amountOf(lot)
    return {
      lot_id: lotId(lot),
      unit: lot.unit,
      earned_at: fromMillis(lot.earned),
      ...(lot.expires === null ? undefined : { expires_at: fromMillis(lot.expires) }),
      // An order that moved after its points had expired makes no lot; a correction gives points back to it later.
      ...(amount === undefined ? undefined : { amount: Math.max(amount, lot.left) }),
      remaining: lot.left
    }
  })
})
