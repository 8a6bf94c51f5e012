/** contract/programmes.md *Rehearsals*: campaigns rest, and what happened in a rehearsal starts none later. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Guests from "../../../src/app/testing/Guests.ts"
import { CampaignRuns } from "../../../src/capabilities/campaigns/CampaignRuns.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import { layerOver } from "./CampaignService.ts"
import * as World from "./CampaignWorld.ts"
import { wallets } from "./CampaignWorld.ts"
import * as Rehearsals from "./Rehearsals.ts"
import * as Triggers from "./TriggerWorld.ts"
import { goOn } from "./TriggerWorld.ts"

const rehearsal = Rehearsals.rehearsed()

const other = Rehearsals.rehearsed()

layer(layerOver(TestDatabase.layer, other.layer))("a schedule", (it) => {
  it.effect("makes up for no occurrence of a rehearsal, and goes on with a run that one has interrupted", () =>
    Effect.gen(function* () {
      const { drain, round } = yield* CampaignRuns
      const { names } = yield* World.active("daily", 2, {
        schedule: { starts_at: "2026-03-28T00:00:00Z", repeat: { cron: "0 9 * * *", time_zone: "UTC" } }
      })
      const keys = Effect.map(World.listed("daily"), (runs) => runs.map(({ run_key }) => run_key))
      const at = (day: number, hour: number) => World.setTime(Date.UTC(2026, 2, day, hour))
      yield* Effect.andThen(at(28, 9), drain)
      yield* other.end
      yield* Effect.andThen(at(28, 12), drain)
      assert.deepStrictEqual(yield* keys, [])
      // It has begun, and given nothing yet.
      yield* Effect.andThen(at(29, 9), round)
      assert.deepStrictEqual(yield* keys, ["2026-03-29T09:00:00.000Z"])
      assert.deepStrictEqual(yield* wallets(names), [0, 0])
      yield* other.begin
      yield* Effect.andThen(at(30, 9), drain)
      assert.deepStrictEqual(yield* wallets(names), [0, 0])
      yield* other.end
      yield* drain
      assert.deepStrictEqual(yield* keys, ["2026-03-29T09:00:00.000Z"])
      assert.deepStrictEqual(yield* wallets(names), [1, 1])
    })
  )
})

layer(layerOver(TestDatabase.layer, rehearsal.layer))("a rehearsal", (it) => {
  it.effect("lets triggers see nothing and runs wait, until it ends", () =>
    Effect.gen(function* () {
      yield* Triggers.active("welcome", { on: "member.enrolled" })
      yield* Guests.enroll("early")
      yield* goOn("welcome")
      assert.deepStrictEqual(yield* wallets(["early"]), [0])
      const { campaigns, names } = yield* World.active("all", 2)
      const refused = yield* Effect.flip(campaigns.run({ campaign_id: "all" }))
      assert.deepStrictEqual(
        [refused.code, refused.detail],
        ["invalid_state", `Programme ${World.program_id} is a rehearsal: its campaigns rest.`]
      )
      yield* rehearsal.end
      yield* Guests.enroll("welcome")
      yield* goOn("welcome")
      assert.deepStrictEqual(yield* wallets(["early", "welcome", ...names]), [0, 1, 0, 0])
      yield* World.run({ campaign_id: "all" })
      assert.deepStrictEqual(yield* wallets(names), [1, 1])
    })
  )
})
