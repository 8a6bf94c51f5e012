/**
 * contract/engagement.md *Versions of resources*: segments, campaigns and connectors carry a version, and `PUT` may
 * require the one that was read.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import { said } from "../../../src/contract/Said.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const program_id = Testing.demoProgram.id
const layer = Layer.provideMerge(
  TestServer.layer(PgJournal.layer, [], undefined, [Testing.demoProgram], Pools.layer),
  TestDatabase.layer
)

const configuration = { url: "https://hooks.example.com/v", event_types: ["*"] }
const kinds = {
  segment: { segment_id: "v", name: "v", program_id, rules: { has: "email" } },
  campaign: { campaign_id: "v", name: "v", program_id, segment_id: "v", reward_id: "free-bowl" },
  connector: { connector_id: "v", name: "v", type: "webhook", configuration }
} as const

const put = (kind: keyof typeof kinds, more: object) =>
  TestServer.send(`/platform/v1/${kind}s`, { ...kinds[kind], ...more }, { method: "PUT" })
const versionOf = (kind: keyof typeof kinds, { body, status }: TestServer.Response) => {
  assert.strictEqual(status, 200, JSON.stringify(body))
  return (body[kind] as { readonly version: number }).version
}

it.layer(layer, { excludeTestServices: true })("the version of", (it) => {
  for (const kind of ["segment", "campaign", "connector"] as const)
    it.effect(`a ${kind} goes up with each change, and a change of another one is a conflict`, () =>
      Effect.gen(function* () {
        yield* put("segment", {})
        const missing = yield* put(kind, { [`${kind}_id`]: `v-${kind}`, expected_version: 1 })
        assert.deepStrictEqual([missing.status, missing.body["code"]], [409, "conflict"])
        const id = { [`${kind}_id`]: `v-${kind}` }
        assert.strictEqual(versionOf(kind, yield* put(kind, id)), 1)
        assert.strictEqual(versionOf(kind, yield* put(kind, { ...id, name: "second", expected_version: 1 })), 2)
        const late = yield* put(kind, { ...id, name: "late", expected_version: 1 })
        assert.deepStrictEqual([late.status, late.body["code"]], [409, "conflict"])
        assert.deepStrictEqual(late.body["errors"], [
          { path: "/expected_version", ...said`must be ${2} to replace it` }
        ])
        // Of writers at once with the same version, one wins.
        const answers = yield* Effect.all(
          Array.from({ length: 4 }, (_, n) => put(kind, { ...id, name: `race-${n}`, expected_version: 2 })),
          { concurrency: 4 }
        )
        assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [200, 409, 409, 409])
        // Without one, any version is replaced.
        assert.strictEqual(versionOf(kind, yield* put(kind, id)), 4)
      })
    )

  it.effect("a campaign goes up with its status too, and does not for the same status", () =>
    Effect.gen(function* () {
      yield* put("segment", {})
      yield* put("campaign", { campaign_id: "v-status" })
      const status = (to: string) =>
        Effect.map(
          TestServer.send("/platform/v1/campaigns/status", { campaign_id: "v-status", status: to }),
          (answer) => versionOf("campaign", answer)
        )
      assert.strictEqual(yield* status("active"), 2)
      assert.strictEqual(yield* status("active"), 2)
      const late = yield* put("campaign", { campaign_id: "v-status", expected_version: 1 })
      assert.strictEqual(late.status, 409)
      // The version that was looked at changes its status; a repetition is answered.
      const expecting = (to: string, expected_version: number) =>
        TestServer.send("/platform/v1/campaigns/status", { campaign_id: "v-status", status: to, expected_version })
      const other = yield* expecting("paused", 1)
      assert.deepStrictEqual([other.status, other.body["code"]], [409, "conflict"])
      assert.deepStrictEqual(other.body["errors"], [{ path: "/expected_version", ...said`must be ${2} to replace it` }])
      assert.strictEqual(versionOf("campaign", yield* expecting("paused", 2)), 3)
      assert.strictEqual(versionOf("campaign", yield* expecting("paused", 2)), 3)
    })
  )
})
