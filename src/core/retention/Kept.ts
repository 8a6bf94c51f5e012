/** How long what is not the ledger is kept (contract/databases.md *Retention*), days. Everything else is kept for good. */
import { Context } from "effect"
import { longestWindowDays } from "../../contract/platform/Rules.ts"

/** Rows that are deleted once they are old: the time by default, and the least and the most that an operator can set. */
export const kept = {
  /** Least: a receiver that was down over a long weekend can still be sent what failed. */
  deliveries: { days: 30, least: 7, most: 3_650 },
  /** Least: somebody mends the rows of a file within a month. */
  import_rows: { days: 90, least: 30, most: 3_650 },
  /** Least: segments ask for the events of so many days. */
  guest_events: { days: longestWindowDays, least: longestWindowDays, most: 36_500 },
  /** Least: as for events. */
  order_figures: { days: longestWindowDays, least: longestWindowDays, most: 36_500 },
  /** Least: reports of campaigns are read until the next year's. */
  campaign_targets: { days: 396, least: 90, most: 3_650 },
  /** After they are over. Least: a till that was offline for days may still send them. */
  kept_orders: { days: 14, least: 7, most: 3_650 },
  /** Beside a business id. Least: a year's figures are posted again in the next one; then the id answers. */
  idempotency_keys: { days: 400, least: 400, most: 36_500 }
} as const

export type Kept = keyof typeof kept

/** Days for which each is kept. */
export type KeptDays = Readonly<Record<Kept, number>>

/** The times of this process. */
export const KeptTimes = Context.Reference<KeptDays>("lotbook/core/retention/KeptTimes", {
  defaultValue: () => ({
    deliveries: kept.deliveries.days,
    import_rows: kept.import_rows.days,
    guest_events: kept.guest_events.days,
    order_figures: kept.order_figures.days,
    campaign_targets: kept.campaign_targets.days,
    kept_orders: kept.kept_orders.days,
    idempotency_keys: kept.idempotency_keys.days
  })
})
