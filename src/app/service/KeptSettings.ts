/** The settings that say how long what is not the ledger is kept (contract/databases.md *Retention*). */
import { type Kept, type KeptDays, kept } from "../../core/retention/Kept.ts"

export type KeptSetting =
  | "keepDeliveries"
  | "keepImportRows"
  | "keepGuestEvents"
  | "keepOrderFigures"
  | "keepCampaignTargets"

/** Reads all of them; `integer` reads one within its bounds, days. */
export const read = (integer: (name: KeptSetting, least: number, most: number, days: number) => number): KeptDays => {
  const daysOf = (name: KeptSetting, of: Kept) => integer(name, kept[of].least, kept[of].most, kept[of].days)
  return {
    deliveries: daysOf("keepDeliveries", "deliveries"),
    import_rows: daysOf("keepImportRows", "import_rows"),
    guest_events: daysOf("keepGuestEvents", "guest_events"),
    order_figures: daysOf("keepOrderFigures", "order_figures"),
    campaign_targets: daysOf("keepCampaignTargets", "campaign_targets")
  }
}
