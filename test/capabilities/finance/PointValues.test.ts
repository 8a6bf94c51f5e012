/** The values of a point, each with its first day (contract/finance.md *Money*). */
import { assert, describe, it } from "@effect/vitest"
import { pointValuesOf } from "../../../src/capabilities/finance/PointValues.ts"

const value = (amount: number) => ({ points: 100, worth: { amount, currency: "USD" } })
const day = (text: string) => Date.parse(text)
const version = (from: number, amount: number | undefined) => ({
  from,
  point: amount === undefined ? undefined : value(amount),
  rewards: new Map<string, number>()
})
const values = [
  version(-Infinity, undefined),
  version(day("2026-09-03"), 80),
  version(day("2026-09-03"), 85),
  // A version that changed something else.
  version(day("2026-09-10"), 85),
  version(day("2026-11-02"), 90),
  version(day("2026-11-20"), undefined)
]
const seen = (from: string, until: string) => pointValuesOf({ values }, { from: day(from), until: day(until) })

describe("the values of a point", () => {
  it("are that of the first day and each change in the range, the last one of a day", () => {
    assert.deepStrictEqual(seen("2026-08-01", "2026-09-01"), [{}])
    assert.deepStrictEqual(seen("2026-09-01", "2026-10-01"), [{}, { since: "2026-09-03", value: value(85) }])
    assert.deepStrictEqual(seen("2026-10-01", "2026-11-01"), [{ since: "2026-09-03", value: value(85) }])
    assert.deepStrictEqual(seen("2026-11-01", "2026-12-01"), [
      { since: "2026-09-03", value: value(85) },
      { since: "2026-11-02", value: value(90) },
      { since: "2026-11-20" }
    ])
  })
})
