/** Groups of lines, and the month of the page Finance. */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { financeStrings } from "../../../src/console/finance/financeStrings.ts"
import { groupedPoints } from "../../../src/console/finance/lines.ts"
import { choices, monthOf } from "../../../src/console/finance/months.ts"
import { finance } from "../../../src/console/translations/de/finance.ts"
import type { Row } from "../../../src/contract/admin/Finance.ts"
import { statementLines } from "../../../src/contract/admin/Finance.ts"

const row: Row = {
  unit: "points",
  opening: { points: 10 },
  lines: [
    { line: "late", points: 5 },
    { line: "base", points: 100 },
    { line: "orders_down", points: -20 },
    { line: "gift_credits", points: 7 },
    { line: "redeemed", points: -30 },
    { line: "given_back", points: 30 },
    { line: "handed_over", points: -40 }
  ],
  closing: { points: 62 },
  below_zero: 0,
  redeemed_here: 0,
  given_back_here: 0
}

describe("a row of a table by place", () => {
  it("has a column for what came or went with restaurants, and adds up", () => {
    const points = groupedPoints(row)
    assert.deepStrictEqual(points, { earned: 80, given: 7, redeemed: 0, expired: 0, other: 5, handed_over: -40 })
    const sum = Object.values(points).reduce((all, one) => all + one, row.opening.points)
    assert.strictEqual(sum, row.closing.points)
  })
})

describe("the month of the page", () => {
  const closed = { closings: [], next_period: "2026-08" }

  it("is the asked one if it has begun, or else the one that is closed next", () => {
    assert.strictEqual(monthOf("2026-11", closed, "2026-11-30"), "2026-11")
    assert.strictEqual(monthOf("2027-05", closed, "2026-11-30"), "2026-08")
    assert.strictEqual(monthOf(undefined, closed, "2026-11-30"), "2026-08")
  })
})

describe("the months to choose from", () => {
  it("begin with that of the first entry, whatever was closed", () => {
    const closings = [{ period: "2026-09", closed_at: "2026-10-01T00:00:00Z", closed_by: "Bo", sha256: "ab" }]
    const closed = { closings, first_period: "2026-08", next_period: "2026-10" }
    assert.deepStrictEqual(choices(closed, "2026-11-30", "2026-10"), ["2026-11", "2026-10", "2026-09", "2026-08"])
    assert.deepStrictEqual(choices({ closings: [] }, "2026-11-30", "2026-10"), ["2026-11", "2026-10"])
  })
})

describe("the guide", () => {
  it("has the page's words for each line of the file, in both languages", () => {
    const guide = readFileSync(new URL("../../../src/docs/closing-the-month.md", import.meta.url), "utf8")
    for (const line of statementLines)
      assert.include(guide, `| \`${line}\` | ${financeStrings.lines[line]} | ${finance.lines[line]} |`)
  })
})
