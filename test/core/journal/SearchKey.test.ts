/** contract/members.md *Searching*: how a search is read. */

import { assert, describe, it } from "vitest"
import { hash } from "node:crypto"
import { misspeltIn, orderPartIn, searchKey, searchOf, similarTo } from "../../../src/core/journal/SearchKey.ts"

describe("a search for members", () => {
  it("compares names without accents and case", () => {
    for (const [name, key] of [
      ["Öztürk", "ozturk"],
      ["O\u0308ZTU\u0308RK", "ozturk"],
      ["Łukasz Strauß", "lukasz strauss"],
      ["Ærø", "aero"],
      ["İnci Işık", "inci isik"],
      ["山田", "山田"]
    ] as const)
      assert.strictEqual(searchKey(name), key)
  })

  it("takes each word by its beginning, and quotes what a tsquery would read", () => {
    assert.strictEqual(searchOf("lovelace, ADA").profile, "('nlovelace':* & 'nada':*)")
    assert.strictEqual(searchOf("a:*|b\\ 12").profile, "('na:*|b\\\\':* & 'n12':*)")
    assert.isUndefined(searchOf("a").profile)
  })

  it("takes umlauts that are written without dots for what they are, and the other way round", () => {
    assert.strictEqual(searchOf("mueller").profile, "(('nmueller':* | 'nmuller':*))")
    assert.strictEqual(searchOf("Müller").profile, "(('nmuller':* | 'nmueller':*))")
    assert.strictEqual(searchOf("Bo\u0308hm, Joel").profile, "(('nbohm':* | 'nboehm':*) & 'njoel':*)")
  })

  it("takes numbers by their ends, in any spelling", () => {
    const [spelt] = ["01701234567"].map((one) => searchOf(one).number)
    for (const other of ["0170 1234567", "0170-123/4567", "(0170) 123 4567", "0000170.1234567"])
      assert.strictEqual(searchOf(other).number, spelt, other)
    assert.strictEqual(searchOf("+49 (0)170 1234567").number, searchOf("0049 170 1234567").number)
    assert.strictEqual(searchOf("CARD-0047 11").number, "'d117400drac':*")
    assert.strictEqual(searchOf("0000").number, "'d0000':*")
    for (const none of ["471", "ada 12", "%4711", "ada@4711.example"]) assert.isUndefined(searchOf(none).number, none)
  })

  it("takes whole words and numbers for themselves", () => {
    assert.strictEqual(searchOf("Müller").wholeProfile, "(('nmuller' | 'nmueller'))")
    assert.strictEqual(searchOf("card 4711").wholeProfile, "('ncard' & 'n4711') | ('d1174drac')")
    assert.strictEqual(searchOf("4711").wholeNumber, "'d1174'")
  })

  it("takes words of four letters and more for misspelt ones, and asks for those alone that names have", () => {
    const words = misspeltIn("Ada Mulelr")
    assert.deepStrictEqual(
      words?.map(({ terms }) => terms.length > 0),
      [false, true]
    )
    assert.strictEqual(
      similarTo(words ?? [], new Set(["'nmuller'", "'nmiller'"])),
      "'nada':* & ('nmulelr':* | 'nmuller')"
    )
    for (const none of ["Ada", "K2000", "ada@example.org", "%", "one two three four"])
      assert.isUndefined(misspeltIn(none), none)
  })

  it("takes what has a digit, and no space, for a part of an order's number", () => {
    assert.strictEqual(orderPartIn("A-0042"), "a-0042")
    for (const none of ["042", "abcd", "A 0042", "a1@example"]) assert.isUndefined(orderPartIn(none), none)
  })

  it("hashes whole addresses and telephone numbers, of which identities have hashes alone", () => {
    assert.include(searchOf(" Ada@Example.com ").values, hash("sha256", "ada@example.com"))
    assert.include(searchOf("+49 170 1234567").values, hash("sha256", "+491701234567"))
    assert.include(searchOf("0049 170 1234567").values, hash("sha256", "+491701234567"))
    assert.deepStrictEqual(searchOf("0170 1234567").values, ["0170 1234567"])
  })
})
