/**
 * A guest's points in the simplest form that the rules allow: a list of lots
 * from the oldest on, and the open holds (contract/points.md *Lots*, *Balances*).
 */

/** The end of a lot without a date of its own: that of its account, `Book.date`. */
export const withAccount = 8.64e15

interface Dated {
  /** Place of the entry that made it among the guest's entries; below 0 where a merge brought it. */
  readonly source: number
  readonly expires: number | undefined
  readonly earned: number
}

export interface Lot extends Dated {
  left: number
}

/** Points taken out of a lot, and that lot's dates. */
export interface Share extends Dated {
  readonly points: number
}

interface OpenHold {
  readonly cost: number
  readonly created: number
  readonly expires: number
}

/** An order's part of the guest's points (contract/orders.md *Adjusting an order*). */
export interface OrderPoints {
  kept: number
  /** Sources of its own lots, oldest first. */
  readonly lots: Array<number>
  /** Points that have expired out of them and that no clawback has counted. */
  expired: number
  counted: number
  /** One item a point that a clawback took: the lot's source and end; `hole` where it was not there. */
  readonly taken: Array<Omit<Share, "points">>
  /** One item a point that filled a hole which the order had not left. */
  readonly filled: Array<Omit<Share, "points">>
}

/** The source of points that were taken and were not there. */
export const hole = Number.NEGATIVE_INFINITY

/** A lot has two parts where a hold gave one of them the account's date as its own: that one comes first. */
const byAge = (a: Dated, b: Dated): number =>
  a.earned - b.earned || a.source - b.source || Math.sign((a.expires ?? Infinity) - (b.expires ?? Infinity)) || 0

const isSame = (a: Pick<Dated, "source" | "expires">, b: Pick<Dated, "source" | "expires">): boolean =>
  a.source === b.source && a.expires === b.expires

/** The same points under the numbers of the guest that the guest was merged into. */
export const movedBy = <D extends Dated>(shares: ReadonlyArray<D>, shift: number): Array<D> =>
  shares.map((share) => (share.source === hole ? share : { ...share, source: share.source + shift }))

/** Something that ended by itself. */
export type Ended =
  | { readonly type: "hold"; readonly id: string; readonly at: number }
  | {
      readonly type: "lot"
      readonly source: number
      readonly expires: number | undefined
      readonly points: number
      readonly at: number
      /** The points count as expired for another order than the one that earned them: it had taken them. */
      readonly isTaken?: boolean
    }

export class Book {
  posted = 0
  /** When lots without a date of their own end, ms; 0: there was no such date yet. */
  date = 0
  /** How long after an accrual that is, ms. */
  private readonly lifeMs: number

  constructor(lifeMs = 0) {
    this.lifeMs = lifeMs
  }

  lots: Array<Lot> = []
  readonly holds = new Map<string, OpenHold>()
  /** Time of the last thing that happened: nothing is dated before it. */
  private last = 0
  /** Restored points whose time was over. */
  private overdue: Array<Share & { readonly isTaken?: boolean }> = []

  clone(): Book {
    const copy = new Book(this.lifeMs)
    copy.posted = this.posted
    copy.date = this.date
    copy.lots = this.lots.map((lot) => ({ ...lot }))
    for (const [id, hold] of this.holds) copy.holds.set(id, hold)
    copy.last = this.last
    return copy
  }

  get reserved(): number {
    return [...this.holds.values()].reduce((sum, hold) => sum + hold.cost, 0)
  }

  get available(): number {
    return this.posted - this.reserved
  }

  private endOf({ expires = Infinity }: Pick<Dated, "expires">): number {
    return expires === withAccount ? this.date : expires
  }

  /** Something was earned by an order. */
  earned(at: number): void {
    this.date = Math.max(this.date, at + this.lifeMs)
  }

  /** A lot is made: without a date that lies ahead, an account begins one. */
  private made(expires: number | undefined, at: number): void {
    if (expires === withAccount && this.date <= at) this.date = at + this.lifeMs
  }

  happened(at: number): void {
    this.last = Math.max(this.last, at)
  }

  /** Free parts of the lots: open holds need the oldest points of the lots that were alive under them. */
  private free(): ReadonlyArray<readonly [Lot, number]> {
    let before = 0
    return this.lots.map((lot) => {
      const keepers = [...this.holds.values()].filter(({ created }) => created < this.endOf(lot))
      const needed = keepers.reduce((sum, { cost }) => sum + cost, 0)
      const kept = Math.min(lot.left, Math.max(0, needed - before))
      before += lot.left
      return [lot, lot.left - kept] as const
    })
  }

  /** The next thing that ends by `at`: holds before lots at one instant. */
  private next(at: number): Ended | undefined {
    const ends: Array<Ended> = []
    for (const [id, hold] of this.holds) ends.push({ type: "hold", id, at: hold.expires })
    for (const [lot, points] of this.free()) {
      const end = this.endOf(lot)
      if (end < Infinity && points > 0)
        ends.push({ type: "lot", source: lot.source, expires: lot.expires, points, at: end })
    }
    const due = ends.filter((end) => end.at <= at).toSorted((a, b) => a.at - b.at)[0]
    return due === undefined ? undefined : { ...due, at: Math.max(due.at, this.last) }
  }

  /** Lets everything end that is due by `at`, and says what did, in order. */
  settle(at: number): ReadonlyArray<Ended> {
    const ended: Array<Ended> = []
    for (const share of bySource(this.overdue.splice(0))) {
      const { expires, isTaken, points, source } = share
      this.remove(share, points)
      this.posted -= points
      ended.push({ type: "lot", source, expires, points, at: this.last, ...(isTaken ? { isTaken } : undefined) })
    }
    for (let end = this.next(at); end !== undefined; end = this.next(at)) {
      ended.push(end)
      this.happened(end.at)
      if (end.type === "hold") this.holds.delete(end.id)
      else {
        this.remove(end, end.points)
        this.posted -= end.points
      }
    }
    // Points that a hold keeps past the account's date have that date from then on.
    if (this.date <= at)
      this.lots = this.lots.map((lot) => (lot.expires === withAccount ? { ...lot, expires: this.date } : lot))
    return ended
  }

  private remove(of: Pick<Dated, "source" | "expires">, points: number): void {
    const lot = this.lots.find((one) => isSame(one, of))
    if (lot === undefined || lot.left < points) throw new Error(`lot ${of.source} does not hold ${points}`)
    lot.left -= points
    this.lots = this.lots.filter((one) => one.left > 0)
  }

  /**
   * Posts an amount; what it took out of lots, oldest first, those that ended at `since`
   * or before last. A positive one fills a hole before it makes a lot.
   */
  post(source: number, amount: number, expires: number | undefined, since: number): ReadonlyArray<Share> {
    const short = this.short
    this.posted += amount
    if (amount > 0) this.made(expires, since)
    if (amount > short) this.lots.push({ source, left: amount - short, expires, earned: since })
    return amount < 0 ? this.take(-amount, since) : []
  }

  /** Posts points that another provider gave at `earned`: they fill a hole before they make a lot, and begin no date. */
  bring(source: number, amount: number, { earned, expires }: Omit<Dated, "source">): void {
    const { short } = this
    this.posted += amount
    if (amount > short) this.lots.push({ source, left: amount - short, expires, earned })
    this.lots.sort(byAge)
  }

  /** Takes points of the lots of an entry, at most what is left of them and available, and none that is over. */
  correct(source: number, wanted: number, at: number): number {
    const own = this.lots.filter((lot) => lot.source === source && this.endOf(lot) > at)
    const left = own.reduce((sum, lot) => sum + lot.left, 0)
    const taken = Math.min(wanted, left, Math.max(0, this.available))
    let rest = taken
    for (const lot of own) {
      const share = Math.min(rest, lot.left)
      if (share > 0) this.remove(lot, share)
      rest -= share
    }
    this.posted -= taken
    return taken
  }

  /** How far the balance is below zero. */
  private get short(): number {
    return Math.max(0, -this.posted)
  }

  private take(points: number, since: number): ReadonlyArray<Share> {
    const isAlive = (lot: Lot) => this.endOf(lot) > since
    const shares: Array<Share> = []
    let rest = points
    for (const lot of [...this.lots.filter(isAlive), ...this.lots.filter((lot) => !isAlive(lot))]) {
      const { earned, expires, left, source } = lot
      const share = Math.min(rest, left)
      if (share === 0) break
      shares.push({ source, points: share, expires, earned })
      this.remove(lot, share)
      rest -= share
    }
    return shares
  }

  /** Posts the points of an order that was moved here, those that end first filling a hole first. */
  receive(points: ReadonlyArray<Omit<Share, "points">>, date: number, at: number): void {
    const { short } = this
    this.posted += points.length
    this.date = Math.max(this.date, date)
    for (const point of points.toSorted(byAge).slice(short)) this.putBack({ ...point, points: 1 }, at)
  }

  /** Takes another guest's points in, with their dates: the oldest of one fill the hole of the other. */
  absorb(from: Book, shift: number, at: number): void {
    let { short } = this
    this.posted += from.posted
    if (from.posted < 0) this.take(-from.posted, at)
    for (const lot of movedBy(from.lots, shift)) {
      const filled = Math.min(short, lot.left)
      short -= filled
      if (lot.left > filled) this.lots.push({ ...lot, left: lot.left - filled })
    }
    this.lots.sort(byAge)
    this.date = Math.max(this.date, from.date)
    from.posted = 0
    from.lots = []
    for (const book of [from, this]) book.happened(at)
  }

  /** Puts back what a capture took, from the oldest on filling a hole first; what came out of no lot makes a new one. */
  restore(source: number, cost: number, shares: ReadonlyArray<Share>, expires: number | undefined, at: number): void {
    let short = this.short
    this.posted += cost
    let fromNothing = cost
    for (const share of shares) {
      fromNothing -= share.points
      const filled = Math.min(short, share.points)
      short -= filled
      this.putBack({ ...share, points: share.points - filled }, at)
    }
    if (fromNothing <= short) return
    this.made(expires, at)
    this.lots.push({ source, left: fromNothing - short, expires, earned: at })
  }

  private putBack(share: Share & { readonly isTaken?: boolean }, at: number): void {
    const { earned, expires, points, source } = share
    if (points === 0) return
    const lot = this.lots.find((one) => isSame(one, share))
    if (lot !== undefined) lot.left += points
    else this.lots = [...this.lots, { source, left: points, expires, earned }].toSorted(byAge)
    if (this.endOf(share) <= at) this.overdue.push(share)
  }

  /** Changes what a guest keeps of an order by entry `source`, and says what it posts. */
  adjust(order: OrderPoints, kept: number, source: number, expires: number | undefined, at: number): number {
    const change = kept - order.kept
    order.kept = kept
    return change < 0 ? 0 - this.clawBack(order, -change, at) : this.giveBack(order, change, source, expires, at)
  }

  /** Point by point: out of the order's own lots, out of holes it filled, counted as expired, out of other lots, out of nothing. */
  private clawBack(order: OrderPoints, points: number, at: number): number {
    let posted = 0
    for (let point = 0; point < points; point++) {
      const own = this.lots.findLast(({ source }) => order.lots.includes(source))
      const lastFilled = (isWanted: (source: number) => boolean) =>
        order.filled.findLastIndex((share) => this.endOf(share) > at && isWanted(share.source))
      const ofOwn = lastFilled((source) => order.lots.includes(source))
      const index = ofOwn >= 0 || order.expired > 0 ? ofOwn : lastFilled(() => true)
      const filled = this.lots.length === 0 && index >= 0 ? order.filled.splice(index, 1)[0] : undefined
      if (filled !== undefined) {
        order.taken.push(filled)
        this.posted--
        posted++
        continue
      }
      if (own === undefined && order.expired > 0) {
        order.expired--
        order.counted++
        continue
      }
      posted++
      this.posted--
      if (own !== undefined) this.remove(own, 1)
      const [share] = own === undefined ? this.take(1, at) : [own]
      order.taken.push(share === undefined ? { source: hole, expires: undefined, earned: 0 } : share)
    }
    return posted
  }

  /** Point by point the other way round; what exceeds all of it, and what had come out of nothing, makes a lot. */
  private giveBack(
    order: OrderPoints,
    points: number,
    source: number,
    expires: number | undefined,
    at: number
  ): number {
    const isOther = (share: { readonly source: number }) => share.source !== hole && !order.lots.includes(share.source)
    const isOwn = (share: { readonly source: number }) => order.lots.includes(share.source)
    const isHole = (share: { readonly source: number }) => share.source === hole
    const undo = (which: (share: { readonly source: number }) => boolean) => {
      const index = order.taken.findLastIndex(which)
      return index < 0 ? undefined : order.taken.splice(index, 1)[0]
    }
    let short = this.short
    let fresh = 0
    let alive = 0
    const back: Array<Omit<Share, "points">> = []
    for (let point = 0; point < points; point++) {
      if (short > 0 && undo(isHole) !== undefined) {
        short--
        alive++
        continue
      }
      const other = undo(isOther)
      if (other === undefined && order.counted > 0) {
        order.counted--
        order.expired++
        continue
      }
      const returned = other ?? undo(isOwn)
      if (returned !== undefined) back.push(returned)
      else {
        undo(isHole)
        fresh++
      }
    }
    const isOver = (share: { readonly expires: number | undefined }) => this.endOf(share) <= at
    const living = back.filter((share) => !isOver(share)).toSorted(byAge)
    const over = back.filter(isOver)
    alive += living.length + fresh
    // Points whose time is over fill no hole: where there is one, they have expired as if nobody had taken them.
    const lapse = this.posted + alive < 0
    if (lapse) order.expired += over.length
    for (const share of lapse ? [] : over) {
      if (!isOwn(share)) order.expired++
      this.putBack({ ...share, points: 1, isTaken: !isOwn(share) }, at)
    }
    const freshPoints = Array.from({ length: fresh }, () => ({ source, expires, earned: at }))
    if (fresh > 0) order.lots.push(source)
    const all = [...living, ...freshPoints]
    if (fresh > 0) this.made(expires, at)
    order.filled.push(...all.slice(0, short))
    for (const share of all.slice(short)) this.putBack({ ...share, points: 1 }, at)
    const amount = alive + (lapse ? 0 : over.length)
    this.posted += amount
    return amount
  }
}

/** One share a lot, the oldest first. */
const bySource = <S extends Share>(shares: ReadonlyArray<S>): ReadonlyArray<S> => {
  const all = new Map<string, S>()
  for (const share of shares) {
    const lot = `${share.source} ${share.expires}`
    all.set(lot, { ...share, points: share.points + (all.get(lot)?.points ?? 0) })
  }
  return [...all.values()].toSorted(byAge)
}
