/**
 * Random histories of a few guests of one programme, with everything that an account's journal can hold. Each is drawn
 * from a seed and decided by the present rules; `Write.ts` keeps what a version wrote.
 */

import type { Order, OrderAdjustment, OrderLine } from "../../src/contract/protocol/Order.ts"
import { fromMillis } from "../../src/contract/Values.ts"
import type { AccountEvent } from "../../src/core/account/domain/AccountEvent.ts"
import type { Action } from "../../src/core/account/domain/Action.ts"
import { decide } from "../../src/core/account/domain/Decide.ts"
import type { Decided } from "../../src/core/account/domain/Decision.ts"
import { nextDueAt } from "../../src/core/account/domain/Due.ts"
import { merge } from "../../src/core/account/domain/Merge.ts"
import { move } from "../../src/core/account/domain/Move.ts"
import { firstTier } from "../../src/core/account/domain/Notices.ts"
import { Search } from "../../src/core/account/domain/Restoration.ts"
import type { OrderRecord, State } from "../../src/core/account/domain/State.ts"
import { initialState } from "../../src/core/account/domain/State.ts"
import type { Program } from "../../src/core/rules/Program.ts"
import { fold, type Past, recalledFor, reservationOf } from "../core/account/domain/Scenario.ts"
import { line, order, usd } from "../core/rules/Builders.ts"
import type { Random } from "../model/Random.ts"

const hour = 3_600_000
const day = 24 * hour

export interface Written {
  readonly seq: number
  readonly events: ReadonlyArray<AccountEvent>
  /** Place of the programme that it was decided under. */
  readonly program: number
}

/** One guest's account. */
export class Guest implements Past {
  state: State = initialState
  readonly records: Array<Written> = []
  readonly states: Array<State> = []
  readonly merged: Array<Guest> = []
  readonly account: number

  constructor(account: number) {
    this.account = account
  }

  write(events: ReadonlyArray<AccountEvent>, program: number): void {
    const record = { seq: this.state.seq + 1, events, program }
    this.records.push(record)
    this.state = fold(this.state, record)
    this.states.push(this.state)
  }
}

type AdjustedLine = NonNullable<OrderAdjustment["lines"]>[number]

/** The guests of a history. */
export class Family {
  readonly guests: Array<Guest>
  /** The guest that has an order, by the order. */
  readonly owners = new Map<string, Guest>()
  private readonly accruals = new Map<string, ReadonlyArray<AccountEvent>>()
  private readonly moves = new Map<string, number>()
  private readonly holds: Array<{ readonly n: number; readonly guest: Guest }> = []
  protected now: number
  protected ids = 0
  private program = 0
  protected readonly random: Random
  private readonly programs: ReadonlyArray<Program>

  constructor(
    random: Random,
    programs: ReadonlyArray<Program>,
    accounts: ReadonlyArray<number> = [1, 2, 3],
    start = Date.UTC(2026, 6, 14, 10)
  ) {
    this.random = random
    this.programs = programs
    this.now = start
    this.guests = accounts.map((account) => {
      const guest = new Guest(account)
      const identity = this.cardOf(account)
      const { id } = this.rules
      const facts = { type: "enrolled", at: this.now, program: id, member: `guest-${account}`, identity } as const
      guest.write([{ ...facts, ...firstTier(this.rules) }], 0)
      return guest
    })
  }

  protected get rules(): Program {
    return this.programs[this.program]!
  }

  private get cards() {
    return Array.from({ length: 30 }, () => ({ issued: this.id("card"), code: this.id("CODE") }))
  }

  protected id(kind: string): string {
    return `${kind}-${++this.ids}`
  }

  /** The identity of a new guest. */
  protected cardOf(account: number): string {
    return `card-${account}`
  }

  /** The guest that another one was merged into, or the guest itself. */
  protected present(guest: Guest): Guest {
    const into = this.guests.find(({ merged }) => merged.includes(guest))
    return into === undefined ? guest : this.present(into)
  }

  protected when(guest: Guest, action: Action): boolean {
    const recalled = recalledFor(guest.state, action, guest)
    if (recalled.order?.isMoved === true) return false
    const given = { now: this.now, program: this.rules, cards: this.cards, recalled }
    const decision = decide(guest.state, action, { ...given, ...reservationOf(action) })
    return decision._tag === "Decided" && this.wrote(guest, decision)
  }

  protected wrote(guest: Guest, { events }: Decided): boolean {
    if (events.length > 0) guest.write(events, this.program)
    return true
  }

  /** The restaurant of the next order. */
  protected scope(): Order["scope"] {
    return { program_id: "p", brand_id: "b", merchant_id: "m", location_id: "l" }
  }

  /** Lets time go on. */
  protected pass(): void {
    this.now += this.random.pick([1000, hour, 5 * hour, day, day, 3 * day, 10 * day, 29 * day, 35 * day, 200 * day])
  }

  play(steps: number): this {
    for (let step = 0; step < steps; step++) this.step()
    return this
  }

  protected step(): void {
    const { random } = this
    if (random.next() < 0.3) this.pass()
    const guest = this.present(random.pick(this.guests))
    const chance = random.next()
    if (chance < 0.2) this.accrue(guest)
    else if (chance < 0.42) this.adjust()
    else if (chance < 0.5) this.manual(guest)
    else if (chance < 0.63) this.reserve(guest)
    else if (chance < 0.77) this.endHold()
    else if (chance < 0.79) this.wallet(guest)
    else if (chance < 0.87) this.move()
    else if (chance < 0.885) this.merge(guest, this.present(random.pick(this.guests)))
    else if (chance < 0.92) this.operate(guest)
    else if (chance < 0.94) this.program = random.whole(0, this.programs.length - 1)
    else if (chance < 0.95) this.correctClock(guest)
    else this.when(guest, { type: "expire" })
  }

  private lines(): ReadonlyArray<OrderLine> {
    const { random } = this
    return Array.from({ length: random.whole(1, 3) }, (_, place) => {
      const quantity = random.whole(1, 4)
      const unit = random.whole(20, 1_500)
      const subtotal = quantity * unit
      return line(`l${place}`, subtotal, {
        product_id: random.pick(["coffee", "coffee", "food", "gift-card"]),
        quantity,
        unit_price: usd(unit),
        discount: usd(random.pick([0, 0, random.whole(0, subtotal)]))
      })
    })
  }

  private accrue(guest: Guest): void {
    const { random } = this
    const order_id = this.id("order")
    const placed = this.now - random.pick([0, 0, 0, random.whole(0, 100)]) * hour
    const facts = {
      order_id,
      placed_at: fromMillis(placed),
      business_date: fromMillis(placed).slice(0, 10),
      channel: random.next() < 0.06 ? ("kiosk" as const) : ("counter" as const),
      scope: this.scope()
    }
    if (!this.when(guest, { type: "accrue", order: order(this.lines(), facts) })) return
    this.owners.set(order_id, guest)
    this.accruals.set(order_id, guest.records.at(-1)!.events)
  }

  private adjust(): void {
    const id = this.pickOrder()
    if (id === undefined) return
    const guest = this.present(this.owners.get(id)!)
    const { random } = this
    const type = random.pick(["partial_refund", "partial_refund", "correction", "full_refund", "void"] as const)
    const { order: known } = this.recalled(guest, id)
    if (known?.terms === undefined) return
    const left = known.spend + known.delta
    const lines: Array<AdjustedLine> = []
    let delta = type === "correction" ? random.whole(-left, 2_000) : -random.pick([left, random.whole(0, left)])
    const place = random.whole(0, known.terms.lines.length - 1)
    const one = known.terms.lines[place]
    if (delta < 0 && one !== undefined && random.next() < 0.5) {
      const all = random.next() < 0.5
      delta = -Math.min(left, all ? one.spend : random.whole(0, one.spend))
      lines.push({
        line_id: one.id,
        quantity_delta: 0 - (all ? one.quantity : random.whole(0, one.quantity)),
        subtotal_delta: usd(0 - (all ? one.subtotal : random.whole(0, one.subtotal)))
      })
    }
    const adjustment = {
      adjustment_id: this.id("adjustment"),
      original_order_id: id,
      type,
      reason: "test",
      occurred_at: fromMillis(this.now),
      order_total_delta: usd(delta === 0 ? 0 : delta),
      eligible_spend_delta: usd(delta === 0 ? 0 : delta),
      ...(lines.length === 0 ? undefined : { lines })
    }
    this.when(guest, { type: "adjust_order", adjustment })
  }

  private pickOrder(): string | undefined {
    const all = [...this.owners.keys()]
    if (all.length === 0) return undefined
    // The latest ones more often.
    return this.random.next() < 0.6 ? this.random.pick(all.slice(-4)) : this.random.pick(all)
  }

  private recalled(guest: Guest, original_order_id: string): { readonly order?: OrderRecord | undefined } {
    const adjustment = { original_order_id } as OrderAdjustment
    return recalledFor(guest.state, { type: "adjust_order", adjustment }, guest)
  }

  /** Each order as the guest's records tell it who has it; none that was moved back to a guest by a merge. */
  orders(): ReadonlyArray<readonly [account: number, order: OrderRecord]> {
    return [...this.owners].flatMap(([id, owner]) => {
      const guest = this.present(owner)
      const { order: known } = this.recalled(guest, id)
      return known === undefined || known.isMoved === true ? [] : [[guest.account, known] as const]
    })
  }

  private manual(guest: Guest): void {
    const { random } = this
    this.when(guest, {
      type: "adjust_manually",
      adjustment: this.id("manual"),
      amount: random.pick([random.whole(1, 150), -random.whole(1, 150)]),
      unit: random.pick(["points", "points", "stamps", "credits"]),
      classification: random.pick(["gift", "correction", "migration"]),
      reason: "test",
      qualifies: random.next() < 0.5,
      expires: random.next() < 0.3 ? this.now + random.whole(1, 60) * day : undefined
    })
  }

  private reserve(guest: Guest): void {
    const { random } = this
    const n = ++this.ids
    const ends = nextDueAt(guest.state, undefined) ?? Infinity
    // Often just before points end, which end while they are held.
    if (ends < this.now + 40 * day && random.next() < 0.4) this.now = Math.max(this.now, ends - hour)
    const wallet = guest.state.rewards.filter(({ status }) => status === "issued")
    const issued = wallet.length > 0 && random.next() < 0.2 ? random.pick(wallet) : undefined
    const date = { placed_at: fromMillis(this.now), business_date: fromMillis(this.now).slice(0, 10) }
    const reserved = this.when(guest, {
      type: "reserve",
      redemption: `red-${n}`,
      reward: issued?.reward ?? random.pick(["off", "off", "free", "extra"]),
      order: order([line("l0", 1_000)], { order_id: `hold-${n}`, status: "open", scope: this.scope(), ...date }),
      issued: issued?.issued
    })
    if (reserved) this.holds.push({ n, guest })
    if (reserved && this.now < ends && ends <= this.now + hour) this.now = ends
  }

  private endHold(): void {
    const { random } = this
    if (this.holds.length === 0) return
    const hold = random.next() < 0.7 ? this.holds.at(-1)! : random.pick(this.holds)
    const reservation = `rsv-${hold.n}`
    const action: Action =
      random.next() < 0.6
        ? { type: "capture", reservation, order: `hold-${hold.n}` }
        : { type: "reverse", reservation, reason: "test" }
    this.when(this.present(hold.guest), action)
  }

  private wallet(guest: Guest): void {
    const { random } = this
    const [held] = guest.state.rewards.filter(({ status }) => status === "issued")
    if (held !== undefined && random.next() < 0.3) {
      this.when(guest, { type: "cancel_reward", issued: held.issued, reason: "test" })
      return
    }
    const issued = this.id("wallet")
    this.when(guest, {
      type: "issue_reward",
      issued,
      reward: random.pick(["off", "free", "extra"]),
      artifact: { type: "code", value: issued },
      ...(random.next() < 0.5 ? { expires: this.now + random.whole(1, 40) * day } : undefined)
    })
  }

  protected move(): void {
    const id = this.pickOrder()
    if (id === undefined) return
    const from = this.present(this.owners.get(id)!)
    const into = this.present(this.random.pick(this.guests))
    const { order: known } = this.recalled(from, id)
    if (from === into || known === undefined || known.isMoved === true) return
    const n = (this.moves.get(id) ?? 0) + 1
    const decision = move(
      { from, into },
      {
        order: known,
        accrual: { events: this.accruals.get(id)!, reply: { type: "none" } },
        move: n,
        before: [from.account],
        adjustment: this.id("move"),
        reason: "test"
      },
      { now: this.now, program: this.rules, cards: this.cards }
    )
    if (decision._tag !== "Decided") return
    this.wrote(from, decision.from)
    this.wrote(into, decision.into)
    this.moves.set(id, n)
    this.owners.set(id, into)
    this.accruals.set(id, decision.into.events)
  }

  protected merge(from: Guest, into: Guest): void {
    if (from === into) return
    const decision = merge({ from, into }, { now: this.now, program: this.rules, cards: this.cards })
    if (decision._tag !== "Decided") return
    this.wrote(from, decision.from)
    this.wrote(into, decision.into)
    into.merged.push(from)
  }

  private operate(guest: Guest): void {
    const { random } = this
    const status =
      guest.state.status === "suspended" ? "active" : random.pick(["suspended", "suspended", "closed"] as const)
    const chance = random.next()
    if (chance < 0.4) this.when(guest, { type: "set_status", status, reason: "test" })
    else if (chance < 0.6) this.when(guest, { type: "change_identities", add: [this.id("identity")], remove: [] })
    else if (chance < 0.8)
      this.when(guest, { type: "change_profile", external: random.pick([this.id("crm"), null]), onlyWithdraws: false })
    else if (chance < 0.85 && this.ids > 30) this.when(guest, { type: "erase", reason: "test" })
  }

  /** A clock that was months ahead expires points; then it is mended, and they return. */
  protected correctClock(guest: Guest): void {
    const trueNow = this.now
    this.now += 60 * day
    const known = guest.records.length
    this.when(guest, { type: "expire" })
    this.now = trueNow
    if (guest.records.length === known) return
    const search = new Search()
    for (const [place, { events, seq }] of guest.records.entries())
      search.read(seq, events, place < known ? undefined : trueNow)
    this.when(guest, { type: "restore_expired", found: search.found(this.now), reason: "test" })
  }
}
