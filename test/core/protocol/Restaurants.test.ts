/** The restaurants of a limited caller, by day (contract/people.md *Limited to restaurants*). */
import { assert, describe, it } from "vitest"
import type { GivenLimits } from "../../../src/contract/RestaurantLimits.ts"
import { isWithinLimits } from "../../../src/contract/RestaurantLimits.ts"
import { Restaurants } from "../../../src/core/protocol/Restaurants.ts"

const east = {
  location_id: "east",
  franchisees: [
    { from: "2024-03-01", franchisee_id: "ada" },
    { from: "2026-10-15", franchisee_id: "harbour" },
    { from: "2026-12-01" }
  ],
  brands: [
    { from: "2024-01-01", brand_id: "bowl" },
    { from: "2026-06-01", brand_id: "grill" }
  ]
}
const west = { location_id: "west", franchisees: [{ from: "2024-03-01", franchisee_id: "ada" }] }

const daysOf = (limits: GivenLimits) => {
  const reach = new Restaurants(limits, [east, west])
  return (location: string) =>
    ["2024-02-29", "2024-03-01", "2026-05-31", "2026-10-14", "2026-10-15", "2026-11-30", "2026-12-01"].filter((day) =>
      reach.has(location, day)
    )
}

describe("restaurants of a limited caller", () => {
  it("are those of a franchisee on the days on which they are his, also where they change in the middle of a month", () => {
    const ada = daysOf({ franchisee_ids: ["ada"] })
    assert.deepStrictEqual(ada("east"), ["2024-03-01", "2026-05-31", "2026-10-14"])
    assert.lengthOf(ada("west"), 6)
    assert.deepStrictEqual(daysOf({ franchisee_ids: ["harbour"] })("east"), ["2026-10-15", "2026-11-30"])
  })

  it("are within each of the limits", () => {
    const both = daysOf({ franchisee_ids: ["ada", "harbour"], brand_ids: ["grill"] })
    assert.deepStrictEqual(both("east"), ["2026-10-14", "2026-10-15", "2026-11-30"])
    assert.deepStrictEqual(both("west"), [])
    assert.deepStrictEqual(daysOf({ location_ids: ["west"], franchisee_ids: ["ada"] })("east"), [])
  })

  it("are theirs from one entry into the next, if both are within the limit", () => {
    const reach = new Restaurants({ franchisee_ids: ["ada", "harbour"], brand_ids: ["bowl", "grill"] }, [east])
    assert.deepStrictEqual(reach.spans.get("east"), [{ from: "2024-03-01", until: "2026-12-01" }])
    assert.isTrue(reach.hasAll("east", "2026-10-01", "2026-11-01"))
  })

  it("may be named by their ids alone, known or not", () => {
    const named = daysOf({ location_ids: ["west", "unnamed"] })
    assert.lengthOf(named("west"), 7)
    assert.lengthOf(named("unnamed"), 7)
    assert.deepStrictEqual(named("east"), [])
  })

  it("are none where a limit matches none", () => {
    for (const limits of [{ franchisee_ids: ["nobody"] }, { brand_ids: ["none"] }])
      assert.strictEqual(new Restaurants(limits, [east, west]).spans.size, 0)
  })

  it("of another limit are within it only where each kind of limit is", () => {
    const outer = { franchisee_ids: ["ada"], brand_ids: ["bowl", "grill"] }
    assert.isTrue(isWithinLimits(outer, { ...outer, brand_ids: ["grill"], location_ids: ["east"] }))
    assert.isFalse(isWithinLimits(outer, { franchisee_ids: ["ada"] }))
    assert.isFalse(isWithinLimits(outer, { ...outer, franchisee_ids: ["ada", "harbour"] }))
    assert.isFalse(isWithinLimits(outer, { location_ids: ["east"] }))
    assert.isTrue(isWithinLimits(undefined, {}))
  })
})
