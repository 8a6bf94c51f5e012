/** Holds contract/databases.md *Retention* of campaigns' targets: who got nothing is forgotten, nobody gets anything twice. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { retention } from "../../../src/capabilities/campaigns/RunStore.ts"
import { keptMs, round } from "../../core/retention/Rounds.ts"
import * as Scenario from "../../reads/reconcile/Scenario.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import { start } from "./CampaignService.ts"
import * as World from "./CampaignWorld.ts"

const longAgo = start - keptMs("campaign_targets")

const targets = (campaign: string) =>
  Effect.map(
    TestDatabase.query(
      `SELECT t.member_id, t.outcome FROM campaign_targets t JOIN campaign_runs r ON r.n = t.run
        WHERE r.campaign_id = '${campaign}' ORDER BY t.run, t.account`
    ),
    (rows) => rows.map(({ member_id, outcome }) => `${String(member_id)} ${String(outcome)}`)
  )

/** Moves the end of a campaign's runs to a time, ms, and its own end. */
const ended = (id: string, runs: number, campaign: number | "NULL" = runs) =>
  Effect.andThen(
    TestDatabase.query(`UPDATE campaign_runs SET completed_at = ${runs} WHERE campaign_id = '${id}'`),
    TestDatabase.query(`UPDATE campaigns SET ends_at = ${campaign} WHERE campaign_id = '${id}'`)
  )

it.effect("those that got nothing go 13 months after the campaign ended, those that got something stay for good", () =>
  Effect.gen(function* () {
    const { campaigns } = yield* World.active("old", 3)
    yield* World.run({ campaign_id: "old" })
    const second = yield* World.run({ campaign_id: "old" })
    assert.deepStrictEqual(World.counts(second), [3, 0, 3, 0, 0], "they were reached")
    assert.lengthOf(yield* targets("old"), 6)
    yield* Scenario.countRollups
    const report = yield* campaigns.report("old")

    yield* ended("old", longAgo)
    yield* round(retention)
    assert.lengthOf(yield* targets("old"), 6, "a moment too young")
    yield* ended("old", longAgo - 1, start)
    yield* round(retention)
    assert.lengthOf(yield* targets("old"), 6, "the campaign went on")
    yield* ended("old", longAgo - 1)
    yield* round(retention)
    assert.deepStrictEqual(yield* targets("old"), ["old0 issued", "old1 issued", "old2 issued"])

    yield* ended("old", longAgo - 1, "NULL")
    const after = yield* campaigns.report("old")
    assert.deepStrictEqual(after.attribution, report.attribution)
    assert.deepStrictEqual(after.given, report.given)
    const [run] = yield* World.listed("old")
    assert.deepInclude(run, { selected: 3, skipped: 3, outcomes_deleted: true })
    const again = yield* World.run({ campaign_id: "old" })
    assert.deepStrictEqual(World.counts(again), [3, 0, 3, 0, 0], "nobody gets it twice")
    assert.notProperty(again, "outcomes_deleted")
  }).pipe(Effect.provide(World.layer))
)

it.effect("a campaign without an end ended with its last run, unless another one is planned", () =>
  Effect.gen(function* () {
    yield* World.active("endless", 1)
    yield* World.run({ campaign_id: "endless" })
    yield* World.run({ campaign_id: "endless" })
    yield* ended("endless", longAgo - 1, "NULL")
    yield* TestDatabase.query(`UPDATE campaigns SET next_at = ${start + 1}`)
    yield* round(retention)
    assert.lengthOf(yield* targets("endless"), 2)
    yield* TestDatabase.query("UPDATE campaigns SET next_at = NULL")
    yield* TestDatabase.query(
      `UPDATE campaign_runs SET completed_at = ${longAgo} WHERE n = (SELECT max(n) FROM campaign_runs)`
    )
    yield* round(retention)
    assert.lengthOf(yield* targets("endless"), 2, "its last run was later")
    yield* ended("endless", longAgo - 1, "NULL")
    yield* round(retention)
    assert.deepStrictEqual(yield* targets("endless"), ["endless0 issued"])
  }).pipe(Effect.provide(World.layer))
)
