/** Rows of archive files as the statements of an export have them (`Statements`). */
import { fromMillis } from "../../contract/Values.ts"
import type { Row } from "../../core/journal/archive/Scan.ts"
import * as ArchivedReads from "../../core/journal/postgres/ArchivedReads.ts"
import type * as Statements from "./Statements.ts"
import type { Kind } from "./Whole.ts"

export const records: Kind<typeof Statements.Record.Type> = {
  section: "records",
  place: ({ seq }) => seq,
  filed: (row) => ({
    ...ArchivedReads.recordOf(row),
    writtenAt: Number(row["written_at"]),
    epoch: Number(row["epoch"]),
    transaction: String(row["transaction"])
  })
}

const instant = (at: number | undefined): string | null => (at === undefined ? null : fromMillis(at))

/** The text of an object as `json_build_object` makes it, whose separators are others than those of JavaScript. */
const textOf = (values: Readonly<Record<string, boolean | number | string | null>>): string =>
  `{${Object.entries(values)
    .map(([name, value]) => `${JSON.stringify(name)} : ${JSON.stringify(value)}`)
    .join(", ")}}`

/** The same line, byte for byte, as PostgreSQL makes of an entry that is here. */
const entryOf = (row: Row): typeof Statements.Entry.Type => {
  const [account, seq, entry] = [Number(row["account"]), Number(row["seq"]), ArchivedReads.entryOf(row)]
  const { amount, n, operation, unit } = entry
  const line = {
    ...{ kind: "entry", account, n, seq, operation, unit, amount },
    occurred_at: fromMillis(entry.occurredAt),
    expires_at: instant(entry.expiresAt),
    related_n: entry.relatedN ?? null,
    classification: entry.classification ?? null,
    qualifies_for_tier: entry.qualifiesForTier ?? null,
    order_id: entry.orderId ?? null,
    location_id: entry.locationId ?? null,
    adjustment_id: entry.adjustmentId ?? null,
    reservation_id: entry.reservationId ?? null,
    reason: entry.reason ?? null,
    placed_at: instant(entry.placedAt),
    business_date: entry.businessDate ?? null
  }
  return { account, n, unit, amount, line: textOf(line) }
}

export const entries: Kind<typeof Statements.Entry.Type> = { section: "entries", place: ({ n }) => n, filed: entryOf }
