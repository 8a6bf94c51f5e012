/** People and their roles (contract/people.md *Roles*, *First start*), and their entries (contract/operators.md *Audit*). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { PeoplePool } from "../../../src/base/database/Pools.ts"
import { CurrentSite, siteOf } from "../../../src/capabilities/staff/Site.ts"
import type { Role } from "../../../src/contract/Roles.ts"
import { roles, scopesOf } from "../../../src/contract/Roles.ts"
import * as Surfaces from "../../../src/edge/http/Surfaces.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as Operators from "../operators/Operators.ts"
import { bearer, following, get, issue, layer, page, post, root, two, until } from "../operators/Operators.ts"
import { Authenticator } from "./Authenticator.ts"
import * as People from "./People.ts"

const unused = () => {
  throw new Error("no route is run")
}

/** The contract's table: each role with its scopes. */
const told: ReadonlyMap<Role, ReadonlySet<string>> = (() => {
  const text = fs.readFileSync(
    path.join(import.meta.dirname, "..", "..", "..", "src", "docs", "contract", "people.md"),
    "utf8"
  )
  const rows = text
    .split("\n")
    .filter((line) => /^\| `\w+:/.test(line))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim())
    )
  return new Map(
    roles.map((role, column) => [
      role,
      new Set(
        rows.flatMap((cells) =>
          cells[column + 1] === "x" ? [...(cells[0] ?? "").matchAll(/`([^`]+)`/g)].map(([, scope = ""]) => scope) : []
        )
      )
    ])
  )
})()

const users = Effect.map(get("/staff"), ({ body }) => body["users"] as ReadonlyArray<People.User>)

describe("roles", () => {
  it("have the scopes of the contract's table", () => {
    for (const role of roles)
      assert.deepStrictEqual([...scopesOf(role)].toSorted(), [...told.get(role)!].toSorted(), role)
  })

  it.effect("reach with a session exactly the routes of their scopes, on both surfaces", () =>
    Effect.gen(function* () {
      const asked = Surfaces.routes(unused, unused, { programs: unused, publicUrl: undefined }).filter(
        ({ auth, scopes }) => scopes !== undefined && auth !== "none"
      )
      assert.isAbove(asked.length, 70)
      for (const role of roles) {
        const { page: own } = yield* People.person(role, role === "franchisee" ? { franchisee_ids: ["ada"] } : {})
        const held = told.get(role)!
        for (const { auth, method, operation, path: at, scopes } of asked) {
          if (operation === "streamFeed") continue
          const { body, status } = yield* TestServer.send(
            at.replaceAll(/:\w+/g, "none"),
            method === "GET" ? undefined : {},
            { method, headers: own }
          )
          // Of tills, for tokens alone.
          if (auth === "bearer") {
            assert.strictEqual(status, 401, `${role} ${operation}`)
            continue
          }
          const isLacking = status === 403 && /lacks the scope/.test(String(body["detail"]))
          // The kind of work, or a part of it; the wholes of surfaces are for keys alone.
          const may = scopes!.some((scope) => held.has(scope))
          assert.strictEqual(isLacking, !may, `${role} ${operation}: ${status} ${JSON.stringify(body)}`)
        }
      }
    }).pipe(Effect.provide(layer()))
  )

  it.effect("hand on at most their own scopes: developers no way into the protocol, owners any", () =>
    Effect.gen(function* () {
      const developer = yield* People.person("developer")
      const owner = yield* People.person("owner")
      const token = (scopes: ReadonlyArray<string>, headers: Record<string, string>) =>
        Effect.map(post("/tokens", { name: "Till", scopes }, headers), ({ status }) => status)
      assert.strictEqual(yield* token(["developer:read"], developer.page), 201)
      for (const scope of ["protocol:write", "points:give", "staff:write", "admin:read"])
        assert.strictEqual(yield* token([scope], developer.page), 403, scope)
      for (const scope of ["protocol:write", "points:give", "staff:write", "admin:read", "platform:write"])
        assert.strictEqual(yield* token([scope], owner.page), 201, scope)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("above one's own can be given and changed by nobody, whatever token is used", () =>
    Effect.gen(function* () {
      const { user: owner } = yield* People.person("owner")
      const scopes = ["staff:read", "staff:write", "figures:read", "programs:read", "audience:read"]
      const clerk = bearer((yield* issue({ scopes })).secret)
      const { status, user } = yield* People.invite("analyst@example.com", "analyst", {}, clerk)
      assert.strictEqual(status, 201)
      for (const role of ["owner", "support", "manager"] as const)
        assert.strictEqual((yield* People.invite(`${role}@example.com`, role, {}, clerk)).status, 403, role)
      const become = { role: "owner", reason: "x" }
      assert.strictEqual((yield* post(`/staff/${user.user_id}/role`, become, clerk)).status, 403)
      for (const work of ["disable", "enable", "sessions/end"])
        assert.strictEqual((yield* post(`/staff/${owner.user_id}/${work}`, { reason: "x" }, clerk)).status, 403, work)
      assert.strictEqual((yield* post(`/staff/${owner.user_id}/invite`, undefined, clerk)).status, 403)
      // A key from before people signed in makes none.
      const old = bearer((yield* issue({ scopes: ["admin:read", "admin:write"] })).secret)
      assert.strictEqual((yield* People.invite("own@example.com", "analyst", {}, old)).status, 403)
      assert.strictEqual((yield* get("/staff", old)).status, 403)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("may read what it may change: the clock with developer:read, the freeze with service:write", () =>
    Effect.gen(function* () {
      for (const [scope, path, status] of [
        // There is no such clock on a live service.
        ["developer:read", "/clock", 404],
        ["service:write", "/maintenance", 200],
        ["programs:publish", "/locations", 200],
        ["members:read", "/clock", 403]
      ] as const) {
        const { secret } = yield* issue({ scopes: [scope] })
        assert.strictEqual((yield* get(path, bearer(secret))).status, status, scope)
      }
    }).pipe(Effect.provide(layer()))
  )
})

describe("the last owner", () => {
  it.effect("stays: alone she can neither be disabled nor demote herself, and with another one she can", () =>
    Effect.gen(function* () {
      const { page: own, user } = yield* People.person("owner")
      const invited = yield* People.invite("second@example.com", "owner")
      for (const [work, body] of [
        ["disable", { reason: "x" }],
        ["role", { role: "manager", reason: "x" }],
        // Limited to a programme she could change nobody any more, herself included.
        ["role", { role: "owner", programs: ["demo-foodservice"], reason: "x" }]
      ] as const) {
        const refused = yield* post(`/staff/${user.user_id}/${work}`, body, own)
        assert.deepStrictEqual([refused.status, refused.body["code"]], [409, "invalid_state"], work)
      }
      // An owner who is only invited could not sign in.
      yield* People.accept(invited.secret, new Authenticator())
      const demoted = yield* post(`/staff/${user.user_id}/role`, { role: "manager", reason: "x" }, own)
      assert.deepStrictEqual([demoted.status, demoted.body["role"]], [200, "manager"])
      yield* until(get("/staff/me", own), 401)
    }).pipe(Effect.provide(following()))
  )

  it.effect("stays also where two owners disable each other at the same time", () =>
    Effect.gen(function* () {
      const [one, other] = yield* Effect.all([People.person("owner"), People.person("owner")])
      const both = yield* Effect.all(
        [
          post(`/staff/${other.user.user_id}/disable`, { reason: "x" }, one.page),
          post(`/staff/${one.user.user_id}/disable`, { reason: "x" }, other.page)
        ],
        { concurrency: 2 }
      )
      const active = (yield* users).filter(({ role, status }) => role === "owner" && status === "active")
      assert.strictEqual(active.length, 1, JSON.stringify(both.map(({ status }) => status)))
    }).pipe(Effect.provide(layer()))
  )
})

describe("a user", () => {
  it.effect("whom another node disables signs in nowhere, and no session of that moment lives after enabling", () =>
    Effect.gen(function* () {
      const { authenticator, page: own, user } = yield* People.person("support")
      const { query } = yield* PeoplePool
      const status = (to: string) => query("UPDATE users SET status = $2 WHERE user_id = $1", [user.user_id, to])
      // This node has not heard of it: nothing here reads people again.
      yield* status("disabled")
      assert.strictEqual((yield* People.signIn(authenticator)).status, 401)
      const { body } = yield* post("/staff/me/passkeys/options", undefined, own)
      const credential = new Authenticator().make(body["options"] as { readonly challenge: string })
      const passkey = yield* post("/staff/me/passkeys", { name: "Another", credential }, own)
      assert.deepStrictEqual([passkey.status, passkey.body["code"]], [401, "unauthorized"])
      yield* status("active")
      const [{ count } = {}] = yield* query("SELECT count(*)::int AS count FROM sessions WHERE user_id = $1", [
        user.user_id
      ])
      assert.strictEqual(count, 1, "the one of before")
      assert.strictEqual((yield* People.signIn(authenticator)).status, 200)
    }).pipe(Effect.provide(layer()))
  )

  it.effect(
    "whose role changes, who is disabled or whose sessions are ended is out on every node within a second",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const [one, other] = yield* two
          const works = [
            ["role", { role: "analyst", reason: "x" }],
            ["disable", { reason: "x" }],
            ["sessions/end", { reason: "x" }]
          ] as const
          for (const [work, body] of works) {
            const { authenticator, page: own, user } = yield* Effect.provide(People.person("support"), one)
            const ask = Effect.provide(get("/session", own), other)
            yield* until(ask, 200)
            const done = yield* Effect.provide(post(`/staff/${user.user_id}/${work}`, body), one)
            assert.strictEqual(done.status, 200, work)
            yield* until(ask, 401)
            const signed = yield* Effect.provide(People.signIn(authenticator), other)
            assert.strictEqual(signed.status, work === "disable" ? 401 : 200, work)
          }
        })
      ).pipe(Effect.provide(Operators.database))
  )

  it.effect("has a known role, programmes that there are, and an address of one's own; else nothing is made", () =>
    Effect.gen(function* () {
      const first = yield* People.invite("maria@example.com", "support", { programs: ["demo-foodservice"] })
      assert.deepStrictEqual([first.status, first.user.programs], [201, ["demo-foodservice"]])
      const bad = [
        [{ email: "new@example.com", name: "New", role: "king" }, 422, "/role"],
        [{ email: "new@example.com", name: "New", role: "support", programs: ["none"] }, 422, "/programs/0"],
        [{ email: "no address", name: "New", role: "support" }, 422, "/email"],
        [{ email: "MARIA@example.com", name: "New", role: "support" }, 409, undefined]
      ] as const
      for (const [request, status, at] of bad) {
        const refused = yield* post("/staff", request)
        assert.strictEqual(refused.status, status, JSON.stringify(refused.body))
        const [fault] = (refused.body["errors"] ?? []) as ReadonlyArray<{ readonly path: string }>
        assert.strictEqual(fault?.path, at)
      }
      const role = { role: "support", programs: ["none"], reason: "x" }
      assert.strictEqual((yield* post(`/staff/${first.user.user_id}/role`, role)).status, 422)
      assert.strictEqual((yield* users).length, 1)
      const { query } = yield* PeoplePool
      assert.strictEqual((yield* query("SELECT 1 AS one FROM invitations")).length, 1)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("of one programme reaches that one alone, and neither people nor tokens beyond it", () =>
    Effect.gen(function* () {
      const { page: own } = yield* People.person("owner", { programs: ["demo-foodservice"] })
      yield* People.invite("all@example.com", "support")
      assert.strictEqual((yield* get("/members/demo-foodservice/nobody", own)).status, 404)
      const elsewhere = yield* get("/members/other/nobody", own)
      assert.deepStrictEqual(
        [elsewhere.status, elsewhere.body["detail"]],
        [403, "Your account is not for programme other."]
      )
      assert.strictEqual((yield* People.invite("x@example.com", "analyst", {}, own)).status, 403)
      const shown = (yield* get("/staff", own)).body["users"] as ReadonlyArray<People.User>
      assert.deepStrictEqual(
        shown.map(({ programs }) => programs),
        [["demo-foodservice"]]
      )
    }).pipe(Effect.provide(layer()))
  )

  it.effect("is invited once by a repeated request, whose answer has no address any more", () =>
    Effect.gen(function* () {
      const headers = { ...root, "idempotency-key": "invite-maria" }
      const request = { email: "maria@example.com", name: "Maria", role: "support" }
      const first = yield* post("/staff", request, headers)
      assert.match(String(first.body["invitation_url"]), /^http:\/\/localhost:3210\/console\/invitation#inv_[\w-]{43}$/)
      const again = yield* post("/staff", request, headers)
      assert.deepStrictEqual(again.body, { user: first.body["user"], secret_withheld: true })
      assert.strictEqual((yield* users).length, 1)
    }).pipe(Effect.provide(layer()))
  )
})

interface Entry {
  readonly action: string
  readonly actor: Readonly<Record<string, string>>
  readonly subject: { readonly id: string }
}

describe("the audit", () => {
  it.effect("names user and role in all that a person does, and shows support its own entries alone", () =>
    Effect.gen(function* () {
      const support = yield* People.person("support")
      const owner = yield* People.person("owner")
      const id = support.user.user_id
      yield* post(`/staff/${id}/sessions/end`, { reason: "lost" }, owner.page)
      const { session } = yield* People.signIn(support.authenticator)
      const entriesOf = (headers: Record<string, string>) =>
        Effect.map(get("/audit?limit=200", headers), ({ body }) => (body["entries"] ?? []) as ReadonlyArray<Entry>)
      const all = yield* entriesOf(owner.page)
      assert.deepStrictEqual(
        all.filter(({ subject }) => subject.id === id).map(({ action, actor }) => [action, actor["kind"]]),
        [
          ["staff.end_sessions", "user"],
          ["passkey.add", "user"],
          ["staff.invite", "root"]
        ]
      )
      const own = yield* entriesOf(page(session))
      assert.isAbove(own.length, 1)
      for (const { actor } of own)
        assert.deepStrictEqual(actor, { ...actor, kind: "user", user_id: id, role: "support" })
      assert.isAbove(all.length, own.length)
      const { query } = yield* PeoplePool
      const rows = yield* query("SELECT audit::text AS row FROM audit")
      assert.notInclude(JSON.stringify(rows), "@example.com")
    }).pipe(Effect.provide(layer()))
  )
})

describe("a session of a sandbox", () => {
  it.effect("says so when it begins and after a reload, and one of a live service does not", () =>
    Effect.gen(function* () {
      const live = yield* post("/session", { key: Operators.rootKey }, { authorization: "" })
      assert.notProperty(live.body, "sandbox")
      yield* Effect.gen(function* () {
        const begun = yield* post("/session", { key: Operators.rootKey }, { authorization: "" })
        assert.strictEqual(begun.body["sandbox"], true)
        const signedIn = yield* Operators.signIn(Operators.rootKey)
        assert.strictEqual(
          (yield* get("/session", { authorization: "", cookie: signedIn.cookie })).body["sandbox"],
          true
        )
      }).pipe(Effect.provide(Layer.provide(layer(), Layer.succeed(CurrentSite, siteOf(undefined, 3210, true, true)))))
    }).pipe(Effect.provide(layer()))
  )
})

describe("the admin key in the console", () => {
  it.effect("signs in for the first start, and with an owner there it is told as a warning", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const heard = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
      yield* Effect.gen(function* () {
        yield* Operators.signIn(Operators.rootKey)
        assert.notMatch(lines.join("\n"), /although there are owners/)
        yield* People.person("owner")
        yield* Operators.signIn(Operators.rootKey)
        assert.match(lines.join("\n"), /although there are owners/)
      }).pipe(Effect.provide(layer()), Effect.provide(heard))
    })
  )

  it.effect("is refused where it is forbidden, and still works as a bearer token", () =>
    Effect.gen(function* () {
      const refused = yield* post("/session", { key: Operators.rootKey }, { authorization: "" })
      assert.deepStrictEqual([refused.status, refused.body["code"]], [403, "forbidden"])
      assert.strictEqual((yield* get("/staff")).status, 200)
    }).pipe(Effect.provide(Layer.provide(layer(), Layer.succeed(CurrentSite, siteOf(undefined, 3210, false)))))
  )
})
