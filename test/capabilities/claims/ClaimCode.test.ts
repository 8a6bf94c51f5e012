/** contract/orders.md *Claim codes*: 12 characters that a guest can read out and type, the last one a check. */
import { assert, describe, it } from "@effect/vitest"
import * as ClaimCode from "../../../src/capabilities/claims/ClaimCode.ts"
import { makeClaimKey } from "../../../src/core/journal/Hashing.ts"

const claimKey = makeClaimKey("secret of the test")
const code = ClaimCode.of(claimKey, "program", "order-1")

describe("a claim code", () => {
  it("has 12 characters, is the same for an order, and another one for each other order and database", () => {
    assert.match(code, /^[0-9A-HJKMNP-TV-Z]{12}$/)
    assert.strictEqual(ClaimCode.of(claimKey, "program", "order-1"), code)
    const others = Array.from({ length: 1_000 }, (_, n) => ClaimCode.of(claimKey, "program", `order-${n}`))
    assert.strictEqual(new Set(others).size, 1_000)
    assert.notStrictEqual(ClaimCode.of(makeClaimKey("another"), "program", "order-1"), code)
  })

  it("is read as people write it: small letters, groups, O for 0, I and L for 1", () => {
    const written = `${code.slice(0, 4)}-${code.slice(4, 8)} ${code.slice(8)}`.toLowerCase()
    assert.strictEqual(ClaimCode.read(written), code)
    const zeros = Array.from({ length: 500 }, (_, n) => ClaimCode.of(claimKey, "program", `order-${n}`)).find(
      (one) => one.includes("0") && one.includes("1")
    )!
    assert.strictEqual(ClaimCode.read(zeros.replaceAll("0", "o").replaceAll("1", "l")), zeros)
    assert.strictEqual(ClaimCode.read(zeros.replaceAll("1", "I")), zeros)
  })

  it("with one wrong character or two characters less is none", () => {
    const symbols = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    for (const place of [...code].keys())
      for (const symbol of symbols)
        if (symbol !== code[place])
          assert.isUndefined(
            ClaimCode.read(code.slice(0, place) + symbol + code.slice(place + 1)),
            `${place} ${symbol}`
          )
    for (const none of ["", code.slice(0, 11), `${code}0`, "U".repeat(12), "é".repeat(12)])
      assert.isUndefined(ClaimCode.read(none), none)
  })
})
