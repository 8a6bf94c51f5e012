/** Orders that add up and orders that do not (contract/orders.md *Orders that add up*). */
import { Effect } from "effect"
import type { Order } from "../../contract/protocol/Order.ts"
import { fromMillis, toMillis } from "../../contract/Values.ts"
import type { Case } from "../Case.ts"
import type { CaseError } from "../CheckOutcome.ts"
import * as Earned from "../Earned.ts"
import type { Probe } from "../Probe.ts"
import { codeOf, isSuccess, summary } from "../Probe.ts"
import { accrue, baseBps, dated, dayMs, earns, needs, tierOf } from "./Earning.ts"

/** Orders that do not add up, each made from an order that does. */
const wrongOrders = Effect.fnUntraced(function* (
  probe: Probe,
  valid: Order
): Effect.fn.Return<ReadonlyArray<readonly [what: string, order: Order]>, CaseError> {
  const money = (amount: number) => ({ amount, currency: probe.world.program.currency })
  const [line] = valid.lines
  if (line === undefined) return yield* Effect.die("the order has a line")
  const { totals } = valid
  const strange = probe.world.program.currency === "XTS" ? "XXX" : "XTS"
  return [
    ["a total that is not the sum", { ...valid, totals: { ...totals, total: money(totals.total.amount + 1) } }],
    ["a subtotal that is not quantity × unit price", { ...valid, lines: [{ ...line, quantity: 2 }] }],
    ["a line discount above the subtotal", { ...valid, lines: [{ ...line, discount: money(1_001) }] }],
    ["line taxes that are not the order's", { ...valid, lines: [{ ...line, tax: money(40) }] }],
    ["a negative tip", { ...valid, totals: { ...totals, tip: money(-1), total: money(totals.total.amount - 1) } }],
    ["two currencies", { ...valid, totals: { ...totals, tip: { amount: 0, currency: strange } } }],
    ["a parent line that does not exist", { ...valid, lines: [{ ...line, parent_line_id: "line-9" }] }],
    ["a negative tender", { ...valid, tenders: [{ tender_id: "t", type: "cash", amount: money(-1) }] }],
    [
      "an item with a negative price",
      yield* probe.order([{ subtotal: 1_000 }, { subtotal: -1, overrides: { kind: "item" } }])
    ],
    [
      "modifiers that lower a price below 0",
      yield* probe.order([
        { subtotal: 100 },
        { subtotal: 1_000 },
        { subtotal: -101, overrides: { kind: "modifier", parent_line_id: "line-1" } }
      ])
    ],
    [
      "parents in a circle",
      yield* probe.order([
        { subtotal: 500, overrides: { parent_line_id: "line-2" } },
        { subtotal: 500, overrides: { parent_line_id: "line-1" } }
      ])
    ],
    ["a total above 10,000,000,000", yield* probe.order([{ subtotal: 10_000_000_001 }])],
    ["an order from tomorrow", { ...valid, placed_at: fromMillis(toMillis(valid.placed_at) + dayMs) }],
    ["an order of 401 days ago", { ...valid, ...dated(toMillis(valid.placed_at) - 401 * dayMs) }],
    [
      "a business day long before",
      { ...valid, business_date: dated(toMillis(valid.placed_at) - 3 * dayMs).business_date }
    ],
    [
      "a business day that has not come",
      { ...valid, business_date: dated(toMillis(valid.placed_at) + 3 * dayMs).business_date }
    ]
  ]
})

export const cases: ReadonlyArray<Case> = [
  {
    id: "orders.add-up",
    level: "strict",
    rule: "contract/orders.md *Orders that add up*",
    title: "an order that does not add up is 422 invalid_order, with errors",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      const { member_id } = yield* probe.member()
      const valid = yield* probe.order([{ subtotal: 1_000, discount: 100, tax: 50 }])
      for (const [what, order] of yield* wrongOrders(probe, valid)) {
        const exchange = yield* probe.call("accrual.post", { member_id, order })
        const errors = (exchange.body as { readonly errors?: unknown } | undefined)?.errors
        const isRefused = exchange.status === 422 && codeOf(exchange) === "invalid_order" && Array.isArray(errors)
        probe.check(exchange, isRefused, `422 invalid_order with errors: ${what}`, summary(exchange))
      }
      const { order_id } = valid
      const fine = yield* probe.call("accrual.post", { member_id, order: { ...valid, order_id } })
      probe.check(fine, isSuccess(fine), "success for the order that adds up", summary(fine))
    })
  },
  {
    id: "orders.real",
    level: "strict",
    rule: "contract/orders.md *Orders that add up*, *Eligible spend*",
    title: "weighed goods, tax rounded on the order, modifiers that lower the price, change: such orders are taken",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      yield* earns(probe)
      const member = yield* probe.member()
      const { program } = probe.world
      const money = (amount: number) => ({ amount, currency: program.currency })
      const spend = Earned.exactSpend(program, baseBps(probe, yield* tierOf(probe, member)), probe.number(2, 20))
      const weighed = yield* probe.order([
        { subtotal: spend, overrides: { quantity: 0.35, unit_price: money(Math.round(spend / 0.35)) } }
      ])
      yield* accrue(probe, member, weighed)
      const taxed = yield* probe.order([{ subtotal: spend, tax: 7 }])
      const { totals } = taxed
      yield* accrue(probe, member, {
        ...taxed,
        totals: { ...totals, tax: money(8), total: money(totals.total.amount + 1) },
        tenders: [{ tender_id: "t", type: "cash", amount: money(totals.total.amount + 500) }]
      })
      const lower = { kind: "modifier", parent_line_id: "line-1" } as const
      yield* accrue(probe, member, yield* probe.order([{ subtotal: spend + 50 }, { subtotal: -50, overrides: lower }]))
      const excluded = { loyalty_eligible: false }
      const modified = yield* probe.order([
        { subtotal: 700, overrides: excluded },
        { subtotal: 50, overrides: lower },
        { subtotal: -20, overrides: lower },
        { subtotal: spend }
      ])
      yield* accrue(probe, member, modified)
    })
  },
  {
    id: "orders.member-and-currency",
    level: "strict",
    rule: "contract/orders.md *Orders that add up*",
    title: "an order of another member is 409 conflict, in another currency 409 currency_mismatch",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      const { member_id } = yield* probe.member()
      const other = yield* probe.member()
      const foreign = yield* probe.order([{ subtotal: 1_000 }], { member_id: other.member_id })
      probe.refused(yield* probe.call("accrual.post", { member_id, order: foreign }), 409, "conflict")
      const valid = yield* probe.order([{ subtotal: 1_000 }])
      const strange = probe.world.program.currency === "XTS" ? "XXX" : "XTS"
      const order: Order = JSON.parse(
        JSON.stringify(valid).replaceAll(`"currency":"${probe.world.program.currency}"`, `"currency":"${strange}"`)
      )
      probe.refused(yield* probe.call("accrual.post", { member_id, order }), 409, "currency_mismatch")
    })
  }
]
