/** Holds contract/operators.md *Moving an order*: what moves, and what adjustments give afterwards. */
import { assert, describe, it } from "@effect/vitest"
import { fromMillis } from "../../../../src/contract/Values.ts"
import type { Action } from "../../../../src/core/account/domain/Action.ts"
import type { Accrual } from "../../../../src/core/account/domain/Posted.ts"
import { unitOf } from "../../../../src/core/account/domain/State.ts"
import * as Randomness from "../../../model/Random.ts"
import { line, order, program, usd } from "../../rules/Builders.ts"
import { accruals, day, entries, expire, manual, moveOrder, Scenario, start } from "./Scenario.ts"

/** Points by spend and stamps by order; a multiplied happy hour, ten for a big order, and three for each coffee. */
const promoted = program((json) => {
  json["tiers"] = []
  delete json["tier_policy"]
  delete json["stamp_card"]
  json["promotions"] = [
    { promotion_id: "happy", name: "Happy", effect: { multiply_bps: 15_000 } },
    { promotion_id: "big", name: "Big", effect: { add: 10, unit: "stamps" }, minimum_spend: usd(800) },
    { promotion_id: "coffee", name: "Coffee", effect: { add_per_item: 3 }, on: { product_ids: ["coffee"] } }
  ]
  json["stacking"] = "all"
})

const paid = (id: string, at: number, coffees: number, food: number): Action => ({
  type: "accrue",
  order: order(
    [
      line("l0", 250 * coffees, { product_id: "coffee", quantity: coffees, unit_price: usd(250) }),
      line("l1", food, { product_id: "food", quantity: 1, unit_price: usd(food) })
    ],
    { order_id: id, placed_at: fromMillis(at), business_date: fromMillis(at).slice(0, 10) }
  )
})

let adjustments = 0

const adjusted = (id: string, delta: number, lines?: ReadonlyArray<readonly [string, number, number]>): Action => ({
  type: "adjust_order",
  adjustment: {
    adjustment_id: `a${++adjustments}`,
    original_order_id: id,
    type: delta > 0 ? "correction" : "partial_refund",
    reason: "test",
    occurred_at: fromMillis(0),
    order_total_delta: usd(delta),
    eligible_spend_delta: usd(delta),
    ...(lines === undefined
      ? undefined
      : {
          lines: lines.map(([line_id, quantity_delta, amount]) => ({
            line_id,
            quantity_delta,
            subtotal_delta: usd(amount)
          }))
        })
  }
})

const units = ["points", "stamps", "credits"] as const

const balances = (...all: ReadonlyArray<Scenario>) =>
  units.map((unit) => all.reduce((sum, one) => sum + one.balance(unit)[0], 0))

const lifetimes = (...all: ReadonlyArray<Scenario>) =>
  units.map((unit) => all.reduce((sum, one) => sum + unitOf(one.state, unit).lifetime, 0))

describe("an order that moved", () => {
  it("has its entry with all facts of the accrual, and what is left of each promotion", () => {
    const [ada, ben] = [new Scenario(promoted, "ada", 1), new Scenario(promoted, "ben", 2)]
    const before = accruals(ada.when(paid("o", ada.now, 2, 500)).events)
    ada.given(adjusted("o", -250, [["l0", -1, -250]]))
    const moved = accruals(moveOrder(ada, ben, "o").into.events)
    assert.deepStrictEqual(balances(ada), [0, 0, 0])
    const facts = ({
      amount: _a,
      at: _t,
      back: _b,
      earned: _e,
      expires: _x,
      first: _f,
      n: _n,
      orders: _o,
      ...rest
    }: Accrual) => ({ ...rest, promotions: undefined })
    assert.deepStrictEqual(moved.map(facts), before.map(facts))
    assert.deepStrictEqual(
      moved.map(({ earned, expires }) => [earned, expires]),
      before.map(({ at, expires }) => [at, expires])
    )
    // 7.50 at 10 a dollar, half as much again, 3 for the coffee that is left; it is no big order any more.
    assert.deepStrictEqual(
      moved.map(({ amount, promotions = [], unit }) => [
        unit,
        amount,
        promotions.map(({ amount: its, id }) => [id, its])
      ]),
      [
        [
          "points",
          115,
          [
            ["coffee", 3],
            ["happy", 37]
          ]
        ],
        ["stamps", 1, [["big", 0]]],
        ["credits", 37, []]
      ]
    )
  })

  it("ends as points of its accrual do, also where a correction first brought it in", () => {
    const [ada, ben] = [new Scenario(promoted, "ada", 1), new Scenario(promoted, "ben", 2)]
    // Below the minimum of 1.00, then of 10.50.
    ada.given(paid("o", ada.now, 0, 50), adjusted("o", 1_000))
    const moved = entries(moveOrder(ada, ben, "o").into.events)
    const ends = start + 365 * day
    assert.deepStrictEqual(
      moved.map(({ amount, expires, unit }) => [unit, amount, expires]),
      [
        ["points", 105, ends],
        ["stamps", 1, undefined],
        ["credits", 52, ends]
      ]
    )
    for (const one of [ada, ben]) one.wait(365 * day)
    assert.deepStrictEqual(balances(ben.given(expire)), [0, 1, 0])
  })

  it("keeps the dates of its points, of those that refunds took too, so that a correction revives none", () => {
    for (const refunded of [400, 1_000]) {
      for (const waited of [300, 366]) {
        const all = ["stays", "ada", "ben"].map((id, index) => new Scenario(promoted, id, index + 1))
        const [stays, ada, ben] = all as [Scenario, Scenario, Scenario]
        for (const one of [stays, ada]) one.given(paid("o", one.now, 0, 1_000))
        for (const one of all) one.wait((waited - 100) * day)
        // A correction's points are younger than those of the accrual.
        for (const one of [stays, ada]) one.given(adjusted("o", 200))
        for (const one of all) one.wait(100 * day)
        for (const one of [stays, ada]) one.given(adjusted("o", -refunded))
        moveOrder(ada, ben, "o")
        assert.deepStrictEqual([balances(ada), balances(ben)], [[0, 0, 0], balances(stays)])
        for (const one of [stays, ben]) one.given(adjusted("o", refunded))
        assert.deepStrictEqual(balances(ben), balances(stays), `${refunded} after ${waited} days`)
        for (const one of [stays, ben]) one.wait(366 * day - waited * day).given(expire)
        assert.deepStrictEqual(balances(ben), [30, 11, 10])
        assert.deepStrictEqual(balances(stays), balances(ben))
        for (const one of [stays, ben]) one.wait(366 * day).given(expire)
        assert.deepStrictEqual(
          [balances(ben), balances(stays)],
          [
            [0, 11, 0],
            [0, 11, 0]
          ]
        )
        assert.deepStrictEqual(lifetimes(ben), lifetimes(stays))
      }
    }
  })

  it("returns points with the dates of other lots where refunds took them from those, and as new ones out of a hole", () => {
    for (const isEarned of [true, false]) {
      const [ada, ben] = [new Scenario(promoted, "ada", 1), new Scenario(promoted, "ben", 2)]
      ada.given(paid("o", ada.now, 0, 1_000), manual(-150))
      for (const one of [ada, ben]) one.wait(200 * day)
      if (isEarned) ada.given(paid("later", ada.now, 0, 1_000))
      ada.given(adjusted("o", -1_000))
      for (const one of [ada, ben]) one.wait(200 * day)
      moveOrder(ada, ben, "o")
      ben.given(adjusted("o", 1_000))
      assert.strictEqual(ben.balance()[0], 150)
      ben.wait(165 * day).given(expire)
      assert.strictEqual(ben.balance()[0], isEarned ? 0 : 150)
    }
  })

  it("leaves after any refunds and corrections what it would have left without the moves", () => {
    let count = 0
    for (let seed = 1; seed <= 150; seed++) {
      const random = Randomness.make(seed, "moves")
      const stays = new Scenario(promoted, "stays", 1)
      const guests = [1, 2, 3].map((account) => new Scenario(promoted, `g${account}`, account))
      let [holder] = guests as [Scenario, ...ReadonlyArray<Scenario>]
      const both = (action: Action): void => {
        const decided = [stays.decide(action)._tag, holder.decide(action)._tag]
        assert.strictEqual(decided[0], decided[1], `seed ${seed}`)
        if (decided[0] !== "Decided") return
        stays.given(action)
        holder.given(action)
      }
      const coffees = random.whole(1, 4)
      both(paid("o", stays.now, coffees, random.whole(0, 1_200)))
      for (let step = 0; step < 12; step++) {
        const ms = random.pick([0, random.whole(0, 60) * day])
        for (const one of [stays, ...guests]) one.wait(ms)
        const chance = random.next()
        if (chance < 0.35) {
          const into = random.pick(guests.filter((one) => one !== holder))
          moveOrder(holder, into, "o", ++count)
          holder = into
        } else if (chance < 0.6) both(adjusted("o", -random.whole(1, 500)))
        else if (chance < 0.75) both(adjusted("o", random.whole(1, 400)))
        else both(adjusted("o", -random.whole(0, 250), [["l0", -random.whole(0, 1), -random.whole(0, 250)]]))
        // Expired or not, metrics of all members together count what those of the one count, and once.
        assert.deepStrictEqual(lifetimes(...guests), lifetimes(stays), `seed ${seed}`)
        for (const one of guests) assert.strictEqual(one.state.orders, one === holder ? stays.state.orders : 0)
        // So do their points, also after some have expired.
        for (const one of [stays, ...guests]) one.given(expire)
        assert.deepStrictEqual(balances(...guests), balances(stays), `seed ${seed}`)
      }
    }
    assert.isAbove(count, 300)
  })

  it("gives its use of a limit back where it was, and uses it where it arrives", () => {
    const once = program((json) => {
      json["promotions"] = [
        {
          promotion_id: "gift",
          name: "Gift",
          effect: { add: 50 },
          limits: { per_member: { count: 1, every: "promotion" } }
        }
      ]
    })
    const [ada, ben] = [new Scenario(once, "ada", 1), new Scenario(once, "ben", 2)]
    const given = (guest: Scenario, id: string) =>
      accruals(guest.when(paid(id, guest.now, 1, 0)).events).flatMap(({ promotions = [] }) =>
        promotions.map((one) => one.id)
      )
    assert.deepStrictEqual([given(ada, "a1"), given(ada, "a2")], [["gift"], []])
    moveOrder(ada, ben, "a1")
    assert.deepStrictEqual([given(ada, "a3"), given(ben, "b1")], [["gift"], []])
    assert.deepStrictEqual([ada.state.orders, ben.state.orders], [2, 2])
  })

  it("counts for a challenge where it arrives, and no more where it was; a later refund takes it there", () => {
    const visits = program((json) => {
      json["challenges"] = [
        { challenge_id: "c", name: "C", count: { orders: 2 }, repeat: true, gives: { reward_id: "free" } }
      ]
    })
    const [ada, ben] = [new Scenario(visits, "ada", 1), new Scenario(visits, "ben", 2)]
    const done = (guest: Scenario) =>
      guest.records.flatMap(({ events }) => events).filter(({ type }) => type === "challenge_completed").length
    ada.given(paid("a1", ada.now, 1, 0))
    ben.given(paid("b1", ben.now, 1, 0))
    moveOrder(ada, ben, "a1")
    assert.deepStrictEqual([done(ada), done(ben)], [0, 1])
    ada.given(paid("a2", ada.now, 1, 0))
    ben.given(adjusted("a1", -250), paid("b2", ben.now, 1, 0))
    assert.deepStrictEqual([done(ada), done(ben)], [0, 1])
    ben.given(paid("b3", ben.now, 1, 0), paid("b4", ben.now, 1, 0))
    assert.strictEqual(done(ben), 2)
    assert.deepStrictEqual([ada.replayed, ben.replayed], [ada.state, ben.state])
  })
})

describe("points that end together", () => {
  const together = program((json) => {
    for (const name of ["tier_policy", "stamp_card", "account_earning"]) delete json[name]
    json["tiers"] = []
    json["point_expiration"] = { type: "after_inactivity", days: 10, warning_days: [] }
  })

  it("the order gives its new member the date that it gave the former one, and moves none back", () => {
    for (const [later, date] of [
      [0, 10],
      [4, 14]
    ] as const) {
      const [ada, ben] = [new Scenario(together), new Scenario(together, "ben", 2)]
      ada.given(paid("o", ada.now, 1, 250))
      if (later > 0) ben.wait(later * day).given(paid("own", ben.now, 1, 250))
      for (const one of [ada, ben]) one.now = start + 5 * day
      moveOrder(ada, ben, "o")
      assert.strictEqual(ben.state.idle, start + date * day)
      ben.wait((date - 5) * day - 1)
      assert.deepStrictEqual(ben.posts(expire), [])
      assert.isAbove(ben.wait(1).posts(expire).length, 0)
      assert.deepStrictEqual(ben.balance(), [0, 0])
    }
  })
})
