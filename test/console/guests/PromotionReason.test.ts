/** The reason of an entry that promotions gave. */
import { assert, describe, it } from "@effect/vitest"
import { promotionReason } from "../../../src/console/guests/promotionReason.ts"

const promotions = [
  { promotion_id: "stamp-card", name: "Stamp card" },
  { promotion_id: "rainy", name: "Rainy day" }
]

describe("the reason of an entry", () => {
  it("names promotions, and leaves what people wrote", () => {
    assert.strictEqual(promotionReason("promotions: stamp-card", promotions), "Stamp card")
    assert.strictEqual(promotionReason("promotions: rainy, gone and 3 more", promotions), "Rainy day, gone +3")
    assert.strictEqual(promotionReason("The soup was cold", promotions), "The soup was cold")
  })
})
