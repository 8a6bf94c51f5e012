/** Changes of a programme by the console's dialogs for earning and expiry, and what they keep. */
import { assert, describe, it } from "@effect/vitest"
import {
  earningEntryOf,
  expiryEntryOf,
  withEarningEntry,
  withExpiryEntry
} from "../../../src/console/programme/earning.ts"
import type { PointExpiration, ProgramFile } from "../../../src/contract/ProgramFile.ts"

const usd = (amount: number) => ({ amount, currency: "USD" })
const earning: ProgramFile["earning"] = {
  rate: { unit: "points", amount: 10, spend: usd(100) },
  minimum_eligible_spend: usd(100),
  eligible_channels: ["counter"],
  rounding: "after_transaction",
  dated_by: "placed_at",
  exclusions: { product_ids: ["gift"], category_ids: [], tags: [], line_kinds: ["fee"], tender_types: ["loyalty"] }
}

describe("earning in the dialog", () => {
  it("keeps what is saved as it is, and what it does not show", () => {
    assert.deepStrictEqual(withEarningEntry(earning, earningEntryOf(earning), "USD"), earning)
    const changed = withEarningEntry(
      earning,
      { ...earningEntryOf(earning), points: 1, spend: 10, least: 0, channels: ["web"], products: [], tags: ["fee"] },
      "USD"
    )
    assert.deepStrictEqual(changed, {
      rate: { unit: "points", amount: 1, spend: usd(10) },
      minimum_eligible_spend: usd(0),
      eligible_channels: ["web"],
      rounding: "after_transaction",
      dated_by: "placed_at",
      exclusions: { product_ids: [], category_ids: [], tags: ["fee"], line_kinds: ["fee"], tender_types: ["loyalty"] }
    })
  })
})

describe("expiry in the dialog", () => {
  it("keeps what is saved as it is", () => {
    const all: ReadonlyArray<PointExpiration> = [
      { type: "after_earned", days: 365, warning_days: [30, 7] },
      { type: "after_earned", months: 12, at: "end_of_year", warning_days: [] },
      { type: "after_earned", months: 12, at: "instant", warning_days: [] },
      { type: "after_inactivity", months: 6, warning_days: [14] }
    ]
    for (const one of all) assert.deepStrictEqual(withExpiryEntry(one, expiryEntryOf(one)), one)
    assert.isUndefined(withExpiryEntry(undefined, expiryEntryOf(undefined)))
  })

  it("says days or months, and an end only of points that expire on their own", () => {
    const before: PointExpiration = { type: "after_earned", days: 365, at: "end_of_day", warning_days: [7] }
    const entry = expiryEntryOf(before)
    assert.deepStrictEqual(withExpiryEntry(before, { ...entry, kind: "after_inactivity", count: 6, unit: "months" }), {
      type: "after_inactivity",
      months: 6,
      warning_days: [7]
    })
    assert.isUndefined(withExpiryEntry(before, { ...entry, kind: "never" }))
    assert.deepStrictEqual(withExpiryEntry(undefined, { ...expiryEntryOf(undefined), kind: "after_earned" }), {
      type: "after_earned",
      months: 12,
      warning_days: [30]
    })
  })
})
