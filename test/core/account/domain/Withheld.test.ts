/** Which promotions a member's order does not get, and why: contract/operators.md *Promotions*. */
import { assert, describe, it } from "@effect/vitest"
import * as Testing from "../../../../src/app/testing/Testing.ts"
import { withheld } from "../../../../src/core/account/domain/Promoted.ts"
import { initialState } from "../../../../src/core/account/domain/State.ts"
import { line, order as ordered, program, usd } from "../../rules/Builders.ts"

const dayMs = 86_400_000
const at = Date.parse("2026-07-14T10:00:00Z")
const order = Testing.order("order-1", 1_000, {}, "p")

const offered = program((json) => {
  json["stacking"] = "all"
  json["promotions"] = Object.entries({
    new: { who: { joined_within_days: 7 } },
    first: { who: { first_order: true } },
    once: { limits: { per_member: { count: 1, every: "promotion" } } },
    always: {}
  }).map(([promotion_id, more]) => ({ promotion_id, name: promotion_id, effect: { add: 1 }, ...more }))
})
const reasons = (state: Partial<typeof initialState>, tried = order) =>
  withheld({ ...initialState, joined: at, ...state }, offered, tried, at, undefined).map(
    ({ promotion, reason }) => [promotion.id, reason] as const
  )

describe("promotions that an order does not get", () => {
  it("are none for somebody new, where all count", () => {
    assert.deepStrictEqual(reasons({}), [])
  })

  it("are withheld from who joined earlier, ordered before, or had them as often as they give", () => {
    assert.deepStrictEqual(reasons({ joined: at - 8 * dayMs }), [["new", "joined_earlier"]])
    assert.deepStrictEqual(reasons({ orders: 1 }), [["first", "not_first_order"]])
    const uses = [{ id: "once", since: 0, window: 0, count: 1 }]
    assert.deepStrictEqual(reasons({ uses }), [["once", "limit_reached"]])
  })

  it("give nothing for a coffee that a reward made free, and say so", () => {
    const coffees = program((json) => {
      json["promotions"] = [
        { promotion_id: "item", effect: { add_per_item: 1, unit: "stamps" } },
        { promotion_id: "once", effect: { add: 1 } }
      ].map((one) => ({ name: "Coffees", on: { product_ids: ["coffee"] }, ...one }))
    })
    const food = line("f", 1000)
    const of = (discount: number, ...more: Parameters<typeof ordered>[0]) => {
      const coffee = line("c", 300, { product_id: "coffee", discount: usd(discount) })
      return withheld({ ...initialState, joined: at }, coffees, ordered([food, coffee, ...more]), at, undefined).map(
        ({ reason }) => reason
      )
    }
    assert.deepStrictEqual(of(0), [])
    assert.deepStrictEqual(of(300), ["nothing_left", "nothing_left"])
    const free = line("m", -300, { kind: "modifier", parent_line_id: "c" })
    assert.deepStrictEqual(of(0, free), ["nothing_left", "nothing_left"])
    assert.deepStrictEqual(of(300, line("d", 300, { product_id: "coffee" })), [])
  })

  it("are all withheld from an order that the base does not let earn", () => {
    const nothing = ["always", "first", "new", "once"].map((id) => [id, "order_earns_nothing"] as const)
    assert.deepStrictEqual(reasons({}, Testing.order("order-2", 50, {}, "p")), nothing)
  })
})
