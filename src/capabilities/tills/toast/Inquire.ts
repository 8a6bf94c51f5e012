/** INQUIRE: what a guest has, what the check would earn, and which rewards could be used (contract/tills.md *Toast*). */
import { Effect, Result } from "effect"
import type { Refused } from "../../../contract/Refused.ts"
import { view } from "../../../core/account/domain/View.ts"
import { evaluationOf } from "../../../core/protocol/Orders.ts"
import type { TillParts } from "../connections/TillParts.ts"
import type { Going } from "./Accrue.ts"
import * as Checks from "./Checks.ts"
import * as Guests from "./Guests.ts"
import * as Offers from "./Offers.ts"
import * as Redemptions from "./Redemptions.ts"
import * as Replies from "./Replies.ts"
import { answered, type CheckResponse, type Transaction } from "./Wire.ts"

type Asked = Extract<Transaction, { type: "LOYALTY_INQUIRE" }>["body"]

export const inquire = Effect.fnUntraced(function* (
  parts: TillParts,
  { connection, program, restaurant }: Going,
  { checkTransactionInformation: { check, loyaltyIdentifier, redemptions = [] } }: Asked
): Effect.fn.Return<Replies.ToastReply, Refused> {
  const place = Checks.placeOf(connection, restaurant)
  if (place === undefined) return Replies.refuse("ERROR_INVALID_RESTAURANT")
  const guest = yield* Checks.guestOf(parts, program.id, loyaltyIdentifier.trim())
  if (guest === undefined) return Replies.nobody
  if (guest._tag !== "Resident") return Replies.again
  const facts = yield* parts.turns.facts({ connection: connection.n, check: check.guid })
  const { order: id } = Checks.orderFor(facts, check.guid, guest.state.member)
  const carried = yield* Checks.carriedFor(parts, { check, connection, place, program }, id, "authorized")
  const order = Result.isSuccess(carried) ? carried.success.order : undefined
  const at = Math.max(parts.serviceNow(), guest.state.at)
  const state = view(guest.state, program, at)
  const choices = Offers.choicesOf(state, program)
  const sorted = Redemptions.sorted(state, program, facts, { choices, order, redemptions, at })
  const evaluation =
    order === undefined || facts.accrued !== undefined ? undefined : evaluationOf(state, program, order, at)
  const points = evaluation === undefined || "code" in evaluation ? 0 : evaluation.estimated_accrual.amount
  const { rewardsPerOrder } = program.redemption
  const response: CheckResponse = {
    accountInfo: Guests.infoOf(guest, program, parts.serviceNow()),
    offers: choices.map((choice) =>
      Offers.offerOf(program, choice, order, Offers.whyNot(state, program, choice, order, at, sorted.taken))
    ),
    appliedRedemptions: sorted.applied.map(({ choice, redemption }) => ({
      ...answered(redemption),
      ...(redemption.amount === undefined && choice !== undefined
        ? { amount: Offers.amountsOf(choice.reward, order, program.currency).amount ?? 0 }
        : undefined)
    })),
    rejectedRedemptions: sorted.rejected.map(({ message, redemption }) => ({
      redemption: answered(redemption),
      message
    })),
    ...(points > 0 ? { userMessage: `This check earns ${points} ${program.primaryUnit}.` } : undefined),
    ...(Number.isSafeInteger(rewardsPerOrder) ? { redemptionLimit: { maxRedemptions: rewardsPerOrder } } : undefined)
  }
  return Replies.accept({ checkResponse: response })
})
