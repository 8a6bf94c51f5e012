/**
 * How adjustments of an order change lots (contract/orders.md *Clawbacks*).
 * A *hole* is a balance below zero: points that were taken and were not there.
 *
 * A clawback takes points in this order:
 * 1. points that are left in the order's own lots;
 * 2. the order's own points that filled a hole instead of returning to a lot;
 * 3. points of the order that have expired: they are counted, and nothing is posted;
 * 4. points of other lots;
 * 5. points that are not there: they leave a hole.
 *
 * A correction upward undoes these steps in reverse. Only points beyond them make
 * a new lot. So the same adjustments give the same result in any order.
 *
 * Points that return after their lot has expired fill no hole. They return and
 * expire at once; or, if there is a hole, they are no longer counted.
 * Each expired point counts for one order. If points of another order's lot return
 * expired, they count for the order that had taken them, so that a second clawback
 * posts nothing for them. They no longer count for the order that earned them.
 */

import type { LotShare } from "./Lots.ts"
import * as Lots from "./Lots.ts"
import type { Adjusting } from "./Posted.ts"
import type { OrderEarning, UnitBalance } from "./State.ts"

/** The fields of an adjustment's entry about points and lots. */
export type Adjusted = Pick<Adjusting, "amount" | "taken" | "filled" | "counted" | "undone" | "back" | "lot" | "over">

/** The lot number of a share that left a hole. */
const hole = 0

const { sum } = Lots

/** When an adjustment is posted, and the account's date then (`State.idle`). */
interface Moment {
  readonly at: number
  readonly idle: number | undefined
}

/** Takes `points` of an order from a balance. */
export const clawBack = (
  earning: OrderEarning,
  balance: UnitBalance,
  points: number,
  { at, idle }: Moment
): Adjusted => {
  let { lots } = balance
  const taken: Array<LotShare> = []
  let rest = points
  for (const n of earning.lots.toReversed()) {
    // A lot has parts with dates of their own where a hold gave one to what it kept, and where an order moved.
    for (let lot = Lots.findLast(lots, n); lot !== undefined && rest > 0; lot = Lots.findLast(lots, n)) {
      const share = Math.min(rest, lot.left)
      const own = Lots.shareOf(lot, share)
      taken.push(own)
      lots = Lots.remove(lots, own)
      rest -= share
    }
  }
  // If no lot has points left, own points that filled a hole come before expired ones. Other lots' points come last.
  const inHoles = earning.filled.filter((share) => !Lots.isOver(share, at, idle))
  const own = inHoles.filter(([n]) => earning.lots.includes(n))
  const reopened = Lots.isEmpty(lots) ? lastOf(own, rest) : []
  const counted = Math.min(rest - sum(reopened), earning.expired)
  rest -= counted
  const others = Lots.oldest(lots, rest, at, idle)
  taken.push(...others)
  rest -= sum(others)
  const ownFilled = lastOf(own, rest)
  const filled = [...ownFilled, ...lastOf(without(inHoles, own), rest - sum(ownFilled))]
  return { amount: counted - points, taken, ...someOf({ filled }), ...(counted === 0 ? undefined : { counted }) }
}

/** The lists that are not empty. */
const someOf = <L extends { readonly [name: string]: ReadonlyArray<LotShare> }>(lists: L): Partial<L> =>
  Object.fromEntries(Object.entries(lists).filter(([, shares]) => shares.length > 0)) as Partial<L>

/** Up to `points` of the shares, the first of them first. */
const firstOf = (shares: ReadonlyArray<LotShare>, points: number): ReadonlyArray<LotShare> => {
  const found: Array<LotShare> = []
  let rest = points
  for (const [n, share, expires, earned] of shares) {
    if (rest === 0) break
    const part = Math.min(rest, share)
    found.push([n, part, expires, earned])
    rest -= part
  }
  return found
}

/** The same, the last taken first. */
const lastOf = (shares: ReadonlyArray<LotShare>, points: number): ReadonlyArray<LotShare> =>
  firstOf(shares.toReversed(), points)

const asHole = (points: number): ReadonlyArray<LotShare> => (points === 0 ? [] : [[hole, points, null, 0]])

/** A lot that is about to be made, earned now: its entry's number, and when it expires. */
export interface NewLot {
  readonly n: number
  readonly expires: number | undefined
}

/** Gives `points` of an order back to a balance: undoes its clawbacks, then adds. */
export const giveBack = (
  earning: OrderEarning,
  balance: UnitBalance,
  points: number,
  { at, idle }: Moment,
  made: NewLot
): Adjusted => {
  const isOwn = ([n]: LotShare) => earning.lots.includes(n)
  const own = earning.clawed.filter(isOwn)
  const holes = sum(earning.clawed.filter(([n]) => n === hole))
  const short = Math.max(0, -balance.posted)
  const closed = Math.min(points, holes, short)
  let rest = points - closed
  const others = lastOf(
    earning.clawed.filter((share) => !isOwn(share) && share[0] !== hole),
    rest
  )
  rest -= sum(others)
  const uncounted = Math.min(rest, earning.counted)
  rest -= uncounted
  const owned = lastOf(own, rest)
  rest -= sum(owned)
  // Points of a hole that something else has filled since: they cannot close it, so they make a lot.
  const unfilled = Math.min(rest, holes - closed)
  const returned = merged([...others, ...owned])
  const fresh: ReadonlyArray<LotShare> = rest === 0 ? [] : [[made.n, rest, made.expires ?? null, at]]
  const live = returned.filter((share) => !Lots.isOver(share, at, idle))
  const over = returned.filter((share) => Lots.isOver(share, at, idle))
  const alive = closed + sum(live) + rest
  const lapsed = balance.posted + alive < 0 ? sum(over) : 0
  const filled = firstOf([...live, ...fresh], short - closed)
  const left = without([...live, ...fresh], filled)
  const counted = -uncounted - lapsed
  return {
    amount: alive + sum(over) - lapsed,
    lot: sum(left.filter(([n]) => n === made.n)),
    ...someOf({
      undone: [...asHole(closed + unfilled), ...returned],
      back: [...(lapsed > 0 ? [] : over), ...left.filter(([n]) => n !== made.n)],
      filled
    }),
    ...(counted === 0 ? undefined : { counted }),
    ...(over.some(Lots.endsWithAccount) ? { over: true as const } : undefined)
  }
}

/** The entry of an order in the account that it moves to at `at`. */
interface MovedEntry {
  readonly n: number
  readonly at: number
  /** When the order's points were earned, and when those end that had been spent. */
  readonly earned: number
  readonly expires: number | undefined
}

const inLot = ({ earned, n }: MovedEntry, points: number, expires: number | null): ReadonlyArray<LotShare> =>
  points === 0 ? [] : [[n, points, expires, earned]]

/**
 * The points that an order keeps as it moves, as shares of its new lot. `out`: the entries that took them back. Points of
 * the order's own lots keep the dates of those, and what has expired stays expired. Those that had been spent end as
 * points of the accrual do.
 */
export const keptShares = (
  { kept, lots, unit }: OrderEarning,
  out: ReadonlyArray<Adjusting>,
  entry: MovedEntry
): ReadonlyArray<LotShare> => {
  const { counted = 0, filled = [], taken = [] } = out.find((one) => one.unit === unit) ?? {}
  const own = [...taken, ...filled].filter(([n]) => lots.includes(n))
  const spent = kept - sum(own) - counted
  return merged([
    ...own.flatMap(([, points, expires]) => inLot(entry, points, expires)),
    ...inLot(entry, counted, entry.at),
    ...inLot(entry, spent, entry.expires ?? null)
  ])
}

/**
 * Points that refunds have taken of an order that moves, as shares of its new lot. They keep the dates of the lots that they came
 * from, and the sequence in which a correction returns them, the last first. Points counted as expired stay expired.
 * Those of a hole came from no lot: for them a correction makes a new one.
 */
export const refundedShares = ({ clawed, counted, lots }: OrderEarning, entry: MovedEntry): ReadonlyArray<LotShare> => {
  const isOwn = ([n]: LotShare) => lots.includes(n)
  const inLots = clawed.filter(([n]) => n !== hole)
  const here = (shares: ReadonlyArray<LotShare>) => shares.flatMap(([, points, end]) => inLot(entry, points, end))
  return [
    ...here(inLots.filter(isOwn)),
    ...inLot(entry, counted, entry.at),
    ...here(inLots.filter((share) => !isOwn(share)))
  ]
}

/** A share's lot: its number, and its date, which a hold may have given to a part of it. */
const keyOf = ([n, , expires]: LotShare): string => `${n} ${expires}`

/** One share a lot, the oldest first. */
const merged = (shares: ReadonlyArray<LotShare>): ReadonlyArray<LotShare> => {
  const all = new Map<string, LotShare>()
  for (const share of shares) {
    const [n, points, expires, earned] = share
    all.set(keyOf(share), [n, points + (all.get(keyOf(share))?.[1] ?? 0), expires, earned])
  }
  return [...all.values()].sort(Lots.compare)
}

/** The points that an adjustment's entry puts back into expired lots. They expire at once. */
const lapsing = (event: Adjusting): ReadonlyArray<LotShare> =>
  (event.back ?? []).filter((share) => isOver(share, event))

/** True if a share of the lots that an adjustment returns to had expired. */
const isOver = (share: LotShare, { at, over }: Adjusting): boolean =>
  Lots.endsWithAccount(share) ? over === true : Lots.isOver(share, at, undefined)

/** An order's earning after the adjustment of another order. Points that return expired count for that other order. */
export const evolveOther = (earning: OrderEarning, event: Adjusting): OrderEarning => {
  const points = sum(lapsing(event).filter(([n]) => earning.lots.includes(n)))
  // The expiration that follows adds the same points again.
  return points === 0 ? earning : { ...earning, expired: earning.expired - points }
}

/** An order's earning after an entry of its own adjustment. */
export const evolveEarning = (earning: OrderEarning, event: Adjusting): OrderEarning => {
  const { amount, back = [], counted = 0, filled = [], taken = [], undone = [] } = event
  const isOwn = (n: number) => earning.lots.includes(n)
  const lapsed = undone.filter((share) => isOver(share, event) && !back.some((other) => keyOf(other) === keyOf(share)))
  const gone = lapsing(event).filter(([n]) => !isOwn(n))
  const made = amount > 0 && ((event.lot ?? amount) > 0 || filled.some(([n]) => n === event.n))
  const holed = amount < 0 ? asHole(-amount - sum(taken) - sum(filled)) : []
  return {
    ...earning,
    kept: earning.kept + amount - counted,
    inMetrics: earning.inMetrics + (event.counts ?? amount),
    lots: made ? earning.lots.concat(event.n) : earning.lots,
    filled: amount > 0 ? earning.filled.concat(filled) : without(earning.filled, filled),
    expired: earning.expired - counted + sum(gone),
    counted: earning.counted + counted + sum(lapsed),
    clawed: without(earning.clawed, undone).concat(taken, amount < 0 ? filled : [], holed)
  }
}

/** The shares minus `less`, subtracted from the last shares first. */
const without = (shares: ReadonlyArray<LotShare>, less: ReadonlyArray<LotShare>): ReadonlyArray<LotShare> => {
  const rest = new Map(merged(less).map((share) => [keyOf(share), share[1]]))
  const left: Array<LotShare> = []
  for (const share of shares.toReversed()) {
    const [n, points, expires, earned] = share
    const part = Math.min(points, rest.get(keyOf(share)) ?? 0)
    rest.set(keyOf(share), (rest.get(keyOf(share)) ?? 0) - part)
    if (points > part) left.push([n, points - part, expires, earned])
  }
  return left.reverse()
}
