/**
 * A service that goes on with the runs of campaigns and is killed behind so many
 * rewards, as `kill -9` leaves it: `node CampaignVictim.ts REWARDS`, the database as
 * JSON in `DATABASE`. Some of the rewards are committed and not answered, some
 * answered and not recorded.
 */
import { Effect, Layer, Redacted } from "effect"
import { Database } from "../../src/database/Database.ts"
import { CampaignRuns } from "../../src/campaigns/CampaignRuns.ts"
import * as Service from "./CampaignService.ts"

const [, , rewards] = process.argv

const { password, ...config } = JSON.parse(process.env["DATABASE"] ?? "") as {
  readonly password: string
  readonly host: string
  readonly port: number
  readonly username: string
  readonly database: string
}
const database = Layer.succeed(Database, {
  clientConfig: { ...config, password: Redacted.make(password) },
  describe: "test"
})

let given = 0
Service.between.issue = (issue) =>
  Effect.tap(issue, () =>
    Effect.sync(() => {
      if (++given === Number(rewards)) process.kill(process.pid, "SIGKILL")
    })
  )
await Effect.runPromise(
  Effect.provide(
    Effect.flatMap(CampaignRuns, ({ drain }) => drain),
    Service.layerOver(database)
  )
)
