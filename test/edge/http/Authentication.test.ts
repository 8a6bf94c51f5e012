/** contract/transport.md *Authentication*: tokens by their hashes, and what connections remember. */
import { Effect, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { hash } from "node:crypto"
import { machineTime } from "../../../src/base/time/Times.ts"
import { mayUse } from "../../../src/desk/access/CurrentCaller.ts"
import type { StoredSecret, TokenGrant } from "../../../src/desk/access/Keys.ts"
import { KnownKeys } from "../../../src/desk/access/Keys.ts"
import { Authenticator, bearerToken } from "../../../src/edge/http/Authentication.ts"

const clock = Effect.runSync(machineTime)

const keysOf = (tokens: ReadonlyArray<TokenGrant> = []) =>
  new KnownKeys({ token: Redacted.make("sandbox"), adminKey: Redacted.make("root"), tokens }, clock)

/** Finds the caller of a header on a connection of its own. */
const finding = (keys: KnownKeys, takesAdminKey = false) => {
  const authenticator = new Authenticator(keys, takesAdminKey)
  return (header: string) => {
    const found = authenticator.find({}, header, "127.0.0.1", "req-1")
    return found === undefined || "blockedForSeconds" in found ? undefined : found
  }
}

const secret = (token: string): StoredSecret => ({
  hash: hash("sha256", token),
  tokenId: `tok_${token}`,
  name: token,
  scopes: ["protocol:read"],
  programs: undefined,
  location_ids: undefined,
  franchisee_ids: undefined,
  brand_ids: undefined,
  endsAt: undefined,
  expiresAt: undefined
})

describe("bearer tokens", () => {
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
      token_sha256: hash("sha256", `token-${index}`),
      scopes: index % 2 === 0 ? (["protocol:read"] as const) : (["protocol:write"] as const),
      programs: [`program-${index}`]
    }))
    const find = finding(keysOf(grants))
    for (const [index, { scopes }] of grants.entries()) {
      const caller = find(`Bearer token-${index}`)
      expect([...(caller?.scopes ?? [])]).toEqual(scopes)
      expect(caller !== undefined && mayUse(caller, `program-${index}`)).toBe(true)
      expect(caller !== undefined && mayUse(caller, `program-${index + 1}`)).toBe(false)
    }
    expect(find("Bearer sandbox")?.programs).toBeUndefined()
    for (const token of ["token-20", "token", "Sandbox", hash("sha256", "sandbox")]) {
      expect(find(`Bearer ${token}`)).toBeUndefined()
    }
  })

  it("hashes are taken in either case, and the first of two equal grants counts", () => {
    const find = finding(
      keysOf([
        { token_sha256: hash("sha256", "a").toUpperCase(), scopes: ["protocol:read"] },
        { token_sha256: hash("sha256", "a"), scopes: ["protocol:write"] }
      ])
    )
    expect([...(find("Bearer a")?.scopes ?? [])]).toEqual(["protocol:read"])
  })

  it("have a name: the configured one, else one that stays with the token", () => {
    const names = { a: undefined, b: "Till 7" }
    const grants = Object.entries(names).map(([token, name]) => ({
      token_sha256: hash("sha256", token).toUpperCase(),
      scopes: ["protocol:read"] as const,
      ...(name === undefined ? undefined : { name })
    }))
    const find = finding(keysOf(grants), true)
    const told = ["sandbox", "root", "a", "b"].map((token) => find(`Bearer ${token}`)?.name)
    expect(told).toEqual(["sandbox", "root", `token-${hash("sha256", "a").slice(0, 8)}`, "Till 7"])
  })

  it("of the sandbox have all scopes but the operators'; the admin key has those, and the platform's for its sessions", () => {
    const find = finding(keysOf(), true)
    expect([...(find("Bearer sandbox")?.scopes ?? [])]).toEqual([
      "protocol:read",
      "protocol:write",
      "platform:read",
      "platform:write",
      "metrics:read"
    ])
    expect([...(find("Bearer root")?.scopes ?? [])]).toEqual([
      "admin:read",
      "admin:write",
      "platform:read",
      "platform:write",
      "staff:read",
      "staff:write"
    ])
  })

  it("do not include the admin key where it is not taken, and it is no wrong key there", () => {
    const keys = keysOf()
    const find = finding(keys)
    for (let times = 0; times < 20; times++) expect(find("Bearer root")).toBeUndefined()
    expect(keys.wrong.blockedFor("127.0.0.1")).toBe(0)
  })
})

describe("a connection", () => {
  it("remembers the header that was accepted last, its own alone", () => {
    const authenticator = new Authenticator(keysOf(), false)
    const [till, kiosk] = [{}, {}]
    expect(authenticator.remembered(till, "Bearer sandbox")).toBeUndefined()
    const found = authenticator.find(till, "Bearer sandbox", "127.0.0.1", "req-1")
    expect(authenticator.remembered(till, "Bearer sandbox")).toBe(found)
    expect(authenticator.remembered(till, "Bearer none")).toBeUndefined()
    expect(authenticator.remembered(till, undefined)).toBeUndefined()
    expect(authenticator.remembered(kiosk, "Bearer sandbox")).toBeUndefined()
  })

  it("forgets with every change of tokens, and an issued one that is still good is the same caller", () => {
    const keys = keysOf()
    const authenticator = new Authenticator(keys, false)
    const [one, two] = [{}, {}]
    keys.replaceIssued([secret("one"), secret("two")], [])
    const kept = authenticator.find(one, "Bearer one", "127.0.0.1", "req-1")
    expect(authenticator.find(two, "Bearer two", "127.0.0.1", "req-1")).toBeDefined()
    keys.replaceIssued([secret("one")], [])
    expect(authenticator.remembered(one, "Bearer one")).toBeUndefined()
    expect(authenticator.find(one, "Bearer one", "127.0.0.1", "req-1")).toBe(kept)
    expect(authenticator.remembered(two, "Bearer two")).toBeUndefined()
    expect(authenticator.find(two, "Bearer two", "127.0.0.1", "req-1")).toBeUndefined()
  })
})
