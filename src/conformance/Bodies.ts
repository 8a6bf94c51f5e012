/** A valid body for each operation. Invalid bodies are derived from these. The members and orders in it need not exist. */
import { Effect } from "effect"
import type { OperationId } from "../contract/protocol/Operations.ts"
import { machineNow } from "./Clock.ts"
import * as Earned from "./Earned.ts"
import * as Orders from "./OrderMaker.ts"
import type { Business, Probe } from "./Probe.ts"

export const validBodies = (probe: Probe): Effect.Effect<{ readonly [Id in OperationId]: Business<Id> }> =>
  Effect.map(machineNow, (now) => {
    const { program } = probe.world
    const { program_id } = program
    const member_id = probe.id("nobody")
    const identity = probe.identity()
    const order = Orders.order(program, probe.id("order"), now, [{ subtotal: 1_000 }])
    const reward_id = program.rewards[0]?.reward_id ?? "reward"
    const reservation_id = probe.id("reservation")
    const issued_reward_id = probe.id("issued")
    const adjustment = Orders.adjustment(program, probe.id("refund"), order.order_id, now, "partial_refund", -100)
    return {
      "member.lookup": { program_id, identity },
      "member.enroll": { program_id, identity },
      "account.get": { member_id, program_id },
      "program.get": { program_id },
      "ledger.list": { member_id, program_id },
      "ledger.manual_adjustment": {
        member_id,
        program_id,
        adjustment_id: probe.id("adjustment"),
        amount: 1,
        classification: "bonus",
        reason: "lotbook verify",
        qualifies_for_tier: false,
        unit: Earned.primaryUnit(program)
      },
      "order.evaluate": { member_id, order },
      "accrual.post": { member_id, order },
      "order.adjust": { member_id, program_id, adjustment },
      "redemption.reserve": { redemption_id: probe.id("redemption"), member_id, reward_id, order },
      "redemption.capture": { reservation_id, order_id: order.order_id },
      "redemption.reverse": { reservation_id, reason: "lotbook verify" },
      "issued_reward.issue": { issued_reward_id, member_id, program_id, reward_id },
      "issued_reward.list": { member_id, program_id },
      "issued_reward.cancel": { issued_reward_id, reason: "lotbook verify" }
    }
  })
