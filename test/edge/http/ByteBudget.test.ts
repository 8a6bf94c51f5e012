import { assert, describe, it } from "vitest"
import { ByteBudget } from "../../../src/edge/http/ByteBudget.ts"

describe("a byte budget", () => {
  it("holds up to its bound, and accepts more after a release", () => {
    const budget = new ByteBudget(10)
    assert.deepEqual(
      [budget.reserve(6), budget.reserve(5), budget.reserve(4), budget.reserve(1)],
      [true, false, true, false]
    )
    budget.release(6)
    assert.deepEqual([budget.reserve(7), budget.reserve(6)], [false, true])
  })
})
