/** Groups of lines, and the month of the page Finance. */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { cohortsOf, totalsOf } from "../../../src/console/finance/cohorts.ts"
import { financeStrings } from "../../../src/console/finance/financeStrings.ts"
import { groupedPoints } from "../../../src/console/finance/lines.ts"
import { choices, monthOf, worthSentence } from "../../../src/console/finance/months.ts"
import { finance } from "../../../src/console/translations/de/finance.ts"
import type { ClosedMonth, Cohorts, Row } from "../../../src/contract/admin/Finance.ts"
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
    for (const none of ["2027-05", "2026-13", "2025-13", "soon"])
      assert.strictEqual(monthOf(none, closed, "2026-11-30"), "2026-08")
    assert.strictEqual(monthOf(undefined, closed, "2026-11-30"), "2026-08")
  })
})

describe("what a point was worth", () => {
  const value = (amount: number) => ({ points: 100, worth: { amount, currency: "USD" } })
  it("is told with the first day of each value, and nothing where there was none", () => {
    assert.strictEqual(
      worthSentence([{}, { since: "2026-09-03", value: value(85) }]),
      "100 points = $0.85 since Sep 3, 2026; before that they had no worth."
    )
    assert.strictEqual(
      worthSentence([{ value: value(85) }, { since: "2026-09-03" }]),
      "Points have no worth since Sep 3, 2026; before that 100 points = $0.85."
    )
    assert.strictEqual(worthSentence([{}]), undefined)
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

describe("points by month of earning", () => {
  const cohort = {
    unit: "points",
    earned: "2026-10",
    issued: 120,
    redeemed: -20,
    expired: 0,
    other: 0,
    open: 100
  } as const
  const kept: ClosedMonth = {
    ...{ period: "2026-10", closed_at: "2026-11-02T09:00:00Z", closed_by: "Bo", sha256: "ab" },
    statement: {
      ...{ format: 1, program_id: "p", period: "2026-10", time_zone: "UTC", program_version: 1, head: "cd" },
      position: { epoch: 1, transaction: "7", account: 1, seq: 1 },
      ...{ rows: [], places: [], franchisees: [], rewards: [] },
      cohorts: [{ ...cohort, earned: "2025-10" }, cohort]
    }
  }
  const sums = { issued: 120, redeemed: -20, expired: 0, other: 0 }
  // After the close 30 points of October expired late, dated by October.
  const late = { month: "2026-10", ...sums, expired: -30, open: 70 }
  const next = { month: "2026-11", ...sums, issued: 0, open: 50 }
  const live: Cohorts = {
    ...{ program_id: "p", time_zone: "UTC", as_of: "2026-11-30T00:00:00Z" },
    cohorts: [{ unit: "points", earned: "2026-10", months: [late, next] }]
  }

  it("are those of a closed month's statement, whatever was posted late, of twelve months", () => {
    assert.deepStrictEqual(cohortsOf("2026-10", { kept, live }), [cohort])
  })

  it("have a total for each account", () => {
    const { earned: _, ...total } = cohort
    assert.deepStrictEqual(
      totalsOf([cohort, { ...cohort, earned: "2026-09", open: 5 }, { ...cohort, unit: "visits" }]),
      [
        { ...total, issued: 240, redeemed: -40, open: 105 },
        { ...total, unit: "visits" }
      ]
    )
  })

  it("are counted up to the end of a month that is open", () => {
    assert.deepStrictEqual(cohortsOf("2026-10", { live }), [{ ...cohort, expired: -30, open: 70 }])
    assert.deepStrictEqual(cohortsOf("2026-10", {}), [])
  })
})

describe("the guide", () => {
  it("has the page's words for each line of the file, in both languages", () => {
    const guide = readFileSync(new URL("../../../src/docs/closing-the-month.md", import.meta.url), "utf8")
    for (const line of statementLines)
      assert.include(guide, `| \`${line}\` | ${financeStrings.lines[line]} | ${finance.lines[line]} |`)
    const beside = { below_zero: "belowZero", redeemed_here: "redeemedHere", given_back_here: "givenBackHere" } as const
    for (const [name, key] of Object.entries(beside))
      assert.include(guide, `| \`${name}\` | ${financeStrings[key]} | ${finance[key]} |`)
    const month = "October 2026"
    assert.include(guide, `| \`opening\` | ${financeStrings.opening(month)}; *${financeStrings.openingShort}*`)
    assert.include(guide, `| \`closing\` | ${financeStrings.closing(month)}; *${financeStrings.closingShort}*`)
    assert.include(guide, `${finance.opening("Oktober 2026")}; *${finance.openingShort}* |`)
    assert.include(guide, `${finance.closing("Oktober 2026")}; *${finance.closingShort}* |`)
  })
})
