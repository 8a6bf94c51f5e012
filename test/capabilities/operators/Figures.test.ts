/** `GET /overview` over HTTP: days, periods that end by themselves, and whose it is. Holds contract/operators.md *Overview*. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { hash } from "node:crypto"
import { body, credit, enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import type { Overview } from "../../../src/contract/admin/Overview.ts"
import * as MemoryJournal from "../../../src/core/journal/MemoryJournal.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import { stamps } from "../../reads/rollups/Traffic.ts"

/** The last evening of the year in New York, where the demo's tier policy is. */
const start = Date.UTC(2026, 11, 31, 23)
const limited = "token-of-coffee-stamps"
const tokens = [
  {
    token_sha256: hash("sha256", limited),
    scopes: ["admin:read"] as const,
    programs: ["coffee-stamps"]
  }
]
/** A service of the test's own: no test depends on another one's guests or time. */
const served = Effect.provide(
  Layer.fresh(
    TestServer.layer(MemoryJournal.layer.pipe(Layer.provideMerge(MemoryJournal.MemoryStorage.layer)), tokens, start, [
      Testing.demoProgram,
      stamps
    ])
  )
)

const asked = (path: string, key = "proto-dev-admin-key") =>
  TestServer.send(`/admin/api/v1${path}`, undefined, { method: "GET", headers: { authorization: `Bearer ${key}` } })
const overview = Effect.map(asked("/overview?program_id=demo-foodservice"), ({ body }) => body as unknown as Overview)
const advance = (by: string) =>
  TestServer.send("/admin/api/v1/clock", { advance: by }, { headers: { authorization: "Bearer proto-dev-admin-key" } })

/** Ada's order of New Year's Eve, and 40 points of Ben that end on 20 January. */
const points = Effect.gen(function* () {
  yield* enroll("ada")
  yield* enroll("ben")
  const order = Testing.order("order-1", 9_000, Testing.placedAt(start))
  yield* body(Testing.call("accrual.post", { context: Testing.context(), member_id: "ada", order }))
  yield* credit("ben", 40, "2027-01-20T00:00:00Z")
})

describe("the operators' figures", () => {
  it.effect("count the programme's day, and a tier until its period is over, without any event", () =>
    Effect.gen(function* () {
      yield* points
      const before = yield* overview
      assert.deepInclude(before, { program_id: "demo-foodservice", as_of: "2026-12-31T23:00:00.000Z" })
      assert.deepStrictEqual(before.members, {
        total: 2,
        active: 2,
        suspended: 0,
        closed: 0,
        by_tier: [
          { tier_id: "starter", members: 1 },
          { tier_id: "regular", members: 1 },
          { tier_id: "vip", members: 0 }
        ]
      })
      assert.deepStrictEqual(before.points, [{ unit: "points", outstanding: 940, reserved: 0, expiring_30_days: 40 }])
      const money = (amount: number) => ({ amount, currency: "USD" })
      const quiet = { orders: 0, eligible_spend: money(0), issued: 0, redeemed: 0, expired: 0, adjusted: 0 }
      const busy = { ...quiet, orders: 1, eligible_spend: money(9_000), issued: 900, adjusted: 40 }
      assert.deepStrictEqual(before.today, busy)

      // 23:59 in New York: still that day and that year. A minute later neither.
      yield* advance("PT5H59M")
      assert.deepStrictEqual((yield* overview).today, busy)
      yield* advance("PT1M")
      const after = yield* overview
      assert.deepStrictEqual(after.today, quiet)
      assert.deepStrictEqual(
        after.members.by_tier.map(({ members }) => members),
        [2, 0, 0]
      )
    }).pipe(served)
  )

  it.effect("know by the day what expires within 30 days, and what has expired", () =>
    Effect.gen(function* () {
      yield* points
      assert.strictEqual((yield* overview).points[0]?.expiring_30_days, 40)
      yield* advance("P19DT2H")
      const after = yield* overview
      assert.deepInclude(after.points[0], { outstanding: 900, expiring_30_days: 0 })
      assert.strictEqual(after.today.expired, 40)
      // The points of New Year's Eve end a year later.
      yield* TestServer.send(
        "/admin/api/v1/clock",
        { set: "2027-12-01T22:00:00Z" },
        { headers: { authorization: "Bearer proto-dev-admin-key" } }
      )
      assert.strictEqual((yield* overview).points[0]?.expiring_30_days, 0)
      yield* advance("PT1H")
      assert.strictEqual((yield* overview).points[0]?.expiring_30_days, 900)
    }).pipe(served)
  )

  it.effect("are of the caller's programmes alone", () =>
    Effect.gen(function* () {
      yield* enroll("ada")
      const own = yield* asked("/overview", limited)
      assert.deepInclude(own.body, { program_id: "coffee-stamps" })
      assert.deepStrictEqual((own.body as unknown as Overview).members.by_tier, [])
      assert.strictEqual((yield* asked("/overview?program_id=demo-foodservice", limited)).status, 403)
      assert.strictEqual((yield* asked("/overview?program_id=unknown", limited)).status, 403)
      assert.strictEqual((yield* asked("/overview?program_id=unknown")).status, 404)
      assert.strictEqual((yield* asked("/overview", "proto-dev-token")).status, 403)
      assert.strictEqual((yield* asked("/overview?sort=name")).status, 422)
    }).pipe(served)
  )
})
