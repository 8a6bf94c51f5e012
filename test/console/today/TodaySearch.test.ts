/** The range of the charts on Today, in the address. */
import { assert, describe, it } from "@effect/vitest"
import { daysOf, todaySearch } from "../../../src/console/today/todaySearch.ts"

describe("the range of Today", () => {
  it("is two days that exist and are in order, at most ten years", () => {
    assert.strictEqual(daysOf("2026-02-28", "2026-03-01"), 2)
    assert.strictEqual(daysOf("2026-03-01", "2026-03-01"), 1)
    for (const [from, to] of [
      ["2026-03-02", "2026-03-01"],
      ["2026-02-31", "2026-03-01"],
      ["0202-02-01", "2026-03-01"],
      ["2001-01-01", "2026-03-01"],
      [undefined, "2026-03-01"]
    ])
      assert.strictEqual(daysOf(from, to), undefined)
  })

  it("stands in place of a number of days, and a wrong one is passed over", () => {
    const range = { from: "2026-02-01", to: "2026-02-09" }
    assert.deepStrictEqual(todaySearch({ ...range, days: 7 }), range)
    assert.deepStrictEqual(todaySearch({ from: "2026-02-01", days: 7 }), { days: 7 })
  })
})
