/** Gifts of a campaign, as the console foretells them. */
import { assert, describe, it } from "@effect/vitest"
import { monthOf, mostGifts, runOf } from "../../../src/console/audience/campaignCost.ts"

describe("what a campaign will give", () => {
  it("is, in one run, for those who are not held out, as far as the limit allows", () => {
    assert.deepStrictEqual(runOf({ open: 24 }, 50), { heldOut: 12, given: 12 })
    assert.deepStrictEqual(runOf({ open: 24, limit_left: 5 }, 0), { heldOut: 0, given: 5 })
    assert.deepStrictEqual(runOf({ open: 0 }, 10), { heldOut: 0, given: 0 })
  })

  it("is, in a month without a bound, the same for the same guests as for others", () => {
    assert.deepStrictEqual(monthOf({ open: 24 }, { holdout_percent: 50 }, 30), { same: 360, others: 360 })
    const limited = monthOf({ open: 24, limit_left: 100 }, { holdout_percent: 0 }, 30)
    assert.deepStrictEqual(limited, { same: 100, others: 100 })
  })

  it("is in all what its limits allow, of members or of points", () => {
    const credit = { credit: { amount: 50, reason: "Thanks" } }
    assert.isUndefined(mostGifts({ action: credit }))
    assert.strictEqual(mostGifts({ action: credit, limit: { amount: 1_020 } }), 20)
    assert.strictEqual(mostGifts({ action: credit, limit: { amount: 1_000, rewards: 7 } }), 7)
    assert.strictEqual(mostGifts({ action: { issue_reward: { reward_id: "bowl" } }, limit: { rewards: 9 } }), 9)
  })

  it("is, in a month with a bound, less for the same guests in every run", () => {
    const inMonth = (times: number, days: number, runs: number) =>
      monthOf({ open: 10 }, { frequency: { times, days }, holdout_percent: 0 }, runs)
    assert.deepStrictEqual(inMonth(1, 300, 30), { same: 10, others: 300 })
    assert.deepStrictEqual(inMonth(2, 7, 30), { same: 100, others: 300 })
    assert.deepStrictEqual(inMonth(2, 7, 4), { same: 40, others: 40 })
  })
})
