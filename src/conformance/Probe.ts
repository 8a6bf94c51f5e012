/**
 * The tools of a case: sends requests, compares answers, and records differences
 * together with the request.
 */
import { Effect } from "effect"
import { hash } from "node:crypto"
import { isDeepStrictEqual } from "node:util"
import type { OperationId, RequestOf, ResponseOf } from "../contract/protocol/Operations.ts"
import { operations } from "../contract/protocol/Operations.ts"
import type { Order, OrderAdjustment } from "../contract/protocol/Order.ts"
import type { UnitAmount } from "../contract/protocol/Program.ts"
import { profile, protocolVersion } from "../contract/protocol/Protocol.ts"
import type { Identity } from "../contract/protocol/Resources.ts"
import { fromMillis, toMillis } from "../contract/Values.ts"
import { maxDifferences, maxDisplayChars } from "./Bounds.ts"
import type { CaseError, Difference } from "./CheckOutcome.ts"
import { Skip, Stop } from "./CheckOutcome.ts"
import { machineNow } from "./Clock.ts"
import type { Exchange, HostRequest, NoAnswer } from "./Host.ts"
import { described } from "./Host.ts"
import * as Orders from "./OrderMaker.ts"
import * as Shapes from "./Shapes.ts"
import type { Balances, Entry, OwnMember, World } from "./World.ts"

/** A request body without its context. */
export type Business<Id extends OperationId> = Omit<RequestOf<Id>, "context">

interface ContextOptions {
  /** Idempotency key; absent: a new one. */
  readonly key?: string
  readonly system?: string
}

/** An exchange with its decoded success. */
export interface Answered<Id extends OperationId> {
  readonly exchange: Exchange
  readonly value: ResponseOf<Id>
}

const truncated = (text: string): string =>
  text.length > maxDisplayChars ? `${text.slice(0, maxDisplayChars)}…` : text

export const display = (value: unknown): string =>
  truncated(typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing"))

/** A body without its context: a replay must return it unchanged. */
export const withoutContext = (body: unknown): unknown => {
  if (typeof body !== "object" || body === null) return body
  const { context: _, ...others } = body as Record<string, unknown>
  return others
}

export const codeOf = ({ body }: Exchange): string | undefined =>
  typeof body === "object" && body !== null && "code" in body && typeof body.code === "string" ? body.code : undefined

export const isSuccess = ({ status }: Exchange): boolean => status >= 200 && status < 300

/** Status and text of an answer, for reports. */
export const summary = (exchange: Exchange): string =>
  `${exchange.status} ${truncated(exchange.text) || "without a body"}`

/** Every entry of an answer. */
export const entriesOf = (value: { readonly entry: Entry; readonly entries?: ReadonlyArray<Entry> }) =>
  value.entries ?? [value.entry]

const difference = ({ request }: Exchange, expected: string, got: string): Difference => ({
  request: described(request),
  ...(request.body === undefined || request.body instanceof Uint8Array ? {} : { sent: request.body }),
  expected,
  got: truncated(got)
})

export class Probe {
  readonly world: World
  readonly differences: Array<Difference> = []
  note: string | undefined
  private readonly caseId: string
  private drawn = 0

  constructor(world: World, caseId: string) {
    this.world = world
    this.caseId = caseId
  }

  /** A random number from the seed, both ends included. */
  number(low: number, high: number): number {
    const digest = hash("sha256", `${this.world.seed} ${this.caseId} ${this.drawn++}`)
    return low + (Number.parseInt(digest.slice(0, 12), 16) % (high - low + 1))
  }

  /** An id that is unique over all cases and runs. */
  id(word: string): string {
    return `verify-${this.world.nonce}-${this.caseId}-${word}-${this.drawn++}`
  }

  get program_id(): string {
    return this.world.program.program_id
  }

  get strict(): boolean {
    return this.world.strict
  }

  differs(exchange: Exchange | undefined, expected: string, got: string): void {
    if (this.differences.length >= maxDifferences) return
    this.differences.push(
      exchange === undefined
        ? { request: "several requests", expected, got: truncated(got) }
        : difference(exchange, expected, got)
    )
  }

  /** Records a difference and ends the case. */
  stop(exchange: Exchange | undefined, expected: string, got: string): Effect.Effect<never, Stop> {
    this.differs(exchange, expected, got)
    return Effect.fail(new Stop())
  }

  skip(why: string): Effect.Effect<never, Skip> {
    return Effect.fail(new Skip({ why }))
  }

  equal(exchange: Exchange | undefined, what: string, got: unknown, expected: unknown): boolean {
    const same = isDeepStrictEqual(got, expected)
    if (!same) this.differs(exchange, `${what} is ${display(expected)}`, `${what} is ${display(got)}`)
    return same
  }

  check(exchange: Exchange | undefined, condition: boolean, expected: string, got: unknown): boolean {
    if (!condition) this.differs(exchange, expected, display(got))
    return condition
  }

  /** Checks for a refusal with this status and code. */
  refused(exchange: Exchange, status: number, code: string): void {
    if (exchange.status !== status || codeOf(exchange) !== code) {
      this.differs(exchange, `${status} ${code}`, summary(exchange))
    }
  }

  /** Checks for a refusal whose code the specification does not fix: any 4xx, with `--strict` exactly this one. */
  refusedSomehow(exchange: Exchange, status: number, code: string): void {
    if (this.strict) this.refused(exchange, status, code)
    else if (exchange.status < 400 || exchange.status > 499) {
      this.differs(exchange, "a refusal with a 4xx status", summary(exchange))
    }
  }

  send(request: HostRequest): Effect.Effect<Exchange, NoAnswer> {
    return Effect.tap(this.world.host.send(request), (exchange) =>
      Effect.sync(() => {
        for (const result of this.world.watchResults) {
          result.answers++
          const found = result.watch.check(exchange)
          if (found === undefined || result.differences.length >= maxDifferences) continue
          result.differences.push(difference(exchange, found.expected, found.got))
        }
      })
    )
  }

  context(options: ContextOptions = {}) {
    return Effect.map(machineNow, (now) => ({
      protocol_version: protocolVersion,
      profile,
      request_id: this.id("request"),
      idempotency_key: options.key ?? this.id("key"),
      occurred_at: fromMillis(now),
      source: { system: options.system ?? "lotbook-verify", instance: "verify" }
    }))
  }

  /** Sends any body to an operation, with a context unless the body has one. */
  post(id: OperationId, body: Readonly<Record<string, unknown>>, options: ContextOptions = {}) {
    return Effect.flatMap(this.context(options), (context) =>
      this.send({ method: "POST", path: operations[id].path, body: { context, ...body } })
    )
  }

  call<Id extends OperationId>(id: Id, business: Business<Id>, options: ContextOptions = {}) {
    return Effect.tap(this.post(id, business as Readonly<Record<string, unknown>>, options), (exchange) =>
      Effect.sync(() => this.remember(exchange))
    )
  }

  /** Decodes a success; anything else is a difference that ends the case. */
  succeeded<Id extends OperationId>(id: Id, exchange: Exchange): Effect.Effect<Answered<Id>, Stop> {
    if (!isSuccess(exchange)) return this.stop(exchange, "success", summary(exchange))
    const fault = Shapes.fault(id, exchange.body)
    if (fault !== undefined) return this.stop(exchange, "an answer as specified", `${fault} in ${summary(exchange)}`)
    return Effect.succeed({ exchange, value: exchange.body as ResponseOf<Id> })
  }

  ok<Id extends OperationId>(id: Id, business: Business<Id>, options: ContextOptions = {}) {
    return Effect.flatMap(this.call(id, business, options), (exchange) => this.succeeded(id, exchange))
  }

  /** Keeps acknowledged entries, reservations and rewards, for the checks and the cleaning up at the end. */
  private remember(exchange: Exchange): void {
    if (!isSuccess(exchange) || typeof exchange.body !== "object" || exchange.body === null) return
    const { context, entries, entry, issued_reward, reservation } = exchange.body as {
      readonly context?: { readonly processed_at?: string }
      readonly entry?: Entry
      readonly entries?: ReadonlyArray<Entry>
      readonly reservation?: { readonly reservation_id: string; readonly member_id: string }
      readonly issued_reward?: { readonly issued_reward_id: string; readonly member_id: string }
    }
    if (this.world.isSandbox && context?.processed_at !== undefined) this.world.hostAt = toMillis(context.processed_at)
    if (entry !== undefined) {
      for (const one of entries ?? [entry]) {
        this.world.members.get(one.member_id)?.acknowledged.set(one.entry_id, { entry: one, exchange })
      }
    }
    if (reservation !== undefined) {
      this.world.members.get(reservation.member_id)?.reservations.add(reservation.reservation_id)
    }
    if (issued_reward !== undefined) {
      this.world.members.get(issued_reward.member_id)?.issuedRewards.add(issued_reward.issued_reward_id)
    }
  }

  identity(): Identity {
    return { type: "external", value: this.id("card"), issuer: "lotbook-verify" }
  }

  /** Registers a member for the checks and the cleaning up at the end. */
  register(member_id: string, identity: Identity): OwnMember {
    const known = this.world.members.get(member_id)
    if (known !== undefined) return known
    const member: OwnMember = {
      member_id,
      identity,
      acknowledged: new Map(),
      reservations: new Set(),
      issuedRewards: new Set()
    }
    this.world.members.set(member_id, member)
    return member
  }

  /** Enrols a member for this case alone. */
  member(): Effect.Effect<OwnMember, CaseError> {
    const identity = this.identity()
    return Effect.map(this.ok("member.enroll", { program_id: this.program_id, identity }), ({ value }) =>
      this.register(value.member.member_id, identity)
    )
  }

  account(member: OwnMember) {
    return this.ok("account.get", { member_id: member.member_id, program_id: this.program_id })
  }

  /** The present balance of one account of a member. */
  balance(member: OwnMember, unit: string) {
    return Effect.flatMap(this.account(member), ({ exchange, value }) => this.balanceIn(exchange, value.balances, unit))
  }

  balanceIn(exchange: Exchange, balances: Balances, unit: string): Effect.Effect<Balances[number], Stop> {
    const found = balances.find((balance) => balance.unit === unit)
    return found === undefined ? this.stop(exchange, `a balance of ${unit}`, display(balances)) : Effect.succeed(found)
  }

  /** A manual credit or debit. */
  manual(
    member: OwnMember,
    amount: number,
    overrides: Partial<Business<"ledger.manual_adjustment">> = {}
  ): Business<"ledger.manual_adjustment"> {
    return {
      member_id: member.member_id,
      program_id: this.program_id,
      adjustment_id: this.id("adjustment"),
      amount,
      classification: "bonus",
      reason: "lotbook verify",
      qualifies_for_tier: false,
      ...overrides
    }
  }

  /**
   * Credits an amount. Skips the case if the credit posts more than one entry (a
   * stamp card that resets).
   */
  fund(member: OwnMember, { amount, unit }: UnitAmount): Effect.Effect<void, CaseError> {
    if (amount <= 0) return Effect.void
    return Effect.gen({ self: this }, function* () {
      const { exchange, value } = yield* this.ok("ledger.manual_adjustment", this.manual(member, amount, { unit }))
      if (entriesOf(value).length > 1) return yield* this.skip(`a credit of ${unit} posts further entries here`)
      const { available } = yield* this.balanceIn(exchange, value.balances, unit)
      if (available < amount) {
        this.differs(exchange, `at least ${amount} ${unit} available after the credit`, String(available))
        return yield* Effect.fail(new Stop())
      }
    })
  }

  order(lines: ReadonlyArray<Orders.Line>, overrides: Partial<Order> = {}): Effect.Effect<Order> {
    return Effect.map(machineNow, (now) =>
      Orders.order(this.world.program, this.id("order"), this.world.hostAt ?? now, lines, overrides)
    )
  }

  adjustment(order: Order, type: OrderAdjustment["type"], delta: number): Effect.Effect<OrderAdjustment> {
    return Effect.map(machineNow, (now) =>
      Orders.adjustment(this.world.program, this.id("refund"), order.order_id, now, type, delta)
    )
  }

  adjust(member: OwnMember, order: Order, type: OrderAdjustment["type"], delta: number) {
    return Effect.flatMap(this.adjustment(order, type, delta), (adjustment) =>
      this.call("order.adjust", { member_id: member.member_id, program_id: this.program_id, adjustment })
    )
  }
}
