/**
 * contract/operators.md *Limits*: a campaign counts for the person who has it give to others than somebody else was
 * counted for: to those who came in while it gave nothing, or to the same ones more often.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { enroll } from "../../../src/app/testing/Guests.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import { person, said } from "../staff/Clerks.ts"
import type { Headers } from "../staff/Marketing.ts"
import { ask, layer, program_id } from "../staff/Marketing.ts"

const rules = (names: ReadonlyArray<string>) => ({
  any: names.map((name) => ({ attribute: { name, equals: true } }))
})
const segment = (headers: Headers, id: string, ...names: ReadonlyArray<string>) =>
  said(ask("PUT", "/segments", headers, { segment_id: id, program_id, name: id, rules: rules(names) }))
const action = { credit: { amount: 3_000, reason: "bonus" } }
const limit = { amount: 300_000 }
const put = (headers: Headers, id: string, more: object = {}) =>
  ask("PUT", "/campaigns", headers, { campaign_id: id, program_id, name: id, segment_id: id, action, limit, ...more })
const become = (headers: Headers, campaign_id: string, status: string) =>
  said(ask("POST", "/campaigns/status", headers, { campaign_id, status }))
const refused = [403, "points_per_action", 50_000]

it.layer(layer, { excludeTestServices: true })("a campaign of somebody else counts as all that is left", (it) => {
  it.effect("for the person who has it give again after it was a draft, in the archive, or over", () =>
    Effect.gen(function* () {
      yield* enroll("ada")
      const [olga, max] = [yield* person("olga", "owner"), yield* person("max", "manager")]
      yield* segment(olga, "rich", "rich")
      const schedule = (year: number) => ({ schedule: { ends_at: `${year}-12-31T00:00:00Z` } })
      yield* put(olga, "rich", schedule(2090))
      assert.deepStrictEqual(yield* become(olga, "rich", "active"), [200])
      for (const status of ["draft", "archived"]) {
        assert.deepStrictEqual(yield* become(max, "rich", status), [200])
        assert.deepStrictEqual(yield* become(max, "rich", "active"), refused, status)
        assert.deepStrictEqual(yield* become(olga, "rich", "active"), [200])
      }
      // A pause leaves it as it is, and what brings somebody in meanwhile counts.
      for (const status of ["paused", "active"]) assert.deepStrictEqual(yield* become(max, "rich", status), [200])
      assert.deepStrictEqual(yield* said(put(max, "rich", schedule(2091))), [200])
      const end = TestDatabase.query("UPDATE campaigns SET ends_at = 1 WHERE campaign_id = 'rich'")
      yield* end
      assert.deepStrictEqual(yield* said(put(max, "rich", schedule(2090))), refused)
      assert.deepStrictEqual(yield* become(max, "rich", "paused"), [200])
      assert.deepStrictEqual(yield* said(put(max, "rich", schedule(2090))), [200])
      assert.deepStrictEqual(yield* become(max, "rich", "active"), refused)
      // Her own is counted once.
      yield* put(max, "own", { segment_id: "rich", limit: { amount: 30_000 } })
      for (const status of ["active", "draft", "active"])
        assert.deepStrictEqual(yield* become(max, "own", status), [200])
      const [counted] = yield* TestDatabase.query("SELECT points::int AS points FROM given_days WHERE user_id = 'max'")
      assert.deepStrictEqual(counted, { points: 30_000 })
    })
  )

  it.effect("for the person who has it give more often, not less often", () =>
    Effect.gen(function* () {
      const [olga, mia] = [yield* person("olga", "owner"), yield* person("mia", "manager")]
      yield* segment(olga, "often", "often")
      const frequency = (times: number, days: number) => ({ frequency: { times, days } })
      yield* put(olga, "often", frequency(2, 30))
      yield* become(olga, "often", "active")
      for (const more of [{}, frequency(3, 30), frequency(2, 29)])
        assert.deepStrictEqual(yield* said(put(mia, "often", more)), refused, JSON.stringify(more))
      assert.deepStrictEqual(yield* said(put(mia, "often", frequency(1, 31))), [200])
      const schedule = { repeat: { cron: "0 9 * * *" } }
      assert.deepStrictEqual(yield* said(put(mia, "often", { ...frequency(1, 31), schedule })), refused)
    })
  )
})

it.layer(layer, { excludeTestServices: true })("a run", (it) => {
  it.effect("with a key that was run before is no new round, for which somebody would be counted", () =>
    Effect.gen(function* () {
      const [olga, ned] = [yield* person("olga", "owner"), yield* person("ned", "manager")]
      yield* segment(olga, "open", "open")
      yield* put(olga, "open", { limit: undefined })
      yield* become(olga, "open", "active")
      const run = (headers: Headers, run_key: string) =>
        said(ask("POST", "/campaigns/run", headers, { campaign_id: "open", run_key }))
      assert.deepStrictEqual(yield* run(olga, "week-48"), [200])
      assert.deepStrictEqual(yield* run(ned, "week-48"), [200])
      assert.deepStrictEqual(yield* run(ned, "week-49"), refused)
    })
  )
})

it.layer(layer, { excludeTestServices: true })("a campaign that is over", (it) => {
  it.effect("gets another version when others come into its audience, as one that is not active does", () =>
    Effect.gen(function* () {
      const [olga, mark] = [yield* person("olga", "owner"), yield* person("mark", "marketer")]
      yield* segment(olga, "used", "used")
      yield* put(olga, "used", { limit: { amount: 3_000 } })
      const { body } = yield* ask("POST", "/campaigns/status", olga, { campaign_id: "used", status: "active" })
      const { version: expected_version } = body["campaign"] as { readonly version: number }
      yield* TestDatabase.query(
        "UPDATE campaigns SET triggered_grants = 1, triggered_points = 3000 WHERE campaign_id = 'used'"
      )
      assert.deepStrictEqual(yield* segment(mark, "used", "used", "mate"), [200])
      const raised = yield* put(olga, "used", { limit: { amount: 6_000 }, expected_version })
      assert.strictEqual(raised.status, 409)
    })
  )
})
