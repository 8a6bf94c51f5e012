/** Files of figures for spreadsheets. */
import { assert, describe, it } from "@effect/vitest"
import { figuresCsv } from "../../src/console/app/csv.ts"

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
})
