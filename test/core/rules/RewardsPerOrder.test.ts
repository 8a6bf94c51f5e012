/** contract/programmes.md *Rewards of one order*: what is warned of, and what needs a confirmation. */
import { assert, describe, it } from "@effect/vitest"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { isBySpend, mostPoints, mostRewards, toConfirm } from "../../../src/core/rules/RewardsPerOrder.ts"

const { challenges: _, promotions: _p, stamp_card: _s, ...demo } = Testing.demoProgram.file
const reward_id = demo.rewards[0]!.reward_id
const stamps = { unit: "stamps", is_primary: false }
const perOrder = { unit: "stamps", mode: "per_order", amount: 1, multiplier_eligible: false }

const programOf = (more: object) =>
  Testing.programOf({
    ...demo,
    accounts: [...demo.accounts, stamps],
    account_earning: [...(demo.account_earning ?? []), perOrder],
    ...more
  })
const card = (unit: string, threshold: number) => ({ stamp_card: { unit, threshold, reward_id, resets: true } })
const perItem = {
  promotions: [
    { promotion_id: "item", name: "Item", effect: { add_per_item: 1, unit: "stamps" }, on: { category_ids: ["bowls"] } }
  ]
}

describe("the rewards of one order", () => {
  it("are the full cards: of points by spend many, of a stamp an order none, of a stamp an item one", () => {
    // 50.00 at 10 points for each 1.00, times 1.5 for the highest tier.
    assert.strictEqual(mostRewards(programOf(card("points", 10))), 75)
    assert.isTrue(isBySpend(programOf(card("points", 10))))
    assert.strictEqual(mostRewards(programOf(card("stamps", 10))), 0)
    assert.isFalse(isBySpend(programOf(card("stamps", 10))))
    assert.strictEqual(mostRewards(programOf({ ...card("stamps", 10), ...perItem })), 1)
    assert.strictEqual(mostRewards(programOf({ ...card("points", 10), limits: { points_per_order: 60 } })), 6)
    assert.strictEqual(mostRewards(programOf({})), 0)
  })

  it("are told with the points of all accounts, whatever a promotion's minimum spend", () => {
    const promotion = (more: object) => ({
      promotions: [{ promotion_id: "much", name: "Much", effect: { add: 9_000 }, ...more }]
    })
    assert.strictEqual(mostPoints(programOf({})), 750 + 1)
    const dear = { minimum_spend: { amount: 5_001, currency: "USD" } }
    for (const more of [{}, dear])
      assert.strictEqual(mostPoints(programOf(promotion(more))), 9_751, JSON.stringify(more))
    assert.strictEqual(mostPoints(programOf({ ...promotion({}), limits: { points_per_order: 60 } })), 60 + 1)
  })

  it("count challenges, as often as they repeat", () => {
    const challenge = (count: object, repeat: boolean) => ({
      challenges: [
        { challenge_id: "c", name: "C", on: { category_ids: ["bowls"] }, count, repeat, gives: { reward_id } }
      ]
    })
    assert.strictEqual(mostRewards(programOf(challenge({ items: 1 }, true))), 10)
    assert.strictEqual(mostRewards(programOf(challenge({ items: 1 }, false))), 1)
    assert.strictEqual(mostRewards(programOf(challenge({ spend: 500 }, true))), 10)
    assert.strictEqual(mostRewards(programOf(challenge({ orders: 5 }, true))), 0)
  })

  it("are confirmed above five, if they become more", () => {
    const [harmless, many, more] = [
      programOf(card("points", 150)),
      programOf(card("points", 100)),
      programOf(card("points", 10))
    ]
    assert.strictEqual(toConfirm(harmless, undefined), undefined)
    assert.strictEqual(toConfirm(many, undefined), 7)
    assert.strictEqual(toConfirm(more, many), 75)
    assert.strictEqual(toConfirm(many, many), undefined)
    assert.strictEqual(toConfirm(many, more), undefined)
  })
})
