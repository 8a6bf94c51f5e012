/** Points in money, on the page Today. */
import { assert, describe, it } from "@effect/vitest"
import { worthOf } from "../../src/contract/Worth.ts"

const valueOf = (points: number, amount: number) => ({ points, worth: { amount, currency: "USD" } })

describe("the worth of points", () => {
  it("is rounded to minor units, halves away from 0, and exact for any number", () => {
    for (const [value, points, amount] of [
      [valueOf(100, 75), 1_000, 750],
      [valueOf(100, 75), 2, 2],
      [valueOf(100, 75), 1, 1],
      [valueOf(100, 75), -2, -2],
      [valueOf(1_000, 1), 499, 0],
      [valueOf(1_000, 1), 500, 1],
      [valueOf(3, 1), 9_007_199_254_740_991, 3_002_399_751_580_330]
    ] as const)
      assert.deepStrictEqual(worthOf(value, points), { amount, currency: "USD" })
  })
})
