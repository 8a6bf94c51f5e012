/** contract/engagement.md *Runs*: what became of the members of a run. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Guests from "../../../src/app/testing/Guests.ts"
import { PeoplePool } from "../../../src/base/database/Pools.ts"
import * as Campaigns from "../../../src/capabilities/campaigns/Campaigns.ts"
import * as Profiles from "../../../src/capabilities/members/Profiles.ts"
import type { RunQuery } from "../../../src/contract/platform/Campaigns.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import { CurrentCaller } from "../../../src/desk/access/CurrentCaller.ts"
import * as Audit from "../../../src/desk/surface/Audit.ts"
import { operator } from "../../Operator.ts"
import * as World from "./CampaignWorld.ts"
import * as Triggers from "./TriggerWorld.ts"
import { triggered } from "./TriggerWorld.ts"

const name = Effect.fnUntraced(function* (member_id: string, display_name: string) {
  const profiles = yield* Profiles.make((yield* PeoplePool).query)
  const program = (yield* Programs).get(World.program_id)
  if (program === undefined) throw new Error("the tests' programme is there")
  const source = { via: "operator" as const, actor: "test", origin: undefined, audit: yield* Audit.maker }
  yield* profiles.upsert(program, { member_id, display_name }, source)
})

/** A page of outcomes for a caller with this scope. */
const read = (scope: "audience:read" | "members:read", asked: RunQuery) =>
  Effect.gen(function* () {
    const found = yield* (yield* Campaigns.make).listRuns(asked)
    if (!("run" in found)) throw new Error("a run that is named is answered alone")
    return found
  }).pipe(Effect.provideService(CurrentCaller, { ...operator, scopes: new Set([scope]) }))

layer(World.layer)("the outcomes of a run", (it) => {
  it.effect("are those of one kind, page by page, for who may see members alone", () =>
    Effect.gen(function* () {
      const { names } = yield* World.active("told", 8, { holdout_percent: 50 })
      yield* Effect.provideService(name(names[0] ?? "", "Ada"), CurrentCaller, operator)
      const run = yield* World.run({ campaign_id: "told" })
      const asked = { campaign_id: "told", run_id: run.run_id }
      const { outcomes } = (yield* read("members:read", asked)).run
      assert.deepStrictEqual(
        outcomes.map(({ display_name }) => display_name),
        ["Ada", ...World.times(7, 0).map(() => undefined)]
      )
      const counted = yield* read("audience:read", asked)
      assert.deepStrictEqual([counted.run.selected, counted.run.outcomes, counted.next_cursor], [8, [], undefined])
      for (const outcome of ["issued", "holdout", "failed"] as const) {
        const expected = outcomes.filter(({ status }) => status === outcome).map(({ member_id }) => member_id)
        const found: Array<string> = []
        let page = yield* read("members:read", { ...asked, outcome, limit: "1" })
        for (;;) {
          found.push(...page.run.outcomes.map(({ member_id }) => member_id))
          if (page.next_cursor === undefined) break
          page = yield* read("members:read", { ...asked, outcome, limit: "1", cursor: page.next_cursor })
        }
        assert.deepStrictEqual(found, expected, outcome)
      }
      const campaigns = yield* Campaigns.make
      const refused = yield* Effect.flip(campaigns.listRuns({ campaign_id: "told", outcome: "issued" }))
      assert.deepStrictEqual(
        [refused.code, refused.errors?.map(({ path }) => path)],
        ["validation_failed", ["/outcome"]]
      )
    })
  )

  it.effect("of a trigger are for who may see members alone, too", () =>
    Effect.gen(function* () {
      yield* Guests.enroll("early")
      yield* Triggers.active("greets", { on: "member.enrolled" })
      yield* Guests.enroll("late")
      yield* Triggers.goOn("greets")
      const told = (scope: "audience:read" | "members:read") =>
        triggered("greets").pipe(Effect.provideService(CurrentCaller, { ...operator, scopes: new Set([scope]) }))
      const { issued, outcomes } = yield* told("members:read")
      assert.deepStrictEqual([issued, outcomes.map(({ member_id }) => member_id)], [1, ["late"]])
      assert.deepStrictEqual(yield* told("audience:read"), { ...(yield* told("members:read")), outcomes: [] })
    })
  )
})
