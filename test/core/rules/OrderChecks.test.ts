import { describe, expect, it } from "@effect/vitest"
import type { Order, OrderLine } from "../../../src/contract/protocol/Order.ts"
import { currencyOf, eligible, faults as faultsAt } from "../../../src/core/rules/OrderChecks.ts"
import * as Model from "../../model/Orders.ts"
import * as Random from "../../model/Random.ts"
import { line, order, program, usd } from "./Builders.ts"

const now = Date.parse("2026-07-14T10:00:00Z")
const faults = (given: Order) => faultsAt(given, now)
const paths = (given: Order): ReadonlyArray<string> => faults(given).map(({ path }) => path)

const eur = (amount: number) => ({ amount, currency: "EUR" })

const totals = (given: Order, more: Partial<Order["totals"]>): Order => ({
  ...given,
  totals: { ...given.totals, ...more }
})

const simple = order([line("a", 1000), line("b", 200)])

const broken: ReadonlyArray<readonly [rule: string, given: Order, paths: ReadonlyArray<string>]> = [
  ["one currency: in a line", order([line("a", 100, { tax: eur(0) })]), ["/order/lines/0/tax/currency"]],
  ["one currency: in the totals", totals(simple, { tip: eur(0) }), ["/order/totals/tip/currency"]],
  [
    "one currency: in a tender",
    order([line("a", 100)], { tenders: [{ tender_id: "t", type: "cash", amount: eur(100) }] }),
    ["/order/tenders/0/amount/currency"]
  ],
  [
    "subtotal − discount + tax + tip + service_charge = total",
    totals(simple, { total: usd(1199) }),
    ["/order/totals/total/amount"]
  ],
  ["a tip belongs to the total", totals(simple, { tip: usd(1) }), ["/order/totals/total/amount"]],
  [
    "a line's subtotal = unit_price × quantity",
    order([line("a", 100, { quantity: 2 })]),
    ["/order/lines/0/subtotal/amount"]
  ],
  [
    "no negative amount: unit price of an item",
    order([line("a", 0, { unit_price: usd(-1), subtotal: usd(-1) }), line("b", 1)]),
    ["/order/lines/0/discount/amount", "/order/lines/0/subtotal/amount", "/order/lines/0/unit_price/amount"]
  ],
  [
    "a negative unit price on a modifier needs a parent",
    order([line("a", 100), line("m", -10, { kind: "modifier" })]),
    ["/order/lines/1/parent_line_id"]
  ],
  [
    "a negative unit price has no discount",
    order([line("a", 100), line("m", -10, { kind: "modifier", parent_line_id: "a", discount: usd(1) })]),
    ["/order/lines/1/discount/amount"]
  ],
  [
    "a negative modifier has no negative tax",
    order([line("a", 100, { tax: usd(8) }), line("m", -10, { kind: "modifier", parent_line_id: "a", tax: usd(-1) })]),
    ["/order/lines/1/tax/amount"]
  ],
  [
    "a parent and its modifiers together, less discounts, are not negative",
    order([
      line("a", 100, { discount: usd(50) }),
      line("m", -60, { kind: "modifier", parent_line_id: "a" }),
      line("n", 9, { kind: "modifier", parent_line_id: "a" }),
      line("b", 100)
    ]),
    ["/order/lines/1/unit_price/amount"]
  ],
  [
    "weighed goods: one more minor unit than (quantity + 1) ÷ 2",
    // 0.35 × 1999 = 699.65, so at least 698.975 and at most 700.325.
    order([line("a", 698, { quantity: 0.35, unit_price: usd(1999) })]),
    ["/order/lines/0/subtotal/amount"]
  ],
  [
    "tax is further off than a minor unit a line",
    totals(order([line("a", 100, { tax: usd(7) }), line("b", 100, { tax: usd(7) })]), {
      tax: usd(17),
      total: usd(217)
    }),
    ["/order/totals/tax/amount"]
  ],
  [
    "parents form no circle",
    order([
      line("a", 1, { parent_line_id: "b" }),
      line("b", 1, { parent_line_id: "c" }),
      line("c", 1, { parent_line_id: "b" })
    ]),
    ["/order/lines/1/parent_line_id"]
  ],
  ["a total above 10,000,000,000", order([line("a", 10_000_000_001)]), ["/order/totals/total/amount"]],
  [
    "placed more than 5 minutes ahead",
    order([line("a", 1)], { placed_at: "2026-07-14T12:05:00.001+02:00" }),
    ["/order/placed_at"]
  ],
  [
    "placed more than 400 days ago",
    order([line("a", 1)], { placed_at: "2025-06-09T09:59:59.999Z", business_date: "2025-06-09" }),
    ["/order/placed_at"]
  ],
  [
    "business_date more than a day before placed_at",
    order([line("a", 1)], { business_date: "2026-07-12" }),
    ["/order/business_date"]
  ],
  [
    "business_date more than a day after placed_at",
    order([line("a", 1)], { business_date: "2026-07-16" }),
    ["/order/business_date"]
  ],
  ["no negative amount: tip", totals(simple, { tip: usd(-200), total: usd(1000) }), ["/order/totals/tip/amount"]],
  [
    "no negative amount: total",
    totals(order([line("a", 100)]), { tip: usd(-200), total: usd(-100) }),
    ["/order/totals/tip/amount", "/order/totals/total/amount"]
  ],
  [
    "a line's discount is at most its subtotal",
    order([line("a", 100, { discount: usd(101) }), line("b", 10)]),
    ["/order/lines/0/discount/amount"]
  ],
  [
    "line sums equal totals: subtotal",
    totals(simple, { subtotal: usd(1300), total: usd(1300) }),
    ["/order/totals/subtotal/amount"]
  ],
  [
    "line sums equal totals: discount",
    totals(simple, { discount: usd(5), total: usd(1195) }),
    ["/order/totals/discount/amount"]
  ],
  ["line sums equal totals: tax", totals(simple, { tax: usd(5), total: usd(1205) }), ["/order/totals/tax/amount"]],
  ["line_id is unique", order([line("a", 1), line("b", 1), line("a", 1)]), ["/order/lines/2/line_id"]],
  ["parent_line_id names a line", order([line("a", 1, { parent_line_id: "x" })]), ["/order/lines/0/parent_line_id"]],
  [
    "parent_line_id names another line",
    order([line("a", 1, { parent_line_id: "a" })]),
    ["/order/lines/0/parent_line_id"]
  ],
  [
    "sums past the safe integers are no match: lines",
    totals(order([line("a", Number.MAX_SAFE_INTEGER), line("b", Number.MAX_SAFE_INTEGER)]), {
      subtotal: usd(Number.MAX_SAFE_INTEGER),
      total: usd(Number.MAX_SAFE_INTEGER)
    }),
    ["/order/totals/subtotal/amount", "/order/totals/total/amount"]
  ],
  [
    "products past the safe integers are no match",
    order([
      line("a", Number.MAX_SAFE_INTEGER, { quantity: 3, unit_price: usd(3_002_399_751_580_333) }),
      line("b", 0, { quantity: Number.MAX_SAFE_INTEGER, unit_price: usd(Number.MAX_SAFE_INTEGER) })
    ]),
    ["/order/lines/0/subtotal/amount", "/order/lines/1/subtotal/amount", "/order/totals/total/amount"]
  ]
]

describe("Orders", () => {
  it.each(broken)("%s", (_, given, expected) => {
    expect([...paths(given)].sort()).toEqual([...expected].sort())
  })

  it("a good order has no faults, whatever its parts", () => {
    const lines = [
      line("a", 600, { quantity: 3, unit_price: usd(200), discount: usd(600), tax: usd(7) }),
      line("m", 50, { kind: "modifier", parent_line_id: "b" }),
      line("b", 1)
    ]
    const given = totals(order(lines), { tip: usd(10), service_charge: usd(20), total: usd(651 - 600 + 7 + 10 + 20) })
    expect(faults(given)).toEqual([])
    expect(
      faults({
        ...given,
        tenders: [
          { tender_id: "t", type: "cash", amount: usd(80) },
          { tender_id: "u", type: "card", amount: usd(8) }
        ]
      })
    ).toEqual([])
  })

  it.each<readonly [what: string, given: Order]>([
    ["weighed goods", order([line("a", 700, { quantity: 0.35, unit_price: usd(1999) })])],
    ["a quantity of six decimals", order([line("a", 1, { quantity: 0.000_001, unit_price: usd(1_000_000) })])],
    ["net prices of gross ones", order([line("a", 2521, { quantity: 3, unit_price: usd(840) })])],
    ["tax rounded on the order", totals(order([line("a", 100, { tax: usd(7) })]), { tax: usd(8), total: usd(108) })],
    [
      "a modifier that lowers the price",
      order([line("a", 900, { tax: usd(60) }), line("m", -150, { kind: "modifier", parent_line_id: "a" })])
    ],
    ["cash rounding and change", { ...simple, tenders: [{ tender_id: "t", type: "cash", amount: usd(1205) }] }],
    ["an order not yet paid", { ...simple, status: "open", tenders: [] }],
    ["a total of 10,000,000,000", order([line("a", 10_000_000_000)])],
    ["a till's clock that is 5 minutes ahead", order([line("a", 1)], { placed_at: "2026-07-14T10:05:00Z" })],
    ["an offline till", order([line("a", 1)], { placed_at: "2025-06-09T10:00:00Z", business_date: "2025-06-08" })],
    ["a business date of tomorrow: UTC, of a till east of it", order([line("a", 1)], { business_date: "2026-07-15" })]
  ])("%s: no faults", (_, given) => {
    expect(faults(given)).toEqual([])
  })

  it("names the numbers, in the currency's decimals", () => {
    const messages = (given: Order) => faults(given).map(({ message }) => message)
    expect(messages(totals(order([line("a", 1240)]), { subtotal: usd(1290), total: usd(1290) }))).toEqual([
      "lines add up to 12.40, totals.subtotal is 12.90"
    ])
    expect(messages(totals(simple, { total: usd(5) }))).toEqual([
      "subtotal − discount + tax + tip + service_charge is 12.00, totals.total is 0.05"
    ])
    const yen = JSON.parse(
      JSON.stringify(totals(order([line("a", 1240)]), { subtotal: usd(1290), total: usd(1290) })).replaceAll(
        "USD",
        "JPY"
      )
    )
    expect(messages(yen)).toEqual(["lines add up to 1240, totals.subtotal is 1290"])
  })

  it("random orders are valid exactly where the model says so, and have its eligible spend", () => {
    const rules = program((json) => {
      json["earning"].exclusions = {
        product_ids: ["gift-card-25"],
        category_ids: ["alcohol"],
        tags: [],
        line_kinds: ["fee"],
        tender_types: ["cash"]
      }
      json["earning"].minimum_eligible_spend.amount = 0
    })
    const asModel = {
      ...Model.demoRules,
      products: ["gift-card-25"],
      categories: ["alcohol"],
      tags: [],
      tenders: ["cash"]
    }
    const random = Random.make(7, "orders")
    let valid = 0
    for (let n = 0; n < 4_000; n++) {
      const given = Model.draw(random, order([line("a", 1)]))
      const found = faults(given)
      expect([Model.isValid(given, now), given, found]).toEqual([found.length === 0, given, found])
      if (found.length > 0) continue
      valid++
      expect([eligible(rules, given).spend, given]).toEqual([Model.spendOf(given, asModel), given])
    }
    expect(valid).toBeGreaterThan(1_000)
  })

  it("a parent may come after its modifier", () => {
    expect(faults(order([line("m", 1, { parent_line_id: "a" }), line("a", 1)]))).toEqual([])
  })

  it("all faults at once", () => {
    const given = totals(order([line("a", 100, { quantity: 2 }), line("a", 1, { parent_line_id: "z" })]), {
      tip: usd(-1)
    })
    expect(paths(given)).toEqual([
      "/order/lines/1/line_id",
      "/order/lines/0/subtotal/amount",
      "/order/lines/1/parent_line_id",
      "/order/totals/tip/amount",
      "/order/totals/total/amount"
    ])
  })

  it("the order's currency is its total's", () => {
    expect(currencyOf(simple)).toBe("USD")
  })
})

describe("Earning: eligible spend", () => {
  const rules = program()
  const spendOf = (...lines: ReadonlyArray<OrderLine>) => eligible(rules, order(lines)).spend

  it("is subtotal − discount over the eligible lines, without tax", () => {
    expect(spendOf(line("a", 1000, { discount: usd(300), tax: usd(80) }), line("b", 50))).toBe(750)
  })

  it.each([
    ["loyalty_eligible: false", { loyalty_eligible: false }],
    ["an excluded product", { product_id: "gift-card" }],
    ["an excluded category among others", { category_ids: ["bowls", "alcohol"] }],
    ["an excluded tag among others", { tags: ["new", "donation"] }],
    ["an excluded kind", { kind: "fee" }]
  ] as const)("leaves out %s", (_, more) => {
    expect(spendOf(line("a", 1000), line("b", 500, more))).toBe(1000)
  })

  it("keeps lines of other products, categories and tags, and those that say they are eligible", () => {
    const more = { loyalty_eligible: true, category_ids: ["bowls"], tags: ["new"], kind: "modifier" } as const
    expect(spendOf(line("a", 1000, more))).toBe(1000)
  })

  it.each([
    [
      "a modifier of an excluded line",
      [line("a", 500, { kind: "fee" }), line("m", 50, { kind: "modifier", parent_line_id: "a" })],
      1000
    ],
    [
      "a modifier of an excluded line's modifier, before both",
      [
        line("n", 5, { kind: "modifier", parent_line_id: "m" }),
        line("m", 50, { kind: "modifier", parent_line_id: "a" }),
        line("a", 500, { loyalty_eligible: false })
      ],
      1000
    ],
    [
      "a modifier that lowers an excluded line",
      [line("a", 500, { kind: "fee" }), line("m", -50, { kind: "modifier", parent_line_id: "a" })],
      1000
    ],
    [
      "an excluded modifier that lowers an eligible line, which counts as its parent does",
      [line("a", 500), line("m", -50, { kind: "modifier", parent_line_id: "a", loyalty_eligible: false })],
      1450
    ],
    [
      "no item that belongs to an excluded one",
      [line("a", 500, { kind: "fee" }), line("b", 50, { parent_line_id: "a" })],
      1050
    ]
  ] as const)("leaves out %s", (_, lines, expected) => {
    expect(spendOf(line("z", 1000), ...lines)).toBe(expected)
  })

  it("is at most the total less what excluded tenders paid", () => {
    const loyal = program((json) => {
      json["earning"].exclusions.tender_types = ["loyalty"]
    })
    const paid = (amount: number) =>
      order([line("a", 1000, { tax: usd(80) })], {
        tenders: [{ tender_id: "t", type: "loyalty", amount: usd(amount) }]
      })
    expect(eligible(loyal, paid(0)).spend).toBe(1000)
    expect(eligible(loyal, paid(80)).spend).toBe(1000)
    expect(eligible(loyal, paid(580)).spend).toBe(500)
    expect(eligible(loyal, paid(2000))).toMatchObject({ spend: 0, reasons: ["below_minimum_spend"] })
    expect(eligible(rules, paid(580)).spend).toBe(1000)
    expect(loyal.definition.earning.exclusions).not.toHaveProperty("tender_types")
    expect(loyal.file.earning.exclusions.tender_types).toEqual(["loyalty"])
  })

  it("an ineligible channel earns nothing", () => {
    expect(eligible(rules, order([line("a", 1000)], { channel: "web" }))).toMatchObject({
      spend: 1000,
      isElsewhere: true,
      isKeptOut: true
    })
  })

  it("spend below the minimum earns nothing, at the minimum it earns", () => {
    const fee = line("b", 500, { kind: "fee" })
    const isKeptOut = (...lines: ReadonlyArray<OrderLine>) => eligible(rules, order(lines)).isKeptOut
    expect([isKeptOut(line("a", 99)), isKeptOut(line("a", 100)), isKeptOut(line("a", 99), fee)]).toEqual([
      true,
      false,
      true
    ])
    expect(eligible(rules, order([line("a", 99), fee])).lineSpends).toEqual([99, 0])
  })
})
