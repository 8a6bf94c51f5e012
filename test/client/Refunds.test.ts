/** Refunds of the builder take back what the lines gave, and no more (contract/orders.md *Adjusting an order*). */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { OrderInput, Wire } from "lotbook/client"
import { buildOrder, buildRefund, buildTip, OrderError } from "lotbook/client"
import { strictDecoder } from "../../src/contract/Decode.ts"
import { OrderAdjustment } from "../../src/contract/protocol/Order.ts"
import { programId, startedAt, TillService } from "./TillService.ts"

const service = new TillService()
let program: Pick<Wire.Program, "earning">
beforeAll(async () => {
  await service.start()
  const { demoProgram } = await import("../../src/app/testing/TestPrograms.ts")
  program = demoProgram.definition as never
})
afterAll(() => service.close())

const occurred_at = new Date(startedAt)
const decode = strictDecoder(OrderAdjustment)

const basket = {
  scope: { program_id: programId, brand_id: "b", merchant_id: "m", location_id: "l" },
  channel: "counter",
  status: "paid",
  currency: "USD",
  zone: "America/New_York",
  placed_at: occurred_at
} as const

const order = (order_id: string, change: Partial<OrderInput> = {}) =>
  buildOrder({
    ...basket,
    order_id,
    lines: [
      {
        product_id: "bowl",
        quantity: 3,
        unit_price: "10.00",
        tax: "2.00",
        modifiers: [
          { product_id: "egg", unit_price: "1.00", per_item: true },
          { product_id: "no-rice", unit_price: "-0.50" }
        ]
      },
      { product_id: "beer", unit_price: "6.00", category_ids: program.earning.exclusions.category_ids.slice(0, 1) }
    ],
    discounts: [{ amount: "1.00" }],
    ...change
  })

/** Posts an order and refunds; the points after each. */
const played = async (paid: Wire.Order, refunds: ReadonlyArray<Wire.OrderAdjustment>) => {
  const { member } = await service.enroll(paid.order_id)
  const { member_id } = member
  const points: Array<number> = []
  const look = async () => points.push((await service.points(member_id)).amount)
  await service.read("accrual.post", { member_id, order: paid })
  await look()
  for (const adjustment of refunds) {
    assert.isTrue(Result.isSuccess(decode(JSON.parse(JSON.stringify(adjustment)))), JSON.stringify(adjustment))
    await service.read("order.adjust", { member_id, program_id: programId, adjustment })
    await look()
  }
  return points
}

const refund = (paid: Wire.Order, id: string, lines?: Parameters<typeof buildRefund>[0]["lines"]) =>
  buildRefund({
    order: paid,
    program,
    adjustment_id: `${paid.order_id}-${id}`,
    occurred_at,
    reason: "cold",
    ...(lines && { lines })
  })

describe("buildRefund", () => {
  it("of an excluded line takes no points", async () => {
    assert.isNotEmpty(program.earning.exclusions.category_ids, "the demo programme excludes a category")
    const paid = order("beer")
    const only = refund(paid, "1", [{ line_id: "2" }])
    assert.strictEqual(only.eligible_spend_delta.amount, 0)
    assert.isBelow(only.order_total_delta.amount, 0)
    const [before, after] = await played(paid, [only])
    assert.strictEqual(after, before)
    assert.isAbove(before!, 0)
  })

  it("of a line in parts takes its modifiers along, adds up to the line, and leaves nothing", async () => {
    const paid = order("parts")
    const first = refund(paid, "1", [{ line_id: "1", quantity: 1 }])
    const rest = refund(paid, "2", [{ line_id: "1", quantity: 2, refunded: 1 }, { line_id: "2" }])
    assert.deepStrictEqual(
      first.lines?.map(({ line_id, quantity_delta }) => [line_id, quantity_delta]),
      [
        ["1", -1],
        ["1.1", -1],
        ["1.2", -1]
      ]
    )
    const total = first.order_total_delta.amount + rest.order_total_delta.amount
    assert.strictEqual(total, -paid.totals.total.amount)
    const points = await played(paid, [first, rest])
    assert.isTrue(points[0]! > points[1]! && points[1]! > 0, String(points))
    assert.strictEqual(points[2], 0)
  })

  it("of a dish takes what is left of modifiers that came back before it", async () => {
    for (const [name, quantity] of [
      ["egg", 1],
      ["eggs", 3]
    ] as const) {
      const paid = order(name)
      const eggs = refund(paid, "1", [{ line_id: "1.1", quantity }])
      const dish = refund(paid, "2", [{ line_id: "1" }, { line_id: "1.1", refunded: quantity }, { line_id: "2" }])
      assert.strictEqual(eggs.order_total_delta.amount + dish.order_total_delta.amount, -paid.totals.total.amount)
      assert.strictEqual((await played(paid, [eggs, dish])).at(-1), 0)
    }
  })

  it("of everything takes all that is left", async () => {
    const paid = order("whole", { tip: "3.00" })
    const whole = refund(paid, "1")
    assert.strictEqual(whole.type, "full_refund")
    assert.strictEqual(whole.order_total_delta.amount, -paid.totals.total.amount)
    assert.deepStrictEqual((await played(paid, [whole])).at(-1), 0)
  })

  it("counts weighed goods rounded up", () => {
    const paid = order("weighed", { lines: [{ product_id: "olives", quantity: "0.350", unit_price: "19.99" }] })
    assert.deepStrictEqual(refund(paid, "1", [{ line_id: "1" }]).lines, [
      { line_id: "1", quantity_delta: -1, subtotal_delta: { amount: -700, currency: "USD" } }
    ])
  })

  it.each([
    ["/lines/0/line_id", [{ line_id: "9" }]],
    ["/lines/1/line_id", [{ line_id: "1" }, { line_id: "1" }]],
    ["/lines/0/quantity", [{ line_id: "1", quantity: 4 }]],
    ["/lines/0/quantity", [{ line_id: "1", quantity: 2, refunded: 2 }]],
    ["/lines/0/quantity", [{ line_id: "1", refunded: 4 }]],
    ["/lines", [{ line_id: "1", refunded: 3 }]],
    // It lowers the price: the guest would have to pay.
    ["/lines", [{ line_id: "1.2" }]],
    ["/lines", []]
  ])("refuses with %s", (path, lines) => {
    try {
      refund(order("wrong"), "1", lines)
      assert.fail("must refuse it")
    } catch (error) {
      assert.instanceOf(error, OrderError)
      assert.strictEqual((error as OrderError).path, path)
    }
  })
})

describe("a tip that comes later", () => {
  it("changes no points", async () => {
    const paid = order("tipped")
    const later = buildTip({ order: paid, adjustment_id: "tip-1", occurred_at, tip: "5.00" })
    assert.strictEqual(later.order_total_delta.amount, 500)
    const [before, after] = await played(paid, [later])
    assert.strictEqual(after, before)
  })
})

describe("what the service would refuse is refused by name", () => {
  const paid = buildOrder({ ...basket, order_id: "named", lines: [{ product_id: "bowl", unit_price: "10.00" }] })
  const facts = { order: paid, adjustment_id: "a-1", occurred_at, reason: "cold" }
  const shared: ReadonlyArray<readonly [path: string, words: string, change: object | null]> = [
    ["", "must be an object, and is null", null],
    ["/adjustment_id", "1 to 128 characters", { adjustment_id: "" }],
    ["/adjustment_id", "is missing", { adjustment_id: undefined }],
    ["/reason", "1 to 255 characters, and has 0", { reason: "" }],
    ["/reason", "1 to 255 characters", { reason: "r".repeat(256) }],
    ["/occurred_at", "with its offset", { occurred_at: null }],
    ["/occurred_at", "with its offset", { occurred_at: "2026-07-14T10:00:00" }],
    ["/occurred_at", "real time", { occurred_at: "2026-02-30T10:00:00Z" }],
    ["/order", "is missing", { order: undefined }],
    ["/order/lines", "1 to 1000 items", { order: { ...paid, lines: [] } }],
    ["/order/status", "which is paid", { order: { ...paid, status: "authorized" } }],
    ["/order/table", "is unknown", { order: { ...paid, table: 4 } }],
    ["/metadata", "is unknown", { metadata: {} }]
  ]
  const check = (build: () => unknown, path: string, words: string) => {
    try {
      build()
      assert.fail("must refuse it")
    } catch (error) {
      assert.instanceOf(error, OrderError)
      assert.strictEqual((error as OrderError).path, path)
      assert.include((error as OrderError).message, words)
    }
  }

  it.each(shared)("of both: %s, %s", (path, words, change) => {
    const given = <A extends object>(more: A) => (change === null ? null : { ...facts, ...more, ...change }) as never
    check(() => buildRefund(given({ program })), path, words)
    check(() => buildTip(given({ tip: "1.00" })), path, words)
  })

  it.each([
    ["/tip", "above 0", { tip: 0 }],
    ["/tip", "above 0", { tip: "-1.00" }],
    ["/tip", "must be text of a decimal number", { tip: undefined }]
  ])("of a tip: %s, %s", (path, words, change) => check(() => buildTip({ ...facts, ...change } as never), path, words))

  it.each([
    ["/program", "as program.get answers it", { program: { program } }],
    ["/program", "as program.get answers it", { program: { earning: { exclusions: {} } } }],
    ["/lines", "must be an array", { lines: "1" }],
    ["/lines/0", "must be an object", { lines: ["1"] }],
    ["/lines/0/amount", "is unknown", { lines: [{ line_id: "1", amount: 100 }] }]
  ])("of a refund: %s, %s", (path, words, change) =>
    check(() => buildRefund({ ...facts, program, ...change } as never), path, words)
  )
})
