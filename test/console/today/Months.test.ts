/** Months as ranges of days. */
import { assert, describe, it } from "@effect/vitest"
import { monthDays } from "../../../src/console/today/months.ts"

describe("a month of Today", () => {
  it("is this one up to today, or the whole one before", () => {
    assert.deepStrictEqual(monthDays("2026-11-28", "this"), { from: "2026-11-01", to: "2026-11-28" })
    assert.deepStrictEqual(monthDays("2026-11-28", "last"), { from: "2026-10-01", to: "2026-10-31" })
    assert.deepStrictEqual(monthDays("2027-01-01", "last"), { from: "2026-12-01", to: "2026-12-31" })
    assert.deepStrictEqual(monthDays("2028-03-31", "last"), { from: "2028-02-01", to: "2028-02-29" })
  })
})
