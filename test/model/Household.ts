/**
 * The contract's rules for orders that are refunded, corrected and moved between guests after their points expired, were
 * held or spent, at the till or for a reward in the wallet (contract/points.md *Metrics*, contract/orders.md *Clawbacks*,
 * contract/redemptions.md *Taking into the wallet*), written from the rules alone: each guest has a list of orders, and every figure is summed over it anew.
 */
import { Book, hole, type OrderPoints, type Share, withAccount } from "./Book.ts"
import * as Promotions from "./Promotions.ts"

const minimum = 100
export const gold = { minimum: 700, bps: 15_000 }
export const stampsPerOrder = 1
export const holdCost = 100
export const holdMs = 3 * 86_400_000
export const lifeMs = 30 * 86_400_000

export interface Terms {
  readonly rules: ReadonlyArray<Promotions.Rule>
  readonly stacking: "best" | "all"
  /** Points end together, so long after the last order that earned. */
  readonly isUndated: boolean
  /** The last period's figures count for the tier, too. */
  readonly isRetained: boolean
}

export interface Order extends Promotions.Order {
  /** Its channel earns nothing. */
  readonly isElsewhere: boolean
  readonly accruedAt: number
  points: OrderPoints
}

interface Hold {
  readonly created: number
  taken?: ReadonlyArray<Share>
}

/** Points of one date that another provider gave. `expires`: null for never, absent by the programme. */
export interface BroughtLot {
  readonly entry: number
  readonly amount: number
  readonly earned: number
  readonly expires?: number | null
}

/** Figures of the time at another provider. */
export interface Standing {
  readonly lifetime: number
  readonly qualified: number
  readonly orders: number
  readonly lastEarned?: number
  /** Until when gold is promised. */
  readonly goldUntil?: number
}

/** Tier periods are years. */
const periodOf = (at: number): number => new Date(at).getUTCFullYear()

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((all, one) => all + one, 0)

export const spendLeft = ({ lines, spendDelta }: Promotions.Order): number =>
  sum(lines.map(({ spend }) => spend)) + spendDelta

/** True if an order is closed, or adjustments have left nothing of the eligible spend that it had. */
const isOver = (order: Order): boolean =>
  order.closed || (sum(order.lines.map(({ spend }) => spend)) > 0 && spendLeft(order) === 0)

const kept = (order: Order, unit: "points" | "stamps"): number => {
  if (order.isElsewhere) return 0
  const base = unit === "stamps" && !isOver(order) && spendLeft(order) >= minimum ? stampsPerOrder : 0
  return base + Promotions.kept(order, unit, minimum)
}

type Point = Omit<Share, "points">

/** Points in the lot of a moved order's entry: one for each end, all earned as the order accrued. */
const pointsOf = (source: number, { accruedAt }: Order, ends: ReadonlyArray<number | undefined>): Array<Point> =>
  ends.map((expires) => ({ source, expires, earned: accruedAt }))

const endsOf = (points: ReadonlyArray<Point>) => points.map(({ expires }) => expires)

const times = <A>(count: number, value: A): ReadonlyArray<A> => Array.from({ length: count }, () => value)

/**
 * The ends of the points that refunds have taken of an order that moves, the first that a correction returns last. Points
 * taken from lots keep the ends of those; what was counted as expired stays expired; what was not there has no end to keep.
 */
const refundedEnds = ({ points: { counted, lots, taken } }: Order, at: number): ReadonlyArray<number | undefined> => {
  const inLots = taken.filter((point) => point.source !== hole)
  const [own, others] = [true, false].map((isOwn) => inLots.filter(({ source }) => lots.includes(source) === isOwn))
  return [...endsOf(own!), ...times(counted, at), ...endsOf(others!)]
}

export class Guest {
  readonly book: Book
  readonly orders: Array<Order> = []
  readonly holds = new Map<number, Hold>()
  private readonly manual: Array<{ readonly at: number; readonly amount: number; readonly qualifies: boolean }> = []
  private readonly brought: Array<Standing & { readonly at: number }> = []
  /** Codes of rewards that were brought or taken, with the end of each. */
  readonly wallet = new Map<string, number>()
  /** The points that rewards cost which were taken into the wallet, by code. */
  readonly taken = new Map<string, ReadonlyArray<Share>>()
  private readonly terms: Terms

  constructor(terms: Terms) {
    this.terms = terms
    this.book = new Book(lifeMs)
  }

  settle(at: number): void {
    for (const end of this.book.settle(at)) {
      if (end.type === "hold" || end.isTaken === true) continue
      for (const { points } of this.orders) if (points.lots.includes(end.source)) points.expired += end.points
    }
    this.book.happened(at)
    for (const [code, expires] of this.wallet) if (expires <= at) this.wallet.delete(code)
  }

  private endOf(earned: number): number {
    return this.terms.isUndated ? withAccount : earned + lifeMs
  }

  /** The sum of what counts in the year of an instant, and so many before it: orders by when they accrued. */
  qualified(at: number, yearsBefore = 0): number {
    const isIn = (then: number) => periodOf(then) === periodOf(at) - yearsBefore
    const orders = this.orders.filter(({ accruedAt }) => isIn(accruedAt)).map(({ points }) => points.kept)
    const manual = this.manual.filter((one) => one.qualifies && isIn(one.at)).map(({ amount }) => amount)
    const brought = this.brought.filter((one) => isIn(one.at)).map((one) => one.qualified)
    return sum([...orders, ...manual, ...brought])
  }

  isGold(at: number): boolean {
    const last = this.terms.isRetained ? this.qualified(at, 1) : 0
    const promised = this.brought.findLast(({ goldUntil }) => goldUntil !== undefined)?.goldUntil ?? 0
    return Math.max(this.qualified(at), last) >= gold.minimum || promised > at
  }

  get lifetime(): number {
    const own = [...this.orders.map(({ points }) => points.kept), ...this.manual.map(({ amount }) => amount)]
    return sum([...own, ...this.brought.map(({ lifetime }) => lifetime)])
  }

  get stamps(): number {
    return sum(this.orders.map((order) => kept(order, "stamps")))
  }

  /** Orders that have earned and are not empty, and those at the provider before. */
  get count(): number {
    const own = this.orders.filter((order) => this.hasEarned(order) && !isOver(order)).length
    return own + sum(this.brought.map(({ orders }) => orders))
  }

  private hasEarned(order: Order): boolean {
    const posted = sum(order.lines.map(({ spend }) => spend))
    return !order.isElsewhere && (order.earnsSince === true || posted >= minimum)
  }

  /** Points that an order will earn: with the promotions that it gets. */
  estimate(bare: Omit<Order, "given" | "points" | "tierBps">): Order {
    const { rules, stacking } = this.terms
    const order = { ...bare, tierBps: this.isGold(bare.accruedAt) ? gold.bps : 10_000 }
    const others = this.orders.filter(({ isElsewhere }) => !isElsewhere)
    // With orders at the provider before, none here is the first.
    const allowed = this.brought.some(({ orders }) => orders > 0) ? rules.filter(({ first }) => !first) : rules
    const given = order.isElsewhere ? [] : Promotions.choose(allowed, stacking, minimum, order, others)
    return { ...order, given, points: { kept: 0, lots: [], expired: 0, counted: 0, taken: [], filled: [] } }
  }

  accrue(order: Order, entry: number): void {
    const at = order.accruedAt
    const points = kept(order, "points")
    if (this.terms.isUndated && points + kept(order, "stamps") > 0) this.book.earned(at)
    this.book.post(entry, points, this.endOf(at), at)
    order.points.kept = points
    if (points > 0) order.points.lots.push(entry)
    this.orders.push(order)
  }

  /** An order after an adjustment, which `change` makes of it; the amount that is posted. */
  adjust(order: Order, entry: number, at: number, change: (order: Order) => void): number {
    change(order)
    if (!order.isElsewhere && !isOver(order) && spendLeft(order) >= minimum) order.earnsSince = true
    const amount = this.book.adjust(order.points, kept(order, "points"), entry, this.endOf(at), at)
    this.settle(at)
    return amount
  }

  /** Takes an order from another guest. */
  take(order: Order, from: Guest, entries: { readonly from: number; readonly into: number }, at: number): void {
    const { into: source } = entries
    const refunded = pointsOf(source, order, refundedEnds(order, at))
    const { counted, lots, taken } = order.points
    const before = taken.length
    from.book.adjust(order.points, 0, entries.from, from.endOf(at), at)
    from.orders.splice(from.orders.indexOf(order), 1)
    from.settle(at)
    const points = kept(order, "points")
    const own = endsOf(taken.slice(before).filter((point) => lots.includes(point.source)))
    const expired = times(order.points.counted - counted, at)
    // Points that had been spent end as points of the accrual do.
    const spent = times(points - own.length - expired.length, this.endOf(order.accruedAt))
    const isDating = this.terms.isUndated && (points > 0 || endsOf(refunded).includes(withAccount))
    const date = isDating ? order.accruedAt + lifeMs : 0
    this.book.receive(pointsOf(source, order, [...own, ...expired, ...spent]), date, at)
    const has = points > 0 || refunded.length > 0 ? [source] : []
    order.points = { kept: points, lots: has, expired: 0, counted: 0, taken: refunded, filled: [] }
    this.orders.push(order)
    this.settle(at)
  }

  credit(entry: number, amount: number, expires: number | undefined, qualifies: boolean, at: number): void {
    this.book.post(entry, amount, expires ?? this.endOf(at), at)
    this.manual.push({ at, amount, qualifies })
  }

  /** Takes what the guest had at another provider: points with their dates count for nothing, the standing does. */
  bring(lots: ReadonlyArray<BroughtLot>, standing: Standing, at: number): void {
    const { isUndated } = this.terms
    for (const { amount, earned, entry, expires } of lots) {
      const end = expires === null ? undefined : (expires ?? this.endOf(earned))
      this.book.bring(entry, amount, { earned, expires: end })
    }
    const latest = lots.length === 0 ? undefined : Math.max(...lots.map(({ earned }) => earned))
    const lastEarned = standing.lastEarned ?? latest
    if (isUndated && lastEarned !== undefined) this.book.earned(lastEarned)
    this.brought.push({ ...standing, at })
    this.settle(at)
  }

  /** Pays a reward into the wallet. It costs what a hold does, and ends never. */
  takeReward(code: string, entry: number, at: number): void {
    this.taken.set(code, this.book.post(entry, -holdCost, undefined, at))
    this.wallet.set(code, Infinity)
    this.settle(at)
  }

  /** Cancels a reward that was paid: its points return as those of a captured hold. */
  cancelReward(code: string, entry: number, at: number): void {
    this.book.restore(entry, holdCost, this.taken.get(code)!, this.endOf(at), at)
    this.taken.delete(code)
    this.wallet.delete(code)
    this.settle(at)
  }

  hold(n: number, at: number): void {
    this.book.holds.set(`${n}`, { cost: holdCost, created: at, expires: at + holdMs })
    this.holds.set(n, { created: at })
  }

  /** Numbers of the holds that are open, and of those that were captured. */
  held(status: "open" | "captured"): ReadonlyArray<number> {
    const all = [...this.holds.entries()]
    if (status === "open") return all.flatMap(([n]) => (this.book.holds.has(`${n}`) ? [n] : []))
    return all.flatMap(([n, { taken }]) => (taken === undefined ? [] : [n]))
  }

  capture(n: number, entry: number, at: number): void {
    const hold = this.holds.get(n)!
    this.book.holds.delete(`${n}`)
    hold.taken = this.book.post(entry, -holdCost, undefined, hold.created)
    this.settle(at)
  }

  release(n: number, at: number): void {
    this.book.holds.delete(`${n}`)
    this.holds.delete(n)
    this.settle(at)
  }

  reverse(n: number, entry: number, at: number): void {
    this.book.restore(entry, holdCost, this.holds.get(n)!.taken!, this.endOf(at), at)
    this.holds.delete(n)
    this.settle(at)
  }
}
