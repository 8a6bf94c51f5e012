/** contract/idempotency.md *Keys*: every success is recorded under its key, also one that changes nothing. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { credit } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import type { ResponseOf } from "../../../src/contract/protocol/Operations.ts"
import type { Handled, Handlers } from "../../../src/core/protocol/Handler.ts"

const program_id = Testing.demoProgram.id
const told = (handled: Handled) =>
  handled._tag === "Answer" ? [handled.created, handled.isReplay === true] : "code" in handled ? handled.code : handled

/** Sends a request twice under keys of its own, then each again, and another request under the second key. */
const recorded = (
  name: string,
  send: (key: string) => Effect.Effect<Handled, never, Handlers>,
  other: (key: string) => Effect.Effect<Handled, never, Handlers>
) =>
  Effect.gen(function* () {
    const first = yield* send(`${name}-key-1`)
    assert.strictEqual(first._tag, "Answer", name)
    // The second success changes nothing.
    for (const [key, isReplay] of [
      [`${name}-key-2`, false],
      [`${name}-key-2`, true],
      [`${name}-key-1`, true]
    ] as const)
      assert.deepInclude(yield* send(key), isReplay ? { _tag: "Answer", isReplay } : { _tag: "Answer" }, key)
    assert.strictEqual(told(yield* other(`${name}-key-2`)), "idempotency_conflict", name)
    return first._tag === "Answer" ? first.body : assert.fail(name)
  })

it.effect("a second enrolment, capture, reversal, cancellation, and an identifier under a new key", () =>
  Effect.gen(function* () {
    const { call, context } = Testing
    const enroll = (value: string) => (key: string) =>
      call("member.enroll", {
        context: context(key),
        program_id,
        member_id: "ada",
        identity: { type: "loyalty_id", value }
      })
    yield* recorded("enroll", enroll("card-1"), enroll("card-2"))
    yield* credit("ada", 500)
    const accrue = (amount: number) => (key: string) =>
      call("accrual.post", {
        context: context(key),
        member_id: "ada",
        order: Testing.order("order-1", amount, Testing.placedAt(0))
      })
    yield* recorded("accrue", accrue(1_000), accrue(2_000))
    const reserve = (reward_id: string, points?: number) => (key: string) =>
      call("redemption.reserve", {
        context: context(key),
        redemption_id: "redemption-1",
        member_id: "ada",
        reward_id,
        ...(points === undefined ? undefined : { points }),
        order: Testing.order("order-2", 500, { status: "open", ...Testing.placedAt(0) })
      })
    const { reservation } = (yield* recorded(
      "reserve",
      reserve("one-off"),
      reserve("free-bowl")
    )) as ResponseOf<"redemption.reserve">
    // How many points pay is a fact of the redemption.
    assert.strictEqual(told(yield* reserve("one-off", 100)("reserve-key-3")), "conflict")
    const { reservation_id } = reservation
    const capture = (order_id: string) => (key: string) =>
      call("redemption.capture", { context: context(key), reservation_id, order_id })
    yield* recorded("capture", capture("order-2"), capture("order-3"))
    const reverse = (reason: string) => (key: string) =>
      call("redemption.reverse", { context: context(key), reservation_id, reason })
    yield* recorded("reverse", reverse("changed mind"), reverse("another reason"))
    const issue = (reward_id: string) => (key: string) =>
      call("issued_reward.issue", {
        context: context(key),
        issued_reward_id: "gift-1",
        member_id: "ada",
        program_id,
        reward_id
      })
    yield* recorded("issue", issue("one-off"), issue("free-bowl"))
    const cancel = (reason: string) => (key: string) =>
      call("issued_reward.cancel", { context: context(key), issued_reward_id: "gift-1", reason })
    yield* recorded("cancel", cancel("by mistake"), cancel("another reason"))
  }).pipe(Effect.provide(Testing.layer()))
)

it.effect("a refusal takes no key: the request is carried out under it once its cause is gone", () =>
  Effect.gen(function* () {
    const debit = (key: string) =>
      Testing.call("ledger.manual_adjustment", {
        context: Testing.context(key),
        member_id: "ada",
        program_id,
        adjustment_id: "debit-1",
        amount: -10,
        classification: "gift",
        reason: "test",
        qualifies_for_tier: false
      })
    assert.strictEqual(told(yield* debit("the-key-1")), "not_found")
    yield* Testing.call("member.enroll", {
      context: Testing.context(),
      program_id,
      member_id: "ada",
      identity: { type: "loyalty_id", value: "card-1" }
    })
    assert.strictEqual(told(yield* debit("the-key-1")), "insufficient_balance")
    yield* credit("ada", 10)
    assert.deepStrictEqual(told(yield* debit("the-key-1")), [true, false])
  }).pipe(Effect.provide(Testing.layer()))
)
