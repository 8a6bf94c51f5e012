/** Amounts owed, as figures of the page Today and of its file. */
import { assert, describe, it } from "@effect/vitest"
import { money } from "../../../src/console/shared/format.ts"
import { costOf, owedFigures } from "../../../src/console/today/owed.ts"
import type { Analytics } from "../../../src/contract/platform/Analytics.ts"
import examples from "../../../src/contract/platform/analyticsExamples.json" with { type: "json" }

const { loyalty, ...others } = examples.analytics.response as Analytics
const usd = (amount: number) => ({ amount, currency: "USD" })
const withOwed = (owed: Analytics["loyalty"]["owed"]): Analytics => {
  const { owed: _, ...rest } = loyalty
  return { ...others, loyalty: owed === undefined ? rest : { ...rest, owed } }
}
const now = { ...(loyalty.owed ?? assert.fail("the example has it")), worth: usd(5_475) }

const told = (one: Analytics, before: Analytics | undefined) =>
  owedFigures(one, before, "USD").map(({ cells, value }) => ({ value, cells }))

describe("what is owed", () => {
  it("is in the page and in the file what the service tells, of the range and of the one before", () => {
    const day = { ...now, day: "2026-07-13", worth: usd(1_200), rewards: [] }
    assert.deepStrictEqual(told(withOwed(now), withOwed(day)), [
      { value: money(usd(5_475)), cells: [usd(5_475), usd(1_200)] },
      { value: "2", cells: [2, 0] }
    ])
    assert.deepStrictEqual(told(withOwed(now), undefined), [
      { value: money(usd(5_475)), cells: [usd(5_475), undefined] },
      { value: "2", cells: [2, undefined] }
    ])
  })

  it("says so where it was not recorded, in the page and in the file", () => {
    const none = { value: "not recorded", cells: ["not recorded", "not recorded"] }
    assert.deepStrictEqual(told(withOwed(undefined), withOwed(undefined)), [none, none])
    assert.deepStrictEqual(told(withOwed(now), withOwed(undefined))[0]?.cells, [usd(5_475), "not recorded"])
  })
})

describe("the cost of rewards", () => {
  it("counts wallet rewards that were used, beside points redeemed less those given back", () => {
    const value = { points: 100, worth: usd(75) }
    assert.deepStrictEqual(costOf(value, "points", loyalty), usd(75))
    const rewards = loyalty.rewards.map((one) => ({ ...one, redeemed: 2, redeemed_worth: usd(1_200) }))
    assert.deepStrictEqual(costOf(value, "points", { ...loyalty, rewards }), usd(75 + 3 * 1_200))
  })
})
