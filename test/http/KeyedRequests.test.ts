/**
 * contract/idempotency.md *Keys in a header*: `Idempotency-Key` is taken on every POST and PUT of the operators' and
 * the platform's surfaces.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { AdminDatabase } from "../../src/surface/AdminDatabase.ts"
import { campaignsPath } from "../../src/contract/platform/Campaigns.ts"
import { deleteSegmentPath, previewPath, segmentsPath } from "../../src/contract/platform/Segments.ts"
import { openApi } from "../../src/contract/OpenApi.ts"
import * as PgJournal from "../../src/journal/postgres/PgJournal.ts"
import { enroll } from "../../src/testing/Guests.ts"
import * as Testing from "../../src/testing/Testing.ts"
import * as TestDatabase from "../TestDatabase.ts"
import * as TestServer from "../service/TestServer.ts"

const program_id = Testing.demoProgram.id
const layer = Layer.provideMerge(
  TestServer.layer(PgJournal.layer, [], undefined, [Testing.demoProgram], AdminDatabase.layer),
  TestDatabase.layer
)

const put = (path: string, body: object) => TestServer.send(path, { program_id, ...body }, { method: "PUT" })
const keyed = (path: string, key: string, body: object) =>
  TestServer.send(path, body, { headers: { "idempotency-key": key } })
const isReplay = ({ headers }: TestServer.Response) => headers.get("idempotent-replayed") === "true"

it.layer(layer, { excludeTestServices: true })("a key of the header", (it) => {
  it.effect("answers the first result again, and refuses another body, also where the work commits by itself", () =>
    Effect.gen(function* () {
      yield* enroll("keyed")
      yield* put(segmentsPath, { segment_id: "keyed", name: "all", rules: { status: ["active"] } })
      yield* put(campaignsPath, { campaign_id: "keyed", name: "c", segment_id: "keyed", reward_id: "free-bowl" })
      const campaign_id = "keyed"
      const cases: ReadonlyArray<readonly [path: string, body: object, other: object]> = [
        [`${campaignsPath}/status`, { campaign_id, status: "active" }, { campaign_id, status: "draft" }],
        [`${campaignsPath}/run`, { campaign_id, run_key: "one" }, { campaign_id, run_key: "two" }],
        [previewPath, { segment_id: "keyed" }, { segment_id: "keyed", sample_size: 0 }]
      ]
      for (const [path, body, other] of cases) {
        const first = yield* keyed(path, "key-of-a-header", body)
        assert.deepStrictEqual([first.status, isReplay(first)], [200, false], JSON.stringify(first.body))
        const again = yield* keyed(path, "key-of-a-header", body)
        assert.deepStrictEqual([again.body, isReplay(again)], [first.body, true])
        const conflict = yield* keyed(path, "key-of-a-header", other)
        assert.deepStrictEqual([conflict.status, conflict.body["code"]], [409, "idempotency_conflict"])
      }
      const runs = yield* TestServer.send(`${campaignsPath}/runs?campaign_id=keyed`, undefined, { method: "GET" })
      assert.lengthOf(runs.body["runs"] as ReadonlyArray<unknown>, 1)
    })
  )

  it.effect("lets a deletion be sent again whose answer was lost, and takes no key for a refusal", () =>
    Effect.gen(function* () {
      const remove = keyed(deleteSegmentPath, "key-of-a-deletion", { segment_id: "removed" })
      assert.strictEqual((yield* remove).status, 404)
      yield* put(segmentsPath, { segment_id: "removed", name: "all", rules: { status: ["active"] } })
      const first = yield* remove
      assert.strictEqual(first.status, 200)
      assert.deepStrictEqual((yield* remove).body, first.body)
    })
  )

  it("is described on every such route, save where bodies have keys of their own", () => {
    const { paths } = openApi() as {
      readonly paths: Record<string, Record<string, { operationId: string; parameters?: Array<{ name: string }> }>>
    }
    const without = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { operationId, parameters = [] }]) =>
        /^\/(admin|platform)\//.test(path) &&
        method !== "get" &&
        !parameters.some(({ name }) => name === "Idempotency-Key")
          ? [operationId]
          : []
      )
    )
    assert.sameMembers(without, ["session.create", "session.end", "event.record"])
  })
})
