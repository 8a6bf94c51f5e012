/** The stamp card's dialog offers no account that guests earn by spend, and makes the account and the rule of a new one. */
import { assert, describe, it } from "@effect/vitest"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { isBySpend, newUnit, withFilling } from "../../../src/console/programme/general.ts"
import { mostRewards } from "../../../src/core/rules/RewardsPerOrder.ts"

const { account_earning: _, challenges: _c, promotions: _p, stamp_card: _s, ...demo } = Testing.demoProgram.file
const none = { products: [], categories: [] }
const card = { unit: "stamps", threshold: 10, reward_id: demo.rewards[0]!.reward_id, resets: true }

describe("the account of a stamp card", () => {
  it("is none that is earned by spend: the main account, save with a rule of its own, and others by their rule", () => {
    const rule = (unit: string, mode: string) => ({ ...demo, account_earning: [{ unit, mode }] })
    assert.isTrue(isBySpend(demo, "points"))
    assert.isFalse(isBySpend(rule("points", "per_order"), "points"))
    assert.isTrue(isBySpend(rule("credits", "spend"), "credits"))
    assert.isFalse(isBySpend(rule("visits", "per_order"), "visits"))
    assert.isFalse(isBySpend(demo, "stamps"))
  })

  it("is made with its rule, so that an order gives one stamp, or each item of the products does", () => {
    assert.strictEqual(newUnit(demo), "stamps")
    const order = withFilling(demo, "stamps", "order", "Stamp card", none)
    const items = withFilling(demo, "stamps", "items", "Stamp card", { ...none, products: ["bowl"] })
    for (const [draft, rewards] of [
      [order, 0],
      [items, 1]
    ] as const) {
      assert.strictEqual(newUnit(draft), "visits")
      assert.isFalse(isBySpend(draft, "stamps"))
      assert.strictEqual(mostRewards(Testing.programOf({ ...draft, stamp_card: card })), rewards)
    }
    const again = withFilling(items, "visits", "items", "Stamp card", { ...none, products: ["tea"] })
    assert.deepStrictEqual(
      Testing.programOf(again).promotions.all.map(({ id }) => id),
      ["stamp-card", "stamp-card-2"]
    )
  })
})
