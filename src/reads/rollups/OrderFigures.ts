/** Orders in the rollups, and how records change them. Pure. */
import type { AccountEvent } from "../../core/account/domain/AccountEvent.ts"
import type { Accrual } from "../../core/account/domain/Posted.ts"
import type { AccountNumber, Millis } from "../../core/journal/Records.ts"
import { spansMs } from "./Bounds.ts"

const [, dayMs] = spansMs

export interface Order {
  readonly order: string
  readonly program: string
  /** When it accrued. */
  readonly at: Millis
  readonly location: string | undefined
  /** UTC midnight of its business day; for orders recorded without one, of the day on which it accrued. */
  readonly business: Millis
  /** Eligible spend when it accrued, minor units. */
  readonly accrued: number
}

/** A later change of an order. */
export interface OrderChange {
  readonly order: string
  /** Change of eligible spend, minor units. */
  readonly delta: number
  /** True if the order was refunded in full or voided. */
  readonly closes: boolean
}

/** An order that a member got from another one. */
export interface OrderMove {
  readonly order: string
  /** Number of the move among those of the order, from 1. */
  readonly move: number
  /** The account that had it before. */
  readonly from: AccountNumber
}

/** An order after its changes. */
export interface ChangedOrder extends Order {
  readonly delta: number
  readonly isClosed: boolean
}

/** False while an order is closed, or adjustments have left nothing of an eligible spend that was above 0. */
export const counts = ({ accrued, delta, isClosed }: ChangedOrder): boolean =>
  !isClosed && (accrued <= 0 || accrued + delta > 0)

/** The order that accrued in a record, not one that was moved. */
export const accruedIn = (program: string, events: ReadonlyArray<AccountEvent>): Order | undefined => {
  const first = events.find(
    (event): event is Accrual => event.type === "posted" && event.op === "accrual" && event.earned === undefined
  )
  if (first === undefined) return undefined
  const { at, location, order, spend = 0 } = first
  const business = first.business === undefined ? Math.floor(at / dayMs) * dayMs : Date.parse(first.business)
  return { order, program, at, location, business, accrued: spend }
}

/** The part of a promotion in the points of an order that accrues. */
export type Gift = readonly [id: string, unit: string, points: number]

export const giftsIn = (events: ReadonlyArray<AccountEvent>): ReadonlyArray<Gift> =>
  events.flatMap((event) =>
    event.type === "posted" && event.op === "accrual"
      ? (event.promotions ?? []).map(({ amount, id }): Gift => [id, event.unit, amount])
      : []
  )

/** The changes of orders in a record. A move changes nothing of the order itself. */
export const changedIn = (events: ReadonlyArray<AccountEvent>): ReadonlyArray<OrderChange> =>
  events.flatMap((event) =>
    event.type === "order_adjusted" && event.moved === undefined
      ? [{ order: event.order, delta: event.delta, closes: event.closes === true }]
      : []
  )

/** The orders that a record gets from other members. */
export const movedIn = (events: ReadonlyArray<AccountEvent>): ReadonlyArray<OrderMove> =>
  events.flatMap((event) =>
    event.type === "order_received" ? [{ order: event.order, move: event.move, from: event.account }] : []
  )

/** The effects of a change's records on orders. After a merge the orders belong to the remaining member. */
export class OrderChanges {
  private readonly accrued: Array<readonly [AccountNumber, Order, ReadonlyArray<Gift>]> = []
  private readonly changed = new Map<string, OrderChange & { readonly account: AccountNumber }>()
  /** The accounts that had an order before its moves, and after them. */
  private readonly moved = new Map<string, { readonly from: AccountNumber; readonly to: AccountNumber }>()
  /** The account that an account was merged into. */
  private readonly merged = new Map<AccountNumber, AccountNumber>()

  record(account: AccountNumber, program: string, events: ReadonlyArray<AccountEvent>): void {
    const order = accruedIn(program, events)
    if (order !== undefined) this.accrued.push([account, order, giftsIn(events)])
    for (const { closes, delta, order } of changedIn(events)) {
      const key = JSON.stringify([program, order])
      const before = this.changed.get(key)
      this.changed.set(key, {
        account,
        order,
        delta: delta + (before?.delta ?? 0),
        closes: closes || before?.closes === true
      })
    }
    for (const { from, order } of movedIn(events)) {
      const key = JSON.stringify([program, order])
      this.moved.set(key, { from: this.moved.get(key)?.from ?? from, to: account })
    }
    for (const event of events) if (event.type === "merged_in") this.merged.set(event.account, account)
  }

  private ownerOf(account: AccountNumber): AccountNumber {
    const into = this.merged.get(account)
    return into === undefined ? account : this.ownerOf(into)
  }

  /** Orders of earlier changes that this one adjusts or moves, with each account that may have them before it. */
  get touched(): ReadonlyArray<{ readonly account: AccountNumber; readonly order: string }> {
    const fresh = new Set(this.accrued.map(([, { order, program }]) => JSON.stringify([program, order])))
    const holders = new Map([...this.changed].map(([key, { account }]) => [key, account]))
    for (const [key, { from }] of this.moved) holders.set(key, from)
    return [...holders].flatMap(([key, account]) => {
      if (fresh.has(key)) return []
      const owner = this.ownerOf(account)
      const merged = [...this.merged.keys()].filter((one) => this.ownerOf(one) === owner)
      const order = (JSON.parse(key) as [string, string])[1]
      return [owner, ...merged].map((one) => ({ account: one, order }))
    })
  }

  /** As `count_rollups` takes it. */
  toJson() {
    return {
      merged: [...this.merged.keys()].map((account) => ({ account, into_account: this.ownerOf(account) })),
      orders: this.accrued.map(([account, { accrued, at, business, location, order, program }, promotions]) => ({
        account: this.ownerOf(account),
        order_id: order,
        program_id: program,
        at,
        location_id: location,
        business,
        accrued,
        earned_by: account,
        promotions
      })),
      // Moves are applied last.
      adjusted: [...this.changed].map(([key, { account, closes, delta, order }]) => ({
        account: this.ownerOf(this.moved.get(key)?.from ?? account),
        order_id: order,
        delta,
        closes
      })),
      moved: [...this.moved].map(([key, { from, to }]) => ({
        account: this.ownerOf(from),
        order_id: (JSON.parse(key) as [string, string])[1],
        to_account: this.ownerOf(to),
        earned_by: to
      }))
    }
  }
}
