/**
 * Random histories of orders with promotions and their adjustments against an independent model
 * (contract/programmes.md *Promotions*).
 */
import { assert, describe, it } from "@effect/vitest"
import type { OrderAdjustment } from "../../../../src/contract/protocol/Order.ts"
import { fromMillis } from "../../../../src/contract/Values.ts"
import type { Action } from "../../../../src/core/account/domain/Action.ts"
import type { Program } from "../../../../src/core/rules/Program.ts"
import * as Model from "../../../model/Promotions.ts"
import type { Random } from "../../../model/Random.ts"
import * as Randomness from "../../../model/Random.ts"
import { line, order, program, usd } from "../../rules/Builders.ts"
import { Scenario } from "./Scenario.ts"

/** 200,000 were run without a difference. */
const histories = 400
const minimum = 100
const hour = 3_600_000

const drawRule = (random: Random, index: number): Model.Rule => {
  const kind = random.pick(["multiply_bps", "add", "add_per_item"] as const)
  const on = kind === "add_per_item" || random.next() < 0.5 ? random.pick(["coffee", "food"]) : undefined
  const every = random.pick(["day", "week", "month", "promotion"] as const)
  return {
    id: `p${index}`,
    kind,
    unit: kind === "multiply_bps" ? "points" : random.pick(["points", "stamps"]),
    amount: kind === "multiply_bps" ? random.whole(10_001, 40_000) : random.whole(1, 60),
    isMultiplied: kind !== "multiply_bps" && random.next() < 0.3,
    minimum: random.pick([0, 0, random.whole(100, 3_000)]),
    first: random.next() < 0.15,
    ...(on === undefined ? undefined : { on }),
    ...(random.next() < 0.3
      ? { hours: [random.whole(1, 11), random.pick([random.whole(12, 23), 0])] as const }
      : undefined),
    ...(random.next() < 0.4 ? { limit: { count: random.whole(1, 2), every } } : undefined)
  }
}

const time = (at: number): string => `${String(at).padStart(2, "0")}:00`
const allDays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

const programOf = (rules: ReadonlyArray<Model.Rule>, stacking: "best" | "all"): Program =>
  program((json) => {
    json["stacking"] = stacking
    json["time_zone"] = "UTC"
    json["account_earning"] = [
      {
        unit: "points",
        mode: "spend",
        ...{ amount: Model.rate.amount, spend: usd(Model.rate.spend) },
        multiplier_eligible: true
      }
    ]
    delete json["stamp_card"]
    json["promotions"] = rules.map(
      ({ amount, first, hours, id, isMultiplied, kind, limit, minimum: least, on, unit }) => ({
        promotion_id: id,
        name: id,
        effect: { [kind]: amount, unit, ...(kind === "multiply_bps" ? {} : { multiplier_eligible: isMultiplied }) },
        ...(on === undefined ? {} : { on: { product_ids: [on] } }),
        ...(least === 0 ? {} : { minimum_spend: usd(least) }),
        ...(first ? { who: { first_order: true } } : {}),
        ...(hours === undefined
          ? {}
          : { when: { weekly: [{ days: allDays, from: time(hours[0]), until: time(hours[1]) }] } }),
        ...(limit === undefined ? {} : { limits: { per_member: limit } })
      })
    )
  })

const drawLines = (random: Random): ReadonlyArray<Model.Line> =>
  Array.from({ length: random.whole(1, 3) }, () => {
    const quantity = random.whole(1, 3)
    const subtotal = quantity * random.whole(0, 700)
    return {
      product: random.pick(["coffee", "food"]),
      quantity,
      subtotal,
      spend: subtotal - random.pick([0, 0, random.whole(0, subtotal)])
    }
  })

/** A guest and the model's orders of the same guest. */
class History {
  readonly orders: Array<Model.Order> = []
  private adjustments = 0
  private qualified = 0
  readonly guest: Scenario

  private readonly random: Random
  private readonly rules: ReadonlyArray<Model.Rule>
  private readonly stacking: "best" | "all"

  constructor(random: Random, rules: ReadonlyArray<Model.Rule>, stacking: "best" | "all") {
    this.random = random
    this.rules = rules
    this.stacking = stacking
    this.guest = new Scenario(programOf(rules, stacking)).wait(1)
  }

  accrue(): void {
    const { guest, random } = this
    const late = random.pick([0, 0, random.whole(0, 100)]) * hour
    const placed = guest.now - late
    const lines = drawLines(random)
    const bare = {
      id: `o${this.orders.length}`,
      own: late > 72 * hour ? guest.now : placed,
      isTooLate: late > 72 * hour,
      lines,
      tierBps: this.qualified >= 700 ? 15_000 : 10_000,
      spendDelta: 0,
      deltas: lines.map(() => [0, 0] as const),
      closed: false
    }
    const given = Model.choose(this.rules, this.stacking, minimum, bare, this.orders)
    const posted = order(
      lines.map(({ product, quantity, spend, subtotal }, place) =>
        line(`l${place}`, subtotal, {
          product_id: product,
          quantity,
          unit_price: usd(subtotal / quantity),
          discount: usd(subtotal - spend)
        })
      ),
      { order_id: bare.id, placed_at: fromMillis(placed), business_date: fromMillis(placed).slice(0, 10) }
    )
    this.post({ type: "accrue", order: posted }, { ...bare, given })
  }

  adjust(): void {
    const { random } = this
    const [picked] = this.orders.length === 0 ? [] : [random.pick(this.orders)]
    if (picked === undefined) return
    const after: Model.Order = { ...picked, deltas: [...picked.deltas] }
    const left = picked.lines.reduce((all, { spend }) => all + spend, picked.spendDelta)
    const closes = random.next() < 0.2
    const lines: Array<NonNullable<OrderAdjustment["lines"]>[number]> = []
    let delta = -left
    if (closes) after.closed = true
    else if (picked.closed) return
    else if (random.next() < 0.5) {
      delta = -random.whole(0, left)
      after.spendDelta += delta
    } else {
      const place = random.whole(0, picked.lines.length - 1)
      const [wasLine, [quantity, subtotal]] = [picked.lines[place]!, picked.deltas[place]!]
      const units = random.whole(0, wasLine.quantity + quantity)
      const money = random.whole(0, wasLine.subtotal + subtotal)
      // At most what the line earned by, and what is left of the order.
      delta = -random.whole(0, Math.min(left, wasLine.spend))
      lines.push({ line_id: `l${place}`, quantity_delta: -units, subtotal_delta: usd(-money) })
      after.deltas[place] = [quantity - units, subtotal - money]
      after.spendDelta += delta
    }
    this.post(
      {
        type: "adjust_order",
        adjustment: {
          adjustment_id: `a${++this.adjustments}`,
          original_order_id: picked.id,
          type: closes ? random.pick(["full_refund", "void"] as const) : "partial_refund",
          reason: "test",
          occurred_at: fromMillis(this.guest.now),
          order_total_delta: usd(delta === 0 ? 0 : delta),
          eligible_spend_delta: usd(delta === 0 ? 0 : delta),
          ...(lines.length === 0 ? undefined : { lines })
        }
      },
      after
    )
  }

  /** Both do it, and must have the same points. */
  private post(action: Action, after: Model.Order): void {
    this.guest.when(action)
    const place = this.orders.findIndex(({ id }) => id === after.id)
    if (place < 0) this.orders.push(after)
    else this.orders[place] = after
    for (const unit of ["points", "stamps"] as const) {
      const expected = this.orders.reduce((all, one) => all + Model.kept(one, unit, minimum), 0)
      const found = this.guest.balance(unit)[0]
      if (found !== expected)
        assert.fail(`${unit}: ${found}, not ${expected}, after ${JSON.stringify([action, this.rules, this.orders])}`)
      if (unit === "points") this.qualified = expected
    }
  }
}

describe("promotions against the model", () => {
  it(`${histories} random histories leave what the model leaves, and their records the same state`, () => {
    let promoted = 0
    for (let seed = 1; seed <= histories; seed++) {
      const random = Randomness.make(seed, "promotions")
      const rules = Array.from({ length: random.whole(1, 4) }, (_, index) => drawRule(random, index))
      const history = new History(random, rules, random.pick(["best", "all"]))
      for (let step = 0; step < 12; step++) {
        if (random.next() < 0.4) history.guest.wait(random.whole(0, 60) * hour)
        if (random.next() < 0.5) history.accrue()
        else history.adjust()
      }
      assert.deepStrictEqual(history.guest.replayed, history.guest.state, `seed ${seed}`)
      promoted += history.orders.filter(({ given }) => given.length > 0).length
    }
    assert.isAbove(promoted, histories)
  })
})
