/** contract/operators.md *Promotions*: what promotions gave, and what they would have given to recorded orders. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { body, earn, enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import type { RecordedOrder } from "../../../src/capabilities/programs/PromotionTrial.ts"
import { Trial } from "../../../src/capabilities/programs/PromotionTrial.ts"
import { programsPath } from "../../../src/contract/admin/ProgramsInForce.ts"
import type { Previewed, PromotionFigures } from "../../../src/contract/admin/PromotionFigures.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import * as PgFeed from "../../../src/reads/feed/PgFeed.ts"
import { noTier } from "../../../src/reads/rollups/Ladder.ts"
import * as RollupStore from "../../../src/reads/rollups/RollupStore.ts"
import { Rollups } from "../../../src/reads/rollups/Rollups.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as Scenario from "../../reads/reconcile/Scenario.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const usd = (amount: number) => ({ amount, currency: "USD" })
const withPromotions = (promotions: ReadonlyArray<object>) =>
  Testing.programOf({ ...Testing.demoProgram.file, promotions })

const feast = { promotion_id: "feast", name: "Feast", effect: { add: 50 }, minimum_spend: usd(2_000) }
const program = withPromotions([
  feast,
  { promotion_id: "quiet", name: "Quiet", effect: { add: 1 }, when: { until: "2020-01-01" } }
])
const layer = Rollups.layer.pipe(
  Layer.provideMerge(Layer.merge(PgFeed.layer, RollupStore.layer)),
  Layer.provideMerge(TestServer.layer(PgJournal.layer, [], undefined, [program], Pools.layer)),
  Layer.provideMerge(TestDatabase.layer)
)

const headers = { authorization: "Bearer proto-dev-admin-key" }
const path = `${programsPath}/${program.id}/promotions`
const figures = (query = "") => TestServer.send(`${path}${query}`, undefined, { method: "GET", headers })
const preview = (file: object) => TestServer.send(`${path}/preview`, { program: file }, { headers })

/** `cents`: change of the eligible spend. */
const adjusted = (order: string, type: "void" | "partial_refund" | "correction", cents: number) =>
  body(
    Testing.call("order.adjust", {
      context: Testing.context(),
      member_id: "bob",
      program_id: program.id,
      adjustment: {
        adjustment_id: `${type}-${order}`,
        original_order_id: order,
        type,
        reason: "test",
        occurred_at: new Date().toISOString(),
        order_total_delta: usd(cents),
        eligible_spend_delta: usd(cents)
      }
    })
  )

it.layer(layer, { excludeTestServices: true })("for operators", (it) => {
  it.effect("promotions have uses, points, and orders with and without them, closed orders left out", () =>
    Effect.gen(function* () {
      for (const guest of ["ada", "bob"]) yield* enroll(guest)
      for (const [guest, order, amount] of [
        ["ada", "o-1", 2_500],
        ["ada", "o-2", 1_000],
        ["bob", "o-3", 3_001],
        ["bob", "voided", 4_000],
        ["bob", "in-parts", 5_000],
        ["bob", "small-voided", 500]
      ] as const)
        yield* earn(guest, order, amount)
      yield* adjusted("voided", "void", -4_000)
      yield* adjusted("small-voided", "void", -500)
      yield* adjusted("in-parts", "partial_refund", -5_000)
      yield* earn("bob", "returned", 2_000)
      yield* adjusted("returned", "partial_refund", -2_000)
      yield* Scenario.countRollups
      yield* adjusted("returned", "correction", 2_000)
      yield* Scenario.countRollups
      const { body: told, status } = yield* figures()
      assert.strictEqual(status, 200, JSON.stringify(told))
      assert.deepStrictEqual((told as unknown as PromotionFigures).promotions, [
        {
          promotion_id: "feast",
          points: [{ unit: "points", amount: 150 }],
          with: { count: 3, eligible_spend: usd(7_501), average: usd(2_500) },
          without: { count: 1, eligible_spend: usd(1_000), average: usd(1_000) }
        },
        {
          promotion_id: "quiet",
          points: [],
          with: { count: 0, eligible_spend: usd(0), average: usd(0) },
          without: { count: 4, eligible_spend: usd(8_501), average: usd(2_125) }
        }
      ])
      // A quarter of an hour, days of UTC, and quarters of an hour.
      for (const days of [0.005, 1.3, 40]) {
        const from = new Date(Date.now() - days * 86_400_000).toISOString()
        const { promotions } = (yield* figures(`?from=${from}`)).body as unknown as PromotionFigures
        assert.deepStrictEqual(
          promotions.map((one) => [one.with.count, one.without.count]),
          [
            [3, 1],
            [0, 4]
          ]
        )
      }
      const before = yield* figures("?until=2020-01-01T00:00:00Z")
      assert.deepStrictEqual(
        (before.body as unknown as PromotionFigures).promotions.map((one) => [one.with.count, one.without.count]),
        [
          [0, 0],
          [0, 0]
        ]
      )
      for (const query of ["?from=2100-01-01T00:00:00Z", "?from=2020-01-01T00:00:00Z"])
        assert.strictEqual((yield* figures(query)).status, 422, query)
    })
  )

  it.effect("a draft's promotions are tried on last week's orders, save those on certain products", () =>
    Effect.gen(function* () {
      const draft = withPromotions([
        { promotion_id: "double", name: "Double", effect: { multiply_bps: 20_000 } },
        { promotion_id: "here", name: "Here", effect: { add: 500 }, where: { location_ids: ["location-2"] } },
        { promotion_id: "bowls", name: "Bowls", effect: { add: 5 }, on: { category_ids: ["bowls"] } }
      ])
      const { body: tried, status } = yield* preview(draft.file)
      assert.strictEqual(status, 200, JSON.stringify(tried))
      const { from: _, until: __, ...rest } = tried as unknown as Previewed
      assert.deepStrictEqual(rest, {
        orders: 4,
        all_taken: true,
        points: [{ unit: "points", amount: 950 }],
        promotions: [
          { promotion_id: "double", orders: 4, points: [{ unit: "points", amount: 950 }] },
          { promotion_id: "here", orders: 0, points: [] }
        ],
        untried: ["bowls"]
      })
      const faulty = yield* preview({ ...draft.file, promotions: [{ ...feast, effect: {} }] })
      assert.deepInclude(faulty, { status: 422 })
      assert.strictEqual((yield* preview({ ...draft.file, program_id: "another" })).status, 422)
    })
  )

  it.effect("a range shows the same once the figures of its orders are deleted: closed orders stay taken off", () =>
    Effect.gen(function* () {
      const shown = Effect.map(figures(), ({ body }) => (body as unknown as PromotionFigures).promotions)
      const ids = Effect.map(TestDatabase.query("SELECT order_id FROM rollup_orders ORDER BY order_id"), (rows) =>
        rows.map(({ order_id }) => order_id)
      )
      const before = yield* shown
      const all = yield* ids
      // As 26 months later, but for the newest order.
      yield* TestDatabase.query(
        "SELECT f.* FROM (SELECT max(at) AS newest FROM rollup_orders) o, forget_orders(o.newest, 100) f"
      )
      assert.deepStrictEqual(yield* ids, ["in-parts", "returned", "small-voided", "voided"], `of ${all}`)
      assert.deepStrictEqual(yield* shown, before)
      const { found } = yield* Scenario.verify()
      assert.deepStrictEqual(found, [])
    })
  )
})

describe("a trial", () => {
  const at = Date.UTC(2026, 6, 14, 16)
  const hour = 3_600_000
  const order = (account: number, hours: number, more: Partial<RecordedOrder> = {}): RecordedOrder => ({
    account,
    at: at + hours * hour,
    location: "location-1",
    spend: 1_000,
    joined: 0,
    tier: noTier,
    isFirst: false,
    ...more
  })
  /** How many orders each promotion would have given to. */
  const given = (promotions: ReadonlyArray<object>, orders: ReadonlyArray<RecordedOrder>) => {
    const trial = new Trial(withPromotions(promotions), at)
    for (const one of orders) trial.order(one)
    return trial.result.promotions.map(({ orders }) => orders)
  }
  const plus = (more: object) => ({ promotion_id: "one", name: "One", effect: { add: 1 }, ...more })

  it("counts a member's uses within the window", () => {
    const daily = plus({ limits: { per_member: { count: 1, every: "day" } } })
    assert.deepStrictEqual(given([daily], [order(1, 0), order(1, 1), order(2, 2), order(1, 24)]), [3])
  })

  it("goes by time, place, spend, tier and first order, and takes every order for one of an allowed channel", () => {
    const afternoon = { weekly: [{ days: ["tue"], from: "12:00", until: "13:00" }] }
    assert.deepStrictEqual(given([plus({ when: afternoon })], [order(1, 0), order(2, 1)]), [1])
    assert.deepStrictEqual(
      given([plus({ minimum_spend: usd(1_001) })], [order(1, 0), order(2, 0, { spend: 1_001 })]),
      [1]
    )
    assert.deepStrictEqual(
      given([plus({ who: { first_order: true } })], [order(1, 0, { isFirst: true }), order(1, 1)]),
      [1]
    )
    assert.deepStrictEqual(given([plus({ where: { channels: ["web"] } })], [order(1, 0)]), [1])
    assert.deepStrictEqual(given([plus({ who: { tier_ids: ["vip"] } })], [order(1, 0)]), [0])
  })

  it("gives nothing to an order below the programme's minimum", () => {
    assert.deepStrictEqual(given([plus({})], [order(1, 0, { spend: 99 }), order(1, 1, { spend: 100 })]), [1])
  })
})
