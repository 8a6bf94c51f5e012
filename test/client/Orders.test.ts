/** Orders of the builder pass the contract's checks (contract/orders.md *Orders that add up*). */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { LineInput, OrderInput } from "lotbook/client"
import { buildOrder, OrderError } from "lotbook/client"
import { strictDecoder } from "../../src/contract/Decode.ts"
import { Order } from "../../src/contract/protocol/Order.ts"
import type { RewardEffect } from "../../src/contract/protocol/Program.ts"
import * as OrderRules from "../../src/program/Orders.ts"
import * as Random from "../model/Random.ts"

const decode = strictDecoder(Order)

const input: OrderInput = {
  order_id: "east-2026-07-14-0042",
  scope: { program_id: "demo-foodservice", brand_id: "corner-bowl", merchant_id: "m-1", location_id: "l-1" },
  channel: "counter",
  status: "paid",
  currency: "USD",
  zone: "America/New_York",
  placed_at: "2026-07-14T12:30:00",
  lines: [
    { product_id: "bowl-classic", unit_price: "11.00" },
    { product_id: "tea", unit_price: "4.00" }
  ]
}

/** The order, once the schema and the rules have taken it. */
const built = (change: Partial<OrderInput> = {}) => {
  const order = buildOrder({ ...input, ...change })
  const faults = OrderRules.faults(order, Date.parse(order.placed_at))
  assert.deepStrictEqual(faults, [], JSON.stringify(order))
  const decoded = decode(JSON.parse(JSON.stringify(order)))
  assert.isTrue(Result.isSuccess(decoded), JSON.stringify(decoded))
  return order
}

const linesOf = (change: Partial<OrderInput>) =>
  built(change).lines.map(({ discount, subtotal, tax }) => [subtotal.amount, discount.amount, tax.amount])

const usd = (amount: number) => ({ amount, currency: "USD" })

const off = (amount: number, line_id?: string): RewardEffect => ({
  type: "discount",
  target: line_id === undefined ? "order" : "line",
  amount: usd(amount),
  allocations: [{ amount: usd(amount), ...(line_id === undefined ? undefined : { line_id }) }]
})

const free = (product_ids: ReadonlyArray<string>, max_quantity: number, max_value: number): RewardEffect => ({
  type: "free_item",
  product_ids,
  max_quantity,
  max_value: usd(max_value)
})

const refusal = (change: Partial<OrderInput>): OrderError => {
  try {
    buildOrder({ ...input, ...change })
  } catch (error) {
    assert.instanceOf(error, OrderError)
    return error as OrderError
  }
  return assert.fail(`must refuse ${JSON.stringify(change)}`)
}

describe("buildOrder", () => {
  it("makes the whole order of the wire", () => {
    const order = built({
      lines: [
        {
          product_id: "bowl-classic",
          name: "Bowl",
          quantity: 2,
          unit_price: "11.00",
          tax: "1.76",
          category_ids: ["bowls"],
          modifiers: [{ product_id: "no-egg", unit_price: "-0.50", quantity: 2 }]
        },
        { product_id: "olives", quantity: "0.350", unit_price: 1999, tax: 0, loyalty_eligible: false }
      ],
      tip: "3.00",
      service_charge: 100,
      tenders: [{ type: "card", amount: "33.75" }],
      order_number: "42"
    })
    assert.deepStrictEqual(order.lines[1], {
      line_id: "1.1",
      kind: "modifier",
      product_id: "no-egg",
      quantity: 2,
      unit_price: usd(-50),
      subtotal: usd(-100),
      discount: usd(0),
      tax: usd(0),
      parent_line_id: "1"
    })
    assert.deepStrictEqual(order.lines[2]?.subtotal, usd(700))
    assert.deepStrictEqual(order.totals, {
      subtotal: usd(2800),
      discount: usd(0),
      tax: usd(176),
      tip: usd(300),
      service_charge: usd(100),
      total: usd(3376)
    })
    assert.deepStrictEqual(order.tenders, [{ tender_id: "1", type: "card", amount: usd(3375) }])
    assert.strictEqual(order.placed_at, "2026-07-14T16:30:00.000Z")
    assert.strictEqual(order.business_date, "2026-07-14")
  })

  it("spreads a discount by largest remainder, and tax follows", () => {
    const tax = (net: number) => Math.round(net * 0.08)
    const lines = input.lines.map((line) => ({ ...line, tax }))
    const expected = [
      [1100, 73, 82],
      [400, 27, 30]
    ]
    assert.deepStrictEqual(linesOf({ lines, discounts: [{ amount: "1.00" }] }), expected)
    assert.deepStrictEqual(linesOf({ lines, rewards: [off(100)] }), expected)
    assert.deepStrictEqual(linesOf({ discounts: [{ amount: 1, line_ids: ["2"] }], tax: "1.12" }), [
      [1100, 0, 82],
      [400, 1, 30]
    ])
  })

  it("gives equal remainders to the first lines", () => {
    const lines = ["a", "b", "c"].map((product_id) => ({ product_id, unit_price: "1.00" }))
    assert.deepStrictEqual(
      built({ lines, discounts: [{ amount: "0.50" }] }).lines.map(({ discount }) => discount.amount),
      [17, 17, 16]
    )
  })

  it("keeps a discount within what lowering modifiers leave", () => {
    const lines: ReadonlyArray<LineInput> = [
      { product_id: "bowl", unit_price: "10.00", modifiers: [{ product_id: "less", unit_price: "-8.00" }] },
      { product_id: "tea", unit_price: "2.00" }
    ]
    const discounts = (amount: string) => [{ amount }]
    assert.deepStrictEqual(linesOf({ lines, discounts: discounts("4.00") }), [
      [1000, 200, 0],
      [-800, 0, 0],
      [200, 200, 0]
    ])
    assert.include(refusal({ lines, discounts: discounts("4.01") }).message, "1 more than the lines have left")
  })

  it("takes modifiers of modifiers, and keeps a discount within what the lowering ones leave", () => {
    const cheese = [
      { product_id: "no-salt", unit_price: "-1.00", modifiers: [{ product_id: "pepper", unit_price: 1 }] }
    ]
    const lines: ReadonlyArray<LineInput> = [
      {
        product_id: "bowl",
        unit_price: "10.00",
        modifiers: [
          { product_id: "cheese", unit_price: "2.00", modifiers: cheese },
          { product_id: "less", unit_price: "-3.00" }
        ]
      }
    ]
    const order = built({ lines })
    assert.deepStrictEqual(
      order.lines.map(({ kind, line_id, parent_line_id }) => [line_id, kind, parent_line_id]),
      [
        ["1", "item", undefined],
        ["1.1", "modifier", "1"],
        ["1.1.1", "modifier", "1.1"],
        ["1.1.1.1", "modifier", "1.1.1"],
        ["1.2", "modifier", "1"]
      ]
    )
    assert.strictEqual(order.totals.total.amount, 801)
    assert.strictEqual(built({ lines, discounts: [{ amount: "8.01" }] }).totals.total.amount, 0)
    assert.include(refusal({ lines, discounts: [{ amount: "8.02" }] }).message, "1 more than the lines have left")
  })

  it("refuses modifiers of modifiers that lower a line below 0 together", () => {
    const less = (unit_price: string, modifiers: LineInput["modifiers"] = []) => [
      { product_id: "extra", unit_price: "1.00", modifiers },
      { product_id: "less", unit_price }
    ]
    const lines = [{ product_id: "bowl", unit_price: "3.00", modifiers: less("-4.00", less("-2.00")) }]
    const error = refusal({ lines })
    assert.strictEqual(error.path, "/lines/0/modifiers")
    assert.include(error.message, "to -100 minor units; they may lower it to 0 at most")
  })

  it("applies a reward to its line, and no more than is left", () => {
    assert.deepStrictEqual(linesOf({ rewards: [off(500, "2")] }), [
      [1100, 0, 0],
      [400, 400, 0]
    ])
    assert.strictEqual(built({ rewards: [off(9900)] }).totals.total.amount, 0)
  })

  it("makes the dearest matching items free, within quantity and value", () => {
    const lines = [
      { product_id: "tea", unit_price: "4.00", quantity: 3 },
      { product_id: "big-tea", unit_price: "5.00" }
    ]
    const discountsOf = (effect: RewardEffect) =>
      built({ lines, rewards: [effect] }).lines.map(({ discount }) => discount.amount)
    assert.deepStrictEqual(discountsOf(free(["tea", "big-tea"], 1, 1000)), [0, 500])
    assert.deepStrictEqual(discountsOf(free(["tea", "big-tea"], 2, 1000)), [400, 500])
    assert.deepStrictEqual(discountsOf(free(["tea"], 2, 700)), [700, 0])
    assert.include(refusal({ lines, rewards: [free(["cake"], 1, 100)] }).message, "add one")
  })

  it.each([
    ["summer", "America/New_York", "2026-07-14T12:30", "2026-07-14T16:30:00.000Z", "2026-07-14"],
    ["winter", "Europe/Berlin", "2026-01-14 12:30:15.5", "2026-01-14T11:30:15.500Z", "2026-01-14"],
    [
      "after midnight, before the day starts",
      "Europe/Berlin",
      "2026-07-15T03:59",
      "2026-07-15T01:59:00.000Z",
      "2026-07-14"
    ],
    ["when the day starts", "Europe/Berlin", "2026-07-15T04:00", "2026-07-15T02:00:00.000Z", "2026-07-15"],
    ["ahead of UTC's date", "Pacific/Auckland", "2026-07-15T08:00", "2026-07-14T20:00:00.000Z", "2026-07-15"],
    ["behind UTC's date", "Pacific/Honolulu", "2026-07-14T23:00", "2026-07-15T09:00:00.000Z", "2026-07-14"],
    ["the first of two", "Europe/Berlin", "2026-10-25T02:30", "2026-10-25T00:30:00.000Z", "2026-10-24"],
    ["with its offset", "Europe/Berlin", "2026-10-25T02:30+01:00", "2026-10-25T01:30:00.000Z", "2026-10-24"],
    ["in UTC", "Europe/Berlin", "2026-07-14T23:30:00Z", "2026-07-14T23:30:00.000Z", "2026-07-14"]
  ])("reads a local time: %s", (_, zone, placed_at, instant, date) => {
    const order = built({ zone, placed_at, business_day_starts: "04:00" })
    assert.deepStrictEqual([order.placed_at, order.business_date], [instant, date])
  })

  it.each<readonly [path: string, words: string, change: Partial<OrderInput>]>([
    ["/lines/0/unit_price", "decimals as text", { lines: [{ product_id: "a", unit_price: 12.5 }] }],
    ["/lines/0/unit_price", "USD has 2 decimals", { lines: [{ product_id: "a", unit_price: "1.005" }] }],
    ["/lines/0/unit_price", "JPY has 0 decimals", { currency: "JPY" }],
    ["/lines/0/unit_price", "without separators", { lines: [{ product_id: "a", unit_price: "1,250.00" }] }],
    ["/lines/0/unit_price", "give a discount instead", { lines: [{ product_id: "a", unit_price: "-1.00" }] }],
    ["/lines/0/unit_price", "largest amount", { lines: [{ product_id: "a", unit_price: "999999999999" }] }],
    ["/lines/0/quantity", "above 0", { lines: [{ product_id: "a", unit_price: 1, quantity: 0 }] }],
    ["/lines/0/quantity", "at most 6 decimals", { lines: [{ product_id: "a", unit_price: 1, quantity: 0.1 + 0.2 }] }],
    ["/lines/0/subtotal", "leave it out", { lines: [{ product_id: "a", unit_price: 100, subtotal: 102 }] }],
    ["/lines/0/discount", "at most", { lines: [{ product_id: "a", unit_price: 100, discount: 101 }] }],
    ["/lines/0/product_id", "not blank", { lines: [{ product_id: " ", unit_price: 1 }] }],
    ["/lines", "modifiers included", { lines: [] }],
    ["/lines", "above the most", { lines: [{ product_id: "a", unit_price: "99999999" }], tip: "99999999" }],
    [
      "/lines/1/line_id",
      "an id of its own",
      { lines: ["a", "b"].map((product_id) => ({ product_id, unit_price: 1, line_id: "x" })) }
    ],
    [
      "/lines/0/modifiers",
      "lower it to 0 at most",
      { lines: [{ product_id: "a", unit_price: 1, modifiers: [{ product_id: "b", unit_price: -2 }] }] }
    ],
    ["/lines/0/quantity", "at most 999999999", { lines: [{ product_id: "a", unit_price: 0, quantity: 1e9 }] }],
    ["/scope/location_id", "not blank", { scope: { ...input.scope, location_id: "" } }],
    ["/discounts/0/line_ids/0", "no such line", { discounts: [{ amount: 1, line_ids: ["9"] }] }],
    ["/rewards/0/allocations/0/line_id", "no such line", { rewards: [off(1, "9")] }],
    ["/rewards/0", "interprets", { rewards: [{ type: "custom", effect_type: "vip", payload: {} }] }],
    ["/tip", "negative", { tip: -1 }],
    ["/currency", "three capital letters", { currency: "usd" }],
    ["/zone", "time zone", { zone: "Nowhere/Here" }],
    ["/placed_at", "real time", { placed_at: "2026-02-30T12:00" }],
    ["/placed_at", "real time", { placed_at: "2026-07-14T24:00" }],
    ["/placed_at", "clocks skip", { placed_at: "2026-03-08T02:30" }],
    ["/business_day_starts", "00:00 to 12:00", { business_day_starts: "18:00" }]
  ])("refuses with %s and %s", (path, words, change) => {
    const error = refusal(change)
    assert.strictEqual(error.path, path)
    assert.include(error.message, words)
  })
})

const zones = ["America/New_York", "Pacific/Kiritimati", "Pacific/Honolulu", "Asia/Kolkata", "Australia/Lord_Howe"]

/** An amount of up to `most` minor units, as a number or as decimals. */
const amount = (random: Random.Random, most: number): string | number => {
  const minor = random.whole(0, most)
  return random.next() < 0.5 ? minor : `${Math.floor(minor / 100)}.${String(minor % 100).padStart(2, "0")}`
}

const maybe = <A extends object>(random: Random.Random, share: number, make: () => A): A | undefined =>
  random.next() < share ? make() : undefined

const randomLine = (random: Random.Random): LineInput => {
  const price = random.pick([1, 9, 99, 1999, 250_000])
  const unit_price = random.whole(0, price)
  const quantity = random.pick([1, 1, 2, 3, 12, "0.350", "1.999999", 0.000001, 7.25])
  const whole = Math.floor(unit_price * Number(quantity))
  return {
    product_id: random.pick(["bowl", "tea", "cake"]),
    unit_price,
    quantity,
    kind: random.pick(["item", "item", "fee"]),
    ...maybe(random, 0.3, () => ({ discount: random.whole(0, whole) })),
    ...maybe(random, 0.5, () => ({ tax: random.next() < 0.5 ? amount(random, 500) : (net: number) => net >> 4 })),
    ...maybe(random, 0.3, () => randomModifiers(random, unit_price, 0))
  }
}

/** Modifiers, of which some have modifiers. */
const randomModifiers = (random: Random.Random, price: number, depth: number): Pick<LineInput, "modifiers"> => ({
  modifiers: Array.from({ length: random.whole(1, 3) }, (_, index) => {
    const unit_price = random.next() < 0.5 ? random.whole(0, 300) : -random.whole(1, Math.max(1, price >> (2 + depth)))
    return {
      product_id: `extra-${index}`,
      unit_price,
      quantity: random.pick([1, 1, 2]),
      ...maybe(random, depth < 3 ? 0.2 : 0, () => randomModifiers(random, Math.abs(unit_price), depth + 1))
    }
  })
})

const randomInput = (random: Random.Random): OrderInput => {
  const lines = Array.from({ length: random.whole(1, 6) }, () => randomLine(random))
  const time = new Date(
    Date.UTC(2026, random.whole(0, 11), random.whole(1, 28), random.whole(0, 23), random.whole(0, 59))
  )
  return {
    ...input,
    lines,
    zone: random.pick(zones),
    placed_at: random.next() < 0.5 ? time : time.toISOString().slice(0, 19),
    business_day_starts: random.pick(["00:00", "04:00", "12:00"]),
    ...maybe(random, 0.4, () => ({ discounts: [{ amount: amount(random, 2_000) }] })),
    ...maybe(random, 0.4, () => ({
      rewards: [random.pick([off(100), off(random.whole(0, 9_999)), off(300, "1"), free(["bowl", "tea"], 2, 1_200)])]
    })),
    ...maybe(random, 0.4, () => ({ tip: amount(random, 900), service_charge: amount(random, 90) })),
    ...maybe(random, 0.4, () => ({
      tenders: [{ type: random.pick(["cash", "card"]), amount: amount(random, 9_999) }]
    })),
    ...(lines.some(({ tax }) => tax !== undefined) ? undefined : { tax: amount(random, 700) })
  }
}

/** Why a random basket has no order: each is of the basket itself. */
const expected = [
  /more than the lines have left; lower the discount$/,
  /they may lower it to 0 at most$/,
  /needs an item of its products or categories/,
  /which clocks skip in/,
  /^\/lines\/\d+\/discount is .* it may be at most/
]

it("100,000 random baskets become orders that the service takes", () => {
  const seed = Number(process.env["SEED"] ?? 20_261_127)
  const random = Random.make(seed, "baskets")
  const wanted = 100_000
  let orders = 0
  let refused = 0
  let discounted = 0
  while (orders < wanted) {
    const basket = randomInput(random)
    try {
      const order = buildOrder(basket)
      orders++
      if (order.totals.discount.amount > 0) discounted++
      const faults = OrderRules.faults(order, Date.parse(order.placed_at))
      if (faults.length > 0) assert.fail(`seed ${seed}: ${JSON.stringify({ faults, basket })}`)
      if (Result.isFailure(decode(order))) assert.fail(`seed ${seed}: ${JSON.stringify({ basket, order })}`)
    } catch (error) {
      if (!(error instanceof OrderError)) throw error
      refused++
      if (!expected.some((words) => words.test(error.message)))
        assert.fail(`seed ${seed}: ${error.message}: ${JSON.stringify(basket)}`)
    }
  }
  assert.isAbove(discounted, wanted / 4)
  assert.isBelow(refused, wanted / 2)
})
