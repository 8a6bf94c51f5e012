/** Operations that give points or rewards need `points:give`, whatever else they are (contract/operators.md *Scopes*). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { hash } from "node:crypto"
import type { Scope } from "../../../src/contract/Scopes.ts"
import { workScopes } from "../../../src/contract/Scopes.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import { bearer, get, issue, layer, post } from "../../capabilities/operators/Operators.ts"

const token = (name: string, scopes: ReadonlyArray<Scope>) => ({ token_sha256: hash("sha256", name), scopes })
const others = workScopes.filter((scope) => scope !== "points:give")
/** May do everything but give; everything; everything on the engagement surface. */
const [cautious, generous, marketing] = ["cautious", "generous", "marketing"].map((name) => bearer(name))
const tokens = [
  token("cautious", others),
  token("generous", workScopes),
  token("marketing", ["platform:read", "platform:write"]),
  token("giver", ["points:give"]),
  token("writer", ["members:write", "points:give"])
]

type Headers = Record<string, string>
const program_id = "demo-foodservice"
const engagement = (path: string, body: object, headers: Headers | undefined = cautious, method = "POST") =>
  TestServer.send(`/platform/v1${path}`, body, { method, headers: { ...headers } })
const members = `/members/${program_id}`

/** Asserts that the cautious one is refused, by name of the scope, and the others are not. */
const asksFor = (
  what: string,
  request: (headers: Record<string, string>) => ReturnType<typeof post>,
  givers: ReadonlyArray<Record<string, string> | undefined> = [generous]
) =>
  Effect.gen(function* () {
    const refused = yield* request({ ...cautious })
    assert.deepStrictEqual([refused.status, refused.body["code"]], [403, "forbidden"], what)
    assert.include(String(refused.body["detail"]), "points:give", what)
    for (const giver of givers) assert.isBelow((yield* request({ ...giver })).status, 300, what)
  })

const campaign = (campaign_id: string, headers: Headers | undefined = cautious) =>
  engagement(
    "/campaigns",
    { program_id, campaign_id, name: "Spring", segment_id: "all", action: { credit: { amount: 5, reason: "Spring" } } },
    headers,
    "PUT"
  )
const turn = (campaign_id: string, status: string, headers: Headers | undefined = cautious) =>
  engagement("/campaigns/status", { campaign_id, status }, headers)

it.layer(layer(tokens))("without points:give", (it) => {
  it.effect("no campaign is activated, run, or changed while it is active or paused; a draft can be written", () =>
    Effect.gen(function* () {
      yield* engagement(
        "/segments",
        { program_id, segment_id: "all", name: "All", rules: { has: "email" } },
        cautious,
        "PUT"
      )
      assert.strictEqual((yield* campaign("draft")).status, 200)
      yield* asksFor("pause", (headers) => turn("draft", "paused", headers), [generous])
      yield* asksFor("activate", (headers) => turn("draft", "active", headers), [generous, marketing])
      yield* asksFor("change", (headers) => campaign("draft", headers), [generous, marketing])
      // Stopping one gives nothing.
      assert.strictEqual((yield* turn("draft", "paused")).status, 200)
      yield* asksFor("change of a paused one", (headers) => campaign("draft", headers), [generous, marketing])
      const run = (headers: Headers | undefined) => engagement("/campaigns/run", { campaign_id: "draft" }, headers)
      yield* asksFor("run", run, [])
      assert.strictEqual((yield* run(marketing)).body["code"], "invalid_state")
      const test = (headers: Headers | undefined) =>
        engagement("/campaigns/test", { campaign_id: "draft", member_id: "nobody" }, headers)
      yield* asksFor("test", test, [])
      assert.strictEqual((yield* test(marketing)).body["code"], "not_found")
    })
  )

  it.effect("no guest is moved in; one is with members:write too, and members:read to ask what came since", () =>
    Effect.gen(function* () {
      const guests = [{ external_id: "old-1", identities: [], lots: [], rewards: [], consents: [] }]
      const path = `/programs/${program_id}/move-in`
      const move = (more: object) => (headers: Record<string, string>) => post(path, { guests, ...more }, headers)
      yield* asksFor("move in", move({}), [generous])
      assert.strictEqual((yield* move({ dry_run: true })({ ...cautious })).status, 200)
      const refused = yield* move({})({ ...bearer("giver") })
      assert.deepStrictEqual([refused.status, refused.body["code"]], [403, "forbidden"])
      const since = yield* move({ dry_run: true, since: true })({ ...bearer("writer") })
      assert.strictEqual(since.status, 403)
      assert.include(String(since.body["detail"]), "members:read")
      assert.strictEqual((yield* move({ dry_run: true, since: true })({ ...cautious })).status, 200)
    })
  )

  it.effect("no import brings balances; one without them is taken", () =>
    Effect.gen(function* () {
      const rows = (key: string, opening_balance: number) => (headers: Record<string, string>) =>
        engagement(
          "/imports/members",
          { program_id, idempotency_key: key, rows: [{ external_id: key, opening_balance }] },
          headers
        )
      yield* asksFor("rows", rows("with-balance", 100), [generous])
      const csv = "external_id,opening_balance\nfrom-csv,7\n"
      yield* asksFor("CSV", (headers) =>
        engagement("/imports/members", { program_id, idempotency_key: "with-balance-csv", csv }, headers)
      )
      assert.strictEqual((yield* rows("without-balance", 0)({ ...cautious })).status, 201)
      const foreseen = { program_id, csv, dry_run: true }
      assert.strictEqual((yield* engagement("/imports/members", foreseen, cautious)).status, 200)
    })
  )

  it.effect("nothing is adjusted, issued, moved or merged; what a merge would be is told", () =>
    Effect.gen(function* () {
      for (const member_id of ["one", "two"])
        yield* engagement("/members", { program_id, member_id, external_id: member_id }, generous, "PUT")
      const adjustment = { adjustment_id: "a", entries: [{ unit: "points", amount: 5 }], reason: "x" }
      yield* asksFor("adjust", (headers) => post(`${members}/one/adjustments`, adjustment, headers), [])
      yield* asksFor("issue", (headers) => post(`${members}/one/rewards`, { issued_reward_id: "i" }, headers), [])
      yield* asksFor("cancel", (headers) => post(`${members}/one/rewards/i/cancel`, {}, headers), [])
      yield* asksFor("move", (headers) => post(`${members}/one/orders/o/move`, { to: "two" }, headers), [])
      const merge = { from: "one", into: "two", reason: "twice" }
      const foreseen = yield* post(`${members}/merge`, { ...merge, dry_run: true }, { ...cautious })
      assert.strictEqual(foreseen.status, 200)
      yield* asksFor("merge", (headers) => post(`${members}/merge`, merge, headers))
    })
  )

  it.effect("no code of a reward is shown, which redeems it; with it each look is a request of its own", () =>
    Effect.gen(function* () {
      yield* engagement("/members", { program_id, member_id: "holder", external_id: "holder" }, generous, "PUT")
      const rewards = `${members}/holder/rewards`
      const issued = yield* post(rewards, { issued_reward_id: "coupon", reward_id: "free-bowl" }, { ...generous })
      const { artifact, ...shown } = issued.body["issued_reward"] as Record<string, unknown>
      assert.isDefined(artifact)
      for (const headers of [cautious, generous]) {
        const { body } = yield* get(`${members}/holder`, { ...headers })
        assert.deepStrictEqual(body["issued_rewards"], [shown])
        const file = yield* get(`${members}/holder/export.json`, { ...headers })
        assert.notInclude(JSON.stringify(file.body), String((artifact as { readonly value: string }).value))
      }
      yield* asksFor("look", (headers) => get(`${rewards}/coupon`, headers))
      assert.deepStrictEqual((yield* get(`${rewards}/coupon`, { ...generous })).body["issued_reward"], {
        ...shown,
        artifact
      })
      assert.strictEqual((yield* get(`${rewards}/other`, { ...generous })).status, 404)
    })
  )

  it.effect("no token is issued that may give, or has a whole surface; those of its own work are", () =>
    Effect.gen(function* () {
      const issued = (scopes: ReadonlyArray<Scope>, headers: Record<string, string> | undefined) =>
        Effect.map(post("/tokens", { name: "Till", scopes }, { ...headers }), ({ status }) => status)
      for (const scope of ["points:give", "platform:write", "admin:write", "protocol:write", "protocol:read"] as const)
        assert.strictEqual(yield* issued([scope], cautious), 403, scope)
      for (const scope of ["developer:read", "platform:read", "admin:read"] as const)
        assert.strictEqual(yield* issued([scope], cautious), 201, scope)
      assert.strictEqual(yield* issued(["points:give", "platform:write", "admin:write"], generous), 201)
      // A whole surface is all of its kinds of work there, and no more than that.
      const operator = bearer((yield* issue({ scopes: ["admin:read", "admin:write"] })).secret)
      assert.strictEqual(yield* issued(["audit:read", "programs:publish"], operator), 201)
      for (const scope of ["members:read", "points:give", "platform:read", "members:erase"] as const)
        assert.strictEqual(yield* issued([scope], operator), 403, scope)
    })
  )
})
