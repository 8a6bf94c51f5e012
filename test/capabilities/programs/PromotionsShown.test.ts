/** contract/engagement.md *Promotions*, *Progress of challenges*: what guests may see of them, over HTTP. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { hash } from "node:crypto"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import { publicPromotions } from "../../../src/capabilities/programs/PromotionsShown.ts"
import { fromMillis } from "../../../src/contract/Values.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const tokens = [
  { token_sha256: hash("sha256", "reads-alone"), scopes: ["platform:read"], name: "app" },
  { token_sha256: hash("sha256", "till"), scopes: ["protocol:write", "protocol:read"], name: "till" },
  { token_sha256: hash("sha256", "writes-alone"), scopes: ["platform:write"], name: "writer" }
] as const

const usd = (amount: number) => ({ amount, currency: "USD" })
const evenings = [{ days: ["fri" as const], from: "22:00", until: "02:00" }]
const promotions = [
  {
    promotion_id: "tuesdays",
    name: "Tuesdays",
    description: "Double points.",
    effect: { multiply_bps: 20_000 },
    when: { weekly: [{ days: ["tue" as const], from: "00:00", until: "24:00" }] },
    minimum_spend: usd(500)
  },
  { promotion_id: "off", name: "Off", enabled: false, effect: { add: 5 } },
  { promotion_id: "over", name: "Over", effect: { add: 5 }, when: { until: "2020-01-31" } },
  {
    promotion_id: "gold",
    name: "For regulars",
    effect: { add: 5, multiplier_eligible: true },
    who: { tier_ids: ["vip"] }
  },
  {
    promotion_id: "daily",
    name: "Daily",
    effect: { add: 1 },
    limits: { per_member: { count: 1, every: "day" as const } }
  },
  {
    promotion_id: "later",
    name: "Later",
    effect: { add: 5 },
    when: { from: "2100-01-01" },
    where: { channels: ["web"] }
  }
]
const visits = (more: object) => ({ name: "Visits", count: { orders: 2 }, gives: { reward_id: "one-off" }, ...more })
const program = Testing.programOf({
  ...Testing.demoProgram.file,
  promotions,
  challenges: [
    visits({ challenge_id: "visits", description: "Every second order.", repeat: true }),
    visits({ challenge_id: "off", enabled: false }),
    visits({ challenge_id: "over", when: { until: "2020-01-31" } })
  ]
})

const shown = {
  program_id: program.id,
  time_zone: "America/New_York",
  promotions: [
    {
      promotion_id: "tuesdays",
      name: "Tuesdays",
      description: "Double points.",
      effect: { multiply_bps: 20_000, unit: "points" },
      when: { weekly: [{ days: ["tue"], from: "00:00", until: "24:00" }] },
      minimum_spend: usd(500)
    },
    { promotion_id: "gold", name: "For regulars", effect: { add: 5, unit: "points" }, for_some: true },
    { promotion_id: "daily", name: "Daily", effect: { add: 1, unit: "points" }, for_some: true },
    {
      promotion_id: "later",
      name: "Later",
      effect: { add: 5, unit: "points" },
      when: { from: "2100-01-01" },
      where: { channels: ["web"] }
    }
  ]
}

const get = (path: string, token: string) =>
  TestServer.send(`/platform/v1/${path}`, undefined, { method: "GET", headers: { authorization: `Bearer ${token}` } })

const post = (path: string, body: object) =>
  TestServer.send(path, JSON.stringify(body), { method: "POST", headers: { authorization: "Bearer till" } })

const list = (token: string) => get("promotions", token)

const layer = TestServer.layer(PgJournal.layer, tokens, undefined, [program], Pools.layer).pipe(
  Layer.provideMerge(TestDatabase.layer)
)

it.layer(layer, { excludeTestServices: true })("promotions for guests", (it) => {
  it.effect("are those that are enabled and not over, without whom they are for and how often", () =>
    Effect.gen(function* () {
      const { body, status } = yield* list("reads-alone")
      assert.deepStrictEqual([status, body], [200, shown])
      assert.deepStrictEqual((yield* list("writes-alone")).status, 403)
    })
  )

  it.effect("a member's progress of the challenges that are enabled and not over", () =>
    Effect.gen(function* () {
      const enrolled = yield* post("/proto/v1/members/enroll", {
        context: Testing.context(),
        program_id: program.id,
        member_id: "progress-ada",
        identity: { type: "loyalty_id", value: "progress-ada" }
      })
      assert.strictEqual(enrolled.status, 201)
      const progress = Effect.map(get("members/challenges?member_id=progress-ada", "reads-alone"), ({ body }) => body)
      const visited = (count: number, completed: number) => ({
        challenges: [
          {
            challenge_id: "visits",
            name: "Visits",
            description: "Every second order.",
            progress: count,
            needed: 2,
            completed
          }
        ]
      })
      assert.deepStrictEqual(yield* progress, visited(0, 0))
      for (const [order, left] of [
        ["progress-1", visited(1, 0)],
        ["progress-2", visited(0, 1)],
        ["progress-3", visited(1, 1)]
      ] as const) {
        yield* post("/proto/v1/accruals", {
          context: Testing.context(),
          member_id: "progress-ada",
          order: Testing.order(order, 1_000, Testing.placedNow)
        })
        assert.deepStrictEqual(yield* progress, left)
      }
      const nobody = yield* get("members/challenges?member_id=nobody", "reads-alone")
      assert.strictEqual(nobody.status, 404)
    })
  )
})

it("a retired programme has none", () => {
  assert.deepStrictEqual(publicPromotions({ ...program, isRetired: true }, 0).promotions, [])
})

const overAt = (when: object): string => {
  const { all } = Testing.programOf({
    ...Testing.demoProgram.file,
    promotions: [{ promotion_id: "one", name: "One", effect: { add: 1 }, when }]
  }).promotions
  const [one] = all
  assert.isDefined(one)
  let [low, high] = [Date.UTC(2026, 0), Date.UTC(2027, 0)]
  while (one !== undefined && high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (one.until <= middle) high = middle
    else low = middle
  }
  return fromMillis(high)
}

it("a promotion is over at its end, or with its last date, whose window may go past midnight", () => {
  assert.strictEqual(overAt({ until: "2026-07-03" }), "2026-07-04T04:00:00.000Z")
  assert.strictEqual(overAt({ until: "2026-07-03T12:00" }), "2026-07-03T16:00:00.000Z")
  assert.strictEqual(overAt({ dates: ["2026-07-03", "2026-07-10"] }), "2026-07-11T04:00:00.000Z")
  const night = "2026-07-04T06:00:00.000Z"
  assert.strictEqual(overAt({ dates: ["2026-07-03"], weekly: evenings }), night)
  assert.strictEqual(overAt({ dates: ["2026-07-03", "2026-07-06"], weekly: evenings }), night)
  for (const until of ["2026-07-03", "2026-07-04", "2026-07-09"])
    assert.strictEqual(overAt({ until, weekly: evenings }), night)
  assert.strictEqual(overAt({ until: "2026-07-04T00:30", weekly: evenings }), "2026-07-04T04:30:00.000Z")
  assert.strictEqual(overAt({ until: "2026-07-09T00:30", weekly: evenings }), night)
  assert.strictEqual(overAt({ until: "2026-07-03T12:00", weekly: evenings }), "2026-06-27T06:00:00.000Z")
  const never = "2026-01-01T00:00:00.001Z"
  assert.strictEqual(overAt({ dates: ["2026-07-10"], until: "2026-07-03" }), never)
  assert.strictEqual(overAt({ dates: ["2026-07-04"], weekly: evenings }), never)
})
