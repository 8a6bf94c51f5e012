/**
 * The corrections that make of an order what a check has become: at most one that takes and one that gives, because the deltas
 * of an adjustment go one way (contract/orders.md *Adjusting an order*). Pure. They are reckoned from the order's present
 * record, so that a repetition after a kill finds the rest, or nothing.
 */
import type { Order, OrderAdjustment } from "../../../contract/protocol/Order.ts"
import type { OrderLine, OrderRecord } from "../../../core/account/domain/State.ts"

/** An order as it should be. No lines, and 0: all of it is taken back. */
export interface Target {
  readonly lines: Order["lines"]
  /** Eligible spend, minor units. */
  readonly spend: number
  /** Minor units. */
  readonly total: number
}

type Deltas = Pick<OrderAdjustment, "order_total_delta" | "eligible_spend_delta"> & Pick<OrderAdjustment, "lines">
type LineDelta = NonNullable<OrderAdjustment["lines"]>[number]

interface Change {
  readonly line: OrderLine
  readonly quantity: number
  readonly subtotal: number
}

/** Quantities count rounded up, as the record counts them. A line that has changed its sign is gone. */
const changesOf = (lines: ReadonlyArray<OrderLine>, target: Target): ReadonlyArray<Change> => {
  const wanted = new Map(target.lines.map((line) => [line.line_id, line]))
  return lines.map((line) => {
    const now = wanted.get(line.id)
    const isSame = now !== undefined && now.subtotal.amount < 0 === line.isNegative
    const quantity = isSame ? Math.ceil(now.quantity) : 0
    const subtotal = isSame ? now.subtotal.amount : 0
    return { line, quantity: quantity - line.quantity, subtotal: subtotal - line.subtotal }
  })
}

/** The part of a change in one direction: -1 takes, 1 gives. A line of negative price is taken back by a positive amount. */
const partOf = ({ line, quantity, subtotal }: Change, direction: -1 | 1) => {
  const within = (amount: number) => (Math.sign(amount) === direction ? amount : 0)
  const sign = line.isNegative ? -1 : 1
  return { line, quantity: within(quantity), subtotal: sign * within(sign * subtotal) }
}

const isChange = ({ quantity, subtotal }: Change): boolean => quantity !== 0 || subtotal !== 0

/**
 * Lines that an adjustment names. The spend that it takes must be that of lines that it names, so that where other lines lose
 * some too, for instance by a discount, all are named.
 */
const namedIn = (parts: ReadonlyArray<Change>, spend: number, raised: number): ReadonlyArray<Change> => {
  const changed = parts.filter(isChange)
  const earned = (named: ReadonlyArray<Change>) => named.reduce((sum, { line }) => sum + line.spend, raised)
  if (changed.length === 0 || earned(changed) + spend >= 0) return changed
  return earned(parts) + spend >= 0 ? parts : []
}

/** The corrections, first the one that takes. `total`: the order's present one, minor units. */
export const correctionsOf = (
  { delta, spend, terms }: OrderRecord,
  total: number,
  target: Target,
  currency: string
): ReadonlyArray<Deltas & { readonly direction: -1 | 1 }> => {
  const money = (amount: number) => ({ amount, currency })
  const change = { spend: target.spend - (spend + delta), total: target.total - total }
  const changes = changesOf(terms?.lines ?? [], target)
  return ([-1, 1] as const).flatMap((direction) => {
    const within = (amount: number) => (Math.sign(amount) === direction ? amount : 0)
    const [ofSpend, ofTotal] = [within(change.spend), within(change.total)]
    const named = namedIn(
      changes.map((one) => partOf(one, direction)),
      ofSpend,
      terms?.raised ?? 0
    )
    // A tip changes the total alone, and no points.
    if (ofSpend === 0 && !named.some(isChange)) return []
    const lines = named.map(
      ({ line, quantity, subtotal }): LineDelta => ({
        line_id: line.id,
        quantity_delta: quantity,
        subtotal_delta: money(subtotal)
      })
    )
    return [
      {
        direction,
        order_total_delta: money(ofTotal),
        eligible_spend_delta: money(ofSpend),
        ...(lines.length === 0 ? undefined : { lines })
      }
    ]
  })
}
