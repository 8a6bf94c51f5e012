/** contract/engagement.md *Campaign reports*: what a comparison with few members is worth. */
import { assert, describe, it } from "@effect/vitest"
import { attributionOf, intervalOf } from "../../../src/capabilities/campaigns/Attribution.ts"

const group = (converted: number, members: number) => ({ converted, members })

describe("the interval of a lift", () => {
  it("is Newcombe's, by the figures of his article of 1998 (method 10)", () => {
    assert.deepStrictEqual(intervalOf(group(56, 70), group(48, 80)), { low: 524, high: 3_339 })
  })

  it("contains 0 where nobody or everybody converted, and stays within 100 per cent", () => {
    for (const share of [0, 1]) {
      const { high = 0, low = 0 } = intervalOf(group(share * 900, 900), group(share * 30, 30)) ?? {}
      assert.isTrue(low < 0 && high > 0)
    }
    assert.strictEqual(intervalOf(group(900, 900), group(0, 30))?.high, 10_000)
    assert.strictEqual(intervalOf(group(0, 30), group(900, 900))?.low, -10_000)
  })

  it("is told from 30 members in both groups on", () => {
    assert.isUndefined(intervalOf(group(5, 29), group(9, 1_000)))
    assert.isUndefined(intervalOf(group(9, 1_000), group(5, 29)))
    assert.isDefined(intervalOf(group(5, 30), group(9, 30)))
  })

  it("comes with the lift, which is inside of it", () => {
    const reached = { targeted: 90, converted: 40, conversions: 44, value: 9_900 }
    const counts = { ...reached, held: 31, heldConverted: 4, heldConversions: 5, heldValue: 800 }
    const { lift_bps, lift_interval_bps } = attributionOf(counts, "USD")
    assert.strictEqual(lift_bps, 4_444 - 1_290)
    assert.isTrue((lift_interval_bps?.low ?? 0) < lift_bps && (lift_interval_bps?.high ?? 0) > lift_bps)
    assert.notProperty(attributionOf({ ...counts, held: 4 }, "USD"), "lift_interval_bps")
  })
})
