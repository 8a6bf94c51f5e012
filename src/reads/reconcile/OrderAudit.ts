/**
 * Counts the orders of accounts and the ends of their holds again.
 *
 * An account without merges has only its own orders and holds. After a merge the
 * remaining account has the orders of both. Its records change orders and end holds
 * that were made by records of the other account. Such accounts are combined at the
 * end (`mergedOrders`), and so are those between which an order was moved.
 */
import type { AccountEvent } from "../../core/account/domain/AccountEvent.ts"
import type { State } from "../../core/account/domain/State.ts"
import type { Ended, Hold } from "../rollups/Holds.ts"
import * as Holds from "../rollups/Holds.ts"
import type { ChangedOrder, OrderChange, OrderMove } from "../rollups/OrderFigures.ts"
import { accruedIn, changedIn, counts, movedIn } from "../rollups/OrderFigures.ts"
import type { Sums } from "../rollups/Sums.ts"
import type { RowImages } from "./RowImage.ts"

/** An order after its changes. Plain data. */
interface AuditedOrder extends ChangedOrder {
  /** The account on which it accrued. */
  readonly earnedBy: number
}

/** A change of an order, and a move of one, in a record of a programme's member. */
type Changed = OrderChange & { readonly program: string }
type Moved = OrderMove & { readonly program: string }

/** An account that took part in a merge or a move, as of the rollups' position. Plain data. */
export interface MergedAccount {
  readonly account: number
  /** The accounts whose orders it has taken. */
  readonly taken: ReadonlyArray<number>
  readonly orders: ReadonlyMap<string, AuditedOrder>
  readonly changed: ReadonlyArray<Changed>
  readonly moved: ReadonlyArray<Moved>
  readonly holds: ReadonlyMap<string, Hold>
  readonly ended: ReadonlyArray<Ended>
  /** Its rows, as `RowImage` gives them. */
  readonly found: ReadonlyArray<ReadonlyArray<string | undefined>>
  /** Its row of `rollup_older`. */
  readonly older: string | undefined
}

export const orderColumns = [
  "order_id",
  "program_id",
  "at",
  "location_id",
  "business",
  "accrued",
  "earned_by",
  "delta",
  "is_closed",
  "counts"
]

const change = (order: AuditedOrder, { closes, delta }: OrderChange): AuditedOrder => ({
  ...order,
  delta: order.delta + delta,
  isClosed: order.isClosed || closes
})

/** Eligible spend net of refunds, minor units. */
const spendOf = ({ accrued, delta, isClosed }: AuditedOrder): number => (isClosed ? 0 : Math.max(0, accrued + delta))

/** Adds the change of an order's spend, and takes it out if it does not count now. It was counted with its accrual. */
const addChange = (sums: Sums, order: AuditedOrder): void => {
  if (order.delta === 0 && !order.isClosed) return
  sums.sales(order, counts(order) ? 0 : -1, spendOf(order) - order.accrued)
  if (!counts(order)) sums.closed(order)
}

/** The orders and holds of one account, record by record. */
export class OrderAudit {
  readonly orders = new Map<string, AuditedOrder>()
  readonly changed: Array<Changed> = []
  /** The orders that it got from others. */
  readonly moved: Array<Moved> = []
  readonly holds = new Map<string, Hold>()
  readonly ended: Array<Ended> = []

  record(account: number, program: string, events: ReadonlyArray<AccountEvent>, sums: Sums): void {
    const accrued = accruedIn(program, events)
    if (accrued !== undefined)
      this.orders.set(accrued.order, { ...accrued, earnedBy: account, delta: 0, isClosed: false })
    for (const one of changedIn(events)) {
      const order = this.orders.get(one.order)
      if (order === undefined) this.changed.push({ ...one, program })
      else this.orders.set(one.order, change(order, one))
    }
    for (const one of movedIn(events)) this.moved.push({ ...one, program })
    Holds.note(this.holds, events)
    this.ended.push(...sums.rewards(program, events, this.holds))
  }

  /**
   * Writes the rows of the account's orders, with `orderColumns`. Returns those that it leaves out: all but `kept` (undefined: none
   * are deleted).
   */
  write(to: RowImages, kept: ReadonlySet<string | undefined> | undefined): ReadonlyArray<AuditedOrder> {
    const deleted: Array<AuditedOrder> = []
    for (const order of inOrder([...this.orders.values()])) {
      if (kept?.has(order.order) === false) {
        deleted.push(order)
        continue
      }
      to.row(orderColumns.length)
      to.text(order.order)
      to.text(order.program)
      to.int8(order.at)
      to.text(order.location)
      to.int8(order.business)
      to.int8(order.accrued)
      to.int8(order.earnedBy)
      to.int8(order.delta)
      to.bool(order.isClosed)
      to.bool(counts(order))
    }
    return deleted
  }

  addChanges(sums: Sums): void {
    for (const order of this.orders.values()) addChange(sums, order)
  }
}

/** By time, then by id as bytes. */
const inOrder = (orders: ReadonlyArray<AuditedOrder>): ReadonlyArray<AuditedOrder> =>
  orders.toSorted((a, b) => a.at - b.at || Buffer.compare(Buffer.from(a.order), Buffer.from(b.order)))

/** True if a record is a half of a move. */
export const isMove = (events: ReadonlyArray<AccountEvent>): boolean =>
  events.some(
    (event) => event.type === "order_received" || (event.type === "order_adjusted" && event.moved !== undefined)
  )

export const isMerged = ({ merged, mergedInto }: State): boolean => mergedInto !== undefined || merged.length > 0

/** Where the orders of merged accounts are not as their records say. */
interface OrderDifference {
  readonly table: "rollup_orders" | "rollup_older"
  readonly account: number
  readonly row: string | undefined
  readonly message: string
}

const texts = (order: AuditedOrder): ReadonlyArray<string | undefined> => [
  order.order,
  order.program,
  String(order.at),
  order.location,
  String(order.business),
  String(order.accrued),
  String(order.earnedBy),
  String(order.delta),
  String(order.isClosed),
  String(counts(order))
]

const sameTexts = (a: ReadonlyArray<string | undefined>, b: ReadonlyArray<string | undefined>): boolean =>
  a.length === b.length && a.every((value, place) => value === b[place])

/** The row of `rollup_older` of deleted orders; undefined without any. */
export const olderText = (deleted: ReadonlyArray<AuditedOrder>): string | undefined => {
  const [first] = deleted
  if (first === undefined) return undefined
  const counting = deleted.filter(counts)
  const newest = counting.map(({ at }) => at).toSorted((a, b) => b - a)
  const spend = counting.reduce((sum, order) => sum + spendOf(order), 0)
  return [first.program, deleted.length, counting.length, spend, ...newest.slice(0, 2)].join(" ")
}

/** The account that each merged account belongs to after all merges. */
const ownersOf = (accounts: ReadonlyArray<MergedAccount>): ReadonlyMap<number, number> => {
  const into = new Map(accounts.flatMap(({ account, taken }) => taken.map((from) => [from, account] as const)))
  const ownerOf = (account: number): number => {
    const owner = into.get(account)
    return owner === undefined ? account : ownerOf(owner)
  }
  return new Map([...into.keys()].map((account) => [account, ownerOf(account)]))
}

/** Where `rollup_merges` is not as the records say. */
export const mergeDifferences = (
  accounts: ReadonlyArray<MergedAccount>,
  found: ReadonlyMap<number, number>
): ReadonlyArray<{ readonly account: number; readonly message: string }> => {
  const owners = ownersOf(accounts)
  return [...new Set([...owners.keys(), ...found.keys()])].flatMap((account) => {
    const [is, says] = [found.get(account), owners.get(account)]
    if (is === says) return []
    return [{ account, message: `into_account is ${is ?? "absent"}; the journal says ${says ?? "it was not merged"}` }]
  })
}

/** Separates the parts of an order's key. No text of the service contains it. */
const apart = "\u0000"

/** Orders by programme and id, as they are after all moves. */
const ordersOf = (accounts: ReadonlyArray<MergedAccount>) => {
  const orders = new Map(
    accounts.flatMap((one) => [...one.orders.values()].map((order) => [order.program + apart + order.order, order]))
  )
  const moves = new Map<string, Moved & { readonly to: number }>()
  for (const { account, moved } of accounts)
    for (const one of moved) {
      const key = one.program + apart + one.order
      if ((moves.get(key)?.move ?? 0) < one.move) moves.set(key, { ...one, to: account })
    }
  for (const [key, { to }] of moves) {
    const order = orders.get(key)
    if (order !== undefined) orders.set(key, { ...order, earnedBy: to })
  }
  return orders
}

/** Puts accounts that took part in merges or moves together: adds what they come to, and compares their orders. */
export const mergedOrders = (accounts: ReadonlyArray<MergedAccount>, sums: Sums): ReadonlyArray<OrderDifference> => {
  const owners = ownersOf(accounts)
  const ownerOf = (account: number): number => owners.get(account) ?? account
  const orders = ordersOf(accounts)
  const holds = new Map(accounts.flatMap((one) => [...one.holds]))
  const differences: Array<OrderDifference> = []
  const differ = (account: number, row: string, message: string) =>
    differences.push({ table: "rollup_orders", account, row, message })
  for (const { account, changed, ended } of accounts) {
    for (const one of changed) {
      const key = one.program + apart + one.order
      const order = orders.get(key)
      if (order === undefined) differ(account, one.order, "was changed; no record has accrued it")
      else orders.set(key, change(order, one))
    }
    for (const one of ended) sums.ended(one, holds)
  }
  const expected = new Map<number, Map<string, AuditedOrder>>(accounts.map(({ account }) => [account, new Map()]))
  for (const order of orders.values()) {
    expected.get(ownerOf(order.earnedBy))?.set(order.order, order)
    addChange(sums, order)
  }
  for (const { account, found, older } of accounts) {
    const wanted = expected.get(account) ?? new Map<string, AuditedOrder>()
    for (const row of found) {
      const name = row[0] ?? ""
      const order = wanted.get(name)
      if (order === undefined || !sameTexts(texts(order), row))
        differ(account, name, "is not what the records of the merged members say")
      wanted.delete(name)
    }
    if (older === undefined) for (const name of wanted.keys()) differ(account, name, "is missing")
    else if (older !== olderText([...wanted.values()]))
      differences.push({ table: "rollup_older", account, row: undefined, message: "is not what the journal says" })
  }
  return differences
}
