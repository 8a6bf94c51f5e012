/** contract/engagement.md *Runs*: the preview of a run counts whom a run would skip. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Campaigns from "../../../src/capabilities/campaigns/Campaigns.ts"
import type { ForecastQuery } from "../../../src/contract/platform/RunForecast.ts"
import * as Scenario from "../../reads/reconcile/Scenario.ts"
import * as World from "./CampaignWorld.ts"
import { run } from "./CampaignWorld.ts"
import * as Triggers from "./TriggerWorld.ts"
import { later } from "./TriggerWorld.ts"

const dayMs = 86_400_000

const forecast = Effect.fnUntraced(function* (asked: ForecastQuery) {
  yield* Scenario.countRollups
  const { seen, ...counts } = (yield* (yield* Campaigns.make).forecast(asked)).forecast
  assert.notStrictEqual(seen, "")
  return counts
})

layer(World.layer)("the preview of a run", (it) => {
  it.effect("counts whom key and frequency leave, as the run then does, also after a merge", () =>
    Effect.gen(function* () {
      const campaign_id = "forecast"
      const { names } = yield* World.active(campaign_id, 20, {
        holdout_percent: 30,
        frequency: { times: 1, days: 30 },
        limit: { rewards: 50 }
      })
      assert.deepStrictEqual(yield* forecast({ campaign_id }), { selected: 20, skipped: [], open: 20, limit_left: 50 })
      const first = yield* run({ campaign_id, run_key: "scheduled" })
      const limit_left = 50 - first.issued
      const often = (count: number) => [{ code: "frequency_reached" as const, count }]
      assert.deepStrictEqual(yield* forecast({ campaign_id }), {
        selected: 20,
        skipped: often(20),
        open: 0,
        limit_left
      })
      const [fresh = ""] = yield* World.audience("forecast-fresh", 1)
      yield* Triggers.list(campaign_id, fresh)
      assert.deepStrictEqual(yield* forecast({ campaign_id }), {
        selected: 21,
        skipped: often(20),
        open: 1,
        limit_left
      })
      yield* Triggers.merge(names[0] ?? "", fresh)
      const merged = yield* forecast({ campaign_id })
      assert.deepStrictEqual([merged.skipped, merged.open], [often(merged.selected), 0])
      yield* later(30 * dayMs)
      const again = yield* forecast({ campaign_id })
      assert.deepStrictEqual([again.skipped, again.open], [[], again.selected])
      const second = yield* run({ campaign_id })
      assert.strictEqual(second.issued + second.holdout, again.open)
      yield* later(30 * dayMs)
      const [keyless, keyed] = [yield* forecast({ campaign_id }), yield* forecast({ campaign_id, run_key: "new" })]
      assert.deepStrictEqual(keyless.skipped, [{ code: "already_reached", count: again.open }])
      assert.deepStrictEqual([keyed.skipped, keyed.open], [[], again.open])
    })
  )

  it.effect("is refused for a campaign with a trigger", () =>
    Effect.gen(function* () {
      yield* Triggers.active("triggered", { on: "member.enrolled" })
      const refused = yield* Effect.flip((yield* Campaigns.make).forecast({ campaign_id: "triggered" }))
      assert.strictEqual(refused.code, "invalid_state")
    })
  )
})
