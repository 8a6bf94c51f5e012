/** Changes of a promotion by the console's dialog, and what it keeps. */
import { assert, describe, it } from "@effect/vitest"
import { whenEntryOf, whenFaults } from "../../../src/console/programme/occasions.ts"
import { promotionEntryOf, withPromotionEntry } from "../../../src/console/programme/promotions.ts"
import type { Promotion } from "../../../src/contract/Promotions.ts"

const usd = (amount: number) => ({ amount, currency: "USD" })
const whole: Promotion = {
  promotion_id: "happy-hour",
  name: "Happy hour",
  description: "Double on quiet evenings.",
  enabled: false,
  effect: { add: 5, unit: "visits", multiplier_eligible: true },
  when: { from: "2026-11-01", weekly: [{ days: ["mon", "tue"], from: "18:00", until: "24:00" }] },
  where: { location_ids: ["pier-9"], channels: ["counter"] },
  on: { product_ids: ["tea"], tags: ["hot"] },
  who: { tier_ids: ["vip"], first_order: true, joined_within_days: 30 },
  minimum_spend: usd(2000),
  limits: { per_member: { count: 1, every: "week" } }
}
const entry = promotionEntryOf(whole)
const when = { days: [], from: "", until: "", first: "", last: "" }
const put = (more: Partial<typeof entry>, before = whole) =>
  withPromotionEntry(before, { ...promotionEntryOf(before), ...more }, "USD")

describe("a promotion in the dialog", () => {
  it("keeps a promotion as it is, its order of properties too, that is saved as it is", () => {
    assert.strictEqual(JSON.stringify(put({})), JSON.stringify(whole))
  })

  it("takes another kind of gift, without what only the former had", () => {
    assert.deepStrictEqual(put({ kind: "multiply_bps", amount: 20_000 }).effect, {
      multiply_bps: 20_000,
      unit: "visits"
    })
    assert.deepStrictEqual(put({ kind: "add_per_item", amount: 3 }).effect, {
      add_per_item: 3,
      unit: "visits",
      multiplier_eligible: true
    })
  })

  it("lets go of bounds that are empty, and keeps what it does not show", () => {
    const on = { products: [], categories: [] }
    const changed = put({
      ...{ when, on, tiers: [], spend: undefined, limit: undefined, description: "" },
      ...{ where: { places: [], channels: ["web"] }, isFirst: false, joinedWithin: undefined }
    })
    assert.deepStrictEqual(changed, {
      promotion_id: "happy-hour",
      name: "Happy hour",
      enabled: false,
      effect: whole.effect,
      where: { channels: ["web"] },
      on: { tags: ["hot"] }
    })
  })

  it("makes a window of days and hours: without days each day, without hours the whole day, midnight as 24:00", () => {
    const weekly = (more: Partial<typeof when>) => put({ when: { ...when, ...more } }).when?.weekly
    const all = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const
    assert.deepStrictEqual(weekly({ from: "11:00", until: "15:00" }), [{ days: all, from: "11:00", until: "15:00" }])
    const sunday = { days: ["sun"], from: "00:00", until: "24:00" } as const
    assert.deepStrictEqual(put({ when: { ...when, days: ["sun"] } }).when?.weekly, [sunday])
    assert.deepStrictEqual(weekly({ from: "18:00", until: "00:00" }), [{ days: all, from: "18:00", until: "24:00" }])
    assert.deepStrictEqual(whenEntryOf({ weekly: [sunday] }), { ...when, days: ["sun"] })
  })

  it("leaves times alone that it does not show", () => {
    const times: ReadonlyArray<NonNullable<Promotion["when"]>> = [
      { dates: ["2026-12-24"] },
      { from: "2026-12-24T18:00" },
      { until: "2026-12-24T18:00:00Z" },
      {
        weekly: [
          { days: ["mon"], from: "11:00", until: "12:00" },
          { days: ["tue"], from: "18:00", until: "19:00" }
        ]
      }
    ]
    for (const one of times) {
      assert.isUndefined(whenEntryOf(one))
      assert.deepStrictEqual(put({ name: "Another" }, { ...whole, when: one }).when, one)
    }
  })

  it("says of hours of no length, and of a last day before the first", () => {
    assert.deepStrictEqual(whenFaults({ ...when, from: "11:00", until: "11:00" }), ["hours"])
    assert.deepStrictEqual(whenFaults({ ...when, first: "2026-12-02", last: "2026-12-01" }), ["dates"])
    assert.deepStrictEqual(
      whenFaults({ ...when, first: "2026-12-01", last: "2026-12-01", from: "22:00", until: "02:00" }),
      []
    )
  })
})
