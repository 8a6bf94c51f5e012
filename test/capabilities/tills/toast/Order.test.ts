/**
 * Checks become orders that hold (contract/orders.md *Orders that add up*) and have the check's own sums, to the minor
 * unit, whatever is on them.
 */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Dice from "../../../../src/capabilities/tills/toast/emulator/Dice.ts"
import { type Carried, orderOf } from "../../../../src/capabilities/tills/toast/Order.ts"
import type { Check } from "../../../../src/capabilities/tills/toast/Wire.ts"
import { strictDecoder } from "../../../../src/contract/Decode.ts"
import { Order, type OrderLine } from "../../../../src/contract/protocol/Order.ts"
import * as OrderChecks from "../../../../src/core/rules/OrderChecks.ts"
import { charge, check, discount, item, payment, text } from "./Checks.ts"
import * as Random from "./RandomChecks.ts"

const now = Date.parse("2026-07-14T18:00:00Z")
const restaurant = {
  location_id: "downtown",
  brand_id: "brand",
  merchant_id: "merchant",
  channel: "counter",
  time_zone: "America/New_York"
} as const
const facts = { order_id: "toast:c1", program_id: "p", currency: "USD", status: "paid", restaurant } as const
const decode = strictDecoder(Order)

/** The order of a check, which the service's own checks take. */
const carried = (check: Check, currency = "USD"): Carried & { readonly order: Order } => {
  const result = orderOf(check, { ...facts, currency })
  if (Result.isFailure(result)) throw new Error(result.failure)
  const { differs, order } = result.success
  if (order === undefined) throw new Error("nothing was left")
  const decoded = decode(order)
  assert.isTrue(Result.isSuccess(decoded), JSON.stringify(decoded))
  assert.deepStrictEqual(OrderChecks.faults(order, now), [], JSON.stringify(order))
  return { differs, order }
}

/** Lines as id, quantity, price of one, subtotal, discount; then parent and what does not earn. */
const linesOf = ({ lines }: Order) =>
  lines.map((line: OrderLine) =>
    [
      line.line_id,
      line.quantity,
      line.unit_price.amount,
      line.subtotal.amount,
      line.discount.amount,
      ...(line.parent_line_id === undefined ? [] : [`of ${line.parent_line_id}`]),
      ...(line.loyalty_eligible === false ? ["not eligible"] : [])
    ].join(" ")
  )

const totalsOf = ({ totals }: Order) =>
  Object.fromEntries(Object.entries(totals).map(([name, { amount }]) => [name, amount]))

const totals = { subtotal: 0, discount: 0, tax: 0, tip: 0, service_charge: 0, total: 0 }

describe("a check", () => {
  it("has the sums of decimals, not of binary numbers: 0.1 + 0.2 is 0.3", () => {
    const { differs, order } = carried(check([item("a", 10), item("b", 20)], { amount: 30 }))
    assert.deepStrictEqual(linesOf(order), ["a 1 10 10 0", "b 1 20 20 0"])
    assert.deepStrictEqual(totalsOf(order), { ...totals, subtotal: 30, total: 30 })
    assert.isFalse(differs)
    const binary = carried({ ...check([item("a", 10), item("b", 20)], { amount: 30 }), amount: "0.30000000000000004" })
    assert.deepStrictEqual([binary.order.totals.total.amount, binary.differs], [30, false])
  })

  it("of 3 × 2.99 has a discount of the check in its lines, whether prices have it in them or not", () => {
    const burger = item("a", 897, { quantity: "3" })
    const drink = item("b", 250)
    const off = { appliedDiscounts: [discount(115)] }
    const beside = carried(check([burger, drink], { amount: 1032 }, off))
    assert.deepStrictEqual(linesOf(beside.order), ["a 3 299 897 90", "b 1 250 250 25"])
    const within = carried(
      check(
        [
          { ...burger, price: text(807) },
          { ...drink, price: text(225) }
        ],
        { amount: 1032 },
        off
      )
    )
    assert.deepStrictEqual(linesOf(within.order), linesOf(beside.order))
    assert.deepStrictEqual([beside.differs, within.differs], [false, false])
  })

  it("whose prices contain the tax has it beside them", () => {
    const meal = item("a", 1070, { taxInclusion: "INCLUDED", tax: text(70) })
    const wine = item("b", 1190, { taxInclusion: "INCLUDED", tax: text(95), price: text(595) })
    const { differs, order } = carried({
      ...check([meal, wine], { amount: 1665 }),
      taxAmount: text(165),
      totalAmount: text(1665)
    })
    assert.deepStrictEqual(linesOf(order), ["a 1 1000 1000 0", "b 1 1000 1000 500"])
    assert.deepStrictEqual(totalsOf(order), { ...totals, subtotal: 2000, discount: 500, tax: 165, total: 1665 })
    assert.isFalse(differs)
  })

  it("keeps the decimals of weighed goods", () => {
    const { order } = carried(
      check([item("a", 350, { quantity: "0.350" }), item("b", 333, { quantity: "1.234567" })], { amount: 683 })
    )
    assert.deepStrictEqual(linesOf(order), ["a 0.35 1000 350 0", "b 1.234567 270 333 0"])
  })

  it("has modifiers as children, of which the voided one is gone, and the item keeps the rest of its price", () => {
    const burger = item("a", 1150, {
      modifiers: [
        item("cheese", 100),
        item("bacon", 200, { voided: true }),
        item("large", 100, { modifiers: [item("sauce", 50)] })
      ]
    })
    const { differs, order } = carried(check([burger], { amount: 1150 }))
    assert.deepStrictEqual(linesOf(order), [
      "a 1 950 950 0",
      "cheese 1 100 100 0 of a",
      "large 1 50 50 0 of a",
      "sauce 1 50 50 0 of a"
    ])
    assert.isFalse(differs)
    const beside = carried(
      check([item("a", 950, { modifiers: [item("cheese", 100), item("no-bun", -150)] })], { amount: 900 })
    )
    assert.deepStrictEqual(linesOf(beside.order), [
      "a 1 950 950 0",
      "cheese 1 100 100 0 of a",
      "no-bun 1 -150 -150 0 of a"
    ])
    assert.isFalse(beside.differs)
  })

  it("drops voided items, and is nothing where all are, or the check is", () => {
    const { order } = carried(check([item("a", 500), item("b", 700, { voided: true })], { amount: 500 }))
    assert.deepStrictEqual(linesOf(order), ["a 1 500 500 0"])
    const gone = { order: undefined, differs: false }
    for (const one of [
      check([item("b", 700, { voided: true })], { amount: 0 }),
      check([item("a", 500)], { amount: 500 }, { voided: true }),
      check([item("a", 500)], { amount: 500 }, { deleted: true }),
      check([], { amount: 0 })
    ])
      assert.deepStrictEqual(orderOf(one, facts), Result.succeed(gone))
  })

  it("has gift cards and paid house accounts as lines that earn nothing", () => {
    const { order } = carried(
      check(
        [
          item("a", 500),
          item("card", 5000, { deferred: true }),
          item("account", 900, { selectionType: "HOUSE_ACCOUNT_PAY_BALANCE" })
        ],
        { amount: 6400 }
      )
    )
    assert.deepStrictEqual(linesOf(order), [
      "a 1 500 500 0",
      "card 1 5000 5000 0 not eligible",
      "account 1 900 900 0 not eligible"
    ])
  })

  it("has gratuities and tips as tip, delivery and other charges as service charge, whether its amount has them or not", () => {
    const charges = {
      appliedServiceCharges: [charge(90, { gratuity: true }), charge(40, { delivery: true }), charge(5)]
    }
    const paid = {
      payments: [
        payment({ amount: text(700), tipAmount: text(100) }),
        payment({ guid: "p2", tipAmount: text(50), paymentStatus: "VOIDED" })
      ]
    }
    const wanted = { subtotal: 500, discount: 0, tax: 44, tip: 190, service_charge: 45, total: 779 }
    const beside = carried(
      check([item("a", 500, { tax: text(40) })], { amount: 500, tax: 44, charges: 135 }, { ...charges, ...paid })
    )
    const within = carried(
      check([item("a", 500, { tax: text(40) })], { amount: 635, tax: 44 }, { ...charges, ...paid })
    )
    for (const { differs, order } of [beside, within]) {
      assert.deepStrictEqual(totalsOf(order), wanted)
      assert.isFalse(differs)
      assert.deepStrictEqual(order.tenders, [
        { tender_id: "p1", type: "card", amount: { amount: 800, currency: "USD" } }
      ])
    }
  })

  it("has minor units of its currency: none of the yen, three of the dinar", () => {
    const yen = {
      ...check([item("a", 0, { price: "1200", preDiscountPrice: "1200" })], { amount: 0 }),
      amount: "1200",
      taxAmount: "120",
      totalAmount: "1320"
    }
    assert.deepStrictEqual(totalsOf(carried(yen, "JPY").order), { ...totals, subtotal: 1200, tax: 120, total: 1320 })
    const dinar = {
      ...check([item("a", 0, { price: "1.005", preDiscountPrice: "1.005" })], { amount: 0 }),
      amount: "1.005",
      taxAmount: "0",
      totalAmount: "1.005"
    }
    assert.deepStrictEqual(totalsOf(carried(dinar, "KWD").order), { ...totals, subtotal: 1005, total: 1005 })
  })

  it("that rounds otherwise than its lines is spread over them, one minor unit each, from the largest on", () => {
    const items = [item("a", 333), item("b", 999), item("c", 500)]
    const up = carried(check(items, { amount: 1834 }))
    assert.deepStrictEqual(linesOf(up.order), ["a 1 333 333 0", "b 1 999 1000 0", "c 1 500 501 0"])
    const down = carried(check(items, { amount: 1830 }))
    assert.deepStrictEqual(linesOf(down.order), ["a 1 333 333 0", "b 1 999 999 1", "c 1 500 500 1"])
    assert.deepStrictEqual([up.differs, down.differs], [false, false])
  })

  it("that differs by more earns by its own sum, and is marked", () => {
    const items = [item("a", 300), item("b", 700), item("card", 2000, { deferred: true })]
    const low = carried(check(items, { amount: 2500 }))
    assert.deepStrictEqual(linesOf(low.order), [
      "a 1 300 300 150",
      "b 1 700 700 350",
      "card 1 2000 2000 0 not eligible"
    ])
    const lower = carried(check(items, { amount: 1500 }))
    assert.deepStrictEqual(linesOf(lower.order), [
      "a 1 300 300 300",
      "b 1 700 700 700",
      "card 1 2000 2000 500 not eligible"
    ])
    const high = carried(check(items, { amount: 3400 }))
    assert.deepStrictEqual(linesOf(high.order), [
      ...linesOf(carried(check(items, { amount: 3000 })).order),
      "rest 1 400 400 0 not eligible"
    ])
    assert.deepStrictEqual([low.differs, lower.differs, high.differs], [true, true, true])
    assert.isTrue(carried({ ...check(items, { amount: 3000 }), totalAmount: text(3100) }).differs)
  })

  it("has an item below 0 as a discount", () => {
    const { differs, order } = carried(check([item("a", 900), item("back", -200)], { amount: 700 }))
    assert.deepStrictEqual(linesOf(order), ["a 1 900 900 200"])
    assert.isFalse(differs)
  })

  it("without totals is the sum of its lines, with discounts that are not taken back", () => {
    const { guid, openedDate } = check([], { amount: 0 })
    const { price: _, ...coffee } = item("a", 450, {
      appliedDiscounts: [discount(50), { ...discount(100), processingState: "VOID" }]
    })
    const { order } = carried({ guid, openedDate: openedDate!, selections: [coffee] })
    assert.deepStrictEqual(linesOf(order), ["a 1 450 450 50"])
  })

  it("has the till's times, and names of the menu", () => {
    const coffee = item("a", 450, {
      displayName: "Coffee\u0000",
      salesCategory: { guid: "drinks" },
      itemGroup: { guid: "x", multiLocationId: "hot" },
      plu: "4711"
    })
    const { order } = carried(
      check(
        [coffee],
        { amount: 450 },
        {
          displayNumber: "12",
          closedDate: "2026-07-14T13:40:00.000-0400",
          payments: [payment({ paidBusinessDate: "20260713" })]
        }
      )
    )
    const { lines, ...rest } = order
    assert.deepStrictEqual(
      [rest.placed_at, rest.closed_at, rest.business_date, rest.order_number],
      ["2026-07-14T16:30:00.000Z", "2026-07-14T17:40:00.000Z", "2026-07-13", "12"]
    )
    assert.deepStrictEqual(
      [lines[0]!.product_id, lines[0]!.name, lines[0]!.category_ids, lines[0]!.sku],
      ["a-product", "Coffee", ["drinks", "hot"], "4711"]
    )
    const far = carried(
      check([coffee], { amount: 450 }, { openedDate: "2026-07-12T01:00:00.000+0000", payments: [payment()] })
    )
    assert.strictEqual(far.order.business_date, "2026-07-11")
  })

  it("with more lines than an order may have goes without those of its modifiers", () => {
    const items = Array.from({ length: 600 }, (_, place) =>
      item(`i${place}`, 300, { modifiers: [item(`m${place}`, 100)] })
    )
    const { order } = carried(check(items, { amount: 180_000 }))
    assert.deepStrictEqual([order.lines.length, order.totals.total.amount], [600, 180_000])
  })

  it("with an amount beyond those of an order, or without a date, says so", () => {
    const fault = (check: Check) => {
      const result = orderOf(check, facts)
      return Result.isFailure(result) ? result.failure : undefined
    }
    assert.strictEqual(
      fault({
        ...check([item("a", 1)], { amount: 1 }),
        amount: "12345678901234567890",
        taxAmount: "0",
        totalAmount: "12345678901234567890"
      }),
      "The check has an amount that is beyond those of an order."
    )
    const { openedDate: _, modifiedDate: __, ...undated } = check([item("a", 1)], { amount: 1 })
    assert.strictEqual(fault(undated), "The check has no date.")
  })
})

it("ten thousand random checks are carried exactly, and the service takes each", () => {
  const random = Dice.from(1)
  let modifiers = 0
  for (let run = 0; run < 10_000; run++) {
    const { check, currency, eligible, total } = Random.check(random)
    const { differs, order } = carried(check, currency)
    const note = `${run} ${JSON.stringify(check)}`
    modifiers += order.lines.filter(({ kind }) => kind === "modifier").length
    const earning = order.lines.filter(({ loyalty_eligible }) => loyalty_eligible !== false)
    const spend = earning.reduce((sum, line) => sum + line.subtotal.amount - line.discount.amount, 0)
    assert.deepStrictEqual([order.totals.total.amount, differs, spend], [total, false, eligible], note)
  }
  assert.isAbove(modifiers, 1_000)
}, 120_000)

it("two thousand random checks whose totals are wrong are carried with the check's sum, and the service takes each", () => {
  const random = Dice.from(2)
  let marked = 0
  for (let run = 0; run < 2_000; run++) {
    const { amount, check, currency, places } = Random.check(random)
    const wrong = Math.max(0, amount + random.between(-2_000, 2_000))
    const tax = Math.round(Number(check.taxAmount) * 10 ** places)
    const lied = {
      ...check,
      amount: text(wrong, places),
      totalAmount: text(wrong + tax, places),
      appliedServiceCharges: []
    }
    const { differs, order } = carried(lied, currency)
    if (differs) marked++
    const { discount, subtotal } = totalsOf(order)
    assert.strictEqual(subtotal! - discount!, wrong, `${run} ${JSON.stringify(lied)}`)
  }
  assert.isAbove(marked, 1_000)
}, 120_000)
