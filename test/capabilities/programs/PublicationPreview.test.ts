/** contract/operators.md *Preview of a publication*: what publishing a definition would do. */
import { PgTypes } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { earn, enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import { PeoplePool } from "../../../src/base/database/Pools.ts"
import type { RecordedOrder } from "../../../src/capabilities/programs/PromotionTrial.ts"
import { Trial } from "../../../src/capabilities/programs/PromotionTrial.ts"
import { programsPath } from "../../../src/contract/admin/ProgramsInForce.ts"
import {
  maxCountedMembers,
  maxTriedOrders,
  PublicationPreview
} from "../../../src/contract/admin/PublicationPreview.ts"
import { strictDecoder } from "../../../src/contract/Decode.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import { valueOf } from "../../../src/core/rules/Rewards.ts"
import * as PgFeed from "../../../src/reads/feed/PgFeed.ts"
import { noTier } from "../../../src/reads/rollups/Ladder.ts"
import * as RollupReads from "../../../src/reads/rollups/RollupReads.ts"
import * as RollupStore from "../../../src/reads/rollups/RollupStore.ts"
import { Rollups } from "../../../src/reads/rollups/Rollups.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as Scenario from "../../reads/reconcile/Scenario.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const { challenges: _, promotions: __, ...demo } = Testing.demoProgram.file
const feast = {
  promotion_id: "feast",
  name: "Feast",
  effect: { add: 50 },
  minimum_spend: { amount: 2_000, currency: "USD" }
}
const walk = { promotion_id: "walk", name: "Walk", effect: { add: 1 } }
const bowls = { promotion_id: "bowls", name: "Bowls", effect: { add: 5 }, on: { category_ids: ["bowls"] } }
const trips = {
  challenge_id: "trips",
  name: "Trips",
  count: { orders: 4 },
  every: "year",
  gives: { reward_id: "one-off" }
}
const program = Testing.programOf({ ...demo, promotions: [feast, walk], challenges: [trips] })
const crowd = Testing.programOf({ ...demo, program_id: "crowd" })

const reads = RollupReads.layer.pipe(Layer.provide(PgFeed.layer))
const layer = Rollups.layer.pipe(
  Layer.provideMerge(Layer.merge(PgFeed.layer, RollupStore.layer)),
  Layer.provideMerge(
    TestServer.layerFor(PgJournal.layer, Programs.layerFrom([program, crowd]), Pools.layer, [], undefined, reads)
  ),
  Layer.provideMerge(TestDatabase.layer)
)

const headers = { authorization: "Bearer proto-dev-admin-key" }
const ask = (file: object) => TestServer.send(`${programsPath}/preview`, { program: file }, { headers })

/** The answer, which must be exactly of its schema. */
const preview = (file: object) =>
  Effect.map(ask(file), ({ body, status }): PublicationPreview => {
    assert.strictEqual(status, 200, JSON.stringify(body))
    return Result.getOrThrowWith(strictDecoder(PublicationPreview)(body), (faults) => new Error(JSON.stringify(faults)))
  })

const points = (amount: number) => [{ unit: "points" as const, amount }]

it.layer(layer, { excludeTestServices: true })("a preview", (it) => {
  it.effect("tells members by tier, what recorded orders would earn, and which offers come, go and change", () =>
    Effect.gen(function* () {
      for (const guest of ["ada", "bob"]) yield* enroll(guest)
      yield* earn("ada", "o-1", 2_500)
      yield* earn("ada", "o-2", 1_000)
      yield* earn("bob", "o-3", 1_001)
      yield* Scenario.countRollups
      const same = yield* preview(program.file)
      assert.deepInclude(same, { version: 1, rewards: [], promotions: [], challenges: [] })
      assert.deepStrictEqual(same.members, {
        total: 2,
        counted: 2,
        tiers: [
          { tier_id: "starter", name: "Starter", before: 2, after: 2 },
          { tier_id: "regular", name: "Regular", before: 0, after: 0 },
          { tier_id: "vip", name: "VIP", before: 0, after: 0 }
        ]
      })
      // 250 + 100 + 100 by spend, 50 for the feast, 1 for each of the others.
      assert.deepInclude(same.orders, { total: 3, count: 3, before: points(502), after: points(502), untried: [] })
      assert.isTrue((same.orders.from ?? "") < (same.orders.until ?? ""))

      const [first, ...others] = demo.rewards
      const [starter, regular] = demo.tiers ?? []
      const changed = yield* preview({
        ...demo,
        // Ada has earned 402 points, Bob 101.
        tiers: [starter, { ...regular, minimum: 200 }],
        rewards: [
          { ...first, name: "Another name" },
          ...others.slice(1),
          { ...first, reward_id: "new-one", name: "New" }
        ],
        promotions: [{ ...feast, effect: { add: 60 } }, bowls],
        challenges: [{ challenge_id: "visits", name: "Visits", count: { orders: 5 }, gives: { reward_id: "new-one" } }]
      })
      assert.deepStrictEqual(changed.members.tiers, [
        { tier_id: "starter", name: "Starter", before: 2, after: 1 },
        { tier_id: "regular", name: "Regular", before: 0, after: 1 },
        { tier_id: "vip", name: "VIP", before: 0 }
      ])
      // Ada's orders earn 1.2 times the points by spend, as she would be a regular.
      assert.deepInclude(changed.orders, {
        before: points(502),
        after: points(300 + 120 + 100 + 60),
        untried: ["bowls"]
      })
      assert.deepStrictEqual(changed.rewards, [
        { reward_id: first?.reward_id ?? "", name: "Another name", change: "changed" },
        { reward_id: "new-one", name: "New", change: "added" },
        { reward_id: others[0]?.reward_id ?? "", name: others[0]?.name ?? "", change: "removed" }
      ])
      assert.deepStrictEqual(changed.promotions, [
        { promotion_id: "feast", name: "Feast", change: "changed" },
        { promotion_id: "bowls", name: "Bowls", change: "added" },
        { promotion_id: "walk", name: "Walk", change: "removed" }
      ])
      assert.deepStrictEqual(changed.challenges, [
        { challenge_id: "visits", name: "Visits", change: "added" },
        { challenge_id: "trips", name: "Trips", change: "removed" }
      ])
      // A card of points: 100 of 350 and 152 points, Ada's first order fills three of the cards.
      const { effect, name = "", reward_id = "" } = first ?? {}
      const worth = effect === undefined ? undefined : valueOf(effect)
      const card = { unit: "points", threshold: 100, reward_id, resets: true }
      const { orders } = yield* preview({ ...program.file, stamp_card: card })
      assert.notProperty(orders, "card_before")
      assert.deepStrictEqual(orders.card_after, {
        reward_id,
        name,
        rewards: 5,
        ...(worth && { cost: { ...worth, amount: worth.amount * 5 } }),
        most_for_one_order: 3
      })
      // Of a card that only products fill, recorded orders tell nothing.
      const stamps = { unit: "stamps", is_primary: false }
      const perItem = { ...bowls, promotion_id: "card", effect: { add_per_item: 1, unit: "stamps" } }
      const untold = yield* preview({
        ...program.file,
        accounts: [...(program.file.accounts ?? []), stamps],
        promotions: [perItem],
        stamp_card: { ...card, unit: "stamps" }
      })
      assert.deepStrictEqual(untold.orders.untried, ["card"])
      assert.notProperty(untold.orders, "card_after")
    })
  )

  it.effect("tells who completes an easier challenge at once, and what that costs", () =>
    Effect.gen(function* () {
      // Nobody has so many orders in the tests before.
      for (const [guest, orders] of [
        ["cleo", 3],
        ["dora", 6]
      ] as const) {
        yield* enroll(guest)
        for (let n = 0; n < orders; n++) yield* earn(guest, `${guest}-${n}`, 1_000)
      }
      yield* Scenario.countRollups
      const completes = (changed: object) =>
        Effect.map(
          preview({ ...program.file, challenges: [{ ...trips, ...changed }] }),
          ({ challenges }) => challenges[0]?.completes
        )
      const { looked_at = 0, total, ...three } = (yield* completes({ count: { orders: 3 } })) ?? {}
      assert.isAtLeast(looked_at, 2)
      assert.strictEqual(looked_at, total)
      const reward = { reward_id: "one-off", name: program.rewards.get("one-off")?.name ?? "" }
      const cost = (amount: number) => ({ amount, currency: "USD" })
      // Dora's fourth order has completed it.
      assert.deepStrictEqual(three, { guests: 1, ...reward, rewards: 1, cost: cost(100) })
      assert.deepInclude(yield* completes({ count: { orders: 3 }, repeat: true }), {
        guests: 2,
        rewards: 2,
        cost: cost(200)
      })
      assert.deepInclude(yield* completes({ repeat: true }), { guests: 0, rewards: 0, cost: cost(0) })
      // No easier one, and progress that starts anew.
      assert.isUndefined(yield* completes({ count: { orders: 5 } }))
      assert.isUndefined(yield* completes({ name: "Tours" }))
      assert.isUndefined(yield* completes({ count: { orders: 1 }, every: "month" }))
    })
  )

  it.effect("of a new programme has no members and no orders, and of a faulty definition its faults", () =>
    Effect.gen(function* () {
      const fresh = yield* preview({ ...demo, program_id: "fresh" })
      assert.isUndefined(fresh.version)
      assert.deepInclude(fresh.members, { total: 0, counted: 0 })
      assert.deepStrictEqual(fresh.members.tiers[0], { tier_id: "starter", name: "Starter", after: 0 })
      assert.deepStrictEqual(fresh.orders, { total: 0, count: 0, before: [], after: [], untried: [] })
      assert.isTrue(fresh.rewards.every(({ change }) => change === "added"))
      const faulty = yield* ask({ ...demo, promotions: [{ ...feast, effect: {} }] })
      assert.strictEqual(faulty.status, 422)
      assert.include(JSON.stringify(faulty.body["errors"]), "/program/promotions/0/effect")
    })
  )

  it.effect("counts a sample of many members and of their orders, and says how many", () =>
    Effect.gen(function* () {
      const { query } = yield* PeoplePool
      const total = 2 * maxCountedMembers
      const parameters = [PgTypes.text(crowd.id), PgTypes.int4(total)]
      // Every second one has reached the tier of 500 points. No other test has accounts of these numbers.
      yield* query(
        `INSERT INTO member_rollups (account, seq, program_id, member_id, status, joined, tier_id, tier_period, period, units)
          SELECT 1000000 + n, 1, $1, 'm' || n, 'active', 0, 'starter', -1, $3,
            json_build_array(json_build_array('points', 0, 0, 0, (n % 2) * 500)) FROM generate_series(1, $2) n`,
        [...parameters, PgTypes.int8(BigInt(Date.UTC(new Date().getUTCFullYear(), 0, 1, 5)))]
      )
      yield* query(
        `INSERT INTO rollup_members (program_id, status, tier_period, tier_id, members) VALUES ($1, 'active', -1, 'starter', $2)`,
        parameters
      )
      const { members, orders: none } = yield* preview(crowd.file)
      assert.deepStrictEqual(none, { total: 0, count: 0, before: [], after: [], untried: [] })
      assert.strictEqual(members.total, total)
      assert.isAbove(members.counted, 0.8 * maxCountedMembers)
      assert.isBelow(members.counted, 1.2 * maxCountedMembers)
      const [starter, regular] = members.tiers
      assert.strictEqual((starter?.after ?? 0) + (regular?.after ?? 0), members.counted)
      assert.closeTo((regular?.after ?? 0) / members.counted, 0.5, 0.05)

      // Two orders of each: of 40,000 in 30 days those of every fortieth guest are tried.
      yield* query(
        `INSERT INTO rollup_orders (account, order_id, program_id, at, business, accrued, earned_by)
          SELECT m.account, 'o' || k, $1, $3::int8 - k * 86400000 - m.account % 86400000, 0, 1000, m.account
          FROM member_rollups m, generate_series(0, $2 - 1) k WHERE m.program_id = $1`,
        [PgTypes.text(crowd.id), PgTypes.int4(2), PgTypes.int8(BigInt(Date.now()))]
      )
      yield* query(
        `INSERT INTO rollup_activity (program_id, unit, location_id, quarter, orders, eligible_spend, issued, redeemed, reversed,
            expired, adjusted, closed)
          SELECT $1, 'points', '', at / 900000 * 900000, count(*), 0, 0, 0, 0, 0, 0, 0 FROM rollup_orders
          WHERE program_id = $1 GROUP BY 4`,
        [PgTypes.text(crowd.id)]
      )
      // As the database does by itself: its plans go by what it knows of the tables.
      yield* query("ANALYZE member_rollups, rollup_orders")
      const { orders } = yield* preview(crowd.file)
      assert.strictEqual(orders.total, 2 * total)
      assert.isAbove(orders.count, 0.9 * maxTriedOrders)
      assert.isBelow(orders.count, 1.1 * maxTriedOrders)
      assert.isAtMost(Date.parse(orders.from ?? ""), Date.now() - 86_400_000)
      // 100 points by spend, 1.2 times as many for half of the guests.
      assert.closeTo((orders.after[0]?.amount ?? 0) / orders.count, 110, 12)
      assert.deepStrictEqual((yield* preview(crowd.file)).orders, orders)
      // With a limit of one order a day each guest's orders, on two days, count all.
      const once = yield* preview({ ...crowd.file, limits: { ...demo.limits, orders_per_member_and_day: 1 } })
      assert.deepStrictEqual(once.orders.after, orders.after)
    })
  )
})

describe("what orders would earn", () => {
  const at = Date.UTC(2026, 6, 14, 16)
  const earned = (more: object, orders: number) => {
    const trial = new Trial(Testing.programOf({ ...demo, ...more }), at)
    for (let n = 0; n < orders; n++)
      trial.order({
        account: 1,
        at: at + n,
        location: "location-1",
        spend: 1_000,
        joined: 0,
        tier: noTier,
        isFirst: false
      } satisfies RecordedOrder)
    return trial.earned
  }

  it("keeps to the limits of an order and of a member's day", () => {
    assert.deepStrictEqual(earned({}, 3), points(300))
    assert.deepStrictEqual(earned({ limits: { ...demo.limits, points_per_order: 70 } }, 3), points(210))
    assert.deepStrictEqual(earned({ limits: { ...demo.limits, orders_per_member_and_day: 2 } }, 3), points(200))
    const order_total = { amount: 999, currency: "USD" }
    assert.deepStrictEqual(earned({ limits: { ...demo.limits, order_total } }, 3), [])
    assert.deepStrictEqual(
      earned({ promotions: [walk], limits: { ...demo.limits, points_per_order: 100 } }, 2),
      points(200)
    )
  })
})
