/** Why a restaurant's revenue has changed, and which one lost most (contract/engagement.md *Figures by restaurant*). */
import { assert, describe, it } from "@effect/vitest"
import { causeOf, compare } from "../../../src/console/restaurants/ranking.ts"

const of = (guests: number | undefined, orders: number, revenue: number) => ({ guests, orders, revenue })

describe("the cause of a change of revenue", () => {
  it("is what explains most of it, whatever else has changed against it", () => {
    const before = of(100, 200, 200_000)
    assert.strictEqual(causeOf(of(50, 100, 100_000), before), "guests")
    assert.strictEqual(causeOf(of(100, 100, 100_000), before), "orders")
    assert.strictEqual(causeOf(of(100, 200, 100_000), before), "average")
    // A tenth fewer guests and a fifth smaller orders.
    assert.strictEqual(causeOf(of(90, 180, 144_000), before), "average")
    // More guests cannot explain a fall, nor fewer ones a rise.
    assert.strictEqual(causeOf(of(300, 600, 190_000), before), "average")
    assert.strictEqual(causeOf(of(20, 300, 210_000), before), "orders")
  })

  it("is the same seen from either side", () => {
    const [one, other] = [of(90, 150, 171_000), of(120, 260, 240_000)]
    assert.strictEqual(causeOf(one, other), causeOf(other, one))
  })

  it("is orders or their size where guests are not counted", () => {
    assert.strictEqual(causeOf(of(undefined, 50, 50_000), of(100, 200, 200_000)), "orders")
    assert.strictEqual(causeOf(of(undefined, 190, 50_000), of(undefined, 200, 200_000)), "average")
  })

  it("is none without a change, or with nothing on one side", () => {
    assert.isUndefined(causeOf(of(10, 20, 200), of(20, 10, 200)))
    assert.isUndefined(causeOf(of(0, 0, 0), of(20, 10, 200)))
    assert.isUndefined(causeOf(of(20, 10, 200), of(0, 0, 0)))
  })
})

const restaurant = (location_id: string, guests: number, orders: number, amount: number) => ({
  location_id,
  guests,
  orders,
  eligible_spend: { amount, currency: "USD" },
  points: []
})

describe("restaurants beside the days before", () => {
  it("begin with the one that lost most, also one without an order now or before", () => {
    const now = [restaurant("a", 10, 10, 900), restaurant("b", 10, 10, 500), restaurant("new", 3, 3, 300)]
    const before = [restaurant("a", 10, 10, 1_000), restaurant("b", 20, 20, 1_000), restaurant("gone", 9, 9, 5_000)]
    const found = compare({ restaurants: now }, { restaurants: before })
    assert.deepStrictEqual(
      found.map(({ cause, change, location_id }) => [location_id, change, cause]),
      [
        ["gone", -5_000, undefined],
        ["b", -500, "guests"],
        ["a", -100, "average"],
        ["new", 300, undefined]
      ]
    )
    assert.isUndefined(found[0]?.now)
    assert.isUndefined(found[3]?.before)
  })
})
