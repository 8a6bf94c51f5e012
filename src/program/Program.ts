/**
 * A programme ready for use: what its file says, looked up and ordered once so
 * that no order pays for it.
 *
 * A `Program` comes only from a validated file (see `ProgramFile`), so that the
 * rules in this folder take its consistency for granted.
 */
import type {
  AccountEarning, PointExpiration, ProgramDefinition, Reward, Tier, TierPolicy
} from "../contract/Program.ts"
import type { Unit } from "../contract/Values.ts"
import * as Values from "../contract/Values.ts"
import type { MetricSource, ProgramFile } from "./ProgramFile.ts"

export interface ProgramAccount {
  readonly unit: Unit
  readonly label?: string
  readonly isPrimary: boolean
}

export interface ProgramMetric {
  readonly metric_id: string
  readonly unit: Unit
  readonly source: MetricSource
}

export interface StampCard {
  readonly unit: Unit
  /** Stamps of a full card; at least 1. */
  readonly threshold: number
  readonly rewardId: string
  /** Whether each full card takes its stamps off the balance. */
  readonly resets: boolean
  readonly rewardTtlMs?: number
}

/** What earns nothing, and where earning happens at all. */
export interface Eligibility {
  readonly channels: ReadonlySet<string>
  readonly minimumSpend: number
  readonly excludedProducts: ReadonlySet<string>
  readonly excludedCategories: ReadonlySet<string>
  readonly excludedTags: ReadonlySet<string>
  readonly excludedKinds: ReadonlySet<string>
}

export interface Program {
  /** What `programs/get` returns: timestamps in UTC, internal fields left out. */
  readonly definition: ProgramDefinition
  readonly id: string
  readonly currency: string
  readonly primaryUnit: Unit
  /** As in the file. */
  readonly accounts: ReadonlyArray<ProgramAccount>
  readonly metrics: ReadonlyArray<ProgramMetric>
  /** By minimum, ascending; the first one's is 0. */
  readonly tiers: ReadonlyArray<Tier>
  readonly tierPolicy?: TierPolicy
  readonly pointExpiration?: PointExpiration
  readonly rewards: ReadonlyMap<string, Reward>
  readonly stampCard?: StampCard
  readonly reservationTtlMs: number
  readonly evaluationTtlMs: number
  readonly eligibility: Eligibility
  /** Every account that earns: the primary first, then as in the file. */
  readonly earning: ReadonlyArray<AccountEarning>
}

const DEFAULT_RESERVATION_TTL_SECONDS = 120
const DEFAULT_EVALUATION_TTL_SECONDS = 300

/** Prepares a file that `ProgramFile.validate` has passed. */
export const compile = (file: ProgramFile): Program => {
  const definition = definitionOf(file)
  const primary = file.accounts.find((account) => account.is_primary)
  if (primary === undefined) throw new Error(`Programme ${file.program_id} has no primary account`)
  const { eligible_channels, exclusions, minimum_eligible_spend } = file.earning
  return {
    definition,
    id: file.program_id,
    currency: file.currency,
    primaryUnit: primary.unit,
    accounts: file.accounts.map((account) => ({
      unit: account.unit,
      ...(account.unit_label === undefined ? {} : { label: account.unit_label }),
      isPrimary: account.is_primary
    })),
    metrics: file.metrics.map(({ metric_id, source, unit }) => ({ metric_id, unit, source })),
    tiers: definition.tiers.toSorted((a, b) => a.minimum - b.minimum),
    ...(file.tier_policy === undefined ? {} : { tierPolicy: file.tier_policy }),
    ...(file.point_expiration === undefined ? {} : { pointExpiration: file.point_expiration }),
    rewards: new Map(definition.rewards.map((reward) => [reward.reward_id, reward])),
    ...(file.stamp_card === undefined ? {} : { stampCard: stampCardOf(file.stamp_card) }),
    reservationTtlMs: (file.limits?.reservation_ttl_seconds ?? DEFAULT_RESERVATION_TTL_SECONDS) * 1000,
    evaluationTtlMs: (file.limits?.evaluation_ttl_seconds ?? DEFAULT_EVALUATION_TTL_SECONDS) * 1000,
    eligibility: {
      channels: new Set(eligible_channels),
      minimumSpend: minimum_eligible_spend.amount,
      excludedProducts: new Set(exclusions.product_ids),
      excludedCategories: new Set(exclusions.category_ids),
      excludedTags: new Set(exclusions.tags),
      excludedKinds: new Set(exclusions.line_kinds)
    },
    earning: earningOf(file, primary.unit)
  }
}

/** A primary account without a rule of its own earns by `earning.rate`. */
const earningOf = (file: ProgramFile, primaryUnit: Unit): ReadonlyArray<AccountEarning> => {
  const rules = file.account_earning ?? []
  const ofPrimary: AccountEarning = rules.find((rule) => rule.unit === primaryUnit) ??
    { ...file.earning.rate, mode: "spend", multiplier_eligible: true }
  const others = file.accounts.flatMap((account) =>
    account.is_primary ? [] : rules.filter((rule) => rule.unit === account.unit)
  )
  return [ofPrimary, ...others]
}

const stampCardOf = (card: NonNullable<ProgramFile["stamp_card"]>): StampCard => ({
  unit: card.unit,
  threshold: card.threshold,
  rewardId: card.reward_id,
  resets: card.resets,
  ...(card.reward_ttl_seconds === undefined ? {} : { rewardTtlMs: card.reward_ttl_seconds * 1000 })
})

const definitionOf = (file: ProgramFile): ProgramDefinition => {
  const { limits: _limits, stamp_card: _stampCard, ...shown } = file
  return {
    ...shown,
    metrics: file.metrics.map(({ source: _source, ...metric }) => metric),
    rewards: file.rewards.map((reward) => ({
      ...reward,
      ...(reward.available_from === undefined ? {} : { available_from: inUtc(reward.available_from) }),
      ...(reward.available_until === undefined ? {} : { available_until: inUtc(reward.available_until) })
    }))
  }
}

const inUtc = (timestamp: Values.Timestamp): Values.Timestamp => Values.formatTimestamp(Values.millisOf(timestamp))
