/** Tills keep orders without a guest (contract/orders.md *Orders without a guest*). */
import { Effect } from "effect"
import type { KeptOrder } from "../../contract/platform/KeptOrders.ts"
import type { Order } from "../../contract/protocol/Order.ts"
import type { Refused } from "../../contract/Refused.ts"
import { said } from "../../contract/Said.ts"
import { fromMillis } from "../../contract/Values.ts"
import { checkOrder } from "../../core/account/domain/Orders.ts"
import * as KeptOrders from "../../core/protocol/KeptOrders.ts"
import * as Limited from "../../core/protocol/Limited.ts"
import { later } from "../../core/rules/Expiration.ts"
import type { Program } from "../../core/rules/Program.ts"
import { refuse, refusedBy } from "../../desk/surface/Refusal.ts"
import * as ClaimCode from "./ClaimCode.ts"
import * as Store from "./KeptStore.ts"
import { claimsOf, count, hasAccrued, mustReachAccrued, mustReachRow, type Parts, type Reaching } from "./Parts.ts"

/** An answer, and whether the request has made something new. */
export interface Done<A> {
  readonly created: boolean
  readonly body: A
}

/** Where the guest claims an order: on the page that the programme names, else on its page for guests. */
const claimUrlOf = (siteUrl: string, { claims, file, id }: Program, code: string): string | undefined => {
  if (claims?.pageUrl !== undefined) return `${claims.pageUrl}#${code}`
  return file.guest_page === undefined ? undefined : `${siteUrl}/my/${id}#claim=${code}`
}

const shown = ({ claimKey, siteUrl }: Parts, program: Program, row: Store.Kept): KeptOrder => {
  const code = ClaimCode.of(claimKey, program.id, row.order_id)
  const url = claimUrlOf(siteUrl, program, code)
  return {
    order_id: row.order_id,
    claim_code: code,
    ...(url === undefined ? undefined : { claim_url: url }),
    expires_at: fromMillis(row.expires_at)
  }
}

const ofGuest = "A guest has the order. Nothing was done: send POST /platform/v1/orders/adjust to change it."

/** True if the order belongs to somebody, or is on its way to her. */
export const isTaken = ({ state }: Store.Kept): boolean => state === "claiming" || state === "claimed"

/** Refuses an order that the caller's restaurants do not have. */
type Reach = (row: Store.Kept) => Effect.Effect<void, Refused>

/** True if an order has accrued, at a restaurant of the caller; and the check of its locked row. */
const reached = Effect.fnUntraced(function* (parts: Parts, program: string, order: string, caller: Reaching) {
  const isElsewhere = yield* hasAccrued(parts, program, order)
  if (isElsewhere) yield* mustReachAccrued(parts, caller, program, order, Limited.taken)
  const reach: Reach = (row) => (isElsewhere ? Effect.void : mustReachRow(caller, row, Limited.taken))
  return { isElsewhere, reach }
})

/** Takes an order away that nobody has. One that was never kept is none. */
export const withdraw = Effect.fnUntraced(function* (
  parts: Parts,
  program: Program,
  order_id: string,
  caller: Reaching = {}
): Effect.fn.Return<Done<KeptOrder>, Refused> {
  const { query, transaction } = parts
  const { isElsewhere, reach } = yield* reached(parts, program.id, order_id, caller)
  yield* transaction(
    Effect.gen(function* () {
      const row = yield* Store.lock(query, program.id, order_id)
      if (row !== undefined) yield* reach(row)
      if (isElsewhere || (row !== undefined && isTaken(row))) return yield* refuse("invalid_state", ofGuest)
      if (row?.state === "open") yield* Store.withdraw(query, program.id, order_id)
    })
  )
  return { created: false, body: { order_id } }
})

/** The row of an order after it was sent, and whether it is new. */
const stored = Effect.fnUntraced(function* (
  parts: Parts,
  fresh: Store.NewOrder,
  caller: Reaching
): Effect.fn.Return<{ readonly row: Store.Kept; readonly created: boolean }, Refused> {
  const { query } = parts
  const { facts, order, program } = fresh
  const row = yield* Store.insert(query, fresh)
  // Looked up after the insert, so that an accrual that was posted meanwhile is found.
  const { isElsewhere, reach } = yield* reached(parts, program, order.order_id, caller)
  if (row !== undefined) return isElsewhere ? yield* refuse("conflict", ofGuest) : { row, created: true }
  const before = yield* Store.lock(query, program, order.order_id)
  if (before === undefined) return yield* refuse("conflict", ofGuest)
  yield* reach(before)
  const isSame = before.facts === facts
  if (isElsewhere || isTaken(before))
    return isSame ? { row: before, created: false } : yield* refuse("conflict", ofGuest)
  const isKept = isSame && before.state === "open"
  // The same order may be paid otherwise now.
  if (isKept && before.body === JSON.stringify(order)) return { row: before, created: false }
  if (yield* Store.isAdjusted(query, program, order.order_id))
    return isKept
      ? { row: before, created: false }
      : yield* refuse("invalid_state", "The order has adjustments. Send another one instead of other amounts.")
  yield* Store.replace(query, fresh)
  return { row: before, created: false }
})

/** Keeps an order, or changes one that nobody has. */
export const keep = Effect.fnUntraced(function* (
  parts: Parts,
  program: Program,
  sent: Order,
  caller: Reaching = {}
): Effect.fn.Return<Done<KeptOrder>, Refused> {
  const { keptMs } = yield* claimsOf(program)
  const { order_id, status } = sent
  if (status === "voided" || status === "refunded") return yield* withdraw(parts, program, order_id, caller)
  if (program.isRetired) return yield* refuse("program_retired", said`Programme ${program.id} is retired.`)
  const at = parts.now()
  const refused = checkOrder(sent, program, undefined, at)
  if (refused !== undefined) return yield* refusedBy(refused)
  if (status !== "paid")
    return yield* refuse("invalid_state", said`Only a paid order is kept without a guest; this one is ${status}.`)
  const order = KeptOrders.keptOf(sent)
  const { claimKey } = parts
  const fresh = {
    program: program.id,
    order,
    code: ClaimCode.hashOf(claimKey, program.id, ClaimCode.of(claimKey, program.id, order_id)),
    facts: claimKey("kept order", program.id, KeptOrders.factsOfKept(order).text),
    keptAt: at,
    expiresAt: later(at, keptMs)
  }
  const { created, row } = yield* parts.transaction(stored(parts, fresh, caller))
  if (created) {
    yield* count(program.id, "kept")
    parts.noteSold(sent, at)
  }
  return { created, body: shown(parts, program, row) }
})
