/** Entries of a member's ledger as operators see them, and their kinds as guests do. */
import type { EntryCause } from "../../contract/admin/MemberLedger.ts"
import type { HistoryKind } from "../../contract/guest/Shown.ts"
import { fromMillis } from "../../contract/Values.ts"
import { mergeReason } from "../../core/account/domain/AccountEvent.ts"
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

/** The kind of an entry that its row tells alone. */
export const kindOfRow = ({ amount, classification, operation, orderId, reason }: LedgerRow): HistoryKind => {
  switch (operation) {
    case "accrual":
      return "earned"
    case "adjustment":
      if (orderId === undefined) return reason === mergeReason ? "merged" : "card_filled"
      return amount < 0 ? "refunded" : "corrected"
    case "redemption":
      return "spent"
    case "reversal":
      return "given_back"
    case "expiration":
      return "expired"
    case "manual":
      if (classification === "migration") return "moved"
      return classification === "correction" || amount < 0 ? "corrected" : "gift"
  }
}

/** The cause of an entry as its row tells it, where its record is archived. */
export const causeOfRow = ({ amount, operation, orderId, reason }: LedgerRow): EntryCause => {
  if (operation === "accrual") return "order"
  if (operation !== "adjustment") return operation
  if (orderId === undefined) return reason === mergeReason ? "merge" : "stamp_card"
  return amount < 0 ? "refund" : "correction"
}
