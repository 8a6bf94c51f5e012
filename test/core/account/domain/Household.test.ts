/**
 * Random histories of two guests of one programme against an independent model: refunds after points expired, refunds to
 * nothing in parts, corrections that bring back, moves and moves back, holds past the end of their points, by date and by
 * inactivity, rewards taken for points and cancelled, what a guest brings from another provider and its corrections; metrics
 * of both periods, tier, orders, wallet and limits after each step.
 *
 * `HISTORIES=200000 npx vitest run --testTimeout 0 test/core/account/domain/Household.test.ts` plays more of them, `FIRST=100001`
 * later ones.
 */
import { assert, describe, it } from "@effect/vitest"
import type { OrderAdjustment } from "../../../../src/contract/protocol/Order.ts"
import { fromMillis } from "../../../../src/contract/Values.ts"
import type { Action } from "../../../../src/core/account/domain/Action.ts"
import * as Lots from "../../../../src/core/account/domain/Lots.ts"
import * as Metrics from "../../../../src/core/account/domain/Metrics.ts"
import { fitting } from "../../../../src/core/account/domain/MoveIn.ts"
import { plain, qualifiedIn, unitOf } from "../../../../src/core/account/domain/State.ts"
import * as Periods from "../../../../src/core/rules/Periods.ts"
import type { Program } from "../../../../src/core/rules/Program.ts"
import * as Model from "../../../model/Household.ts"
import type { Line, Rule } from "../../../model/Promotions.ts"
import { rate } from "../../../model/Promotions.ts"
import type { Random } from "../../../model/Random.ts"
import * as Randomness from "../../../model/Random.ts"
import { line, order, program, usd } from "../../rules/Builders.ts"
import {
  cancel,
  capture,
  day,
  entries,
  expire,
  issue,
  manual,
  moveOrder,
  reverse,
  Scenario,
  second
} from "./Scenario.ts"

const histories = Number(process.env["HISTORIES"] ?? 600)
const first = Number(process.env["FIRST"] ?? 1)
const steps = 24

const drawRule = (random: Random, index: number): Rule => {
  const kind = random.pick(["multiply_bps", "add", "add", "add_per_item"] as const)
  const every = random.pick(["day", "week", "promotion"] as const)
  return {
    id: `p${index}`,
    kind,
    unit: kind === "multiply_bps" ? "points" : random.pick(["points", "stamps"]),
    amount: kind === "multiply_bps" ? random.whole(10_001, 40_000) : random.whole(1, 60),
    isMultiplied: kind !== "multiply_bps" && random.next() < 0.3,
    minimum: random.pick([0, 0, random.whole(100, 3_000)]),
    first: random.next() < 0.3,
    ...(kind === "add_per_item" || random.next() < 0.4 ? { on: random.pick(["coffee", "food"]) } : undefined),
    ...(random.next() < 0.5 ? { limit: { count: random.whole(1, 2), every } } : undefined)
  }
}

const programOf = ({ isRetained, isUndated, rules, stacking }: Model.Terms): Program =>
  program((json) => {
    json["stacking"] = stacking
    json["time_zone"] = "UTC"
    json["accounts"] = json["accounts"].slice(0, 2)
    json["account_earning"] = [
      { unit: "stamps", mode: "per_order", amount: Model.stampsPerOrder, multiplier_eligible: false },
      { unit: "points", mode: "spend", amount: rate.amount, spend: usd(rate.spend), multiplier_eligible: true }
    ]
    json["tiers"][0]["minimum"] = Model.gold.minimum
    json["tier_policy"]["period"]["time_zone"] = "UTC"
    delete json["tier_policy"]["effective_from"]
    if (isRetained) json["tier_policy"]["retention"] = "following_period"
    const type = isUndated ? "after_inactivity" : "after_earned"
    json["point_expiration"] = { type, days: Model.lifeMs / day, warning_days: [] }
    json["limits"] = { reservation_ttl_seconds: Model.holdMs / second }
    delete json["stamp_card"]
    const [off] = json["rewards"]
    delete off["available_from"]
    delete off["available_until"]
    json["rewards"] = [off]
    json["promotions"] = rules.map(({ amount, first: isFirst, id, isMultiplied, kind, limit, minimum, on, unit }) => ({
      promotion_id: id,
      name: id,
      effect: { [kind]: amount, unit, ...(kind === "multiply_bps" ? {} : { multiplier_eligible: isMultiplied }) },
      ...(on === undefined ? {} : { on: { product_ids: [on] } }),
      ...(minimum === 0 ? {} : { minimum_spend: usd(minimum) }),
      ...(isFirst ? { who: { first_order: true } } : {}),
      ...(limit === undefined ? {} : { limits: { per_member: limit } })
    }))
  })

const codesOf = (codes: Iterable<string>): string => [...codes].toSorted().join(" ")

interface Side {
  readonly real: Scenario
  readonly model: Model.Guest
}

class History {
  readonly sides: ReadonlyArray<Side>
  private readonly random: Random
  private readonly moves = new Map<string, number>()
  /** Entries of points that were brought. */
  private readonly moved: Array<{ readonly side: Side; readonly n: number; readonly adjustment: string }> = []
  private ids = 0

  constructor(random: Random, terms: Model.Terms) {
    this.random = random
    const rules = programOf(terms)
    // The usual time of an order is not the clock's.
    this.sides = [1, 2].map((n) => ({
      real: new Scenario(rules, `guest-${n}`, n).wait(1),
      model: new Model.Guest(terms)
    }))
  }

  private get now(): number {
    return this.sides[0]!.real.now
  }

  step(): void {
    const { random } = this
    if (random.next() < 0.4) this.wait()
    const side = random.pick(this.sides)
    const chance = random.next()
    if (chance < 0.25) this.accrue(side)
    else if (chance < 0.52) this.adjust(side)
    else if (chance < 0.62) this.move()
    else if (chance < 0.69) this.credit(side)
    else if (chance < 0.78) this.hold(side)
    else if (chance < 0.87) this.endHold(side)
    else if (chance < 0.93) this.reward(side)
    else if (chance < 0.97) this.bring(side)
    else if (chance < 0.98) this.correct(side)
    else this.posts(side, expire)
    for (const one of this.sides) this.check(one)
  }

  /** Often to just before or after points end. */
  private wait(): void {
    const ends = this.sides.flatMap(({ model }) => [
      model.book.date,
      ...model.book.lots.map(({ expires = 0 }) => expires)
    ])
    const ahead = ends.filter((end) => end > this.now && end < this.now + 1_000 * day)
    const until = ahead.length > 0 && this.random.next() < 0.5 ? Math.min(...ahead) - this.now : undefined
    const ms =
      until === undefined
        ? this.random.pick([second, day, day, 10 * day, 31 * day, 200 * day])
        : Math.max(1, until + this.random.pick([-second, 0, second]))
    for (const { real } of this.sides) real.wait(ms)
  }

  /** Carries an action out; the entry of points that it posted. What was due is settled first, in both. */
  private posts({ model, real }: Side, action: Action) {
    model.settle(this.now)
    const posted = entries(real.when(action).events).filter(({ op, unit }) => op !== "expiration" && unit === "points")
    return posted[0]
  }

  private lines(): ReadonlyArray<Line> {
    const { random } = this
    return Array.from({ length: random.whole(1, 3) }, () => {
      const quantity = random.whole(1, 3)
      const subtotal = quantity * random.pick([random.whole(0, 700), random.whole(0, 2_500)])
      const spend = subtotal - random.pick([0, 0, random.whole(0, subtotal)])
      return { product: random.pick(["coffee", "food"]), quantity, subtotal, spend }
    })
  }

  private accrue(side: Side): void {
    const lines = this.lines()
    const isElsewhere = this.random.next() < 0.06
    side.model.settle(this.now)
    const id = `o${++this.ids}`
    const estimated = side.model.estimate({
      id,
      own: this.now,
      isTooLate: false,
      lines,
      spendDelta: 0,
      deltas: lines.map(() => [0, 0] as const),
      closed: false,
      isElsewhere,
      accruedAt: this.now
    })
    const posted = order(
      lines.map(({ product, quantity, spend, subtotal }, place) =>
        line(`l${place}`, subtotal, {
          product_id: product,
          quantity,
          unit_price: usd(subtotal / quantity),
          discount: usd(subtotal - spend)
        })
      ),
      {
        order_id: id,
        placed_at: fromMillis(this.now),
        business_date: fromMillis(this.now).slice(0, 10),
        channel: isElsewhere ? "kiosk" : "counter"
      }
    )
    side.model.accrue(estimated, this.posts(side, { type: "accrue", order: posted })!.n)
  }

  private adjust(side: Side): void {
    const { random } = this
    if (side.model.orders.length === 0) return
    const picked = random.next() < 0.5 ? side.model.orders.at(-1)! : random.pick(side.model.orders)
    const left = Model.spendLeft(picked)
    const lines: Array<NonNullable<OrderAdjustment["lines"]>[number]> = []
    const deltas = [...picked.deltas]
    const chance = random.next()
    let type: OrderAdjustment["type"] = "partial_refund"
    let delta = 0 - random.pick([left, random.whole(0, left)])
    if (chance < 0.15) {
      type = random.pick(["full_refund", "void"] as const)
      delta = 0 - left
    } else if (chance < 0.45) {
      type = "correction"
      delta = random.whole(-left, 3_000)
    } else if (chance < 0.75) {
      const place = random.whole(0, picked.lines.length - 1)
      const [was, [quantity, subtotal]] = [picked.lines[place]!, deltas[place]!]
      const units = random.whole(0, was.quantity + quantity)
      const money = random.whole(0, was.subtotal + subtotal)
      delta = 0 - random.whole(0, Math.min(left, was.spend))
      lines.push({ line_id: `l${place}`, quantity_delta: 0 - units, subtotal_delta: usd(0 - money) })
      deltas[place] = [quantity - units, subtotal - money]
    }
    const isClosing = type === "full_refund" || type === "void"
    const adjustment = {
      adjustment_id: `a${++this.ids}`,
      original_order_id: picked.id,
      type,
      reason: "test",
      occurred_at: fromMillis(this.now),
      order_total_delta: usd(delta === 0 ? 0 : delta),
      eligible_spend_delta: usd(delta === 0 ? 0 : delta),
      ...(lines.length === 0 ? undefined : { lines })
    }
    const action: Action = { type: "adjust_order", adjustment }
    if (picked.closed && type === "correction") return side.real.refuses(action, "invalid_state")
    const entry = this.posts(side, action)!
    const amount = side.model.adjust(picked, entry.n, this.now, (one) => {
      if (one.closed) return
      one.closed = isClosing
      one.spendDelta += delta
      for (const [place, changed] of deltas.entries()) one.deltas[place] = changed
    })
    assert.strictEqual(entry.amount, amount, `${type} of ${picked.id}`)
  }

  private move(): void {
    const [from, into] = this.random.next() < 0.5 ? this.sides : this.sides.toReversed()
    if (from === undefined || into === undefined) return
    const open = from.model.orders.filter(({ closed }) => !closed)
    if (open.length === 0) return
    const picked = this.random.pick(open)
    for (const { model } of this.sides) model.settle(this.now)
    const n = (this.moves.get(picked.id) ?? 0) + 1
    this.moves.set(picked.id, n)
    const decided = moveOrder(from.real, into.real, picked.id, n)
    const entryOf = (events: Parameters<typeof entries>[0]) =>
      entries(events).find((one) => "order" in one && one.order === picked.id && one.unit === "points")!.n
    const numbers = { from: entryOf(decided.from.events), into: entryOf(decided.into.events) }
    into.model.take(picked, from.model, numbers, this.now)
  }

  private credit(side: Side): void {
    const { random } = this
    side.model.settle(this.now)
    const isDebit = random.next() < 0.5
    const classification = isDebit && random.next() < 0.3 ? "correction" : "gift"
    const most = classification === "correction" ? 200 : Math.min(200, side.model.book.available)
    if (isDebit && most < 1) return
    const amount = isDebit ? -random.whole(1, most) : random.whole(1, 200)
    const expires = !isDebit && random.next() < 0.3 ? this.now + random.whole(1, 60) * day : undefined
    const qualifies = random.next() < 0.4
    const more = { adjustment: `m${++this.ids}`, classification, qualifies } as const
    const entry = this.posts(side, manual(amount, { ...more, ...(expires === undefined ? undefined : { expires }) }))!
    side.model.credit(entry.n, amount, expires, qualifies, this.now)
  }

  /** Points that were earned before, a promised tier, a reward and counts, all in one record. */
  private bring(side: Side): void {
    const { now, random } = this
    side.model.settle(now)
    // By inactivity, points of one who has not earned for so long would have ended.
    const earned = () => now - random.whole(0, Model.lifeMs - day)
    const lots = Array.from({ length: random.whole(0, 3) }, () => {
      const chance = random.next()
      const expires = chance < 0.5 ? undefined : chance < 0.7 ? null : now + random.whole(1, 60) * day
      return {
        amount: random.whole(1, 200),
        earned: earned(),
        adjustment: `b${++this.ids}`,
        ...(expires === undefined ? {} : { expires })
      }
    })
    const standing: Model.Standing = {
      ...{
        lifetime: random.whole(0, 900),
        qualified: random.pick([0, random.whole(1, 900)]),
        orders: random.whole(0, 2)
      },
      ...(random.next() < 0.3 ? { lastEarned: earned() } : undefined),
      ...(random.next() < 0.4 ? { goldUntil: now + random.whole(1, 400) * day } : undefined)
    }
    const code = `code-${++this.ids}`
    const rewardEnds = random.next() < 0.5 ? now + random.whole(1, 60) * day : undefined
    const { goldUntil, lastEarned, lifetime, orders, qualified } = standing
    const { events } = side.real.when({
      ...{ type: "move_in", identities: [], orders, changesProfile: false, lastEarned },
      points: lots.map((lot) => ({ ...lot, unit: "points" })),
      counters: [["points", lifetime, qualified]],
      tier: goldUntil === undefined ? undefined : { id: "gold", until: goldUntil },
      rewards: [
        { issued: code, reward: "off", code, ...(rewardEnds === undefined ? undefined : { expires: rewardEnds }) }
      ]
    })
    const posted = entries(events).filter(({ op }) => op === "manual")
    side.model.bring(
      lots.map((lot, place) => ({ ...lot, entry: posted[place]!.n })),
      standing,
      now
    )
    side.model.wallet.set(code, rewardEnds ?? Infinity)
    this.moved.push(...posted.map(({ n }, place) => ({ side, n, adjustment: lots[place]!.adjustment })))
  }

  /** A mended file has fewer points of a lot. */
  private correct(side: Side): void {
    const own = this.moved.filter((one) => one.side === side)
    if (own.length === 0) return
    side.real.given(expire)
    side.model.settle(this.now)
    const { adjustment, n } = this.random.pick(own)
    const wanted = this.random.whole(1, 200)
    const asked = {
      adjustment,
      unit: "points",
      amount: -wanted,
      lots: [{ account: this.sides.indexOf(side) + 1, n }]
    } as const
    const [fitted] = fitting(side.real.state, [asked], this.now)
    const taken = side.model.book.correct(n, wanted, this.now)
    assert.strictEqual(fitted?.amount, 0 - taken, `a correction of ${wanted} of entry ${n}`)
    if (taken === 0) return
    side.real.given({
      ...{ type: "move_in", identities: [], orders: 0, changesProfile: false, counters: [], rewards: [] },
      points: [{ ...asked, amount: 0 - taken }]
    })
  }

  private hold(side: Side): void {
    side.model.settle(this.now)
    if (side.model.book.available < Model.holdCost) return
    const n = ++this.ids
    const date = { placed_at: fromMillis(this.now), business_date: fromMillis(this.now).slice(0, 10) }
    const held = order([line("l0", 1_000)], { order_id: `hold-${n}`, status: "open", ...date })
    this.posts(side, { type: "reserve", redemption: `red-${n}`, reward: "off", order: held })
    side.model.hold(n, this.now)
  }

  private endHold(side: Side): void {
    const { model } = side
    model.settle(this.now)
    const isOpen = this.random.next() < 0.7
    const held = model.held(isOpen ? "open" : "captured")
    if (held.length === 0) return
    const n = this.random.pick(held)
    if (!isOpen) model.reverse(n, this.posts(side, reverse(n))!.n, this.now)
    else if (this.random.next() < 0.6) model.capture(n, this.posts(side, capture(n))!.n, this.now)
    else {
      this.posts(side, reverse(n))
      model.release(n, this.now)
    }
  }

  /** Takes a reward into the wallet for points, or cancels one that was taken. */
  private reward(side: Side): void {
    const { model } = side
    model.settle(this.now)
    const taken = [...model.taken.keys()]
    if (taken.length > 0 && this.random.next() < 0.5) {
      const code = this.random.pick(taken)
      return model.cancelReward(code, this.posts(side, cancel(code))!.n, this.now)
    }
    if (model.book.available < Model.holdCost) return
    const code = `taken-${++this.ids}`
    model.takeReward(code, this.posts(side, issue(code, { reward: "off", isPaid: true }))!.n, this.now)
  }

  private check({ model, real }: Side): void {
    real.given(expire)
    model.settle(this.now)
    const { state } = real
    const { last, lifetime, lots, posted, qualified, reserved } = unitOf(state, "points")
    const partsOf = (all: ReadonlyArray<readonly [number, number, number | null | undefined]>) =>
      all.map(([n, left, expires]) => `${n}: ${left} until ${expires ?? "ever"}`).join("; ")
    const period = Periods.periodStart(real.program, this.now)
    const before = Periods.lastPeriodStart(real.program, this.now)
    const found: Record<string, unknown> = {
      posted,
      reserved,
      lots: partsOf(Lots.toArray(lots).map(([n, left, expires]) => [n, left, expires])),
      date: state.idle ?? 0,
      lifetime,
      qualified: qualifiedIn(state, { last, qualified }, period),
      last: qualifiedIn(state, { last, qualified }, before),
      tier: Metrics.tierOf(state, real.program, this.now)?.tier_id,
      stamps: real.balance("stamps")[0],
      orders: state.orders,
      wallet: codesOf(
        state.rewards.flatMap((one) =>
          one.status === "issued" && one.artifact.type === "code" ? one.artifact.value : []
        )
      )
    }
    const expected: Record<string, unknown> = {
      posted: model.book.posted,
      reserved: model.book.reserved,
      lots: partsOf(model.book.lots.map(({ expires, left, source }) => [source, left, expires])),
      date: model.book.date,
      lifetime: model.lifetime,
      qualified: model.qualified(this.now),
      last: model.qualified(this.now, 1),
      tier: model.isGold(this.now) ? "gold" : "base",
      stamps: model.stamps,
      orders: model.count,
      wallet: codesOf(model.wallet.keys())
    }
    for (const [name, field] of Object.entries(expected)) {
      // Most are numbers: comparing those first is quick.
      if (Object.is(found[name], field)) continue
      assert.deepStrictEqual(found[name], field, `${name} of ${state.member}: ${found[name]}, not ${field}`)
    }
  }
}

const play = (seed: number): void => {
  const random = Randomness.make(seed, "household")
  const history = new History(random, {
    rules: Array.from({ length: random.whole(0, 3) }, (_, index) => drawRule(random, index)),
    stacking: random.pick(["best", "all"]),
    isUndated: seed % 2 === 0,
    isRetained: seed % 4 > 1
  })
  for (let step = 0; step < steps; step++) history.step()
  for (const { real } of history.sides) {
    const { at, seq } = real.state
    assert.deepStrictEqual(plain({ ...real.replayed, at, seq }), plain(real.state), "records fold to the state")
  }
}

/** Faults that a run tells before it ends. */
const told = 10

describe("two guests against the model", () => {
  it(`${histories} random histories leave what the model leaves`, () => {
    const faults: Array<string> = []
    for (let seed = first; seed < first + histories && faults.length < told; seed++) {
      try {
        play(seed)
      } catch (fault) {
        faults.push(`seed ${seed}: ${String(fault)}`)
      }
    }
    assert.deepStrictEqual(faults, [])
  })
})
