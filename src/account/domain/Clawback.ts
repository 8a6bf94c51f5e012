/**
 * What an order's adjustments do to lots (decisions.md §4 Adjusting an order).
 *
 * A clawback takes what is left of the order's own lots, then what filled a
 * hole instead of coming back to one, then counts what has expired of them and
 * posts nothing for it, then takes other lots, then leaves a hole. A correction upward undoes this in reverse, kind by kind, and only
 * what exceeds all of it makes a new lot: so the same changes come to the same
 * in whichever order they are made. Points whose time is over fill no hole:
 * they come back and expire at once, or are uncounted where there is a hole.
 * Each expired point is counted for one order: points of another order's lot that
 * come back past its time count for the order that had taken them, so that taking
 * them again posts nothing, and no longer for the order that earned them.
 */
import type { Posted } from "./Event.ts"
import type { LotShare } from "./Lots.ts"
import * as Lots from "./Lots.ts"
import type { OrderEarning, UnitAccount } from "./State.ts"

/** What an adjustment's entry says of points and lots. */
export type Adjusted = Pick<Posted, "amount" | "taken" | "filled" | "counted" | "undone" | "back" | "lot">

/** Stands for a lot where points were taken that were not there. */
const hole = 0

const sum = (shares: ReadonlyArray<LotShare>): number => shares.reduce((total, [, points]) => total + points, 0)

/** Takes `points` of an order from an account. */
export const clawBack = (earning: OrderEarning, account: UnitAccount, points: number, at: number): Adjusted => {
  let { lots } = account
  const taken: Array<LotShare> = []
  let rest = points
  for (const n of earning.lots.toReversed()) {
    const lot = Lots.find(lots, n)
    if (lot === undefined || rest === 0) continue
    const share = Math.min(rest, lot.left)
    const own = Lots.shareOf(lot, share)
    taken.push(own)
    lots = Lots.remove(lots, own)
    rest -= share
  }
  // With nothing left in any lot, own points that filled a hole come before what has expired; another lot's come last.
  const inHoles = earning.filled.filter((share) => !Lots.isOver(share, at))
  const own = inHoles.filter(([n]) => earning.lots.includes(n))
  const reopened = Lots.isEmpty(lots) ? lastOf(own, rest) : []
  const counted = Math.min(rest - sum(reopened), earning.expired)
  rest -= counted
  const others = Lots.oldest(lots, rest, at)
  taken.push(...others)
  rest -= sum(others)
  const ownFilled = lastOf(own, rest)
  const filled = [...ownFilled, ...lastOf(without(inHoles, own), rest - sum(ownFilled))]
  return { amount: counted - points, taken, ...someOf({ filled }), ...(counted === 0 ? undefined : { counted }) }
}

/** The lists that have something in them. */
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

/** A lot in the making, earned now: its entry's number and its end. */
export interface NewLot {
  readonly n: number
  readonly expires: number | undefined
}

/** Gives `points` of an order back to an account: undoes its clawbacks, then adds. */
export const giveBack = (
  earning: OrderEarning,
  account: UnitAccount,
  points: number,
  at: number,
  made: NewLot
): Adjusted => {
  const isOwn = ([n]: LotShare) => earning.lots.includes(n)
  const own = earning.clawed.filter(isOwn)
  const holes = sum(earning.clawed.filter(([n]) => n === hole))
  const short = Math.max(0, -account.posted)
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
  // A hole that something else has filled since: its points are there no more, so they make a lot.
  const unfilled = Math.min(rest, holes - closed)
  const returned = merged([...others, ...owned])
  const live = returned.filter((share) => !Lots.isOver(share, at))
  const over = returned.filter((share) => Lots.isOver(share, at))
  const fresh: ReadonlyArray<LotShare> = rest === 0 ? [] : [[made.n, rest, made.expires ?? null, at]]
  const alive = closed + sum(live) + rest
  const lapsed = account.posted + alive < 0 ? sum(over) : 0
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
    ...(counted === 0 ? undefined : { counted })
  }
}

/** Tells lots apart. */
const keyOf = ([n]: LotShare): number => n

/** One share a lot, the oldest first. */
const merged = (shares: ReadonlyArray<LotShare>): ReadonlyArray<LotShare> => {
  const all = new Map<number, LotShare>()
  for (const share of shares) {
    const [n, points, expires, earned] = share
    all.set(keyOf(share), [n, points + (all.get(keyOf(share))?.[1] ?? 0), expires, earned])
  }
  return [...all.values()].sort(Lots.compare)
}

/** What an adjustment's entry puts back into lots whose time is over: it expires at once. */
const lapsing = ({ at, back = [] }: Posted): ReadonlyArray<LotShare> => back.filter((share) => Lots.isOver(share, at))

/** What an order has of an account after the adjustment of another order: what comes back to expire counts for that one. */
export const evolveOther = (earning: OrderEarning, event: Posted): OrderEarning => {
  const points = sum(lapsing(event).filter(([n]) => earning.lots.includes(n)))
  // Made up for by the expiration that follows.
  return points === 0 ? earning : { ...earning, expired: earning.expired - points }
}

/** What an order has of an account after an adjustment's entry. */
export const evolveEarning = (earning: OrderEarning, event: Posted): OrderEarning => {
  const { amount, at, back = [], counted = 0, filled = [], taken = [], undone = [] } = event
  const isOwn = (n: number) => earning.lots.includes(n)
  const lapsed = undone.filter(
    (share) => Lots.isOver(share, at) && !back.some((other) => keyOf(other) === keyOf(share))
  )
  const gone = lapsing(event).filter(([n]) => !isOwn(n))
  const made = amount > 0 && ((event.lot ?? amount) > 0 || filled.some(([n]) => n === event.n))
  const holed = amount < 0 ? asHole(-amount - sum(taken) - sum(filled)) : []
  return {
    ...earning,
    kept: earning.kept + amount - counted,
    lots: made ? earning.lots.concat(event.n) : earning.lots,
    filled: amount > 0 ? earning.filled.concat(filled) : without(earning.filled, filled),
    expired: earning.expired - counted + sum(gone),
    counted: earning.counted + counted + sum(lapsed),
    clawed: without(earning.clawed, undone).concat(taken, amount < 0 ? filled : [], holed)
  }
}

/** The shares less others of them, the last first. */
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
