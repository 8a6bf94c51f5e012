/** Changes of a tier by the console's dialog, and what it keeps. */
import { assert, describe, it } from "@effect/vitest"
import { ascending, metricOf, tierEntryOf, withTierEntry } from "../../../src/console/programme/tiers.ts"
import type { Tier } from "../../../src/contract/protocol/Program.ts"

const tier: Tier = {
  tier_id: "vip",
  name: "VIP",
  qualification_metric_id: "qualifying",
  minimum: 1_500,
  earn_multiplier_bps: 15_000,
  benefits: [
    { benefit_id: "first", name: "New dishes first", metadata: { order: 1 } },
    { benefit_id: "treat", name: "Birthday treat" }
  ]
}
const put = (more: Partial<ReturnType<typeof tierEntryOf>>) => withTierEntry(tier, { ...tierEntryOf(tier), ...more })

describe("a tier in the dialog", () => {
  it("keeps a tier as it is, its order of properties too, that is saved as it is", () => {
    assert.strictEqual(JSON.stringify(put({})), JSON.stringify(tier))
    const { earn_multiplier_bps: _, ...plain } = tier
    assert.deepStrictEqual(withTierEntry(plain, tierEntryOf(plain)), plain)
  })

  it("keeps benefits by their names, and makes ids of new ones", () => {
    assert.deepStrictEqual(put({ benefits: ["Treat", "New dishes first"] }).benefits, [
      { benefit_id: "treat-2", name: "Treat" },
      { benefit_id: "first", name: "New dishes first", metadata: { order: 1 } }
    ])
  })

  it("stands among the others by its minimum; one without comes last", () => {
    const [low, none] = [{ minimum: 0 }, { name: "New" }]
    assert.deepStrictEqual(ascending([none, tier, low]), [low, tier, none])
  })

  it("counts by the metric of the others, or by everything ever earned", () => {
    const metrics = [{ metric_id: "qualifying" }]
    assert.deepStrictEqual(metricOf({ metrics, tiers: [tier] }, "points", "Earned"), { id: "qualifying", metrics })
    assert.deepStrictEqual(metricOf({ metrics }, "points", "Earned"), { id: "qualifying", metrics })
    assert.deepStrictEqual(metricOf({ metrics: [], tiers: [] }, "visits", "Earned"), {
      id: "earned",
      metrics: [{ metric_id: "earned", name: "Earned", unit: "visits", source: "lifetime_earned" }]
    })
  })
})
