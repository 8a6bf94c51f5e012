/**
 * The part of an order that counts: in metrics by what it keeps, whatever became of its points; as an order, for first orders and in
 * limits by what is left of it (contract/points.md *Metrics*, contract/orders.md *Adjusting an order*).
 */
import { assert, describe, it } from "@effect/vitest"
import { fromMillis } from "../../../../src/contract/Values.ts"
import type { AccountEvent, OrderAdjusted } from "../../../../src/core/account/domain/AccountEvent.ts"
import type { Action } from "../../../../src/core/account/domain/Action.ts"
import * as Metrics from "../../../../src/core/account/domain/Metrics.ts"
import { plain, unitOf } from "../../../../src/core/account/domain/State.ts"
import type { Program } from "../../../../src/core/rules/Program.ts"
import * as Random from "../../../model/Random.ts"
import type { Json } from "../../rules/Builders.ts"
import { line, order, program, usd } from "../../rules/Builders.ts"
import { accruals, day, entries, expire, manual, moveOrder, Scenario } from "./Scenario.ts"

/** Points last 30 days; 10 a dollar, at least 4.00; a stamp an order. Gold from 1,000 points a year. */
const programmed = (change: (json: Json) => void = () => {}): Program =>
  program((json) => {
    delete json["stamp_card"]
    json["time_zone"] = "UTC"
    json["earning"].minimum_eligible_spend = usd(400)
    json["point_expiration"] = { type: "after_earned", days: 30, warning_days: [] }
    json["tiers"][0].minimum = 1_000
    json["tiers"][0].earn_multiplier_bps = 10_000
    json["account_earning"][1].multiplier_eligible = false
    change(json)
  })

const monthly = programmed()

const paid = (id: string, amount: number, more: Json = {}): Action => ({
  type: "accrue",
  order: order([line("l", amount, { unit_price: usd(amount) })], { order_id: id, ...more })
})

let adjustments = 0

const adjusted = (
  id: string,
  delta: number,
  type: "partial_refund" | "full_refund" | "void" | "correction" = delta > 0 ? "correction" : "partial_refund"
): Action => ({
  type: "adjust_order",
  adjustment: {
    adjustment_id: `a${++adjustments}`,
    original_order_id: id,
    type,
    reason: "test",
    occurred_at: "2026-07-14T10:00:00Z",
    order_total_delta: usd(delta),
    eligible_spend_delta: usd(delta)
  }
})

/** An order at the scenario's own time. */
const accrued = (guest: Scenario, id: string, amount: number, more: Json = {}) =>
  guest.when(
    paid(id, amount, { placed_at: fromMillis(guest.now), business_date: fromMillis(guest.now).slice(0, 10), ...more })
  )

const tierOf = ({ now, program, state }: Scenario) => Metrics.tierOf(state, program, now)?.tier_id

/** Amounts that metrics count, and those that count as an order and in limits. */
const standing = ({ now, program, state }: Scenario) => ({
  lifetime: state.units.map(({ lifetime, unit }) => [unit, lifetime] as const).filter(([, lifetime]) => lifetime !== 0),
  year: program.metrics.map((metric) => Metrics.amountOf(state, program, metric, now)),
  reached: Metrics.qualification(state, program, now)?.reached,
  orders: state.orders,
  uses: state.uses
})

const nothing = { lifetime: [], year: [0, 0], reached: 0, orders: 0, uses: [] }

const isReplayed = (...guests: ReadonlyArray<Scenario>) => {
  for (const guest of guests) assert.deepStrictEqual(plain(guest.replayed), plain(guest.state))
}

describe("Metrics count what an order keeps", () => {
  it("a full refund after the points expired posts 0, and leaves lifetime, year and tier as if it had not been", () => {
    const ada = new Scenario(monthly)
    for (const id of ["1", "2", "3"]) accrued(ada, id, 5_000)
    assert.strictEqual(tierOf(ada), "gold")
    ada.wait(40 * day).given(expire)
    for (const id of ["1", "2", "3"]) {
      const points = entries(ada.when(adjusted(id, -5_000, "full_refund")).events)[0]
      assert.deepInclude(points, { unit: "points", amount: 0, counted: 500, counts: -500 })
    }
    assert.deepStrictEqual(standing(ada), nothing)
    assert.strictEqual(tierOf(ada), "base")
    isReplayed(ada)
  })

  it("so does a refund in parts, and a correction upward brings back what it is of, although its points stay expired", () => {
    const ada = new Scenario(monthly)
    accrued(ada, "1", 5_000)
    ada.wait(40 * day).given(adjusted("1", -2_000))
    const lifetime = () => unitOf(ada.state, "points").lifetime
    assert.strictEqual(lifetime(), 300)
    ada.given(adjusted("1", 1_000))
    assert.strictEqual(lifetime(), 400)
    // Beyond the accrual it makes new points, which are there.
    ada.given(adjusted("1", 2_000))
    assert.deepStrictEqual([lifetime(), ada.balance()[0]], [600, 100])
    ada.given(adjusted("1", -6_000))
    assert.deepStrictEqual([lifetime(), ada.balance()[0]], [0, 0])
    isReplayed(ada)
  })

  it("a tier that lasts through the following period is lost by the late refund, too", () => {
    const lasting = programmed((json) => {
      json["tier_policy"].retention = "following_period"
    })
    for (const next of [false, true]) {
      const ada = new Scenario(lasting)
      ada.now = Date.parse("2026-11-20T12:00:00Z")
      accrued(ada, "1", 12_000)
      ada.now = Date.parse("2027-01-10T12:00:00Z")
      if (next) accrued(ada, "2", 500)
      assert.strictEqual(tierOf(ada), "gold")
      ada.given(adjusted("1", -12_000, "full_refund"))
      assert.deepStrictEqual(
        [tierOf(ada), Metrics.qualification(ada.state, lasting, ada.now)?.reached],
        ["base", next ? 50 : 0]
      )
      isReplayed(ada)
    }
  })

  it("an order that an older version adjusted counts as that did, and right from its next adjustment on", () => {
    const ada = new Scenario(monthly)
    accrued(ada, "1", 5_000)
    ada
      .wait(40 * day)
      .given(adjusted("1", -2_000))
      .recordedWithout("counts")
    assert.strictEqual(unitOf(ada.state, "points").lifetime, 500)
    ada.given(adjusted("1", -1_000))
    assert.strictEqual(unitOf(ada.state, "points").lifetime, 200)
    ada.given(adjusted("1", 0, "void")).recordedWithout("counts")
    assert.strictEqual(unitOf(ada.state, "points").lifetime, 500)
    ada.given(adjusted("1", 0, "full_refund"))
    assert.deepStrictEqual(standing(ada), nothing)
    isReplayed(ada)
  })

  it("a merge brings what counted, and the refund after it takes that", () => {
    const [ada, ben] = [new Scenario(monthly), new Scenario(monthly, "ben", 2)]
    accrued(ben, "1", 5_000)
    ada.wait(40 * day)
    ada.merge(ben)
    assert.strictEqual(ada.state.orders, 1)
    ada.given(adjusted("1", -5_000, "full_refund"))
    assert.deepStrictEqual(standing(ada), nothing)
    isReplayed(ada)
  })

  it("a move takes what was counted there, and gives what the order keeps, each time that it moves", () => {
    const guests = [1, 2, 3].map((account) => new Scenario(monthly, `g${account}`, account))
    const [ada, ben, eve] = guests as [Scenario, Scenario, Scenario]
    accrued(ada, "1", 12_000)
    for (const guest of guests) guest.wait(40 * day).given(expire)
    for (const [from, into, n] of [
      [ada, ben, 1],
      [ben, eve, 2],
      [eve, ada, 3],
      [ada, eve, 4]
    ] as const) {
      moveOrder(from, into, "1", n)
      const others = guests.filter((guest) => guest !== into)
      assert.deepStrictEqual(
        others.map(standing),
        others.map(() => nothing)
      )
      assert.deepStrictEqual(
        [tierOf(into), unitOf(into.state, "points").lifetime, into.state.orders],
        ["gold", 1_200, 1]
      )
      assert.deepStrictEqual(
        guests.map(({ state }) => unitOf(state, "points").posted),
        [0, 0, 0]
      )
    }
    eve.given(adjusted("1", -12_000))
    assert.deepStrictEqual(
      guests.map(standing),
      guests.map(() => nothing)
    )
    isReplayed(...guests)
  })
})

/** The first entry of an accrual, as it counts. */
const counting = ({ events }: { readonly events: ReadonlyArray<AccountEvent> }) => {
  const [first] = accruals(events)
  return { first: first?.first, orders: first?.orders }
}

describe("First orders", () => {
  const welcoming = programmed((json) => {
    json["account_earning"] = [json["account_earning"][2]]
    json["promotions"] = [{ promotion_id: "hi", name: "Hi", effect: { add: 100 }, who: { first_order: true } }]
  })
  const points = (decided: { readonly events: ReadonlyArray<AccountEvent> }) => entries(decided.events)[0]?.amount

  it("an order that earns nothing uses nothing up: other channel, below the minimum, gift card", () => {
    const ada = new Scenario(welcoming)
    const counts = [
      accrued(ada, "1", 5_000, { channel: "kiosk" }),
      accrued(ada, "2", 300),
      accrued(ada, "3", 5_000, { lines: [line("l", 5_000, { product_id: "gift-card", unit_price: usd(5_000) })] })
    ].map(counting)
    assert.deepStrictEqual(counts, Array(3).fill({ first: undefined, orders: 0 }))
    assert.strictEqual(ada.state.orders, 0)
    // Voided, they take nothing off either.
    for (const id of ["1", "2", "3"]) ada.given(adjusted(id, 0, "void"))
    const real = accrued(ada, "4", 1_000)
    assert.deepStrictEqual([counting(real), points(real)], [{ first: true, orders: undefined }, 200])
    assert.deepStrictEqual(counting(accrued(ada, "5", 1_000)), { first: false, orders: undefined })
    assert.strictEqual(ada.state.orders, 2)
    isReplayed(ada)
  })

  it("an order too small for a point of the base rule is none, and gets no promotion of first orders", () => {
    const small = programmed((json) => {
      json["account_earning"] = [json["account_earning"][2]]
      json["earning"].minimum_eligible_spend = usd(0)
      json["promotions"] = [{ promotion_id: "hi", name: "Hi", effect: { add: 100 }, who: { first_order: true } }]
    })
    const ada = new Scenario(small)
    assert.deepStrictEqual([points(accrued(ada, "1", 5)), points(accrued(ada, "2", 100))], [0, 110])
  })

  it("a mis-rung first order that was voided, or refunded to nothing, leaves the next one the first", () => {
    for (const type of ["void", "full_refund", "partial_refund"] as const) {
      const ada = new Scenario(welcoming)
      accrued(ada, "1", 1_000)
      ada.given(adjusted("1", -1_000, type))
      assert.deepStrictEqual(counting(accrued(ada, "2", 1_000)), { first: true, orders: undefined })
      isReplayed(ada)
    }
  })

  it("an order that a correction brings above the minimum counts from then on", () => {
    const ada = new Scenario(welcoming)
    accrued(ada, "1", 300)
    ada.given(adjusted("1", 300))
    assert.strictEqual(ada.state.orders, 1)
    ada.given(adjusted("1", -600))
    assert.strictEqual(ada.state.orders, 0)
    isReplayed(ada)
  })

  it("a merge adds both guests' orders, also those of records that all counted", () => {
    const [ada, ben] = [new Scenario(welcoming), new Scenario(welcoming, "ben", 2)]
    for (const guest of [ada, ben]) for (const id of ["1", "2"]) accrued(guest, `${guest.account}-${id}`, 1_000)
    accrued(ben, "small", 300)
    ada.merge(ben)
    assert.strictEqual(ada.state.orders, 4)
    ada.given(adjusted("small", 0, "void"), adjusted("2-1", 0, "void"))
    assert.strictEqual(ada.state.orders, 3)
    isReplayed(ada)
  })

  it("records of before all count, and their orders are taken off as they were counted", () => {
    const ada = new Scenario(welcoming)
    accrued(ada, "1", 300)
    ada.recordedWithout("orders")
    assert.strictEqual(ada.state.orders, 1)
    ada.given(adjusted("1", 0, "void"))
    assert.strictEqual(ada.state.orders, 0)
    isReplayed(ada)
  })

  it("a moved order is the first of a guest who had none", () => {
    const [ada, ben] = [new Scenario(welcoming), new Scenario(welcoming, "ben", 2)]
    accrued(ada, "1", 1_000)
    assert.deepStrictEqual(counting(moveOrder(ada, ben, "1").into), { first: true, orders: 1 })
    accrued(ada, "2", 1_000)
    assert.deepStrictEqual(counting(moveOrder(ada, ben, "2", 2).into), { first: undefined, orders: 1 })
    assert.deepStrictEqual([ada.state.orders, ben.state.orders], [0, 2])
    isReplayed(ada, ben)
  })
})

/** A stamp an order, five more once, two orders a day, and a challenge of five orders. */
const limited = programmed((json) => {
  json["limits"] = { orders_per_member_and_day: 2 }
  json["promotions"] = [
    {
      promotion_id: "once",
      name: "Once",
      effect: { add: 5, unit: "stamps" },
      limits: { per_member: { count: 1, every: "promotion" } }
    }
  ]
  json["challenges"] = [
    { challenge_id: "c", name: "C", count: { orders: 5 }, repeat: true, gives: { reward_id: "free" } }
  ]
})

describe("An order that is refunded to nothing in parts", () => {
  const adjustment = ({ events }: { readonly events: ReadonlyArray<AccountEvent> }): OrderAdjusted | undefined =>
    events.find((event): event is OrderAdjusted => event.type === "order_adjusted")
  const kept = ({ state }: Scenario) =>
    (["points", "stamps", "credits"] as const).map((unit) => unitOf(state, unit).posted)
  const progress = ({ state }: Scenario) =>
    state.challenges.reduce((sum, { amounts }) => amounts.reduce((all, [, amount]) => all + amount, sum), 0)

  it("counts as closed and keeps nothing of any account: limits, challenges and first orders go on without it", () => {
    const ada = new Scenario(limited)
    accrued(ada, "1", 1_000)
    assert.deepStrictEqual([kept(ada), ada.state.uses.length, progress(ada)], [[100, 6, 50], 2, 1])
    const { uses } = ada.state
    ada.given(adjusted("1", -400))
    const emptied = adjustment(ada.when(adjusted("1", -600)))
    assert.deepInclude(emptied, { left: "none", orders: -1, returns: uses.map(({ count: _, ...use }) => use) })
    assert.deepStrictEqual([kept(ada), standing(ada), progress(ada)], [[0, 0, 0], nothing, 0])
    // No machine for stamps: as often as it is done, nothing is kept.
    for (const id of ["2", "3", "4"]) {
      accrued(ada, id, 1_000)
      ada.given(adjusted(id, -1_000))
    }
    assert.deepStrictEqual([kept(ada), standing(ada), progress(ada)], [[0, 0, 0], nothing, 0])
    isReplayed(ada)
  })

  it("spend that returns brings back what it had, once, past the limit too", () => {
    const ada = new Scenario(limited)
    accrued(ada, "1", 1_000)
    const before = [kept(ada), standing(ada), progress(ada)]
    ada.given(adjusted("1", -1_000))
    accrued(ada, "2", 1_000)
    ada.given(adjusted("2", -1_000))
    const back = adjustment(ada.when(adjusted("1", 1_000)))
    assert.deepInclude(back, { left: "some", orders: 1 })
    assert.deepStrictEqual([kept(ada), standing(ada), progress(ada)], before)
    ada.given(adjusted("2", 1_000), adjusted("2", 100))
    assert.deepStrictEqual(
      ada.state.uses.map(({ count }) => count),
      [2, 2]
    )
    assert.deepStrictEqual([kept(ada), ada.state.orders, progress(ada)], [[210, 12, 105], 2, 2])
    isReplayed(ada)
  })

  it("can still be corrected and closed; closing it changes nothing twice", () => {
    const ada = new Scenario(limited)
    for (const id of ["1", "2"]) accrued(ada, id, 1_000)
    ada.given(adjusted("1", -1_000))
    const before = [kept(ada), standing(ada), progress(ada)]
    const closed = adjustment(ada.when(adjusted("1", 0, "full_refund")))
    assert.deepInclude(closed, { closes: true, again: true, orders: 0 })
    assert.notProperty(closed, "returns")
    ada.given(adjusted("1", 0, "void"))
    assert.deepStrictEqual([kept(ada), standing(ada), progress(ada)], before)
    ada.refuses(adjusted("1", 100), "invalid_state")
    isReplayed(ada)
  })

  it("can be moved: it counts nowhere until its spend returns, and then where it is", () => {
    const [ada, ben] = [new Scenario(limited), new Scenario(limited, "ben", 2)]
    accrued(ada, "1", 1_000)
    const before = [kept(ada), standing(ada), progress(ada)]
    ada.given(adjusted("1", -1_000))
    for (const [from, into, n] of [
      [ada, ben, 1],
      [ben, ada, 2],
      [ada, ben, 3]
    ] as const)
      moveOrder(from, into, "1", n)
    for (const guest of [ada, ben])
      assert.deepStrictEqual([kept(guest), standing(guest), progress(guest)], [[0, 0, 0], nothing, 0])
    ben.given(adjusted("1", 1_000))
    assert.deepStrictEqual([kept(ben), standing(ben), progress(ben)], before)
    assert.deepStrictEqual(standing(ada), nothing)
    isReplayed(ada, ben)
  })

  it("that never earned gives nothing back, and never had eligible spend: stays as it is", () => {
    const ada = new Scenario(limited)
    accrued(ada, "1", 300)
    const emptied = adjustment(ada.when(adjusted("1", -300)))
    assert.deepInclude(emptied, { left: "none" })
    assert.notProperty(emptied, "orders")
    assert.strictEqual(ada.state.orders, 0)
    const free = programmed((json) => {
      json["earning"].minimum_eligible_spend = usd(0)
    })
    const ben = new Scenario(free)
    accrued(ben, "1", 5_000, { lines: [line("l", 5_000, { product_id: "gift-card", unit_price: usd(5_000) })] })
    const refunded = adjustment(ben.when(adjusted("1", 0)))
    assert.notProperty(refunded, "left")
    assert.deepStrictEqual([kept(ben), ben.state.orders], [[0, 1, 0], 1])
    // Spend that came and went again is not what it had.
    ben.given(adjusted("1", 500), adjusted("1", -500))
    assert.deepStrictEqual([kept(ben), ben.state.orders], [[0, 1, 0], 1])
    isReplayed(ada, ben)
  })

  it("is no machine for stamps: the card that it filled is not filled again, although its limit comes back", () => {
    const carded = programmed((json) => {
      json["stamp_card"] = { unit: "stamps", threshold: 10, reward_id: "free", resets: true, reward_ttl_seconds: 60 }
      json["promotions"] = [
        {
          promotion_id: "nine",
          name: "Nine",
          effect: { add: 9, unit: "stamps" },
          limits: { per_member: { count: 1, every: "promotion" } }
        }
      ]
    })
    const ada = new Scenario(carded)
    for (const id of ["1", "2", "3", "4"]) {
      accrued(ada, id, 1_000)
      const refund = adjusted(id, -1_000)
      if (refund.type !== "adjust_order") throw new Error("no adjustment")
      const lines = [{ line_id: "l", quantity_delta: -1, subtotal_delta: usd(-1_000) }]
      ada.given({ ...refund, adjustment: { ...refund.adjustment, lines } })
    }
    // The first card's reward stays, as after a full refund, and its stamps are earned again first.
    assert.deepStrictEqual([ada.state.issued, kept(ada), ada.state.uses], [1, [0, -10, 0], []])
    isReplayed(ada)
  })

  it("stays so through a merge, and its spend returns to the member that remains", () => {
    const [ada, ben] = [new Scenario(limited), new Scenario(limited, "ben", 2)]
    accrued(ben, "1", 1_000)
    const before = [kept(ben), standing(ben), progress(ben)]
    ben.given(adjusted("1", -1_000))
    ada.merge(ben)
    assert.deepStrictEqual([kept(ada), standing(ada), progress(ada)], [[0, 0, 0], nothing, 0])
    ada.given(adjusted("1", 1_000))
    assert.deepStrictEqual([kept(ada), standing(ada), progress(ada)], before)
    isReplayed(ada)
  })

  it("by an older version goes on counting until its next adjustment", () => {
    const ada = new Scenario(limited)
    accrued(ada, "1", 1_000)
    ada.given(adjusted("1", -1_000)).recordedWithout("left", "orders", "returns")
    assert.deepStrictEqual([ada.state.orders, ada.state.uses.length], [1, 2])
    ada.given(adjusted("1", 0))
    assert.deepStrictEqual([kept(ada), ada.state.orders, ada.state.uses.length], [[0, 0, 0], 0, 0])
    isReplayed(ada)
  })
})

describe("An order that is refunded", () => {
  const histories = Number(process.env["HISTORIES"] ?? 300)

  /** The same of two guests, whatever order their counts came in; counts that nothing can reach any more are none. */
  const compared = (guest: Scenario) => {
    const { uses, ...rest } = standing(guest)
    const open = uses.filter(({ until = Infinity }) => until > guest.now)
    return { ...rest, uses: open.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : a.window - b.window)) }
  }

  it(`${histories} histories: leaves what counts as if it had not been, early or late, moved or not, at once or in parts`, () => {
    let late = 0
    for (let seed = 1; seed <= histories; seed++) {
      const random = Random.make(seed, "refunded")
      const [ada, twin, ben] = [new Scenario(limited), new Scenario(limited), new Scenario(limited, "ben", 2)]
      const waits = (ms: number) => [ada, twin, ben].forEach((guest) => guest.wait(ms))
      const others = (name: string) => {
        for (let n = random.whole(0, 3); n > 0; n--) {
          const amount = random.whole(100, 9_000)
          for (const guest of [ada, twin]) accrued(guest, `${name}${n}`, amount)
          const less = random.next() < 0.3 ? random.whole(0, 100) : 0
          for (const guest of [ada, twin]) guest.given(adjusted(`${name}${n}`, 0 - less))
          waits(random.whole(0, 40) * day)
        }
      }
      others("before")
      let left = random.whole(0, 9_000)
      accrued(ada, "it", left)
      let holder = ada
      let moves = 0
      for (let step = random.whole(0, 6); step > 0; step--) {
        const chance = random.next()
        if (chance < 0.4) waits(random.pick([1, day, 31 * day, 200 * day]))
        else if (chance < 0.6) {
          const into = holder === ada ? ben : ada
          moveOrder(holder, into, "it", ++moves)
          holder = into
        } else if (chance < 0.7) {
          const debit = manual(-random.whole(1, 50), { classification: "correction" })
          for (const guest of [ada, twin]) guest.given(debit)
        } else {
          const delta = random.pick([-left, random.whole(-left, 1_000)])
          holder.given(adjusted("it", delta))
          left += delta
        }
      }
      const ends = random.next()
      if (ends < 0.5 && left > 0) holder.given(adjusted("it", -left))
      else holder.given(adjusted("it", 0, random.pick(["void", "full_refund"])))
      if (ada.now - ada.state.joined > 60 * day) late++
      assert.deepStrictEqual(compared(ada), compared(twin), `seed ${seed}`)
      assert.deepStrictEqual(standing(ben), nothing, `seed ${seed}`)
      assert.strictEqual(tierOf(ada), tierOf(twin), `seed ${seed}`)
      others("after")
      assert.deepStrictEqual(compared(ada), compared(twin), `seed ${seed}`)
      isReplayed(ada, twin, ben)
    }
    assert.isAbove(late, histories / 4)
  })
})
