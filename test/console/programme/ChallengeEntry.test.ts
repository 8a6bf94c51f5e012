/** Changes of a challenge by the console's dialog, and what it keeps. */
import { assert, describe, it } from "@effect/vitest"
import { challengeEntryOf, everysOf, withChallengeEntry } from "../../../src/console/programme/challenges.ts"
import type { Challenge } from "../../../src/contract/Challenges.ts"
import { challengeKinds } from "../../../src/contract/Challenges.ts"

const whole: Challenge = {
  challenge_id: "five-drinks",
  name: "Five drinks",
  description: "Five teas in a month.",
  enabled: false,
  count: { items: 5 },
  every: "month",
  on: { product_ids: ["tea"], tags: ["hot"] },
  where: { channels: ["counter"] },
  when: { from: "2026-11-01T08:00" },
  minimum_spend: { amount: 500, currency: "USD" },
  repeat: false,
  gives: { reward_id: "free-bowl", expires_in_seconds: 90_000 }
}
const put = (more: Partial<ReturnType<typeof challengeEntryOf>>) =>
  withChallengeEntry(whole, { ...challengeEntryOf(whole), ...more }, "USD")

describe("a challenge in the dialog", () => {
  it("keeps a challenge as it is, its order of properties too, that is saved as it is", () => {
    assert.strictEqual(JSON.stringify(put({})), JSON.stringify(whole))
  })

  it("changes what is counted, and lets go of bounds that are empty", () => {
    const changed = put({
      kind: "orders",
      amount: 3,
      every: undefined,
      on: { products: [], categories: [] },
      where: { places: ["pier-9"], channels: [] },
      spend: undefined,
      days: 7,
      repeats: true,
      description: ""
    })
    const { description: _, every: __, minimum_spend: ___, ...kept } = whole
    assert.deepStrictEqual(changed, {
      ...kept,
      count: { orders: 3 },
      on: { tags: ["hot"] },
      where: { location_ids: ["pier-9"] },
      repeat: true,
      gives: { reward_id: "free-bowl", expires_in_seconds: 604_800 }
    })
    assert.deepStrictEqual(put({ reward: "one-off", days: undefined }).gives, { reward_id: "one-off" })
  })

  it("offers for each kind the times in which it can be counted", () => {
    const any = [undefined, "week", "month", "year"]
    assert.deepStrictEqual(Object.fromEntries(challengeKinds.map((kind) => [kind, everysOf(kind)])), {
      orders: any,
      items: any,
      spend: any,
      days: ["week", "month"],
      weeks_in_a_row: [undefined]
    } as never)
  })
})
