/** `lotbook journal verify` reads a guest whose orders are all closed as it reads one without orders. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { body, earn, enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Scenario from "./Scenario.ts"

const money = (amount: number) => ({ amount, currency: "USD" })

layer(Scenario.layer, { excludeTestServices: true })("journal verify", (it) => {
  it.effect("finds nothing wrong with a guest whose only order was voided or refunded to nothing", () =>
    Effect.gen(function* () {
      for (const type of ["void", "partial_refund"] as const) {
        yield* enroll(type)
        yield* earn(type, `order-${type}`, 1_000)
        yield* body(
          Testing.call("order.adjust", {
            context: Testing.context(),
            member_id: type,
            program_id: "demo-foodservice",
            adjustment: {
              adjustment_id: `closes-${type}`,
              original_order_id: `order-${type}`,
              type,
              reason: "returned",
              occurred_at: "2026-07-14T10:00:00Z",
              order_total_delta: money(-1_000),
              eligible_spend_delta: money(-1_000)
            }
          })
        )
      }
      yield* Scenario.countRollups
      const { accounts, found } = yield* Scenario.verify()
      assert.deepStrictEqual(found, [])
      assert.strictEqual(accounts, 2)
    })
  )
})
