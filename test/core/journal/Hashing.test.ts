/** Claim keys are the bits that they have always been: a database of any version is asked by them. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { hash } from "node:crypto"
import { makeClaimKey } from "../../../src/core/journal/Hashing.ts"

const secret = "of this database"
/** As they are defined: each part with its length in characters, the secret first. */
const defined = (parts: ReadonlyArray<string>): string => {
  const text = [secret, ...parts].map((part) => `${part.length}:${part}`).join("")
  const digits = hash("sha256", text)
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    digits.slice(12, 16),
    digits.slice(16, 20),
    digits.slice(20, 32)
  ].join("-")
}

describe("claim keys", () => {
  it("are the first half of SHA-256 over the secret and all parts, of whatever characters and lengths", () => {
    const claimKey = makeClaimKey(secret)
    const part = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 100 }),
      fc.string({ unit: "grapheme-ascii", minLength: 50, maxLength: 5_000 })
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 9 }), (parts) => {
        assert.strictEqual(claimKey(...parts), defined(parts))
      })
    )
  })

  it("tell lists apart whose parts are the same text together", () => {
    const claimKey = makeClaimKey(secret)
    assert.notStrictEqual(claimKey("ab", "c"), claimKey("a", "bc"))
    assert.notStrictEqual(claimKey("ab"), claimKey("ab", ""))
  })
})
