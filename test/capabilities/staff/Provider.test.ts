/** People of the company's own provider (contract/people.md *OpenID Connect*). */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { PeoplePool } from "../../../src/base/database/Pools.ts"
import { int8 } from "../../../src/base/database/Values.ts"
import * as Bounds from "../../../src/capabilities/staff/Bounds.ts"
import { CurrentProvider, claimOf } from "../../../src/capabilities/staff/Provider.ts"
import * as SignInAtProvider from "../../../src/capabilities/staff/SignInAtProvider.ts"
import type { Role } from "../../../src/contract/Roles.ts"
import { fromMillis } from "../../../src/contract/Values.ts"
import * as KeyStore from "../../../src/desk/access/KeyStore.ts"
import { get, layer, page, post, until } from "../operators/Operators.ts"
import * as OidcServer from "./OidcServer.ts"
import * as People from "./People.ts"

const nobody = { authorization: "" }
const roleMap: Readonly<Record<string, Role>> = {
  admins: "owner",
  desk: "support",
  readers: "analyst",
  books: "finance"
}

/** Runs a test with a provider and a service that asks it. */
const withProvider = <A, E, R>(
  work: (oidc: OidcServer.OidcServer) => Effect.Effect<A, E, R>,
  roleClaim: string = "role"
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const oidc = yield* OidcServer.make
      const options = {
        issuer: oidc.issuer,
        clientId: OidcServer.clientId,
        clientSecret: Redacted.make(OidcServer.clientSecret),
        roleClaim,
        roleMap
      }
      const given = Layer.succeed(CurrentProvider, options)
      return yield* Effect.provide(
        Effect.provideService(work(oidc), CurrentProvider, options),
        Layer.provide(layer(), given)
      )
    })
  )

const begin = Effect.map(post("/session/provider", undefined, nobody), ({ body, headers, status }) => ({
  status,
  url: String(body["url"]),
  cookie: (headers.get("set-cookie") ?? "").split(";")[0] ?? "",
  attributes: headers.get("set-cookie") ?? ""
}))

describe("a provider that is silent", () => {
  it.effect("is asked sixteen times at once; further sign-ins are refused at once and cost nothing", () =>
    Effect.scoped(
      Effect.gen(function* () {
        let asked = 0
        const silent = http.createServer(() => void asked++)
        yield* Effect.acquireRelease(
          Effect.callback<void>((resume) => void silent.listen(0, "127.0.0.1", () => resume(Effect.void))),
          () =>
            Effect.sync(() => {
              silent.close()
              silent.closeAllConnections()
            })
        )
        const options = {
          issuer: `http://localhost:${(silent.address() as AddressInfo).port}`,
          clientId: "c",
          clientSecret: Redacted.make("s"),
          roleClaim: "role",
          roleMap
        }
        const statuses = yield* Effect.gen(function* () {
          const asking = Effect.map(post("/session/provider", undefined, nobody), ({ status }) => status)
          for (let n = 0; n < Bounds.askingAtOnce; n++) yield* Effect.forkScoped(asking)
          yield* until(
            Effect.sync(() => ({ status: asked })),
            Bounds.askingAtOnce,
            0
          )
          return yield* Effect.all([asking, asking], { concurrency: 2 })
        }).pipe(Effect.provide(Layer.provide(layer(), Layer.succeed(CurrentProvider, options))))
        assert.deepStrictEqual(statuses, [503, 503])
        assert.strictEqual(asked, Bounds.askingAtOnce)
      })
    )
  )
})

describe("a claim of a person's role", () => {
  it("is found by its whole name first, then by its path, whose names may have dots", () => {
    const claims = {
      roles: "plain",
      "a.b": "whole",
      a: { b: "path", c: { d: ["deep"] } },
      resource_access: { "points.example.com": { roles: ["client"] } }
    }
    for (const [name, found] of [
      ["roles", "plain"],
      ["a.b", "whole"],
      ["a.c.d", ["deep"]],
      ["resource_access.points.example.com.roles", ["client"]],
      ["a.c.x", undefined],
      ["roles.length", undefined],
      ["a.constructor.name", undefined]
    ] as const)
      assert.deepStrictEqual(claimOf(claims, name), found, name)
  })
})

describe("the cookie of a sign-in under way", () => {
  it("is for this host alone off the machine", () => {
    assert.strictEqual(SignInAtProvider.cookieName("points.example.com"), "__Host-lotbook_sign_in")
    assert.strictEqual(SignInAtProvider.cookieName("localhost:3210"), "lotbook_sign_in")
  })
})

const finish = (at: URL, cookie: string) =>
  Effect.map(
    post("/session/provider/finish", { query: at.search.slice(1) }, { ...nobody, cookie }),
    ({ body, headers, status }) => ({
      status,
      body,
      headers: page({
        cookie: (headers.getSetCookie().find((one) => one.startsWith("lotbook_session=")) ?? "").split(";")[0] ?? "",
        csrf: String(body["csrf_token"])
      })
    })
  )

const signIn = (person: string) =>
  Effect.gen(function* () {
    const { cookie, url } = yield* begin
    const at = yield* Effect.promise(() => OidcServer.signInAt(url, person))
    return yield* finish(at, cookie)
  })

const patient = TestClock.adjust("1 minute")
const sessions = Effect.flatMap(PeoplePool, ({ query }) =>
  Effect.map(query("SELECT 1 AS one FROM sessions WHERE user_id IS NOT NULL"), (rows) => rows.length)
)

describe("somebody of the provider", () => {
  it.effect("appears at the first sign-in with the mapped role, the highest of several, and is the same later", () =>
    withProvider((oidc) =>
      Effect.gen(function* () {
        oidc.people.set("m1", { email: "maria@example.com", name: "Maria Rossi", role: ["readers", "desk"] })
        const { attributes } = yield* begin
        assert.match(attributes, /HttpOnly; SameSite=Lax/)
        const first = yield* signIn("m1")
        assert.strictEqual(first.status, 200, JSON.stringify(first.body))
        // It tells the end that it has, which each confirmation moves on.
        const expires_at = fromMillis((yield* Clock.currentTimeMillis) + Bounds.confirmedMs)
        assert.deepInclude(first.body, { name: "Maria Rossi", expires_at })
        const { user } = first.body as unknown as { readonly user: { readonly user_id: string; readonly role: string } }
        assert.strictEqual(user.role, "support")
        const me = yield* get("/staff/me", first.headers)
        assert.deepInclude(me.body, { status: "active", of_provider: true, passkeys: [] })
        const again = yield* signIn("m1")
        assert.deepStrictEqual(again.body["user"], first.body["user"])
        const options = yield* post("/staff/me/passkeys/options", undefined, first.headers)
        assert.deepStrictEqual([options.status, options.body["code"]], [409, "invalid_state"])
        const { query } = yield* PeoplePool
        const rows = yield* query(
          "SELECT sessions::text AS row FROM sessions UNION ALL SELECT challenges::text FROM challenges"
        )
        assert.notMatch(JSON.stringify(rows), /eyJ|code_verifier/)
      })
    )
  )

  it.effect("is limited to restaurants by an owner, though the role is told by the provider, and stays so", () =>
    withProvider((oidc) =>
      Effect.gen(function* () {
        oidc.people.set("m1", { email: "maria@example.com", name: "Maria", role: "desk" })
        const { user_id } = (yield* signIn("m1")).body["user"] as People.User
        const change = (body: object) => post(`/staff/${user_id}/role`, { reason: "x", ...body })
        const limits = { location_ids: ["loc-east"] }
        for (const wrong of [
          { role: "manager", ...limits },
          { role: "support", programs: ["x"], ...limits },
          { role: "support" }
        ])
          assert.strictEqual((yield* change(wrong)).body["code"], "invalid_state", JSON.stringify(wrong))
        assert.deepInclude((yield* change({ role: "support", ...limits })).body, limits)
        const again = yield* signIn("m1")
        assert.deepStrictEqual((yield* get("/session", again.headers)).body["location_ids"], ["loc-east"])
      })
    )
  )

  it.effect("gets no role that a running older version does not know", () =>
    withProvider((oidc) =>
      Effect.gen(function* () {
        const { query } = yield* PeoplePool
        oidc.people.set("m1", { email: "maria@example.com", name: "Maria", role: "books" })
        yield* query("INSERT INTO nodes (id, address, protocol, version) VALUES ('old', 'x', 1, '0.3.0')")
        assert.strictEqual((yield* signIn("m1")).body["code"], "invalid_state")
        yield* query("DELETE FROM nodes WHERE id = 'old'")
        assert.strictEqual((yield* signIn("m1")).status, 200)
      })
    )
  )

  it.effect("without a role that is known here, or with the address of another user, is refused and made nowhere", () =>
    withProvider((oidc) =>
      Effect.gen(function* () {
        yield* People.invite("Owner@example.com", "owner")
        oidc.people.set("none", { email: "none@example.com" })
        oidc.people.set("unknown", { email: "unknown@example.com", role: "constructor" })
        oidc.people.set("other", { email: "owner@example.com", role: "admins" })
        for (const [person, status] of [
          ["none", 403],
          ["unknown", 403],
          ["other", 409]
        ] as const) {
          const refused = yield* signIn(person)
          assert.strictEqual(refused.status, status, `${person} ${JSON.stringify(refused.body)}`)
        }
        assert.lengthOf((yield* get("/staff")).body["users"] as ReadonlyArray<unknown>, 1)
        assert.strictEqual(yield* sessions, 0)
      })
    )
  )

  it.effect("has the role of a path of claims, in the ID token or else at the user-info endpoint", () =>
    withProvider(
      (oidc) =>
        Effect.gen(function* () {
          const roleAt = Effect.map(signIn("m1"), ({ body }) => (body["user"] as People.User | undefined)?.role)
          oidc.people.set("m1", { email: "maria@example.com", realm_access: { roles: ["other", "desk"] } })
          assert.strictEqual(yield* roleAt, "support")
          oidc.lie = { claims: { realm_access: {} } }
          assert.strictEqual(yield* roleAt, "support", "of the user-info endpoint")
          oidc.lie = { claims: { "realm_access.roles": "readers" } }
          assert.strictEqual(yield* roleAt, "analyst", "the whole name comes first")
        }),
      "realm_access.roles"
    )
  )

  it.effect("keeps id and role with a changed address, unless another user has it", () =>
    withProvider((oidc) =>
      Effect.gen(function* () {
        yield* People.invite("taken@example.com", "analyst")
        const told = (email: string) =>
          Effect.gen(function* () {
            oidc.people.set("m1", { email, name: "Maria", role: "desk" })
            const { body, status } = yield* signIn("m1")
            assert.strictEqual(status, 200, JSON.stringify(body))
            return (body["user"] as People.User).email
          })
        assert.strictEqual(yield* told("rossi@example.com"), "rossi@example.com")
        assert.strictEqual(yield* told("Bianchi@example.com"), "Bianchi@example.com")
        assert.strictEqual(yield* told("bianchi@example.com"), "bianchi@example.com")
        assert.strictEqual(yield* told("TAKEN@example.com"), "bianchi@example.com")
        // Also while a session goes on.
        oidc.people.set("m1", { email: "verdi@example.com", name: "Maria", role: "desk" })
        yield* TestClock.adjust(Bounds.confirmMs)
        yield* SignInAtProvider.confirmDue
        const { body } = yield* get("/staff")
        assert.deepStrictEqual((body["users"] as ReadonlyArray<People.User>).map(({ email }) => email).toSorted(), [
          "taken@example.com",
          "verdi@example.com"
        ])
        assert.notInclude(JSON.stringify((yield* get("/audit")).body), "verdi@")
      })
    )
  )

  it.effect("shows that its role is gone, counts as no owner meanwhile, and is as before once there is one again", () =>
    withProvider((oidc) =>
      Effect.gen(function* () {
        const person = (email: string) =>
          Effect.map(get("/staff"), ({ body }) =>
            (body["users"] as ReadonlyArray<People.User>).find((user) => user.email === email)
          )
        oidc.people.set("a", { email: "a@example.com", role: "admins" })
        oidc.people.set("b", { email: "b@example.com", role: "admins" })
        const [a, b] = [yield* signIn("a"), yield* signIn("b")]
        oidc.people.set("a", { email: "a@example.com" })
        yield* TestClock.adjust(Bounds.confirmMs)
        yield* SignInAtProvider.confirmDue
        yield* KeyStore.lookForSessions
        assert.strictEqual((yield* get("/session", a.headers)).status, 401)
        const gone = yield* person("a@example.com")
        assert.strictEqual(gone?.role_gone_at, fromMillis(yield* Clock.currentTimeMillis))
        assert.strictEqual((yield* signIn("a")).status, 403)
        assert.deepStrictEqual(yield* person("a@example.com"), gone, "since the first time")
        // The other one is the last owner now.
        const other = (b.body["user"] as People.User).user_id
        const refused = yield* post(`/staff/${other}/disable`, { reason: "r" })
        assert.deepStrictEqual([refused.status, refused.body["code"]], [409, "invalid_state"])
        oidc.people.set("a", { email: "a@example.com", role: "admins" })
        assert.strictEqual((yield* signIn("a")).status, 200)
        assert.notProperty(yield* person("a@example.com"), "role_gone_at")
        assert.strictEqual((yield* post(`/staff/${other}/disable`, { reason: "r" })).status, 200)
      })
    )
  )

  it.effect("is refused with an ID token that is another's, over, unsigned or signed by nobody known", () =>
    withProvider((oidc) =>
      Effect.gen(function* () {
        oidc.people.set("m1", { email: "maria@example.com", name: "Maria", role: "admins" })
        const lies: ReadonlyArray<OidcServer.Lie> = [
          { claims: { iss: "https://login.example.com" } },
          { claims: { aud: "another-client" } },
          { claims: { nonce: "another" } },
          { claims: { exp: 1_000_000_000 } },
          { signature: "none" },
          { signature: "other key" }
        ]
        for (const lie of lies) {
          yield* patient
          oidc.lie = lie
          const refused = yield* signIn("m1")
          assert.deepStrictEqual([refused.status, refused.body["code"]], [401, "unauthorized"], JSON.stringify(lie))
        }
        assert.strictEqual(yield* sessions, 0)
        oidc.lie = undefined
        oidc.rotate()
        yield* patient
        assert.strictEqual((yield* signIn("m1")).status, 200)
      })
    )
  )

  it.effect("uses a sign-in up, from the browser that began it alone, within 5 minutes", () =>
    withProvider((oidc) =>
      Effect.gen(function* () {
        oidc.people.set("m1", { email: "maria@example.com", role: "admins" })
        const one = yield* begin
        const at = yield* Effect.promise(() => OidcServer.signInAt(one.url, "m1"))
        const other = yield* begin
        assert.strictEqual((yield* finish(at, other.cookie)).status, 401)
        assert.strictEqual((yield* finish(at, "")).status, 401)
        assert.strictEqual((yield* finish(at, one.cookie)).status, 200)
        assert.strictEqual((yield* finish(at, one.cookie)).status, 401)
        const late = yield* begin
        const back = yield* Effect.promise(() => OidcServer.signInAt(late.url, "m1"))
        yield* TestClock.adjust(Bounds.challengeMs)
        assert.strictEqual((yield* finish(back, late.cookie)).status, 401)
        oidc.isDown = true
        const silent = yield* post("/session/provider", undefined, nobody)
        assert.deepStrictEqual([silent.status, silent.body["code"]], [401, "unauthorized"])
      })
    )
  )

  it.effect(
    "stays while the provider confirms it, and is out when the role goes, changes, or the provider is silent for 15 minutes",
    () =>
      withProvider((oidc) =>
        Effect.gen(function* () {
          const status = (headers: Record<string, string>) =>
            Effect.map(get("/session", headers), (answer) => answer.status)
          /** Time passes, sessions are confirmed, and the node hears of it. */
          const later = (ms: number) =>
            Effect.gen(function* () {
              yield* TestClock.adjust(ms)
              yield* SignInAtProvider.confirmDue
              yield* KeyStore.lookForSessions
            })
          oidc.people.set("stays", { email: "stays@example.com", role: "desk" })
          oidc.people.set("goes", { email: "goes@example.com", role: "desk" })
          oidc.people.set("rises", { email: "rises@example.com", role: "desk" })
          oidc.people.set("left", { email: "left@example.com", role: "desk" })
          const left = yield* signIn("left")
          const [stays, goes, rises] = [yield* signIn("stays"), yield* signIn("goes"), yield* signIn("rises")]
          yield* later(Bounds.confirmMs)
          for (const one of [stays, goes, rises]) assert.strictEqual(yield* status(one.headers), 200)
          oidc.people.set("goes", { email: "goes@example.com" })
          oidc.people.delete("left")
          oidc.people.set("rises", { email: "rises@example.com", role: "admins" })
          yield* later(Bounds.confirmMs)
          assert.strictEqual(yield* status(stays.headers), 200)
          yield* until(get("/session", goes.headers), 401)
          // The provider refuses to refresh; while it is silent a session goes on for some minutes.
          yield* until(get("/session", left.headers), 401)
          yield* until(get("/session", rises.headers), 401)
          const { body } = yield* get("/staff")
          const roles = (body["users"] as ReadonlyArray<People.User>).map(({ email, role }) => [email, role])
          assert.deepStrictEqual(roles.toSorted(), [
            ["goes@example.com", "support"],
            ["left@example.com", "support"],
            ["rises@example.com", "owner"],
            ["stays@example.com", "support"]
          ])
          oidc.isDown = true
          yield* later(Bounds.confirmMs)
          assert.strictEqual(yield* status(stays.headers), 200)
          yield* later(Bounds.confirmedMs - Bounds.confirmMs)
          assert.strictEqual(yield* status(stays.headers), 401)
          // A session that has ended stays so, although the provider would confirm it.
          oidc.isDown = false
          yield* later(Bounds.confirmAgainMs)
          assert.strictEqual(yield* status(stays.headers), 401)
          const { query } = yield* PeoplePool
          const open = yield* query("SELECT 1 AS one FROM sessions WHERE ends_at > $1", [
            int8(yield* Clock.currentTimeMillis)
          ])
          assert.lengthOf(open, 0)
        })
      )
  )
})
