/** Adjustments by an order alone: of the member that has it, else kept with it (contract/orders.md *Adjusting a kept order*). */
import { Effect } from "effect"
import type { KeptAdjustment } from "../../contract/platform/KeptOrders.ts"
import type { OrderAdjustment } from "../../contract/protocol/Order.ts"
import type { Refused } from "../../contract/Refused.ts"
import { said } from "../../contract/Said.ts"
import type { From } from "../../core/protocol/KeptOrders.ts"
import * as Limited from "../../core/protocol/Limited.ts"
import * as Writes from "../../core/protocol/Writes.ts"
import type { Program } from "../../core/rules/Program.ts"
import { refuse, refusedBy } from "../../desk/surface/Refusal.ts"
import * as Claiming from "./Claiming.ts"
import type { Done } from "./Keeping.ts"
import { isTaken } from "./Keeping.ts"
import * as Store from "./KeptStore.ts"
import { accrued, claimsOf, mustReachAccrued, mustReachRow, type Parts } from "./Parts.ts"

const elsewhere = Limited.elsewhere("/adjustment/original_order_id")

const shown = (
  { adjustment_id, original_order_id }: OrderAdjustment,
  status: KeptAdjustment["status"],
  created: boolean
): Done<KeptAdjustment> => ({ created, body: { order_id: original_order_id, adjustment_id, status } })

const checkCurrency = ({ currency, id }: Program, sent: OrderAdjustment): Effect.Effect<void, Refused> => {
  const all = [
    sent.order_total_delta,
    sent.eligible_spend_delta,
    ...(sent.lines ?? []).map((one) => one.subtotal_delta)
  ]
  const other = all.find((money) => money.currency !== currency)
  return other === undefined
    ? Effect.void
    : refuse("currency_mismatch", said`The adjustment is in ${other.currency}, programme ${id} in ${currency}.`)
}

/** Keeps an adjustment with its order. Returns the order as it was, and whether the adjustment is new. */
const kept = (parts: Parts, program: Program, adjustment: OrderAdjustment, { caller }: From) => {
  const { claimKey, query, transaction } = parts
  const { adjustment_id, original_order_id: order, type } = adjustment
  const facts = claimKey("kept adjustment", Writes.factsOf({ member_id: "", program_id: program.id, adjustment }).text)
  const conflict = refuse("conflict", "The adjustment_id was used before with other facts.")
  return transaction(
    Effect.gen(function* () {
      const row = yield* Store.lock(query, program.id, order)
      if (row === undefined) return yield* refuse("not_found", said`There is no order ${order}.`)
      yield* mustReachRow(caller, row, elsewhere)
      const before = yield* Store.findAdjustment(query, program.id, adjustment_id)
      if (before !== undefined)
        return before.facts === facts && before.order_id === order ? { row, created: false } : yield* conflict
      if ((yield* Store.insertAdjustment(query, program.id, adjustment, facts)) === undefined) return yield* conflict
      if (isTaken(row)) {
        const { account = 0 } = row
        const at = parts.machineNow()
        yield* Store.begin(query, row, { account, actor: caller.name, claimedAt: undefined, at })
      } else if (type === "full_refund" || type === "void") yield* Store.withdraw(query, program.id, order)
      return { row, created: true }
    })
  )
}

/** Adjusts an order, of any member or of none. */
export const adjust = Effect.fnUntraced(function* (
  parts: Parts,
  program: Program,
  adjustment: OrderAdjustment,
  from: From
): Effect.fn.Return<Done<KeptAdjustment>, Refused> {
  yield* claimsOf(program)
  const found = yield* accrued(parts, program.id, adjustment.original_order_id)
  if (found !== undefined) {
    // Not before: it may have accrued since the route looked.
    yield* mustReachAccrued(parts, from.caller, program.id, adjustment.original_order_id, elsewhere)
    const done = yield* parts.kept.adjust(program.id, found.member, adjustment, from)
    return done._tag === "Answer" ? shown(adjustment, "posted", done.created) : yield* refusedBy(done)
  }
  yield* checkCurrency(program, adjustment)
  const { created, row } = yield* kept(parts, program, adjustment, from)
  if (!isTaken(row)) return shown(adjustment, "kept", created)
  yield* Claiming.finish(parts, row, from)
  return shown(adjustment, "posted", created)
})
