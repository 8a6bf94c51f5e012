/**
 * contract/engagement.md *Holdout*: members that behave alike show no lift, however often the campaign runs, because the
 * holdout has its windows when it would have been given something.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Guests from "../../../src/app/testing/Guests.ts"
import { serviceNow } from "../../../src/base/time/Times.ts"
import * as Campaigns from "../../../src/capabilities/campaigns/Campaigns.ts"
import * as Scenario from "../../reads/reconcile/Scenario.ts"
import * as World from "./CampaignWorld.ts"
import { run } from "./CampaignWorld.ts"
import * as Triggers from "./TriggerWorld.ts"
import { goOn, later, order, triggered } from "./TriggerWorld.ts"

const dayMs = 86_400_000

const attribution = Effect.fnUntraced(function* (id: string) {
  yield* Scenario.countRollups
  return (yield* (yield* Campaigns.make).report(id)).attribution
})

/** Every member makes an order now. */
const allOrder = Effect.fnUntraced(function* (names: ReadonlyArray<string>, day: number) {
  const at = yield* serviceNow
  for (const name of names) yield* World.earn(name, `day${day}-${name}`, 1_000, at)
})

layer(World.layer)("a holdout", (it) => {
  it.effect("has no window while the frequency allows the others nothing", () =>
    Effect.gen(function* () {
      const settings = { holdout_percent: 50, attribution_days: 7, frequency: { times: 1, days: 30 } }
      const { names } = yield* World.active("daily", 30, settings)
      const first = yield* run({ campaign_id: "daily", run_key: "day 0" })
      assert.isTrue(first.issued > 5 && first.holdout > 5)
      for (let day = 1; day <= 9; day++) {
        yield* later(dayMs)
        const next = yield* run({ campaign_id: "daily", run_key: `day ${day}` })
        assert.deepStrictEqual(World.counts(next), [30, 0, 30, 0, 0])
        assert.deepStrictEqual(new Set(next.outcomes.map(({ code }) => code)), new Set(["frequency_reached"]))
      }
      yield* later(60_000)
      yield* allOrder(names, 9)
      const late = yield* attribution("daily")
      assert.deepInclude(late, { targeted_members: first.issued, converted_members: 0, lift_bps: 0 })
      const none = { converted_members: 0, conversion_rate_bps: 0, conversions: 0, attributed_value: [] }
      assert.deepStrictEqual(late.holdout, { members: first.holdout, ...none })
      // Both begin anew with the first run that the frequency allows.
      yield* later(21 * dayMs)
      const again = yield* run({ campaign_id: "daily", run_key: "day 30" })
      assert.deepStrictEqual([again.issued, again.holdout], [first.issued, first.holdout])
      yield* later(dayMs)
      yield* allOrder(names, 31)
      const within = yield* attribution("daily")
      assert.deepInclude(within, { converted_members: first.issued, lift_bps: 0 })
      assert.strictEqual(within.holdout.converted_members, first.holdout)
    })
  )

  it.effect("has no second window in runs that give to nobody twice", () =>
    Effect.gen(function* () {
      const { names } = yield* World.active("keyless", 30, { holdout_percent: 50, attribution_days: 7 })
      const first = yield* run({ campaign_id: "keyless" })
      yield* later(8 * dayMs)
      const second = yield* run({ campaign_id: "keyless" })
      assert.deepStrictEqual(World.counts(second), [30, 0, 30, 0, 0])
      assert.deepStrictEqual(new Set(second.outcomes.map(({ code }) => code)), new Set(["already_reached"]))
      yield* later(60_000)
      yield* allOrder(names, 8)
      const late = yield* attribution("keyless")
      assert.deepInclude(late, { targeted_members: first.issued, converted_members: 0, lift_bps: 0 })
      assert.deepInclude(late.holdout, { members: first.holdout, converted_members: 0 })
      // With a key everybody is given something once more.
      const keyed = yield* run({ campaign_id: "keyless", run_key: "more" })
      assert.deepStrictEqual([keyed.issued, keyed.holdout], [first.issued, first.holdout])
    })
  )

  it.effect("ends with the limit, at the member that it stopped at", () =>
    Effect.gen(function* () {
      yield* World.active("limited", 60, { holdout_percent: 50, limit: { rewards: 10 } })
      const { outcomes } = yield* run({ campaign_id: "limited" })
      const last = outcomes.findLastIndex(({ status }) => status === "issued")
      assert.strictEqual(outcomes.filter(({ status }) => status === "issued").length, 10)
      assert.deepStrictEqual(new Set(outcomes.slice(last + 1).map(({ code }) => code)), new Set(["limit_reached"]))
    })
  )

  it.effect("has its windows with a trigger under the frequency and limit of the others", () =>
    Effect.ensuring(
      Effect.gen(function* () {
        const on = { on: "order.accrued", once: "event" } as const
        const settings = { holdout_percent: 50, attribution_days: 7, frequency: { times: 1, days: 30 } }
        const names = Array.from({ length: 30 }, (_, index) => `event${index}`)
        yield* Effect.forEach(names, Guests.enroll)
        yield* Triggers.active("events", on, settings)
        yield* Triggers.active("events-limited", on, { holdout_percent: 50, limit: { rewards: 5 } })
        for (const name of names) yield* order(name, `e0-${name}`, 1_000)
        for (const id of ["events", "events-limited"]) yield* goOn(id)
        const first = yield* triggered("events")
        assert.isTrue(first.issued > 5 && first.holdout > 5)
        const full = yield* triggered("events-limited")
        assert.strictEqual(full.issued, 5)
        for (const day of [8, 9]) {
          yield* later(day === 8 ? 8 * dayMs : dayMs)
          yield* allOrder(names, day)
          yield* goOn("events")
        }
        assert.deepInclude(yield* triggered("events"), {
          issued: first.issued,
          holdout: first.holdout,
          skipped: [{ code: "frequency_reached", count: 60 }]
        })
        const late = yield* attribution("events")
        assert.deepInclude(late, { targeted_members: first.issued, converted_members: 0, lift_bps: 0 })
        assert.deepInclude(late.holdout, { members: first.holdout, converted_members: 0 })
        const after = yield* triggered("events-limited")
        assert.deepInclude(after, { issued: 5, holdout: full.holdout })
      }),
      Triggers.rest
    )
  )
})
