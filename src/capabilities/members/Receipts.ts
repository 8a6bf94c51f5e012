/** Orders that a guest has a receipt of, and no points for (contract/operators.md *A missing receipt*). */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { PeoplePool } from "../../base/database/Pools.ts"
import { firstOf, int8, optional, rowsOf } from "../../base/database/Values.ts"
import { AdminApi } from "../../contract/admin/Api.ts"
import { Branded, Franchised } from "../../contract/admin/Locations.ts"
import type { Receipt } from "../../contract/admin/Receipt.ts"
import type { ReceiptAdded } from "../../contract/admin/Receipts.ts"
import { canonical } from "../../contract/Decode.ts"
import type { Order, OrderLine } from "../../contract/protocol/Order.ts"
import type { Refused } from "../../contract/Refused.ts"
import { said } from "../../contract/Said.ts"
import { fromMillis, maxIdLength, toMillis } from "../../contract/Values.ts"
import * as ClaimKeys from "../../core/account/ClaimKeys.ts"
import type { Recorded } from "../../core/account/Codec.ts"
import * as Codes from "../../core/account/Codes.ts"
import type { Command } from "../../core/account/Command.ts"
import type { Outcome } from "../../core/account/Outcome.ts"
import * as Render from "../../core/protocol/Render.ts"
import * as Writes from "../../core/protocol/Writes.ts"
import type { Program } from "../../core/rules/Program.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import { nothing } from "../../desk/surface/Limits.ts"
import { memberOf } from "../../desk/surface/MemberOf.ts"
import { refuse, refusedBy, refuseFaults } from "../../desk/surface/Refusal.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import * as Alike from "../../reads/rollups/AlikeOrders.ts"
import * as Claiming from "../claims/Claiming.ts"
import * as ClaimParts from "../claims/Parts.ts"
import { type Answered, foreseenGift, whileOutdated } from "./Gifts.ts"
import * as OneMember from "./OneMember.ts"

const { text } = PgTypes

/** Of what a receipt does not name: nothing asks for such a product, and no rule leaves it out. */
const unnamed = "receipt"

/** Most other orders of the day that are told. */
const mostOthers = 5

const needed = Effect.all({ parts: OneMember.needed, claims: ClaimParts.needed, pool: PeoplePool })
type ClaimingParts = Effect.Success<typeof needed>
/** Parts that adding an order needs. */
type Parts = Pick<ClaimingParts, "parts" | "pool">

const place = firstOf(
  Schema.Struct({ franchisees: optional(Schema.Array(Franchised)), brands: optional(Schema.Array(Branded)) })
)

/** The entry of a list by rising day that holds on a day. */
const holding = <A extends { readonly from: string }>(entries: ReadonlyArray<A> | undefined, day: string) =>
  entries?.findLast(({ from }) => from <= day)

const scopeOf = Effect.fnUntraced(function* ({ pool }: Parts, program: Program, receipt: Receipt) {
  const { business_date, location_id } = receipt
  const found = yield* place(
    pool.query("SELECT franchisees, brands FROM locations WHERE location_id = $1", [text(location_id)])
  )
  const franchisee_id = holding(found?.franchisees, business_date)?.franchisee_id
  return {
    program_id: program.id,
    brand_id: holding(found?.brands, business_date)?.brand_id ?? location_id,
    merchant_id: location_id,
    location_id,
    ...(franchisee_id === undefined ? undefined : { franchisee_id })
  }
})

const linesOf = ({ amount: { amount, currency }, products = [] }: Receipt): ReadonlyArray<OrderLine> => {
  const zero = { amount: 0, currency }
  const rest = amount - products.reduce((sum, one) => sum + one.amount, 0)
  const all = rest === 0 && products.length > 0 ? products : [...products, { product_id: unnamed, amount: rest }]
  return all.map(({ amount: cost, product_id, ...one }, index) => {
    const quantity = "quantity" in one ? (one.quantity ?? 1) : 1
    return {
      line_id: String(index + 1),
      kind: "item",
      product_id,
      quantity,
      unit_price: { amount: Math.round(cost / quantity), currency },
      subtotal: { amount: cost, currency },
      discount: zero,
      tax: zero
    }
  })
}

const faultsOf = ({ amount, products = [] }: Receipt, order_id: string) => [
  ...(order_id.length > maxIdLength
    ? [{ path: "/number", message: "must be shorter: the order id would have over 128 characters" }]
    : []),
  ...(products.some((one) => one.amount < 0) || amount.amount < 0
    ? [{ path: "/amount", message: "must not be negative, nor that of a product" }]
    : []),
  ...(products.reduce((sum, one) => sum + one.amount, 0) > amount.amount
    ? [{ path: "/products", message: "must not cost more than the amount of the receipt" }]
    : [])
]

const orderOf = Effect.fnUntraced(function* (
  parts: Parts,
  program: Program,
  receipt: Receipt
): Effect.fn.Return<Order, Refused> {
  const { amount, business_date, location_id, number, placed_at } = receipt
  const order_id = `receipt:${location_id}:${business_date}:${number}`
  const faults = faultsOf(receipt, order_id)
  if (faults.length > 0) return yield* refuseFaults(faults)
  const zero = { amount: 0, currency: amount.currency }
  return {
    order_id,
    scope: yield* scopeOf(parts, program, receipt),
    channel: "counter",
    status: "paid",
    business_date,
    placed_at,
    lines: linesOf(receipt),
    totals: { subtotal: amount, discount: zero, tax: zero, tip: zero, service_charge: zero, total: amount }
  }
})

/** Points of the accrual's entries. */
const earnedIn = ({ events }: Recorded): number =>
  events.reduce((sum, event) => sum + (event.type === "posted" && event.op === "accrual" ? event.amount : 0), 0)

const ending = Alike.endingOf("$6::text")

/**
 * Orders of one restaurant's business day, along the index rollup_orders_places.
 * An order has the number as its whole id, or at the end of it with the receipt's amount: then it is the receipt's (`is_it`).
 */
const othersStatement = `SELECT * FROM (
    SELECT o.order_id, o.at, o.spend, a.member_id, o.account = $1 AS is_own,
        ${Alike.condition({ order: "o", ending, amount: "$7::bigint", at: "$8::bigint" })} AS is_alike,
        lower(o.order_id) = lower($6) OR (o.order_id ~* (${ending}) AND o.accrued = $7::bigint) AS is_it
      FROM rollup_orders o JOIN accounts a ON a.number = o.account
      WHERE o.program_id = $2 AND o.business = $3 AND o.location_id = $4 AND o.order_id <> $5
  ) o WHERE is_own OR is_alike ORDER BY is_it DESC, is_alike DESC, at, order_id LIMIT ${mostOthers}`
const otherRows = rowsOf(
  Schema.Struct({
    order_id: Schema.String,
    at: Schema.Number,
    spend: Schema.Number,
    member_id: Schema.String,
    is_own: Schema.Boolean,
    is_alike: Schema.Boolean,
    is_it: Schema.Boolean
  })
)
type Other = Effect.Success<ReturnType<typeof otherRows>>[number]

/** Orders of the day that may be the receipt's, and the guest's. */
const others = Effect.fnUntraced(function* (
  { parts, pool }: Parts,
  member: string,
  { amount: { amount }, number, placed_at }: Receipt,
  { business_date, order_id, scope }: Order
) {
  const { account } = yield* memberOf(parts.accounts, scope.program_id, member)
  return yield* otherRows(
    pool.query(othersStatement, [
      int8(account),
      text(scope.program_id),
      int8(Date.parse(business_date)),
      text(scope.location_id),
      text(order_id),
      text(number),
      int8(amount),
      int8(toMillis(placed_at))
    ])
  )
})

const otherShown = ({ at, is_alike, is_own, member_id, order_id, spend }: Other) => ({
  order_id,
  member_id: is_own ? undefined : member_id,
  is_alike: is_alike || undefined,
  at: fromMillis(at),
  eligible_spend: spend
})

/** Refuses a new receipt of an order that is there, and, until somebody has looked, one that may be. */
const mustBeAnother = (found: ReadonlyArray<Other>, { confirmed, dry_run }: Receipt) => {
  const it = found.find(({ is_it }) => is_it)
  if (it !== undefined)
    return it.is_own
      ? refuse("conflict", said`The guest has this order already, as ${it.order_id}.`)
      : refuse("conflict", said`The guest ${it.member_id} has this order, as ${it.order_id}.`)
  if (dry_run === true || confirmed === true || !found.some(({ is_alike }) => is_alike)) return Effect.void
  return refuseFaults([{ path: "/confirmed", message: "must be true, to confirm: another order may be the same one" }])
}

const actorRow = firstOf(Schema.Struct({ actor: optional(Schema.String) }))

/** When and by whom a receipt was added that is there; undefined: it is new. */
const alreadyIn = Effect.fnUntraced(function* ({ pool }: Parts, { record }: Answered) {
  if (Render.isCreated(record)) return undefined
  const { account, at, seq } = record
  const found = yield* actorRow(
    pool.query("SELECT actor FROM journal WHERE account = $1 AND seq = $2", [int8(account), int8(seq)])
  )
  return { at: fromMillis(at), by: found?.actor }
})

const commandOf = Effect.fnUntraced(function* (
  { parts }: Parts,
  named: OneMember.Named,
  receipt: Receipt,
  order: Order
) {
  const { confirmed: _, dry_run: __, reason, ...facts } = receipt
  const audit = yield* Audit.entryOf({
    action: "member.receipt",
    subject: { type: "member", id: named.member_id },
    programId: named.program_id,
    changes: Audit.changesOf(undefined, { order_id: order.order_id, ...facts }),
    reason
  })
  const business = ClaimKeys.order(parts.writes.claimKey, named.program_id, order.order_id)
  const told = { text: ` ${canonical(Writes.factsOfOrder(order))}`, named: [] }
  return {
    action: { type: "accrue", order, evaluation: undefined },
    guards: parts.writes.guard("accrual.post", named.program_id, undefined, business, told),
    audit,
    actor: audit.actor.name,
    origin: audit.requestId
  } satisfies Command
})

/** The gift of an order as it would accrue now. What it earns depends on the guest's earlier orders. */
const giftOf = Effect.fnUntraced(function* (
  { parts }: Parts,
  named: OneMember.Named,
  program: Program,
  asked: Command & { readonly guards: { readonly business: { readonly key: string; readonly fingerprint: string } } }
) {
  const outcome = yield* parts.accounts.preview(named.program_id, named.member_id, asked)
  // A receipt that is there gives nothing more.
  const points = outcome._tag === "Answered" && Render.isCreated(outcome.record) ? earnedIn(outcome.record) : 0
  const { fingerprint, key } = asked.guards.business
  const foreseen = yield* foreseenGift(parts, named, { program, id: [key, fingerprint], ...nothing, points }, asked)
  const { counted, gift } = foreseen
  return { gift, counted: counted === undefined ? undefined : { ...counted, always: true }, outcome }
})

const conflict = (order_id: string) =>
  refuse(
    "conflict",
    said`The receipt was added before, with other facts or for another guest: look for order ${order_id}.`
  )

/** Adds the order of a receipt, or with `dry_run` tells what it would earn. */
export const add = Effect.fnUntraced(function* (
  parts: Parts,
  named: OneMember.Named,
  receipt: Receipt
): Effect.fn.Return<OneMember.Done<ReceiptAdded>, Refused, CurrentCaller> {
  const { accounts, given, programs, writes } = parts.parts
  const program = yield* Visible.known(programs, named.program_id)
  const order = yield* orderOf(parts, program, receipt)
  const asked = yield* commandOf(parts, named, receipt, order)
  const foreseen = yield* giftOf(parts, named, program, asked)
  const found = yield* others(parts, named.member_id, receipt, order)
  if (foreseen.outcome._tag === "Answered" && Render.isCreated(foreseen.outcome.record))
    yield* mustBeAnother(found, receipt)
  const answer = Effect.fnUntraced(function* (outcome: Outcome, dry_run?: true) {
    if (outcome._tag === "Refusal" && outcome.code === "conflict") return yield* conflict(order.order_id)
    const told = yield* writes.rendered(Render.entriesBody, outcome)
    if (told._tag !== "Answer") return yield* refusedBy(told)
    const facts = {
      dry_run,
      order_id: order.order_id,
      ...told.body,
      already: outcome._tag === "Answered" ? yield* alreadyIn(parts, outcome) : undefined,
      others: found.map(otherShown)
    }
    return { created: told.created, body: Render.present<ReceiptAdded>(facts) }
  })
  if (receipt.dry_run === true) {
    yield* given.foreseen(foreseen.gift)
    const { body } = yield* answer(foreseen.outcome, true)
    return { created: false, body }
  }
  const settled = ({ record }: Answered) => ({ isNew: Render.isCreated(record) })
  const answered = yield* whileOutdated((outcomeOf) =>
    Effect.gen(function* () {
      const { counted, gift } = yield* giftOf(parts, named, program, asked)
      const executed = accounts.execute(named.program_id, named.member_id, { ...asked, counted })
      return yield* given.within(gift, settled, outcomeOf(executed))
    })
  ).pipe(
    Effect.catchIf(
      ({ code }) => code === "conflict",
      () => conflict(order.order_id)
    )
  )
  return yield* answer(answered)
})

/** Claims a kept order by its code. Its entry in the audit is written once, after the claim. */
const claim = Effect.fnUntraced(function* (
  { claims, parts, pool }: ClaimingParts,
  named: OneMember.Named,
  claim_code: string
) {
  const { member_id, program_id } = named
  const program = yield* Visible.known(parts.programs, program_id)
  const caller = yield* CurrentCaller
  const from = { caller, requestId: caller.requestId ?? Codes.identifier("req") }
  const done = yield* Claiming.claim(claims, program, { claim_code, member_id }, from)
  if (done.created)
    yield* Audit.tell(pool.query, {
      action: "member.claim",
      subject: { type: "member", id: member_id },
      programId: program_id,
      changes: Audit.changesOf(undefined, { order_id: done.body.entry.order_id })
    })
  return done
})

const answered = ({ body, created }: OneMember.Done<object>) =>
  HttpServerResponse.jsonUnsafe(body, { status: created ? 201 : 200 })

export const layer = HttpApiBuilder.group(AdminApi, "receipts", (handlers) =>
  Effect.map(needed, (parts) =>
    handlers
      .handle("addReceipt", ({ params, payload }) => Effect.map(add(parts, params, payload), answered))
      .handle("claimReceipt", ({ params, payload }) => Effect.map(claim(parts, params, payload.claim_code), answered))
  )
)
