/** Challenges on an account: contract/programmes.md *Challenges*. */
import { assert, describe, it } from "@effect/vitest"
import type { Order } from "../../../../src/contract/protocol/Order.ts"
import { fromMillis } from "../../../../src/contract/Values.ts"
import type { Action } from "../../../../src/core/account/domain/Action.ts"
import * as Challenges from "../../../../src/core/rules/Challenges.ts"
import type { Program } from "../../../../src/core/rules/Program.ts"
import { inForceAs } from "../../../../src/core/rules/Program.ts"
import * as Randomness from "../../../model/Random.ts"
import type { Json } from "../../rules/Builders.ts"
import { line, order, program, usd } from "../../rules/Builders.ts"
import { Scenario, start } from "./Scenario.ts"

const hour = 3_600_000
const day = 24 * hour
const week = 7 * day

const challenging = (challenge: Json, more: (json: Json) => void = () => {}): Program =>
  program((json) => {
    json["challenges"] = [{ challenge_id: "c", name: "C", gives: { reward_id: "free" }, ...challenge }]
    json["time_zone"] = "UTC"
    delete json["stamp_card"]
    more(json)
  })

/** A guest whose clock never shows the usual time of an order, which the scenario would replace. */
const guest = (challenge: Json, more?: (json: Json) => void, member?: string, account?: number) =>
  new Scenario(challenging(challenge, more), member, account).wait(1)

const coffees = { product_ids: ["coffee"] }
const coffee = (quantity: number) => line("c", 300 * quantity, { product_id: "coffee", quantity, unit_price: usd(300) })

/** The scenario is placed at 10:00 on Tuesday, 14 July 2026. */
const paid = (
  on: Scenario,
  id: string,
  lines = [line("f", 1000)],
  placed = on.now,
  more: Partial<Order> = {}
): Action => ({
  type: "accrue",
  order: order(lines, {
    order_id: id,
    placed_at: fromMillis(placed),
    business_date: fromMillis(placed).slice(0, 10),
    ...more
  })
})

const adjustmentOf = (action: Action) => (action as Extract<Action, { type: "adjust_order" }>).adjustment

let adjustments = 0
const refund = (
  id: string,
  delta: number,
  quantity?: number,
  type: "partial_refund" | "void" = "partial_refund"
): Action => ({
  type: "adjust_order",
  adjustment: {
    adjustment_id: `a${++adjustments}`,
    original_order_id: id,
    type,
    reason: "test",
    occurred_at: fromMillis(start),
    order_total_delta: usd(delta),
    eligible_spend_delta: usd(delta),
    ...(quantity === undefined
      ? undefined
      : { lines: [{ line_id: "c", quantity_delta: quantity, subtotal_delta: usd(delta) }] })
  }
})
const corrected = (id: string, delta: number): Action => ({
  type: "adjust_order",
  adjustment: { ...adjustmentOf(refund(id, delta)), type: "correction" }
})
const voided = (id: string): Action => refund(id, 0, undefined, "void")

/** The number of rewards that an action issues. */
const issues = (on: Scenario, action: Action): number =>
  on.when(action).events.filter(({ type }) => type === "reward_issued").length

/** Orders with so much time before each; how many rewards each one issues. */
const afterWaits = (on: Scenario, ...waits: ReadonlyArray<number>): ReadonlyArray<number> =>
  waits.map((ms) => issues(on.wait(ms), paid(on, `o${adjustments++}`)))

describe("what completes a challenge", () => {
  it("three coffees, in whatever orders; with repeat as often as it fills", () => {
    const once = guest({ count: { items: 3 }, on: coffees })
    assert.strictEqual(issues(once, paid(once, "o1", [coffee(2)])), 0)
    assert.strictEqual(issues(once, paid(once, "o2", [line("f", 900)])), 0)
    assert.strictEqual(issues(once, paid(once, "o3", [coffee(4)])), 1)
    assert.strictEqual(issues(once, paid(once, "o4", [coffee(9)])), 0)
    const often = guest({ count: { items: 3 }, on: coffees, repeat: true })
    assert.strictEqual(issues(often, paid(often, "o1", [coffee(7)])), 2)
    assert.strictEqual(issues(often, paid(often, "o2", [coffee(2)])), 1)
  })

  it("five visits in November: days, once a month", () => {
    const one = guest({ count: { days: 3 }, every: "month" })
    // 14 July twice, 15, 20, 21 July; 1, 2, 3 August.
    assert.deepStrictEqual(afterWaits(one, 0, hour, day, 5 * day, day, 11 * day, day, day), [0, 0, 0, 1, 0, 0, 0, 1])
  })

  it("orders of a week, and spend of a year", () => {
    const orders = guest({ count: { orders: 2 }, every: "week" })
    // Tuesday, Sunday, Monday, Tuesday.
    assert.deepStrictEqual(afterWaits(orders, 0, 5 * day, day, day), [0, 1, 0, 1])
    const spend = guest({ count: { spend: 2_500 }, every: "year" })
    assert.deepStrictEqual(afterWaits(spend, 0, 0, 0, 0), [0, 0, 1, 0])
  })

  it("an order in each of four weeks in a row, on over the year's end; one missed week begins anew", () => {
    const one = guest({ count: { weeks_in_a_row: 4 } })
    one.wait(Date.UTC(2026, 11, 15, 12) - one.now)
    assert.deepStrictEqual(afterWaits(one, 0, week, week, week, week, week, week, week), [0, 0, 0, 1, 0, 0, 0, 0])
    const often = guest({ count: { weeks_in_a_row: 2 }, repeat: true })
    assert.deepStrictEqual(afterWaits(often, 0, week, 2 * week, week, week, week), [0, 1, 0, 1, 0, 1])
  })

  it("its event follows that of the reward, in the record that completed it", () => {
    const one = guest({ count: { orders: 1 }, gives: { reward_id: "free", expires_in_seconds: 60 } })
    const { events } = one.when(paid(one, "o1"))
    const [issued, completed] = events.slice(-2)
    assert.deepInclude(issued, { type: "reward_issued", reward: "free", expires: one.now + 60_000 })
    assert.deepInclude(completed, { type: "challenge_completed", id: "c", issued: "card-0" })
  })

  it("a modifier that lowers the price counts exactly where its parent does: in spend and items", () => {
    const cup = (parent_line_id: string) =>
      line(`m-${parent_line_id}`, -50, { kind: "modifier", parent_line_id, product_id: "coffee" })
    const lines = [coffee(3), cup("c"), line("f", 900), cup("f")]
    const count = (kind: string, needed: number) => {
      const one = guest({ count: { [kind]: needed }, on: coffees })
      return issues(one, paid(one, "o1", lines))
    }
    assert.deepStrictEqual([count("spend", 850), count("spend", 851)], [1, 0])
    assert.deepStrictEqual([count("items", 3), count("items", 4)], [1, 0])
  })

  it("stamp card and challenge in one order both issue", () => {
    const both = new Scenario(
      program((json) => {
        json["challenges"] = [{ challenge_id: "c", name: "C", count: { orders: 1 }, gives: { reward_id: "off" } }]
        json["stamp_card"].threshold = 1
      })
    ).wait(1)
    assert.strictEqual(issues(both, paid(both, "o1")), 2)
  })

  it("an order that a correction lifts to the minimum of challenge or programme counts as if it had been posted so", () => {
    for (const [posted, minimum] of [
      [300, 400],
      [50, 0]
    ] as const) {
      const one = guest({ count: { spend: 600 }, minimum_spend: usd(minimum) })
      assert.strictEqual(issues(one, paid(one, "o1", [line("f", posted)])), 0)
      assert.strictEqual(issues(one, corrected("o1", 600 - posted)), 1)
      const often = guest({ count: { orders: 1 }, minimum_spend: usd(minimum), repeat: true })
      often.given(paid(often, "o1", [line("f", posted)]), corrected("o1", 600 - posted), refund("o1", -550))
      assert.strictEqual(issues(often, corrected("o1", 550)), 0)
      assert.deepStrictEqual(often.replayed, often.state)
    }
    const elsewhere = guest({ count: { orders: 1 } })
    elsewhere.given(paid(elsewhere, "o1", [line("f", 50)], elsewhere.now, { channel: "delivery" }))
    assert.strictEqual(issues(elsewhere, corrected("o1", 600)), 0)
  })

  it("an order older than late orders may be counts for none with a time", () => {
    const counts = (challenge: Json, hours: number) => {
      const one = guest({ count: { orders: 1 }, ...challenge }).wait(30 * day)
      return issues(one, paid(one, "o1", undefined, one.now - hours * hour))
    }
    assert.strictEqual(counts({ when: { from: "2026-01-01" } }, 72), 1)
    assert.strictEqual(counts({ when: { from: "2026-01-01" } }, 73), 0)
    assert.strictEqual(counts({}, 73), 1)
  })

  it("only at its time and place, from its minimum, of orders that earn", () => {
    const counts = (challenge: Json, lines = [line("f", 1000)], more: Partial<Order> = {}) => {
      const one = guest({ count: { orders: 1 }, ...challenge })
      return issues(one, paid(one, "o1", lines, one.now, more))
    }
    assert.strictEqual(counts({}), 1)
    assert.strictEqual(counts({ minimum_spend: usd(1001) }), 0)
    assert.strictEqual(counts({ where: { location_ids: ["other"] } }), 0)
    assert.strictEqual(counts({ when: { until: "2026-07-13" } }), 0)
    assert.strictEqual(counts({ on: coffees }), 0)
    assert.strictEqual(counts({ enabled: false }), 0)
    assert.strictEqual(counts({}, [line("f", 50)]), 0)
    assert.strictEqual(counts({}, [line("f", 1000)], { channel: "delivery" }), 0)
  })

  it("a late order counts on its own day", () => {
    const one = guest({ count: { days: 2 }, every: "week" })
    one.wait(day)
    assert.strictEqual(issues(one, paid(one, "o1", undefined, one.now - day)), 0)
    assert.strictEqual(issues(one, paid(one, "o2", undefined, one.now - day)), 0)
    assert.strictEqual(issues(one, paid(one, "o3")), 1)
  })
})

describe("refunds", () => {
  it("what was given stays, what refunds took is earned again first", () => {
    const one = guest({ count: { items: 3 }, on: coffees, repeat: true })
    assert.strictEqual(issues(one, paid(one, "o1", [coffee(4)])), 1)
    one.given(refund("o1", -600, -2))
    // 2 are left of 4: four more fill the second card.
    assert.strictEqual(issues(one, paid(one, "o2", [coffee(3)])), 0)
    assert.strictEqual(issues(one, paid(one, "o3", [coffee(1)])), 1)
  })

  it("a day counts as long as one of its orders is left", () => {
    const one = guest({ count: { days: 2 }, every: "week" }).given()
    one.given(paid(one, "o1"), paid(one, "o2"), voided("o1"))
    assert.strictEqual(issues(one.wait(day), paid(one, "o3")), 1)
    const other = guest({ count: { days: 2 }, every: "week" })
    other.given(paid(other, "o1"), paid(other, "o2"), voided("o1"), voided("o2"), voided("o2"))
    assert.strictEqual(issues(other.wait(day), paid(other, "o3")), 0)
    assert.strictEqual(issues(other.wait(day), paid(other, "o4")), 1)
  })

  it("an order below the minimum of programme or challenge counts no more, and again after a correction", () => {
    const one = guest({ count: { orders: 2 }, minimum_spend: usd(800) })
    one.given(paid(one, "o1"), refund("o1", -300))
    assert.strictEqual(issues(one, paid(one, "o2")), 0)
    assert.strictEqual(issues(one, corrected("o1", 200)), 1)
  })

  it("weeks in a row that a refund broke are made up by the next ones before anything is given again", () => {
    const one = guest({ count: { weeks_in_a_row: 3 }, repeat: true })
    const orders = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => {
        const given = issues(one, paid(one, `w${from + index}`))
        one.wait(week)
        return given
      })
    assert.deepStrictEqual(orders(1, 3), [0, 0, 1])
    one.given(voided("w3"))
    // Weeks 1 and 2 stand alone; 4, 5 and 6 make up for the reward, 7, 8 and 9 give the next.
    assert.deepStrictEqual(orders(4, 6), [0, 0, 0, 0, 0, 1])
    assert.deepStrictEqual(one.replayed, one.state)
  })

  it("of a window before the last one change nothing, and the account forgets it", () => {
    const one = guest({ count: { orders: 5 }, every: "week" })
    one
      .given(paid(one, "o1"))
      .wait(3 * week)
      .given(paid(one, "o2"), voided("o1"))
    assert.strictEqual(one.state.challenges.length, 1)
    assert.deepStrictEqual(
      one.state.challenges[0]?.amounts.map(([, amount]) => amount),
      [1]
    )
  })
})

describe("merges and publications", () => {
  it("a merge adds up and may complete; refunds of either order then count", () => {
    const challenge = { count: { orders: 3 }, repeat: true }
    const other = guest(challenge, undefined, "bea", 2)
    other.given(paid(other, "o1"), paid(other, "o2"))
    const one = guest(challenge)
    one.given(paid(one, "o3"))
    const { into } = one.merge(other)
    assert.strictEqual(into.events.filter(({ type }) => type === "reward_issued").length, 1)
    one.given(voided("o1"))
    assert.deepStrictEqual(afterWaits(one, 0, 0, 0, 0), [0, 0, 0, 1])
    assert.deepStrictEqual(one.replayed, one.state)
  })

  it("a merge completes no window before the last one, at any hour", () => {
    for (const [hours, given] of [
      [-1, 1],
      [1, 0]
    ] as const) {
      const challenge = { count: { orders: 2 }, every: "week" }
      const [one, other] = [guest(challenge), guest(challenge, undefined, "bea", 2)]
      one.given(paid(one, "o1"))
      other.given(paid(other, "o2"))
      // Monday, 27 July 2026.
      one.wait(Date.UTC(2026, 6, 27) + hours * hour - one.now)
      const { into } = one.merge(other)
      assert.strictEqual(into.events.filter(({ type }) => type === "reward_issued").length, given)
    }
  })

  it("a lowered count completes with the next order that counts, and by nothing else", () => {
    const lowered = (from: Json, to: Json, orders: number, pause = 0) => {
      const published = versions([from, to])
      const one = new Scenario(published[0]!).wait(1)
      for (let at = 0; at < orders; at++) one.given(paid(one, `o${at}`)).wait(pause)
      return one.under(published[1]!)
    }
    const on = { where: { location_ids: ["l"] } }
    /** How many rewards the preview of a publication would foretell. */
    const foretold = ({ now: at, program: { challenges, promotions, zone }, state }: Scenario) =>
      Challenges.enough(challenges, state.challenges, { at, zone, lateMs: promotions.lateMs }).length
    const one = lowered({ count: { orders: 5 }, ...on }, { count: { orders: 2 }, ...on }, 3)
    assert.deepInclude(Challenges.shown(one.program.challenges[0]!, one.state.challenges, "UTC", one.now), {
      progress: 2,
      needed: 2,
      completed: 0
    })
    assert.strictEqual(foretold(one), 1)
    assert.strictEqual(issues(one, refund("o1", -100)), 0)
    const scope = { ...order([]).scope, location_id: "other" }
    assert.strictEqual(issues(one, paid(one, "n1", undefined, one.now, { scope })), 0)
    assert.strictEqual(issues(one, paid(one, "n2")), 1)
    assert.strictEqual(foretold(one), 0)
    const repeated = lowered({ count: { orders: 9 } }, { count: { orders: 2 }, repeat: true }, 4)
    assert.strictEqual(foretold(repeated), 2)
    assert.strictEqual(issues(repeated, paid(repeated, "n3")), 2)
    // The order itself is what is missing.
    assert.strictEqual(foretold(lowered({ count: { orders: 5 } }, { count: { orders: 4 } }, 3)), 0)
    // Last week's progress is not the running window's.
    assert.strictEqual(foretold(lowered({ count: { orders: 5 }, every: "week" }, { count: { orders: 1 } }, 2, week)), 0)
    const weeks = lowered({ count: { weeks_in_a_row: 5 } }, { count: { weeks_in_a_row: 2 } }, 3, week)
    assert.strictEqual(foretold(weeks), 1)
    assert.strictEqual(issues(weeks, voided("o0")), 0)
    assert.strictEqual(issues(weeks, paid(weeks, "n1")), 1)
  })

  const versions = (challenges: ReadonlyArray<Json | undefined>) =>
    challenges.map((_, index) => {
      const programs = challenges
        .slice(0, index + 1)
        .map((one) => (one === undefined ? program((json) => (json["time_zone"] = "UTC")) : challenging(one)))
      return inForceAs(
        programs.at(-1)!,
        programs.map(({ file, zone }, version) => ({
          publishedAt: version === 0 ? -Infinity : start,
          challenges: file.challenges,
          zone
        })),
        false
      )
    })

  it("a changed kind, every or on starts anew, and so does one that was away; other changes go on", () => {
    const base = { count: { orders: 3 } }
    const gives = (...changed: ReadonlyArray<Json | undefined>) => {
      const published = versions([base, ...changed])
      const one = new Scenario(published[0]!).wait(day)
      one.given(paid(one, "o1"), paid(one, "o2")).under(published.at(-1)!)
      return issues(one, paid(one, "o3"))
    }
    assert.strictEqual(gives({ ...base, name: "Other", gives: { reward_id: "off" } }), 1)
    assert.strictEqual(gives({ ...base, every: "month" }), 0)
    assert.strictEqual(gives({ count: { days: 3 }, every: "month" }), 0)
    assert.strictEqual(gives({ ...base, on: { product_ids: ["product-f"] } }), 0)
    assert.strictEqual(gives(undefined, base), 0)
    // All of one instant.
    assert.strictEqual(gives({ count: { spend: 1 }, every: "year" }, base), 0)
    const published = versions([{ count: { days: 1 }, every: "month" }, base, { count: { spend: 1 } }, base])
    const one = new Scenario(published[1]!).wait(1)
    one.given(paid(one, "o1"), paid(one, "o2"))
    assert.strictEqual(issues(one.under(published[3]!), paid(one, "o3")), 0)
  })

  it("one that ended keeps its progress while it is defined: prolonged, it goes on and gives nothing twice", () => {
    const ended = { count: { orders: 2 }, when: { until: "2026-07-14" } }
    const prolonged = { ...ended, when: { until: "2026-08-31" } }
    const published = versions([ended, prolonged])
    const goesOn = (orders: number) => {
      const one = new Scenario(published[0]!).wait(1)
      for (let at = 0; at < orders; at++) one.given(paid(one, `o${at}`))
      one.wait(10 * day).given(paid(one, "no"))
      one.under(published[1]!)
      return [issues(one, paid(one, "p1")), issues(one, paid(one, "p2"))]
    }
    assert.deepStrictEqual(goesOn(1), [1, 0])
    assert.deepStrictEqual(goesOn(2), [0, 0])
    // Over, it completes no more.
    const over = { ...ended, when: { until: "2026-07-14" } }
    const [one, other] = [guest(over), guest(over, undefined, "bea", 2)]
    one.given(paid(one, "o1"))
    other.given(paid(other, "o2"))
    const { into } = one.wait(4 * day).merge(other)
    assert.strictEqual(into.events.filter(({ type }) => type === "reward_issued").length, 0)
  })

  it("progress that no challenge has any more is forgotten by the next order", () => {
    const published = versions([{ count: { orders: 3 } }, undefined])
    const one = new Scenario(published[0]!).wait(day)
    one.given(paid(one, "o1")).under(published[1]!).given(paid(one, "o2"))
    assert.deepStrictEqual(one.state.challenges, [])
  })
})

describe("progress as guests see it", () => {
  const shown = (one: Scenario) => Challenges.shown(one.program.challenges[0]!, one.state.challenges, "UTC", one.now)

  it("counts towards the next completion, within its time", () => {
    const one = guest({ count: { orders: 3 }, every: "month", repeat: true })
    one.given(paid(one, "o1"), paid(one, "o2"), paid(one, "o3"), paid(one, "o4"))
    assert.deepStrictEqual(shown(one), { progress: 1, needed: 3, completed: 1, until: Date.UTC(2026, 7, 1) })
    one.wait(31 * day)
    assert.deepStrictEqual(shown(one), { progress: 0, needed: 3, completed: 0, until: Date.UTC(2026, 8, 1) })
  })

  it("stays full once a challenge that gives once is complete, of every kind", () => {
    const all: ReadonlyArray<readonly [challenge: Json, needed: number, unit: number]> = [
      [{ count: { orders: 2 } }, 2, 1],
      [{ count: { days: 2 }, every: "month" }, 2, 1],
      [{ count: { spend: 2_000 }, every: "year" }, 2_000, 1_000],
      [{ count: { items: 2 }, on: { product_ids: ["product-f"] } }, 2, 1],
      [{ count: { weeks_in_a_row: 2 } }, 2, 1]
    ]
    for (const [challenge, needed, unit] of all) {
      const pause = "weeks_in_a_row" in challenge["count"] ? week : day
      const once = guest(challenge)
      afterWaits(once, 0, pause)
      assert.deepInclude(shown(once), { progress: needed, needed, completed: 1 })
      afterWaits(once, pause)
      assert.deepInclude(shown(once), { progress: needed, needed, completed: 1 })
      const often = guest({ ...challenge, repeat: true })
      afterWaits(often, 0, pause)
      assert.deepInclude(shown(often), { progress: 0, needed, completed: 1 })
      afterWaits(often, pause)
      assert.deepInclude(shown(often), { progress: unit, needed, completed: 1 })
      const refunded = guest(challenge)
      refunded.given(paid(refunded, "a")).wait(pause)
      refunded.given(paid(refunded, "b"), voided("b"))
      assert.deepInclude(shown(refunded), { progress: unit, needed, completed: 1 })
    }
  })

  it("of weeks in a row those up to this week, or to the last one while this week is open", () => {
    const one = guest({ count: { weeks_in_a_row: 4 } })
    afterWaits(one, 0, week)
    assert.deepInclude(shown(one), { progress: 2, completed: 0 })
    assert.deepInclude(shown(one.wait(week)), { progress: 2 })
    assert.deepInclude(shown(one.wait(week)), { progress: 0 })
  })
})

describe("random histories", () => {
  it("rewards are what the orders that are left ever filled, and records replay to the same state", () => {
    for (let seed = 1; seed <= 300; seed++) {
      const random = Randomness.make(seed, "challenges")
      const needed = random.whole(1, 4)
      const isRepeated = random.next() < 0.5
      const one = guest({ count: { items: needed }, on: coffees, repeat: isRepeated })
      const left = new Map<string, number>()
      let given = 0
      for (let step = 0; step < 15; step++) {
        const open = [...left].filter(([, units]) => units > 0)
        let action: Action
        if (random.next() < 0.6 || open.length === 0) {
          const units = random.whole(1, 5)
          action = paid(one, `o${step}`, [coffee(units)])
          left.set(`o${step}`, units)
        } else {
          const [id, units] = random.pick(open)
          const taken = random.whole(1, units)
          action = taken === units && random.next() < 0.5 ? voided(id) : refund(id, -300 * taken, -taken)
          left.set(id, units - taken)
        }
        const issued = issues(one, action)
        const full = Math.floor([...left.values()].reduce((sum, units) => sum + units, 0) / needed)
        const expected = Math.max(0, (isRepeated ? full : Math.min(1, full)) - given)
        assert.strictEqual(issued, expected, `seed ${seed}, step ${step}`)
        given += issued
      }
      assert.deepStrictEqual(one.replayed, one.state)
    }
  })
})
