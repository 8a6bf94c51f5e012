/** Changes of a reward by the console's dialog, and what it keeps. */
import { assert, describe, it } from "@effect/vitest"
import { entryEffectOf, idOf, usualFunding, withEntry } from "../../../src/console/programme/rewards.ts"
import type { Reward } from "../../../src/contract/protocol/Program.ts"

const usd = (amount: number) => ({ amount, currency: "USD" })
const reward: Reward = {
  reward_id: "one-off",
  name: "$1 off",
  cost: { unit: "points", amount: 100 },
  effect: { type: "discount", target: "order", amount: usd(100), allocations: [{ amount: usd(100) }] },
  funding: [
    { party_id: "brand", party_type: "brand", share_bps: 7500, amount: usd(75) },
    { party_id: "owner", party_type: "franchisee", share_bps: 2500, amount: usd(25) }
  ],
  available_until: "2027-01-01T00:00:00Z",
  metadata: { menu: "winter" }
}
const entry = {
  name: reward.name,
  cost: reward.cost.amount,
  effect: entryEffectOf(reward.effect),
  description: "",
  picture: ""
}

describe("a reward in the dialog", () => {
  it("makes ids of names, each of its own", () => {
    assert.strictEqual(idOf("Gyōza & Bier, 2 Stück!", []), "gyoza-bier-2-stuck")
    assert.strictEqual(idOf("Free bowl", ["free-bowl", "free-bowl-2"]), "free-bowl-3")
    assert.strictEqual(idOf("拉麺", []), "reward")
  })

  it("keeps a reward whole that is saved as it is", () => {
    assert.deepStrictEqual(withEntry(reward, entry, "USD"), reward)
  })

  it("changes the effect, and lets go only of the amounts that followed from it", () => {
    const changed = withEntry(reward, { ...entry, effect: { type: "discount", amount: 200 } }, "USD")
    assert.deepStrictEqual(changed, {
      ...reward,
      effect: { type: "discount", target: "order", amount: usd(200), allocations: [{ amount: usd(200) }] },
      funding: [
        { party_id: "brand", party_type: "brand", share_bps: 7500 },
        { party_id: "owner", party_type: "franchisee", share_bps: 2500 }
      ]
    })
  })

  it("leaves an effect alone that it does not show", () => {
    const effect = { type: "custom", effect_type: "upgrade", payload: { size: "large" } } as const
    const own = { ...reward, effect }
    assert.isUndefined(entryEffectOf(effect))
    assert.deepStrictEqual(withEntry(own, { ...entry, effect: undefined, cost: 5 }, "USD"), {
      ...own,
      cost: { unit: "points", amount: 5 }
    })
  })

  it("is paid by who pays alone for another, or by the programme's brand", () => {
    const whole = { share_bps: 10_000, party_type: "brand" } as const
    assert.deepStrictEqual(usualFunding([reward], "club"), [{ ...whole, party_id: "club" }])
    const alone = { ...reward, funding: [{ ...whole, party_id: "corner" }] }
    assert.deepStrictEqual(usualFunding([reward, alone], "club"), [{ ...whole, party_id: "corner" }])
  })
})
