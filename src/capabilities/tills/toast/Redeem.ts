/**
 * REDEEM: all redemptions of a list, or none (contract/tills.md *Toast*). Rewards are reserved, then captured, under ids of the
 * vendor's ids, so that a repetition goes on where a killed attempt ended, and undoing finds what was begun.
 */
import { Effect, Result } from "effect"
import { storageUnavailable } from "../../../base/database/Pools.ts"
import type { Order } from "../../../contract/protocol/Order.ts"
import type { Refused } from "../../../contract/Refused.ts"
import * as ClaimKeys from "../../../core/account/ClaimKeys.ts"
import type { Refusal } from "../../../core/account/domain/Refusal.ts"
import { view } from "../../../core/account/domain/View.ts"
import * as ReservationId from "../../../core/account/ReservationId.ts"
import type { CheckFacts, Redeemed } from "../connections/CheckFacts.ts"
import { contextOf, isTrouble, type TillParts } from "../connections/TillParts.ts"
import type { Ended } from "../connections/Turns.ts"
import type { Going, Worked } from "./Accrue.ts"
import * as Checks from "./Checks.ts"
import * as Offers from "./Offers.ts"
import * as Redemptions from "./Redemptions.ts"
import * as Replies from "./Replies.ts"
import { answered, type Answer as Body, type Redemption, type Transaction } from "./Wire.ts"

type Asked = Extract<Transaction, { type: "LOYALTY_REDEEM" }>["body"]

interface Reserved {
  readonly key: string
  readonly times: number
  readonly reservation: string
}

interface ReservationShown {
  readonly reservation_id: string
  readonly status: "reserved" | "captured" | "reversed" | "expired"
}

const reservationIn = (body: object): ReservationShown =>
  (body as { readonly reservation: ReservationShown }).reservation

const timesOf = ({ redeemed = {} }: CheckFacts, key: string): number => redeemed[key]?.times ?? 0

/** Reserves a choice under the redemption's id; again: the reservation as it stands. */
const reserve = (
  parts: TillParts,
  { connection, id }: Going,
  member: string,
  order: Order,
  choice: Offers.Choice,
  redemption: string
) =>
  parts.handlers["redemption.reserve"](
    {
      context: contextOf(parts, connection, id, redemption),
      redemption_id: redemption,
      member_id: member,
      reward_id: choice.reward.reward_id,
      order,
      ...(choice.issued === undefined ? undefined : { issued_reward_id: choice.issued })
    },
    connection.caller
  )

/** Reverses a reservation. Undefined: ask again; a refusal: it has ended by itself. */
const reverse = (parts: TillParts, { connection, id }: Pick<Going, "connection" | "id">, reservation: string) =>
  parts.handlers["redemption.reverse"](
    {
      context: contextOf(parts, connection, id, `${id}:reverse:${reservation}`),
      reservation_id: reservation,
      reason: "The reward was taken off at the till."
    },
    connection.caller
  )

/** Counts the redemptions as used, so that the next ones of the same place have other ids. */
const counted = (facts: CheckFacts, all: ReadonlyArray<Reserved>, by: string | undefined): CheckFacts => {
  const redeemed: Record<string, Redeemed> = { ...facts.redeemed }
  for (const { key, reservation, times } of all)
    redeemed[key] = by === undefined ? { times: times + 1 } : { times: times + 1, reservation, by }
  return { ...facts, redeemed }
}

/** Reverses the reservations of a transaction; false: storage is in trouble, and it must be undone later. */
const undo = Effect.fnUntraced(function* (parts: TillParts, going: Going, all: ReadonlyArray<Reserved>) {
  for (const { reservation } of all) {
    const reversed = yield* reverse(parts, going, reservation)
    if (isTrouble(reversed)) return false
  }
  return true
})

/** Reservations that an attempt of the transaction has made before. */
const madeBefore = Effect.fnUntraced(function* (
  parts: TillParts,
  going: Going,
  facts: CheckFacts,
  check: string,
  redemptions: ReadonlyArray<Redemption>
): Effect.fn.Return<ReadonlyArray<Reserved>, Refused> {
  const found: Array<Reserved> = []
  for (const key of new Set(redemptions.map(Redemptions.keyOf))) {
    if (facts.redeemed?.[key]?.reservation !== undefined) continue
    const times = timesOf(facts, key)
    const claim = ClaimKeys.redemption(parts.claimKey, going.program.id, Redemptions.redemptionId(check, key, times))
    const [holder] = yield* Effect.mapError(parts.holders([claim]), () => storageUnavailable)
    if (holder !== undefined) found.push({ key, times, reservation: ReservationId.make(holder.account, holder.seq) })
  }
  return found
})

/** Undoes a transaction that will not be accepted, also one of a process that died. */
export const undone = Effect.fnUntraced(function* (
  parts: TillParts,
  going: Going,
  facts: CheckFacts,
  { checkTransactionInformation: { check, redemptions } }: Asked,
  reply: Replies.ToastReply,
  reason: string
): Effect.fn.Return<Worked | undefined, Refused> {
  const made = yield* madeBefore(parts, going, facts, check.guid, redemptions)
  if (!(yield* undo(parts, going, made))) return undefined
  return { ended: Replies.refused(reply, reason), facts: counted(facts, made, undefined) }
})

const refusal = ({ detail }: Refusal): string => detail.slice(0, 200)

/** Why redemptions of a list cannot be used, by their keys. */
type Reasons = ReadonlyMap<string, string>

/** Undoes what was begun, and answers each redemption of the list. */
const rejectAll = Effect.fnUntraced(function* (
  parts: TillParts,
  going: Going,
  facts: CheckFacts,
  asked: Asked,
  reasons: Reasons
): Effect.fn.Return<Worked | undefined, Refused> {
  const why = [...reasons.values()].join(" ")
  const worked = yield* undone(parts, going, facts, asked, Replies.accept(), why)
  if (worked === undefined) return undefined
  const rejectedRedemptions = listed(asked).map(([key, redemption]) => ({
    redemption: answered(redemption),
    message: reasons.get(key) ?? "Another reward of this check cannot be used, so this one was not."
  }))
  const { body, status } = Replies.accept({ checkResponse: { appliedRedemptions: [], rejectedRedemptions } })
  return { ...worked, ended: { ...worked.ended, answer: { status, body } } }
})

/** The redemptions of a list, each once. */
const listed = ({ checkTransactionInformation: { redemptions } }: Asked) => [
  ...new Map(redemptions.map((one) => [Redemptions.keyOf(one), one]))
]

/** A guest's check whose redemptions can be carried out as far as is known. */
interface Ready {
  readonly member: string
  readonly order: Order
  readonly check: string
  /** Reserved by an attempt before. */
  readonly before: ReadonlyArray<Reserved>
  readonly applied: ReadonlyArray<Redemptions.Applied>
}

/** Reserves what is not reserved yet. Reasons: one cannot be; undefined: ask again. */
const reserveAll = Effect.fnUntraced(function* (
  parts: TillParts,
  going: Going,
  facts: CheckFacts,
  { applied, before, check, member, order }: Ready
): Effect.fn.Return<ReadonlyArray<Reserved> | Reasons | undefined> {
  const reserved = [...before]
  for (const { choice, key } of applied) {
    if (choice === undefined) continue
    const times = timesOf(facts, key)
    const made = yield* reserve(parts, going, member, order, choice, Redemptions.redemptionId(check, key, times))
    if (isTrouble(made)) return undefined
    if (made._tag === "Refusal") return new Map([[key, refusal(made)]])
    reserved.push({ key, times, reservation: reservationIn(made.body).reservation_id })
  }
  return reserved
})

/** Captures reservations; reasons: one cannot be; undefined: ask again. */
const captureAll = Effect.fnUntraced(function* (
  parts: TillParts,
  { connection, id }: Going,
  order: string,
  all: ReadonlyArray<Reserved>
): Effect.fn.Return<Reasons | undefined> {
  for (const { key, reservation } of all) {
    const context = contextOf(parts, connection, id, `${id}:capture:${reservation}`)
    const captured = yield* parts.handlers["redemption.capture"](
      { context, reservation_id: reservation, order_id: order },
      connection.caller
    )
    if (isTrouble(captured)) return undefined
    if (captured._tag === "Refusal") return new Map([[key, refusal(captured)]])
    if (reservationIn(captured.body).status !== "captured")
      return new Map([[key, "The reward was taken back meanwhile."]])
  }
  return new Map()
})

/** The guest and the order, and the redemptions sorted. An end: it is refused; reasons: one cannot be used; undefined: ask again. */
const readyFor = Effect.fnUntraced(function* (
  parts: TillParts,
  { connection, program, restaurant }: Going,
  facts: CheckFacts,
  { checkTransactionInformation: { check, loyaltyIdentifier, redemptions } }: Asked,
  before: ReadonlyArray<Reserved>
): Effect.fn.Return<Ready | Ended | Reasons | undefined, Refused> {
  const place = Checks.placeOf(connection, restaurant)
  if (place === undefined) return Replies.unknownPlace
  const guest = yield* Checks.guestOf(parts, program.id, loyaltyIdentifier.trim())
  if (guest === undefined) return Replies.refused(Replies.nobody, "No member has the identifier.")
  if (guest._tag !== "Resident") return undefined
  const { member } = guest.state
  const { order: id } = Checks.orderFor(facts, check.guid, member)
  const carried = yield* Checks.carriedFor(parts, { check, connection, place, program }, id, "authorized")
  const order = Result.isSuccess(carried) ? carried.success.order : undefined
  if (order === undefined) return new Map()
  const at = Math.max(parts.serviceNow(), guest.state.at)
  const state = view(guest.state, program, at)
  const known = new Set(before.map(({ key }) => key))
  const { applied, rejected } = Redemptions.sorted(state, program, facts, {
    choices: Offers.choicesOf(state, program),
    order,
    redemptions: redemptions.filter((one) => !known.has(Redemptions.keyOf(one))),
    at
  })
  if (rejected.length === 0) return { member, order, check: check.guid, before, applied }
  return new Map(rejected.map(({ message, redemption }) => [Redemptions.keyOf(redemption), message]))
})

/** Carries out a REDEEM, on the turn of its check. */
export const redeem = Effect.fnUntraced(function* (
  parts: TillParts,
  going: Going,
  facts: CheckFacts,
  asked: Asked
): Effect.fn.Return<Worked | undefined, Refused> {
  const { check, redemptions } = asked.checkTransactionInformation
  const before = yield* madeBefore(parts, going, facts, check.guid, redemptions)
  const ready = yield* readyFor(parts, going, facts, asked, before)
  if (ready === undefined) return undefined
  if (ready instanceof Map) return yield* rejectAll(parts, going, facts, asked, ready)
  if ("state" in ready) {
    const { body, status } = ready.answer
    return yield* undone(parts, going, facts, asked, { status, body: body as Body }, ready.reason ?? "")
  }
  const all = yield* reserveAll(parts, going, facts, ready as Ready)
  if (all === undefined) return undefined
  if (all instanceof Map) return yield* rejectAll(parts, going, facts, asked, all)
  const reserved = all as ReadonlyArray<Reserved>
  const { applied, member, order } = ready as Ready
  const failed = yield* captureAll(parts, going, order.order_id, reserved)
  if (failed === undefined) return undefined
  if (failed.size > 0) return yield* rejectAll(parts, going, facts, asked, failed)
  const choices = new Map(applied.map(({ choice, key }) => [key, choice]))
  const appliedRedemptions = listed(asked).map(([key, redemption]) => {
    const choice = choices.get(key)
    const { amount = 0 } = choice === undefined ? {} : Offers.amountsOf(choice.reward, order, going.program.currency)
    const one = answered(redemption)
    return one.amount === undefined ? { ...one, amount } : one
  })
  const checkResponse = { accountInfo: { identifier: member }, appliedRedemptions, rejectedRedemptions: [] }
  const became = { order_id: order.order_id, reservations: reserved.map(({ reservation }) => reservation) }
  return {
    ended: Replies.done(Replies.accept({ checkResponse }), { became }),
    facts: counted(facts, reserved, going.id)
  }
})

/** Reverses the redemptions of a transaction: all, or those that are named. */
export const takeBack = Effect.fnUntraced(function* (
  parts: TillParts,
  going: Going,
  facts: CheckFacts,
  target: string,
  named: ReadonlyArray<Redemption> | undefined
): Effect.fn.Return<Worked | undefined> {
  const keys = named === undefined ? undefined : new Set(named.map(Redemptions.keyOf))
  const redeemed: Record<string, Redeemed> = { ...facts.redeemed }
  const reservations: Array<string> = []
  for (const [key, { by, reservation, times }] of Object.entries(redeemed)) {
    if (by !== target || reservation === undefined || keys?.has(key) === false) continue
    const reversed = yield* reverse(parts, going, reservation)
    if (isTrouble(reversed)) return undefined
    if (reversed._tag === "Refusal")
      return { ended: Replies.refused(Replies.refuse("ERROR_TRANSACTION_CANNOT_BE_REVERSED"), reversed.detail), facts }
    redeemed[key] = { times }
    reservations.push(reservation)
  }
  const more = reservations.length === 0 ? { reason: "Nothing of it is left." } : { became: { reservations } }
  return { ended: Replies.done(Replies.accept(), more), facts: { ...facts, redeemed } }
})
