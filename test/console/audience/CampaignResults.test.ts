/** A campaign's cost and result in the console (contract/engagement.md *Campaign reports*). */
import { assert, describe, it } from "@effect/vitest"
import { costNotes, isKnown, resultOf } from "../../../src/console/audience/campaignResults.ts"
import type { Report } from "../../../src/contract/platform/Campaigns.ts"

type Shown = typeof Report.Type

const usd = (amount: number) => ({ amount, currency: "USD" })

const report = (parts: {
  readonly reached: number
  readonly held: number
  readonly interval?: Shown["attribution"]["lift_interval_bps"]
  readonly cost?: Partial<Shown["cost"]>
  readonly points?: Shown["given"]["points"]
}) =>
  resultOf(
    {
      campaign: { campaign_id: "c", name: "Thanks" },
      runs: [],
      given: { rewards_issued: 9, rewards_redeemed: 4, points: parts.points ?? [] },
      cost: { rewards: usd(400), unvalued_rewards: 0, ...parts.cost },
      attribution: {
        targeted_members: parts.reached,
        converted_members: 50,
        conversions: 60,
        attributed_value: [usd(90_000)],
        conversion_rate_bps: 5_000,
        holdout: {
          members: parts.held,
          converted_members: 10,
          conversion_rate_bps: 2_000,
          conversions: 10,
          attributed_value: parts.held === 0 ? [] : [usd(20_000)]
        },
        lift_bps: 3_000,
        ...(parts.interval === undefined ? {} : { lift_interval_bps: parts.interval })
      }
    } as unknown as Shown,
    "points"
  )

describe("the result of a campaign", () => {
  it("is what those reached spent beyond what as many of the holdout did", () => {
    const { brought } = report({ reached: 100, held: 50, interval: { low: 1_000, high: 5_000 } })
    assert.deepStrictEqual(brought, {
      told: "extra",
      extra: usd(90_000 - 40_000),
      each: usd(900),
      heldEach: usd(400),
      isChance: false
    })
    const other = report({ reached: 100, held: 50, interval: { low: -100, high: 5_000 } }).brought
    assert.isTrue(other.told === "extra" && other.isChance)
  })

  it("is not told without a holdout, of few members, or before anybody is reached", () => {
    assert.deepStrictEqual(report({ reached: 0, held: 0 }).brought, { told: "nobody" })
    assert.deepStrictEqual(report({ reached: 100, held: 0 }).brought, { told: "noHoldout" })
    assert.deepStrictEqual(report({ reached: 100, held: 20 }).brought, { told: "few" })
  })

  it("costs the points' worth and the used rewards, and says what lacks a value", () => {
    const points = [{ unit: "points" as const, amount: 5_000 }]
    const whole = report({ reached: 9, held: 0, points, cost: { points: usd(3_750) } })
    assert.deepStrictEqual([whole.cost, whole.lacksPoints, whole.lacksRewards], [usd(4_150), undefined, 0])
    const part = report({ reached: 9, held: 0, points, cost: { unvalued_rewards: 2 } })
    assert.deepStrictEqual([part.cost, part.lacksPoints, part.lacksRewards], [usd(400), "value", 2])
    assert.isTrue(isKnown(part))
    assert.deepStrictEqual(costNotes(whole), ["at today’s value"])
    assert.deepStrictEqual(costNotes(part), ["points have no set value", "2 used rewards have no set value"])
    const other = report({ reached: 9, held: 0, points: [{ unit: "visits", amount: 3 }], cost: { rewards: usd(0) } })
    assert.deepStrictEqual([other.lacksPoints, isKnown(other)], ["account", false])
    assert.isTrue(isKnown(report({ reached: 9, held: 0, cost: { rewards: usd(0) } })))
  })
})
