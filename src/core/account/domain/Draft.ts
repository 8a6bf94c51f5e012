/**
 * A decision while it is made: its events so far, and the state after them.
 *
 * Every entry is posted by `post`, `restore` or `expire`, which determine its
 * effect on the lots. So one place keeps the invariant that the lots sum to the
 * larger of 0 and the balance (contract/points.md *Lots*, *Balances*).
 */
import { maxAmount, type Unit } from "../../../contract/Values.ts"
import * as Expiration from "../../rules/Expiration.ts"
import * as Periods from "../../rules/Periods.ts"
import type { Program } from "../../rules/Program.ts"
import type { AccountEvent } from "./AccountEvent.ts"
import * as Cards from "./Cards.ts"
import type { NewLot } from "./Clawback.ts"
import { type Due, mayBeDue, nextDue } from "./Due.ts"
import { evolve } from "./Evolve.ts"
import type { LotShare } from "./Lots.ts"
import * as Lots from "./Lots.ts"
import { isOver } from "./Lots.ts"
import * as Notices from "./Notices.ts"
import type { Accrual, Adjusting, Posted } from "./Posted.ts"
import type { OrderRecord, Reservation, State } from "./State.ts"
import { sourceOf, unitOf } from "./State.ts"

/** The properties of an entry that the draft alone adds. */
type Added = "type" | "at" | "n" | "idle" | "card" | "period" | "lastPeriod"

/** The facts of an entry that a caller gives. The draft adds number, time and lots. */
type FactsOf<Entry extends Posted> = Entry extends Posted ? Omit<Entry, Added> : never
type EntryFacts = FactsOf<Posted>
type ReversalFacts = Pick<
  Extract<Posted, { readonly op: "reversal" }>,
  "order" | "location" | "reservation" | "wallet" | "reason"
>

/** The cost of a captured hold or a wallet reward. */
type Spent = Pick<Reservation, "unit" | "cost" | "entry" | "taken">

export class Draft {
  readonly program: Program
  readonly events: Array<AccountEvent> = []
  /** The record's time: the clock's time, but never before the last event. */
  readonly at: number
  readonly seq: number
  readonly before: State
  state: State
  /** Everything that is to be told by this instant was told. */
  private told: number
  /** Points that returned to expired lots. They expire with this decision, even if holds are open. */
  private overdue: Array<{ readonly unit: Unit; readonly share: LotShare }> = []

  constructor(state: State, program: Program, now: number) {
    this.program = program
    this.at = Math.max(now, state.at)
    this.seq = state.seq + 1
    this.before = state
    this.state = state
    this.told = state.at
  }

  emit(event: AccountEvent): void {
    this.events.push(event)
    this.state = evolve(this.state, event, this.seq)
  }

  /** Folds the decision's events so far into a thing read before them. The state may have dropped it by now. */
  after<A>(before: A, fold: (thing: A, event: AccountEvent, seq: number) => A | undefined): A {
    return this.events.reduce((thing, event) => fold(thing, event, this.seq) ?? thing, before)
  }

  /** Posts everything due by the record's time, in order of its due time. */
  settle(): void {
    for (const { share, unit } of this.overdue.splice(0)) this.expire(this.at, unit, share)
    if (mayBeDue(this.state, this.at)) {
      for (let due = nextDue(this.state); due !== undefined && due.at <= this.at; due = nextDue(this.state)) {
        this.tell(due.at)
        this.expireDue(due)
      }
      this.dateKept()
    }
    this.tell(this.at)
  }

  /** Gives the account's date to lots that end at it and that holds have kept past it. */
  private dateKept(): void {
    const { idle = Infinity, units } = this.state
    if (idle > this.at) return
    for (const { lots, unit } of units) {
      const kept = Lots.undated(lots)
      if (kept.length > 0)
        this.emit({ type: "lots_dated", at: this.at, unit, lots: kept.map((share) => Lots.withDate(share, idle)) })
    }
  }

  private expireDue(due: Due): void {
    const at = Math.max(due.at, this.state.at)
    if (due.type === "hold") this.emit({ type: "hold_expired", at, reservation: due.hold.reservation })
    else if (due.type === "reward") this.emit({ type: "reward_expired", at, issued: due.reward.issued })
    else this.expire(at, due.unit, Lots.shareOf(due.lot, due.free))
  }

  /** Tells what is to be told by an instant. */
  private tell(until: number): void {
    while (this.told < until) {
      const at = Notices.nextAt(this.state, this.program, this.told)
      if (at > until) this.told = until
      else {
        for (const event of Notices.at(this.state, this.program, at))
          this.emit({ ...event, at: Math.max(at, this.state.at) })
        this.told = at
      }
    }
  }

  /** Tells the tier if the decision changed it. An account that has told none before only remembers it. */
  tellTier(): void {
    const event = Notices.tierAfter(this.before, this.state, this.program, this.at)
    if (event !== undefined) this.emit(event)
  }

  private expire(at: number, unit: Unit, share: LotShare): void {
    const [n, points] = share
    this.emit({
      type: "posted",
      at,
      n: this.state.entries + 1,
      op: "expiration",
      unit,
      amount: -points,
      taken: [share],
      related: sourceOf(this.state, unit, n)
    })
  }

  /**
   * True if the unit's balance and its available points stay safe integers after
   * adding `amount`. So no capture of an open hold leaves the range. No reversal
   * does either, because it returns points that `lifetime` still counts.
   */
  keeps(unit: Unit, amount: number): boolean {
    const { posted, reserved } = unitOf(this.state, unit)
    return Number.isSafeInteger(posted + amount) && Number.isSafeInteger(posted + amount - reserved)
  }

  /**
   * True if the balance and all counters of an entry stay safe integers after adding `amount`, and it is no larger than
   * a single credit may be. `counts`: what metrics add.
   */
  fits(unit: Unit, amount: number, counts: number = amount): boolean {
    const balance = unitOf(this.state, unit)
    return (
      amount <= maxAmount &&
      this.keeps(unit, amount) &&
      Number.isSafeInteger(balance.lifetime + counts) &&
      Number.isSafeInteger(balance.qualified + counts) &&
      Number.isSafeInteger(balance.last + counts) &&
      Number.isSafeInteger(balance.credited + amount)
    )
  }

  /**
   * Posts an entry dated now. A positive entry fills a hole first, and only the rest
   * makes a lot. A negative entry takes the oldest lots; lots that expired at `since`
   * or before come last, because they are kept for older holds. `taken`, `back` and
   * `lot` in `facts` override this. `of` is the order that the entry adjusts, or
   * that accrues by its own time: the entry counts in its tier period if that is the present or the last one, else in none.
   */
  post(facts: EntryFacts, since: number = this.at, of?: Pick<OrderRecord, "period">): void {
    const balance = unitOf(this.state, facts.unit)
    const counts = this.countsIn(facts, of)
    const taken =
      facts.taken ?? (facts.amount < 0 ? Lots.oldest(balance.lots, -facts.amount, since, this.state.idle) : [])
    const lot = facts.lot ?? Math.max(0, facts.amount - Math.max(0, -balance.posted))
    const expires =
      facts.amount > 0 && facts.lot !== 0
        ? (facts.expires ?? Expiration.expiresAt(this.program, facts.unit, this.at))
        : undefined
    const before = this.state.idle
    const idle = this.idleAfter(facts, expires)
    const card = this.cardOf(facts)
    const { lot: _lot, taken: _taken, ...rest } = facts
    this.emit({
      type: "posted",
      at: this.at,
      n: this.state.entries + 1,
      ...rest,
      ...counts,
      ...(card === undefined ? undefined : { card }),
      ...(taken.length === 0 ? undefined : { taken }),
      ...(expires === undefined ? undefined : { expires }),
      ...(idle === undefined ? undefined : { idle }),
      ...(facts.amount <= 0 || lot === facts.amount ? undefined : { lot })
    })
    this.noteOverdue(facts.unit, facts.back ?? [], before)
  }

  /**
   * Posts an accrual of an order that accrued elsewhere before, at `facts.earned`, as `of` has it. `shares`: its points, in
   * the lot of this entry with the dates that they had; those that have expired since do so at once.
   */
  receive(
    facts: FactsOf<Accrual> & Required<Pick<Accrual, "earned">>,
    { date, shares }: { readonly date: number | undefined; readonly shares: ReadonlyArray<LotShare> },
    of: OrderRecord
  ): void {
    const counts = this.countsIn(facts, of)
    const card = this.cardOf(facts)
    const idle = date !== undefined && date > (this.state.idle ?? 0) ? date : undefined
    const back = Lots.beyond(shares, Math.max(0, -unitOf(this.state, facts.unit).posted))
    this.emit({
      ...facts,
      type: "posted",
      at: this.at,
      n: this.state.entries + 1,
      back,
      ...counts,
      ...(card === undefined ? undefined : { card }),
      ...(idle === undefined ? undefined : { idle })
    })
    this.noteOverdue(facts.unit, back, this.state.idle)
  }

  /** The lot that an entry posted now would make. */
  newLot(unit: Unit): NewLot {
    return { n: this.state.entries + 1, expires: Expiration.expiresAt(this.program, unit, this.at) }
  }

  /** The account's date once a lot with this expiry is made: one that has passed, or none, becomes that of an accrual now. */
  private idleWith(expires: number | undefined): number | undefined {
    const { idle = 0 } = this.state
    if (expires !== Expiration.withAccount) return this.state.idle
    return idle > this.at ? idle : Expiration.inactiveAt(this.program, this.at)
  }

  /** The account's date after an entry that moves it: an accrual that earned, or one that makes a lot without a date. */
  private idleAfter(
    { amount, filled = [], op }: Pick<EntryFacts, "amount" | "op"> & Partial<Pick<Adjusting, "filled">>,
    expires: number | undefined
  ): number | undefined {
    const { idle } = this.state
    const moved = op === "accrual" && amount > 0 ? Expiration.inactiveAt(this.program, this.at) : undefined
    if (moved !== undefined) return moved > (idle ?? 0) ? moved : undefined
    // Points that only fill a hole need the date too: a clawback may take them out again.
    const fresh = filled.find(([n]) => n === this.state.entries + 1)
    const made = this.idleWith(fresh !== undefined && Lots.endsWithAccount(fresh) ? Expiration.withAccount : expires)
    return made === idle ? undefined : made
  }

  /** Notes what returned to lots that had expired by the account's date before the entry. */
  private noteOverdue(unit: Unit, back: ReadonlyArray<LotShare>, idle: number | undefined): void {
    for (const share of back) if (isOver(share, this.at, idle)) this.overdue.push({ unit, share })
  }

  /**
   * Posts the reversal of what a captured hold or a wallet reward has cost. Exactly the lots that it consumed
   * return; the oldest of them fill a hole first. Points that it had taken from
   * no lot make a lot dated now.
   */
  restore({ cost, entry, taken = [], unit }: Spent, facts: ReversalFacts): void {
    const hole = Math.max(0, -unitOf(this.state, unit).posted)
    const back = Lots.beyond(taken, hole)
    const returned = Lots.sum(taken)
    const lot = Math.max(0, cost - returned - Math.max(0, hole - returned))
    const expires = lot > 0 ? Expiration.expiresAt(this.program, unit, this.at) : undefined
    const before = this.state.idle
    const idle = this.idleWith(expires)
    this.emit({
      type: "posted",
      at: this.at,
      n: this.state.entries + 1,
      op: "reversal",
      unit,
      amount: cost,
      ...(expires === undefined ? undefined : { expires }),
      ...(idle === undefined || idle === before ? undefined : { idle }),
      ...(lot > 0 ? { lot } : undefined),
      back,
      ...(entry === undefined ? undefined : { related: entry }),
      ...facts
    })
    this.noteOverdue(unit, back, before)
  }

  /** The card that an entry is the first to count for. */
  private cardOf({ reset, unit }: Pick<EntryFacts, "unit"> & Pick<Adjusting, "reset">): Posted["card"] {
    const { stampCard } = this.program
    if (stampCard?.unit !== unit || reset === true) return undefined
    const card = Cards.uncounted(this.state, this.program)
    return card === undefined ? undefined : [card.from, Cards.filled(this.state, this.program)]
  }

  /** The last tier period, if the order's accrual counted in it. */
  private lastPeriodOf({ period }: Pick<OrderRecord, "period">): number | undefined {
    return period !== undefined && period === Periods.lastPeriodStart(this.program, this.at) ? period : undefined
  }

  /**
   * The tier period of an entry posted now. Of an order's entry that of its accrual, if it is the present or the last one,
   * else none.
   */
  private countsIn(
    { qualifies, reset }: Pick<EntryFacts, "unit"> & Pick<Adjusting, "qualifies" | "reset">,
    of?: Pick<OrderRecord, "period">
  ): Pick<Adjusting, "period" | "lastPeriod"> {
    const present = qualifies === true && reset !== true ? this.periodAt(this.at) : undefined
    if (of === undefined || of.period === present) return present === undefined ? {} : { period: present }
    const lastPeriod = this.lastPeriodOf(of)
    return lastPeriod === undefined ? {} : { lastPeriod }
  }

  /** The tier period in which an entry of an instant counts. 0: no tier policy. Undefined: it does not count. */
  periodAt(at: number): number | undefined {
    if (!Periods.counts(this.program, at)) return undefined
    return Periods.periodStart(this.program, at) ?? 0
  }
}
