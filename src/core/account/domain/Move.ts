/**
 * Decides the move of an order to another member: one record for each member. Both are written or neither is
 * (contract/operators.md *Moving an order*).
 *
 * `from` loses the order as by a void. `into` gets what is left of it, as its accrual: with all of the accrual's facts,
 * its rules and the dates of its points, so that later adjustments give what they would have given.
 */

import { said } from "../../../contract/Said.ts"
import type { Unit } from "../../../contract/Values.ts"
import * as Expiration from "../../rules/Expiration.ts"
import type { Program } from "../../rules/Program.ts"
import type { AccountEvent, LineChange, OrderReceived } from "./AccountEvent.ts"
import type { CardReward } from "./Action.ts"
import * as Challenged from "./Challenged.ts"
import * as Clawback from "./Clawback.ts"
import type { Circumstances, Decided, NeedsCards } from "./Decision.ts"
import { decidedEntries, inactive, tooLarge } from "./Decision.ts"
import { Draft } from "./Draft.ts"
import { evolveOrder } from "./EvolveOrder.ts"
import type { LotShare } from "./Lots.ts"
import * as Lots from "./Lots.ts"
import type { Sides } from "./Merge.ts"
import { adjustmentFacts, closing, earnedAt } from "./Orders.ts"
import type { Accrual, Adjusting } from "./Posted.ts"
import * as Promoted from "./Promoted.ts"
import type { Refusal } from "./Refusal.ts"
import { refusal } from "./Refusal.ts"
import * as Remaining from "./Remaining.ts"
import type { Reply } from "./Reply.ts"
import type { OrderEarning, OrderRecord, State } from "./State.ts"
import { unitOf } from "./State.ts"

/** The order that moves. */
export interface Moving {
  readonly order: OrderRecord
  /** The record that has its accrual: of the order itself, or of its last move. */
  readonly accrual: { readonly events: ReadonlyArray<AccountEvent>; readonly reply: Reply }
  /** Number of this move among those of the order, from 1. */
  readonly move: number
  /** As in `OrderReceived`. */
  readonly before: ReadonlyArray<number>
  /** Id of the adjustment that takes it from `from`. */
  readonly adjustment: string
  readonly reason: string
}

export interface MoveDecided {
  readonly _tag: "Decided"
  readonly from: Decided
  readonly into: Decided
}

const afterEvent = (order: OrderRecord, event: AccountEvent): OrderRecord | undefined =>
  event.type === "posted" || event.type === "order_adjusted" ? evolveOrder(order, event) : undefined

/** Refuses an order or members for which nothing can move. Requires: everything due is posted. */
const unfit = ({ closed, order }: OrderRecord, from: State, into: State): Refusal | undefined =>
  (from.mergedInto === undefined ? undefined : inactive(from)) ??
  inactive(into) ??
  (closed ? refusal("invalid_state", said`Order ${order} was refunded in full; nothing is left to move.`) : undefined)

/** Decides both records, both at the same instant. */
export const move = (
  { from, into }: Sides,
  moving: Moving,
  given: Circumstances
): MoveDecided | NeedsCards | Refusal => {
  const { now, program } = given
  if (program.isRetired) return refusal("program_retired", said`Programme ${program.id} was retired.`)
  const at = Math.max(now, from.state.at, into.state.at)
  const [leaving, taking] = [new Draft(from.state, program, at), new Draft(into.state, program, at)]
  leaving.settle()
  taking.settle()
  const order = leaving.after(moving.order, afterEvent)
  const refused = unfit(order, leaving.state, taking.state)
  if (refused !== undefined) return refused
  const first = { leaving: leaving.state.entries + 1, taking: taking.state.entries + 1 }
  const unfitting = takeBack(leaving, order, moving)
  if (unfitting !== undefined) return unfitting
  Challenged.countAgain(leaving, order, undefined)
  const taken = leaving.events.flatMap(
    (event): ReadonlyArray<Adjusting> =>
      event.type === "posted" && event.op === "adjustment" && event.n >= first.leaving ? [event] : []
  )
  const cards = draftInto(taking, { order, moving, taken, account: from.account, by: leaving }, given)
  if ("_tag" in cards) return cards
  const target = { account: into.account, member: taking.state.member, seq: taking.seq }
  leaving.emit({
    type: "order_adjusted",
    at,
    order: order.order,
    adjustment: moving.adjustment,
    kind: "void",
    delta: 0 - (order.spend + order.delta),
    ...closing(order),
    moved: target
  })
  const { reply } = moving.accrual
  const ineligible = reply.type === "entries" ? reply.ineligible : undefined
  return {
    _tag: "Decided",
    from: decidedEntries(leaving, first.leaving),
    into: decidedEntries(taking, first.taking, cards, ineligible)
  }
}

/** Takes the order's points back, as a void does. */
const takeBack = (draft: Draft, order: OrderRecord, { adjustment, reason }: Moving): Refusal | undefined => {
  for (const earning of order.earnings) {
    const { kept, unit } = earning
    const adjusted = Clawback.clawBack(earning, unitOf(draft.state, unit), kept, {
      at: draft.at,
      idle: draft.state.idle
    })
    const facts = adjustmentFacts(order, earning, adjusted, 0, { adjustment, reason })
    if (!draft.fits(unit, adjusted.amount, facts.counts)) return tooLarge(unit)
    draft.post(facts, draft.at, order)
  }
  return undefined
}

/**
 * An accrual's facts without those of its own account: number, times, lots and periods. One that posted no points has no
 * expiry in its record; what corrections have brought in ends as points do that were earned then.
 */
const factsOf = (
  { accrual, order }: Pick<Moving, "accrual" | "order">,
  { kept, rule, unit }: OrderEarning,
  program: Program
) => {
  const found = accrual.events.find(
    (event): event is Accrual =>
      event.type === "posted" && event.op === "accrual" && event.order === order.order && event.unit === unit
  )
  if (found === undefined) throw new Error(`the accrual of order ${order.order} has no entry of ${unit}`)
  const { at, back: _b, card: _c, earned = at, expires: known, forgets: _f, idle, lot: _l, n: _n, ...others } = found
  const { period: _p, ...rest } = others
  const expires = found.amount > 0 ? known : Expiration.expiresAt(program, unit, earned)
  const { first: _r, lastPeriod: _s, orders: _o, promotions = [], taken: _t, ...facts } = rest
  const left = Promoted.leftOf(order, Math.max(0, order.spend + order.delta))
  const given = Promoted.remaining(promotions, earnedAt(unit, rule), left, kept)
  const date = idle ?? Expiration.inactiveAt(program, earned)
  return { date, expires, facts: { ...facts, ...(given.length === 0 ? undefined : { promotions: given }), earned } }
}

/** The sums of the changes of an order's lines since its accrual. */
const changesOf = ({ terms }: OrderRecord, { events }: Moving["accrual"]): ReadonlyArray<LineChange> => {
  const facts = events.flatMap((event) =>
    event.type === "posted" && event.op === "accrual" ? (event.lines ?? []) : []
  )
  return Remaining.linesOf(facts).flatMap(({ quantity, subtotal }, place): ReadonlyArray<LineChange> => {
    const left = terms?.lines[place]
    if (left === undefined || (left.quantity === quantity && left.subtotal === subtotal)) return []
    return [[place, left.quantity - quantity, left.subtotal - subtotal]]
  })
}

/** How an order counts for its new member. */
const countsOf = ({ state }: Draft, { hasEarned, isEmpty }: OrderRecord): Pick<Accrual, "orders" | "first"> => ({
  orders: hasEarned ? 1 : 0,
  ...(hasEarned && !isEmpty && state.orders === 0 ? { first: true } : undefined)
})

/** Counts and uses that an order with nothing left does not have, although its accrual's entries say so. */
const emptyOf = ({ hasEarned, isEmpty, uses }: OrderRecord): Partial<OrderReceived> =>
  isEmpty
    ? {
        left: "none",
        ...(hasEarned ? { orders: -1 } : undefined),
        ...(uses.length === 0 ? undefined : { returns: uses })
      }
    : {}

interface Received {
  readonly order: OrderRecord
  readonly moving: Moving
  /** The entries that took it back. */
  readonly taken: ReadonlyArray<Adjusting>
  readonly account: number
  readonly by: Draft
}

/** Drafts the record of `into`. Returns the rewards of the stamp cards and challenges that it completes. */
const draftInto = (
  draft: Draft,
  { account, by, moving, order, taken }: Received,
  given: Circumstances
): ReadonlyArray<CardReward> | NeedsCards | Refusal => {
  const { accrual, before, move } = moving
  const counts = countsOf(draft, order)
  const refunded: Array<readonly [Unit, ReadonlyArray<LotShare>]> = []
  for (const [index, earning] of order.earnings.entries()) {
    const { date, expires, facts } = factsOf({ accrual, order }, earning, draft.program)
    if (!draft.fits(earning.unit, earning.kept)) return tooLarge(earning.unit)
    const entry = { n: draft.state.entries + 1, at: draft.at, earned: facts.earned, expires }
    const clawed = Clawback.refundedShares(earning, entry)
    if (clawed.length > 0) refunded.push([earning.unit, clawed])
    const ends = {
      shares: Clawback.keptShares(earning, taken, entry),
      date: earning.kept > 0 || clawed.some(Lots.endsWithAccount) ? date : undefined
    }
    const dated = earning.kept > 0 && expires !== undefined ? { expires } : undefined
    draft.receive({ ...facts, ...(index === 0 ? counts : undefined), ...dated, amount: earning.kept }, ends, order)
  }
  const lines = changesOf(order, accrual)
  draft.emit({
    type: "order_received",
    at: draft.at,
    order: order.order,
    move,
    account,
    member: by.state.member,
    seq: by.seq,
    taken: taken.map(({ amount, unit }) => [unit, amount] as const),
    before,
    delta: order.delta,
    raised: order.terms?.raised ?? 0,
    ...(lines.length === 0 ? undefined : { lines }),
    ...(refunded.length === 0 ? undefined : { refunded }),
    ...emptyOf(order)
  })
  if (order.challenges.length > 0)
    draft.emit({ type: "challenge_progressed", at: draft.at, order: order.order, counts: order.challenges })
  return Challenged.issueEarned(draft, given.cards)
}
