/**
 * A service that goes on with the runs of campaigns and is killed behind so many
 * rewards, as `kill -9` leaves it: `node CampaignVictim.ts REWARDS`, the database as
 * JSON in `DATABASE`. Some of the rewards are committed and not answered, some
 * answered and not recorded.
 */
import { Effect } from "effect"
import { CampaignRuns } from "../../../src/capabilities/campaigns/CampaignRuns.ts"
import { database, die } from "../../Victims.ts"
import * as Service from "./CampaignService.ts"

const [, , rewards] = process.argv

let given = 0
Service.between.issue = (issue) =>
  Effect.tap(issue, () =>
    Effect.sync(() => {
      if (++given === Number(rewards)) die()
    })
  )
await Effect.runPromise(
  Effect.provide(
    Effect.flatMap(CampaignRuns, ({ drain }) => drain),
    Service.layerOver(database)
  )
)
