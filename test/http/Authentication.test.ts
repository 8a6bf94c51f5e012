/** decisions.md §1 check 3 and §6: tokens by their hashes. */
import { hash } from "node:crypto"
import { describe, expect, it } from "vitest"
import { authenticator, bearerToken, fullGrant, rememberingConnections } from "../../src/http/Authentication.ts"
import { mayUse } from "../../src/protocol/Handler.ts"

const sha256 = (text: string) => hash("sha256", text)

describe("§1 bearer tokens", () => {
  it("are exactly one word after the scheme", () => {
    expect(bearerToken("Bearer abc")).toBe("abc")
    expect(bearerToken("BEARER abc.d-e_f~g+h/i==")).toBe("abc.d-e_f~g+h/i==")
    for (const header of [
      "",
      "Bearer",
      "Bearer ",
      "abc",
      "Bearer a b",
      "Bearer  a",
      " Bearer a",
      "Bearer a ",
      "Bearer a,b",
      "Basic a"
    ]) {
      expect([header, bearerToken(header)]).toEqual([header, undefined])
    }
    expect(bearerToken(undefined)).toBeUndefined()
  })

  it("each carry their own scopes and programmes, wherever they stand in the list", () => {
    const grants = Array.from({ length: 20 }, (_, index) => ({
      token_sha256: sha256(`token-${index}`),
      scopes: index % 2 === 0 ? (["protocol:read"] as const) : (["protocol:write"] as const),
      programs: [`program-${index}`]
    }))
    const authenticate = authenticator([fullGrant("sandbox"), ...grants])
    for (const [index, { scopes }] of grants.entries()) {
      const caller = authenticate(`Bearer token-${index}`)
      expect([...(caller?.scopes ?? [])]).toEqual(scopes)
      expect(caller !== undefined && mayUse(caller, `program-${index}`)).toBe(true)
      expect(caller !== undefined && mayUse(caller, `program-${index + 1}`)).toBe(false)
    }
    expect(authenticate("Bearer sandbox")?.programs).toBeUndefined()
    for (const token of ["token-20", "token", "Sandbox", sha256("sandbox")]) {
      expect(authenticate(`Bearer ${token}`)).toBeUndefined()
    }
  })

  it("hashes are taken in either case, and the first of two equal grants counts", () => {
    const authenticate = authenticator([
      { token_sha256: sha256("a").toUpperCase(), scopes: ["protocol:read"] },
      { token_sha256: sha256("a"), scopes: ["protocol:write"] }
    ])
    expect([...(authenticate("Bearer a")?.scopes ?? [])]).toEqual(["protocol:read"])
  })

  it("are asked for anew where a connection sends another header, and remembered for that connection alone", () => {
    const asked: Array<string | undefined> = []
    const known = authenticator([fullGrant("one"), fullGrant("two")])
    const authenticate = rememberingConnections((header) => {
      asked.push(header)
      return known(header)
    })
    const [till, kiosk] = [{}, {}]
    const answers = [
      authenticate(till, "Bearer one"),
      authenticate(till, "Bearer one"),
      authenticate(till, "Bearer none"),
      authenticate(till, undefined),
      authenticate(kiosk, "Bearer none"),
      authenticate(till, "Bearer two")
    ]
    expect(answers.map((caller) => caller !== undefined)).toEqual([true, true, false, false, false, true])
    expect(asked).toEqual(["Bearer one", "Bearer none", "Bearer none", "Bearer two"])
  })
})
