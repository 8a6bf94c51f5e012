/** How far the till's clock is from the service's, which every answer tells. */
import type { Order } from "./Entries.ts"

/** How far orders may be ahead (contract/orders.md *Orders that add up*), ms. A smaller difference is not told. */
const toleranceMs = 5 * 60_000
const dayMs = 86_400_000

export interface ClockCheckOptions {
  readonly now: () => number
  readonly onClock: (aheadMs: number) => void
}

export class ClockCheck {
  /** The last difference that was too large, positive where the till is ahead. Orders that wait were dated by it. */
  aheadMs: number | undefined
  private readonly options: ClockCheckOptions
  private isTold = false

  constructor(options: ClockCheckOptions) {
    this.options = options
  }

  /** Reads the time of an answer that is no replay: a replay has that of the first one. */
  read(answer: Readonly<Record<string, unknown>>): void {
    const { processed_at } = (answer["context"] ?? {}) as { readonly processed_at?: unknown }
    const aheadMs = this.options.now() - Date.parse(String(processed_at))
    if (Number.isNaN(aheadMs)) return
    const differs = Math.abs(aheadMs) > toleranceMs
    if (differs) this.aheadMs = aheadMs
    if (differs && !this.isTold) this.options.onClock(aheadMs)
    this.isTold = differs
  }

  /** An order with its dates as the service's clock has them; undefined where it is not ahead with the till. */
  datedBack(order: Order): Order | undefined {
    const { aheadMs } = this
    if (aheadMs === undefined || aheadMs <= 0) return undefined
    // One that is too old is refused by the same property.
    if (Date.parse(order.placed_at) <= this.options.now() - aheadMs) return undefined
    const back = (time: string): string => new Date(Date.parse(time) - aheadMs).toISOString()
    const placed_at = back(order.placed_at)
    // The till's zone is not known here: its business day moves by whole days, and stays beside the date of placed_at.
    const placedOn = Date.parse(placed_at.slice(0, 10))
    const moved = Date.parse(order.business_date) - Math.round(aheadMs / dayMs) * dayMs
    const day = Math.min(Math.max(moved, placedOn - dayMs), placedOn + dayMs)
    return {
      ...order,
      placed_at,
      ...(order.closed_at === undefined ? undefined : { closed_at: back(order.closed_at) }),
      business_date: new Date(day).toISOString().slice(0, 10)
    }
  }
}
