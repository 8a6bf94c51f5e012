/** Money of a statement adds up, by the largest remainder (contract/finance.md *Money*). */
import { assert, describe, it } from "@effect/vitest"
import { valued } from "../../../src/capabilities/finance/Valued.ts"
import type { StatementLine } from "../../../src/contract/admin/Finance.ts"
import { statementLines } from "../../../src/contract/admin/Finance.ts"
import * as RandomOf from "../../model/Random.ts"

const value = (amount: number, points: number) => ({ points, worth: { amount, currency: "EUR" } })
const lines = (all: Partial<Record<StatementLine, number>>) =>
  new Map(Object.entries(all) as ReadonlyArray<[StatementLine, number]>)

describe("worth", () => {
  it("of each line rounds down but for the largest remainders, of two alike the first line", () => {
    const thirds = valued(0, value(1, 3), [
      { value: value(1, 3), lines: lines({ base: 1, gift_credits: 1, orders_up: 1 }) }
    ])
    assert.deepStrictEqual(thirds, { opening: 0, lines: lines({ base: 1, orders_up: 0, gift_credits: 0 }), closing: 1 })
  })

  it("of a changed value is a line of its own", () => {
    const changed = valued(1_000, value(4, 1), [{ value: value(5, 1), lines: lines({ redeemed: -400 }) }])
    assert.deepStrictEqual(changed, {
      opening: 4_000,
      lines: lines({ redeemed: -2_000, revalued: 1_000 }),
      closing: 3_000
    })
  })

  it("of a first value is a line, too, and of none 0", () => {
    const first = valued(10, undefined, [
      { value: undefined, lines: lines({ base: 5 }) },
      { value: value(2, 1), lines: lines({}) }
    ])
    assert.deepStrictEqual(first, { opening: 0, lines: lines({ revalued: 30 }), closing: 30 })
  })

  it("adds up for random points, values and changes", () => {
    const seed = 20_261_130
    const random = RandomOf.make(seed, "worth")
    for (let round = 0; round < 2_000; round++) {
      const some = () => value(random.whole(1, 9), random.whole(1, 300))
      const segments = Array.from({ length: random.whole(1, 3) }, () => ({
        value: random.next() < 0.1 ? undefined : some(),
        lines: new Map(statementLines.slice(0, -1).map((line) => [line, random.whole(-5_000, 5_000)] as const))
      }))
      const found = valued(random.whole(-2_000, 9_000), random.next() < 0.2 ? undefined : some(), segments)
      const sum = [...found.lines.values()].reduce((all, amount) => all + amount, found.opening)
      assert.strictEqual(sum, found.closing, `seed ${seed}, round ${round}`)
    }
  })
})
