/** contract/idempotency.md *Keys*: timestamps are compared as instants. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { fromMillis, Timestamp, toMillis } from "../../../src/contract/Values.ts"
import type { Handled, Handlers } from "../../../src/core/protocol/Handler.ts"
import { instantOf } from "../../../src/core/protocol/Writes.ts"

const program_id = "demo-foodservice"
const answered = (handled: Handled) =>
  handled._tag === "Answer"
    ? [handled.created, handled.isReplay === true]
    : "code" in handled
      ? handled.code
      : handled._tag

const isTimestamp = Schema.is(Timestamp)

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
  it("has one spelling for an instant, whichever was sent", () => {
    const days = ["0001-01-02", "1969-12-31", "2024-02-29", "2026-07-14", "9999-12-30"]
    const times = ["00:00:00", "12:34:56", "23:59:59"]
    const decimals = ["", ".0", ".12", ".000", ".123", ".1239", ".123456"]
    for (const day of days)
      for (const time of times)
        for (const decimal of decimals)
          for (const zone of ["Z", "z", "+00:00", "-05:30", "+14:00"])
            for (const letter of ["T", "t"]) {
              const text = `${day}${letter}${time}${decimal}${zone}`
              assert.isTrue(isTimestamp(text), text)
              assert.strictEqual(instantOf(text), fromMillis(toMillis(text)))
            }
  })

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
