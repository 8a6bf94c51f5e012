/** ACCRUE, and the part of REVERSE that takes a check back (contract/tills.md *Toast*). */
import { Effect, Result } from "effect"
import { hash } from "node:crypto"
import { canonical } from "../../../contract/Decode.ts"
import type { Order } from "../../../contract/protocol/Order.ts"
import type { Refused } from "../../../contract/Refused.ts"
import { fromMillis } from "../../../contract/Values.ts"
import type { FoundOrder } from "../../../core/account/FoundOrder.ts"
import { eligible } from "../../../core/rules/OrderChecks.ts"
import type { Program } from "../../../core/rules/Program.ts"
import type { Accrued, CheckFacts, KeptCheck } from "../connections/CheckFacts.ts"
import * as Corrections from "../connections/Corrections.ts"
import type { KnownConnection } from "../connections/KnownConnections.ts"
import { contextOf, isTrouble, type TillParts } from "../connections/TillParts.ts"
import type { Ended } from "../connections/Turns.ts"
import * as Checks from "./Checks.ts"
import * as Replies from "./Replies.ts"
import type { Transaction } from "./Wire.ts"

export type AccrueAsked = Extract<Transaction, { type: "LOYALTY_ACCRUE" }>["body"]

/** The end of a transaction about a check, and what the check is then. Undefined instead of it: the till must ask again. */
export interface Worked {
  readonly ended: Ended
  readonly facts: CheckFacts
}

/** Most transactions that an order is remembered to stand for. */
export const remembered = 50

/** A transaction on its way. */
export interface Going {
  readonly connection: KnownConnection
  readonly program: Program
  /** The vendor's id of the transaction. */
  readonly id: string
  readonly restaurant: string | undefined
}

/** The lines by which an order earns. */
export const linesHash = ({ lines, tenders }: Order): string =>
  hash("sha256", canonical({ lines, tenders: tenders ?? [] }))

const pointsIn = (program: Program, entries: ReadonlyArray<{ readonly unit: string; readonly amount: number }>) =>
  entries.reduce((sum, { amount, unit }) => sum + (unit === program.primaryUnit ? amount : 0), 0)

/** The entries of an answer. */
const entriesOf = (body: object) => {
  const { entries, entry } = body as {
    readonly entry: { readonly unit: string; readonly amount: number }
    readonly entries?: ReadonlyArray<{ readonly unit: string; readonly amount: number }>
  }
  return entries ?? [entry]
}

/** Makes of an order what the check has become. Points that it gave or took; undefined: ask again; a text: refused. */
export const correct = Effect.fnUntraced(function* (
  parts: TillParts,
  { connection, id, program }: Going,
  { member, order }: FoundOrder,
  accrued: Pick<Accrued, "modified" | "total">,
  target: Corrections.Target,
  reason: string
): Effect.fn.Return<number | string | undefined> {
  // An operator has refunded all of it: nothing is left that a till could correct.
  if (order.closed) return 0
  let points = 0
  for (const { direction, ...deltas } of Corrections.correctionsOf(order, accrued.total, target, program.currency)) {
    const way = direction < 0 ? "less" : "more"
    const answered = yield* parts.handlers["order.adjust"](
      {
        context: contextOf(parts, connection, id, `${id}:${way}`),
        member_id: member,
        program_id: program.id,
        adjustment: {
          adjustment_id: Checks.idOf(id, way),
          original_order_id: order.order,
          type: "correction",
          reason,
          // The same at each repetition.
          occurred_at: fromMillis(accrued.modified),
          ...deltas
        }
      },
      connection.caller
    )
    if (isTrouble(answered)) return undefined
    if (answered._tag === "Refusal") return answered.detail
    points += pointsIn(program, entriesOf(answered.body))
  }
  return points
})

/** Posts a check's first accrual. */
const post = (parts: TillParts, { connection, id }: Going, member: string, order: Order) =>
  parts.handlers["accrual.post"](
    { context: contextOf(parts, connection, id, id), member_id: member, order },
    connection.caller
  )

/** The answer to an ACCRUE. */
const earned = (program: Program, member: string, points: number) =>
  Replies.accept({
    checkResponse: {
      accountInfo: { identifier: member },
      ...(points > 0 ? { userMessage: `You earned ${points} ${program.primaryUnit}.` } : undefined)
    }
  })

/** The guest of an ACCRUE. `isSame`: the check has accrued for the guest before. */
interface Guest {
  readonly member: string
  readonly isSame: boolean
}

/** Finds the guest; an end, if the check can have none or belongs to another one; undefined: ask again. */
const guestFor = Effect.fnUntraced(function* (
  { accounts }: TillParts,
  { program }: Going,
  { accrued }: CheckFacts,
  identifier: string
): Effect.fn.Return<Guest | Ended | undefined> {
  const guest = yield* accounts.read(program.id, identifier)
  if (guest === undefined) return Replies.refused(Replies.nobody, "No member has the identifier.")
  if (guest._tag !== "Resident") return undefined
  const { member, status } = guest.state
  if (status === "closed") return Replies.refused(Replies.nobody, "The member's account is closed.")
  if (accrued === undefined) return { member, isSame: false }
  const before = yield* accounts.read(program.id, accrued.member)
  if (before !== undefined && before._tag !== "Resident") return undefined
  // A member that was merged stands for the one that it was merged into.
  const isSame = before?.account === guest.account
  return isSame || accrued.reversed === true
    ? { member, isSame }
    : Replies.refused(
        Replies.refuse("ERROR_INVALID_INPUT_PROPERTIES"),
        "The check belongs to another guest; reverse it first."
      )
})

/** The transactions that an order stands for, with one more. A reversal has ended those before it. */
const standsFor = (before: Accrued | undefined, id: string, kept?: KeptCheck): ReadonlyArray<string> =>
  [...(kept?.by ?? []), ...(before?.reversed === true ? [] : (before?.by ?? [])), id].slice(-remembered)

/** The end of an ACCRUE that is not newer than what was worked off: the order stands for it too, unless it was reversed. */
const notNewer = (facts: CheckFacts, accrued: Accrued, id: string): Worked => ({
  ended: Replies.done(Replies.accept(), {
    became: { order_id: accrued.order },
    reason: "It is not newer than what was worked off."
  }),
  facts: accrued.reversed === true ? facts : { ...facts, accrued: { ...accrued, by: standsFor(accrued, id) } }
})

/** A check as an order, and what was known of the order before. */
interface Sold {
  readonly order_id: string
  readonly member: string
  readonly modified: number
  /** Undefined: nothing is left on the check. */
  readonly order: Order | undefined
  readonly lines: string
  readonly before: Accrued | undefined
}

/** The member who has an order now; undefined: ask again. */
const ownerOf = Effect.fnUntraced(function* ({ accounts }: TillParts, { program }: Going, order: string) {
  const found = yield* accounts.order(program.id, order)
  if (found?._tag !== "FoundOrder") return undefined
  const owner = yield* accounts.read(program.id, found.member)
  return owner?._tag === "Resident" ? owner.state.member : undefined
})

/** Posts or corrects the order. Points, with the lines as they accrued; an end, if it is refused; undefined: ask again. */
const settle = Effect.fnUntraced(function* (
  parts: TillParts,
  going: Going,
  { before, lines, member, modified, order, order_id }: Sold
): Effect.fn.Return<{ readonly points: number; readonly lines: string } | Ended | undefined> {
  const { program } = going
  if (before === undefined) {
    if (order === undefined) return Replies.done(Replies.accept(), { reason: "Nothing is on the check." })
    const posted = yield* post(parts, going, member, order)
    if (isTrouble(posted)) return undefined
    if (posted._tag === "Answer") return { points: pointsIn(program, entriesOf(posted.body)), lines }
    if (posted.code !== "conflict") return Replies.refused(Replies.refusedAs(posted), posted.detail)
    // Accrued before what was known of the check was removed, or otherwise than over this connection.
    const owner = yield* ownerOf(parts, going, order_id)
    if (owner === undefined) return undefined
    if (owner !== member)
      return Replies.refused(Replies.refuse("ERROR_INVALID_INPUT_PROPERTIES"), "The check belongs to another guest.")
  }
  return yield* correctTo(parts, going, { before, lines, member, modified, order, order_id })
})

/** The end of a transaction whose order is known here and not in the journal. */
const lost = Replies.refused(Replies.refuse("ERROR"), "The order cannot be found.")

/** Corrects an order that has accrued. */
const correctTo = Effect.fnUntraced(function* (
  parts: TillParts,
  going: Going,
  { before, lines, modified, order, order_id }: Sold
): Effect.fn.Return<{ readonly points: number; readonly lines: string } | Ended | undefined> {
  const { program } = going
  const found = yield* parts.accounts.order(program.id, order_id)
  if (found === undefined) return lost
  if (found._tag !== "FoundOrder") return undefined
  const total = order?.totals.total.amount ?? 0
  const target = { lines: order?.lines ?? [], spend: spendOf(program, order, lines === before?.lines, found), total }
  const known = { modified, total: before?.total ?? total }
  const points = yield* correct(parts, going, found, known, target, "The check was changed at the till.")
  if (points === undefined) return undefined
  if (typeof points === "string") return Replies.refused(Replies.refuse("ERROR"), points)
  return { points, lines: before?.lines ?? "" }
})

/** Eligible spend. The same lines earn what they earned, also if the programme is another one now. */
export const spendOf = (
  program: Program,
  order: Order | undefined,
  isAsAccrued: boolean,
  { order: { spend } }: FoundOrder
) => (order === undefined ? 0 : isAsAccrued ? spend : eligible(program, order).spend)

/** The identifier of the guest of an ACCRUE; empty: it has none. */
export const guestIn = ({ checkTransactionInformation: { loyaltyIdentifier } }: AccrueAsked): string =>
  loyaltyIdentifier?.trim() ?? ""

/** Carries out an ACCRUE, on the turn of its check. */
export const accrue = Effect.fnUntraced(function* (
  parts: TillParts,
  going: Going,
  facts: CheckFacts,
  asked: AccrueAsked
): Effect.fn.Return<Worked | undefined, Refused> {
  const { connection, id, program, restaurant } = going
  const { accrued } = facts
  const place = Checks.placeOf(connection, restaurant)
  if (place === undefined) return { ended: Replies.unknownPlace, facts }
  const { check } = asked.checkTransactionInformation
  const guest = yield* guestFor(parts, going, facts, guestIn(asked))
  if (guest === undefined) return undefined
  if ("state" in guest) return { ended: guest, facts }
  const { isSame, member } = guest
  const modified = Checks.modifiedAt(check)
  if (accrued !== undefined && isSame && modified <= accrued.modified) return notNewer(facts, accrued, id)
  const own = accrued !== undefined && isSame ? { accrued: { ...accrued, member } } : facts
  const { guest: number, order: order_id } = Checks.orderFor(own, check.guid, member)
  const carried = yield* Checks.carriedFor(parts, { check, connection, place, program }, order_id, "paid")
  if (Result.isFailure(carried))
    return {
      ended: Replies.refused(Replies.refuse("ERROR_INVALID_INPUT_PROPERTIES"), carried.failure),
      facts
    }
  const { differs, order } = carried.success
  const before = accrued?.order === order_id ? accrued : undefined
  const lines = order === undefined ? "" : linesHash(order)
  const settled = yield* settle(parts, going, { order_id, member, modified, order, lines, before })
  if (settled === undefined) return undefined
  if ("state" in settled) return { ended: settled, facts }
  const { kept, ...others } = facts
  const became = { order_id, points: settled.points, ...(differs ? { differs } : undefined) }
  return {
    ended: Replies.done(earned(program, member, settled.points), { became }),
    facts: {
      ...others,
      accrued: {
        order: order_id,
        guest: number,
        member,
        modified,
        total: order?.totals.total.amount ?? 0,
        lines: settled.lines,
        by: standsFor(before, id, kept)
      }
    }
  }
})

/** Takes back the order of a check, if it stands for the transaction. */
export const takeBack = Effect.fnUntraced(function* (
  parts: TillParts,
  going: Going,
  facts: CheckFacts,
  target: string
): Effect.fn.Return<Worked | undefined> {
  const { accrued } = facts
  if (accrued === undefined || accrued.reversed === true || accrued.by?.includes(target) !== true)
    return { ended: Replies.done(Replies.accept(), { reason: "Nothing of it is left." }), facts }
  const found = yield* parts.accounts.order(going.program.id, accrued.order)
  if (found === undefined) return { ended: lost, facts }
  if (found._tag !== "FoundOrder") return undefined
  const nothing = { lines: [], spend: 0, total: 0 }
  const points = yield* correct(parts, going, found, accrued, nothing, "The check was reversed at the till.")
  if (points === undefined) return undefined
  if (typeof points === "string")
    return { ended: Replies.refused(Replies.refuse("ERROR_TRANSACTION_CANNOT_BE_REVERSED"), points), facts }
  return {
    ended: Replies.done(Replies.accept(), { became: { order_id: accrued.order, points } }),
    facts: { ...facts, accrued: { ...accrued, reversed: true, total: 0, by: [] } }
  }
})
