/** contract/idempotency.md *Keys*: timestamps are compared as instants. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fromMillis } from "../../src/contract/Values.ts"
import type { Handled, Handlers } from "../../src/protocol/Handler.ts"
import { enroll } from "../../src/testing/Guests.ts"
import * as Testing from "../../src/testing/Testing.ts"

const program_id = "demo-foodservice"
const answered = (handled: Handled) =>
  handled._tag === "Answer"
    ? [handled.created, handled.isReplay === true]
    : "code" in handled
      ? handled.code
      : handled._tag

/** The same instant in three spellings, and the next millisecond. */
const spellings = ["1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000000Z", "1970-01-01T02:00:00+02:00"]
const later = "1970-01-01T00:00:00.001Z"

/** Sends each spelling under the first one's key and under a key of its own, then another instant under both. */
const holds = (name: string, send: (key: string, time: string) => Effect.Effect<Handled, never, Handlers>) =>
  Effect.gen(function* () {
    const [first = "", ...others] = spellings
    assert.deepStrictEqual(answered(yield* send(`${name}-key-0`, first)), [true, false])
    for (const [place, other] of others.entries()) {
      assert.deepStrictEqual(answered(yield* send(`${name}-key-0`, other)), [true, true])
      assert.deepStrictEqual(answered(yield* send(`${name}-key-${place + 1}`, other)), [false, false])
    }
    assert.strictEqual(answered(yield* send(`${name}-key-0`, later)), "idempotency_conflict")
    assert.strictEqual(answered(yield* send(`${name}-key-9`, later)), "conflict")
  })

describe("the same instant in another spelling is the same request", () => {
  it.effect("of orders, refunds, reservations, adjustments and rewards", () =>
    Effect.gen(function* () {
      yield* enroll("ada")
      const { call } = Testing
      const order = (id: string, time: string, overrides = {}) =>
        Testing.order(id, 10_000, { ...Testing.placedAt(0), ...overrides, placed_at: time })
      yield* holds("accrual", (key, time) =>
        call("accrual.post", { context: Testing.context(key), member_id: "ada", order: order("order-1", time) })
      )
      yield* holds("closed", (key, time) =>
        call("accrual.post", {
          context: Testing.context(key),
          member_id: "ada",
          order: order("order-2", fromMillis(0), { closed_at: time })
        })
      )
      yield* holds("refund", (key, time) =>
        call("order.adjust", {
          context: Testing.context(key),
          member_id: "ada",
          program_id,
          adjustment: {
            adjustment_id: "refund-1",
            original_order_id: "order-1",
            type: "partial_refund",
            reason: "test",
            occurred_at: time,
            order_total_delta: { amount: -100, currency: "USD" },
            eligible_spend_delta: { amount: -100, currency: "USD" }
          }
        })
      )
      yield* holds("hold", (key, time) =>
        call("redemption.reserve", {
          context: Testing.context(key),
          member_id: "ada",
          redemption_id: "hold-1",
          reward_id: "one-off",
          order: order("order-3", time, { status: "open" })
        })
      )
    }).pipe(Effect.provide(Testing.layer()))
  )
})
