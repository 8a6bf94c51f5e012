/** The settings that say how long what is not the ledger is kept (contract/databases.md *Retention*). */
import { type Kept, type KeptDays, kept } from "../../core/retention/Kept.ts"

export type KeptSetting =
  | "keepDeliveries"
  | "keepImportRows"
  | "keepGuestEvents"
  | "keepOrderFigures"
  | "keepCampaignTargets"
  | "keepKeptOrders"
  | "keepIdempotencyKeys"

/** Reads all of them; `integer` reads one within its bounds, days. */
export const read = (integer: (name: KeptSetting, least: number, most: number, days: number) => number): KeptDays => {
  const daysOf = (name: KeptSetting, of: Kept) => integer(name, kept[of].least, kept[of].most, kept[of].days)
  return {
    deliveries: daysOf("keepDeliveries", "deliveries"),
    import_rows: daysOf("keepImportRows", "import_rows"),
    guest_events: daysOf("keepGuestEvents", "guest_events"),
    order_figures: daysOf("keepOrderFigures", "order_figures"),
    campaign_targets: daysOf("keepCampaignTargets", "campaign_targets"),
    kept_orders: daysOf("keepKeptOrders", "kept_orders"),
    idempotency_keys: daysOf("keepIdempotencyKeys", "idempotency_keys")
  }
}

/** A flag for each of them. */
export const flags = <F>(flag: (name: KeptSetting) => F): Readonly<Record<KeptSetting, F>> => ({
  keepDeliveries: flag("keepDeliveries"),
  keepImportRows: flag("keepImportRows"),
  keepGuestEvents: flag("keepGuestEvents"),
  keepOrderFigures: flag("keepOrderFigures"),
  keepCampaignTargets: flag("keepCampaignTargets"),
  keepKeptOrders: flag("keepKeptOrders"),
  keepIdempotencyKeys: flag("keepIdempotencyKeys")
})
