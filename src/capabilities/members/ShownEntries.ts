/** Entries of a member's ledger as operators see them. */
import { fromMillis } from "../../contract/Values.ts"
import type { LedgerRow } from "../../core/journal/Records.ts"
import * as Render from "../../core/protocol/Render.ts"
import type * as Csv from "../../desk/surface/Csv.ts"

export const csvColumns = [
  "entry_id",
  "occurred_at",
  "program_id",
  "member_id",
  "account_id",
  "operation",
  "unit",
  "amount",
  "expires_at",
  "related_entry_id",
  "order_id",
  "location_id",
  "adjustment_id",
  "reservation_id",
  "classification",
  "reason",
  "qualifies_for_tier",
  "placed_at",
  "business_date"
] as const

/** An entry with the dates of its order. */
export const shownEntry = (owner: Render.Owner, row: LedgerRow) => ({
  ...Render.entry(owner, row),
  placed_at: row.placedAt === undefined ? undefined : fromMillis(row.placedAt),
  business_date: row.businessDate
})

/** The cells of an entry, in the order of `csvColumns`. */
export const csvRow = (entry: ReturnType<typeof shownEntry>): ReadonlyArray<Csv.Cell> =>
  csvColumns.map((name) => {
    const value = entry[name]
    return typeof value === "boolean" ? String(value) : value
  })
