/** A guest of restaurants that go from the franchisee `giver` to `taker`: `over` today, `soon` tomorrow, `later` in nine days. */
import { Effect } from "effect"
import { body, credit, enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as Operators from "./Operators.ts"

const { business_date: today, placed_at: now } = Testing.placedNow

const day = (days: number): string => new Date(Date.parse(today) + days * 86_400_000).toISOString().slice(0, 10)

const orderAt = (location_id: string, id: string, more: object) => {
  const order = Testing.order(id, 500, { ...Testing.placedNow, ...more })
  return { ...order, scope: { ...order.scope, location_id } }
}

const handed = (location_id: string, from: string) => {
  const franchisees = [
    { from: "2020-01-01", franchisee_id: "giver" },
    { from, franchisee_id: "taker" }
  ]
  const place = { location_id, name: "Handed over", franchisees }
  return TestServer.send(`${Operators.api}/locations`, place, { method: "PUT", headers: Operators.root })
}

/** An order at `over`, and its refund of today, `ORDER-back`. */
const refunded = Effect.fnUntraced(function* (member_id: string, order_id: string, business_date: string) {
  const order = orderAt("over", order_id, { business_date })
  yield* body(Testing.call("accrual.post", { context: Testing.context(), member_id, order }))
  const delta = { amount: -200, currency: "USD" }
  const adjustment = {
    adjustment_id: `${order_id}-back`,
    original_order_id: order_id,
    type: "partial_refund",
    reason: "test",
    occurred_at: now,
    order_total_delta: delta,
    eligible_spend_delta: delta
  } as const
  const { program_id } = order.scope
  yield* body(Testing.call("order.adjust", { context: Testing.context(), member_id, program_id, adjustment }))
})

/** A reservation of today, named as its restaurant, and its capture. */
const redeemed = Effect.fnUntraced(function* (member_id: string, location: string) {
  const order = orderAt(location, `${location}-meal`, { status: "open" })
  const redemption = { redemption_id: location, member_id, reward_id: "one-off", order }
  const { reservation } = yield* body<{ readonly reservation: { readonly reservation_id: string } }>(
    Testing.call("redemption.reserve", { context: Testing.context(), ...redemption })
  )
  const capture = { reservation_id: reservation.reservation_id, order_id: order.order_id }
  yield* body(Testing.call("redemption.capture", { context: Testing.context(), ...capture }))
})

/** The orders `before` and `after` of the days about the handover of `over`, refunded today, and redemptions at the others. */
export const world = Effect.fnUntraced(function* (member_id: string) {
  yield* enroll(member_id)
  yield* credit(member_id, 1_000)
  yield* handed("over", day(0))
  yield* handed("soon", day(1))
  yield* handed("later", day(9))
  yield* refunded(member_id, "before", day(-1))
  yield* refunded(member_id, "after", day(0))
  yield* redeemed(member_id, "soon")
  yield* redeemed(member_id, "later")
})

/** Moves the order `before` to a guest `to`, today. */
export const moved = Effect.fnUntraced(function* (member_id: string, to: string) {
  yield* enroll(to)
  const path = `${Operators.api}/members/${Testing.demoProgram.id}/${member_id}/orders/before/move`
  const { body, status } = yield* TestServer.send(path, { reason: "wrong card", to }, { headers: Operators.root })
  if (status !== 200) throw new Error(JSON.stringify(body))
})
