/**
 * contract/operations.md *Evaluation*: an `evaluation_id` is kept with the record, and is no part of an order's facts;
 * how long an evaluation is shown as valid, and why a reward is unavailable.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import type { BodyOf } from "../../../src/contract/protocol/Operations.ts"
import type { Reward } from "../../../src/contract/protocol/Program.ts"
import { fromMillis } from "../../../src/contract/Values.ts"
import { MemoryStorage, MemoryTables } from "../../../src/core/journal/MemoryJournal.ts"
import { evaluationOf } from "../../../src/core/protocol/Orders.ts"
import type { Program } from "../../../src/core/rules/Program.ts"
import { manual, Scenario, start, status } from "../account/domain/Scenario.ts"

const accrue = (key: string, evaluation?: string) =>
  Testing.call("accrual.post", {
    context: Testing.context(key),
    member_id: "ada",
    order: Testing.order("order-1", 10_000, Testing.placedAt(0)),
    ...(evaluation === undefined ? {} : { evaluation_id: evaluation })
  })

it.effect("evaluation_id: kept with accrual and reservation; another one repeats the order under another key", () => {
  const { tables, write } = MemoryStorage.over(new MemoryTables())
  return Effect.gen(function* () {
    yield* enroll("ada")
    const first = yield* accrue("the-key-1", "evl-accrual")
    const repeat = yield* accrue("the-key-2", "evl-another")
    if (first._tag !== "Answer") return assert.fail(first._tag)
    assert.deepStrictEqual(repeat, { ...first, created: false })
    const changed = yield* accrue("the-key-1")
    assert.strictEqual(changed._tag === "Refusal" ? changed.code : changed._tag, "idempotency_conflict")
    const reserved = yield* Testing.call("redemption.reserve", {
      context: Testing.context("the-key-3"),
      member_id: "ada",
      redemption_id: "redemption-1",
      reward_id: "one-off",
      order: Testing.order("order-2", 500, { status: "open", ...Testing.placedAt(0) }),
      evaluation_id: "evl-reserve"
    })
    assert.strictEqual(reserved._tag, "Answer")
    const kept = [...tables.accounts.values()]
      .flatMap(({ records }) => records)
      .flatMap(({ events }) =>
        (JSON.parse(events) as ReadonlyArray<{ readonly type: string; readonly evaluation?: string }>).flatMap(
          ({ evaluation, type }) => (evaluation === undefined ? [] : [`${type} ${evaluation}`])
        )
      )
    assert.deepStrictEqual(kept, ["posted evl-accrual", "reserved evl-reserve"])
  }).pipe(Effect.provide(Testing.layerFromStorage({ tables, write })))
})

it.effect("Earning: an evaluation of an order that has accrued estimates 0, of another member's, too", () => {
  const storage = MemoryStorage.over(new MemoryTables())
  const evaluate = (member_id: string, id: string) =>
    Effect.map(
      Testing.call("order.evaluate", {
        context: Testing.context(),
        member_id,
        order: Testing.order(id, 10_000, Testing.placedAt(0))
      }),
      (handled) => (handled._tag === "Answer" ? handled.body : assert.fail(handled._tag))
    )
  /** As long as `limits.evaluation_ttl_seconds` from the test's time 0; the programme does not say how long. */
  const lasts = (body: BodyOf<"order.evaluate">) => Date.parse(body.expires_at)
  const told = (body: BodyOf<"order.evaluate">) => [body.estimated_accrual.amount, body.ineligible_reasons]
  const first = Effect.gen(function* () {
    for (const member of ["ada", "ben"]) yield* enroll(member)
    const before = yield* evaluate("ada", "order-1")
    assert.deepStrictEqual([told(before), lasts(before)], [[1_000, undefined], 300_000])
    yield* accrue("the-key-1")
    assert.deepStrictEqual(told(yield* evaluate("ada", "order-1")), [0, ["already_accrued"]])
    assert.deepStrictEqual(told(yield* evaluate("ada", "order-2")), [1_000, undefined])
  })
  // A service that started since remembers nothing of the order.
  const later = Effect.map(evaluate("ben", "order-1"), (body) =>
    assert.deepStrictEqual(told(body), [0, ["already_accrued"]])
  )
  return Effect.andThen(
    Effect.provide(first, Testing.layerFromStorage(storage)),
    Effect.provide(later, Testing.layerFromStorage(storage))
  )
})

it("Evaluation: a reward is unavailable for every reason that holds, and available where none does", () => {
  const [usual] = Testing.demoProgram.rewards.values()
  if (usual === undefined) return assert.fail("the programme has no rewards")
  const free = { ...usual, cost: { ...usual.cost, amount: 0 } }
  const item = { amount: 100, currency: "USD" }
  const rewards: ReadonlyArray<Reward> = [
    { ...free, reward_id: "free" },
    { ...free, reward_id: "dear", cost: { ...usual.cost, amount: 101 } },
    { ...free, reward_id: "early", available_from: fromMillis(start + 1) },
    { ...free, reward_id: "late", available_until: fromMillis(start - 1) },
    {
      ...free,
      reward_id: "item",
      effect: { type: "free_item", product_ids: ["none"], max_quantity: 1, max_value: item }
    }
  ]
  const program = { ...Testing.demoProgram, rewards: new Map(rewards.map((reward) => [reward.reward_id, reward])) }
  const reasons = (scenario: Scenario, under: Program) => {
    const order = Testing.order("order-1", 1_000, Testing.placedAt(start))
    const found = evaluationOf(scenario.state, under, order, start)
    if ("code" in found) return found.code
    return found.rewards.map(({ reward_id, status, unavailable_reasons }) => [reward_id, unavailable_reasons ?? status])
  }
  const ada = new Scenario(program).given(manual(100))
  assert.deepStrictEqual(reasons(ada, program), [
    ["free", "available"],
    ["dear", ["insufficient_balance"]],
    ["early", ["not_yet_available"]],
    ["late", ["no_longer_available"]],
    ["item", ["no_matching_item"]]
  ])
  const always = ["program_retired", "member_not_active"] as const
  assert.deepStrictEqual(reasons(ada.given(status("suspended")), { ...program, isRetired: true }), [
    ["free", always],
    ["dear", [...always, "insufficient_balance"]],
    ["early", [...always, "not_yet_available"]],
    ["late", [...always, "no_longer_available"]],
    ["item", [...always, "no_matching_item"]]
  ])
})
