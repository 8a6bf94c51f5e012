/**
 * Redemptions: reserve, capture, reverse.
 */
import { Effect } from "effect"
import { canonical } from "../../contract/Decode.ts"
import type { RequestOf } from "../../contract/protocol/Operations.ts"
import { said } from "../../contract/Said.ts"
import * as ClaimKeys from "../account/ClaimKeys.ts"
import { refusal } from "../account/domain/Refusal.ts"
import * as ReservationId from "../account/ReservationId.ts"
import { Journal } from "../journal/Journal.ts"
import type { Caller, Handling } from "./Handler.ts"
import * as Render from "./Render.ts"
import * as Writes from "./Writes.ts"
import { factsOfOrder, namesIn, payload } from "./Writes.ts"

export const make = Effect.gen(function* () {
  const { claimKey } = yield* Journal
  const { guardFacts, keyed, write, writeOn } = yield* Writes.make

  const reserve = (request: RequestOf<"redemption.reserve">, caller: Caller): Handling<"redemption.reserve"> => {
    const { context, evaluation_id, ...facts } = request
    const { issued_reward_id, member_id, order, points, redemption_id, reward_id } = facts
    const program = order.scope.program_id
    const business = ClaimKeys.redemption(claimKey, program, redemption_id)
    const guards = guardFacts("redemption.reserve", program, context, evaluation_id, business, {
      text: canonical({ ...facts, member_id: "", order: factsOfOrder(order) }),
      named: namesIn(order)
    })
    return write(
      Render.reservationBody,
      caller,
      context,
      program,
      member_id,
      {
        type: "reserve",
        redemption: redemption_id,
        reward: reward_id,
        points,
        order,
        issued: issued_reward_id,
        evaluation: evaluation_id
      },
      guards
    )
  }

  const capture = (request: RequestOf<"redemption.capture">, caller: Caller): Handling<"redemption.capture"> =>
    writeOn(
      Render.reservationBody,
      ReservationId.accountOf(request.reservation_id),
      caller,
      request.context,
      refusal("not_found", said`There is no reservation ${request.reservation_id}.`),
      { type: "capture", reservation: request.reservation_id, order: request.order_id },
      (program) => keyed("redemption.capture", program, request.context, canonical(payload(request)))
    )

  const reverse = (request: RequestOf<"redemption.reverse">, caller: Caller): Handling<"redemption.reverse"> =>
    writeOn(
      Render.reservationBody,
      ReservationId.accountOf(request.reservation_id),
      caller,
      request.context,
      refusal("not_found", said`There is no reservation ${request.reservation_id}.`),
      { type: "reverse", reservation: request.reservation_id, reason: request.reason },
      (program) => keyed("redemption.reverse", program, request.context, canonical(payload(request)))
    )

  return { "redemption.reserve": reserve, "redemption.capture": capture, "redemption.reverse": reverse }
})
