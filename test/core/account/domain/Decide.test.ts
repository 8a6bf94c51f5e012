/**
 * Given/when/then for the rules of contract/points.md *Lots*, *Balances*, *Metrics*, *Stamp cards*;
 * contract/orders.md *Earning*, *Adjusting an order*, *Clawbacks*; contract/redemptions.md *Reserve*, *Capture*,
 * *Reverse*, *Paying with a wallet reward*, *Issuing*, *Cancelling*; contract/members.md *Status and writes*.
 */
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Testing from "../../../../src/app/testing/Testing.ts"
import type { Action } from "../../../../src/core/account/domain/Action.ts"
import type { Decision } from "../../../../src/core/account/domain/Decision.ts"
import * as Metrics from "../../../../src/core/account/domain/Metrics.ts"
import { plain } from "../../../../src/core/account/domain/State.ts"
import { expiring } from "../../../../src/core/account/domain/View.ts"
import type { Program } from "../../../../src/core/rules/Program.ts"
import {
  accrue,
  adjust,
  cancel,
  capture,
  day,
  entries,
  expire,
  issue,
  manual,
  reserve,
  reverse,
  Scenario,
  second,
  start,
  status
} from "./Scenario.ts"

const stampsFile = JSON.parse(
  fs.readFileSync(path.join(import.meta.dirname, "..", "..", "rules", "program.stamps.json"), "utf8")
)
const demoFile = JSON.parse(
  fs.readFileSync(
    path.join(import.meta.dirname, "..", "..", "..", "..", "src", "app", "demo", "program.demo.json"),
    "utf8"
  )
)
const stamps: Program = Testing.programOf(stampsFile)
const coffee = (id: string, amount = 400) => accrue(id, amount, {}, "coffee-stamps")

describe("Earning", () => {
  it("a paid order earns by eligible spend, at the multiplier of the tier when it posts", () => {
    const ada = new Scenario()
    assert.deepStrictEqual(ada.posts(accrue("1", 5000)), [["accrual", "points", 500]])
    assert.deepStrictEqual(ada.posts(accrue("2", 999)), [["accrual", "points", 119]])
  })

  it("an ineligible channel and spend below the minimum earn 0 and still post their entry", () => {
    const ada = new Scenario()
    assert.deepStrictEqual(ada.posts(accrue("1", 5000, { channel: "kiosk" })), [["accrual", "points", 0]])
    assert.deepStrictEqual(ada.posts(accrue("2", 99)), [["accrual", "points", 0]])
  })

  it("only a paid order accrues", () => {
    for (const open of ["open", "authorized", "refunded", "voided"] as const) {
      new Scenario().refuses(accrue("1", 1000, { status: open }), "invalid_state")
    }
  })

  it("every account with a rule earns, the primary first", () => {
    assert.deepStrictEqual(new Scenario(stamps).posts(coffee("1")), [
      ["accrual", "stamps", 1],
      ["accrual", "credits", 20]
    ])
  })
})

describe("Lots", () => {
  it("spending consumes lots first in, first out", () => {
    const ada = new Scenario().given(manual(50), manual(70), manual(-60, { classification: "correction" }))
    assert.deepStrictEqual(ada.lots(), [[2, 60]])
  })

  it("a lot expires at its instant with one entry that names its source, late ones too", () => {
    const ada = new Scenario().given(manual(50, { expires: start + day }), manual(70))
    const posted = entries(ada.wait(3 * day).when(expire).events)
    assert.deepStrictEqual(
      posted.map(({ amount, at, op, related }) => [op, amount, at, related]),
      [["expiration", -50, start + day, 1]]
    )
    assert.deepStrictEqual(ada.lots(), [[2, 70]])
  })

  it("what is due is posted first, as events of the same decision", () => {
    const ada = new Scenario().given(manual(50, { expires: start + day }))
    assert.deepStrictEqual(ada.wait(2 * day).posts(accrue("1", 1000)), [
      ["expiration", "points", -50],
      ["accrual", "points", 100]
    ])
  })

  it("point_expiration covers points and credits, not stamps", () => {
    const ada = new Scenario(stamps)
    const [stamp, credit] = entries(ada.when(coffee("1")).events)
    assert.strictEqual(stamp?.expires, undefined)
    assert.strictEqual(credit?.expires, start + 30 * day)
  })

  it("a published change of point_expiration leaves lots that exist alone", () => {
    const shorter = {
      ...Testing.demoProgram,
      pointExpiration: { type: "after_earned", days: 2, warning_days: [] }
    } as const
    const ada = new Scenario().given(accrue("1", 1_000)).under(shorter)
    const [entry] = entries(ada.when(accrue("2", 1_000)).events)
    assert.strictEqual(entry?.expires, start + 2 * day)
    assert.deepStrictEqual(ada.wait(2 * day).posts(expire), [["expiration", "points", -100]])
    assert.deepStrictEqual(ada.lots(), [[1, 100]])
    assert.deepStrictEqual(ada.wait(363 * day).posts(expire), [["expiration", "points", -100]])
  })

  it("what open holds need of a lot does not expire under them, and does the moment a hold ends", () => {
    const ada = new Scenario().given(manual(250, { expires: start + 60 * second }), reserve(1))
    assert.deepStrictEqual(ada.wait(60 * second).posts(expire), [["expiration", "points", -150]])
    const released = entries(ada.wait(10 * second).when(reverse(1)).events)
    assert.deepStrictEqual(
      released.map(({ amount, at }) => [amount, at]),
      [[-100, start + 70 * second]]
    )
  })

  it("a reversal restores exactly the lots consumed; what has expired meanwhile expires at once", () => {
    const ada = new Scenario().given(manual(60, { expires: start + day }), manual(90), reserve(1), capture(1))
    assert.deepStrictEqual(ada.lots(), [[2, 50]])
    assert.deepStrictEqual(ada.wait(2 * day).posts(reverse(1)), [
      ["reversal", "points", 100],
      ["expiration", "points", -60]
    ])
    assert.deepStrictEqual(ada.lots(), [[2, 90]])
  })

  it("a hold keeps only lots that were alive under it: one restored after its time expires at once", () => {
    const ada = new Scenario().given(manual(100), reserve(1), capture(1)).wait(366 * day)
    ada.given(manual(100), reserve(2))
    assert.deepStrictEqual(ada.posts(reverse(1)), [
      ["reversal", "points", 100],
      ["expiration", "points", -100]
    ])
    assert.deepStrictEqual(ada.posts(capture(2)), [["redemption", "points", -100]])
    assert.deepStrictEqual([ada.balance(), ada.lots()], [[0, 0], []])
  })

  it("a hold that began after a lot's time does not keep it, and spends it last", () => {
    const ada = new Scenario().given(manual(100, { expires: start + 60 * second }), reserve(1))
    ada.wait(60 * second).given(manual(100), reserve(2))
    assert.deepStrictEqual(ada.lots(), [
      [1, 100],
      [2, 100]
    ])
    assert.deepStrictEqual(ada.posts(reverse(1)), [["expiration", "points", -100]])
    const ben = new Scenario().given(manual(100, { expires: start + 60 * second }), reserve(1))
    ben.wait(60 * second).given(manual(100), reserve(2), capture(2))
    assert.deepStrictEqual(ben.lots(), [[1, 100]])
  })

  it("what a hold keeps of a lot past its instant is not listed as expiring", () => {
    const ada = new Scenario().given(manual(250, { expires: start + 60 * second }), reserve(1))
    assert.deepStrictEqual(expiring(ada.state, ada.now), [{ unit: "points", amount: 250, at: start + 60 * second }])
    ada.wait(60 * second).given(expire)
    assert.deepStrictEqual([ada.lots(), expiring(ada.state, ada.now)], [[[1, 100]], []])
  })

  it("cost that had come out of no lot makes one dated at the reversal", () => {
    const ada = new Scenario().given(accrue("1", 1000), reserve(1), adjust("1", "void", 0), capture(1))
    assert.deepStrictEqual(ada.balance(), [-100, 0])
    ada.given(manual(100))
    const [back] = entries(ada.when(reverse(1)).events)
    assert.deepInclude(back, { amount: 100, lot: 100, back: [] })
    assert.deepStrictEqual(ada.balance(), [100, 0])
    assert.deepStrictEqual(ada.lots(), [[back?.n ?? 0, 100]])
  })
})

describe("Balances", () => {
  it("a clawback may take a balance below zero; later credits fill the hole first", () => {
    const ada = new Scenario().given(accrue("1", 1000), manual(-100), adjust("1", "full_refund", -1000))
    assert.deepStrictEqual(ada.balance(), [-100, 0])
    ada.given(manual(130))
    assert.deepStrictEqual([ada.balance()[0], ada.lots()], [30, [[4, 30]]])
  })

  it("restored lots fill a hole from the oldest on", () => {
    const ada = new Scenario().given(
      manual(30),
      manual(70),
      reserve(1),
      capture(1),
      manual(-40, { classification: "migration" })
    )
    ada.given(reverse(1))
    assert.deepStrictEqual([ada.balance()[0], ada.lots()], [60, [[2, 60]]])
  })

  it("a debit needs what is available, save correction and migration", () => {
    const ada = new Scenario().given(manual(150), reserve(1))
    ada.refuses(manual(-51), "insufficient_balance")
    assert.deepStrictEqual(ada.posts(manual(-50)), [["manual", "points", -50]])
    assert.deepStrictEqual(ada.posts(manual(-500, { classification: "correction" })), [["manual", "points", -500]])
  })

  it("expires_at on a debit is invalid, in the past expired", () => {
    const ada = new Scenario().given(manual(10))
    ada.refuses(manual(-5, { expires: start + day }), "invalid_state")
    ada.refuses(manual(5, { expires: start }), "expired")
  })

  it("a unit that the programme does not have is a fault with its place; one that it has is taken", () => {
    new Scenario().refuses(manual(5, { unit: "stamps" }), "validation_failed")
    assert.deepStrictEqual(new Scenario(stamps).posts(manual(5, { unit: "credits" })), [["manual", "credits", 5]])
  })
})

describe("Adjusting an order", () => {
  it("partial refunds in any order end at the same number, and a full one leaves 0", () => {
    for (const deltas of [[-333, -100, -50], [-50, -333, -100], [-483]]) {
      const ada = new Scenario().given(accrue("1", 999), ...deltas.map((delta) => adjust("1", "partial_refund", delta)))
      assert.strictEqual(ada.balance()[0], 51)
      ada.given(adjust("1", "full_refund", -516))
      assert.strictEqual(ada.balance()[0], 0)
    }
  })

  it("a refund must not raise spend and never posts a positive entry; a correction may add", () => {
    const ada = new Scenario().given(accrue("1", 1000))
    ada.refuses(adjust("1", "partial_refund", 1), "invalid_state")
    assert.deepStrictEqual(ada.posts(adjust("1", "correction", 500)), [["adjustment", "points", 50]])
    assert.deepStrictEqual(ada.posts(adjust("1", "partial_refund", 0)), [["adjustment", "points", 0]])
  })

  it("the original multiplier stays with the accrual", () => {
    const ada = new Scenario().given(accrue("1", 5000), accrue("2", 1000), adjust("1", "void", -5000))
    assert.deepStrictEqual(ada.posts(adjust("2", "partial_refund", -500)), [["adjustment", "points", -60]])
  })

  it("points that have expired already are not taken a second time", () => {
    const ada = new Scenario().given(accrue("1", 1000)).wait(366 * day)
    assert.deepStrictEqual(ada.posts(adjust("1", "full_refund", -1000)), [
      ["expiration", "points", -100],
      ["adjustment", "points", 0]
    ])
  })

  it("points of a correction that have expired are not taken a second time", () => {
    const ada = new Scenario()
      .given(accrue("1", 10_000))
      .wait(day)
      .given(adjust("1", "correction", 1_000))
    assert.strictEqual(ada.balance()[0], 1_100)
    assert.deepStrictEqual(ada.wait(366 * day).posts(adjust("1", "full_refund", -11_000)), [
      ["expiration", "points", -1_000],
      ["expiration", "points", -100],
      ["adjustment", "points", 0]
    ])
    assert.strictEqual(ada.balance()[0], 0)
  })

  it("a clawback takes the order's own lots, the newest first: two orders, the later refunded, the earlier after it expired", () => {
    const ada = new Scenario().given(accrue("1", 1_000)).wait(day).given(accrue("2", 1_000))
    ada.given(adjust("2", "full_refund", -1_000))
    assert.deepStrictEqual(ada.lots(), [[1, 100]])
    assert.deepStrictEqual(ada.wait(366 * day).posts(adjust("1", "full_refund", -1_000)), [
      ["expiration", "points", -100],
      ["adjustment", "points", 0]
    ])
    assert.strictEqual(ada.balance()[0], 0)
  })

  it("a clawback takes own lots, counts what has expired of them, takes other lots, and leaves a hole; a correction undoes it", () => {
    const ada = new Scenario().given(accrue("1", 1_000), manual(-30), manual(20, { expires: start + 300 * day }))
    ada.wait(10 * day).given(adjust("1", "correction", 100))
    assert.deepStrictEqual(ada.lots(), [
      [1, 70],
      [3, 20],
      [4, 10]
    ])
    // 25 points: the correction's own lot, then the accrual's.
    assert.deepStrictEqual(ada.posts(adjust("1", "partial_refund", -250)), [["adjustment", "points", -25]])
    assert.deepStrictEqual(ada.lots(), [
      [1, 55],
      [3, 20]
    ])
    // The rest of the own lot, the other one, a hole of 10.
    assert.deepStrictEqual(ada.posts(adjust("1", "partial_refund", -850)), [["adjustment", "points", -85]])
    assert.deepStrictEqual([ada.balance()[0], ada.lots()], [-10, []])
    assert.deepStrictEqual(ada.posts(adjust("1", "correction", 850)), [["adjustment", "points", 85]])
    assert.deepStrictEqual(ada.lots(), [
      [1, 55],
      [3, 20]
    ])
    assert.deepStrictEqual(ada.posts(adjust("1", "correction", 260)), [["adjustment", "points", 26]])
    assert.deepStrictEqual(ada.lots(), [
      [1, 70],
      [3, 20],
      [4, 10],
      [8, 1]
    ])
  })

  it("a correction revives nothing: what comes back to a lot past its time expires at once", () => {
    const ada = new Scenario().given(accrue("1", 1_000), adjust("1", "partial_refund", -400)).wait(366 * day)
    assert.deepStrictEqual(ada.posts(adjust("1", "correction", 300)), [
      ["expiration", "points", -60],
      ["adjustment", "points", 30],
      ["expiration", "points", -30]
    ])
    assert.deepStrictEqual(ada.posts(adjust("1", "partial_refund", -900)), [["adjustment", "points", 0]])
    assert.deepStrictEqual(ada.posts(adjust("1", "correction", 1_100)), [
      ["adjustment", "points", 20],
      ["expiration", "points", -10]
    ])
    assert.deepStrictEqual([ada.balance()[0], ada.lots()], [10, [[7, 10]]])
  })

  it("what a clawback took of another order's lot and a correction returned past its time is counted for one order", () => {
    const played = () => {
      const ada = new Scenario().given(accrue("1", 1_000)).wait(day).given(accrue("2", 1_000), manual(-100))
      // Order 1 is spent: its clawback takes 50 of order 2's lot; the other 50 expire, then those 50.
      ada.given(adjust("1", "partial_refund", -500)).wait(366 * day)
      assert.deepStrictEqual(ada.posts(adjust("1", "correction", 500)), [
        ["expiration", "points", -50],
        ["adjustment", "points", 50],
        ["expiration", "points", -50]
      ])
      return ada
    }
    // 200 earned and refunded, 100 of them spent: 100 are missing, whichever order is refunded first.
    for (const orders of [
      ["1", "2"],
      ["2", "1"]
    ]) {
      const ada = played()
      for (const order of orders) ada.given(adjust(order, "full_refund", -1_000))
      assert.deepStrictEqual([ada.balance()[0], ada.lots()], [-100, []])
    }
    const ada = played()
    ada.given(adjust("1", "partial_refund", -500))
    assert.strictEqual(ada.balance()[0], 0, "taking back what has expired takes nothing else")
  })

  it("a full refund closes the order: later refunds post 0, corrections are refused", () => {
    const ada = new Scenario().given(accrue("1", 1000), adjust("1", "full_refund", -1000))
    assert.deepStrictEqual(ada.posts(adjust("1", "partial_refund", -100)), [["adjustment", "points", 0]])
    ada.refuses(adjust("1", "correction", 100), "invalid_state")
  })

  it("a per-order amount stays whole while the minimum is left, and is nothing below it", () => {
    const ada = new Scenario(stamps).given(coffee("1", 1000))
    assert.deepStrictEqual(ada.posts(adjust("1", "partial_refund", -700)), [
      ["adjustment", "stamps", 0],
      ["adjustment", "credits", -35]
    ])
    assert.deepStrictEqual(ada.posts(adjust("1", "partial_refund", -1)), [
      ["adjustment", "stamps", -1],
      ["adjustment", "credits", -15]
    ])
    assert.deepStrictEqual(ada.posts(adjust("1", "correction", 1)), [
      ["adjustment", "stamps", 1],
      ["adjustment", "credits", 15]
    ])
    assert.deepStrictEqual(ada.posts(adjust("1", "void", -300)), [
      ["adjustment", "stamps", -1],
      ["adjustment", "credits", -15]
    ])
  })

  it("what is left below the original minimum earns nothing, and an order that a correction lifts over it earns all", () => {
    const ada = new Scenario().given(accrue("1", 1000), accrue("2", 99))
    assert.deepStrictEqual(ada.posts(adjust("1", "partial_refund", -900)), [["adjustment", "points", -90]])
    assert.deepStrictEqual(ada.posts(adjust("1", "partial_refund", -1)), [["adjustment", "points", -10]])
    assert.deepStrictEqual(ada.posts(adjust("2", "correction", 1)), [["adjustment", "points", 10]])
    const dearer = Testing.programOf({
      ...demoFile,
      earning: { ...demoFile.earning, minimum_eligible_spend: { amount: 5000, currency: "USD" } }
    })
    assert.deepStrictEqual(ada.under(dearer).posts(adjust("2", "correction", 100)), [["adjustment", "points", 10]])
  })

  it("a correction pays nothing on a channel that was not eligible", () => {
    const ada = new Scenario().given(accrue("1", 1000, { channel: "kiosk" }))
    assert.deepStrictEqual(ada.posts(adjust("1", "correction", 5000)), [["adjustment", "points", 0]])
    const cafe = new Scenario(stamps).given(accrue("1", 1000, { channel: "kiosk" }, "coffee-stamps"))
    assert.deepStrictEqual(cafe.posts(adjust("1", "correction", 1000)), [
      ["adjustment", "stamps", 0],
      ["adjustment", "credits", 0]
    ])
  })

  const left = (decision: Decision) => ("detail" in decision ? decision.detail : decision._tag)
  const changed = (line_id: string, quantity_delta: number, subtotal: number) => ({
    line_id,
    quantity_delta,
    subtotal_delta: { amount: subtotal, currency: "USD" }
  })
  const naming = (
    type: "partial_refund" | "full_refund" | "void" | "correction",
    spend: number,
    lines: ReadonlyArray<ReturnType<typeof changed>>,
    total = spend
  ): Action => {
    const action = adjust("1", type, spend)
    if (action.type !== "adjust_order") return action
    const order_total_delta = { amount: total, currency: "USD" }
    return { ...action, adjustment: { ...action.adjustment, order_total_delta, lines } }
  }

  it("what takes more than is left of the eligible spend is refused, and says what is left", () => {
    const ada = new Scenario().given(accrue("1", 1100))
    ada.refuses(adjust("1", "partial_refund", -1188), "invalid_state")
    assert.include(left(ada.decide(adjust("1", "partial_refund", -1188))), "has 1100 of eligible spend left")
    ada.given(adjust("1", "partial_refund", -1000))
    assert.include(left(ada.decide(adjust("1", "correction", -101))), "has 100 of eligible spend left")
    assert.deepStrictEqual(ada.posts(adjust("1", "correction", 500)), [["adjustment", "points", 50]])
    assert.deepStrictEqual(ada.posts(adjust("1", "partial_refund", -600)), [["adjustment", "points", -60]])
    ada.refuses(adjust("1", "partial_refund", -1), "invalid_state")
  })

  it("deltas of opposite sign are refused", () => {
    const ada = new Scenario().given(accrue("1", 1000))
    ada.refuses(naming("partial_refund", -100, [], 100), "invalid_state")
    ada.refuses(naming("correction", 100, [], -100), "invalid_state")
    ada.refuses(naming("correction", 100, [changed("line-1", 0, -100)]), "invalid_state")
    ada.refuses(naming("partial_refund", -100, [changed("line-1", 1, -100)]), "invalid_state")
    assert.deepStrictEqual(ada.posts(naming("partial_refund", 0, [changed("line-1", -1, 0)], -80)), [
      ["adjustment", "points", 0]
    ])
  })

  it("lines, quantities and subtotals that the order does not have are refused, over all refunds so far", () => {
    const [line] = Testing.order("1", 500).lines
    const money = (amount: number) => ({ amount, currency: "USD" })
    const lines = [
      { ...line!, quantity: 3, subtotal: money(1500) },
      { ...line!, line_id: "wine", product_id: "gift-card-25", unit_price: money(900), subtotal: money(900) }
    ]
    const { totals } = Testing.order("1", 2400)
    const ada = new Scenario().given(accrue("1", 2400, { lines, totals }))
    assert.include(left(ada.decide(naming("partial_refund", -500, [changed("line-2", -1, -500)]))), "no line line-2")
    ada.given(naming("partial_refund", -500, [changed("line-1", -1, -500)]))
    // One that names no line says nothing of lines.
    ada.given(adjust("1", "partial_refund", -100))
    const over = naming("partial_refund", -500, [changed("line-1", -3, -500)])
    assert.include(left(ada.decide(over)), "Line line-1 has a quantity of 2 left; the adjustment takes 3.")
    const dear = naming("partial_refund", -500, [changed("line-1", -2, -1001)])
    assert.include(left(ada.decide(dear)), "has a subtotal of 1000 left")
    // Twice the same line counts twice.
    const twice = naming("partial_refund", -500, [changed("line-1", -1, -500), changed("line-1", -2, -1)])
    ada.refuses(twice, "invalid_state")
    // A returned line that earned nothing takes no spend.
    assert.include(left(ada.decide(naming("partial_refund", -900, [changed("wine", -1, -900)]))), "have 0 of eligible")
    ada.given(naming("partial_refund", 0, [changed("wine", -1, -900)], -900))
    ada.refuses(naming("partial_refund", 0, [changed("wine", -1, 0)]), "invalid_state")
    // A correction gives a piece back.
    ada.given(naming("correction", 500, [changed("line-1", 1, 500)]))
    ada.given(naming("partial_refund", -1400, [changed("line-1", -3, -1500)]))
    assert.deepStrictEqual(ada.balance(), [0, 0])
    assert.deepStrictEqual(plain(ada.replayed), plain(ada.state))
  })

  it("a full refund, a void and refunds of a closed order are not measured", () => {
    for (const type of ["full_refund", "void"] as const) {
      const ada = new Scenario().given(accrue("1", 1100))
      ada.given(naming(type, -1188, [changed("other", -5, 70)], 20))
      assert.deepStrictEqual(ada.balance(), [0, 0])
      assert.deepStrictEqual(ada.posts(naming("partial_refund", -5000, [changed("other", -1, 1)])), [
        ["adjustment", "points", 0]
      ])
    }
  })

  it("an order that came by a merge is measured by its own lines", () => {
    const ben = new Scenario(undefined, "ben", 2).given(accrue("1", 1000), naming("partial_refund", -300, []))
    const ada = new Scenario()
    ada.merge(ben)
    ada.refuses(adjust("1", "partial_refund", -701), "invalid_state")
    ada.refuses(naming("partial_refund", -700, [changed("line-1", -2, -700)]), "invalid_state")
    ada.given(naming("partial_refund", -700, [changed("line-1", -1, -700)]))
    assert.deepStrictEqual(ada.balance(), [0, 0])
  })

  it("an order that was recorded under earlier rules goes on by them", () => {
    const ada = new Scenario(stamps).given(coffee("1", 1000)).recordedBefore()
    assert.deepStrictEqual(ada.posts(adjust("1", "partial_refund", -900)), [
      ["adjustment", "stamps", 0],
      ["adjustment", "credits", -45]
    ])
    assert.deepStrictEqual(ada.posts(adjust("1", "partial_refund", -900)), [
      ["adjustment", "stamps", 0],
      ["adjustment", "credits", -5]
    ])
  })

  it("an order without accrual is not found, another currency a mismatch", () => {
    const ada = new Scenario().given(accrue("1", 1000))
    ada.refuses(adjust("2", "void", 0), "not_found")
    ada.refuses(adjust("1", "void", 0, "EUR"), "currency_mismatch")
  })
})

describe("Redemption", () => {
  it("reserve holds the cost, capture spends it, reverse gives it back", () => {
    const ada = new Scenario().given(manual(150), reserve(1))
    assert.deepStrictEqual(ada.balance(), [150, 100])
    ada.refuses(reserve(2), "insufficient_balance")
    assert.deepStrictEqual(ada.posts(capture(1)), [["redemption", "points", -100]])
    assert.deepStrictEqual(ada.balance(), [50, 0])
    assert.deepStrictEqual(ada.posts(reverse(1)), [["reversal", "points", 100]])
    assert.deepStrictEqual(ada.balance(), [150, 0])
  })

  it("nothing is held for an order that no accrual would take", () => {
    const ada = new Scenario().given(manual(100))
    const { lines } = Testing.order("o", 500)
    const reserveFor = (order: ReturnType<typeof Testing.order>) => reserve(1, { order })
    ada.refuses(reserveFor(Testing.order("o", 500, { lines: [...lines, ...lines] })), "invalid_order")
    ada.refuses(reserveFor(Testing.order("o", 500, { member_id: "ben" })), "conflict")
    const euros = JSON.parse(JSON.stringify(Testing.order("o", 500)).replaceAll("USD", "EUR"))
    ada.refuses(reserveFor(euros), "currency_mismatch")
  })

  it("nothing is held for an order that is refunded or voided", () => {
    const ada = new Scenario().given(manual(100))
    const reserveFor = (status: "refunded" | "voided" | "paid") =>
      reserve(1, { order: Testing.order("o", 500, { status }) })
    ada.refuses(reserveFor("refunded"), "invalid_state")
    ada.refuses(reserveFor("voided"), "invalid_state")
    assert.strictEqual(ada.decide(reserveFor("paid"))._tag, "Decided")
  })

  it("a free item is held only for an order with one of its products or categories, also out of the wallet", () => {
    const ada = new Scenario().given(manual(1000), issue("w", { reward: "free-bowl" }))
    const { lines } = Testing.order("o", 500)
    const without = Testing.order("o", 500, { lines: lines.map((one) => ({ ...one, category_ids: ["drinks"] })) })
    ada.refuses(reserve(1, { reward: "free-bowl", order: without }), "reward_not_available")
    ada.refuses(reserve(1, { reward: "free-bowl", order: without, issued: "w" }), "reward_not_available")
    assert.strictEqual(ada.decide(reserve(1, { reward: "free-bowl" }))._tag, "Decided")
  })

  it("a second capture and a second reverse repeat the first result", () => {
    const ada = new Scenario().given(manual(100), reserve(1), capture(1))
    assert.deepStrictEqual(ada.decide(capture(1)), { _tag: "DoneBefore", seq: ada.state.seq })
    ada.given(reverse(1))
    assert.deepStrictEqual(ada.decide(reverse(1)), { _tag: "DoneBefore", seq: ada.state.seq })
    ada.refuses(capture(1), "invalid_state")
  })

  it("a reservation expires at its instant and cannot be captured or reversed then", () => {
    const ada = new Scenario().given(manual(100), reserve(1)).wait(120 * second)
    ada.refuses(capture(1), "expired")
    ada.refuses(reverse(1), "expired")
    ada.given(expire)
    assert.deepStrictEqual(ada.balance(), [100, 0])
  })

  it("capture honours an open hold even where a clawback has taken the balance below it", () => {
    const ada = new Scenario().given(accrue("1", 1000), reserve(1), adjust("1", "void", 0))
    assert.deepStrictEqual(ada.posts(capture(1)), [["redemption", "points", -100]])
    assert.deepStrictEqual(ada.balance(), [-100, 0])
  })

  it("unknown things are not found, another order conflicts, windows are kept", () => {
    const ada = new Scenario().given(manual(2000), reserve(1))
    ada.refuses(reserve(2, { reward: "nothing" }), "not_found")
    ada.refuses(capture(9), "not_found")
    ada.refuses(reverse(9), "not_found")
    ada.refuses(capture(1, "another-order"), "conflict")
    ada.wait(60 * day).refuses(reserve(2, { reward: "summer-special" }), "reward_not_available")
    // Windows limit reserving alone, also out of the wallet.
    ada.given(issue("w", { reward: "summer-special" }))
    ada.refuses(reserve(2, { reward: "summer-special", issued: "w" }), "reward_not_available")
  })

  it("a hold records its order's location, and its effect and funding as they were when it was made", () => {
    const ada = new Scenario().given(manual(200), reserve(1))
    const [hold] = ada.state.reservations
    assert.strictEqual(hold?.location, Testing.order("any", 1).scope.location_id)
    const { effect, funding } = Testing.demoProgram.rewards.get("one-off")!
    assert.deepStrictEqual([hold?.effect, hold?.funding], [effect, funding])
    assert.deepStrictEqual([hold?.created, hold?.expires], [start, start + 120 * second])
  })
})

describe("Issued rewards", () => {
  it("a wallet reward costs nothing, is held, redeemed by the capture and issued again by its reversal", () => {
    const ada = new Scenario().given(issue("w"), reserve(1, { issued: "w" }))
    assert.deepStrictEqual(ada.balance(), [0, 0])
    ada.refuses(reserve(2, { issued: "w" }), "invalid_state")
    ada.refuses(cancel("w"), "invalid_state")
    assert.deepStrictEqual(ada.posts(capture(1)), [])
    assert.strictEqual(ada.state.rewards[0]?.status, "redeemed")
    ada.given(reverse(1))
    assert.strictEqual(ada.state.rewards[0]?.status, "issued")
  })

  it("it must be the member's and for that reward", () => {
    const ada = new Scenario().given(issue("w"))
    ada.refuses(reserve(1, { issued: "another" }), "not_found")
    ada.refuses(reserve(1, { issued: "w", reward: "free-bowl" }), "invalid_state")
  })

  it("it expires by itself, but not while held; reversed after its time it is expired", () => {
    const ada = new Scenario().given(issue("w", { expires: start + 60 * second }), reserve(1, { issued: "w" }))
    ada.wait(90 * second).given(expire)
    assert.strictEqual(ada.state.rewards[0]?.status, "issued")
    ada.given(capture(1), reverse(1))
    assert.strictEqual(ada.state.rewards[0]?.status, "expired")
    ada.refuses(reserve(2, { issued: "w" }), "invalid_state")
  })

  it("cancelling twice repeats the first result; expires_at must lie ahead", () => {
    const ada = new Scenario().given(issue("w"), cancel("w"))
    assert.deepStrictEqual(ada.decide(cancel("w")), { _tag: "DoneBefore", seq: ada.state.seq })
    ada.refuses(cancel("none"), "not_found")
    ada.refuses(issue("x", { expires: start }), "expired")
  })
})

describe("Stamp cards", () => {
  it("each full card issues its reward once, in the credit's own decision, and resets", () => {
    const ada = new Scenario(stamps)
    for (let n = 1; n < 10; n++) ada.given(coffee(`${n}`))
    const { cards, events } = ada.when(coffee("10"))
    assert.deepStrictEqual(
      entries(events).map(({ amount, op, unit }) => [op, unit, amount]),
      [
        ["accrual", "stamps", 1],
        ["accrual", "credits", 20],
        ["adjustment", "stamps", -10]
      ]
    )
    assert.strictEqual(cards.length, 1)
    assert.deepStrictEqual(
      ada.state.rewards.map(({ expires, reward }) => [reward, expires]),
      [["free-coffee", start + 30 * day]]
    )
    assert.deepStrictEqual(ada.balance("stamps"), [0, 0])
  })

  it("a large credit fills several cards, and no clawback un-issues one", () => {
    const ada = new Scenario(stamps).given(manual(25), coffee("1"), adjust("1", "void", 0), coffee("2"))
    assert.strictEqual(ada.state.cards, 2)
    ada.given(manual(4))
    assert.strictEqual(ada.state.cards, 3)
    ada.given(manual(-10, { classification: "correction" }))
    assert.strictEqual(ada.state.cards, 3)
  })

  it("orders that are voided fill nothing: what a clawback took must be earned again before the next card", () => {
    const ada = new Scenario(stamps)
    for (let n = 1; n <= 9; n++) ada.given(coffee(`${n}`), adjust(`${n}`, "void", -400))
    ada.given(coffee("10"))
    assert.strictEqual(ada.state.cards, 0)
    ada.given(manual(9))
    assert.strictEqual(ada.state.cards, 1)
    // Two stamps of the full card are taken back: the next card needs twelve.
    ada.given(adjust("10", "void", -400), manual(-1, { classification: "correction" }), manual(11))
    assert.strictEqual(ada.state.cards, 1)
    ada.given(coffee("11"))
    assert.strictEqual(ada.state.cards, 2)
  })

  it("a correction fills a card like any credit, once, and not for a closed member", () => {
    const nine = () => new Scenario(stamps).given(coffee("1", 200), manual(9))
    const ada = nine()
    const { cards, events } = ada.when(adjust("1", "correction", 200))
    assert.deepStrictEqual(
      entries(events).map(({ amount, op, unit }) => [op, unit, amount]),
      [
        ["adjustment", "stamps", 1],
        ["adjustment", "credits", 20],
        ["adjustment", "stamps", -10]
      ]
    )
    assert.lengthOf(cards, 1)
    ada.given(adjust("1", "correction", -200), adjust("1", "correction", 200))
    assert.strictEqual(ada.state.cards, 1)
    const closed = nine().given(status("closed"), adjust("1", "correction", 200))
    assert.deepStrictEqual([closed.state.cards, closed.balance("stamps")], [0, [10, 0]])
  })

  it("stamps that had expired when their order was voided fill nothing either", () => {
    const credits = Testing.programOf({
      ...stampsFile,
      account_earning: [
        stampsFile.account_earning[0],
        { unit: "credits", mode: "per_order", amount: 1, multiplier_eligible: false }
      ],
      stamp_card: { ...stampsFile.stamp_card, unit: "credits" }
    })
    const ada = new Scenario(credits)
    for (let n = 1; n <= 9; n++) ada.given(coffee(`${n}`))
    ada.wait(31 * day)
    for (let n = 1; n <= 9; n++) ada.given(adjust(`${n}`, "void", -400))
    assert.strictEqual(ada.given(coffee("10")).state.cards, 0)
  })
})

describe("Metrics and tiers", () => {
  it("a new period, from the first instant in the policy's zone, resets metric and tier but no balance", () => {
    const ada = new Scenario().given(accrue("1", 20_000))
    const newYear = Date.UTC(2027, 0, 1, 5)
    ada.now = newYear - 1
    assert.deepStrictEqual(ada.posts(accrue("2", 1000)), [["accrual", "points", 150]])
    ada.now = newYear
    assert.deepStrictEqual(ada.posts(accrue("3", 1000)), [["accrual", "points", 100]])
    assert.strictEqual(ada.balance()[0], 2250)
  })

  it("an order's adjustment counts in the period of its accrual: once that is over, it changes no later one", () => {
    const newYear = Date.UTC(2027, 0, 1, 5)
    const tierOf = (ada: Scenario) => Metrics.tierOf(ada.state, ada.program, ada.now)?.tier_id
    const qualified = (ada: Scenario) => Metrics.qualification(ada.state, ada.program, ada.now)?.present
    const ada = new Scenario().given(accrue("1", 20_000), adjust("1", "partial_refund", -1000))
    assert.deepStrictEqual([qualified(ada), tierOf(ada)], [1900, "vip"])
    ada.now = newYear
    // Whether or not something was earned in the new period before it.
    ada.given(adjust("1", "partial_refund", -1000))
    assert.deepStrictEqual([qualified(ada), tierOf(ada)], [0, "starter"])
    ada.given(accrue("2", 6000), adjust("1", "partial_refund", -2000), adjust("1", "correction", 500))
    assert.deepStrictEqual([qualified(ada), tierOf(ada)], [600, "regular"])
    ada.given(adjust("1", "void", -16_500), adjust("2", "partial_refund", -2000))
    assert.deepStrictEqual([qualified(ada), tierOf(ada)], [400, "starter"])
    assert.deepStrictEqual(
      ada.state.units.map(({ lifetime }) => lifetime),
      [400]
    )
    assert.deepStrictEqual(plain(ada.replayed), plain(ada.state))
  })

  it("an order that came by a merge counts in the period of its accrual, too", () => {
    const newYear = Date.UTC(2027, 0, 1, 5)
    const ben = new Scenario(undefined, "ben", 2).given(accrue("b1", 20_000))
    const ada = new Scenario()
    ada.now = newYear
    ada.given(accrue("a1", 6000)).merge(ben)
    ada.given(adjust("b1", "void", -20_000))
    assert.strictEqual(Metrics.qualification(ada.state, ada.program, ada.now)?.present, 600)
    const late = new Scenario(undefined, "ben", 2)
    late.now = newYear
    late.given(accrue("b2", 3000))
    ada.merge(late)
    ada.given(adjust("b2", "partial_refund", -1000))
    assert.strictEqual(Metrics.qualification(ada.state, ada.program, ada.now)?.present, 800)
  })

  it("an order from before effective_from counts in no period, nor do its adjustments", () => {
    const later = Testing.programOf({
      ...demoFile,
      tier_policy: { ...demoFile.tier_policy, effective_from: "2026-08-01" }
    })
    const ada = new Scenario(later).given(accrue("1", 20_000))
    ada.wait(30 * day).given(accrue("2", 1000), adjust("1", "void", -20_000))
    assert.strictEqual(Metrics.qualification(ada.state, ada.program, ada.now)?.present, 100)
  })

  it("manual entries qualify where they say so; redemption, reversal and expiration never count", () => {
    const ada = new Scenario().given(manual(1600), manual(500, { qualifies: true }), reserve(1), capture(1), reverse(1))
    assert.deepStrictEqual(
      ada.state.units.map(({ lifetime, qualified }) => [lifetime, qualified]),
      [[2100, 500]]
    )
  })
})

describe("Idempotency: refusals come in their order", () => {
  const order = (more: object) => accrue("1", 1000, more)
  const broken = { lines: [] }
  const wrongMember = { member_id: "ben" }
  const table = [
    [
      "existence before status",
      () => new Scenario().given(status("suspended")),
      adjust("none", "void", 0),
      "not_found"
    ],
    [
      "status before the order's faults",
      () => new Scenario().given(status("suspended")),
      order(broken),
      "member_not_active"
    ],
    [
      "the order's faults before whose it is",
      () => new Scenario(),
      order({ ...broken, ...wrongMember }),
      "invalid_order"
    ],
    ["whose it is before its state", () => new Scenario(), order({ ...wrongMember, status: "open" }), "conflict"],
    ["reward before status", () => new Scenario().given(status("closed")), reserve(1, { reward: "none" }), "not_found"],
    [
      "window before balance",
      () => new Scenario().wait(60 * day),
      reserve(1, { reward: "summer-special" }),
      "reward_not_available"
    ],
    ["status before balance", () => new Scenario().given(status("suspended")), reserve(1), "member_not_active"],
    [
      "order of a hold before its state",
      () => new Scenario().given(manual(100), reserve(1)).wait(day),
      capture(1, "x"),
      "conflict"
    ]
  ] as const
  for (const [name, given, action, code] of table) {
    it(name, () => given().refuses(action, code))
  }

  it("the first result comes before the member's status", () => {
    const ada = new Scenario().given(manual(100), reserve(1), capture(1), status("suspended"))
    assert.strictEqual(ada.decide(capture(1))._tag, "DoneBefore")
    ada.refuses(manual(1), "member_not_active")
  })
})

describe("Members", () => {
  it("on a suspended member captures, reversals and refunds go on, and nothing else", () => {
    const ada = new Scenario().given(accrue("1", 3_000), issue("w"), reserve(1), reserve(2), status("suspended"))
    assert.deepStrictEqual(ada.posts(capture(1)), [["redemption", "points", -100]])
    assert.deepStrictEqual(ada.posts(reverse(1)), [["reversal", "points", 100]])
    ada.given(reverse(2))
    assert.deepStrictEqual(ada.balance(), [300, 0])
    assert.deepStrictEqual(ada.posts(adjust("1", "partial_refund", -1_000)), [["adjustment", "points", -100]])
    for (const refused of [accrue("2", 1_000), manual(1), manual(-1), reserve(3), issue("v"), cancel("w")])
      ada.refuses(refused, "member_not_active")
  })

  it("on a closed member refunds go on, and nothing else", () => {
    const ada = new Scenario().given(accrue("1", 3_000), reserve(1), reserve(2), capture(1), status("closed"))
    ada.refuses(reverse(1), "member_not_active")
    ada.refuses(capture(2), "member_not_active")
    assert.deepStrictEqual(ada.posts(adjust("1", "full_refund", -3_000)), [["adjustment", "points", -300]])
    assert.deepStrictEqual(ada.balance(), [-100, 0])
    ada.refuses({ type: "find_member" }, "member_not_active")
  })
})

describe("numbers and times that can be written", () => {
  const most = Number.MAX_SAFE_INTEGER

  it("no entry takes a balance out of the exact range: credits, captures, reversals; a debt fills no card", () => {
    const rich = new Scenario().having(most)
    rich.refuses(manual(1), "invalid_state")
    // The debit is refused that would make the capture of an open hold impossible.
    const poor = new Scenario().given(manual(100), reserve(1)).having(-most)
    poor.refuses(manual(-1, { classification: "correction" }), "invalid_state")
    assert.deepStrictEqual(poor.posts(capture(1)), [["redemption", "points", -100]])
    assert.deepStrictEqual(poor.balance(), [-most, 0])
    assert.deepStrictEqual(poor.posts(reverse(1)), [["reversal", "points", 100]])
    const owed = new Scenario(stamps)
      .given(manual(9, { unit: "stamps" }), manual(-9, { unit: "stamps" }))
      .having(-most, "stamps")
    assert.strictEqual(owed.given(manual(1, { unit: "stamps" })).state.cards, 0)
  })

  it("Orders: a single credit is at most 10,000,000,000, by whatever it comes", () => {
    const large = 10_000_000_000
    const ada = new Scenario()
    ada.refuses(manual(large + 1), "invalid_state")
    assert.deepStrictEqual(ada.posts(manual(large)), [["manual", "points", large]])
    ada.refuses(accrue("1", large + 1), "invalid_order")
    assert.deepStrictEqual(ada.posts(manual(-large)), [["manual", "points", -large]])
  })

  it("Orders: no correction makes an order larger than one may be, whatever its points come to", () => {
    const large = 10_000_000_000
    const ada = new Scenario().given(accrue("1", 5_000))
    ada.refuses(adjust("1", "correction", large - 4_999), "invalid_state")
    assert.deepStrictEqual(ada.posts(adjust("1", "correction", large - 5_000)), [["adjustment", "points", 999_999_500]])
    assert.deepStrictEqual(ada.posts(adjust("1", "full_refund", -large)), [["adjustment", "points", -1_000_000_000]])
  })

  it("a debit below zero takes at most as much as a single credit gives; what is there may be taken whole", () => {
    const large = 10_000_000_000
    const correction = { classification: "correction" } as const
    const ada = new Scenario()
    ada.refuses(manual(-large - 1, correction), "invalid_state")
    assert.deepStrictEqual(ada.posts(manual(-large, correction)), [["manual", "points", -large]])
    const rich = new Scenario().having(3 * large)
    rich.refuses(manual(-3 * large - 1, correction), "invalid_state")
    assert.deepStrictEqual(rich.posts(manual(-3 * large)), [["manual", "points", -3 * large]])
  })

  it("an instant past the year 9999 is its last millisecond: of points, holds and rewards of cards", () => {
    const last = Date.UTC(9999, 11, 31, 23, 59, 59, 999)
    const ada = new Scenario()
    ada.now = last - second
    const [entry] = entries(ada.when(accrue("1", 10_000)).events)
    assert.strictEqual(entry?.expires, last)
    ada.given(reserve(1))
    assert.strictEqual(ada.state.reservations[0]?.expires, last)
    const ben = new Scenario(stamps)
    ben.now = last - second
    ben.given(manual(10, { unit: "stamps" }))
    assert.strictEqual(ben.state.rewards[0]?.expires, last)
  })
})

describe("Enrolment and redemptions that come again", () => {
  it("an identity that has a member gets that member, and a repeated redemption its reservation as it stands", () => {
    const ada = new Scenario().given(manual(200), reserve(1))
    const found = () => {
      const { reply } = ada.when({ type: "find_reservation", reservation: "rsv-1" })
      return reply.type === "reservation" ? [reply.created, reply.reservation.status, reply.balances[0]?.[1]] : reply
    }
    assert.deepStrictEqual(found(), [false, "reserved", 200])
    ada.given(capture(1))
    assert.deepStrictEqual(found(), [false, "captured", 100])
    ada.given(reverse(1))
    assert.deepStrictEqual(found(), [false, "reversed", 200])
    ada.given(reserve(2)).wait(day)
    const { events, reply } = ada.when({ type: "find_reservation", reservation: "rsv-2" })
    assert.deepStrictEqual(
      events.map(({ type }) => type),
      ["hold_expired"]
    )
    assert.deepInclude(reply, { type: "reservation", created: false })
    if (reply.type === "reservation") assert.strictEqual(reply.reservation.status, "expired")
  })
})
