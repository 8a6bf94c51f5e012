/**
 * A programme on the wire: what `programs/get` returns, and the reward effects and
 * funding that reservations repeat.
 *
 * Only the shapes. `src/core/rules/ProgramRules` has the rules over several
 * properties (tiers from 0, funding of 10,000 basis points).
 *
 * Source: contract/resources.md *Programme definition*; contract/programmes.md *Programme file*.
 */
import { Schema } from "effect"
import { from } from "../Numbers.ts"
import { told } from "../Said.ts"
import {
  BusinessDate,
  Channel,
  Currency,
  FreeForm,
  FreeJson,
  field,
  Identifier,
  Integer,
  LineKind,
  Money,
  optional,
  Text,
  Timestamp,
  Unit
} from "../Values.ts"

/** Longest description or address of a picture, characters. */
const maxProseLength = 4_096

/** Text for people; may be empty. */
export const Prose = Schema.String.check(
  Schema.isMaxLength(maxProseLength, { message: told`must have at most ${maxProseLength} characters` }),
  Schema.makeFilter(
    (text) => (text.isWellFormed() && !text.includes("\u0000")) || "must be well-formed Unicode without NUL"
  )
)

/** An amount of one of the programme's units. */
export const UnitAmount = Schema.Struct({
  unit: field(Unit, "The account's unit."),
  amount: field(Integer, "A whole number of that unit.")
})
export type UnitAmount = typeof UnitAmount.Type

/** A part of a discount; of one line if it has `line_id`. */
export const Allocation = Schema.Struct({
  line_id: optional(Text, "The line of this part; absent: the whole order."),
  amount: field(Money, "This part of the discount, not negative; the parts add up to the discount's amount.")
})
export type Allocation = typeof Allocation.Type

export const DiscountEffect = Schema.Struct({
  type: field(Schema.Literal("discount"), "Money off the order or a line."),
  target: field(Schema.Literals(["order", "line"]), "Whether the discount is on the order or on lines."),
  amount: field(Money, "The discount of the guest, not negative."),
  allocations: field(
    Schema.Array(Allocation).check(Schema.isMinLength(1, { message: "must have at least 1 item" })),
    "How the discount is spread, at least one part."
  )
}).annotate({ identifier: "DiscountEffect" })
export type DiscountEffect = typeof DiscountEffect.Type

export const FreeItemEffect = Schema.Struct({
  type: field(Schema.Literal("free_item"), "Items that cost the guest nothing."),
  product_ids: optional(
    Schema.Array(Text),
    "Products that qualify; the caller picks one of them or of the categories."
  ),
  category_ids: optional(Schema.Array(Text), "Categories that qualify."),
  max_quantity: field(from(1, 1_000), "Most free items."),
  max_value: field(Money, "Highest total value of the free items; the reward's value for funding.")
}).annotate({ identifier: "FreeItemEffect" })

/** An effect that only the caller's system interprets. It has no value in money. */
const CustomEffect = Schema.Struct({
  type: field(Schema.Literal("custom"), "An effect that only the caller's system interprets."),
  effect_type: field(Text, "The caller's name for the effect."),
  payload: field(FreeJson, "Any JSON for the caller's system, returned unchanged.")
}).annotate({ identifier: "CustomEffect" })

export const RewardEffect = Schema.Union([DiscountEffect, FreeItemEffect, CustomEffect]).annotate({
  identifier: "RewardEffect"
})
export type RewardEffect = typeof RewardEffect.Type

/** The kinds of effect, as listed in capabilities. */
export const rewardEffects = ["discount", "free_item", "custom"] as const

const PartyType = Schema.Literals(["brand", "franchisee", "location", "merchant", "partner"])

/**
 * Payers of a reward, and how much each pays. In a reservation, `amount` is present if
 * the effect has a value; in a programme it is optional.
 */
export const Funding = Schema.Struct({
  party_id: field(Text, "The party that pays."),
  party_type: field(PartyType, "The kind of party."),
  share_bps: field(from(0, 10_000), "Its share in basis points; a reward's shares total 10,000."),
  amount: optional(
    Money,
    "Its part of the reward's value, not negative; absent for a `custom` effect, which has no value."
  )
}).annotate({ identifier: "Funding" })
export type Funding = typeof Funding.Type

const EarningRate = Schema.Struct({
  unit: field(Unit, "The primary account's unit."),
  amount: field(from(0), "Units that each `spend` earns."),
  spend: field(Money, "The eligible spend that earns `amount`.")
})

export const Exclusions = Schema.Struct({
  product_ids: field(Schema.Array(Text), "Products that earn nothing."),
  category_ids: field(Schema.Array(Text), "Lines with one of these categories earn nothing."),
  tags: field(Schema.Array(Text), "Lines with one of these tags earn nothing."),
  line_kinds: field(Schema.Array(LineKind), "Lines of these kinds earn nothing.")
})
export type Exclusions = typeof Exclusions.Type

export const Earning = Schema.Struct({
  rate: field(EarningRate, "The rate at which the primary account earns by spend."),
  minimum_eligible_spend: field(Money, "Orders with less eligible spend earn nothing by spend."),
  eligible_channels: field(Schema.Array(Channel), "Only orders of these channels earn by spend."),
  rounding: field(Schema.Literal("after_transaction"), "Points are rounded down, once for the whole order."),
  exclusions: field(Exclusions, "Lines that do not count as eligible spend.")
})
export type Earning = typeof Earning.Type

export const ProgramAccount = Schema.Struct({
  unit: field(Unit, "The account's unit; a programme has one account of a unit."),
  is_primary: field(Schema.Boolean, "True for exactly one account, the default of requests without a unit."),
  unit_label: optional(Text, "The unit's name for guests.")
})
export type ProgramAccount = typeof ProgramAccount.Type

export const MetricDefinition = Schema.Struct({
  metric_id: field(Text, "The metric's id, unique in the programme."),
  name: field(Text, "Its name, for operators."),
  unit: field(Unit, "The unit that it counts."),
  description: optional(Prose, "The metric's meaning, in a sentence.")
})
export type MetricDefinition = typeof MetricDefinition.Type

const Benefit = Schema.Struct({
  benefit_id: field(Text, "The benefit's id."),
  name: field(Text, "Its name, for guests."),
  description: optional(Prose, "A sentence that describes it."),
  metadata: optional(FreeForm, "The programme's own data about the benefit.")
})

export const Tier = Schema.Struct({
  tier_id: field(Text, "The tier's id, unique in the programme."),
  name: field(Text, "Its name, for guests."),
  qualification_metric_id: field(Text, "The metric that decides who is in the tier; all tiers share one."),
  minimum: field(from(0), "The metric's amount from which a member is in the tier; 0 for the lowest."),
  benefits: field(Schema.Array(Benefit), "Benefits of the tier besides points."),
  earn_multiplier_bps: optional(
    from(0, 1_000_000),
    "Multiplies what members of the tier earn, in basis points; absent: 10,000, once."
  )
})
export type Tier = typeof Tier.Type

const Cost = Schema.Struct({ ...UnitAmount.fields, amount: field(from(0), "A whole number of that unit.") })

export const Reward = Schema.Struct({
  reward_id: field(Identifier, "The reward's id, unique in the programme."),
  name: field(Text, "Its name, for guests."),
  cost: field(Cost, "The cost, from the member's account."),
  effect: field(RewardEffect, "The effect on the order."),
  funding: field(Schema.Array(Funding), "Who pays for it."),
  description: optional(Prose, "A sentence that describes it."),
  image_url: optional(Prose, "Address of a picture, https."),
  available_from: optional(Timestamp, "The first instant at which it can be reserved."),
  available_until: optional(Timestamp, "The last instant at which it can be reserved."),
  metadata: optional(FreeForm, "The programme's own data about the reward.")
}).annotate({ identifier: "Reward" })
export type Reward = typeof Reward.Type

/** How an account earns: by spend, or a fixed amount for each order. Only the first mode has `spend`. */
export const AccountEarning = Schema.Struct({
  unit: field(Unit, "The account that earns."),
  mode: field(Schema.Literals(["spend", "per_order"]), "By eligible spend, or a fixed amount for each order."),
  amount: field(from(0), "Points that each `spend`, or each order, earns."),
  multiplier_eligible: field(Schema.Boolean, "Whether the tier's multiplier applies to this account."),
  spend: optional(Money, "The eligible spend that earns `amount`; present only for mode `spend`.")
})
export type AccountEarning = typeof AccountEarning.Type

export const TierPeriod = Schema.Struct({
  type: field(Schema.Literal("annual"), "Periods last a year."),
  starts_month: field(from(1, 12), "Month in which a period starts."),
  starts_day: field(from(1, 31), "Day of that month; 29 February is 1 March in other years."),
  time_zone: field(Text, "IANA time zone in which that day begins.")
})
export type TierPeriod = typeof TierPeriod.Type

export const TierPolicy = Schema.Struct({
  metric_id: field(Text, "The metric that is counted within a period."),
  period: field(TierPeriod, "When a period starts. Then metric and tier are reset; balances are not."),
  effective_from: optional(BusinessDate, "Entries before this date, in the period's zone, do not count.")
})
export type TierPolicy = typeof TierPolicy.Type

const PointExpiration = Schema.Struct({
  type: field(Schema.Literal("after_earned"), "Each lot expires on its own, counted from when it was earned."),
  days: field(from(1, 36_525), "Days of 24 hours after which a lot expires."),
  warning_days: field(
    Schema.Array(from(1, 36_524)),
    "How many days before that a warning is due, each less than `days`."
  )
})

export const ProgramDefinition = Schema.Struct({
  program_id: field(Identifier, "The programme's id."),
  name: field(Text, "Its name, for guests."),
  description: optional(Prose, "A sentence that describes it."),
  currency: field(Currency, "The currency of all its orders and rewards."),
  earning: field(Earning, "How spend earns."),
  accounts: field(Schema.Array(ProgramAccount), "The accounts that every member has, exactly one of them primary."),
  account_earning: optional(
    Schema.Array(AccountEarning),
    "How each account earns; absent: the primary by `earning.rate`."
  ),
  metrics: field(Schema.Array(MetricDefinition), "Figures that are counted for each member."),
  tiers: field(Schema.Array(Tier), "The tiers, the lowest with a minimum of 0; may be empty."),
  tier_policy: optional(TierPolicy, "When tiers are reset; absent: never."),
  point_expiration: optional(PointExpiration, "When lots of `points` and `credits` expire; absent: never."),
  rewards: field(Schema.Array(Reward), "The rewards that members can redeem."),
  metadata: optional(FreeForm, "The programme's own data.")
}).annotate({ identifier: "Program" })
export type ProgramDefinition = typeof ProgramDefinition.Type
