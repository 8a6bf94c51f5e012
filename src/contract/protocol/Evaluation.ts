/** Evaluations of orders, in the protocol and for operators. */
import { Schema } from "effect"
import { AlmostPromotion, givenPromotions } from "../PromotionOutcomes.ts"
import { ForeignId, field, IneligibleReason, optional } from "../Values.ts"
import { UnitAmount } from "./Program.ts"
import { EvaluatedReward } from "./Resources.ts"

/**
 * Why a `spend` account earned nothing; all that apply, in this order
 * (contract/operations.md *Accrual and adjustment of orders*).
 */
export const ineligibleReasons = optional(
  Schema.Array(IneligibleReason),
  "Why an account that earns by spend earned nothing: all reasons; absent if it earned."
)

export const evaluation = {
  order_id: field(ForeignId, "The `order_id` of the order."),
  estimated_accrual: field(UnitAmount, "Points that the order would earn on the primary account if it were paid now."),
  estimated_accruals: optional(Schema.Array(UnitAmount), "The same for every account, if the programme has several."),
  ineligible_reasons: ineligibleReasons,
  promotions: givenPromotions,
  almost: optional(Schema.Array(AlmostPromotion), "Promotions that the order nearly gets, at most 3."),
  rewards: field(Schema.Array(EvaluatedReward), "Every reward of the programme, available or not.")
}

export type Evaluation = Schema.Struct<typeof evaluation>["Type"]
