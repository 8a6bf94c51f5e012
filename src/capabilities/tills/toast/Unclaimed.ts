/**
 * Checks without a guest: kept as orders that a guest can claim, where the programme keeps them
 * (contract/tills.md *Accruals and reversals*).
 */
import { Effect, Option, Result } from "effect"
import type { Order } from "../../../contract/protocol/Order.ts"
import type { Refused } from "../../../contract/Refused.ts"
import { isTransient } from "../../../desk/surface/Refusal.ts"
import * as ClaimCode from "../../claims/ClaimCode.ts"
import * as Claiming from "../../claims/Claiming.ts"
import * as Keeping from "../../claims/Keeping.ts"
import type { CheckFacts, KeptCheck } from "../connections/CheckFacts.ts"
import type { KnownConnection } from "../connections/KnownConnections.ts"
import type { TillParts } from "../connections/TillParts.ts"
import type { Answer } from "../connections/Turns.ts"
import {
  type AccrueAsked,
  correct,
  type Going,
  linesHash,
  accrue as ofGuest,
  remembered,
  spendOf,
  type Worked
} from "./Accrue.ts"
import * as Checks from "./Checks.ts"
import * as Replies from "./Replies.ts"
import type { Check } from "./Wire.ts"

/** A code in groups of four, as a guest reads it. */
const readable = (code: string): string => code.replaceAll(/(.{4})(?=.)/g, "$1-")

/** The body of an answer with the code of the order that it keeps, which follows from the order's id. */
export const withCode = (
  { claimKey }: Pick<TillParts, "claimKey">,
  { program }: KnownConnection,
  { body, keeps }: Answer
): Answer["body"] =>
  keeps === undefined
    ? body
    : {
        ...body,
        checkResponse: {
          userMessage: `Claim your points with the code ${readable(ClaimCode.of(claimKey, program, keeps))}.`
        }
      }

/** Facts of a check that is kept, with one more transaction that it stands for. */
const standing = (facts: CheckFacts, kept: Omit<KeptCheck, "by">, id: string): CheckFacts => ({
  ...facts,
  kept: { ...kept, by: [...(facts.kept?.by ?? []), id].slice(-remembered) }
})

/** True if somebody has the order, or something was done with it, so that it is corrected from now on. */
const isTaken = ({ code }: Refused): boolean => code === "conflict" || code === "invalid_state"

interface Target {
  readonly lines: Parameters<typeof correct>[4]["lines"]
  readonly spend: number
  readonly total: number
}

/** The order in the journal, once a claim that is on its way has ended. A text: refused; undefined: ask again. */
const claimed = Effect.fnUntraced(function* ({ accounts, claims }: TillParts, going: Going, order: string) {
  const { connection, id, program } = going
  const before = yield* accounts.order(program.id, order)
  if (before !== undefined) return before
  const from = { caller: connection.caller, requestId: id }
  // A guest to whom the order is refused gives it back.
  const isDone = yield* Effect.option(Claiming.finishBegun(claims, program.id, order, from))
  if (Option.isNone(isDone)) return undefined
  return isDone.value ? yield* accounts.order(program.id, order) : "The order has adjustments, and no guest."
})

/** Corrects an order that a guest has meanwhile. A text: refused; undefined: ask again. */
const corrected = Effect.fnUntraced(function* (
  parts: TillParts,
  going: Going,
  order: string,
  before: Pick<KeptCheck, "modified" | "total">,
  targetOf: (found: Parameters<typeof correct>[2]) => Target,
  reason: string
) {
  const found = yield* claimed(parts, going, order)
  if (typeof found === "string") return found
  if (found?._tag !== "FoundOrder") return undefined
  return yield* correct(parts, going, found, before, targetOf(found), reason)
})

/** Carries out an ACCRUE without a guest, on the turn of its check. */
export const accrue = Effect.fnUntraced(function* (
  parts: TillParts,
  going: Going,
  facts: CheckFacts,
  { checkTransactionInformation: { check } }: AccrueAsked
): Effect.fn.Return<Worked | undefined, Refused> {
  const { connection, id, program, restaurant } = going
  if ((program.claims === undefined && facts.kept === undefined) || facts.accrued !== undefined)
    return { ended: Replies.done(Replies.accept(), { reason: "The check has no guest." }), facts }
  const place = Checks.placeOf(connection, restaurant)
  if (place === undefined) return { ended: Replies.unknownPlace, facts }
  const { kept } = facts
  if (kept !== undefined && Checks.modifiedAt(check) <= kept.modified) {
    const became = { order_id: kept.order }
    const reason = "It is not newer than what was worked off."
    const after = kept.reversed === true ? facts : standing(facts, kept, id)
    return { ended: Replies.done(Replies.accept(), { became, reason }), facts: after }
  }
  const sold = yield* soldAt(parts, going, place, check)
  if (Result.isFailure(sold))
    return { ended: Replies.refused(Replies.refuse("ERROR_INVALID_INPUT_PROPERTIES"), sold.failure), facts }
  return yield* settle(parts, going, facts, sold.success)
})

/** A check as an order. */
interface Sold {
  readonly order_id: string
  readonly modified: number
  /** Undefined: nothing is left on the check. */
  readonly order: Order | undefined
  readonly differs: boolean
}

/** Minor units. */
const totalOf = (order: Order | undefined): number => order?.totals.total.amount ?? 0
const linesOf = (order: Order | undefined): string => (order === undefined ? "" : linesHash(order))

/** The check as an order, or a sentence why it cannot be one. */
const soldAt = (
  parts: TillParts,
  { connection, program }: Going,
  place: Checks.Place,
  check: Check
): Effect.Effect<Result.Result<Sold, string>, Refused> => {
  const order_id = Checks.idOf(check.guid)
  const carried = Checks.carriedFor(parts, { check, connection, place, program }, order_id, "paid")
  return Effect.map(
    carried,
    Result.map((one) => ({ order_id, modified: Checks.modifiedAt(check), ...one }))
  )
}

/** Keeps an order, and returns whether it has a code; takes it away if nothing is left on the check, or nobody can claim it any more. */
const keep = ({ claims }: TillParts, { program }: Going, order_id: string, order: Order | undefined) =>
  Effect.map(
    order === undefined || program.claims === undefined
      ? Keeping.withdraw(claims, program, order_id)
      : Keeping.keep(claims, program, order),
    ({ body }) => body.claim_code !== undefined
  )

/** The end of a check that cannot be kept. Fails if the till must ask again. */
const refusal = (refused: Refused, facts: CheckFacts): Effect.Effect<Worked, Refused> =>
  isTransient(refused)
    ? Effect.fail(refused)
    : Effect.succeed({
        ended: Replies.refused(Replies.refuse("ERROR_INVALID_INPUT_PROPERTIES"), refused.detail),
        facts
      })

/** Keeps the order. Undefined: a guest has it. */
const keepAsSold = Effect.fnUntraced(function* (
  parts: TillParts,
  going: Going,
  facts: CheckFacts,
  { differs, modified, order, order_id }: Sold
): Effect.fn.Return<Worked | undefined, Refused> {
  const done = yield* Effect.result(keep(parts, going, order_id, order))
  if (Result.isFailure(done)) return isTaken(done.failure) ? undefined : yield* refusal(done.failure, facts)
  const reason = done.success ? "It is kept until a guest claims it." : "Nothing is kept of it."
  const became = { order_id, ...(differs ? { differs } : undefined) }
  const ended = Replies.done(Replies.accept(), { became, reason })
  return {
    ended: done.success ? { ...ended, answer: { ...ended.answer, keeps: order_id } } : ended,
    facts: standing(facts, { order: order_id, modified, total: totalOf(order), lines: linesOf(order) }, going.id)
  }
})

/** Corrects the order of the guest who has it. Undefined: ask again. */
const correctAsSold = Effect.fnUntraced(function* (
  parts: TillParts,
  going: Going,
  facts: CheckFacts,
  { modified, order, order_id }: Sold
): Effect.fn.Return<Worked | undefined> {
  const { kept } = facts
  const [lines, total] = [linesOf(order), totalOf(order)]
  const points = yield* corrected(
    parts,
    going,
    order_id,
    { modified, total: kept?.total ?? total },
    (found) => ({
      lines: order?.lines ?? [],
      spend: spendOf(going.program, order, lines === kept?.lines, found),
      total
    }),
    "The check was changed at the till."
  )
  if (points === undefined) return undefined
  if (typeof points === "string") return { ended: Replies.refused(Replies.refuse("ERROR"), points), facts }
  return {
    ended: Replies.done(Replies.accept(), { became: { order_id, points } }),
    // The lines by which it accrued, however it has changed since.
    facts: standing(facts, { order: order_id, modified, total, lines: kept?.lines ?? "" }, going.id)
  }
})

/** Keeps the order, or corrects it if a guest has it. */
const settle = Effect.fnUntraced(function* (
  parts: TillParts,
  going: Going,
  facts: CheckFacts,
  sold: Sold
): Effect.fn.Return<Worked | undefined, Refused> {
  const before = yield* parts.accounts.order(going.program.id, sold.order_id)
  if (before !== undefined && before._tag !== "FoundOrder") return undefined
  const done = before === undefined ? yield* keepAsSold(parts, going, facts, sold) : undefined
  // A guest has it, perhaps since a moment ago.
  return done ?? (yield* correctAsSold(parts, going, facts, sold))
})

/** Facts of a check whose guest was refused: nobody may claim, or have, amounts that are gone. Undefined: ask again. */
const renewed = Effect.fnUntraced(function* (
  parts: TillParts,
  going: Going,
  facts: CheckFacts,
  kept: KeptCheck,
  { checkTransactionInformation: { check } }: AccrueAsked
): Effect.fn.Return<CheckFacts | undefined, Refused> {
  const place = Checks.placeOf(going.connection, going.restaurant)
  if (place === undefined || Checks.modifiedAt(check) <= kept.modified) return facts
  const sold = yield* soldAt(parts, going, place, check)
  if (Result.isFailure(sold)) return facts
  const { modified, order, order_id } = sold.success
  if (order === undefined) {
    const emptied = yield* settle(parts, going, facts, sold.success)
    return emptied && { ...emptied.facts, kept: { ...(emptied.facts.kept ?? kept), by: kept.by } }
  }
  const done = yield* Effect.result(keep(parts, going, order_id, order))
  if (Result.isFailure(done)) return isTransient(done.failure) ? yield* Effect.fail(done.failure) : facts
  return { ...facts, kept: { ...kept, modified, total: totalOf(order), lines: linesOf(order) } }
})

/** Facts of a kept check that a guest has claimed, as those of one that accrued for her. Undefined: ask again. */
const asAccrued = Effect.fnUntraced(function* (
  { accounts }: TillParts,
  { program }: Going,
  facts: CheckFacts,
  kept: KeptCheck
): Effect.fn.Return<CheckFacts | undefined> {
  const found = yield* accounts.order(program.id, kept.order)
  if (found === undefined) return facts
  if (found._tag !== "FoundOrder") return undefined
  const { kept: _, ...others } = facts
  return { ...others, accrued: { ...kept, guest: 1, member: found.member } }
})

/** Carries out an ACCRUE that names a guest, of a check that was kept before. */
export const named = Effect.fnUntraced(function* (
  parts: TillParts,
  going: Going,
  facts: CheckFacts,
  kept: KeptCheck,
  asked: AccrueAsked
): Effect.fn.Return<Worked | undefined, Refused> {
  const known = yield* asAccrued(parts, going, facts, kept)
  if (known === undefined) return undefined
  const worked = yield* ofGuest(parts, going, known, asked)
  if (worked?.facts !== known) return worked
  // Nobody can claim it.
  if (kept.reversed === true) return { ended: worked.ended, facts }
  if (worked.ended.state === "refused") {
    const after = yield* renewed(parts, going, facts, kept, asked)
    return after && { ended: worked.ended, facts: after }
  }
  // Nothing is on the check, so that she has nothing of it, and nobody else may claim it.
  return yield* accrue(parts, going, facts, asked)
})

/** Takes a check without a guest back, if it stands for the transaction. */
export const takeBack = Effect.fnUntraced(function* (
  parts: TillParts,
  going: Going,
  facts: CheckFacts,
  kept: KeptCheck,
  target: string
): Effect.fn.Return<Worked | undefined, Refused> {
  if (!kept.by.includes(target))
    return { ended: Replies.done(Replies.accept(), { reason: "Nothing of it is left." }), facts }
  const { order } = kept
  const after = { ...facts, kept: { ...kept, reversed: true as const, total: 0, by: [] } }
  const done = yield* Effect.result(Keeping.withdraw(parts.claims, going.program, order))
  if (Result.isSuccess(done))
    return { ended: Replies.done(Replies.accept(), { became: { order_id: order } }), facts: after }
  if (!isTaken(done.failure)) return yield* Effect.fail(done.failure)
  const nothing = { lines: [], spend: 0, total: 0 }
  const points = yield* corrected(parts, going, order, kept, () => nothing, "The check was reversed at the till.")
  if (points === undefined) return undefined
  return typeof points === "string"
    ? { ended: Replies.refused(Replies.refuse("ERROR_TRANSACTION_CANNOT_BE_REVERSED"), points), facts }
    : { ended: Replies.done(Replies.accept(), { became: { order_id: order, points } }), facts: after }
})
