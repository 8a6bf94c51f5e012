/** Passkeys belong to a host for good (contract/people.md *Passkeys*). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Hosts from "../../../src/capabilities/staff/Hosts.ts"
import { CurrentSite, siteOf } from "../../../src/capabilities/staff/Site.ts"
import { CurrentCaller } from "../../../src/desk/access/CurrentCaller.ts"
import { get, layer } from "../operators/Operators.ts"
import * as People from "./People.ts"

/** The service under a new name. */
const moved = siteOf("https://points.example.com", 3210, true)

const command = {
  kind: "system",
  keyId: "command",
  name: "command of operator",
  scopes: new Set<never>(),
  programs: undefined,
  sourceIp: undefined,
  requestId: undefined
} as const

const forget = (host: string) => Effect.provideService(Hosts.forget(host), CurrentCaller, command)

describe("a service under another host than that of the passkeys", () => {
  it.effect("does not start, and counts them with the remedy; under the same one it does", () =>
    Effect.gen(function* () {
      yield* Hosts.check(moved)
      yield* People.person("owner")
      yield* Hosts.check(siteOf(undefined, 3210, true))
      const { message } = yield* Effect.flip(Hosts.check(moved))
      assert.include(message, "1 of 1 users for localhost")
      assert.include(message, "PROTO_PUBLIC_URL")
      assert.include(message, "lotbook staff forget-passkeys")
    }).pipe(Effect.provide(layer()))
  )

  it.effect(
    "starts once they are removed, whose users are invited again; those that work are kept, and a slip is told",
    () =>
      Effect.gen(function* () {
        const { authenticator } = yield* People.person("owner")
        assert.strictEqual((yield* Effect.flip(forget("localhost"))).code, "invalid_state")
        assert.strictEqual((yield* People.signIn(authenticator)).status, 200)
        const there = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.provideService(work, CurrentSite, moved)
        const slip = yield* Effect.flip(there(forget("locahost")))
        assert.deepStrictEqual([slip.code, slip.detail.includes("localhost")], ["not_found", true])
        assert.strictEqual(yield* there(forget("localhost")), 1)
        yield* Hosts.check(moved)
        const [user] = (yield* get("/staff")).body["users"] as ReadonlyArray<People.User>
        assert.deepInclude(user, { status: "invited", passkeys: [] })
        assert.strictEqual((yield* People.signIn(authenticator)).status, 401)
        assert.strictEqual(yield* there(forget("localhost")), 0)
      }).pipe(Effect.provide(layer()))
  )
})
