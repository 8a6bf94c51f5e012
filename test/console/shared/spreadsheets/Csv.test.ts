/** Files of figures for spreadsheets. */
import { assert, describe, it } from "@effect/vitest"
import { percent, percentagePoints, roundedPercent } from "../../../../src/console/shared/format.ts"
import { figuresCsv, fileName, titleOf, withFacts } from "../../../../src/console/shared/spreadsheets/csv.ts"
import { zonedTime } from "../../../../src/console/shared/zonedTime.ts"

describe("files of figures", () => {
  it("quote what must be quoted, and make no formula of a text", () => {
    const rows = [
      ["Reward", "Redeemed"],
      ['Soup, "large"', 3],
      ["=HYPERLINK(1)", -2],
      ["+1", 1.5],
      ["-", undefined],
      ["@home", 0]
    ]
    assert.strictEqual(
      figuresCsv(rows),
      '\uFEFFReward,Redeemed\r\n"Soup, ""large""",3\r\n\'=HYPERLINK(1),-2\r\n\'+1,1.5\r\n\'-,\r\n\'@home,0\r\n'
    )
  })

  it("have money with every decimal of its currency", () => {
    const rows = [
      [
        { amount: 1_240, currency: "USD" },
        { amount: -5, currency: "USD" },
        { amount: 3, currency: "JPY" }
      ]
    ]
    assert.strictEqual(figuresCsv(rows), "\uFEFF12.40,-0.05,3\r\n")
    assert.strictEqual(figuresCsv(rows, { cells: ";", decimals: "," }), "\uFEFF12,40;-0,05;3\r\n")
  })

  it("tell in name and rows what the figures are of, in rows of one length", () => {
    const about = { program: "demo-foodservice", from: "2026-10-01", to: "2026-10-31" }
    assert.strictEqual(fileName(titleOf("Today", about)), "today-demo-foodservice-2026-10-01-to-2026-10-31.csv")
    assert.strictEqual(
      fileName(titleOf("Today so far", { ...about, location: "Down Town", from: about.to })),
      "today-so-far-demo-foodservice-down-town-2026-10-31.csv"
    )
    const days = [
      ["Day", "Orders"],
      ["2026-10-01", 4]
    ]
    const figures = [
      ["Figure", "Value", "Before"],
      ["Orders", 4, 3]
    ]
    assert.deepStrictEqual(withFacts([days, figures], [["From", "2026-10-01"]]), [
      ["Day", "Orders", undefined, "From"],
      ["2026-10-01", 4, undefined, "2026-10-01"],
      [undefined, undefined, undefined, undefined],
      ["Figure", "Value", "Before", "From"],
      ["Orders", 4, 3, "2026-10-01"]
    ])
  })

  it("have times in ISO 8601 of the programme's zone", () => {
    assert.strictEqual(zonedTime("2026-11-28T12:15:00.000Z", "Europe/Berlin"), "2026-11-28T13:15:00+01:00")
    assert.strictEqual(zonedTime("2026-07-01T02:00:00Z", "America/New_York"), "2026-06-30T22:00:00-04:00")
    assert.strictEqual(zonedTime("2026-07-01T02:00:00Z", "Asia/Kolkata"), "2026-07-01T07:30:00+05:30")
  })
})

describe("a share in a file", () => {
  it("is rounded as the page shows it", () => {
    for (const bps of [0, 1, 5, 333, 1_425, 1_428, 1_429, 9_995, 10_000])
      assert.deepStrictEqual(`${roundedPercent(bps)}%`, percent(bps))
    for (const bps of [1_425, -1_425, -184])
      assert.strictEqual(String(Math.abs(roundedPercent(bps))), percentagePoints(bps))
    assert.strictEqual(roundedPercent(-1_425), -14.3)
  })
})
