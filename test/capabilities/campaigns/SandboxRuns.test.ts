/** contract/databases.md *Sandbox clock*: what campaigns give on the way of a move is given with the clock at its instant. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Guests from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Campaigns from "../../../src/capabilities/campaigns/Campaigns.ts"
import * as Segments from "../../../src/capabilities/segments/Segments.ts"
import type { ResponseOf } from "../../../src/contract/protocol/Operations.ts"
import { WriteFreeze } from "../../../src/core/journal/WriteFreeze.ts"
import { dayMs } from "../../../src/core/rules/Calendar.ts"
import { countRollups } from "../../reads/reconcile/Scenario.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import { sandboxOver, start } from "./CampaignService.ts"
import * as World from "./CampaignWorld.ts"
import { program_id } from "./CampaignWorld.ts"
import * as Triggers from "./TriggerWorld.ts"

const sandbox = sandboxOver(TestDatabase.layer)

/** Nine o'clock UTC some days after the start, which is at noon. */
const nine = (days: number) => new Date(start + days * dayMs - 3 * 3_600_000).toISOString()
const daily = { repeat: { cron: "0 9 * * *", time_zone: "UTC" } }

const ledgerOf = (member_id: string) =>
  Guests.body<ResponseOf<"ledger.list">>(
    Testing.call("ledger.list", { context: Testing.context(), program_id, member_id })
  )

/** The credits by campaigns to a member with their times, oldest first. */
const credits = (member_id: string) =>
  Effect.map(ledgerOf(member_id), ({ entries }) =>
    entries
      .filter(({ classification }) => classification === "bonus")
      .map(({ amount, occurred_at }) => [amount, occurred_at])
      .toReversed()
  )

const keysOf = (campaign_id: string) =>
  Effect.map(World.listed(campaign_id), (runs) => runs.map(({ run_key }) => run_key).toReversed())

const hourMs = 3_600_000

layer(sandbox)("while a sandbox's clock moves", (it) => {
  it.effect("each occurrence of a schedule runs at its time, in quick steps and in a long one", () =>
    Effect.gen(function* () {
      const { reward_id: _, ...facts } = World.facts("daily", { schedule: daily })
      yield* World.audience("daily", 2)
      const campaigns = yield* Campaigns.make
      yield* campaigns.put({ ...facts, action: Triggers.points(5) })
      yield* campaigns.setStatus({ campaign_id: "daily", status: "active" })
      for (const days of [1, 2, 3]) yield* World.setTime(start + days * dayMs)
      yield* World.setTime(start + 7 * dayMs)
      const times = [1, 2, 3, 4, 5, 6, 7].map(nine)
      assert.deepStrictEqual(yield* keysOf("daily"), times)
      assert.deepStrictEqual(
        yield* credits("daily0"),
        times.map((time) => [5, time])
      )
      yield* campaigns.setStatus({ campaign_id: "daily", status: "archived" })
    })
  )

  it.effect("a schedule at the very time of the move has run before its answer", () =>
    Effect.gen(function* () {
      yield* World.active("exact", 1, { schedule: daily })
      const next = start + 8 * dayMs - 3 * hourMs
      yield* World.setTime(next)
      const [run] = yield* World.listed("exact")
      assert.deepStrictEqual([run?.status, run?.started_at], ["completed", new Date(next).toISOString()])
      yield* (yield* Campaigns.make).setStatus({ campaign_id: "exact", status: "archived" })
    })
  )

  it.effect("an audience is chosen by the figures of that time", () =>
    Effect.gen(function* () {
      const campaigns = yield* Campaigns.make
      const segments = yield* Segments.make
      yield* Guests.enroll("buyer")
      const rules = { order: { minimum_count: 1, within_days: 2 } }
      yield* segments.put({ segment_id: "buyers", program_id, name: "buyers", rules })
      yield* campaigns.put(World.facts("buyers", { schedule: daily }))
      yield* campaigns.setStatus({ campaign_id: "buyers", status: "active" })
      const now = start + 9 * dayMs
      yield* World.setTime(now)
      yield* World.earn("buyer", "noodles", 1_000, now)
      yield* countRollups
      yield* World.setTime(now + 5 * dayMs)
      const selected = (yield* World.listed("buyers")).map((run) => run.selected).toReversed()
      // The order is younger than two days at the next two occurrences.
      assert.deepStrictEqual(selected, [0, 1, 1, 0, 0, 0])
      yield* campaigns.setStatus({ campaign_id: "buyers", status: "archived" })
    })
  )

  it.effect("a trigger gives at the end of its delay, and what expires first is posted first", () =>
    Effect.gen(function* () {
      yield* Guests.enroll("guest")
      const now = start + 20 * dayMs
      yield* World.setTime(now)
      const on = { on: "order.accrued", delay_seconds: (3 * dayMs) / 1_000 } as const
      yield* Triggers.active("thanks", on, { action: Triggers.points(7) })
      yield* World.earn("guest", "ramen", 1_000, now)
      yield* Guests.credit("guest", 3, new Date(now + 2 * dayMs).toISOString())
      yield* World.setTime(now + 30 * dayMs)
      const due = new Date(now + 3 * dayMs).toISOString()
      assert.deepStrictEqual(yield* credits("guest"), [[7, due]])
      const { entries } = yield* ledgerOf("guest")
      assert.deepStrictEqual(
        entries.slice(0, 2).map(({ amount }) => amount),
        [7, -3]
      )
      yield* Triggers.rest
    })
  )

  it.effect("occurrences during a write freeze are missed, and the clock moves", () =>
    Effect.gen(function* () {
      const { set } = yield* WriteFreeze
      const { campaigns } = yield* World.active("frozen", 1, { schedule: daily })
      yield* set(true)
      const now = start + 60 * dayMs
      yield* World.setTime(now)
      assert.deepStrictEqual(yield* World.listed("frozen"), [])
      yield* set(false)
      yield* World.setTime(now + 1)
      assert.deepStrictEqual(yield* keysOf("frozen"), [nine(60)])
      yield* campaigns.setStatus({ campaign_id: "frozen", status: "archived" })
    })
  )
})

const mostStops = 4

layer(sandboxOver(TestDatabase.layer, mostStops))("a move of a sandbox's clock", (it) => {
  it.effect("stops a bounded number of times; of the occurrences after that the latest runs", () =>
    Effect.gen(function* () {
      yield* World.active("minutely", 1, { schedule: { repeat: { cron: "* * * * *", time_zone: "UTC" } } })
      yield* World.setTime(start + 2 * mostStops * 60_000)
      const minutes = (yield* keysOf("minutely")).map((key = "") => (Date.parse(key) - start) / 60_000)
      assert.deepStrictEqual(minutes, [1, 2, 3, 4, 8])
    })
  )
})
