/**
 * A simple model of the contract, for one guest of the demo programme: what
 * every command must be answered, and what the ledger must then hold
 * (contract/orders.md *Earning*). It knows nothing of how the service works; points and
 * holds are in its `Book`.
 */
import { isDeepStrictEqual } from "node:util"
import type { ResponseOf } from "../../src/contract/protocol/Operations.ts"
import { fromMillis, type MemberStatus } from "../../src/contract/Values.ts"
import type { OrderPoints, Share } from "./Book.ts"
import { Book, movedBy } from "./Book.ts"
import type { Exchange, ExchangeOf, PayloadOf, Played } from "./History.ts"
import { isWrite } from "./History.ts"
import * as Left from "./Left.ts"
import type { OperatorExchange } from "./Operator.ts"
import { isShared } from "./Operator.ts"
import * as Orders from "./Orders.ts"

export type Entry = ResponseOf<"ledger.list">["entries"][number]
type Reservation = ResponseOf<"redemption.reserve">["reservation"]

/** A ledger entry that must be there, and as it was acknowledged where it was shown. */
export interface Expected {
  /** An expiration's very instant, and the place of the entry whose lot it ends. */
  readonly expired?: { readonly at: number; readonly source: number }
  readonly operation: Entry["operation"]
  readonly amount: number
  readonly order_id?: string | undefined
  readonly adjustment_id?: string | undefined
  readonly reservation_id?: string | undefined
  acknowledged?: Entry
}

interface Hold {
  readonly order: string
  readonly cost: number
  readonly createdAt: number
  readonly expiresAt: number
  status: "reserved" | "captured" | "reversed"
  /** Points that its capture took out of lots. */
  taken?: ReadonlyArray<Share>
  /** The answers that a repeated capture or reversal gets again. */
  captured?: Exchange
  reversed?: Exchange
  /** When closing the member released it: no command did. */
  releasedAt?: number
}

interface Order extends OrderPoints {
  left: Left.Left
  /** The tier period of its accrual. */
  readonly period: number
  readonly multiplierBps: number
  /** Whether its channel earns. */
  readonly earns: boolean
  closed: boolean
}

/** Expectation of an exchange at a moment: a refusal, or a success that this accepts. */
type Outcome<Id extends Played> =
  | { readonly code: string }
  | { readonly status: number; readonly accept: (body: ResponseOf<Id>, at: number) => void }

/** The demo programme's rewards and what they cost; its tiers; 10 points a dollar from one dollar on. */
const costs: Readonly<Record<string, number>> = { "one-off": 100, "free-bowl": 1000 }
const minimumSpend = 100
const channels: ReadonlyArray<string> = ["counter", "drive_thru", "web", "mobile"]
const tiers = [
  { id: "vip", minimum: 1500, multiplierBps: 15_000 },
  { id: "regular", minimum: 500, multiplierBps: 12_000 },
  { id: "starter", minimum: Number.NEGATIVE_INFINITY, multiplierBps: 10_000 }
] as const
const starter = tiers[2]
const yearMs = 365 * 86_400_000

const pointsFor = (spend: number, multiplierBps: number): number =>
  Math.floor((spend * 10 * multiplierBps) / (100 * 10_000))

/**
 * Points that an order earns with this spend, by the terms of its accrual
 * (contract/orders.md *Earning*, *Adjusting an order*).
 */
const earnedBy = ({ earns, multiplierBps }: Pick<Order, "earns" | "multiplierBps">, spend: number): number =>
  earns && spend >= minimumSpend ? pointsFor(spend, multiplierBps) : 0

const millis = (timestamp: string): number => Date.parse(timestamp)

const contextOf = (body: object): unknown => ("context" in body ? body.context : undefined)

/** A body without its context, without that and balances, or with all but the request's id. */
const withoutContext = (body: object): object => ({ ...body, context: undefined })
const withoutFigures = (body: object): object => ({ ...body, context: undefined, balances: undefined })
const withoutRequestId = (body: object): object => ({
  ...body,
  context: { ...(contextOf(body) as object), request_id: "" }
})

export class Guest {
  readonly member: string
  readonly entries: Array<Expected> = []
  readonly faults: Array<string> = []
  private readonly book: Book
  /** How long points are good for, ms. */
  private readonly lifeMs: number
  status: MemberStatus = "active"
  /** The ids that lead to the guest: its own, and those of guests that were merged into it. */
  private readonly names: Set<string>
  /** Values of the identities that find the guest. */
  readonly identities = new Set<string>()
  private enrolled = false
  private earned = 0
  /** The sum that qualifies, and its tier period: 0 before `renewsAt`, then 1. */
  private qualifying = 0
  private period = 0
  /** When a new tier period begins, ms. */
  private readonly renewsAt: number
  private readonly holds = new Map<string, Hold>()
  private readonly orders = new Map<string, Order>()
  private readonly byKey = new Map<string, Exchange>()
  private readonly byBusiness = new Map<string, Exchange>()
  /** Names of exchanges whose keys may have ended: a service that remembers one may answer by it, or the business id does. */
  readonly ended = new Set<string>()
  /** The guests that were merged into this one. */
  private readonly absorbed: Array<Guest> = []
  /** Entries that brought points of merged guests, and the least source of these. */
  private readonly brought: Array<{ readonly lowest: number; readonly source: number }> = []

  constructor(member: string, lifeMs: number = yearMs, renewsAt = Infinity, book: Book = new Book()) {
    this.member = member
    this.names = new Set([member])
    this.lifeMs = lifeMs
    this.renewsAt = renewsAt
    this.book = book
  }

  /** The same guest, to try something on. */
  clone(): Guest {
    const copy = new Guest(this.member, this.lifeMs, this.renewsAt, this.book.clone())
    copy.entries.push(...this.entries.map((entry) => ({ ...entry })))
    copy.absorbed.push(...this.absorbed)
    copy.status = this.status
    for (const name of this.names) copy.names.add(name)
    for (const identity of this.identities) copy.identities.add(identity)
    copy.enrolled = this.enrolled
    copy.earned = this.earned
    copy.qualifying = this.qualifying
    copy.period = this.period
    for (const [id, hold] of this.holds) copy.holds.set(id, { ...hold })
    for (const [id, order] of this.orders) copy.orders.set(id, structuredClone(order))
    for (const [key, exchange] of this.byKey) copy.byKey.set(key, exchange)
    for (const [business, exchange] of this.byBusiness) copy.byBusiness.set(business, exchange)
    for (const name of this.ended) copy.ended.add(name)
    copy.brought.push(...this.brought)
    return copy
  }

  get balance(): number {
    return this.book.posted
  }

  /** Lets everything happen that is due by `at`: holds end, lots expire with an entry of their own. */
  settle(at: number): void {
    for (const end of this.book.settle(at)) {
      if (end.type === "hold") continue
      const { isTaken = false, points, source } = end
      this.entries.push({
        operation: "expiration",
        amount: -points,
        expired: { at: end.at, source: this.entryOf(source) }
      })
      if (isTaken) continue
      for (const order of this.orders.values()) if (order.lots.includes(source)) order.expired += points
    }
  }

  /** The entry that made or brought a lot. */
  private entryOf(source: number): number {
    return source >= 0 ? source : (this.brought.find(({ lowest }) => source >= lowest)?.source ?? source)
  }

  private get lowest(): number {
    return this.brought.at(-1)?.lowest ?? 0
  }

  /** Whether the guest has an open hold at a moment: then it is merged with nobody. */
  isHeld(at: number): boolean {
    return this.bookAt(at).holds.size > 0
  }

  /** Another guest is merged into this one at a moment: this one has all that it had, and what it did. */
  absorb(from: Guest, at: number): void {
    for (const guest of [from, this]) guest.settle(at)
    const amount = from.balance
    const shift = this.lowest - 1 - from.entries.length
    this.brought.push({ lowest: from.lowest + shift, source: this.entries.length })
    // A guest who never had an entry brings none.
    if (from.entries.length > 0) {
      from.entries.push({ operation: "adjustment", amount: 0 - amount })
      this.entries.push({ operation: "adjustment", amount })
    }
    this.book.absorb(from.book, shift, at)
    this.earned += from.earned
    this.qualify(at, from.qualifyingAt(at))
    for (const [id, hold] of from.holds)
      this.holds.set(id, hold.taken === undefined ? hold : { ...hold, taken: movedBy(hold.taken, shift) })
    for (const [id, order] of from.orders) {
      const { filled, lots, taken } = order
      const moved = {
        lots: lots.map((source) => source + shift),
        taken: movedBy(taken, shift),
        filled: movedBy(filled, shift)
      }
      this.orders.set(id, { ...order, ...moved })
    }
    this.absorbed.push(from)
    for (const name of from.names) this.names.add(name)
    for (const identity of from.identities) this.identities.add(identity)
    for (const [key, exchange] of from.byKey) this.byKey.set(key, exchange)
    for (const [business, exchange] of from.byBusiness) this.byBusiness.set(business, exchange)
  }

  private expect(holds: boolean, detail: () => string): void {
    if (!holds) this.faults.push(detail())
  }

  /** Judges an answer and moves on as it says. */
  take(exchange: Exchange): void {
    const name = `${exchange.operation} ${exchange.key}`
    if (isWrite(exchange.operation) && this.isRepeat(exchange, name)) return
    const { answer } = exchange
    if ("code" in answer) {
      // Nobody knows when exactly it was refused: while its last attempt was on its way.
      const codes = this.moments(exchange).map((at) => this.outcome(exchange, at))
      this.expect(
        codes.some((outcome) => "code" in outcome && outcome.code === answer.code),
        () => `${name} was refused with ${answer.status} ${answer.code}, not ${codes.map(describe).join(" or ")}`
      )
      return
    }
    const at = millis(answer.body.context.processed_at)
    const outcome = this.outcome(exchange, at)
    if ("code" in outcome) {
      this.faults.push(`${name} was answered ${answer.status}, not refused with ${outcome.code}`)
      return
    }
    this.expect(answer.status === outcome.status, () => `${name} was answered ${answer.status}, not ${outcome.status}`)
    const before = this.faults.length
    this.settle(at)
    // The operation's table row and its answer belong together: both come from the same exchange.
    ;(outcome.accept as (body: unknown, at: number) => void)(answer.body, at)
    for (let i = before; i < this.faults.length; i++) this.faults[i] = `${name}: ${this.faults[i]}`
    this.record(exchange)
  }

  /** Judges what an operator was answered, and moves on as it says. */
  operated(exchange: OperatorExchange): void {
    const { answer, operation } = exchange
    const refusals = operation === "status" ? this.refusesStatus(exchange.status) : this.refusesIdentities(exchange)
    const isExpected = "code" in answer ? refusals.includes(answer.code) : refusals.every((code) => code === "conflict")
    this.expect(isExpected, () => `${JSON.stringify(exchange)} instead of ${refusals.join(" or ") || "a success"}`)
    if ("code" in answer) return
    this.settle(answer.at)
    if (operation === "identities") {
      for (const card of exchange.remove) this.identities.delete(card)
      for (const card of exchange.add) this.identities.add(card)
    } else if (exchange.status !== this.status) {
      this.status = exchange.status
      if (exchange.status === "closed") this.close(answer.at)
    }
  }

  private refusesStatus(status: MemberStatus): ReadonlyArray<string> {
    return this.status === "closed" && status !== "closed" ? ["invalid_state"] : []
  }

  /** The codes that a change of identities may be refused with; another guest may have a shared card. */
  private refusesIdentities({
    add,
    remove
  }: {
    readonly add: ReadonlyArray<string>
    readonly remove: ReadonlyArray<string>
  }) {
    if (this.status !== "active") return ["member_not_active"]
    const left = new Set([...this.identities].filter((card) => !remove.includes(card)).concat(add))
    if (left.size === 0) return ["invalid_state"]
    return add.some((card) => isShared(card) && !this.identities.has(card)) ? ["conflict"] : []
  }

  /** Open holds are released; what they kept of lots past its time expires then. */
  private close(at: number): void {
    for (const [id, hold] of this.holds) {
      if (!isOpen(hold, at)) continue
      hold.status = "reversed"
      hold.releasedAt = at
      this.book.holds.delete(id)
    }
    this.book.happened(at)
    this.settle(at)
  }

  private record(exchange: Exchange): void {
    if (!isWrite(exchange.operation)) return
    this.byKey.set(`${exchange.operation} ${exchange.key}`, exchange)
    const business = businessOf(exchange)
    if (business !== undefined && !this.byBusiness.has(business)) this.byBusiness.set(business, exchange)
  }

  /** Judges a command whose key or business identifier was recorded before. */
  private isRepeat(exchange: Exchange, name: string): boolean {
    const same = this.byKey.get(name)
    if (same !== undefined && !this.isForgotten(exchange, same, name)) {
      if (this.isSamePayload(same, exchange)) this.mustEqual(exchange, same)
      else this.mustRefuse(exchange, "idempotency_conflict")
      return true
    }
    const business = businessOf(exchange)
    const first = business === undefined ? undefined : this.byBusiness.get(business)
    if (first === undefined) return false
    if (first.operation !== exchange.operation || !this.isSamePayload(first, exchange)) {
      this.mustRefuse(exchange, "conflict")
      return true
    }
    if (exchange.operation === "redemption.reserve" && first.operation === "redemption.reserve")
      this.mustShowHold(exchange, first)
    else this.mustRepeat(exchange, first)
    this.record(exchange)
    return true
  }

  /** True if an exchange was not answered by its key, which has ended. It has the key from then on. */
  private isForgotten(exchange: Exchange, same: Exchange, name: string): boolean {
    if (!this.ended.has(name)) return false
    const { answer } = exchange
    const isByKey = this.isSamePayload(same, exchange)
      ? "body" in answer &&
        "body" in same.answer &&
        isDeepStrictEqual(withoutRequestId(answer.body), withoutRequestId(same.answer.body))
      : "code" in answer && answer.code === "idempotency_conflict"
    return !isByKey && this.ended.delete(name)
  }

  /** Whether two payloads say the same: an id that leads to the guest is as good as any other that does. */
  private isSamePayload(one: Exchange, other: Exchange): boolean {
    return isDeepStrictEqual(this.spelled(one), this.spelled(other))
  }

  /** The payload with the guest's own id in place of every id that leads to it; an enrolment only wishes for an id. */
  private spelled({ operation, payload }: Exchange): object {
    if (operation === "member.enroll") return payload
    const own = (name: string | undefined) => (name !== undefined && this.names.has(name) ? this.member : name)
    const spelled = "member_id" in payload ? { ...payload, member_id: own(payload.member_id) } : payload
    if (!("order" in spelled)) return spelled
    const { order } = spelled
    return order.member_id === undefined
      ? spelled
      : { ...spelled, order: { ...order, member_id: own(order.member_id) } }
  }

  /** Effects of the same command under another key: the first entries, with the balances of now. */
  private mustRepeat(exchange: Exchange, first: Exchange): void {
    const [now, before] = [exchange.answer, first.answer]
    if (!("body" in now && "body" in before)) {
      this.faults.push(`${exchange.operation} ${exchange.key} was answered ${JSON.stringify(now)}`)
      return
    }
    const at = millis(now.body.context.processed_at)
    this.settle(at)
    this.book.happened(at)
    this.expect(
      now.status === 200 && isDeepStrictEqual(withoutFigures(now.body), withoutFigures(before.body)),
      () =>
        `${exchange.operation} ${exchange.key} did not repeat: ${JSON.stringify(now)}, first ${JSON.stringify(before)}`
    )
    this.checkBalance((now.body as { readonly balances: Balances }).balances, at)
  }

  /** A repeated redemption is answered with its reservation as it stands now. */
  private mustShowHold(exchange: ExchangeOf<"redemption.reserve">, first: ExchangeOf<"redemption.reserve">): void {
    const [now, before] = [exchange.answer, first.answer]
    if (!("body" in now && "body" in before)) {
      this.faults.push(`${exchange.operation} ${exchange.key} was answered ${JSON.stringify(now)}`)
      return
    }
    const at = millis(now.body.context.processed_at)
    this.settle(at)
    const hold = this.holds.get(before.body.reservation.reservation_id)
    const timeOf = (ended: Exchange | undefined, name: "captured_at" | "reversed_at") =>
      ended !== undefined && "body" in ended.answer
        ? { [name]: (ended.answer.body as ResponseOf<"redemption.capture">).reservation[name] }
        : {}
    const wanted = {
      ...before.body.reservation,
      // After a merge it is the hold of the member that stays.
      member_id: this.member,
      status: hold?.status === "reserved" && !isOpen(hold, at) ? "expired" : hold?.status,
      ...timeOf(hold?.captured, "captured_at"),
      ...timeOf(hold?.reversed, "reversed_at"),
      ...(hold?.releasedAt === undefined ? {} : { reversed_at: fromMillis(hold.releasedAt) })
    }
    this.expect(
      now.status === 200 && isDeepStrictEqual(now.body.reservation, wanted),
      () =>
        `${exchange.key} showed ${now.status} ${JSON.stringify(now.body.reservation)}, not ${JSON.stringify(wanted)}`
    )
    this.checkBalance(now.body.balances, at)
  }

  private mustRefuse({ answer, key, operation }: Exchange, code: string): void {
    this.expect("code" in answer && answer.code === code, () => `${operation} ${key} was not refused with ${code}`)
  }

  private mustEqual(exchange: Exchange, first: Exchange, but = withoutRequestId): void {
    const [now, before] = [exchange.answer, first.answer]
    // An enrolment that found its member shows status and identities of now; one that made it, the first body.
    const told = (body: object) =>
      "member" in body && before.status === 200
        ? but({ ...body, member: { ...(body.member as object), identities: [], status: "" } })
        : but(body)
    const same =
      now.status === before.status &&
      "body" in now &&
      "body" in before &&
      isDeepStrictEqual(told(now.body), told(before.body))
    this.expect(
      same,
      () =>
        `${exchange.operation} ${exchange.key} did not repeat the first result: ${JSON.stringify(now)}, first ${JSON.stringify(before)}`
    )
  }

  /** The first and the last moment of the answered attempt, and those between them at which a hold or a lot ends. */
  private moments({ answeredAt, sentAt }: Exchange): ReadonlyArray<number> {
    const ends = [...this.holds.values()].map((hold) => hold.expiresAt)
    const lots = this.book.lots.flatMap(({ expires }) => expires ?? [])
    const between = [...ends, ...lots].filter((at) => at > sentAt && at < answeredAt)
    return [sentAt, ...between, answeredAt]
  }

  /** The book as it will be at a moment. */
  private bookAt(at: number): Book {
    const book = this.book.clone()
    book.settle(at)
    return book
  }

  balanceAt(at: number): number {
    return this.bookAt(at).posted
  }

  reservedAt(at: number): number {
    return this.bookAt(at).reserved
  }

  private availableAt(at: number): number {
    return this.bookAt(at).available
  }

  private outcome(exchange: Exchange, at: number): Outcome<Played> {
    switch (exchange.operation) {
      case "member.enroll":
        return this.enroll(exchange.payload) as Outcome<Played>
      case "account.get":
        return this.account() as Outcome<Played>
      case "ledger.list":
        return this.ledger() as Outcome<Played>
      case "ledger.manual_adjustment":
        return this.adjustManually(exchange.payload, at) as Outcome<Played>
      case "accrual.post":
        return this.accrue(exchange.payload, at) as Outcome<Played>
      case "order.adjust":
        return this.adjustOrder(exchange.payload) as Outcome<Played>
      case "redemption.reserve":
        return this.reserve(exchange.payload, at) as Outcome<Played>
      case "redemption.capture":
        return this.capture(exchange, at) as Outcome<Played>
      case "redemption.reverse":
        return this.reverse(exchange, at) as Outcome<Played>
    }
  }

  private enroll({ identity }: PayloadOf<"member.enroll">): Outcome<"member.enroll"> {
    if (this.status === "closed") return { code: "member_not_active" }
    return {
      status: this.enrolled ? 200 : 201,
      accept: ({ balances, member }, at) => {
        this.enrolled = true
        this.identities.add(identity.value)
        this.expect(member.member_id === this.member, () => `enrolled ${member.member_id}`)
        this.checkBalance(balances, at)
      }
    }
  }

  private account(): Outcome<"account.get"> {
    return { status: 200, accept: (body) => this.checkAccount(body) }
  }

  private ledger(): Outcome<"ledger.list"> {
    return { status: 200, accept: ({ entries }) => this.checkLedger(entries) }
  }

  private adjustManually(
    payload: PayloadOf<"ledger.manual_adjustment">,
    at: number
  ): Outcome<"ledger.manual_adjustment"> {
    if (this.status !== "active") return { code: "member_not_active" }
    const { adjustment_id, amount, classification, expires_at } = payload
    const expires = expires_at === undefined ? undefined : millis(expires_at)
    if (expires !== undefined && amount < 0) return { code: "invalid_state" }
    if (expires !== undefined && expires <= at) return { code: "expired" }
    if (amount > 10_000_000_000) return { code: "invalid_state" }
    const mayOverdraw = classification === "correction" || classification === "migration"
    const available = this.availableAt(at)
    if (amount < 0 && !mayOverdraw && -amount > available) return { code: "insufficient_balance" }
    if (-amount > Math.max(available, 10_000_000_000)) return { code: "invalid_state" }
    return this.posting({ operation: "manual", amount, adjustment_id }, payload.qualifies_for_tier, expires)
  }

  private accrue({ order }: PayloadOf<"accrual.post">, at: number): Outcome<"accrual.post"> {
    if (this.status !== "active") return { code: "member_not_active" }
    if (!Orders.isValid(order, at)) return { code: "invalid_order" }
    const spend = Orders.spendOf(order, Orders.demoRules)
    const { multiplierBps } = this.tierAt(at)
    const earns = channels.includes(order.channel)
    const points = earnedBy({ earns, multiplierBps }, spend)
    return this.posting({ operation: "accrual", amount: points, order_id: order.order_id }, true, undefined, () => {
      const source = this.entries.length - 1
      this.orders.set(order.order_id, {
        left: Left.whole(order, Orders.demoRules),
        period: this.periodAt(at),
        multiplierBps,
        earns,
        kept: points,
        lots: points > 0 ? [source] : [],
        expired: 0,
        counted: 0,
        taken: [],
        filled: [],
        closed: false
      })
    })
  }

  private adjustOrder({ adjustment }: PayloadOf<"order.adjust">): Outcome<"order.adjust"> {
    const order = this.orders.get(adjustment.original_order_id)
    if (order === undefined) return { code: "not_found" }
    const { type } = adjustment
    const delta = adjustment.eligible_spend_delta.amount
    if (type !== "correction" && delta > 0) return { code: "invalid_state" }
    if (type === "correction" && order.closed) return { code: "invalid_state" }
    const closes = type === "full_refund" || type === "void"
    // Full refunds and refunds of a closed order are not measured.
    const left = closes || order.closed ? order.left : Left.after(order.left, adjustment)
    if (left === undefined || (delta > 0 && left.spend > 10_000_000_000)) return { code: "invalid_state" }
    const { original_order_id: order_id, adjustment_id } = adjustment
    return {
      status: 201,
      accept: (body, at) => {
        this.book.happened(at)
        const source = this.entries.length
        const kept = closes || order.closed ? 0 : earnedBy(order, left.spend)
        const amount = this.book.adjust(order, kept, source, at + this.lifeMs, at)
        order.left = left
        order.closed ||= closes
        const qualifies = order.period === this.periodAt(at)
        this.posted({ operation: "adjustment", amount, order_id, adjustment_id }, qualifies, body, at)
      }
    }
  }

  private reserve(
    { order, redemption_id, reward_id }: PayloadOf<"redemption.reserve">,
    at: number
  ): Outcome<"redemption.reserve"> {
    const cost = costs[reward_id]
    if (cost === undefined) return { code: "not_found" }
    if (this.status !== "active") return { code: "member_not_active" }
    if (!Orders.isValid(order, at)) return { code: "invalid_order" }
    if (order.status === "refunded" || order.status === "voided") return { code: "invalid_state" }
    const isBowl = order.lines.some(({ category_ids = [] }) => category_ids.includes("bowls"))
    if (reward_id === "free-bowl" && !isBowl) return { code: "reward_not_available" }
    if (cost > this.availableAt(at)) return { code: "insufficient_balance" }
    return {
      status: 201,
      accept: ({ balances, reservation }) => {
        const expiresAt = millis(reservation.expires_at)
        this.expect(!this.holds.has(reservation.reservation_id), () => "the reservation's id was given before")
        this.expect(
          reservation.status === "reserved" &&
            reservation.redemption_id === redemption_id &&
            reservation.order_id === order.order_id &&
            reservation.cost.amount === cost,
          () => `reserved ${JSON.stringify(reservation)}`
        )
        this.holds.set(reservation.reservation_id, {
          order: order.order_id,
          cost,
          createdAt: at,
          expiresAt,
          status: "reserved"
        })
        this.book.holds.set(reservation.reservation_id, { cost, created: at, expires: expiresAt })
        this.book.happened(at)
        this.checkBalance(balances, at)
      }
    }
  }

  private capture(exchange: ExchangeOf<"redemption.capture">, at: number): Outcome<"redemption.capture"> {
    const { order_id, reservation_id } = exchange.payload
    const hold = this.holds.get(reservation_id)
    if (hold === undefined) return { code: "not_found" }
    if (hold.order !== order_id) return { code: "conflict" }
    if (hold.status === "captured") return this.again(exchange, hold.captured)
    if (this.status === "closed") return { code: "member_not_active" }
    if (hold.status === "reversed") return { code: "invalid_state" }
    if (!isOpen(hold, at)) return { code: "expired" }
    return this.ending(exchange, hold, "captured", at)
  }

  private reverse(exchange: ExchangeOf<"redemption.reverse">, at: number): Outcome<"redemption.reverse"> {
    const hold = this.holds.get(exchange.payload.reservation_id)
    if (hold === undefined) return { code: "not_found" }
    if (hold.releasedAt !== undefined) return this.released(exchange, hold.releasedAt)
    if (hold.status === "reversed") return this.again(exchange, hold.reversed)
    if (this.status === "closed") return { code: "member_not_active" }
    if (hold.status === "reserved" && !isOpen(hold, at)) return { code: "expired" }
    return this.ending(exchange, hold, "reversed", at)
  }

  /** A second capture or reversal: the first result. */
  private again(exchange: Exchange, first: Exchange | undefined): Outcome<"redemption.capture" | "redemption.reverse"> {
    return {
      status: 200,
      accept: () => {
        if (first !== undefined) this.mustEqual(exchange, first, withoutContext)
      }
    }
  }

  /** A hold that closing the member released, as it stands. */
  private released({ payload }: ExchangeOf<"redemption.reverse">, at: number): Outcome<"redemption.reverse"> {
    return {
      status: 200,
      accept: ({ balances, reservation }, now) => {
        const { reservation_id, reversed_at, status } = reservation
        this.expect(
          reservation_id === payload.reservation_id && status === "reversed" && reversed_at === fromMillis(at),
          () => `released at ${fromMillis(at)}, shown ${JSON.stringify(reservation)}`
        )
        this.checkBalance(balances, now)
      }
    }
  }

  /** Capturing spends, reversing what was captured gives back, releasing posts nothing. */
  private ending(
    exchange: ExchangeOf<"redemption.capture"> | ExchangeOf<"redemption.reverse">,
    hold: Hold,
    status: "captured" | "reversed",
    at: number
  ): Outcome<"redemption.capture" | "redemption.reverse"> {
    const { reservation_id } = exchange.payload
    const { cost, order } = hold
    return {
      status: 200,
      accept: ({ balances, reservation }: { balances: Balances; reservation: Reservation }) => {
        this.book.happened(at)
        this.book.holds.delete(reservation_id)
        if (status === "captured") {
          const entry: Expected = { operation: "redemption", amount: -cost, order_id: order, reservation_id }
          hold.taken = this.post(entry, undefined, hold.createdAt)
        } else if (hold.status === "captured") {
          this.entries.push({ operation: "reversal", amount: cost, order_id: order, reservation_id })
          this.book.restore(this.entries.length - 1, cost, hold.taken ?? [], at + this.lifeMs, at)
        }
        hold.status = status
        hold[status] = exchange
        this.expect(
          reservation.status === status && reservation.reservation_id === reservation_id,
          () => `${status}: ${JSON.stringify(reservation)}`
        )
        this.checkBalance(balances, at)
      }
    }
  }

  private periodAt(at: number): number {
    return at < this.renewsAt ? 0 : 1
  }

  private qualifyingAt(at: number): number {
    return this.period === this.periodAt(at) ? this.qualifying : 0
  }

  private qualify(at: number, amount: number): void {
    this.qualifying = this.qualifyingAt(at) + amount
    this.period = this.periodAt(at)
  }

  private tierAt(at: number) {
    return tiers.find((tier) => this.qualifyingAt(at) >= tier.minimum) ?? starter
  }

  private post(entry: Expected, expires: number | undefined, since: number): ReadonlyArray<Share> {
    this.entries.push(entry)
    return this.book.post(this.entries.length - 1, entry.amount, expires, since)
  }

  /** A command that posts one entry and shows it. */
  private posting(
    entry: Expected,
    qualifies: boolean,
    expires: number | undefined,
    applied: () => void = () => {}
  ): Outcome<"ledger.manual_adjustment" | "accrual.post"> {
    return {
      status: 201,
      accept: (body, at) => {
        this.book.happened(at)
        this.book.post(this.entries.length, entry.amount, expires ?? at + this.lifeMs, at)
        this.posted(entry, qualifies, body, at)
        applied()
      }
    }
  }

  /** Counts an entry that the book has, and holds it against the one that was shown. */
  private posted(
    entry: Expected,
    qualifies: boolean,
    body: { readonly entry: Entry; readonly balances: Balances },
    at: number
  ): void {
    this.entries.push({ ...entry, acknowledged: body.entry })
    this.earned += entry.amount
    if (qualifies) this.qualify(at, entry.amount)
    this.expect(isEntry(entry, body.entry), () => `posted ${facts(body.entry)}, not ${facts(entry)}`)
    this.checkBalance(body.balances, at)
  }

  private checkBalance(balances: Balances, at: number): void {
    this.settle(at)
    const [balance] = balances
    const expected = { amount: this.book.posted, reserved: this.book.reserved, available: this.book.available }
    const told =
      balance === undefined || balances.length !== 1
        ? balances
        : { amount: balance.amount, reserved: balance.reserved, available: balance.available }
    this.expect(
      isDeepStrictEqual(told, expected),
      () => `the balance was ${JSON.stringify(told)}, not ${JSON.stringify(expected)}`
    )
  }

  /** Expected `accounts/get`: balance, metrics, lots and tier as the entries explain them. */
  checkAccount(body: ResponseOf<"account.get">): void {
    const [balance] = body.balances
    const { identities, status } = body.member
    this.expect(status === this.status, () => `the status is ${status}, not ${this.status}`)
    const cards = identities.map(({ value }) => value).toSorted()
    this.expect(
      isDeepStrictEqual(cards, [...this.identities].toSorted()),
      () => `the identities are ${cards.join(", ")}, not ${[...this.identities].join(", ")}`
    )
    this.checkBalance(body.balances, balance === undefined ? 0 : millis(balance.as_of))
    const lots = body.expiring_balances.map(({ amount, expires_at }) => [millis(expires_at), amount])
    const expected = new Map<number, number>()
    const now = millis(body.context.processed_at)
    for (const { expires, left } of this.book.lots) {
      // Points that a hold keeps past their instant are not listed.
      if (expires !== undefined && expires > now) expected.set(expires, (expected.get(expires) ?? 0) + left)
    }
    const wanted = [...expected].toSorted(([a], [b]) => a - b)
    this.expect(
      isDeepStrictEqual(lots, wanted),
      () => `the lots are ${JSON.stringify(lots)}, not ${JSON.stringify(wanted)} of ${this.balance}`
    )
    const metric = (id: string) => body.metrics.find((metric) => metric.metric_id === id)?.amount
    this.expect(metric("lifetime-earned") === this.earned, () => `lifetime-earned is ${metric("lifetime-earned")}`)
    const qualifying = this.qualifyingAt(now)
    this.expect(metric("tier-qualifying") === qualifying, () => `qualifying is ${metric("tier-qualifying")}`)
    this.expect(
      body.tier_progress?.current_tier_id === this.tierAt(now).id,
      () => `the tier is ${body.tier_progress?.current_tier_id}, not ${this.tierAt(now).id}`
    )
  }

  private checkExpiration(
    { at, source }: { readonly at: number; readonly source: number },
    entry: Entry,
    ledger: ReadonlyArray<Entry>
  ): void {
    this.expect(
      millis(entry.occurred_at) === at && entry.related_entry_id === ledger[source]?.entry_id,
      () => `an expiration of entry ${source + 1} at ${new Date(at).toISOString()} is ${JSON.stringify(entry)}`
    )
  }

  /** The whole ledger as expected, newest first: every acknowledged entry once, in its place, and nothing else. */
  checkLedger(newestFirst: ReadonlyArray<Entry>): void {
    for (const [place, { occurred_at }] of newestFirst.entries()) {
      const before = newestFirst[place - 1]
      this.expect(
        before === undefined || millis(before.occurred_at) >= millis(occurred_at),
        () => `entry ${place + 1} of the list is newer than the one before it`
      )
    }
    const own = (guest: Guest) => newestFirst.filter(({ member_id }) => member_id === guest.member)
    const all = this.contained()
    const strange = newestFirst.filter(({ member_id }) => all.every(({ member }) => member !== member_id))
    this.expect(strange.length === 0, () => `the ledger shows an entry of ${strange[0]?.member_id}`)
    for (const guest of all) guest.checkOwnLedger(own(guest))
    for (const guest of all) if (guest !== this) this.faults.push(...guest.faults.splice(0))
  }

  /** The guest and those who were merged into it, directly or through others. */
  private contained(): ReadonlyArray<Guest> {
    return [this, ...this.absorbed.flatMap((guest) => guest.contained())]
  }

  private checkOwnLedger(newestFirst: ReadonlyArray<Entry>): void {
    const ledger = newestFirst.toReversed()
    const lost = missing(this.entries, ledger).map((line) => `lost: ${line}`)
    const doubled = missing(ledger, this.entries).map((line) => `doubled: ${line}`)
    this.faults.push(...lost, ...doubled)
    if (lost.length + doubled.length > 0) return
    ledger.forEach((entry, index) => {
      const expected = this.entries[index]
      if (expected === undefined || !isEntry(expected, entry)) {
        this.faults.push(
          `entry ${index + 1} is ${facts(entry)}, not ${expected === undefined ? "there" : facts(expected)}`
        )
        return
      }
      if (expected.expired !== undefined) this.checkExpiration(expected.expired, entry, ledger)
      const shown = expected.acknowledged
      this.expect(
        shown === undefined || isDeepStrictEqual(shown, entry),
        () => `the entry was acknowledged as ${JSON.stringify(shown)} and is ${JSON.stringify(entry)}`
      )
      // An entry that no answer showed is held to its first sight from now on.
      expected.acknowledged ??= entry
      const before = ledger[index - 1]
      this.expect(
        before === undefined || millis(before.occurred_at) <= millis(entry.occurred_at),
        () => `entry ${index + 1} is older than the one before it`
      )
    })
    const ids = new Set(ledger.map((entry) => entry.entry_id))
    this.expect(ids.size === ledger.length, () => "two entries have one id")
  }
}

type Balances = ResponseOf<"account.get">["balances"]

const isOpen = (hold: Hold, at: number): boolean => hold.status === "reserved" && at < hold.expiresAt

const describe = (outcome: Outcome<Played>): string => ("code" in outcome ? outcome.code : String(outcome.status))

/** Facts that tell one entry from all others of its guest. */
const facts = ({ adjustment_id, amount, operation, order_id, reservation_id }: Expected | Entry): string =>
  [operation, amount, order_id, adjustment_id, reservation_id].filter((part) => part !== undefined).join(" ")

const isEntry = (expected: Expected, entry: Entry): boolean => facts(expected) === facts(entry)

/** Those of the first that the second does not have, counted. */
const missing = (wanted: ReadonlyArray<Expected | Entry>, present: ReadonlyArray<Expected | Entry>) => {
  const counts = new Map<string, number>()
  for (const entry of present) counts.set(facts(entry), (counts.get(facts(entry)) ?? 0) + 1)
  return wanted.map(facts).filter((line) => {
    const left = counts.get(line) ?? 0
    counts.set(line, left - 1)
    return left <= 0
  })
}

/** The identifier that protects a command whatever its key; the two kinds of adjustment share one space. */
const businessOf = (exchange: Exchange): string | undefined => {
  switch (exchange.operation) {
    case "accrual.post":
      return `order ${exchange.payload.order.order_id}`
    case "ledger.manual_adjustment":
      return `adjustment ${exchange.payload.adjustment_id}`
    case "order.adjust":
      return `adjustment ${exchange.payload.adjustment.adjustment_id}`
    case "redemption.reserve":
      return `redemption ${exchange.payload.redemption_id}`
    default:
      return undefined
  }
}
