/**
 * contract/engagement.md *Analytics*: what is owed is points of active and suspended members and what is in their wallets;
 * of days that are over it is what was owed at the last one's end, as it was valued then, or not recorded.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import { WorkPool } from "../../../src/base/database/Pools.ts"
import * as Analytics from "../../../src/capabilities/analytics/Analytics.ts"
import { unitOf } from "../../../src/core/account/domain/State.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import { dateAt, dayStart } from "../../../src/core/rules/Calendar.ts"
import * as PgFeed from "../../../src/reads/feed/PgFeed.ts"
import * as Owed from "../../../src/reads/rollups/Owed.ts"
import * as RollupReads from "../../../src/reads/rollups/RollupReads.ts"
import * as RollupStore from "../../../src/reads/rollups/RollupStore.ts"
import { Rollups } from "../../../src/reads/rollups/Rollups.ts"
import { issue, manual, reserve, status } from "../../core/account/domain/Scenario.ts"
import * as RandomOf from "../../model/Random.ts"
import * as Scenario from "../../reads/reconcile/Scenario.ts"
import { demo as plain, stamps, Traffic } from "../../reads/rollups/Traffic.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const point_value = { points: 100, worth: { amount: 75, currency: "USD" } }
const demo = Testing.programOf({ ...plain.file, point_value })

const all = Layer.mergeAll(RollupReads.layer, Rollups.layer, Pools.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(PgFeed.layer, PgJournal.layer, RollupStore.layer)),
  Layer.provideMerge(Programs.layerFrom([demo, stamps])),
  Layer.provideMerge(TestDatabase.layer)
)

const usd = (amount: number) => ({ amount, currency: "USD" })
const minuteMs = 60_000
const dayMs = 86_400_000

/** The answer about `from` until `until`; undefined: until now. */
const asked = Effect.fnUntraced(function* (now: number, until?: number) {
  const { answer } = yield* Analytics.make
  const range = until === undefined ? {} : { until: new Date(until).toISOString() }
  return (yield* answer(demo, yield* Analytics.questionOf(demo, range, now))).loyalty
})

layer(all, { excludeTestServices: true })("what is owed after any history", (it) => {
  it.effect("is what the states say, after any history, whoever has left or was merged", () =>
    Effect.gen(function* () {
      const traffic = new Traffic("o", RandomOf.make(21, "traffic"))
      yield* traffic.run(400)
      yield* Scenario.countRollups
      const { query } = yield* WorkPool
      for (const program of [demo, stamps]) {
        const present = traffic.members
          .filter((one) => one.program.id === program.id && one.state.status !== "closed")
          .map(({ state }) => state)
        const open = present
          .flatMap(({ rewards }) => rewards)
          .filter((one) => one.status === "issued" && (one.expires ?? Number.POSITIVE_INFINITY) > traffic.now)
        const found = yield* Owed.count(query, program, traffic.now)
        assert.strictEqual(
          found.points,
          present.reduce((sum, state) => sum + unitOf(state, program.primaryUnit).posted, 0)
        )
        assert.isAbove(open.length, 0)
        assert.deepStrictEqual(
          new Map(found.rewards.map(({ count, reward }) => [reward, count])),
          new Map([...Map.groupBy(open, ({ reward }) => reward)].map(([reward, { length }]) => [reward, length]))
        )
      }
    })
  )
})

layer(all, { excludeTestServices: true })("the worth of what is owed", (it) => {
  it.effect(
    "is valued now, and of a day that is over as it was at its end; before the first closing it was not recorded",
    () =>
      Effect.gen(function* () {
        const traffic = new Traffic("c", RandomOf.make(22, "traffic"))
        const [ann, bob, eve] = [
          yield* traffic.enroll("c-ann"),
          yield* traffic.enroll("c-bob"),
          yield* traffic.enroll("c-eve")
        ]
        for (const [member, points] of [
          [ann, 1_000],
          [bob, 200],
          [eve, 5_000]
        ] as const)
          yield* traffic.act(member, manual(points, { adjustment: `given-${member.name}` }))
        // A discount of 1.00, an item of at most 12.00, and two that have no value.
        yield* traffic.act(ann, issue("c-1", { reward: "one-off" }))
        yield* traffic.act(bob, issue("c-2", { reward: "free-bowl" }))
        yield* traffic.act(bob, issue("c-3", { reward: "summer-special" }))
        yield* traffic.act(bob, status("suspended"))
        yield* traffic.act(eve, issue("c-4", { reward: "one-off" }))
        yield* traffic.act(eve, status("closed"))
        yield* Scenario.countRollups

        const midnight = dayStart(demo.zone, dateAt(demo.zone, traffic.now) + dayMs)
        const record = yield* Owed.closings
        // Two hours late nobody knows any more what it was, and before midnight nobody knows yet.
        for (const at of [midnight - minuteMs, midnight + 120 * minuteMs]) yield* record(at)
        assert.isUndefined((yield* asked(midnight + 121 * minuteMs, midnight)).owed)
        yield* record(midnight + minuteMs)
        yield* traffic.act(ann, manual(10_000, { adjustment: "later" }))
        yield* Scenario.countRollups
        // Another node, or this one after a start.
        yield* (yield* Owed.closings)(midnight + 2 * minuteMs)

        const rewards = [
          { reward_id: "free-bowl", count: 1, worth: usd(1_200) },
          { reward_id: "one-off", count: 1, worth: usd(100) },
          { reward_id: "summer-special", count: 1, worth: usd(0) }
        ]
        const now = midnight + 180 * minuteMs
        const { as_of: _, ...present } = (yield* asked(now)).owed ?? assert.fail("it is known now")
        const worth = (points: number) => usd((points * 75) / 100 + 1_300)
        assert.deepStrictEqual(present, { unit: "points", points: 11_200, rewards, worth: worth(11_200) })
        assert.deepStrictEqual((yield* asked(now, midnight)).owed, {
          day: new Date(midnight - dayMs / 2).toISOString().slice(0, 10),
          as_of: new Date(midnight + minuteMs).toISOString(),
          unit: "points",
          points: 1_200,
          rewards,
          worth: worth(1_200)
        })
        assert.isUndefined((yield* asked(now, midnight - dayMs)).owed)
      })
  )

  it.effect("goes when a wallet reward is used, which then cost its worth", () =>
    Effect.gen(function* () {
      const traffic = new Traffic("u", RandomOf.make(23, "traffic"))
      const member = yield* traffic.enroll("u-ann")
      const before = yield* asked(traffic.now + 1)
      yield* traffic.act(member, issue("u-1", { reward: "one-off" }))
      const order = Testing.order("u-order", 2_000, { status: "open" }, demo.id)
      yield* traffic.act(member, reserve(1, { reward: "one-off", issued: "u-1", order }))
      const [hold] = member.state.reservations
      assert(hold !== undefined)
      yield* traffic.act(member, { type: "capture", reservation: hold.reservation, order: hold.order })
      yield* Scenario.countRollups
      const after = yield* asked(traffic.now + 1)
      const costOf = ({ rewards }: typeof after) =>
        rewards.reduce((all, { redeemed_worth }) => all + redeemed_worth.amount, 0)
      assert.strictEqual(costOf(after) - costOf(before), 100)
      assert.deepStrictEqual(after.owed?.rewards, before.owed?.rewards)
    })
  )

  it.effect("of a reward that was taken for points, costs these points alone when it is used", () =>
    Effect.gen(function* () {
      const traffic = new Traffic("p", RandomOf.make(24, "traffic"))
      const member = yield* traffic.enroll("p-ann")
      yield* traffic.act(member, manual(100))
      yield* Scenario.countRollups
      const before = yield* asked(traffic.now + 1)
      yield* traffic.act(member, issue("p-1", { reward: "one-off", isPaid: true }))
      const order = Testing.order("p-order", 2_000, { status: "open" }, demo.id)
      yield* traffic.act(member, reserve(1, { reward: "one-off", issued: "p-1", order }))
      const [hold] = member.state.reservations
      assert(hold !== undefined)
      yield* traffic.act(member, { type: "capture", reservation: hold.reservation, order: hold.order })
      yield* Scenario.countRollups
      const after = yield* asked(traffic.now + 1)
      const figuresOf = ({ ledger_by_bucket, rewards }: typeof after) => {
        const one = rewards.find(({ reward_id }) => reward_id === "one-off")
        const points = ledger_by_bucket.reduce((all, { redeemed }) => all + redeemed, 0)
        return { points, captured: one?.captured, redeemed: one?.redeemed, worth: one?.redeemed_worth.amount }
      }
      const [was, is] = [figuresOf(before), figuresOf(after)]
      assert.deepStrictEqual(is, { ...was, points: was.points + 100, captured: (was.captured ?? 0) + 1 })
    })
  )
})
