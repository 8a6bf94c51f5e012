/** contract/operations.md *Wallet operations*: the code of a reward whose caller gives none. */
import { assert, it } from "@effect/vitest"
import * as Codes from "../../../src/core/account/Codes.ts"

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

it("a code has 80 random bits in Crockford's base 32, in groups, with its check symbol", () => {
  const codes = Array.from({ length: 2_000 }, Codes.artifactCode)
  assert.strictEqual(new Set(codes).size, codes.length)
  const used = new Set<string>()
  for (const code of codes) {
    const [, groups = "", check = ""] = /^((?:[0-9A-HJKMNP-TV-Z]{4}-){4})([0-9A-HJKMNP-TV-Z*~$=U])$/.exec(code) ?? []
    const symbols = [...groups.replaceAll("-", "")]
    assert.strictEqual(symbols.length, 16, code)
    for (const symbol of symbols) used.add(symbol)
    const number = symbols.reduce((sum, symbol) => sum * 32n + BigInt(alphabet.indexOf(symbol)), 0n)
    assert.strictEqual(check, `${alphabet}*~$=U`[Number(number % 37n)], code)
  }
  assert.strictEqual(used.size, 32)
})
