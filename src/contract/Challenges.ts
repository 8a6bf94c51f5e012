/**
 * Challenges in a programme file (contract/programmes.md *Challenges*). Only the shapes: `core/rules/ChallengeRules`
 * has the rules between them.
 */
import { Schema } from "effect"
import { from, maxTtlSeconds } from "./Numbers.ts"
import { PromotionOn, PromotionWhen, PromotionWhere } from "./Promotions.ts"
import { Prose } from "./protocol/Program.ts"
import { field, Identifier, Money, maxAmount, optional, Text } from "./Values.ts"

/** Exactly one; the file's check says so. */
const Count = Schema.Struct({
  orders: optional(from(1, maxAmount), "So many orders."),
  days: optional(from(1, 31), "Orders on so many days of a week, at most 7, or of a month."),
  items: optional(from(1, maxAmount), "So many whole units of the lines in `on`."),
  spend: optional(from(1, maxAmount), "So much spend of the lines that count, in minor units."),
  weeks_in_a_row: optional(from(1, 26), "An order in each of so many weeks in a row.")
})

export const challengeKinds = ["orders", "days", "items", "spend", "weeks_in_a_row"] as const
export type ChallengeKind = (typeof challengeKinds)[number]

export const Challenge = Schema.Struct({
  challenge_id: field(Identifier, "The challenge's id, unique in the programme."),
  name: field(Text, "Its name, for guests."),
  description: optional(Prose, "A sentence that describes it, for guests."),
  enabled: optional(Schema.Boolean, "False: nothing counts and nothing is given; progress stays. Absent: true."),
  count: field(Count, "What is counted, and how much fills it."),
  every: optional(
    Schema.Literals(["week", "month", "year"]),
    "It starts anew each week (from Monday), month or year of the programme's zone. Absent: it never does."
  ),
  on: optional(PromotionOn, "Only these lines count, if they are eligible. Absent: all eligible lines."),
  where: optional(PromotionWhere, "Where and how the order is placed. Absent: everywhere."),
  when: optional(PromotionWhen, "When the order is placed; all given parts must hold. Absent: always."),
  minimum_spend: optional(Money, "An order counts from this spend of the lines that count."),
  repeat: optional(Schema.Boolean, "True: it completes as often as it fills. Absent: once in its time."),
  gives: field(
    Schema.Struct({
      reward_id: field(Identifier, "The reward that is issued."),
      expires_in_seconds: optional(from(1, maxTtlSeconds), "Seconds until the issued reward expires; absent: never.")
    }),
    "What a member gets who completes it."
  )
}).annotate({ identifier: "Challenge" })
export type Challenge = typeof Challenge.Type
