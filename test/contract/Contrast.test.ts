/** Holds contract/programmes.md *The guests' page*: each colour can be read on, and is read where it is an accent. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { accentOf, contrast, edgeOf, inkOn, pageInk, pageSurfaces } from "../../src/contract/Contrast.ts"

const colour = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, "0")}`)

describe("contrast", () => {
  it("is WCAG's", () => {
    assert.strictEqual(contrast("#000000", "#ffffff"), 21)
    assert.closeTo(contrast("#777777", "#ffffff"), 4.48, 0.01)
    assert.strictEqual(contrast("#1A7F5A", "#1a7f5a"), 1)
  })

  it("holds 4.5:1 for what is written on any colour, and for every accent; 3:1 for every edge", () => {
    fc.assert(
      fc.property(colour, (one) => {
        assert.isAtLeast(contrast(one, inkOn(one)), 4.5)
        for (const scheme of ["light", "dark"] as const)
          for (const surface of pageSurfaces[scheme]) {
            assert.isAtLeast(contrast(accentOf(one, scheme), surface), 4.5)
            assert.isAtLeast(contrast(edgeOf(one, scheme), surface), 3)
          }
      })
    )
  })

  it("keeps a colour that can be read, and else takes the ink", () => {
    assert.strictEqual(accentOf("#1a7f5a", "light"), "#1a7f5a")
    assert.strictEqual(accentOf("#ffcc00", "light"), pageInk.light)
    assert.strictEqual(accentOf("#ffcc00", "dark"), "#ffcc00")
  })
})
