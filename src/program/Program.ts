/**
 * A programme as the rules use it: the definition that `programs/get` returns
 * beside what stays internal, indexed once.
 */
import type { ProgramDefinition, Reward, Tier } from "../contract/Program.ts"
import type { Unit } from "../contract/Values.ts"
import type { ProgramFile } from "./ProgramFile.ts"

export type MetricSource = "current_balance" | "lifetime_earned" | "qualification_earned"

export interface ProgramMetric {
  readonly metric_id: string
  readonly unit: Unit
  readonly source: MetricSource
}

export interface StampCard {
  readonly unit: Unit
  readonly threshold: number
  readonly rewardId: string
  /** Each full card is followed by an adjustment of −threshold. */
  readonly resets: boolean
  readonly rewardTtlMs?: number
}

export interface Program {
  readonly definition: ProgramDefinition
  readonly id: string
  readonly currency: string
  readonly primaryUnit: Unit
  readonly accounts: ReadonlyArray<{ readonly unit: Unit; readonly label?: string; readonly isPrimary: boolean }>
  readonly metrics: ReadonlyArray<ProgramMetric>
  /** By minimum, lowest first. */
  readonly tiers: ReadonlyArray<Tier>
  readonly tierPolicy: ProgramDefinition["tier_policy"]
  readonly pointExpiration: ProgramDefinition["point_expiration"]
  readonly rewards: ReadonlyMap<string, Reward>
  readonly stampCard: StampCard | undefined
  readonly reservationTtlMs: number
  readonly evaluationTtlMs: number
}

const defaultReservationTtlSeconds = 120
const defaultEvaluationTtlSeconds = 300

const stampCard = (card: ProgramFile["stamp_card"]): StampCard | undefined =>
  card === undefined ? undefined : {
    unit: card.unit,
    threshold: card.threshold,
    rewardId: card.reward_id,
    resets: card.resets,
    ...(card.reward_ttl_seconds === undefined ? undefined : { rewardTtlMs: card.reward_ttl_seconds * 1000 })
  }

/** Compiles a file that `ProgramFile.validate` has found whole. */
export const compile = (file: ProgramFile): Program => {
  const { limits, metrics, stamp_card, ...rest } = file
  const definition: ProgramDefinition = {
    ...rest,
    metrics: metrics.map(({ source: _, ...metric }) => metric)
  }
  return {
    definition,
    id: file.program_id,
    currency: file.currency,
    primaryUnit: (file.accounts.find((account) => account.is_primary) ?? file.accounts[0])?.unit ?? "points",
    accounts: file.accounts.map((account) => ({
      unit: account.unit,
      isPrimary: account.is_primary,
      ...(account.unit_label === undefined ? undefined : { label: account.unit_label })
    })),
    metrics: metrics.map(({ metric_id, source, unit }) => ({ metric_id, unit, source })),
    tiers: file.tiers.toSorted((a, b) => a.minimum - b.minimum),
    tierPolicy: file.tier_policy,
    pointExpiration: file.point_expiration,
    rewards: new Map(file.rewards.map((reward) => [reward.reward_id, reward])),
    stampCard: stampCard(stamp_card),
    reservationTtlMs: (limits?.reservation_ttl_seconds ?? defaultReservationTtlSeconds) * 1000,
    evaluationTtlMs: (limits?.evaluation_ttl_seconds ?? defaultEvaluationTtlSeconds) * 1000
  }
}
