/** Promotions as tills see them: contract/operations.md *Evaluation*, *Accrual and adjustment of orders*. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import type { OperationId, RequestOf } from "../../../src/contract/protocol/Operations.ts"

const usd = (amount: number) => ({ amount, currency: "USD" })

const program = Testing.programOf({
  ...Testing.demoProgram.file,
  accounts: [...Testing.demoProgram.file.accounts, { unit: "stamps", is_primary: false }],
  promotions: [
    { promotion_id: "happy-hour", name: "Happy hour", effect: { multiply_bps: 20_000 } },
    { promotion_id: "feast", name: "Feast", effect: { add: 2_500 }, minimum_spend: usd(20_000) },
    { promotion_id: "stamps", name: "More stamps", effect: { add: 2, unit: "stamps" } }
  ]
})

const answerOf = <Id extends OperationId>(id: Id, request: RequestOf<Id>) =>
  Effect.map(Testing.call(id, request), (handled) =>
    handled._tag === "Answer" ? handled.body : assert.fail(JSON.stringify(handled))
  )

const order = Testing.order("order-1", 10_000, Testing.placedAt(0))
const given = [
  { promotion_id: "happy-hour", name: "Happy hour", unit: "points" as const, amount: 1_000 },
  { promotion_id: "stamps", name: "More stamps", unit: "stamps" as const, amount: 2 }
]

it.effect(
  "an evaluation estimates with the promotions and tells near misses; the accrual and each repeat give the same",
  () =>
    Effect.gen(function* () {
      yield* enroll("ada")
      const estimate = yield* answerOf("order.evaluate", { context: Testing.context(), member_id: "ada", order })
      assert.deepInclude(estimate, {
        estimated_accrual: { unit: "points", amount: 2_000 },
        promotions: given,
        almost: [{ promotion_id: "feast", name: "Feast", missing: { minimum_spend: usd(10_000), items: undefined } }]
      })
      const request = { context: Testing.context("the-key-1"), member_id: "ada", order }
      const posted = yield* answerOf("accrual.post", request)
      assert.deepInclude(posted.entry, { amount: 2_000, reason: "promotions: happy-hour" })
      assert.deepStrictEqual(posted.promotions, given)
      assert.deepStrictEqual((yield* answerOf("accrual.post", request)).promotions, given)
      const again = { ...request, context: Testing.context("the-key-2") }
      assert.deepStrictEqual((yield* answerOf("accrual.post", again)).promotions, given)
      const after = yield* answerOf("order.evaluate", { context: Testing.context(), member_id: "ada", order })
      assert.notProperty(JSON.parse(JSON.stringify(after)), "promotions")
    }).pipe(Effect.provide(Testing.layer([program])))
)

it.effect("a promotion that a limit leaves nothing to is not told", () =>
  Effect.gen(function* () {
    yield* enroll("ada")
    const estimate = yield* answerOf("order.evaluate", { context: Testing.context(), member_id: "ada", order })
    assert.deepStrictEqual(estimate.promotions, given.slice(1))
    const posted = yield* answerOf("accrual.post", { context: Testing.context(), member_id: "ada", order })
    assert.deepStrictEqual(posted.promotions, given.slice(1))
    assert.deepInclude(posted, { ineligible_reasons: ["limit_reached"] })
    assert.notProperty(JSON.parse(JSON.stringify(posted.entry)), "reason")
  }).pipe(Effect.provide(Testing.layer([Testing.programOf({ ...program.file, limits: { points_per_order: 1_000 } })])))
)

it.effect("an order that no promotion gives to has an answer without them", () =>
  Effect.gen(function* () {
    yield* enroll("ada")
    const small = Testing.order("order-1", 50, { channel: "other", ...Testing.placedAt(0) })
    const posted = yield* answerOf("accrual.post", { context: Testing.context(), member_id: "ada", order: small })
    assert.deepStrictEqual(Object.keys(JSON.parse(JSON.stringify(posted))).includes("promotions"), false)
  }).pipe(Effect.provide(Testing.layer([program])))
)
