/**
 * A programme file: its shape and every rule that it must keep, checked whole
 * (decisions.md §5). Each fault says its place and its reason.
 */
import { Result, Schema } from "effect"
import type { BodyFault } from "../contract/Decode.ts"
import { strictDecoder } from "../contract/Decode.ts"
import { MetricDefinition, ProgramDefinition } from "../contract/Program.ts"
import type { Funding, Reward, RewardEffect } from "../contract/Program.ts"
import type { Money } from "../contract/Values.ts"
import { Identifier, Integer, toMillis, Unit } from "../contract/Values.ts"
import type { Program } from "./Program.ts"
import { compile } from "./Program.ts"

export const ProgramFile = Schema.Struct({
  ...ProgramDefinition.fields,
  metrics: Schema.Array(Schema.Struct({
    ...MetricDefinition.fields,
    source: Schema.Literals(["current_balance", "lifetime_earned", "qualification_earned"])
  })),
  limits: Schema.optionalKey(Schema.Struct({
    reservation_ttl_seconds: Schema.optionalKey(Integer),
    evaluation_ttl_seconds: Schema.optionalKey(Integer)
  })),
  stamp_card: Schema.optionalKey(Schema.Struct({
    unit: Unit,
    threshold: Integer,
    reward_id: Identifier,
    resets: Schema.Boolean,
    reward_ttl_seconds: Schema.optionalKey(Integer)
  }))
})
export type ProgramFile = typeof ProgramFile.Type

type Say = (path: string, message: string) => void

/** Longest reservation, reward and evaluation time, seconds: ten years. */
const maxTtlSeconds = 315_360_000
/** Largest earn multiplier: a hundredfold. */
const maxMultiplierBps = 1_000_000
/** Longest point expiration, days: a hundred years. */
const maxExpirationDays = 36_525

const unique = (values: ReadonlyArray<string>, path: (index: number) => string, say: Say): void => {
  const seen = new Set<string>()
  values.forEach((value, index) => {
    if (seen.has(value)) say(path(index), "must be unique")
    seen.add(value)
  })
}

const within = (value: number | undefined, low: number, high: number, path: string, say: Say): void => {
  if (value !== undefined && (value < low || value > high || !Number.isSafeInteger(value))) say(path, `must be ${low} to ${high}`)
}

const checkAccounts = (file: ProgramFile, say: Say): void => {
  unique(file.accounts.map((account) => account.unit), (index) => `/accounts/${index}/unit`, say)
  if (file.accounts.filter((account) => account.is_primary).length !== 1) {
    say("/accounts", "must have exactly one primary account")
  }
}

const checkUnit = (file: ProgramFile, unit: string, path: string, say: Say): void => {
  if (!file.accounts.some((account) => account.unit === unit)) say(path, "must be the unit of one of the accounts")
}

const checkMoney = (file: ProgramFile, money: Money, path: string, minimum: number, say: Say): void => {
  if (money.currency !== file.currency) say(`${path}/currency`, `must be ${file.currency}, the programme's currency`)
  within(money.amount, minimum, Number.MAX_SAFE_INTEGER, `${path}/amount`, say)
}

const checkEarning = (file: ProgramFile, say: Say): void => {
  const { minimum_eligible_spend, rate } = file.earning
  checkMoney(file, rate.spend, "/earning/rate/spend", 1, say)
  within(rate.amount, 0, Number.MAX_SAFE_INTEGER, "/earning/rate/amount", say)
  checkMoney(file, minimum_eligible_spend, "/earning/minimum_eligible_spend", 0, say)
  const primary = file.accounts.find((account) => account.is_primary)?.unit
  if (primary !== undefined && rate.unit !== primary) say("/earning/rate/unit", "must be the primary account's unit")
  const rules = file.account_earning ?? []
  unique(rules.map((rule) => rule.unit), (index) => `/account_earning/${index}/unit`, say)
  rules.forEach((rule, index) => {
    const path = `/account_earning/${index}`
    checkUnit(file, rule.unit, `${path}/unit`, say)
    within(rule.amount, 0, Number.MAX_SAFE_INTEGER, `${path}/amount`, say)
    if (rule.mode === "per_order") {
      if (rule.spend !== undefined) say(`${path}/spend`, "belongs to mode spend alone")
      return
    }
    if (rule.spend === undefined) return say(`${path}/spend`, "is required with mode spend")
    checkMoney(file, rule.spend, `${path}/spend`, 1, say)
    if (rule.unit === primary && (rule.amount !== rate.amount || rule.spend.amount !== rate.spend.amount)) {
      say(path, "must equal earning.rate, as it is the primary account's")
    }
  })
}

const checkTiers = (file: ProgramFile, say: Say): void => {
  unique(file.metrics.map((metric) => metric.metric_id), (index) => `/metrics/${index}/metric_id`, say)
  file.metrics.forEach((metric, index) => checkUnit(file, metric.unit, `/metrics/${index}/unit`, say))
  unique(file.tiers.map((tier) => tier.tier_id), (index) => `/tiers/${index}/tier_id`, say)
  unique(file.tiers.map((tier) => String(tier.minimum)), (index) => `/tiers/${index}/minimum`, say)
  if (file.tiers.length > 0 && !file.tiers.some((tier) => tier.minimum === 0)) say("/tiers", "must begin at a minimum of 0")
  const metric = file.tier_policy?.metric_id ?? file.tiers[0]?.qualification_metric_id
  file.tiers.forEach((tier, index) => {
    const path = `/tiers/${index}`
    within(tier.minimum, 0, Number.MAX_SAFE_INTEGER, `${path}/minimum`, say)
    within(tier.earn_multiplier_bps, 0, maxMultiplierBps, `${path}/earn_multiplier_bps`, say)
    unique(tier.benefits.map((benefit) => benefit.benefit_id), (at) => `${path}/benefits/${at}/benefit_id`, say)
    if (!file.metrics.some((candidate) => candidate.metric_id === tier.qualification_metric_id)) {
      say(`${path}/qualification_metric_id`, "must name one of the metrics")
    } else if (tier.qualification_metric_id !== metric) {
      say(`${path}/qualification_metric_id`, "must be the same metric for all tiers and the tier policy")
    }
  })
}

const isZone = (zone: string): boolean => {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone })
    return !/^[+-]/.test(zone)
  } catch {
    // Intl has no other way to say that a zone does not exist.
    return false
  }
}

const checkPolicy = (file: ProgramFile, say: Say): void => {
  const policy = file.tier_policy
  if (policy === undefined) return
  const { starts_day, starts_month, time_zone } = policy.period
  if (!file.metrics.some((metric) => metric.metric_id === policy.metric_id)) {
    say("/tier_policy/metric_id", "must name one of the metrics")
  }
  within(starts_month, 1, 12, "/tier_policy/period/starts_month", say)
  // 2024 has a 29 February, and a period may start on it.
  const last = starts_month >= 1 && starts_month <= 12 ? new Date(Date.UTC(2024, starts_month, 0)).getUTCDate() : 31
  within(starts_day, 1, last, "/tier_policy/period/starts_day", say)
  if (!isZone(time_zone)) say("/tier_policy/period/time_zone", "must be an IANA time zone such as Europe/Berlin")
}

const checkExpiration = (file: ProgramFile, say: Say): void => {
  const expiration = file.point_expiration
  if (expiration === undefined) return
  within(expiration.days, 1, maxExpirationDays, "/point_expiration/days", say)
  unique(expiration.warning_days.map(String), (index) => `/point_expiration/warning_days/${index}`, say)
  expiration.warning_days.forEach((days, index) => {
    if (days < 1 || days >= expiration.days) say(`/point_expiration/warning_days/${index}`, "must be at least 1 and less than days")
  })
}

const checkEffect = (file: ProgramFile, effect: RewardEffect, path: string, say: Say): void => {
  if (effect.type === "free_item") {
    checkMoney(file, effect.max_value, `${path}/max_value`, 0, say)
    within(effect.max_quantity, 1, 1_000, `${path}/max_quantity`, say)
  }
  if (effect.type !== "discount") return
  checkMoney(file, effect.amount, `${path}/amount`, 0, say)
  effect.allocations.forEach((allocation, index) =>
    checkMoney(file, allocation.amount, `${path}/allocations/${index}/amount`, 0, say)
  )
  const sum = effect.allocations.reduce((total, allocation) => total + BigInt(allocation.amount.amount), 0n)
  if (sum !== BigInt(effect.amount.amount)) say(`${path}/allocations`, "must add up to the effect's amount")
}

const checkFunding = (file: ProgramFile, funding: ReadonlyArray<Funding>, path: string, say: Say): void => {
  unique(funding.map((share) => `${share.party_type} ${share.party_id}`), (index) => `${path}/${index}`, say)
  funding.forEach((share, index) => {
    within(share.share_bps, 0, 10_000, `${path}/${index}/share_bps`, say)
    if (share.amount !== undefined) checkMoney(file, share.amount, `${path}/${index}/amount`, 0, say)
  })
  if (funding.reduce((sum, share) => sum + share.share_bps, 0) !== 10_000) say(path, "shares must add up to 10,000 basis points")
}

const checkReward = (file: ProgramFile, reward: Reward, path: string, say: Say): void => {
  checkUnit(file, reward.cost.unit, `${path}/cost/unit`, say)
  within(reward.cost.amount, 0, Number.MAX_SAFE_INTEGER, `${path}/cost/amount`, say)
  checkEffect(file, reward.effect, `${path}/effect`, say)
  checkFunding(file, reward.funding, `${path}/funding`, say)
  const { available_from, available_until } = reward
  if (available_from !== undefined && available_until !== undefined && toMillis(available_from) > toMillis(available_until)) {
    say(`${path}/available_until`, "must not be before available_from")
  }
}

const checkLimits = (file: ProgramFile, say: Say): void => {
  within(file.limits?.reservation_ttl_seconds, 1, maxTtlSeconds, "/limits/reservation_ttl_seconds", say)
  within(file.limits?.evaluation_ttl_seconds, 1, maxTtlSeconds, "/limits/evaluation_ttl_seconds", say)
  const card = file.stamp_card
  if (card === undefined) return
  checkUnit(file, card.unit, "/stamp_card/unit", say)
  within(card.threshold, 1, Number.MAX_SAFE_INTEGER, "/stamp_card/threshold", say)
  within(card.reward_ttl_seconds, 1, maxTtlSeconds, "/stamp_card/reward_ttl_seconds", say)
  if (!file.rewards.some((reward) => reward.reward_id === card.reward_id)) {
    say("/stamp_card/reward_id", "must name one of the rewards")
  }
}

const faultsOf = (file: ProgramFile): ReadonlyArray<BodyFault> => {
  const found: Array<BodyFault> = []
  const say: Say = (path, message) => found.push({ path, message })
  checkAccounts(file, say)
  checkEarning(file, say)
  checkTiers(file, say)
  checkPolicy(file, say)
  checkExpiration(file, say)
  unique(file.rewards.map((reward) => reward.reward_id), (index) => `/rewards/${index}/reward_id`, say)
  file.rewards.forEach((reward, index) => checkReward(file, reward, `/rewards/${index}`, say))
  checkLimits(file, say)
  return found
}

const decode = strictDecoder(ProgramFile)

/** The programme in a file's JSON, or all its faults. */
export const validate = (json: unknown): Result.Result<Program, ReadonlyArray<BodyFault>> => {
  const decoded = decode(json)
  if (Result.isFailure(decoded)) return Result.fail(decoded.failure)
  const faults = faultsOf(decoded.success)
  return faults.length > 0 ? Result.fail(faults) : Result.succeed(compile(decoded.success))
}
