/** About what a change of the programme costs in a month, by what orders of the last 30 days would have earned. Pure. */
import type { PublicationPreview } from "../../contract/admin/PublicationPreview.ts"

type Orders = PublicationPreview["orders"]

const dayMs = 86_400_000
const monthDays = 30
/** Orders of fewer days say nothing of a week: Sundays are not like Fridays. */
const leastDays = 7

/** Undefined: there are no orders, or of too few days. */
export interface Reckoned {
  /** Those that were tried. */
  readonly orders: number
  /** Those that there were. */
  readonly of: number
  /** Of the primary account, in a month, more than without the change. */
  readonly points: number
  /** Of rewards of the stamp card, in a month, minor units. */
  readonly rewards: number
}

const amountOf = (sums: Orders["after"], unit: string): number => sums.find((one) => one.unit === unit)?.amount ?? 0

/** `before` and `after`: previews of the draft without the change and with it, of the same orders. */
export const monthCost = (before: Orders, after: Orders, primary: string): Reckoned | "none" | "few days" => {
  if (after.count === 0 || after.from === undefined || after.until === undefined) return "none"
  const days = (Date.parse(after.until) - Date.parse(after.from)) / dayMs
  if (days < leastDays) return "few days"
  // A sample stands for all.
  const inMonth = (amount: number): number => Math.round((((amount * after.total) / after.count) * monthDays) / days)
  const cards = (after.card_after?.cost?.amount ?? 0) - (before.card_after?.cost?.amount ?? 0)
  return {
    orders: after.count,
    of: after.total,
    points: inMonth(amountOf(after.after, primary) - amountOf(before.after, primary)),
    rewards: inMonth(cards)
  }
}
