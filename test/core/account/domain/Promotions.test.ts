/** Promotions on an account: contract/programmes.md *Promotions*, *Limits of orders*. */
import { assert, describe, it } from "@effect/vitest"
import * as Testing from "../../../../src/app/testing/Testing.ts"
import type { Order, OrderAdjustment } from "../../../../src/contract/protocol/Order.ts"
import { fromMillis } from "../../../../src/contract/Values.ts"
import type { Action } from "../../../../src/core/account/domain/Action.ts"
import * as Promoted from "../../../../src/core/account/domain/Promoted.ts"
import type { Program } from "../../../../src/core/rules/Program.ts"
import { inForceAs } from "../../../../src/core/rules/Program.ts"
import type { Json } from "../../rules/Builders.ts"
import { line, order, program, usd } from "../../rules/Builders.ts"
import { accruals, Scenario } from "./Scenario.ts"

const hour = 3_600_000
const day = 24 * hour

/** The programme with these promotions: 10 points a dollar, stamps 1 an order, credits 5 a dollar. Gold earns points at 1.5. */
const promoting = (promotions: ReadonlyArray<Json>, more: (json: Json) => void = () => {}): Program =>
  program((json) => {
    json["promotions"] = promotions.map((one, index) => ({ promotion_id: `p${index}`, name: `P ${index}`, ...one }))
    json["time_zone"] = "UTC"
    delete json["stamp_card"]
    more(json)
  })

const double = { effect: { multiply_bps: 20_000 } }
const coffees = { on: { product_ids: ["coffee"] } }
const coffee = (id: string, each: number, quantity = 1) =>
  line(id, each * quantity, { product_id: "coffee", quantity, unit_price: usd(each) })
const food = (id: string, price: number) => line(id, price, { product_id: "food" })

/** Placed at the scenario's time. */
const { business_date, placed_at } = Testing.order("any", 1)
const placedNow = { business_date, placed_at }

const paid = (id: string, lines: Parameters<typeof order>[0], more: Partial<Order> = {}): Action => ({
  type: "accrue",
  order: order(lines, { order_id: id, ...placedNow, ...more })
})

type Lines = NonNullable<OrderAdjustment["lines"]>
const named = (line_id: string, subtotal: number, quantity = 0): Lines[number] => ({
  line_id,
  quantity_delta: quantity,
  subtotal_delta: usd(subtotal)
})
let adjustments = 0
const refund = (
  id: string,
  delta: number,
  lines?: Lines,
  type: OrderAdjustment["type"] = "partial_refund"
): Action => ({
  type: "adjust_order",
  adjustment: {
    adjustment_id: `a${++adjustments}`,
    original_order_id: id,
    type,
    reason: "test",
    occurred_at: "2026-07-14T10:00:00Z",
    order_total_delta: usd(delta),
    eligible_spend_delta: usd(delta),
    ...(lines === undefined ? undefined : { lines })
  }
})

const guest = (promotions: ReadonlyArray<Json>, more?: (json: Json) => void) =>
  new Scenario(promoting(promotions, more))

/** Points of an accrual's entry on an account. */
const earns = (on: Scenario, action: Action, unit = "points"): number =>
  on.posts(action).find(([op, of]) => op === "accrual" && of === unit)?.[2] ?? 0

describe("what a promotion gives", () => {
  it("multiply gives the base of the lines that count once more, with the tier's multiplier, in the same entry", () => {
    const one = guest([{ ...double, ...coffees }])
    const { events } = one.when(paid("o1", [coffee("c", 500), food("f", 1000)]))
    const points = events.find((event) => event.type === "posted" && event.unit === "points")
    assert.deepInclude(points, { amount: 150 + 50, reason: "promotions: p0" })
    // 700 points make gold: 1.5.
    one.given({
      type: "adjust_manually",
      adjustment: "m",
      amount: 700,
      classification: "gift",
      reason: "r",
      qualifies: true
    })
    assert.strictEqual(earns(one, paid("o2", [coffee("c", 500), food("f", 1000)])), 225 + 75)
  })

  it("add gives once an order, add_per_item for each whole unit: three coffees are three stamps", () => {
    const one = guest([{ effect: { add: 25 } }, { effect: { add_per_item: 1, unit: "stamps" }, ...coffees }])
    const entries = one.posts(paid("o1", [coffee("c", 300, 3), food("f", 1000)]))
    assert.deepStrictEqual(
      entries.map(([, unit, amount]) => [unit, amount]),
      [
        ["points", 190 + 25],
        ["stamps", 1 + 3],
        ["credits", 95]
      ]
    )
    // 0.5 of weighed goods is no whole unit.
    const weighed = line("c", 150, { product_id: "coffee", quantity: 0.5, unit_price: usd(300) })
    assert.strictEqual(earns(one, paid("o2", [weighed, coffee("d", 300)]), "stamps"), 1 + 1)
  })

  it("the tier's multiplier applies to add only with multiplier_eligible", () => {
    const gold = (multiplier_eligible: boolean) =>
      guest([{ effect: { add: 25, multiplier_eligible } }]).given({
        type: "adjust_manually",
        adjustment: "m",
        amount: 700,
        classification: "gift",
        reason: "r",
        qualifies: true
      })
    assert.strictEqual(earns(gold(true), paid("o1", [food("f", 1000)])), 150 + 37)
    assert.strictEqual(earns(gold(false), paid("o1", [food("f", 1000)])), 150 + 25)
  })

  it("best gives the one that gives most on an account, all gives each on the base; never one on another", () => {
    const promotions = [
      double,
      { effect: { multiply_bps: 30_000 } },
      { effect: { add: 5 } },
      { effect: { add: 3, unit: "stamps" } }
    ]
    assert.strictEqual(earns(guest(promotions), paid("o1", [food("f", 1000)])), 100 + 200)
    assert.strictEqual(earns(guest(promotions), paid("o1", [food("f", 1000)]), "stamps"), 1 + 3)
    const all = guest(promotions, (json) => (json["stacking"] = "all"))
    assert.strictEqual(earns(all, paid("o1", [food("f", 1000)])), 100 + 100 + 200 + 5)
  })

  it("of two that give the same, the first by its id", () => {
    const one = guest([
      { ...double, promotion_id: "b" },
      { ...double, promotion_id: "a" }
    ])
    assert.deepInclude(one.when(paid("o1", [food("f", 1000)])).events[0], { reason: "promotions: a" })
  })

  it("nothing for an order that the base rules do not let earn", () => {
    const one = guest([{ effect: { add: 25 } }])
    assert.strictEqual(earns(one, paid("o1", [food("f", 50)])), 0)
    assert.strictEqual(earns(one, paid("o2", [food("f", 1000)], { channel: "delivery" })), 0)
  })

  it("what is not eligible counts for no promotion", () => {
    const one = guest([{ effect: { add_per_item: 1 }, ...coffees }])
    assert.strictEqual(earns(one, paid("o1", [{ ...coffee("c", 500), loyalty_eligible: false }, food("f", 1000)])), 100)
  })

  it("where and who: location, channel, tier, days since joining", () => {
    const gives = (more: Json, over: Partial<Order> = {}) =>
      earns(guest([{ effect: { add: 1 }, ...more }]), paid("o1", [food("f", 1000)], over)) - 100
    assert.strictEqual(gives({ where: { location_ids: ["l"] } }), 1)
    assert.strictEqual(gives({ where: { location_ids: ["other"] } }), 0)
    assert.strictEqual(gives({ where: { channels: ["mobile"] } }), 0)
    assert.strictEqual(gives({ where: { channels: ["mobile"] } }, { channel: "mobile" }), 1)
    assert.strictEqual(gives({ who: { tier_ids: ["gold"] } }), 0)
    assert.strictEqual(gives({ who: { tier_ids: ["base", "gold"] } }), 1)
    const late = guest([{ effect: { add: 1 }, who: { joined_within_days: 7 } }])
    assert.strictEqual(earns(late.wait(7 * day), paid("o1", [food("f", 1000)])), 101)
    assert.strictEqual(earns(late.wait(1), paid("o2", [food("f", 1000)])), 100)
  })
})

describe("the order's own time", () => {
  const happy = [{ effect: { add: 1 }, when: { weekly: [{ days: ["tue"], from: "15:00", until: "17:00" }] } }]
  // 14 July 2026 is a Tuesday; the scenario starts at 10:00.
  const at = (hours: number) => Date.UTC(2026, 6, 14, hours)
  const placed = (time: number): Partial<Order> => ({
    placed_at: fromMillis(time),
    business_date: fromMillis(time).slice(0, 10)
  })

  it("an offline till loses no happy hour: placed_at decides for 72 hours", () => {
    const one = guest(happy).wait(3 * day)
    assert.strictEqual(earns(one, paid("o1", [food("f", 1000)], placed(at(16)))), 101)
    // Friday 17 July 16:00:00.001: a millisecond older than 72 hours.
    one.wait(6 * hour + 1)
    assert.strictEqual(earns(one, paid("o2", [food("f", 1000)], placed(at(16)))), 100)
  })

  it("an older order gets no promotion with a time, neither of its own time nor of the clock's", () => {
    const gives = (when: Json, hours: number) => {
      const one = guest([{ effect: { add: 1 }, ...when }]).wait(7 * day + 6 * hour)
      return earns(one, paid("o1", [food("f", 1000)], placed(one.now - hours * hour))) - 100
    }
    // The scenario is at 16:00 on a Tuesday, the order a week before.
    const all = [
      happy[0]!.when,
      { from: "2026-01-01" },
      { until: "2027-01-01" },
      { dates: ["2026-07-21", "2026-07-14"] }
    ]
    assert.deepStrictEqual(
      all.map((when) => gives({ when }, 0)),
      [1, 1, 1, 1]
    )
    assert.deepStrictEqual(
      all.map((when) => gives({ when }, 7 * 24)),
      [0, 0, 0, 0]
    )
    assert.deepStrictEqual([gives({}, 7 * 24), gives({ when: {} }, 7 * 24)], [1, 1])
  })

  it("late_order_hours is the programme's; a pre-order counts by the service's clock", () => {
    const one = guest(happy, (json) => (json["limits"] = { late_order_hours: 1 })).wait(8 * hour)
    assert.strictEqual(earns(one, paid("o1", [food("f", 1000)], placed(at(16)))), 100)
    const ahead = guest(happy).wait(5 * hour - 60_000)
    assert.strictEqual(earns(ahead, paid("o1", [food("f", 1000)], placed(at(15)))), 100)
  })
})

describe("limits for each member", () => {
  const daily = (every: string, count = 1) => [{ effect: { add: 1 }, limits: { per_member: { count, every } } }]

  it("count within a day, week, month or ever of the order's own time", () => {
    // From Tuesday 14 July: the same day, Sunday, Monday, 1 August.
    const days = [0, 0, 5, 6, 18]
    const given = (every: string) => {
      const one = guest(daily(every))
      let before = 0
      return days.map((at, index) => {
        one.wait((at - before) * day)
        before = at
        return earns(one, paid(`o${index}`, [food("f", 1000)])) - 100
      })
    }
    assert.deepStrictEqual(given("day"), [1, 0, 1, 1, 1])
    assert.deepStrictEqual(given("week"), [1, 0, 0, 1, 1])
    assert.deepStrictEqual(given("month"), [1, 0, 0, 0, 1])
    assert.deepStrictEqual(given("promotion"), [1, 0, 0, 0, 0])
  })

  it("a late order uses its own day, not the day on which it arrives", () => {
    const one = guest(daily("day")).wait(day)
    const yesterday = { placed_at: "2026-07-14T10:00:00Z" }
    assert.strictEqual(earns(one, paid("o1", [food("f", 1000)])), 101)
    assert.strictEqual(earns(one, paid("o2", [food("f", 1000)], yesterday)), 101)
    assert.strictEqual(earns(one, paid("o3", [food("f", 1000)], yesterday)), 100)
  })

  it("a full refund gives the use back, a partial one does not, and neither does a second void", () => {
    const one = guest(daily("promotion")).given(paid("o1", [food("f", 1000)]))
    assert.strictEqual(earns(one, paid("o2", [food("f", 1000)])), 100)
    one.given(refund("o1", -500))
    assert.strictEqual(earns(one, paid("o3", [food("f", 1000)])), 100)
    one.given(refund("o1", -500, undefined, "full_refund"), refund("o1", 0, undefined, "void"))
    assert.strictEqual(earns(one, paid("o4", [food("f", 1000)])), 101)
    assert.strictEqual(earns(one, paid("o5", [food("f", 1000)])), 100)
  })

  it("the uses of merged members add up, and come back to the one that remains", () => {
    const promotions = daily("promotion", 2)
    const other = new Scenario(promoting(promotions), "bea", 2).given(paid("o1", [food("f", 1000)]))
    const one = guest(promotions).given(paid("o2", [food("f", 1000)]))
    one.merge(other)
    assert.strictEqual(earns(one, paid("o3", [food("f", 1000)])), 100)
    one.given(refund("o1", -1000, undefined, "void"))
    assert.strictEqual(earns(one, paid("o4", [food("f", 1000)])), 101)
    assert.deepStrictEqual(one.replayed, one.state)
  })

  it("one that is removed loses its counts, one that is not enabled keeps them, and the state forgets both in time", () => {
    const [limited] = daily("promotion")
    const versions = [[limited!], [{ ...limited, enabled: false }], [limited!], [], [limited!]]
    const at = (index: number) => (index === 0 ? -Infinity : Date.UTC(2026, 6, 14, 10) + index * hour)
    const published = versions.map((promotions, index) =>
      inForceAs(
        promoting(promotions),
        versions.slice(0, index + 1).map((one, version) => ({
          publishedAt: at(version),
          tierPolicy: undefined,
          promotions: one.map(() => ({ id: "p0", every: "promotion" }))
        })),
        false
      )
    )
    const one = new Scenario(published[0]!)
    const gives = published.map((version, index) => {
      one.now = Math.max(one.now, Date.UTC(2026, 6, 14, 10) + index * hour)
      return earns(one.under(version), paid(`o${index}`, [food("f", 1000)])) - 100
    })
    assert.deepStrictEqual(gives, [1, 0, 0, 0, 1])
    assert.strictEqual(one.state.uses.length, 1)
  })

  /** Gifts of each version to one order, an hour after the other. */
  const givenBy = (versions: ReadonlyArray<Json>, pause = hour) => {
    const one = guest([versions[0]!], (json) => (json["limits"] = { orders_per_member_and_day: 100 }))
    const begun = one.now
    return versions.map((version, index) => {
      const all = versions.slice(0, index + 1)
      const published = inForceAs(
        promoting([version], (json) => (json["limits"] = { orders_per_member_and_day: 100 })),
        all.map(({ limits }, at) => ({
          publishedAt: at === 0 ? -Infinity : begun + at * pause,
          promotions: [{ id: "p0", every: limits?.per_member.every }]
        })),
        false
      )
      const gives = earns(one.under(published), paid(`o${index}`, [food("f", 1000)])) - 100
      one.wait(pause)
      return gives
    })
  }

  it("uses are kept as long as the promotion is defined, ended or not: one that is prolonged gives no more", () => {
    const [once] = daily("promotion")
    const ended = { ...once, when: { until: "2026-07-14" } }
    const prolonged = { ...once, when: { until: "2026-08-31" } }
    assert.deepStrictEqual(givenBy([ended, ended, ended, prolonged], 5 * day), [1, 0, 0, 0])
  })

  it("another every begins anew, also one that was there before; a limit that was away goes on", () => {
    const [[once], [weekly], [daily2]] = [daily("promotion"), daily("week"), daily("day")]
    // 14 July is no Monday; the first of a month would be a window of a day, too.
    assert.deepStrictEqual(givenBy([once!, weekly!, weekly!, once!, once!]), [1, 1, 0, 1, 0])
    const { limits: _, ...free } = once!
    assert.deepStrictEqual(givenBy([once!, { ...free }, once!, daily2!, daily2!]), [1, 1, 0, 1, 0])
  })

  it("counts of a day are kept while late orders can reach it, and no longer", () => {
    const one = guest(daily("day")).given(paid("o1", [food("f", 1000)]))
    one.wait(30 * day).given(paid("o2", [food("f", 1000)]))
    assert.strictEqual(one.state.uses.length, 1)
  })

  it("first_order is the first that is not closed; a merge brings the other member's orders", () => {
    const first = [{ effect: { add: 1 }, who: { first_order: true } }]
    const one = guest(first)
    assert.strictEqual(earns(one, paid("o1", [food("f", 1000)])), 101)
    assert.strictEqual(earns(one, paid("o2", [food("f", 1000)])), 100)
    one.given(refund("o1", 0, undefined, "void"), refund("o1", 0, undefined, "void"))
    assert.strictEqual(earns(one, paid("o3", [food("f", 1000)])), 100)
    one.given(refund("o2", 0, undefined, "void"), refund("o3", 0, undefined, "full_refund"))
    assert.strictEqual(earns(one, paid("o4", [food("f", 1000)])), 101)
    const other = new Scenario(promoting(first), "bea", 2)
    other.merge(one)
    assert.strictEqual(earns(other, paid("o5", [food("f", 1000)])), 100)
    assert.deepStrictEqual(other.replayed, other.state)
  })
})

describe("refunds of an order with promotions", () => {
  const coffeeDoubled = [{ ...double, ...coffees }]

  it("by line and without lines, in any order, leave the same: coffee 5.00 doubled, food 10.00", () => {
    const left = (...refunds: ReadonlyArray<Action>) =>
      guest(coffeeDoubled)
        .given(paid("o1", [coffee("c", 500), food("f", 1000)]), ...refunds)
        .balance()[0]
    const sum = () => refund("o1", -500)
    const byLine = () => refund("o1", -1000, [named("f", -1000, -1)])
    assert.strictEqual(left(sum(), byLine()), 0)
    assert.strictEqual(left(byLine(), sum()), 0)
    assert.strictEqual(left(byLine()), 50 + 50)
    assert.strictEqual(left(sum()), 100 + 50)
    assert.strictEqual(left(refund("o1", -500, [named("c", -500, -1)])), 100)
    assert.strictEqual(left(refund("o1", -250, [named("c", -250)])), 125 + 25)
  })

  it("units are those left, none of a line with nothing left, and no more than fit, cheapest first", () => {
    const promotions = [{ effect: { add_per_item: 10 }, ...coffees }]
    const left = (...refunds: ReadonlyArray<Action>) =>
      guest(promotions)
        .given(paid("o1", [coffee("c", 300, 2), coffee("d", 200), food("f", 500)]), ...refunds)
        .balance()[0]
    assert.strictEqual(left(), 130 + 30)
    assert.strictEqual(left(refund("o1", -300, [named("c", -300, -1)])), 100 + 20)
    assert.strictEqual(left(refund("o1", -600, [named("c", -600)])), 70 + 10)
    // 4.00 are left: a coffee of 2.00 fits, one of 3.00 no more.
    assert.strictEqual(left(refund("o1", -900)), 40 + 10)
    assert.strictEqual(left(refund("o1", -1100)), 20 + 10)
    assert.strictEqual(left(refund("o1", -1200)), 10)
  })

  it("the coffee with an own cup gives its stamp: what lowered the order lowers all prices", () => {
    const promotions = [{ effect: { add_per_item: 1, unit: "stamps" }, ...coffees }]
    const cup = line("m", -50, { kind: "modifier", parent_line_id: "c", product_id: "cup" })
    const one = guest(promotions)
    assert.strictEqual(earns(one, paid("o1", [coffee("c", 500), cup]), "stamps"), 1 + 1)
  })

  it("a modifier that lowers the price counts exactly where its parent does: in on, minimum_spend, items", () => {
    const cup = (parent_line_id: string, product_id = "cup") =>
      line(`m-${parent_line_id}`, -50, { kind: "modifier", parent_line_id, product_id })
    const lines = [cup("c"), coffee("c", 300, 3), food("f", 1000), cup("f", "coffee")]
    // 8.50 of coffee, 9.50 of food.
    assert.strictEqual(earns(guest([{ ...double, ...coffees }]), paid("o1", lines)), 180 + 85)
    const from = (least: number) => [{ effect: { add: 7 }, ...coffees, minimum_spend: usd(least) }]
    assert.strictEqual(earns(guest(from(850)), paid("o1", lines)), 180 + 7)
    assert.strictEqual(earns(guest(from(851)), paid("o1", lines)), 180)
    const stamps = [{ effect: { add_per_item: 1, unit: "stamps" }, ...coffees }]
    const one = guest(stamps)
    assert.strictEqual(earns(one, paid("o1", lines), "stamps"), 1 + 3)
    one.given(refund("o1", -250, [named("c", -300, -1), named("m-c", 50, -1)]))
    assert.strictEqual(one.balance("stamps")[0], 1 + 2)
    // A lowered line that is no coffee makes no coffee of the order.
    assert.strictEqual(earns(guest(stamps), paid("o1", [food("f", 1000), cup("f", "coffee")]), "stamps"), 1)
  })

  it("add_per_item without on counts all eligible lines", () => {
    const one = guest([{ effect: { add_per_item: 1, unit: "stamps" } }])
    const gift = line("g", 500, { product_id: "gift-card" })
    assert.strictEqual(earns(one, paid("o1", [coffee("c", 300, 2), food("f", 1000), gift]), "stamps"), 1 + 3)
  })

  it("minimum_spend applies to what is left; none is chosen anew", () => {
    const promotions = [{ effect: { add: 50 }, minimum_spend: usd(2000) }, { effect: { add: 20 } }]
    const one = guest(promotions).given(paid("o1", [food("f", 2500)]))
    assert.strictEqual(one.balance()[0], 250 + 50)
    one.given(refund("o1", -1000))
    assert.strictEqual(one.balance()[0], 150)
    one.given(refund("o1", 800, undefined, "correction"))
    assert.strictEqual(one.balance()[0], 230 + 50)
  })

  it("corrections beyond the accrual's lines count for no `on`", () => {
    const one = guest(coffeeDoubled).given(paid("o1", [coffee("c", 500)]))
    one.given(refund("o1", 500, [named("c", 500, 1)], "correction"))
    assert.strictEqual(one.balance()[0], 100 + 50)
  })

  it("goes on by the rules of the accrual when the promotion is gone from the programme", () => {
    const one = guest(coffeeDoubled).given(paid("o1", [coffee("c", 500), food("f", 1000)]))
    one.under(promoting([])).given(refund("o1", -250, [named("c", -250)]))
    assert.strictEqual(one.balance()[0], 125 + 25)
  })
})

describe("limits of orders", () => {
  it("points_per_order caps each account, promotions last, also of what is left", () => {
    const one = guest([double], (json) => (json["limits"] = { points_per_order: 150 }))
    const decided = one.when(paid("o1", [food("f", 1000)]))
    assert.deepInclude(decided.reply, { ineligible: ["limit_reached"] })
    assert.strictEqual(one.balance()[0], 150)
    const [entry] = accruals(decided.events)
    assert.deepStrictEqual(
      entry?.promotions?.map(({ amount }) => amount),
      [50]
    )
    one.given(refund("o1", -200))
    assert.strictEqual(one.balance()[0], 150)
    one.given(refund("o1", -200))
    assert.strictEqual(one.balance()[0], 120)
  })

  it("an order over orders_per_member_and_day earns nothing, also by a correction; a void makes room", () => {
    const one = guest([double], (json) => (json["limits"] = { orders_per_member_and_day: 1 }))
    one.given(paid("o1", [food("f", 1000)]))
    assert.deepInclude(one.when(paid("o2", [food("f", 1000)])).reply, { ineligible: ["limit_reached"] })
    one.given(refund("o2", 1000, undefined, "correction"))
    assert.strictEqual(one.balance()[0], 200)
    one.given(refund("o1", -1000, undefined, "void"))
    assert.strictEqual(earns(one, paid("o3", [food("f", 1000)])), 200)
    assert.strictEqual(earns(one.wait(day), paid("o4", [food("f", 1000)])), 200)
  })

  it("an order over order_total is invalid_order", () => {
    const one = guest([], (json) => (json["limits"] = { order_total: usd(1000) }))
    one.refuses(paid("o1", [food("f", 1001)]), "invalid_order")
    assert.strictEqual(earns(one, paid("o2", [food("f", 1000)])), 100)
  })
})

describe("near misses of an evaluation", () => {
  const almost = (
    promotions: ReadonlyArray<Json>,
    lines: Parameters<typeof order>[0] = [food("f", 1000)],
    more?: (json: Json) => void
  ) => {
    const one = guest(promotions, more)
    return Promoted.estimate(one.state, one.program, order(lines), one.now)
      .almost()
      .map(({ items, promotion, spend }) => [promotion.id, spend ?? { items }])
  }

  it("say what is missing to the minimum or which items, nearest first, at most three", () => {
    assert.deepStrictEqual(
      almost(
        [
          { effect: { add: 9 }, minimum_spend: usd(5000) },
          { effect: { add: 7 }, minimum_spend: usd(1200) },
          { effect: { add: 8 }, ...coffees },
          { effect: { add: 6 }, minimum_spend: usd(1100) },
          { effect: { add: 1 } }
        ],
        [food("f", 1000)]
      ),
      [
        ["p3", 100],
        ["p1", 200],
        ["p0", 4000]
      ]
    )
    assert.deepStrictEqual(almost([{ effect: { add: 1 }, ...coffees }], [food("f", 1000)]), [["p0", { items: 1 }]])
  })

  it("are silent of what stacking would withhold, and of what only a price would tell", () => {
    const least = (effect: Json, spend: number) => ({ effect, minimum_spend: usd(spend) })
    // 12.00 doubled are 120 more; add gives 100, 120 or 121.
    for (const [add, told] of [
      [100, []],
      [120, []],
      [121, [["p1", 200]]]
    ] as const)
      assert.deepStrictEqual<unknown>(almost([double, least({ add }, 1200)]), told)
    const all = (json: Json) => (json["stacking"] = "all")
    assert.deepStrictEqual(almost([double, least({ add: 1 }, 1200)], undefined, all), [["p1", 200]])
    assert.deepStrictEqual(almost([{ effect: { add: 5 } }, { effect: { add: 5 }, ...coffees }]), [])
    assert.deepStrictEqual(almost([{ effect: { add: 5 } }, { effect: { add: 6 }, ...coffees }]), [["p1", { items: 1 }]])
    assert.deepStrictEqual(almost([double, { effect: { add: 500 }, ...coffees }]), [])
    assert.deepStrictEqual(almost([{ effect: { add: 5 } }, { ...double, ...coffees }]), [])
    assert.deepStrictEqual(almost([{ ...double, ...coffees }]), [["p0", { items: 1 }]])
    // Too little for a point.
    const tiny = { effect: { multiply_bps: 10_001 }, minimum_spend: usd(1200) }
    assert.deepStrictEqual(almost([tiny]), [])
  })

  it("are silent of what a limit would withhold", () => {
    const more = [
      { effect: { add: 5 }, minimum_spend: usd(1200) },
      { effect: { add: 5 }, ...coffees }
    ]
    const points = (most: number) => (json: Json) => (json["limits"] = { points_per_order: most })
    assert.deepStrictEqual(almost(more, undefined, points(120)), [["p1", { items: 1 }]])
    assert.deepStrictEqual(almost(more, undefined, points(121)), [
      ["p0", 200],
      ["p1", { items: 1 }]
    ])
    assert.deepStrictEqual(almost(more, undefined, points(100)), [])
    const total = (amount: number) => (json: Json) => (json["limits"] = { order_total: usd(amount) })
    assert.deepStrictEqual(almost([more[0]!], undefined, total(1199)), [])
    assert.deepStrictEqual(almost([more[0]!], undefined, total(1200)), [["p0", 200]])
  })

  it("are silent of what an exclusion would withhold, and name a second minimum", () => {
    const on = (ids: Json) => [{ effect: { add: 5 }, on: ids }]
    assert.deepStrictEqual(
      almost(on({ product_ids: ["gift-card"], category_ids: ["alcohol"], tags: ["donation"] })),
      []
    )
    assert.deepStrictEqual(almost(on({ product_ids: ["gift-card", "tea"] })), [["p0", { items: 1 }]])
    const wine = line("w", 300, { product_id: "wine", category_ids: ["alcohol"] })
    assert.deepStrictEqual(almost(on({ product_ids: ["wine"] }), [food("f", 1000), wine]), [])
    const free = coffee("c", 300)
    assert.deepStrictEqual(
      almost([{ effect: { add: 5 }, ...coffees }], [food("f", 1000), { ...free, discount: free.subtotal }]),
      [["p0", { items: 1 }]]
    )
    const least = [{ effect: { add: 5 }, ...coffees, minimum_spend: usd(500) }]
    assert.deepStrictEqual(almost(least), [["p0", 500]])
    assert.deepStrictEqual(almost(least, [food("f", 1000), coffee("c", 300)]), [["p0", 200]])
  })

  it("are silent of what is not for this member, time or place", () => {
    const other = { effect: { add: 1 }, minimum_spend: usd(5000), where: { location_ids: ["other"] } }
    assert.deepStrictEqual(almost([other, { ...other, where: {}, enabled: false }], [food("f", 1000)]), [])
  })
})
