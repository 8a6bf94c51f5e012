/**
 * Random histories of one order: refunds, corrections both ways, spending,
 * expiry (contract/orders.md *Adjusting an order*). Each is held against the model's
 * book, lot by lot; its last changes are made in two orders. Then histories of
 * three orders that take each other's points.
 *
 * `HISTORIES=200000 npx vitest run test/core/account/domain/Histories.test.ts` plays more of them, `FIRST=100001` later ones.
 */
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Testing from "../../../../src/app/testing/Testing.ts"
import type { Action } from "../../../../src/core/account/domain/Action.ts"
import * as Lots from "../../../../src/core/account/domain/Lots.ts"
import type { Posted } from "../../../../src/core/account/domain/Posted.ts"
import { unitOf } from "../../../../src/core/account/domain/State.ts"
import type { OrderPoints, Share } from "../../../model/Book.ts"
import { Book, withAccount } from "../../../model/Book.ts"
import * as Random from "../../../model/Random.ts"
import {
  accrue,
  adjust,
  capture,
  day,
  entries,
  expire,
  manual,
  reserve,
  reverse,
  Scenario,
  second
} from "./Scenario.ts"

const histories = Number(process.env["HISTORIES"] ?? 4_000)
const firstSeed = Number(process.env["FIRST"] ?? 1)
const life = 365 * day
/** The demo programme without tiers: they would take most of the time, and change no lot here. */
const demo = path.join(import.meta.dirname, "..", "..", "..", "..", "src", "app", "demo", "program.demo.json")
const { tier_policy: _, ...definition } = JSON.parse(fs.readFileSync(demo, "utf8"))
const program = Testing.programOf({ ...definition, tiers: [] })
/** The same, whose points end together. */
const inactive = Testing.programOf({
  ...definition,
  tiers: [],
  point_expiration: { type: "after_inactivity", days: 365, warning_days: [] }
})
/** Minor units for a point: 10 points a dollar. */
const spendOfPoint = 10
/** An order below it earns nothing, minor units. */
const minimum = 100

/** Points that an order earns with this spend. */
const earnedBy = (spend: number, earns: boolean): number => (earns && spend >= minimum ? spend / spendOfPoint : 0)

interface Hold {
  readonly n: number
  readonly created: number
  taken?: ReadonlyArray<Share>
}

/** One account, with the book that says what must become of it. */
class Life {
  readonly scenario: Scenario
  readonly book = new Book(life)
  readonly order: OrderPoints
  private spend: number
  private holds: Array<Hold> = []
  private count = 0
  /** The most that was kept of the order, what its corrections made, and what they undid of holes. */
  private most: number
  private made = 0
  private holes = 0
  /** A reversal gives back own points that a clawback did not find: what it took instead stays taken. */
  hasReversal = false
  /** Sum of the manual entries. */
  private manual = 0

  /** Whether the order's channel earns. */
  private readonly earns: boolean
  private readonly isUndated: boolean

  constructor(spendInPoints: number, earns: boolean, isUndated: boolean) {
    this.earns = earns
    this.isUndated = isUndated
    this.scenario = new Scenario(isUndated ? inactive : program)
    this.spend = spendInPoints * spendOfPoint
    const points = earnedBy(this.spend, earns)
    const [entry] = this.post(accrue("1", this.spend, earns ? {} : { channel: "kiosk" }))
    if (isUndated && points > 0) this.book.earned(this.now)
    this.book.post(entry!.n, points, this.end, this.now)
    this.order = { kept: points, lots: points > 0 ? [entry!.n] : [], expired: 0, counted: 0, taken: [], filled: [] }
    this.most = points
    this.check()
  }

  private get now(): number {
    return this.scenario.now
  }

  /** When what is earned now ends. */
  private get end(): number {
    return this.isUndated ? withAccount : this.now + life
  }

  get balance(): number {
    return this.scenario.balance()[0]
  }

  /** Carries an action out, and what was due in both. */
  private post(action: Action): ReadonlyArray<Posted> {
    const posted = entries(this.scenario.when(action).events)
    this.settle()
    this.book.happened(this.now)
    return posted.filter(({ op }) => op !== "expiration")
  }

  private settle(): void {
    for (const end of this.book.settle(this.now)) {
      if (end.type === "lot" && this.order.lots.includes(end.source)) this.order.expired += end.points
    }
  }

  wait(ms: number): void {
    this.scenario.wait(ms).given(expire)
    this.settle()
    this.check()
  }

  gift(points: number, expires: number): void {
    const [entry] = this.post(manual(points, { expires }))
    this.book.post(entry!.n, points, expires, this.now)
    this.manual += points
    this.check()
  }

  debit(points: number, classification: "gift" | "correction"): void {
    if (classification === "gift" && points > this.book.available) return
    const [entry] = this.post(manual(-points, { classification }))
    this.book.post(entry!.n, -points, undefined, this.now)
    this.manual -= points
    this.check()
  }

  reserve(): void {
    if (this.book.available < 100) return
    const n = ++this.count
    this.post(reserve(n))
    this.book.holds.set(`${n}`, { cost: 100, created: this.now, expires: this.now + 120 * second })
    this.holds.push({ n, created: this.now })
    this.check()
  }

  capture(): void {
    const hold = this.holds.find(({ n }) => this.book.holds.has(`${n}`))
    if (hold === undefined) return
    const [entry] = this.post(capture(hold.n))
    this.book.holds.delete(`${hold.n}`)
    hold.taken = this.book.post(entry!.n, -100, undefined, hold.created)
    this.settle()
    this.check()
  }

  reverse(): void {
    const hold = this.holds.find(({ taken }) => taken !== undefined)
    if (hold?.taken === undefined) return
    this.holds = this.holds.filter((one) => one !== hold)
    const [entry] = this.post(reverse(hold.n))
    this.hasReversal = true
    this.book.restore(entry!.n, 100, hold.taken, this.end, this.now)
    this.settle()
    this.check()
  }

  /** Whether corrections by these points take no more than is left. */
  leaves(changes: ReadonlyArray<number>): boolean {
    let left = this.spend
    return changes.every((points) => {
      left += points * spendOfPoint
      return left >= 0
    })
  }

  /** A refund or correction by so many points' worth of spend. */
  adjust(type: "partial_refund" | "full_refund" | "correction", points: number): void {
    this.scenario.given(expire)
    this.settle()
    const before = this.balance
    if (type !== "full_refund" && this.spend + points * spendOfPoint < 0) {
      this.scenario.refuses(adjust("1", type, points * spendOfPoint), "invalid_state")
      return
    }
    this.spend += points * spendOfPoint
    const kept = type === "full_refund" ? 0 : earnedBy(Math.max(0, this.spend), this.earns)
    const change = kept - this.order.kept
    const [entry] = this.post(adjust("1", type, points * spendOfPoint))
    const amount = this.book.adjust(this.order, kept, entry!.n, this.end, this.now)
    this.settle()
    assert.strictEqual(entry!.amount, amount)
    this.most = Math.max(this.most, kept)
    if (entry!.amount > 0) this.made += entry!.lot ?? entry!.amount
    const undone = entry?.op === "adjustment" ? entry.undone : undefined
    this.holes += (undone ?? []).reduce((sum, [n, its]) => sum + (n === 0 ? its : 0), 0)
    if (change <= 0) assert.isAtMost(this.balance, before, "no correction downward adds")
    else assert.isAtMost(this.balance, before + change, "no correction upward adds more than it is of")
    this.check()
  }

  private check(): void {
    const { lifetime, lots, posted, reserved } = unitOf(this.scenario.state, "points")
    assert.strictEqual(lifetime, this.order.kept + this.manual, "metrics count what is kept, expired or not")
    assert.strictEqual(posted, this.book.posted)
    assert.strictEqual(reserved, this.book.reserved)
    assert.strictEqual(Lots.total(lots), Math.max(0, posted), "sum of lots = the larger of 0 and the balance")
    const found = Lots.toArray(lots).map(([n, left, expires]) => `${n}: ${left} until ${expires ?? undefined}`)
    const wanted = this.book.lots.map(({ expires, left, source }) => `${source}: ${left} until ${expires}`)
    assert.strictEqual(found.join(), wanted.join())
    const { idle } = this.scenario.state
    assert.strictEqual(idle ?? 0, this.book.date)
    if (reserved === 0) assert.isTrue(Lots.earliestOf(lots, idle) > this.now, "nothing is left of a lot that has ended")
    assert.isAtMost(this.made, this.most - this.first + this.holes, "only what exceeds everything makes a new lot")
  }

  private get first(): number {
    const [accrual] = this.scenario.ledger
    return accrual?.amount ?? 0
  }

  /** Points by the instant at which they end, those made just now together. */
  points(): ReadonlyArray<readonly [number, number]> {
    const sums = new Map<number, number>()
    for (const { expires = Infinity, left } of this.book.lots) sums.set(expires, (sums.get(expires) ?? 0) + left)
    return [...sums].toSorted(([a], [b]) => a - b)
  }

  /** Whether more is missing than this order's clawbacks have left. */
  get isOverdrawn(): boolean {
    return -this.book.posted > this.order.taken.filter(({ source }) => source < 0).length
  }
}

const play = (life: Life, random: Random.Random): void => {
  const steps = random.whole(0, 14)
  for (let step = 0; step < steps; step++) {
    const chance = random.next()
    if (chance < 0.25) life.adjust("correction", random.whole(-120, 120))
    else if (chance < 0.4) life.adjust("partial_refund", -random.whole(0, 120))
    else if (chance < 0.6) life.wait(random.pick([1, second, 100 * second, day, 100 * day, 200 * day, 366 * day]))
    else if (chance < 0.7) life.gift(random.whole(1, 150), life.scenario.now + random.whole(1, 500) * day)
    else if (chance < 0.8) life.debit(random.whole(1, 150), random.next() < 0.9 ? "gift" : "correction")
    else if (chance < 0.9) life.reserve()
    else if (chance < 0.96) life.capture()
    else life.reverse()
  }
}

/** The life of a seed up to its last changes. */
const lifeOf = (seed: number): Life => {
  const random = Random.make(seed, "history")
  const spend = random.next() < 0.1 ? random.whole(0, 9) : random.whole(10, 200)
  const life = new Life(spend, random.next() < 0.97, seed % 2 === 0)
  play(life, random)
  return life
}

describe("Adjusting an order: random histories of one order", () => {
  it(`${histories} histories: nothing downward adds, no order of the same changes differs, nothing expired is revived`, () => {
    for (let seed = firstSeed; seed < firstSeed + histories; seed++) {
      try {
        const [one, other] = [lifeOf(seed), lifeOf(seed)]
        if (one.hasReversal) continue
        const random = Random.make(seed, "changes")
        const drawn = Array.from({ length: random.whole(2, 4) }, () => random.whole(-150, 150))
        // Changes that are refused in one of both sequences cannot be compared.
        const changes = one.leaves(drawn) && one.leaves(drawn.toReversed()) ? drawn : drawn.map(Math.abs)
        const isOverdrawn = one.isOverdrawn || one.order.filled.length > 0
        const { date } = one.book
        for (const change of changes) one.adjust("correction", change)
        for (const change of changes.toReversed()) other.adjust("correction", change)
        // A change that gives the account a date again decides what later ones return.
        if (one.book.date !== date || other.book.date !== date) continue
        assert.strictEqual(one.balance, other.balance, "no order of the same changes differs")
        // The earlier entries tell whose points fill a hole that somebody else left.
        if (isOverdrawn) continue
        assert.deepStrictEqual(one.points(), other.points(), "nor do the points' dates")
        for (const life of [one, other]) life.adjust("full_refund", 0)
        assert.strictEqual(one.balance, other.balance, "nor does what is left of it all")
      } catch (fault) {
        throw new Error(`seed ${seed}: ${String(fault)}`, { cause: fault })
      }
    }
  })
})

/** Three orders changed, points spent, lots expired by a seed, then all refunded in full: the guest, and what was spent. */
const refunded = (seed: number, orders: ReadonlyArray<string>): readonly [guest: Scenario, spent: number] => {
  const random = Random.make(seed, "orders")
  const scenario = new Scenario(program)
  const kept = new Map<string, number>()
  for (const order of ["1", "2", "3"]) {
    scenario.given(accrue(order, 100 * spendOfPoint))
    kept.set(order, 100)
    if (random.next() < 0.5) scenario.wait(day)
  }
  let spent = 0
  const steps = random.whole(1, 12)
  for (let step = 0; step < steps; step++) {
    const chance = random.next()
    const points = random.whole(0, 100)
    const order = random.pick(["1", "2", "3"])
    if (chance < 0.6) {
      scenario.given(adjust(order, "correction", (points - (kept.get(order) ?? 0)) * spendOfPoint))
      kept.set(order, points)
    } else if (chance < 0.8) {
      if (points === 0 || scenario.given(expire).balance()[0] < points) continue
      scenario.given(manual(-points))
      spent += points
    } else scenario.wait(random.pick([day, 100 * day, 366 * day]))
  }
  scenario.given(...orders.map((order) => adjust(order, "full_refund", -(kept.get(order) ?? 0) * spendOfPoint)))
  return [scenario, spent]
}

describe("Adjusting an order: random histories of three orders", () => {
  const count = Math.ceil(histories / 4)

  it(`${count} histories: once all are refunded, no expired point was counted for two of them`, () => {
    for (let seed = firstSeed; seed < firstSeed + count; seed++) {
      for (const orders of [
        ["1", "2", "3"],
        ["3", "1", "2"]
      ]) {
        const [{ state }, spent] = refunded(seed, orders)
        const { lifetime, posted } = unitOf(state, "points")
        const name = `seed ${seed}, refunded in order ${orders.join(", ")}`
        // All that was earned is refunded: what counts as expired may excuse no spent point.
        assert.isAtMost(posted, -spent, name)
        assert.deepStrictEqual([lifetime + spent, state.orders], [0, 0], name)
      }
    }
  })
})
