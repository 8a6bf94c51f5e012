/** Holds the rules of Code 128 (ISO/IEC 15417) for the card of a guest. */
import { assert, describe, it } from "@effect/vitest"
import { barcodeOf } from "../../src/guest/barcode.ts"

/** The widths of bars and spaces, from the first bar to the last. */
const widthsOf = (text: string): string => {
  const code = barcodeOf(text)
  if (code === undefined) return "none"
  const ends = code.bars.map(({ at, width }) => at + width)
  return code.bars
    .flatMap(({ at, width }, place) => (place === 0 ? [width] : [at - (ends[place - 1] ?? 0), width]))
    .join("")
}

describe("Code 128", () => {
  // Start B 104, P 48, J 42, J 42, 1 17, 2 18, 3 19, C 35; the check is 55.
  it("writes the standard's example with its check", () => {
    const [start, p, j, one, two, three, c] = ["211214", "313121", "112133", "123221", "223211", "221132", "131321"]
    assert.strictEqual(widthsOf("PJJ123C"), [start, p, j, j, one, two, three, c, "311321", "2331112"].join(""))
  })

  it("writes digits in pairs: sixteen take eight characters, beside start, check and stop", () => {
    const code = barcodeOf("4929138475610283")
    assert.strictEqual(code?.width, 10 + 11 * (1 + 8 + 1) + 13 + 10)
    assert.isTrue(widthsOf("4929138475610283").startsWith("211232"))
  })

  it("has space beside it, and writes no text that bars cannot hold", () => {
    const code = barcodeOf("AB")
    assert.strictEqual(code?.bars[0]?.at, 10)
    for (const text of ["", "ü", "\n", "x".repeat(41)]) assert.isUndefined(barcodeOf(text), text)
  })
})
