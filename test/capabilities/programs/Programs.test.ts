/**
 * contract/programmes.md *Publishing*, contract/operators.md *Promotions*: programmes over HTTP on PostgreSQL, published
 * while tills go on.
 */
import { assert, it } from "@effect/vitest"
import type { Schema } from "effect"
import { Effect, Layer, Result } from "effect"
import { hash } from "node:crypto"
import * as http from "node:http"
import { body, credit, enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import * as Publishing from "../../../src/capabilities/programs/Publishing.ts"
import * as Contract from "../../../src/contract/admin/Programs.ts"
import { ProgramList, ProgramShown, programsPath } from "../../../src/contract/admin/ProgramsInForce.ts"
import { strictDecoder } from "../../../src/contract/Decode.ts"
import { withheldReasons } from "../../../src/contract/PromotionOutcomes.ts"
import * as MemoryJournal from "../../../src/core/journal/MemoryJournal.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import * as RewardsPerOrder from "../../../src/core/rules/RewardsPerOrder.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import type { Json } from "../../core/rules/Builders.ts"
import { verify } from "../../reads/reconcile/Scenario.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Operators from "../operators/Operators.ts"

const demoId = Testing.demoProgram.id
const root = { authorization: "Bearer proto-dev-admin-key" }
const limitedToken = "token-of-the-coffee-club"
const limited = { authorization: `Bearer ${limitedToken}` }

const tokens = [
  {
    token_sha256: hash("sha256", limitedToken),
    scopes: ["admin:read", "admin:write"],
    programs: ["coffee-club", "tea-club"],
    name: "coffee"
  }
] as const

const published = Programs.layer.pipe(
  Layer.provide(
    Layer.effectDiscard(
      Publishing.publishFiles([{ file: "program.demo.json", program: Testing.demoProgram }], "changed")
    )
  )
)
/** A service on a database that has its programmes. */
const instance = TestServer.layerFor(PgJournal.layer, Programs.layer, Pools.layer, tokens).pipe(
  Layer.provide(MemoryJournal.MemoryStorage.layer)
)
const layer = TestServer.layerFor(PgJournal.layer, published, Pools.layer, tokens).pipe(
  // Rollups in memory, which count nobody.
  Layer.provide(MemoryJournal.MemoryStorage.layer),
  Layer.provideMerge(TestDatabase.layer)
)

const get = (rest: string, headers: Record<string, string> = root) =>
  TestServer.send(`${programsPath}${rest}`, undefined, { method: "GET", headers })
const post = (rest: string, payload: unknown, headers: Record<string, string> = root) =>
  TestServer.send(`${programsPath}${rest}`, payload, { headers })

/** The body, which must be exactly of its schema. */
const exactly = <S extends Schema.Top>(schema: S, body: unknown): S["Type"] =>
  Result.getOrThrowWith(strictDecoder(schema as never)(body), (faults) => new Error(JSON.stringify(faults)))

const said = Effect.map(({ body, status }: TestServer.Response) => [status, body["code"]] as const)
/** The demo programme's file under another id, changed. */
const file = (program_id: string, change: (json: Json) => void = () => undefined): Json => {
  const json = { ...structuredClone(Testing.demoProgram.file), program_id } as Json
  change(json)
  return json
}

/** With this many points for each dollar. */
const earning = (program_id: string, amount: number) =>
  file(program_id, (json) => {
    json["earning"].rate.amount = amount
    for (const rule of json["account_earning"] ?? []) if (rule.unit === json["earning"].rate.unit) rule.amount = amount
  })

const versionOf = (id: string) => Effect.map(get(`/${id}`), ({ body }) => exactly(ProgramShown, body).version)

it.layer(layer, { excludeTestServices: true })("the routes of programmes", (it) => {
  it.effect("publish, list, show and go back, each version with who, when and what changed", () =>
    Effect.gen(function* () {
      const first = yield* post("/publish", { program: earning("alpha", 10), expected_version: 0, note: "opening" })
      assert.deepStrictEqual(exactly(Contract.PublishedVersion, first.body), { program_id: "alpha", version: 1 })
      yield* post("/publish", { program: earning("alpha", 20) })
      const back = yield* post("/alpha/rollback", { version: 1, note: "too dear" })
      assert.deepStrictEqual(back.body, { program_id: "alpha", version: 3 })
      const { versions } = exactly(Contract.VersionList, (yield* get("/alpha/versions")).body)
      assert.deepStrictEqual(
        versions.map(({ changes, note, published_by, version }) => [
          version,
          published_by,
          note,
          changes.filter(({ path }) => path === "/earning/rate/amount")
        ]),
        [
          [3, "root", "too dear", [{ path: "/earning/rate/amount", from: 20, to: 10 }]],
          [2, "root", undefined, [{ path: "/earning/rate/amount", from: 10, to: 20 }]],
          [1, "root", "opening", []]
        ]
      )
      const page = exactly(Contract.VersionList, (yield* get("/alpha/versions?limit=1")).body)
      const next = yield* get(`/alpha/versions?limit=1&cursor=${page.next_cursor}`)
      assert.deepStrictEqual(exactly(Contract.VersionList, next.body).versions, versions.slice(1, 2))
      const second = exactly(Contract.VersionShown, (yield* get("/alpha/versions/2")).body)
      assert.strictEqual(second.program.earning.rate.amount, 20)
      assert.deepStrictEqual(yield* said(get("/alpha/versions/9")), [404, "not_found"])
      assert.deepStrictEqual(yield* said(post("/alpha/rollback", { version: 9 })), [404, "not_found"])
      assert.deepStrictEqual(yield* said(get("/nothing")), [404, "not_found"])
      const shown = exactly(ProgramShown, (yield* get("/alpha")).body)
      assert.deepStrictEqual([shown.version, shown.program.earning.rate.amount], [3, 10])
    })
  )

  it.effect("refuse a second publisher with the same expected version, and a replayed key publishes once", () =>
    Effect.gen(function* () {
      yield* post("/publish", { program: file("beta") })
      const both = yield* Effect.all(
        [11, 12].map((amount) => post("/publish", { program: earning("beta", amount), expected_version: 1 })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(both.map(({ status }) => status).toSorted(), [200, 409])
      assert.strictEqual(both.find(({ status }) => status === 409)?.body["code"], "conflict")
      const keyed = { ...root, "idempotency-key": "publish-beta-1" }
      const payload = { program: earning("beta", 13) }
      assert.deepStrictEqual((yield* post("/publish", payload, keyed)).body, { program_id: "beta", version: 3 })
      assert.deepStrictEqual((yield* post("/publish", payload, keyed)).body, { program_id: "beta", version: 3 })
      assert.strictEqual((yield* Programs).get("beta")?.version, 3)
      assert.strictEqual(yield* versionOf("beta"), 3)
    })
  )

  it.effect("warn of a stamp card that fills by spend, and publish it only if its rewards are confirmed", () =>
    Effect.gen(function* () {
      const generous = file("generous", (json) => {
        const card = { threshold: 10, reward_id: json["rewards"][0].reward_id, resets: true }
        json["stamp_card"] = { ...card, unit: json["earning"].rate.unit }
      })
      const told = exactly(Contract.Validated, (yield* post("/validate", generous)).body)
      assert.isTrue(told.valid)
      assert.deepStrictEqual(
        told.warnings.map(({ path }) => path),
        ["/stamp_card/unit", ""]
      )
      const needed = told.confirm_rewards ?? 0
      assert.isAbove(needed, 5)
      const order = {
        ...Testing.order("order-25", 2_500, Testing.placedNow),
        scope: { ...Testing.order("order-25", 2_500).scope, program_id: "generous" }
      }
      const tried = exactly(Contract.Evaluated, (yield* post("/evaluate", { program: generous, order })).body)
      assert.deepInclude(tried.card, { rewards: 25, reward_id: generous["rewards"][0].reward_id })
      const refused = yield* post("/publish", { program: generous })
      assert.deepStrictEqual(
        [refused.status, refused.body["errors"]],
        [422, [{ path: "/confirm_rewards", ...RewardsPerOrder.toBeConfirmed(needed) }]]
      )
      for (const confirm_rewards of [needed - 1, needed + 1, 1_000_000_000])
        assert.deepStrictEqual(
          (yield* post("/publish", { program: generous, confirm_rewards })).body["errors"],
          refused.body["errors"]
        )
      assert.strictEqual((yield* post("/publish", { program: generous, confirm_rewards: needed })).status, 200)
      // Values in force need no confirmation again, and smaller ones none at all.
      assert.strictEqual((yield* post("/publish", { program: generous })).status, 200)
      assert.strictEqual((yield* post("/publish", { program: file("generous") })).status, 200)
      assert.strictEqual((yield* post("/generous/rollback", { version: 1 })).status, 422)
      assert.strictEqual((yield* post("/generous/rollback", { version: 1, confirm_rewards: needed })).status, 200)
    })
  )

  it.effect("tell every fault of a file, of its shape and of its rules, and publish none", () =>
    Effect.gen(function* () {
      const broken = file("gamma", (json) => {
        json["currency"] = "dollars"
        json["earning"].rate.amount = 0
        json["rewards"][0].colour = "red"
      })
      const told = exactly(Contract.Validated, (yield* post("/validate", broken)).body)
      assert.isFalse(told.valid)
      const paths = told.errors.map(({ path }) => path)
      assert.includeMembers(paths, ["/currency", "/account_earning/0/amount", "/rewards/0/colour"])
      const refused = yield* post("/publish", { program: broken })
      assert.deepStrictEqual([refused.status, refused.body["code"]], [422, "validation_failed"])
      assert.deepStrictEqual(
        (refused.body["errors"] as ReadonlyArray<{ readonly path: string }>).map(({ path }) => path),
        paths.map((path) => `/program${path}`)
      )
      for (const id of ["evaluate", "validate", "publish"]) {
        assert.deepStrictEqual(
          exactly(Contract.Validated, (yield* post("/validate", file(id))).body).errors.map(({ path }) => path),
          ["/program_id"]
        )
      }
    })
  )

  it.effect("refuse what blocks with every path, and say before what would and how much is affected", () =>
    Effect.gen(function* () {
      yield* enroll("cleo")
      yield* credit("cleo", 500)
      yield* body(
        Testing.call("redemption.reserve", {
          context: Testing.context(),
          redemption_id: "cleo-1",
          member_id: "cleo",
          reward_id: "one-off",
          order: Testing.order("cleo-meal", 500, { status: "open", ...Testing.placedNow })
        })
      )
      const blocked = file(demoId, (json) => {
        json["currency"] = "EUR"
        json["rewards"] = json["rewards"].filter((one: Json) => one["reward_id"] !== "one-off")
        const text = JSON.stringify(json).replaceAll('"USD"', '"EUR"')
        Object.assign(json, JSON.parse(text))
      })
      const told = exactly(Contract.Validated, (yield* post("/validate", blocked)).body)
      assert.deepStrictEqual([told.valid, told.errors], [false, []])
      assert.deepStrictEqual(
        told.blocking.map(({ path }) => path),
        ["/currency", "/rewards"]
      )
      assert.strictEqual(told.affected.open_reservations, 1)
      const refused = yield* post("/publish", { program: blocked })
      assert.deepStrictEqual([refused.status, refused.body["code"]], [409, "incompatible_change"])
      assert.deepStrictEqual(
        (refused.body["errors"] as ReadonlyArray<{ readonly path: string }>).map(({ path }) => path),
        ["/program/currency", "/program/rewards"]
      )
    })
  )

  it.effect("evaluate an order under a definition that nobody published, for somebody new and for a member", () =>
    Effect.gen(function* () {
      yield* enroll("dora")
      yield* credit("dora", 100)
      const asked = { program: earning(demoId, 30), order: Testing.order("try-1", 1_000, Testing.placedNow) }
      const anybody = exactly(Contract.Evaluated, (yield* post("/evaluate", asked)).body)
      assert.deepStrictEqual(anybody.estimated_accrual, { unit: "points", amount: 300 })
      const statusOf = ({ rewards }: typeof Contract.Evaluated.Type) =>
        rewards.find(({ reward_id }) => reward_id === "one-off")?.status
      assert.strictEqual(statusOf(anybody), "unavailable")
      const member = yield* post("/evaluate", { ...asked, member_id: "dora" })
      assert.strictEqual(statusOf(exactly(Contract.Evaluated, member.body)), "available")
      assert.deepStrictEqual(yield* said(post("/evaluate", { ...asked, member_id: "nobody" })), [404, "not_found"])
      // It tells tier and balances, and who is a member.
      const reader = (yield* Operators.issue({ scopes: ["programs:read"] })).secret
      const both = (yield* Operators.issue({ scopes: ["programs:read", "members:read"] })).secret
      for (const named of [
        { ...asked, member_id: "dora" },
        { ...asked, member_id: "nobody" },
        { ...asked, order: { ...asked.order, member_id: "dora" } }
      ])
        assert.deepStrictEqual(yield* said(post("/evaluate", named, Operators.bearer(reader))), [403, "forbidden"])
      assert.strictEqual((yield* post("/evaluate", asked, Operators.bearer(reader))).status, 200)
      assert.strictEqual(
        (yield* post("/evaluate", { ...asked, member_id: "dora" }, Operators.bearer(both))).status,
        200
      )
      const elsewhere = { ...asked, order: Testing.order("try-2", 1_000, {}, "other") }
      assert.deepStrictEqual(yield* said(post("/evaluate", elsewhere)), [422, "validation_failed"])
    })
  )

  it.effect("evaluate an order of somebody new at its own time, so that a happy hour can be tried before it is", () =>
    Effect.gen(function* () {
      const program = file(demoId, (json) => {
        json["time_zone"] = "America/New_York"
        const weekly = [{ days: ["tue"], from: "15:00", until: "17:00" }]
        json["promotions"] = [{ promotion_id: "happy", name: "Happy", effect: { add: 7 }, when: { weekly } }]
      })
      const given = Effect.fnUntraced(function* (placed_at: string) {
        const order = Testing.order("try-3", 1_000, { placed_at, business_date: placed_at.slice(0, 10) })
        const answer = exactly(Contract.Evaluated, (yield* post("/evaluate", { program, order })).body)
        return (answer.promotions ?? []).map(({ amount }) => amount)
      })
      assert.deepStrictEqual(yield* given("2031-01-07T15:30:00-05:00"), [7])
      assert.deepStrictEqual(yield* given("2031-01-07T17:30:00-05:00"), [])
      assert.deepStrictEqual(yield* given("2031-01-08T15:30:00-05:00"), [])
    })
  )

  it.effect("evaluate an order of somebody new with the tier that is asked for, which no member has", () =>
    Effect.gen(function* () {
      yield* enroll("tess")
      const program = file(demoId)
      const asked = { program, order: Testing.order("try-4", 1_000, Testing.placedNow) }
      const told = Effect.fnUntraced(function* (more: object) {
        const answer = exactly(Contract.Evaluated, (yield* post("/evaluate", { ...asked, ...more })).body)
        return [answer.estimated_accrual.amount, answer.tier_id] as const
      })
      assert.deepStrictEqual(yield* told({}), [100, "starter"])
      assert.deepStrictEqual(yield* told({ tier_id: "vip" }), [150, "vip"])
      assert.deepStrictEqual(yield* told({ member_id: "tess" }), [100, "starter"])
      for (const wrong of [{ tier_id: "gold" }, { tier_id: "vip", member_id: "tess" }]) {
        const refused = yield* post("/evaluate", { ...asked, ...wrong })
        assert.strictEqual(refused.status, 422)
        assert.deepStrictEqual(
          (refused.body["errors"] as ReadonlyArray<{ readonly path: string }>).map(({ path }) => path),
          ["/tier_id"]
        )
      }
    })
  )

  it.effect("tell of each promotion that an order does not get the first reason, in the order of the contract", () =>
    Effect.gen(function* () {
      const usd = (amount: number) => ({ amount, currency: "USD" })
      const reasons: Readonly<Record<string, object | undefined>> = {
        order_earns_nothing: undefined,
        disabled: { enabled: false },
        other_tier: { who: { tier_ids: ["vip"] } },
        joined_earlier: { who: { joined_within_days: 1 } },
        not_first_order: { who: { first_order: true } },
        other_location: { where: { location_ids: ["harbour"] } },
        other_channel: { where: { channels: ["web"] } },
        other_time: { when: { until: "2026-01-01" } },
        limit_reached: { limits: { per_member: { count: 1, every: "promotion" } } },
        no_such_products: { on: { product_ids: ["tea"] } },
        nothing_left: undefined,
        minimum_spend: { minimum_spend: usd(5_000) },
        another_gives_more: {},
        gives_nothing: { effect: { multiply_bps: 10_001 } },
        order_limit_reached: undefined
      }
      assert.deepStrictEqual(Object.keys(reasons), [...withheldReasons])
      const programWith = (limits: object) =>
        file(demoId, (json) => {
          json["limits"] = { ...(json["limits"] as object), ...limits }
          json["promotions"] = [
            { promotion_id: "best", name: "Best", effect: { add: 50 } },
            ...Object.entries(reasons).flatMap(([promotion_id, more]) =>
              more === undefined ? [] : [{ promotion_id, name: promotion_id, effect: { add: 9 }, ...more }]
            )
          ]
        })
      const withheld = Effect.fnUntraced(function* (id: string, amount: number, program = programWith({})) {
        const order = Testing.order(id, amount, Testing.placedNow)
        const answer = exactly(Contract.Evaluated, (yield* post("/evaluate", { program, order })).body)
        return Object.fromEntries(answer.withheld.map(({ promotion_id, reason }) => [promotion_id, reason]))
      })
      // Somebody new joins now, with the first order and no uses.
      const more = "another_gives_more" as const
      const beaten = { joined_earlier: more, not_first_order: more, limit_reached: more }
      const {
        order_earns_nothing: _,
        nothing_left: __,
        order_limit_reached: ___,
        ...each
      } = Object.fromEntries(Object.keys(reasons).map((one) => [one, one]))
      assert.deepStrictEqual(yield* withheld("try-5", 1_000), { ...each, ...beaten })
      // The base alone is the most that an order may earn, and then there is room for a part of the promotion.
      const capped = yield* withheld("try-7", 1_000, programWith({ points_per_order: 100 }))
      assert.deepStrictEqual(capped, { ...each, ...beaten, best: "order_limit_reached" })
      const roomy = yield* withheld("try-8", 1_000, programWith({ points_per_order: 101 }))
      assert.deepStrictEqual(roomy, { ...each, ...beaten })
      const nothing = yield* withheld("try-6", 50)
      assert.deepStrictEqual(new Set(Object.values(nothing)), new Set(["order_earns_nothing"]))
      assert.strictEqual(nothing["best"], "order_earns_nothing")
    })
  )

  it.effect("are shown to a caller limited to restaurants without the rules and the names of others", () =>
    Effect.gen(function* () {
      const rule = (promotion_id: string, location_ids?: ReadonlyArray<string>) => ({
        promotion_id,
        name: promotion_id,
        effect: { add: 5 },
        ...(location_ids === undefined ? {} : { where: { channels: ["web"], location_ids } })
      })
      const challenge = (challenge_id: string, location_ids: ReadonlyArray<string>) => ({
        challenge_id,
        name: challenge_id,
        count: { orders: 3 },
        where: { location_ids },
        gives: { reward_id: "one-off" }
      })
      const program = file("placed-club", (json) => {
        json["promotions"] = [rule("all"), rule("both", ["east", "west"]), rule("west", ["west"])]
        json["challenges"] = [challenge("west", ["west"])]
      })
      const published = yield* post("/publish", { program })
      assert.strictEqual(published.status, 200, JSON.stringify(published.body))
      const { secret } = yield* Operators.issue({ scopes: ["programs:read"], location_ids: ["east"] })
      const seen = exactly(ProgramShown, (yield* get("/placed-club", Operators.bearer(secret))).body).program
      assert.deepStrictEqual(
        seen.promotions?.map(({ promotion_id, where }) => [promotion_id, where]),
        [
          ["all", undefined],
          ["both", { channels: ["web"], location_ids: ["east"] }]
        ]
      )
      assert.notProperty(seen, "challenges")
      const {
        promotions: _,
        challenges: __,
        ...others
      } = exactly(ProgramShown, (yield* get("/placed-club")).body).program
      const { promotions: ___, ...left } = seen
      assert.deepStrictEqual(left, others)
    })
  )

  it.effect("let a token of some programmes see and change those alone, and publish, retire no new ones", () =>
    Effect.gen(function* () {
      yield* post("/publish", { program: file("coffee-club") })
      const seen = yield* get("", limited)
      assert.strictEqual(seen.status, 200, JSON.stringify(seen.body))
      const { programs } = exactly(ProgramList, seen.body)
      assert.deepStrictEqual(
        programs.map(({ program_id }) => program_id),
        ["coffee-club"]
      )
      const tries = {
        ok: [yield* get("/coffee-club", limited), yield* post("/publish", { program: file("coffee-club") }, limited)],
        forbidden: [
          yield* get(`/${demoId}`, limited),
          yield* get(`/${demoId}/versions`, limited),
          yield* get(`/${demoId}/versions/1`, limited),
          yield* post("/publish", { program: file(demoId) }, limited),
          yield* post("/publish", { program: file("tea-club") }, limited),
          yield* post("/validate", file(demoId), limited),
          yield* post("/preview", { program: file(demoId) }, limited),
          yield* post(
            "/evaluate",
            { program: file(demoId), order: Testing.order("o", 100, Testing.placedNow) },
            limited
          ),
          yield* post(`/${demoId}/rollback`, { version: 1 }, limited),
          yield* post(`/${demoId}/restore`, { reason: "mine" }, limited),
          yield* post("/coffee-club/retire", { reason: "mine" }, limited),
          yield* post("/coffee-club/restore", { reason: "mine" }, limited)
        ]
      }
      assert.deepStrictEqual(
        tries.ok.map(({ status }) => status),
        [200, 200]
      )
      assert.deepStrictEqual([...new Set(tries.forbidden.map(({ body }) => body["code"]))], ["forbidden"])
    })
  )

  it.effect("retire and restore a programme at once, and audit each change with it", () =>
    Effect.gen(function* () {
      yield* post("/publish", { program: file("delta") })
      const retired = yield* post("/delta/retire", { reason: "season is over" })
      assert.deepStrictEqual(exactly(Contract.StatusOfProgram, retired.body), {
        program_id: "delta",
        status: "retired"
      })
      assert.isTrue((yield* Programs).get("delta")?.isRetired)
      yield* post("/delta/restore", { reason: "a new season" })
      assert.isFalse((yield* Programs).get("delta")?.isRetired)
      assert.deepStrictEqual(yield* said(post("/nothing/retire", { reason: "x" })), [404, "not_found"])
      const entries = yield* TestDatabase.query(
        "SELECT action, actor_name, program_id, reason, changes::json -> 'after' ->> 'status' AS status FROM audit WHERE subject_id = 'delta' ORDER BY n"
      )
      assert.deepStrictEqual(
        entries.map((row) => ({ ...row })),
        [
          { action: "program.publish", actor_name: "root", program_id: "delta", reason: null, status: null },
          {
            action: "program.retire",
            actor_name: "root",
            program_id: "delta",
            reason: "season is over",
            status: "retired"
          },
          {
            action: "program.restore",
            actor_name: "root",
            program_id: "delta",
            reason: "a new season",
            status: "live"
          }
        ]
      )
    })
  )
})

/** Points for each dollar under a version. */
const amountOf = (version: number) => 10 + (version % 7)

it.layer(layer, { excludeTestServices: true })("publishing under load", (it) => {
  const connections = 64
  const versions = 50

  it.effect("fails no request; every accrual's points are those of the version that its record names", () =>
    Effect.gen(function* () {
      const port = yield* TestServer.port
      const agent = new http.Agent({ keepAlive: true, maxSockets: connections })
      yield* Effect.addFinalizer(() => Effect.sync(() => agent.destroy()))
      const post = (path: string, payload: unknown, authorization: string) =>
        Effect.callback<{ readonly status: number; readonly text: string }>((resume) => {
          const headers = { authorization, "content-type": "application/json" }
          const request = http.request({ port, path, method: "POST", agent, headers }, (response) => {
            let text = ""
            response.on("data", (chunk) => (text += String(chunk)))
            response.on("end", () => resume(Effect.succeed({ status: response.statusCode ?? 0, text })))
          })
          request.on("error", (error) => resume(Effect.succeed({ status: 0, text: String(error) })))
          request.end(JSON.stringify(payload))
        })
      const members = Array.from({ length: connections }, (_, index) => `guest-${index}`)
      yield* Effect.forEach(members, enroll, { concurrency: 16 })
      const failed: Array<string> = []
      const expect = (
        wanted: number,
        path: string,
        sent: Effect.Effect<{ readonly status: number; readonly text: string }>
      ) =>
        Effect.map(sent, ({ status, text }) => {
          if (status !== wanted) failed.push(`${path}: ${status} ${text}`)
        })
      const accrue = (member_id: string, version: number) => {
        // Few points, so that no member leaves the lowest tier.
        const order = Testing.order(`${member_id}-${version}`, 100, Testing.placedNow)
        const payload = { context: Testing.context(), member_id, order }
        return expect(201, "accruals", post("/proto/v1/accruals", payload, "Bearer proto-dev-token"))
      }
      const admin = (path: string, payload: unknown) =>
        expect(200, path, post(`${programsPath}${path}`, payload, root.authorization))
      for (let version = 2; version <= versions; version++) {
        const publish =
          version % 5 === 0
            ? admin(`/${demoId}/rollback`, { version: version - 2 })
            : admin("/publish", { program: earning(demoId, amountOf(version)) })
        const some = members.filter((_, index) => index % 2 === version % 2)
        const accruals = Effect.forEach(some, (member) => accrue(member, version), { concurrency: "unbounded" })
        yield* Effect.all([publish, accruals], { concurrency: "unbounded" })
      }
      assert.deepStrictEqual(failed.slice(0, 3), [])
      const wrong =
        yield* TestDatabase.query(`SELECT j.program_version, e ->> 'spend' AS spend, e ->> 'amount' AS amount, e -> 'rule' AS rule
        FROM journal j CROSS JOIN LATERAL json_array_elements(j.events::json) e
          JOIN programs p ON p.program_id = '${demoId}' AND p.version = j.program_version
        WHERE e ->> 'op' = 'accrual'
          AND ((e -> 'rule' ->> 0)::int <> (p.definition -> 'earning' -> 'rate' ->> 'amount')::int
            OR (e ->> 'amount')::int <> (e ->> 'spend')::int * (e -> 'rule' ->> 0)::int * (e -> 'rule' ->> 2)::int / 1000000)`)
      assert.deepStrictEqual(wrong, [])
      const [seen] = yield* TestDatabase.query("SELECT count(DISTINCT program_version)::int AS versions FROM journal")
      assert.isAbove(Number(seen?.["versions"]), versions / 2)
      assert.deepStrictEqual((yield* verify()).found, [])
      const [audited] = yield* TestDatabase.query(
        "SELECT count(*)::int AS entries FROM audit WHERE action LIKE 'program.%'"
      )
      assert.strictEqual(Number(audited?.["entries"]), versions)
      // A service that takes over now, as a standby does, knows the newest version.
      const taking = yield* Layer.build(Layer.fresh(instance))
      const sent = (path: string, payload: unknown, authorization: string) =>
        TestServer.send(path, payload, { headers: { authorization } })
      const shown = Effect.map(get(`/${demoId}`), (answer) => exactly(ProgramShown, answer.body).version)
      assert.strictEqual(yield* Effect.provideContext(shown, taking), versions)
      // One beside it, which has not looked since, decides by what the first has just published.
      yield* sent(`${programsPath}/publish`, { program: earning(demoId, 40) }, root.authorization)
      const payload = {
        context: Testing.context(),
        member_id: members[0],
        order: Testing.order("newest", 100, Testing.placedNow)
      }
      const accrued = yield* Effect.provideContext(
        sent("/proto/v1/accruals", payload, "Bearer proto-dev-token"),
        taking
      )
      assert.deepInclude(accrued.body["entry"], { amount: 40 })
    }).pipe(Effect.scoped)
  )
})
