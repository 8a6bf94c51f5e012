/** Causes of an order's difference. Holds contract/moving.md *Compare*. */
import { assert, it } from "vitest"
import { causeOf } from "../../../src/capabilities/comparisons/Causes.ts"

/** An order of 10.46 in a tier of 1.2: 10 points for each 1.00, rounded down, are 125. */
const ours = {
  at: 0,
  earned: 125,
  adjusted: 0,
  promoted: 0,
  spend: 1_046,
  rule: [10, 100, 12_000] as const,
  lines: [1_046]
}
const cause = (earned: number) => causeOf(ours, { at: 0, earned, taken: 0 }, { rate: 100, tiers: [10_000, 12_000] })

it("a multiple is a promotion of the other system, whether it rounds before it or after it", () => {
  // 125.52 doubled and then rounded down, and 125 doubled.
  for (const points of [251, 250, 375, 376]) assert.strictEqual(cause(points), "promotion", String(points))
})

it("what no multiple, tier or rounding gives stays unexplained", () => {
  for (const points of [245, 254, 260]) assert.strictEqual(cause(points), "unexplained", String(points))
  assert.strictEqual(cause(126), "rounding")
  assert.strictEqual(cause(104), "tier")
})
