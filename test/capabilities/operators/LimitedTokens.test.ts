/** Tokens and people that are limited to restaurants (contract/people.md *Limited to restaurants*). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { PeoplePool } from "../../../src/base/database/Pools.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as People from "../staff/People.ts"
import { api, bearer, get, issue, layer, page, post, root, signIn } from "./Operators.ts"

const east = { location_ids: ["loc-east"] }

const faultsOf = ({ body, status }: Effect.Success<ReturnType<typeof post>>) => [
  status,
  ...((body["errors"] ?? []) as ReadonlyArray<{ path: string }>).map(({ path }) => path)
]

describe("a token that is limited to restaurants", () => {
  it.effect("has its limits in its answer, in the list and in the audit, and others need a good list", () =>
    Effect.gen(function* () {
      const limits = { ...east, franchisee_ids: ["ada"], brand_ids: ["bowl"] }
      const made = yield* post("/tokens", { name: "Till", scopes: ["protocol:read"], ...limits })
      assert.deepStrictEqual([made.status, made.body["franchisee_ids"]], [201, ["ada"]])
      const { body } = yield* get("/tokens")
      assert.deepInclude((body["tokens"] as ReadonlyArray<object>).at(-1), limits)
      const audit = yield* get("/audit?action=token.create")
      const [entry] = audit.body["entries"] as ReadonlyArray<{ changes: { after: object } }>
      assert.deepInclude(entry?.changes.after, limits)
      for (const wrong of [[], ["a", "a"], [""], Array.from({ length: 1_001 }, (_, n) => `l${n}`)])
        assert.strictEqual(
          (yield* post("/tokens", { name: "Till", scopes: ["protocol:read"], location_ids: wrong })).status,
          422
        )
    }).pipe(Effect.provide(layer()))
  )

  it.effect("uses what is open, and nothing that does not say how it holds to the limit, from its session too", () =>
    Effect.gen(function* () {
      const { secret } = yield* issue({ scopes: ["admin:read", "protocol:read"], ...east })
      const session = yield* signIn(secret)
      for (const headers of [bearer(secret), page(session)]) {
        const refused = yield* get("/overview", headers)
        assert.deepStrictEqual([refused.status, refused.body["code"]], [403, "forbidden"])
        assert.strictEqual(refused.body["detail"], "The token is limited to restaurants; this is for all.")
        assert.strictEqual((yield* get("/maintenance", headers)).status, 200)
      }
      const asked = { method: "GET", headers: bearer(secret) }
      assert.strictEqual((yield* TestServer.send("/proto/v1/capabilities", undefined, asked)).status, 200)
      const shown = yield* get("/session", page(session))
      assert.deepStrictEqual(shown.body["location_ids"], ["loc-east"])
    }).pipe(Effect.provide(layer()))
  )

  it.effect("makes, sees, rotates and revokes tokens within its limits alone", () =>
    Effect.gen(function* () {
      const scopes = ["admin:read", "admin:write"]
      const wide = yield* issue({})
      const other = yield* issue({ location_ids: ["loc-west"] })
      for (const [location_id, franchisee_id] of [
        ["loc-east", "bob"],
        ["loc-west", "carl"]
      ])
        yield* TestServer.send(
          `${api}/locations`,
          { location_id, name: "L", franchisees: [{ from: "2020-01-01", franchisee_id }] },
          { method: "PUT", headers: root }
        )
      const { secret, token_id } = yield* issue({ scopes, franchisee_ids: ["ada", "bob"] })
      const mine = bearer(secret)
      const till = { name: "Till", scopes: ["admin:read"] }
      const inherited = yield* post("/tokens", till, mine)
      assert.deepStrictEqual(inherited.body["franchisee_ids"], ["ada", "bob"])
      const narrower = yield* post("/tokens", { ...till, ...east, franchisee_ids: ["bob"] }, mine)
      assert.deepInclude(narrower.body, { ...east, franchisee_ids: ["bob"] })
      assert.deepStrictEqual(faultsOf(yield* post("/tokens", { ...till, franchisee_ids: ["bob", "carl"] }, mine)), [
        403,
        "/franchisee_ids/1"
      ])
      // A limit of another kind than her own: a neighbour's restaurant, and one that nobody has named, in the same words.
      const [west, unknown] = [
        yield* post("/tokens", { ...till, location_ids: ["loc-east", "loc-west"] }, mine),
        yield* post("/tokens", { ...till, location_ids: ["loc-east", "loc-none"] }, mine)
      ]
      assert.deepStrictEqual(faultsOf(west), [403, "/location_ids/1"])
      assert.deepStrictEqual(
        [unknown.status, unknown.body["detail"], unknown.body["errors"]],
        [403, west.body["detail"], west.body["errors"]]
      )
      const programs = ["demo-foodservice", "none"]
      assert.deepStrictEqual(faultsOf(yield* post("/tokens", { ...till, programs }, mine)), [403, "/programs/1"])
      const { body } = yield* get("/tokens", mine)
      assert.deepStrictEqual(
        new Set((body["tokens"] as ReadonlyArray<{ token_id: string }>).map((token) => token.token_id)),
        new Set([token_id, String(inherited.body["token_id"]), String(narrower.body["token_id"])])
      )
      for (const { token_id: id } of [wide, other])
        for (const path of ["rotate", "revoke"]) {
          const refused = yield* post(`/tokens/${id}/${path}`, path === "revoke" ? { reason: "x" } : {}, mine)
          assert.deepStrictEqual([refused.status, refused.body["detail"]], [404, `There is no token ${id}.`])
        }
      assert.strictEqual((yield* post(`/tokens/${narrower.body["token_id"]}/rotate`, {}, mine)).status, 200)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("keeps versions without limits from starting once there is one, and is refused while one runs", () =>
    Effect.gen(function* () {
      const { query } = yield* PeoplePool
      const barred = Effect.map(query("SELECT FROM migrations WHERE name = 'restaurant limits'"), (rows) => rows.length)
      yield* issue({})
      assert.strictEqual(yield* barred, 0)
      yield* query("INSERT INTO nodes (id, address, protocol, version) VALUES ('old', 'x', 1, '0.3.0')")
      const token = { name: "Till", scopes: ["protocol:read"], ...east }
      for (const [path, body] of [
        ["/tokens", token],
        // 0.3.0 reads no keys any more where one has a role or scope that it does not know.
        ["/tokens", { name: "Books", scopes: ["finance:read"] }],
        ["/staff", { email: "f@example.com", name: "F", role: "finance" }],
        ["/staff/limits", { role: "franchisee", points_per_day: 1, reason: "x" }]
      ] as const) {
        const refused = yield* post(path, body)
        assert.deepStrictEqual([refused.status, refused.body["code"]], [409, "invalid_state"], path)
        assert.strictEqual(yield* barred, 0, "what was refused bars nobody")
      }
      yield* query("DELETE FROM nodes WHERE id = 'old'")
      assert.strictEqual((yield* post("/tokens", token)).status, 201)
      assert.strictEqual(yield* barred, 1)
    }).pipe(Effect.provide(layer()))
  )
})

describe("a person who is limited to restaurants", () => {
  it.effect("is so from the invitation on, until a change names the limit and says that there is none", () =>
    Effect.gen(function* () {
      const limits = { franchisee_ids: ["ada"] }
      const { page: owner, user: first } = yield* People.person("owner")
      const { page: manager, user } = yield* People.person("manager", limits)
      assert.deepInclude(user as object, limits)
      assert.deepStrictEqual((yield* get("/session", manager)).body["franchisee_ids"], ["ada"])
      const refused = yield* get("/overview", manager)
      assert.strictEqual(refused.body["detail"], "Your account is limited to restaurants; this is for all.")
      const role = { role: "manager", reason: "The chain's" }
      const changed = (more: object) => post(`/staff/${user.user_id}/role`, { ...role, ...more }, owner)
      assert.deepInclude((yield* changed({})).body, limits, "a change that does not name it keeps it")
      const both = yield* changed({ location_ids: ["loc-east"] })
      assert.deepInclude(both.body, { ...limits, location_ids: ["loc-east"] })
      assert.notProperty((yield* changed({ location_ids: null })).body, "location_ids")
      assert.notProperty((yield* changed({ franchisee_ids: null })).body, "franchisee_ids")
      const self = yield* post(`/staff/${first.user_id}/role`, { role: "owner", reason: "x", ...limits }, root)
      assert.strictEqual(self.body["code"], "invalid_state", "the last owner of all restaurants stays")
      const { body } = yield* get(`/audit?subject=${user.user_id}&action=staff.role`)
      const [entry] = body["entries"] as ReadonlyArray<{ changes: object }>
      assert.deepStrictEqual(entry?.changes, { before: limits, after: {} })
    }).pipe(Effect.provide(layer()))
  )

  it.effect("takes tokens along that she made before, and those made by these", () =>
    Effect.gen(function* () {
      const { page: developer, user } = yield* People.person("developer")
      const scopes = ["developer:read", "developer:write"]
      const make = (body: object, headers: Record<string, string>) =>
        post("/tokens", { name: "T", scopes, ...body }, headers)
      const first = yield* make({}, developer)
      const second = yield* make({ location_ids: ["loc-east", "loc-west"] }, bearer(String(first.body["secret"])))
      const foreign = yield* issue({})
      const limit = (more: object) =>
        post(`/staff/${user.user_id}/role`, { role: "developer", reason: "Sold", ...more })
      assert.strictEqual((yield* limit({ ...east, brand_ids: ["bowl"] })).status, 200)
      const { body } = yield* get("/tokens")
      const limitsOf = (id: unknown) => {
        const found = (body["tokens"] as ReadonlyArray<Record<string, unknown>>).find((one) => one["token_id"] === id)
        return [found?.["location_ids"], found?.["brand_ids"]]
      }
      for (const { body: token } of [first, second])
        assert.deepStrictEqual(limitsOf(token["token_id"]), [["loc-east"], ["bowl"]])
      assert.deepStrictEqual(limitsOf(foreign.token_id), [undefined, undefined])
      const audit = yield* get("/audit?action=token.narrow")
      assert.lengthOf(audit.body["entries"] as ReadonlyArray<object>, 2)
      // Limits without a restaurant in common leave none.
      assert.strictEqual((yield* limit({ location_ids: ["loc-west"] })).status, 200)
      const after = yield* get("/tokens")
      const [found] = (after.body["tokens"] as ReadonlyArray<Record<string, unknown>>).filter(
        (one) => one["token_id"] === second.body["token_id"]
      )
      assert.deepStrictEqual(found?.["location_ids"], [])
    }).pipe(Effect.provide(layer()))
  )
})
