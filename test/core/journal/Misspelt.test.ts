/** contract/members.md *Searching*: one typing error, of those that fingers make. */
import { assert, describe, it } from "vitest"
import { alikeTo, mayBeMisspelt } from "../../../src/core/journal/Misspelt.ts"

describe("a typing error", () => {
  it("swaps two letters, leaves one out, doubles one or takes another", () => {
    for (const typed of ["mulelr", "mullr", "mulller", "mukler", "uller", "mullerr"])
      assert.include(alikeTo(typed), "muller", typed)
    assert.notInclude(alikeTo("miler"), "muller")
    assert.notInclude(alikeTo("muller"), "muller")
  })

  it("knows the letters of other alphabets", () => {
    assert.include(alikeTo("ивнов"), "иванов")
    assert.include(alikeTo("παπαδοπουλς"), "παπαδοπουλος")
    assert.include(alikeTo("山太田郎"), "山田太郎")
  })

  it("is looked for in words of 4 to 20 letters", () => {
    for (const word of ["ada", "k2000", "a".repeat(21), "o'neill"]) assert.isFalse(mayBeMisspelt(word), word)
    assert.isTrue(mayBeMisspelt("adam"))
    assert.isBelow(alikeTo("abcdefghijklmnopqrst").length, 1_200)
  })
})
