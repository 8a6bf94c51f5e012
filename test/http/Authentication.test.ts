/** decisions.md §1 check 3 and §6: tokens by their hashes. */
import { hash } from "node:crypto"
import { describe, expect, it } from "vitest"
import {
  authenticator,
  bearerToken,
  rememberingConnections,
  rootGrant,
  sandboxGrant
} from "../../src/http/Authentication.ts"
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
    const authenticate = authenticator([sandboxGrant("sandbox"), ...grants])
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

  it("have a name: the configured one, else one that stays with the token", () => {
    const names = { a: undefined, b: "Till 7" }
    const grants = Object.entries(names).map(([token, name]) => ({
      token_sha256: sha256(token).toUpperCase(),
      scopes: ["protocol:read"] as const,
      ...(name === undefined ? undefined : { name })
    }))
    const authenticate = authenticator([sandboxGrant("s"), rootGrant("r"), ...grants])
    const told = ["s", "r", "a", "b"].map((token) => authenticate(`Bearer ${token}`)?.name)
    expect(told).toEqual(["sandbox", "root", `token-${sha256("a").slice(0, 8)}`, "Till 7"])
  })

  it("of the sandbox have all scopes but the operators', and the admin key has those alone", () => {
    const authenticate = authenticator([sandboxGrant("s"), rootGrant("r")])
    expect([...(authenticate("Bearer s")?.scopes ?? [])]).toEqual([
      "protocol:read",
      "protocol:write",
      "platform:read",
      "platform:write",
      "metrics:read"
    ])
    expect([...(authenticate("Bearer r")?.scopes ?? [])]).toEqual(["admin:read", "admin:write"])
  })

  it("are asked for anew where a connection sends another header, and remembered for that connection alone", () => {
    const asked: Array<string | undefined> = []
    const known = authenticator([sandboxGrant("one"), sandboxGrant("two")])
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
