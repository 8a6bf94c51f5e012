/** Holds contract/databases.md *Retention* of deliveries: what ended long ago goes, what waits stays. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { retention } from "../../../src/capabilities/webhooks/DeliveryStore.ts"
import { keptMs, round } from "../../core/retention/Rounds.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as World from "./World.ts"

const dayMs = 86_400_000

it.effect("finished deliveries go after 30 days, delivered or failed, and those that wait stay", () =>
  Effect.gen(function* () {
    yield* World.put("crm", "https://127.0.0.1:9/hook")
    const limit = keptMs("deliveries")
    const rows = [
      ["failed-old", "failed", -limit - 1],
      ["failed-young", "failed", -limit + dayMs],
      ["delivered-old", "delivered", -limit - 1],
      ["delivered-young", "delivered", -limit + dayMs],
      ["pending", "pending", "NULL"]
    ]
    for (const [id, status, at] of rows)
      yield* TestDatabase.query(
        `INSERT INTO deliveries (connector, event_id, event_type, place, crossing, replayed, status, attempts, tries, finished_at)
          SELECT n, '${id}', 'proto.order.accrued.v1', '0', 0, false, '${status}', '[]', 1, ${at} FROM connectors`
      )
    yield* round(retention)
    const left = yield* TestDatabase.query("SELECT event_id FROM deliveries ORDER BY event_id")
    assert.deepStrictEqual(
      left.map(({ event_id }) => event_id),
      ["delivered-young", "failed-young", "pending"]
    )
  }).pipe(Effect.provide(World.layer))
)
