/** contract/idempotency.md *Keys in a header*: how long results are kept. `test/edge/http/KeyedRequests.test.ts` has the rest. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { WorkPool } from "../../../src/base/database/Pools.ts"
import * as Idempotency from "../../../src/desk/surface/Idempotency.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const day = 86_400_000

it.effect("a result is kept for 30 days", () =>
  Effect.gen(function* () {
    const { query } = yield* WorkPool
    const isKept = Effect.andThen(
      Idempotency.removeOld,
      Effect.map(query("SELECT FROM keyed_requests"), (rows) => rows.length > 0)
    )
    yield* query("SELECT keep_result(gen_random_uuid(), gen_random_uuid(), '{}', 0, 200, '{}', '{}')")
    yield* TestClock.setTime(30 * day)
    assert.isTrue(yield* isKept)
    yield* TestClock.setTime(30 * day + 1)
    assert.isFalse(yield* isKept)
  }).pipe(Effect.provide(WorkPool.layer), Effect.provide(TestDatabase.layer))
)
