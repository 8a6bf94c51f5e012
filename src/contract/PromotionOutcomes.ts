/** Outcomes of promotions for one order. Apart from the programme's file: the console's first page does not load it. */
import { Schema } from "effect"
import { field, Identifier, Integer, Money, optional, Text, Unit } from "./Values.ts"

/** A promotion's part of what an order earned. */
export const GivenPromotion = Schema.Struct({
  promotion_id: field(Identifier, "The promotion."),
  name: field(Text, "Its name, when the order was posted."),
  unit: field(Unit, "The account that got it."),
  amount: field(Integer, "Its part of what the order earns on the account.")
})

export const givenPromotions = optional(
  Schema.Array(GivenPromotion),
  "Promotions that gave something; absent if none did. The amounts of entries and estimates include them."
)

/** A promotion that the order nearly gets. */
export const AlmostPromotion = Schema.Struct({
  promotion_id: field(Identifier, "The promotion."),
  name: field(Text, "Its name, for guests."),
  missing: field(
    Schema.Struct({
      minimum_spend: optional(Money, "So much more spend of the lines that count."),
      items: optional(Integer, "So many more of its products.")
    }),
    "One of them."
  )
})

/** Why an order does not get a promotion. */
export const withheldReasons = [
  "order_earns_nothing",
  "disabled",
  "other_tier",
  "joined_earlier",
  "not_first_order",
  "other_location",
  "other_channel",
  "other_time",
  "limit_reached",
  "no_such_products",
  "nothing_left",
  "minimum_spend",
  "another_gives_more",
  "gives_nothing",
  "order_limit_reached"
] as const
export type WithheldReason = (typeof withheldReasons)[number]

export const WithheldPromotion = Schema.Struct({
  promotion_id: field(Identifier, "The promotion."),
  name: field(Text, "Its name, for guests."),
  reason: field(Schema.Literals(withheldReasons), "The first of its conditions that does not hold, in this order.")
})
