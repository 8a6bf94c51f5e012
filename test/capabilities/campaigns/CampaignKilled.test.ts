/**
 * contract/engagement.md *Runs*: a run goes on wherever its service is killed, and gives to each member exactly once.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as path from "node:path"
import { CampaignRuns } from "../../../src/capabilities/campaigns/CampaignRuns.ts"
import * as Victims from "../../Victims.ts"
import * as World from "./CampaignWorld.ts"

const members = 600
const victim = path.join(import.meta.dirname, "CampaignVictim.ts")

it.layer(World.layer, { excludeTestServices: true })("a run", (it) => {
  it.effect("goes on after kill -9, twice, with every member exactly once", () =>
    Effect.gen(function* () {
      const { names } = yield* World.active("killed", members)
      const answer = yield* World.begin({ campaign_id: "killed" })
      yield* World.begun("killed")
      for (const rewards of [100, 290]) assert.strictEqual(yield* Victims.run(victim, String(rewards)), "SIGKILL")
      yield* Effect.flatMap(CampaignRuns, ({ drain }) => drain)
      yield* Fiber.interrupt(answer)
      const [only] = yield* World.listed("killed")
      assert.deepStrictEqual(only === undefined ? [] : World.counts(only), [members, members, 0, 0, 0])
      assert.deepStrictEqual(yield* World.wallets(names), World.times(members, 1))
    })
  )
})
