/**
 * One caller with guests of its own, one after the other: draws its next
 * command from its stream and from what it has been told so far.
 */

import * as Testing from "../../src/app/testing/Testing.ts"
import type { RequestOf } from "../../src/contract/protocol/Operations.ts"
import type { Order } from "../../src/contract/protocol/Order.ts"
import { fromMillis } from "../../src/contract/Values.ts"
import type { Client } from "../faults/Client.ts"
import type { Exchange, History, PayloadOf, Played } from "./History.ts"
import { isWrite } from "./History.ts"
import * as Orders from "./Orders.ts"
import type { Random } from "./Random.ts"

const program_id = "demo-foodservice"

/** Exchanges of one guest, then the next one comes: short ledgers are quick to compare, and many. */
const exchangesPerGuest = 40

/** Longest pause between two commands, ms: tens of callers keep every group full without filling the machine. */
const thinkMs = 40

type Adjustment = RequestOf<"order.adjust">["adjustment"]
type Classification = RequestOf<"ledger.manual_adjustment">["classification"]

/** A command before it is sent. */
export type Command = {
  [Id in Played]: { readonly operation: Id; readonly payload: PayloadOf<Id>; readonly key: string }
}[Played]

const classifications: ReadonlyArray<Classification> = ["bonus", "gift", "migration", "service_recovery", "correction"]

/** How often each kind of command is drawn, in parts of their sum. */
const shares = {
  accrue: 28,
  credit: 8,
  debit: 10,
  reserve: 14,
  capture: 12,
  reverse: 9,
  refund: 9,
  read: 8,
  list: 4,
  repeatKey: 5,
  repeatFacts: 3,
  conflict: 2,
  enrolAgain: 1
}
type Kind = keyof typeof shares
const kinds = Object.entries(shares).flatMap(([kind, share]) => Array<Kind>(share).fill(kind as Kind))

const money = (amount: number) => ({ amount, currency: "USD" })

interface Held {
  readonly reservation: string
  readonly order: string
}

export interface CallerOptions {
  /** The time at which orders are placed, ms; undefined: the machine's. */
  readonly now?: () => number
  /** When a credit is to expire, ms; undefined: with all points. */
  readonly creditExpires?: () => number | undefined
  /** Whether it asks for what is there, too. */
  readonly reads?: boolean
  /** Exchanges of one guest until the next one comes. */
  readonly exchangesPerGuest?: number
  /** Longest pause between two commands, ms. */
  readonly maxThinkMs?: number
}

export class Caller {
  readonly histories: Array<History> = []
  private readonly name: string
  private readonly random: Random
  private history: History | undefined
  /** Exchanges until the next guest comes. */
  private left = 0
  private orders: Array<string> = []
  private holds: Array<Held> = []
  /** State of guests of before. */
  private readonly had = new Map<History, { readonly orders: Array<string>; readonly holds: Array<Held> }>()
  private ids = 0

  private readonly options: CallerOptions

  constructor(name: string, random: Random, options: CallerOptions = {}) {
    this.name = name
    this.random = random
    this.options = options
  }

  /** Makes exchanges until it is told to stop, and ends with a definite one; or where there was none. */
  async run(client: Client, goesOn: () => boolean): Promise<void> {
    while (goesOn()) {
      const { history, command } = this.next()
      const exchange = await client.call(command.operation, command.payload as never, command.key, history.member)
      if (exchange === undefined) return
      this.note(history, exchange as Exchange)
      await new Promise<void>((resolve) =>
        setTimeout(resolve, this.random.whole(0, this.options.maxThinkMs ?? thinkMs))
      )
    }
  }

  /** The next command, of the guest in hand or of a new one. */
  next(): { readonly history: History; readonly command: Command } {
    if (this.history === undefined || this.left <= 0) {
      const member = `${this.name}-${this.histories.length + 1}`
      this.history = { member, names: [member], exchanges: [] }
      this.histories.push(this.history)
      this.orders = []
      this.holds = []
      this.had.set(this.history, { orders: this.orders, holds: this.holds })
      this.left = this.options.exchangesPerGuest ?? exchangesPerGuest
    }
    const { history } = this
    if (history.exchanges.length === 0) return { history, command: this.enrol(history.member) }
    for (;;) {
      const command = this.draw(history, this.random.pick(kinds))
      if (this.options.reads === false && command !== undefined && !isWrite(command.operation)) continue
      if (command !== undefined) return { history, command }
    }
  }

  /** A guest was merged into another: from here on there is one, who is known by the names of both. */
  merged(from: History, into: History): void {
    const [gone, kept] = [this.had.get(from), this.had.get(into)]
    if (gone === undefined || kept === undefined) throw new Error("a guest of another caller")
    into.names.push(...from.names)
    into.exchanges.push(...from.exchanges)
    kept.orders.push(...gone.orders)
    kept.holds.push(...gone.holds)
    this.had.delete(from)
    if (this.history !== from && this.history !== into) return
    this.left = this.options.exchangesPerGuest ?? exchangesPerGuest
    this.history = into
    this.orders = kept.orders
    this.holds = kept.holds
  }

  /** Keeps what later commands refer to. */
  note(history: History, exchange: Exchange): void {
    history.exchanges.push(exchange)
    this.left--
    if ("code" in exchange.answer) return
    if (exchange.operation === "accrual.post") this.orders.push(exchange.payload.order.order_id)
    if (exchange.operation === "redemption.reserve") {
      const { order_id, reservation_id } = (
        exchange.answer as { body: { reservation: { order_id: string; reservation_id: string } } }
      ).body.reservation
      this.holds.push({ reservation: reservation_id, order: order_id })
    }
  }

  private order(amount: number, overrides: Partial<Order> = {}): Order {
    const placed = Testing.placedAt(this.options.now?.() ?? Date.now())
    return Testing.order(this.id("order"), amount, { ...placed, ...overrides })
  }

  private id(kind: string): string {
    return `${this.name}-${kind}-${++this.ids}`
  }

  private enrol(member: string, member_id = member): Command {
    const identity = { type: "loyalty_id", value: `card-${member}`, issuer: "faults" } as const
    return { operation: "member.enroll", payload: { program_id, identity, member_id }, key: this.id("enrol") }
  }

  /** A command of this kind; nothing where the guest has nothing yet that it could be about. */
  private draw(history: History, kind: Kind): Command | undefined {
    const { random } = this
    const member_id = history.names.length > 1 ? random.pick(history.names) : history.member
    switch (kind) {
      case "accrue":
        return {
          operation: "accrual.post",
          payload: { member_id, order: this.drawOrder(history) },
          key: this.id("key")
        }
      case "credit":
        return this.adjust(
          member_id,
          random.whole(1, 300),
          random.pick(classifications),
          this.options.creditExpires?.()
        )
      case "debit":
        return this.adjust(member_id, -random.whole(1, 600), random.pick(classifications))
      case "reserve":
        return {
          operation: "redemption.reserve",
          payload: {
            redemption_id: this.id("redemption"),
            member_id,
            reward_id: random.next() < 0.8 ? "one-off" : "free-bowl",
            order: this.order(1_200, {
              status: random.next() < 0.9 ? "open" : random.pick(["refunded", "voided", "paid"]),
              ...this.named(history)
            })
          },
          key: this.id("key")
        }
      case "capture":
        return this.capture()
      case "reverse":
        return this.reverse()
      case "refund":
        return this.refund(member_id)
      case "read":
        return { operation: "account.get", payload: { member_id, program_id }, key: this.id("read") }
      case "list":
        return { operation: "ledger.list", payload: { member_id, program_id, limit: 100 }, key: this.id("read") }
      case "enrolAgain":
        // Tills race with ids of their own: the identity's member is the answer.
        return this.enrol(member_id, random.next() < 0.5 ? member_id : this.id("member"))
      default:
        return this.repeat(history, kind)
    }
  }

  /** An order; some are small, and some of a channel that earns nothing. */
  private drawOrder(history: History): Order {
    const { random } = this
    const amount = random.next() < 0.15 ? random.whole(50, 250) : random.whole(50, 9_000)
    const channel = random.next() < 0.1 ? ({ channel: "kiosk" } as const) : undefined
    const plain = this.order(amount, { ...channel, ...this.named(history) })
    return random.next() < 0.5 ? plain : Orders.draw(random, plain)
  }

  /** An order's own member, which tills may leave out. */
  private named({ names }: History): { readonly member_id?: string } {
    return this.random.next() < 0.2 ? { member_id: this.random.pick(names) } : {}
  }

  private adjust(member_id: string, amount: number, classification: Classification, expires?: number): Command {
    return {
      operation: "ledger.manual_adjustment",
      payload: {
        member_id,
        program_id,
        adjustment_id: this.id("adjustment"),
        amount,
        classification,
        reason: "fault run",
        qualifies_for_tier: this.random.next() < 0.5,
        ...(expires === undefined ? undefined : { expires_at: fromMillis(expires) })
      },
      key: this.id("key")
    }
  }

  private capture(): Command | undefined {
    if (this.holds.length === 0) return undefined
    const hold = this.random.pick(this.holds)
    const order_id = this.random.next() < 0.05 ? "another-order" : hold.order
    return {
      operation: "redemption.capture",
      payload: { reservation_id: hold.reservation, order_id },
      key: this.id("key")
    }
  }

  private reverse(): Command | undefined {
    if (this.holds.length === 0) return undefined
    const { reservation } = this.random.pick(this.holds)
    return {
      operation: "redemption.reverse",
      payload: { reservation_id: reservation, reason: "fault run" },
      key: this.id("key")
    }
  }

  private refund(member_id: string): Command | undefined {
    if (this.orders.length === 0) return undefined
    const type = this.random.pick<Adjustment["type"]>(["partial_refund", "partial_refund", "full_refund", "correction"])
    const { random } = this
    const delta = type === "correction" ? random.whole(-2_000, 2_000) : -random.whole(0, 3_000)
    const within = (limit: number) => random.whole(Math.min(0, limit), Math.max(0, limit))
    const changed = ["line-1", "1", "2", "3"].map((line_id) => ({
      line_id,
      quantity_delta: Math.sign(delta) * random.whole(0, 2),
      // A line with a negative price is taken back by a positive amount.
      subtotal_delta: money(random.next() < 0.2 ? within(-Math.sign(delta) * 200) : within(delta))
    }))
    const lines = random.next() < 0.5 ? undefined : changed.filter(() => random.next() < 0.4)
    return {
      operation: "order.adjust",
      payload: {
        member_id,
        program_id,
        adjustment: {
          adjustment_id: this.id("adjustment"),
          original_order_id: this.random.pick(this.orders),
          type,
          reason: "fault run",
          occurred_at: "2026-07-14T10:00:00.000Z",
          order_total_delta: money(random.next() < 0.05 ? 0 - delta : delta),
          eligible_spend_delta: money(delta),
          ...(lines === undefined ? undefined : { lines })
        }
      },
      key: this.id("key")
    }
  }

  /** Something that was done before: with its key, under a new key, or with its key and other facts. */
  private repeat({ exchanges, names }: History, kind: "repeatKey" | "repeatFacts" | "conflict"): Command | undefined {
    const done = exchanges.filter(({ answer, operation }) => isWrite(operation) && "body" in answer)
    if (done.length === 0) return undefined
    const first = this.random.pick(done)
    const { key, operation } = first
    const payload = names.length > 1 ? this.respelled(first, names) : first.payload
    if (kind === "repeatKey") return { operation, payload, key } as Command
    if (kind === "repeatFacts") return { operation, payload, key: this.id("key") } as Command
    return first.operation === "ledger.manual_adjustment"
      ? { operation: first.operation, payload: { ...first.payload, amount: first.payload.amount + 1 || 2 }, key }
      : undefined
  }

  /** The same payload with any of the ids that lead to the guest (an enrolment only wishes for an id). */
  private respelled({ operation, payload }: Exchange, names: ReadonlyArray<string>): object {
    if (operation === "member.enroll" || !("member_id" in payload)) return payload
    const spelled = { ...payload, member_id: this.random.pick(names) }
    if (!("order" in spelled) || spelled.order.member_id === undefined) return spelled
    return { ...spelled, order: { ...spelled.order, member_id: this.random.pick(names) } }
  }
}
