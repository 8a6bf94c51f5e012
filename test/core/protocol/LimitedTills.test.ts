/**
 * A till that is limited to restaurants: orders, adjustments and reservations of these alone
 * (contract/people.md *Limited to restaurants*).
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { body, credit, enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import type { OperationId, RequestOf } from "../../../src/contract/protocol/Operations.ts"
import { Handlers } from "../../../src/core/protocol/Handler.ts"
import { Restaurants } from "../../../src/core/protocol/Restaurants.ts"

const program_id = "demo-foodservice"
const places = [
  { location_id: "sold", franchisees: [{ from: "1969-12-31", franchisee_id: "ada" }, { from: "1970-01-10" }] }
]

const till = (limits: ConstructorParameters<typeof Restaurants>[0]) => ({
  ...Testing.caller,
  name: "Till 7",
  restaurants: new Restaurants(limits, places)
})
const east = till({ location_ids: ["east"] })
const ada = till({ franchisee_ids: ["ada"] })

const at = (location_id: string, id: string, more: object = {}) => {
  const order = Testing.order(id, 500, { ...Testing.placedAt(0), ...more })
  return { ...order, scope: { ...order.scope, location_id } }
}

const call = <Id extends OperationId>(id: Id, request: RequestOf<Id>, caller = Testing.caller) =>
  Effect.flatMap(Handlers, (handlers) => handlers[id](request, caller))

interface Outcome {
  readonly _tag: string
  readonly code?: string
  readonly errors?: unknown
}

/** The outcome in a word, and the places of its faults. */
const said = Effect.map(
  (outcome: Outcome): ReadonlyArray<string | undefined> =>
    outcome._tag === "Refusal"
      ? [outcome.code, ...((outcome.errors ?? []) as ReadonlyArray<{ path: string }>).map(({ path }) => path)]
      : [outcome._tag]
)

const accrual = (location: string, id: string, key?: string) => ({
  context: Testing.context(key),
  member_id: "guest",
  order: at(location, id)
})

const refund = (order: string) => ({
  context: Testing.context(),
  member_id: "guest",
  program_id,
  adjustment: {
    adjustment_id: `${order}-back`,
    original_order_id: order,
    type: "partial_refund" as const,
    reason: "test",
    occurred_at: "1970-01-01T00:00:00.000Z",
    order_total_delta: { amount: -100, currency: "USD" },
    eligible_spend_delta: { amount: -100, currency: "USD" }
  }
})

const reserve = (location: string, id: string) => ({
  context: Testing.context(),
  redemption_id: id,
  member_id: "guest",
  reward_id: "one-off",
  order: at(location, `${id}-order`, { status: "open" })
})

const reserved = (request: ReturnType<typeof reserve>) =>
  Effect.map(
    body<{ readonly reservation: { readonly reservation_id: string } }>(Testing.call("redemption.reserve", request)),
    ({ reservation }) => reservation.reservation_id
  )

const other = ["forbidden", "/order/scope/location_id"]

describe("a till that is limited to restaurants", () => {
  it.effect("evaluates, accrues and reserves for orders of its restaurants alone, and any guest redeems there", () =>
    Effect.gen(function* () {
      yield* enroll("guest")
      yield* body(Testing.call("accrual.post", accrual("west", "o-west")))
      yield* credit("guest", 500)
      for (const [location, expected] of [
        ["east", ["Answer"]],
        ["west", other]
      ] as const) {
        const evaluated = { context: Testing.context(), member_id: "guest", order: at(location, "o-1") }
        assert.deepStrictEqual(yield* said(call("order.evaluate", evaluated, east)), expected)
        assert.deepStrictEqual(yield* said(call("accrual.post", accrual(location, `o-${location}-2`), east)), expected)
        assert.deepStrictEqual(
          yield* said(call("redemption.reserve", reserve(location, `r-${location}`), east)),
          expected
        )
      }
    }).pipe(Effect.provide(Testing.layer()))
  )

  it.effect("adjusts orders, and captures and reverses reservations, of its restaurants alone", () =>
    Effect.gen(function* () {
      yield* enroll("guest")
      yield* credit("guest", 500)
      for (const location of ["east", "west"])
        yield* body(Testing.call("accrual.post", accrual(location, `o-${location}`)))
      const adjusted = (order: string) => said(call("order.adjust", refund(order), east))
      assert.deepStrictEqual(yield* adjusted("o-west"), ["forbidden", "/adjustment/original_order_id"])
      assert.deepStrictEqual(yield* adjusted("o-east"), ["Answer"])
      assert.deepStrictEqual(yield* adjusted("o-unknown"), ["forbidden", "/adjustment/original_order_id"])
      for (const [location, expected] of [
        ["east", ["Answer"]],
        ["west", ["forbidden", "/reservation_id"]]
      ] as const) {
        const captured = yield* reserved(reserve(location, `capture-${location}`))
        const capture = { context: Testing.context(), reservation_id: captured, order_id: `capture-${location}-order` }
        assert.deepStrictEqual(yield* said(call("redemption.capture", capture, east)), expected)
        const reverse = { context: Testing.context(), reservation_id: captured, reason: "test" }
        assert.deepStrictEqual(yield* said(call("redemption.reverse", reverse, east)), expected)
      }
      for (const reservation_id of ["rsv_1_1", "rsv_zz_9", "none"]) {
        const reverse = { context: Testing.context(), reservation_id, reason: "test" }
        assert.deepStrictEqual(yield* said(call("redemption.reverse", reverse, east)), ["forbidden", "/reservation_id"])
      }
    }).pipe(Effect.provide(Testing.layer()))
  )

  it.effect("gets no answer by the key of an order that a wider till has posted elsewhere", () =>
    Effect.gen(function* () {
      yield* enroll("guest")
      yield* body(Testing.call("accrual.post", accrual("west", "o-1", "key-1")))
      assert.deepStrictEqual(yield* said(call("accrual.post", accrual("west", "o-1", "key-1"), east)), other)
      const own = yield* said(call("accrual.post", accrual("east", "o-1", "key-1"), east))
      assert.deepStrictEqual(own, ["idempotency_conflict"])
      yield* body(Testing.call("accrual.post", accrual("east", "o-2", "key-2")))
      assert.deepStrictEqual(yield* said(call("accrual.post", accrual("east", "o-2", "key-2"), east)), ["Answer"])
    }).pipe(Effect.provide(Testing.layer()))
  )

  it.effect(
    "posts no new order of a restaurant that it lost more than seven days ago, whatever day the order says",
    () =>
      Effect.gen(function* () {
        yield* enroll("guest")
        yield* credit("guest", 500)
        const lost = (until: string) => ({
          ...Testing.caller,
          restaurants: new Restaurants({ franchisee_ids: ["ada"] }, [
            { location_id: "lost", franchisees: [{ from: "1969-01-01", franchisee_id: "ada" }, { from: until }] }
          ])
        })
        const order = (id: string) => at("lost", id, Testing.placedAt(-12 * 86_400_000))
        const request = accrual("lost", "o-late")
        for (const [until, expected] of [
          ["1969-12-25", other],
          ["1969-12-26", ["Answer"]]
        ] as const) {
          const posted = call("accrual.post", { ...request, order: order("o-late") }, lost(until))
          assert.deepStrictEqual(yield* said(posted), expected, until)
          const held = { ...reserve("lost", "r-late"), order: { ...order("r-late-order"), status: "open" as const } }
          assert.deepStrictEqual(yield* said(call("redemption.reserve", held, lost(until))), expected, until)
        }
        assert.deepStrictEqual(yield* said(call("order.adjust", refund("o-late"), lost("1969-12-25"))), ["Answer"])
      }).pipe(Effect.provide(Testing.layer()))
  )

  it.effect("of a franchisee goes by the order's business day", () =>
    Effect.gen(function* () {
      yield* enroll("guest")
      const posted = (id: string, business_date: string) =>
        said(call("accrual.post", { ...accrual("sold", id), order: at("sold", id, { business_date }) }, ada))
      assert.deepStrictEqual(yield* posted("o-1", "1969-12-31"), ["Answer"])
      const sold = till({ franchisee_ids: ["nobody"] })
      assert.deepStrictEqual(yield* said(call("order.adjust", refund("o-1"), sold)), [
        "forbidden",
        "/adjustment/original_order_id"
      ])
      assert.deepStrictEqual(yield* said(call("order.adjust", refund("o-1"), ada)), ["Answer"])
    }).pipe(Effect.provide(Testing.layer()))
  )
})
