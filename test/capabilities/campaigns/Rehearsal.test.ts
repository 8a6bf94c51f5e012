/** contract/programmes.md *Rehearsals*: campaigns rest, and what happened in a rehearsal starts none later. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Guests from "../../../src/app/testing/Guests.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import { layerOver } from "./CampaignService.ts"
import * as World from "./CampaignWorld.ts"
import { wallets } from "./CampaignWorld.ts"
import * as Rehearsals from "./Rehearsals.ts"
import * as Triggers from "./TriggerWorld.ts"
import { goOn } from "./TriggerWorld.ts"

const rehearsal = Rehearsals.rehearsed()

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
