/**
 * A programme as it travels: what `programs/get` returns, and the reward
 * effects and funding that reservations repeat.
 *
 * The shapes only. Rules that look at more than one property (a ladder from 0,
 * funding of 10,000 basis points) are `src/program/ProgramFile`'s.
 *
 * Source: service.md "Programme definition", decisions.md §3 and §5.
 */
import { Schema } from "effect"
import {
  BusinessDate,
  Channel,
  Currency,
  FreeForm,
  FreeJson,
  Identifier,
  Integer,
  LineKind,
  Money,
  Text,
  Timestamp,
  Unit
} from "../Values.ts"

/** Longest description or address of a picture, characters. */
const maxProseLength = 4_096

/** Text that people read; it may be empty. */
const Prose = Schema.String.check(
  Schema.isMaxLength(maxProseLength, { message: `must have at most ${maxProseLength} characters` }),
  Schema.makeFilter(
    (text) => (text.isWellFormed() && !text.includes("\u0000")) || "must be well-formed Unicode without NUL"
  )
)

/** Basis points: 10,000 are the whole. */
const Bps = Integer

/** An amount of one of the programme's units. */
export const UnitAmount = Schema.Struct({ unit: Unit, amount: Integer })
export type UnitAmount = typeof UnitAmount.Type

/** A part of a discount; of one line where `line_id` says so. */
export const Allocation = Schema.Struct({ line_id: Schema.optionalKey(Text), amount: Money })
export type Allocation = typeof Allocation.Type

export const DiscountEffect = Schema.Struct({
  type: Schema.Literal("discount"),
  target: Schema.Literals(["order", "line"]),
  amount: Money,
  allocations: Schema.Array(Allocation).check(Schema.isMinLength(1, { message: "must have at least 1 item" }))
})
export type DiscountEffect = typeof DiscountEffect.Type

export const FreeItemEffect = Schema.Struct({
  type: Schema.Literal("free_item"),
  product_ids: Schema.optionalKey(Schema.Array(Text)),
  category_ids: Schema.optionalKey(Schema.Array(Text)),
  max_quantity: Integer,
  max_value: Money
})
export type FreeItemEffect = typeof FreeItemEffect.Type

/** An effect only the caller understands; it has no value of its own. */
export const CustomEffect = Schema.Struct({
  type: Schema.Literal("custom"),
  effect_type: Text,
  payload: FreeJson
})
export type CustomEffect = typeof CustomEffect.Type

export const RewardEffect = Schema.Union([DiscountEffect, FreeItemEffect, CustomEffect]).annotate({
  identifier: "RewardEffect"
})
export type RewardEffect = typeof RewardEffect.Type

/** The kinds of effect, as capabilities lists them. */
export const rewardEffects = ["discount", "free_item", "custom"] as const

export const PartyType = Schema.Literals(["brand", "franchisee", "location", "merchant", "partner"])
export type PartyType = typeof PartyType.Type

/**
 * Who pays for a reward, and how much of it. A reservation's carries `amount`
 * wherever the effect has a value; a programme's may.
 */
export const Funding = Schema.Struct({
  party_id: Text,
  party_type: PartyType,
  share_bps: Bps,
  amount: Schema.optionalKey(Money)
}).annotate({ identifier: "Funding" })
export type Funding = typeof Funding.Type

export const EarningRate = Schema.Struct({ unit: Unit, amount: Integer, spend: Money })
export type EarningRate = typeof EarningRate.Type

export const Exclusions = Schema.Struct({
  product_ids: Schema.Array(Text),
  category_ids: Schema.Array(Text),
  tags: Schema.Array(Text),
  line_kinds: Schema.Array(LineKind)
})
export type Exclusions = typeof Exclusions.Type

export const Earning = Schema.Struct({
  rate: EarningRate,
  minimum_eligible_spend: Money,
  eligible_channels: Schema.Array(Channel),
  rounding: Schema.Literal("after_transaction"),
  exclusions: Exclusions
})
export type Earning = typeof Earning.Type

export const ProgramAccount = Schema.Struct({
  unit: Unit,
  is_primary: Schema.Boolean,
  unit_label: Schema.optionalKey(Text)
})
export type ProgramAccount = typeof ProgramAccount.Type

export const MetricDefinition = Schema.Struct({
  metric_id: Text,
  name: Text,
  unit: Unit,
  description: Schema.optionalKey(Prose)
})
export type MetricDefinition = typeof MetricDefinition.Type

export const Benefit = Schema.Struct({
  benefit_id: Text,
  name: Text,
  description: Schema.optionalKey(Prose),
  metadata: Schema.optionalKey(FreeForm)
})
export type Benefit = typeof Benefit.Type

export const Tier = Schema.Struct({
  tier_id: Text,
  name: Text,
  qualification_metric_id: Text,
  minimum: Integer,
  benefits: Schema.Array(Benefit),
  earn_multiplier_bps: Schema.optionalKey(Bps)
})
export type Tier = typeof Tier.Type

export const Reward = Schema.Struct({
  reward_id: Identifier,
  name: Text,
  cost: UnitAmount,
  effect: RewardEffect,
  funding: Schema.Array(Funding),
  description: Schema.optionalKey(Prose),
  image_url: Schema.optionalKey(Prose),
  available_from: Schema.optionalKey(Timestamp),
  available_until: Schema.optionalKey(Timestamp),
  metadata: Schema.optionalKey(FreeForm)
}).annotate({ identifier: "Reward" })
export type Reward = typeof Reward.Type

/** How an account earns: by spend, or so much an order. `spend` belongs to the first alone. */
export const AccountEarning = Schema.Struct({
  unit: Unit,
  mode: Schema.Literals(["spend", "per_order"]),
  amount: Integer,
  multiplier_eligible: Schema.Boolean,
  spend: Schema.optionalKey(Money)
})
export type AccountEarning = typeof AccountEarning.Type

export const TierPeriod = Schema.Struct({
  type: Schema.Literal("annual"),
  starts_month: Integer,
  starts_day: Integer,
  time_zone: Text
})
export type TierPeriod = typeof TierPeriod.Type

export const TierPolicy = Schema.Struct({
  metric_id: Text,
  period: TierPeriod,
  effective_from: Schema.optionalKey(BusinessDate)
})
export type TierPolicy = typeof TierPolicy.Type

export const PointExpiration = Schema.Struct({
  type: Schema.Literal("after_earned"),
  days: Integer,
  warning_days: Schema.Array(Integer)
})
export type PointExpiration = typeof PointExpiration.Type

export const ProgramDefinition = Schema.Struct({
  program_id: Identifier,
  name: Text,
  description: Schema.optionalKey(Prose),
  currency: Currency,
  earning: Earning,
  accounts: Schema.Array(ProgramAccount),
  account_earning: Schema.optionalKey(Schema.Array(AccountEarning)),
  metrics: Schema.Array(MetricDefinition),
  tiers: Schema.Array(Tier),
  tier_policy: Schema.optionalKey(TierPolicy),
  point_expiration: Schema.optionalKey(PointExpiration),
  rewards: Schema.Array(Reward),
  metadata: Schema.optionalKey(FreeForm)
}).annotate({ identifier: "Program" })
export type ProgramDefinition = typeof ProgramDefinition.Type
