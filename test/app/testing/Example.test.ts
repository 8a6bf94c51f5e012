import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Testing from "lotbook/testing"
import { account, earn, enroll, ledgerOf } from "lotbook/testing/Guests"

it.effect("points expire after a year, and the tier is reset", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.UTC(2026, 6, 14, 10))
    yield* enroll("ada")
    yield* earn("ada", "order-1", 6000) // 60.00 USD: 600 points
    const before = yield* account("ada")
    assert.strictEqual(before.balances[0]?.amount, 600)
    assert.strictEqual(before.tier_progress?.current_tier_id, "regular")

    yield* TestClock.adjust("366 days")

    const after = yield* account("ada")
    assert.strictEqual(after.balances[0]?.amount, 0)
    assert.strictEqual(after.tier_progress?.current_tier_id, "starter")
    const [newest] = yield* ledgerOf("ada")
    assert.deepInclude(newest, { operation: "expiration", amount: -600 })
  }).pipe(Effect.provide(Testing.layer()))
)
