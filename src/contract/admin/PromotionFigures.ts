/** Figures of promotions, given and foreseen, for operators (contract/operators.md *Promotions*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import { FreeForm, field, Identifier, Integer, Money, MoneySum, optional, Sum, Timestamp, Unit } from "../Values.ts"
import { annotated, frozenChangeProblems, readProblems } from "./Endpoint.ts"
import { params, programPath } from "./ProgramsInForce.ts"
import examples from "./promotionExamples.json" with { type: "json" }

const promotionsPath = `${programPath}/promotions` as const

/** Longest range of the figures, days: the totals are read by the quarter of an hour. */
export const maxFigureDays = 366
/** Default length of the figures' range, days. */
export const defaultFigureDays = 30
/** Days of orders that a preview takes. */
export const previewDays = 7
/** Most orders that a preview takes. */
export const maxPreviewOrders = 2_000

export const Given = Schema.Struct({
  unit: field(Unit, "The account's unit."),
  amount: field(Sum, "Points on this account.")
}).annotate({ identifier: "GivenPoints", description: "Points on one account." })

/** Rewards of full stamp cards. */
export const CardRewards = Schema.Struct({
  reward_id: field(Identifier, "The card's reward."),
  name: field(Schema.String, "The name of the reward."),
  rewards: field(Integer, "How many are given."),
  cost: optional(Money, "What they are worth, by the reward's discount or `max_value`; absent: it has none.")
}).annotate({ identifier: "CardRewards", description: "Rewards that full stamp cards give." })

const Orders = Schema.Struct({
  count: field(Integer, "The number of orders."),
  eligible_spend: field(MoneySum, "Their eligible spend when they accrued."),
  average: field(MoneySum, "The average of it, rounded down; 0 if there are no orders.")
}).annotate({ identifier: "PromotionOrders", description: "Orders and their spend." })

const Figures = Schema.Struct({
  promotion_id: field(Identifier, "The promotion."),
  points: field(Schema.Array(Given), "What it gave these orders when they accrued, by account."),
  with: field(Orders, "Orders that it gave to and that are not closed."),
  without: field(Orders, "All other orders of the programme in the range that are not closed.")
}).annotate({ identifier: "PromotionFigures", description: "Figures of one promotion." })
export type Figures = typeof Figures.Type

export const PromotionFigures = Schema.Struct({
  program_id: field(Identifier, "The programme."),
  as_of: field(Timestamp, "The figures include every order up to this instant, and may include later ones."),
  from: field(Timestamp, "Start of the range, rounded down to a quarter of an hour."),
  until: field(Timestamp, "End of the range, which is excluded, rounded up to a quarter of an hour."),
  promotions: field(
    Schema.Array(Figures),
    "The programme's promotions in its order, then removed ones that gave something in the range."
  )
})
export type PromotionFigures = typeof PromotionFigures.Type

const Range = Schema.Struct({
  from: optional(Timestamp, `Start of the range. Absent: ${defaultFigureDays} days before its end.`),
  until: optional(Timestamp, "End of the range, which is excluded. Absent: now.")
})

const Preview = Schema.Struct({
  program: field(FreeForm, "The definition, published or not: a `ProgramFile`.")
})

const Would = Schema.Struct({
  promotion_id: field(Identifier, "The promotion."),
  orders: field(Integer, "Orders that it would have given to."),
  points: field(Schema.Array(Given), "What it would have given, by account.")
}).annotate({ identifier: "PromotionPreview", description: "What a promotion would have given." })

export const Previewed = Schema.Struct({
  from: field(Timestamp, `Start of the range: ${previewDays} days ago.`),
  until: field(Timestamp, "Its end: now."),
  orders: field(Integer, `Orders that were taken: the newest of the range, at most ${maxPreviewOrders}.`),
  all_taken: field(Schema.Boolean, "False if the range has more orders."),
  points: field(Schema.Array(Given), "What all promotions together would have given, by account."),
  promotions: field(Schema.Array(Would), "The promotions that could be tried, in the definition's order."),
  untried: field(
    Schema.Array(Identifier),
    "Promotions on certain products, categories or tags, or for each item: records of orders do not tell them. Try these on an order."
  )
})
export type Previewed = typeof Previewed.Type

const figureCodes: ReadonlyArray<ProblemCode> = [...readProblems, "not_found"]
const previewCodes: ReadonlyArray<ProblemCode> = [...frozenChangeProblems, "not_found"]

export class ManagedPromotions extends HttpApiGroup.make("promotions")
  .add(
    HttpApiEndpoint.get("promotionFigures", promotionsPath, {
      params,
      query: Range,
      success: PromotionFigures,
      error: problems(figureCodes)
    }).annotateMerge(
      annotated(
        "promotion_figures.show",
        "Show what promotions gave",
        "Uses, points, orders and spend with and without each promotion.",
        figureCodes,
        examples.promotionFigures,
        true
      )
    ),
    HttpApiEndpoint.post("previewPromotions", `${promotionsPath}/preview`, {
      params,
      payload: Preview,
      success: Previewed,
      error: problems(previewCodes)
    })
      .annotate(AccessOf, { isServedFrozen: true, isRepeatable: true })
      .annotateMerge(
        annotated(
          "promotion.preview",
          "Try promotions on last week's orders",
          "What the definition's promotions would have given to the orders of the last days, by their spend, place and time of accrual. " +
            "Channels are not recorded, so each order counts as one of an allowed channel; each member has the present tier, and no use before. Nothing is stored.",
          previewCodes,
          examples.previewPromotions,
          true
        )
      )
  )
  .middleware(Refusals)
  .annotateMerge(
    OpenApi.annotations({
      title: "Figures of promotions",
      description: "What promotions gave, and what they would have given."
    })
  ) {}
