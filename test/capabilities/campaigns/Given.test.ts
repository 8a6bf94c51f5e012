/** contract/engagement.md *Campaign reports*: what a campaign gave, and how much of it was used. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Guests from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { serviceNow } from "../../../src/base/time/Times.ts"
import * as Campaigns from "../../../src/capabilities/campaigns/Campaigns.ts"
import type { ResponseOf } from "../../../src/contract/protocol/Operations.ts"
import * as Scenario from "../../reads/reconcile/Scenario.ts"
import * as World from "./CampaignWorld.ts"
import * as Triggers from "./TriggerWorld.ts"

const given = (campaign_id: string) =>
  Effect.flatMap(Campaigns.make, (campaigns) => Effect.map(campaigns.report(campaign_id), (report) => report.given))

/** Redeems the newest reward of a member's wallet. */
const redeem = Effect.fnUntraced(function* (member_id: string) {
  const { issued_rewards } = yield* World.wallet(member_id)
  const [reward] = issued_rewards.filter(({ status }) => status === "issued")
  if (reward === undefined) throw new Error(`${member_id} has a reward`)
  const id = `redeems-${reward.issued_reward_id}`
  const { reservation } = yield* Guests.body<ResponseOf<"redemption.reserve">>(
    Effect.flatMap(serviceNow, (now) =>
      Testing.call("redemption.reserve", {
        context: Testing.context(),
        redemption_id: id,
        member_id,
        reward_id: "one-off",
        issued_reward_id: reward.issued_reward_id,
        order: Testing.order(id, 500, { status: "open", ...Testing.placedAt(now) })
      })
    )
  )
  yield* Guests.body(
    Testing.call("redemption.capture", {
      context: Testing.context(),
      reservation_id: reservation.reservation_id,
      order_id: id
    })
  )
})

layer(World.layer)("what a campaign gave", (it) => {
  it.effect("counts rewards of all its runs and those that are redeemed, of no other campaign and no test", () =>
    Effect.gen(function* () {
      const { campaigns, names } = yield* World.active("gave", 4, { reward_id: "one-off" })
      const [first = "", second = "", third = "", fourth = ""] = names
      yield* World.run({ campaign_id: "gave" })
      yield* World.run({ campaign_id: "gave", run_key: "again" })
      assert.deepStrictEqual(yield* given("gave"), { rewards_issued: 8, rewards_redeemed: 0, points: [] })
      yield* redeem(first)
      yield* redeem(first)
      yield* redeem(second)
      // The same reward from another campaign, and from a test.
      yield* campaigns.put({ ...World.facts("gave-too", { reward_id: "one-off" }), segment_id: "gave" })
      yield* campaigns.setStatus({ campaign_id: "gave-too", status: "active" })
      yield* World.run({ campaign_id: "gave-too" })
      yield* redeem(third)
      yield* campaigns.test({ campaign_id: "gave", member_id: fourth })
      assert.deepStrictEqual(
        [yield* given("gave"), yield* given("gave-too")].map((one) => [one.rewards_issued, one.rewards_redeemed]),
        [
          [8, 3],
          [4, 1]
        ]
      )
      // A dollar each: those that nobody has used cost nothing.
      assert.deepStrictEqual((yield* campaigns.report("gave")).cost, {
        rewards: { amount: 300, currency: "USD" },
        unvalued_rewards: 0
      })
    })
  )

  it.effect("counts a reward that was redeemed before or after a merge", () =>
    Effect.gen(function* () {
      const { names } = yield* World.active("gave-merged", 2, { reward_id: "one-off" })
      yield* World.run({ campaign_id: "gave-merged" })
      const [before = "", after = ""] = names
      yield* Guests.enroll("remains")
      yield* redeem(before)
      yield* Triggers.merge(before, "remains")
      yield* Triggers.merge(after, "remains")
      yield* Scenario.countRollups
      assert.strictEqual((yield* given("gave-merged")).rewards_redeemed, 1)
      yield* redeem("remains")
      assert.deepStrictEqual(yield* given("gave-merged"), { rewards_issued: 2, rewards_redeemed: 2, points: [] })
    })
  )

  it.effect(
    "counts points of an account, named or not, after the campaign gave something else, and what events gave",
    () =>
      Effect.gen(function* () {
        const { campaigns } = yield* World.active("gave-points", 3, { reward_id: "one-off" })
        const { reward_id: _, ...facts } = World.facts("gave-points")
        yield* World.run({ campaign_id: "gave-points" })
        yield* campaigns.put({ ...facts, action: { credit: { amount: 50, reason: "t" } } })
        yield* World.run({ campaign_id: "gave-points", run_key: "2" })
        yield* campaigns.put({ ...facts, action: { credit: { amount: 2, unit: "points", reason: "t" } } })
        yield* World.run({ campaign_id: "gave-points", run_key: "3" })
        assert.deepStrictEqual(yield* given("gave-points"), {
          rewards_issued: 3,
          rewards_redeemed: 0,
          points: [{ unit: "points", amount: 156 }]
        })
        yield* Triggers.active("gave-events", { on: "member.enrolled" }, { reward_id: "one-off" })
        yield* Guests.enroll("comes")
        yield* Triggers.goOn("gave-events")
        yield* redeem("comes")
        assert.deepStrictEqual(yield* given("gave-events"), { rewards_issued: 1, rewards_redeemed: 1, points: [] })
      })
  )
})
