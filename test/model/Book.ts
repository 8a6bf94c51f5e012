/**
 * A guest's points in the simplest form that the rules allow: a list of lots
 * from the oldest on, and the open holds (decisions.md §4 Lots, Balances).
 */

export interface Lot {
  /** Place of the entry that made it among the guest's entries. */
  readonly source: number
  left: number
  readonly expires: number | undefined
}

/** Points taken out of a lot, and when that lot expires. */
export interface Share {
  readonly source: number
  readonly points: number
  readonly expires: number | undefined
}

interface OpenHold {
  readonly cost: number
  readonly expires: number
}

/** Something that ended by itself. */
export type Ended =
  | { readonly type: "hold"; readonly id: string; readonly at: number }
  | { readonly type: "lot"; readonly source: number; readonly points: number; readonly at: number }

export class Book {
  posted = 0
  lots: Array<Lot> = []
  readonly holds = new Map<string, OpenHold>()
  /** Time of the last thing that happened: nothing is dated before it. */
  private last = 0

  clone(): Book {
    const copy = new Book()
    copy.posted = this.posted
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

  happened(at: number): void {
    this.last = Math.max(this.last, at)
  }

  /** What of each lot the open holds do not need: they need the oldest points. */
  private free(): ReadonlyArray<readonly [Lot, number]> {
    let needed = this.reserved
    return this.lots.map((lot) => {
      const kept = Math.min(lot.left, needed)
      needed -= kept
      return [lot, lot.left - kept] as const
    })
  }

  /** The next thing that ends by `at`: holds before lots at one instant. */
  private next(at: number): Ended | undefined {
    const ends: Array<Ended> = []
    for (const [id, hold] of this.holds) ends.push({ type: "hold", id, at: hold.expires })
    for (const [lot, points] of this.free()) {
      if (lot.expires !== undefined && points > 0) {
        ends.push({ type: "lot", source: lot.source, points, at: lot.expires })
      }
    }
    const due = ends.filter((end) => end.at <= at).toSorted((a, b) => a.at - b.at)[0]
    return due === undefined ? undefined : { ...due, at: Math.max(due.at, this.last) }
  }

  /** Lets everything end that is due by `at`, and says what did, in order. */
  settle(at: number): ReadonlyArray<Ended> {
    const ended: Array<Ended> = []
    for (let end = this.next(at); end !== undefined; end = this.next(at)) {
      ended.push(end)
      this.happened(end.at)
      if (end.type === "hold") this.holds.delete(end.id)
      else {
        this.remove(end.source, end.points)
        this.posted -= end.points
      }
    }
    return ended
  }

  private remove(source: number, points: number): void {
    const lot = this.lots.find((one) => one.source === source)
    if (lot === undefined || lot.left < points) throw new Error(`lot ${source} does not hold ${points}`)
    lot.left -= points
    this.lots = this.lots.filter((one) => one.left > 0)
  }

  /** Posts an amount; what it took out of lots, oldest first. A positive one fills a hole before it makes a lot. */
  post(source: number, amount: number, expires: number | undefined): ReadonlyArray<Share> {
    const hole = Math.max(0, -this.posted)
    this.posted += amount
    if (amount > hole) this.lots.push({ source, left: amount - hole, expires })
    return amount < 0 ? this.take(-amount) : []
  }

  private take(points: number): ReadonlyArray<Share> {
    const shares: Array<Share> = []
    let rest = points
    for (const { expires, left, source } of [...this.lots]) {
      const share = Math.min(rest, left)
      if (share === 0) break
      shares.push({ source, points: share, expires })
      this.remove(source, share)
      rest -= share
    }
    return shares
  }

  /** Puts back what a capture took, from the oldest on filling a hole first; what came out of no lot makes a new one. */
  restore(source: number, cost: number, shares: ReadonlyArray<Share>, expires: number | undefined): void {
    let hole = Math.max(0, -this.posted)
    this.posted += cost
    let fromNothing = cost
    for (const share of shares) {
      fromNothing -= share.points
      const filled = Math.min(hole, share.points)
      hole -= filled
      this.putBack({ ...share, points: share.points - filled })
    }
    if (fromNothing > hole) this.lots.push({ source, left: fromNothing - hole, expires })
  }

  private putBack({ expires, points, source }: Share): void {
    if (points === 0) return
    const lot = this.lots.find((one) => one.source === source)
    if (lot !== undefined) lot.left += points
    else this.lots = [...this.lots, { source, left: points, expires }].toSorted((a, b) => a.source - b.source)
  }
}
