import { describe, expect, it } from "@effect/vitest"
import type { Order, OrderLine } from "../../src/contract/protocol/Order.ts"
import { currencyOf, eligible, faults } from "../../src/program/Orders.ts"
import { line, order, program, usd } from "./Builders.ts"

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
    "no negative amount: unit price",
    order([line("a", 0, { unit_price: usd(-1), subtotal: usd(-1) }), line("b", 1)]),
    ["/order/lines/0/discount/amount", "/order/lines/0/subtotal/amount", "/order/lines/0/unit_price/amount"]
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
    "a paid order's tenders add up",
    { ...simple, tenders: [{ tender_id: "t", type: "cash", amount: usd(1199) }] },
    ["/order/tenders"]
  ],
  [
    "sums past the safe integers are no match: lines",
    totals(order([line("a", Number.MAX_SAFE_INTEGER), line("b", Number.MAX_SAFE_INTEGER)]), {
      subtotal: usd(Number.MAX_SAFE_INTEGER),
      total: usd(Number.MAX_SAFE_INTEGER)
    }),
    ["/order/totals/subtotal/amount"]
  ],
  [
    "products past the safe integers are no match",
    order([
      line("a", Number.MAX_SAFE_INTEGER, { quantity: 3, unit_price: usd(3_002_399_751_580_331) }),
      line("b", 0, { quantity: Number.MAX_SAFE_INTEGER, unit_price: usd(Number.MAX_SAFE_INTEGER) })
    ]),
    ["/order/lines/0/subtotal/amount", "/order/lines/1/subtotal/amount"]
  ]
]

describe("§4 Orders", () => {
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

  it("tenders of an order not yet paid need not add up", () => {
    expect(faults({ ...simple, status: "open", tenders: [] })).toEqual([])
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

describe("§4 Earning: eligible spend", () => {
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
