/** The birthday recipe of the guide *Run a programme*, on its schedule: nobody's birthday is lost in downtime. */

import { PgTypes } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Guests from "../../../src/app/testing/Guests.ts"
import { PeoplePool } from "../../../src/base/database/Pools.ts"
import { CampaignRuns } from "../../../src/capabilities/campaigns/CampaignRuns.ts"
import * as Campaigns from "../../../src/capabilities/campaigns/Campaigns.ts"
import * as Segments from "../../../src/capabilities/segments/Segments.ts"
import type { CampaignFacts } from "../../../src/contract/platform/Campaigns.ts"
import type { PutSegment } from "../../../src/contract/platform/Segments.ts"
import * as World from "./CampaignWorld.ts"
import { program_id, wallets } from "./CampaignWorld.ts"

const guide = fs.readFileSync(
  path.join(import.meta.dirname, "..", "..", "..", "src", "docs", "run-a-programme.md"),
  "utf8"
)
const [, recipe = ""] = guide.split("\n## Birthday\n")
const [segment, campaign] = [...recipe.matchAll(/^PUT \S+\n(.*?)(?=^```|^PUT)/gms)].map(
  ([, json = ""]) => JSON.parse(json) as unknown
)

/** A day of the year 2026 from 27 March on, at an hour of New York, where the programme's day begins. */
const at = (day: number, hour: number) => Date.UTC(2026, 2, 27 + day, hour + 4)

layer(World.layer)("the birthday recipe", (it) => {
  it.effect("gives once to everybody whose birthday is in a week, of which six mornings are missed", () =>
    Effect.gen(function* () {
      const days = Array.from({ length: 14 }, (_, day) => day)
      const { query } = yield* PeoplePool
      for (const day of days) {
        yield* Guests.enroll(`born-${day}`)
        const born = new Date(at(day, 12)).toISOString().replace("2026", "1990").slice(0, 10)
        yield* query(
          `INSERT INTO profiles (account, program_id, member_id, birth_date, created_at, updated_at)
            SELECT number, program_id, member_id, $2::text::date, 0, 0 FROM accounts WHERE member_id = $1`,
          [PgTypes.text(`born-${day}`), PgTypes.text(born)]
        )
      }
      const segments = yield* Segments.make
      const campaigns = yield* Campaigns.make
      const { drain } = yield* CampaignRuns
      yield* World.setTime(at(0, 0))
      yield* segments.put({ ...(segment as PutSegment), program_id })
      const action = { issue_reward: { reward_id: "free-bowl", expires_in_seconds: 1_209_600 } }
      const facts = campaign as CampaignFacts
      const schedule = { repeat: { cron: facts.schedule?.repeat?.cron ?? "", time_zone: "America/New_York" } }
      yield* campaigns.put({ ...facts, program_id, action, schedule })
      yield* campaigns.setStatus({ campaign_id: facts.campaign_id ?? "", status: "active" })
      for (const day of [0, 7, 8]) {
        yield* World.setTime(at(day, 8))
        yield* drain
      }
      assert.strictEqual((yield* World.listed("birthday")).length, 3)
      assert.deepStrictEqual(
        yield* wallets(days.map((day) => `born-${day}`)),
        days.map(() => 1)
      )
    })
  )
})
