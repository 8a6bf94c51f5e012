/**
 * contract/operators.md *One member*: what an operator's or a platform's write has posted is in its log line, and its
 * ledger row tells who asked.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Moved from "./Moved.ts"

const program_id = "demo-foodservice"

interface Line {
  readonly annotations: Readonly<Record<string, unknown>>
}

layer(Layer.fresh(TestDatabase.layer), { excludeTestServices: true })(
  "a write beside the transaction contract",
  (it) => {
    it.effect(
      "has its entries in its log line, and its request in its records",
      () =>
        Effect.scoped(
          Effect.gen(function* () {
            const service = yield* Moved.start(0)
            yield* service.until("/health/ready", 200)
            const enrolled = yield* service.post("/proto/v1/members/enroll", {
              context: Testing.context("enroll-ada"),
              program_id,
              member_id: "ada",
              identity: { type: "loyalty_id", value: "ada" }
            })
            assert.strictEqual(enrolled.status, 201, JSON.stringify(enrolled.body))
            const adjusted = yield* service.post(
              `/admin/api/v1/members/${program_id}/ada/adjustments`,
              { adjustment_id: "gift-1", amount: 5, classification: "gift", reason: "test", qualifies_for_tier: false },
              { authorization: "Bearer proto-dev-admin-key", "x-request-id": "req-adjust" }
            )
            assert.include([200, 201], adjusted.status, JSON.stringify(adjusted.body))
            const imported = yield* service.post(
              "/platform/v1/imports/members",
              {
                program_id,
                idempotency_key: "import-key-1",
                rows: [{ member_id: "bob", identity: { type: "loyalty_id", value: "bob" }, opening_balance: 7 }]
              },
              { "x-request-id": "req-import" }
            )
            assert.strictEqual(imported.status, 201, JSON.stringify(imported.body))
            const lineOf = (id: string): Line | undefined =>
              service
                .log()
                .split("\n")
                .filter((line) => line.includes(`"request_id":"${id}"`))
                .map((line) => JSON.parse(line) as Line)
                .at(0)
            const line = yield* Effect.repeat(
              Effect.tap(
                Effect.sync(() => lineOf("req-import")),
                () => Effect.sleep(20)
              ),
              { until: (found) => found !== undefined }
            )
            const rows = yield* TestDatabase.query("SELECT member_id, actor, request_id FROM ledger ORDER BY amount")
            assert.deepStrictEqual(
              rows.map(({ actor, member_id, request_id }) => [member_id, actor, request_id]),
              [
                ["ada", "root", "req-adjust"],
                ["bob", "sandbox", "req-import"]
              ]
            )
            assert.lengthOf((lineOf("req-adjust")?.annotations["entries"] ?? []) as ReadonlyArray<string>, 1)
            assert.lengthOf((line?.annotations["entries"] ?? []) as ReadonlyArray<string>, 1)
            const origins = yield* TestDatabase.query(
              "SELECT DISTINCT origin FROM journal WHERE account = (SELECT number FROM accounts WHERE member_id = 'bob')"
            )
            assert.deepStrictEqual(origins, [{ origin: "req-import" }])
          })
        ),
      120_000
    )
  }
)
