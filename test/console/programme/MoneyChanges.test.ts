/** Changes of money in the preview of a publication. */
import { assert, describe, it } from "@effect/vitest"
import { heldWorth, moneyChange } from "../../../src/console/programme/moneyChanges.ts"

const value = (amount: number) => ({ points: 100, worth: { amount, currency: "USD" } })

describe("a change of an amount", () => {
  it("is one of money where it is a part of a sum", () => {
    const change = { path: "/point_value/worth/amount", from: 85, to: 90 }
    assert.deepStrictEqual(moneyChange(change, { point_value: value(90) }), {
      path: "/point_value/worth",
      from: { amount: 85, currency: "USD" },
      to: { amount: 90, currency: "USD" }
    })
    const cost = { path: "/rewards/0/cost/amount", from: 50, to: 60 }
    assert.strictEqual(moneyChange(cost, { rewards: [{ cost: { unit: "points", amount: 60 } }] }), cost)
  })
})

describe("what guests hold", () => {
  it("is told by both values, where they differ", () => {
    assert.deepStrictEqual(heldWorth(85_203, { points: 1, worth: { amount: 1, currency: "USD" } }, undefined), [
      { amount: 85_203, currency: "USD" },
      undefined
    ])
    assert.deepStrictEqual(heldWorth(1_000, value(85), value(90)), [value(850).worth, value(900).worth])
    assert.isUndefined(heldWorth(1_000, value(85), value(85)))
  })
})
