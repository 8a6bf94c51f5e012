/**
 * Promotions in a programme file (contract/programmes.md *Promotions*). Only the shapes: `core/rules/PromotionRules`
 * has the rules between them.
 */
import { Schema } from "effect"
import { from } from "./Numbers.ts"
import { Prose } from "./protocol/Program.ts"
import { told } from "./Said.ts"
import {
  BusinessDate,
  Channel,
  ForeignId,
  field,
  Identifier,
  isRealDate,
  isTimestamp,
  Money,
  maxAmount,
  optional,
  Text,
  Unit
} from "./Values.ts"

/** Most orders of a member that a limit names. */
export const mostOrders = 1_000_000

const localPattern = /^(\d{4}-\d{2}-\d{2})(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?)?$/

/** True for `YYYY-MM-DD` and `YYYY-MM-DDTHH:MM[:SS]`, which are in the programme's zone. */
export const isLocal = (text: string): boolean => {
  const date = localPattern.exec(text)?.[1]
  return date !== undefined && isRealDate(date)
}

/** An instant as a timestamp, or a date or time of the programme's zone. */
const Moment = Schema.String.check(
  Schema.makeFilter(
    (text) =>
      isLocal(text) ||
      isTimestamp(text) ||
      "must be a date (2026-11-01), a time in the programme's zone (2026-11-01T08:00) or a timestamp (2026-11-01T07:00:00Z)"
  )
)

const times = { from: /^([01]\d|2[0-3]):[0-5]\d$/, until: /^(([01]\d|2[0-3]):[0-5]\d|24:00)$/ }
const timeOf = (name: keyof typeof times, last: string) =>
  Schema.String.check(Schema.isPattern(times[name], { message: told`must be a time from 00:00 to ${last}` }))

export const weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const

const nonEmpty = <S extends Schema.Constraint>(item: S) =>
  Schema.Array(item).check(Schema.isMinLength(1, { message: "must have at least 1 item" }))

export const PromotionWhen = Schema.Struct({
  from: optional(Moment, "The first instant; a date is its first instant."),
  until: optional(Moment, "The end, which is not part of it; a date counts whole."),
  weekly: optional(
    nonEmpty(
      Schema.Struct({
        days: field(nonEmpty(Schema.Literals(weekdays)), "The days on which the window begins."),
        from: field(timeOf("from", "23:59"), "The first minute."),
        until: field(
          timeOf("until", "24:00"),
          "The end, which is not part of it; earlier than `from`: the window goes past midnight."
        )
      })
    ),
    "Windows of each week; one of them must hold."
  ),
  dates: optional(
    nonEmpty(BusinessDate),
    "The days; one of them must hold. A window past midnight is of its first day."
  )
})
export type PromotionWhen = typeof PromotionWhen.Type

export const PromotionWhere = Schema.Struct({
  location_ids: optional(nonEmpty(ForeignId), "Only orders of these locations."),
  channels: optional(nonEmpty(Channel), "Only orders of these channels.")
})
export type PromotionWhere = typeof PromotionWhere.Type

export const PromotionOn = Schema.Struct({
  product_ids: optional(nonEmpty(ForeignId), "Lines with one of these products."),
  category_ids: optional(nonEmpty(ForeignId), "Lines with one of these categories."),
  tags: optional(nonEmpty(Text), "Lines with one of these tags.")
})
export type PromotionOn = typeof PromotionOn.Type

/** Highest factor of a promotion, basis points: ten times the base. */
export const maxMultiplyBps = 100_000

/** The file's check says which parts go together. */
const Gives = Schema.Struct({
  multiply_bps: optional(
    from(10_001, maxMultiplyBps),
    "Base points by this factor, in basis points: 20,000 is double."
  ),
  add: optional(from(1, maxAmount), "Points once an order."),
  add_per_item: optional(
    from(1, maxAmount),
    "Points for each whole unit of quantity of the lines that count; without `on`, of all eligible lines."
  ),
  unit: optional(Unit, "The account that gets it; absent: the primary one."),
  multiplier_eligible: optional(
    Schema.Boolean,
    "Whether the tier's multiplier applies to `add` and `add_per_item`; absent: false. `multiply_bps` multiplies the base, which has it."
  )
})

/** An effect has exactly one of these. */
export type GiftKind = Exclude<keyof typeof Gives.Type, "unit" | "multiplier_eligible">

const kinds: Readonly<Record<GiftKind, true>> = { multiply_bps: true, add: true, add_per_item: true }
export const giftKinds = Object.keys(kinds) as ReadonlyArray<GiftKind>

const Limits = Schema.Struct({
  per_member: optional(
    Schema.Struct({
      count: field(from(1, mostOrders), "Most orders of a member that it gives to."),
      every: field(
        Schema.Literals(["day", "week", "month", "promotion"]),
        "In which time: a day, week (from Monday) or month of the programme's zone, or ever."
      )
    }),
    "How often a member gets it."
  )
})

export const Promotion = Schema.Struct({
  promotion_id: field(Identifier, "The promotion's id, unique in the programme."),
  name: field(Text, "Its name, for guests."),
  description: optional(Prose, "A sentence that describes it, for guests."),
  image_url: optional(Prose, "Address of a picture, https."),
  enabled: optional(Schema.Boolean, "False: it gives nothing, and keeps its counts; absent: true."),
  effect: field(Gives, "What it gives: exactly one of `multiply_bps`, `add` and `add_per_item`."),
  when: optional(PromotionWhen, "When the order is placed; all given parts must hold. Absent: always."),
  where: optional(PromotionWhere, "Where and how it is placed. Absent: everywhere."),
  on: optional(PromotionOn, "Only these lines count, if they are eligible. Absent: all eligible lines."),
  who: optional(
    Schema.Struct({
      tier_ids: optional(nonEmpty(Identifier), "Members of these tiers."),
      first_order: optional(
        Schema.Literal(true),
        "Only an order that earns by the base, with none of the member before it that did so and is not closed."
      ),
      joined_within_days: optional(from(1, 36_525), "Members who joined at most so many days ago.")
    }),
    "Which members. Absent: all."
  ),
  minimum_spend: optional(Money, "The spend of the lines that count, at least."),
  limits: optional(Limits, "How often it gives.")
}).annotate({ identifier: "Promotion" })
export type Promotion = typeof Promotion.Type
