/**
 * Guests of the demo programme, for tests: enrol, earn, read balances. Every
 * request has an idempotency key of its own.
 */
import { Effect } from "effect"
import { serviceNow } from "../../base/time/Times.ts"
import type { ResponseOf } from "../../contract/protocol/Operations.ts"
import type { Handled, Handlers } from "../../core/protocol/Handler.ts"
import * as Testing from "./Testing.ts"

const program_id = "demo-foodservice"

/** The body of an answer; any other outcome throws. */
export const body = <A>(handled: Effect.Effect<Handled, never, Handlers>): Effect.Effect<A, never, Handlers> =>
  Effect.map(handled, (outcome) => {
    if (outcome._tag !== "Answer") throw new Error(`not answered: ${JSON.stringify(outcome)}`)
    return outcome.body as A
  })

/** Enrols a guest with this member id. */
export const enroll = (member_id: string) =>
  body<ResponseOf<"member.enroll">>(
    Testing.call("member.enroll", {
      context: Testing.context(),
      program_id,
      identity: { type: "loyalty_id", value: `card-${member_id}`, issuer: "x" },
      member_id
    })
  )

let adjustments = 0

/** Posts a manual credit, or a debit if the amount is negative; `expires_at` in RFC 3339. */
export const credit = (member_id: string, amount: number, expires_at?: string) =>
  body<ResponseOf<"ledger.manual_adjustment">>(
    Testing.call("ledger.manual_adjustment", {
      context: Testing.context(),
      member_id,
      program_id,
      adjustment_id: `adjustment-${++adjustments}`,
      amount,
      classification: amount < 0 ? "correction" : "gift",
      reason: "test",
      qualifies_for_tier: false,
      ...(expires_at === undefined ? undefined : { expires_at })
    })
  )

/** Accrues a paid order over `amount` minor units. */
export const earn = (member_id: string, order_id: string, amount: number) =>
  body<ResponseOf<"accrual.post">>(
    Effect.flatMap(serviceNow, (now) =>
      Testing.call("accrual.post", {
        context: Testing.context(),
        member_id,
        order: Testing.order(order_id, amount, Testing.placedAt(now))
      })
    )
  )

/** Reserves the demo programme's reward `one-off` for an open order. */
export const reserve = (member_id: string, redemption_id: string) =>
  body<ResponseOf<"redemption.reserve">>(
    Effect.flatMap(serviceNow, (now) =>
      Testing.call("redemption.reserve", {
        context: Testing.context(),
        redemption_id,
        member_id,
        reward_id: "one-off",
        order: Testing.order(`meal-${redemption_id}`, 500, { status: "open", ...Testing.placedAt(now) })
      })
    )
  )

/** The answer of `accounts/get` for a guest. */
export const account = (member_id: string) =>
  body<ResponseOf<"account.get">>(Testing.call("account.get", { context: Testing.context(), member_id, program_id }))

/** The balance of the programme's primary account. */
export const balanceOf = (member_id: string) =>
  Effect.map(account(member_id), ({ balances }) => {
    const [balance] = balances
    if (balance === undefined) throw new Error("a member has a balance")
    return balance
  })

/** The newest hundred entries, newest first. */
export const ledgerOf = (member_id: string) =>
  Effect.map(
    body<ResponseOf<"ledger.list">>(
      Testing.call("ledger.list", { context: Testing.context(), member_id, program_id, limit: 100 })
    ),
    ({ entries }) => entries
  )
