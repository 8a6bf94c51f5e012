/**
 * A compiled programme, for the rules: the public definition of `programs/get`
 * and the internal parts, indexed once.
 */
import { Schema } from "effect"
import type { PointExpiration, ProgramFile } from "../../contract/ProgramFile.ts"
import type { AccountEarning, Reward, Tier } from "../../contract/protocol/Program.ts"
import { ProgramDefinition } from "../../contract/protocol/Program.ts"
import type { Unit } from "../../contract/Values.ts"
import { fromMillis, toMillis } from "../../contract/Values.ts"
import { dayMs } from "./Calendar.ts"
import * as Challenges from "./Challenges.ts"
import * as Promotions from "./Promotions.ts"
import type { Redemption } from "./Redemption.ts"
import { redemptionOf } from "./Redemption.ts"
import type { CardHistory } from "./StampCards.ts"
import * as StampCards from "./StampCards.ts"
import type { PolicyHistory } from "./TierPolicies.ts"
import { first, published } from "./TierPolicies.ts"

export type MetricSource = "current_balance" | "lifetime_earned" | "qualification_earned"

interface ProgramMetric {
  readonly metric_id: string
  readonly unit: Unit
  readonly source: MetricSource
}

interface StampCard {
  readonly unit: Unit
  readonly threshold: number
  readonly rewardId: string
  /** True if each full card posts an adjustment of −threshold. */
  readonly resets: boolean
  readonly rewardTtlMs?: number
}

/** Channels that earn, and excluded parts of an order. */
interface Eligibility {
  readonly channels: ReadonlySet<string>
  readonly minimumSpend: number
  readonly excludedProducts: ReadonlySet<string>
  readonly excludedCategories: ReadonlySet<string>
  readonly excludedTags: ReadonlySet<string>
  readonly excludedKinds: ReadonlySet<string>
  /** Types of tenders whose amounts earn nothing. */
  readonly excludedTenders: ReadonlySet<string>
}

/** Limits of orders; Infinity where there is none. */
interface OrderLimits {
  /** Most that an order earns on an account. */
  readonly points: number
  /** Orders of a member that earn in a local day. */
  readonly perDay: number
  /** Minor units. */
  readonly total: number
}

/** How orders without a guest are kept. */
interface Claims {
  /** How long an order can be claimed, ms. */
  readonly keptMs: number
  /** Most orders that a member can claim in a local day. */
  readonly perDay: number
  /** The page where guests enter codes. */
  readonly pageUrl: string | undefined
}

export interface Warning {
  /** How many days before the date of the points. */
  readonly days: number
  readonly from: number
}

export interface Program {
  /** Reply of `programs/get`: timestamps in UTC, without internal fields. */
  readonly definition: ProgramDefinition
  readonly id: string
  /** Number of this definition among all that were ever in force, from 1. */
  readonly version: number
  /** Retired by an operator: only reads, expirations, captures, reversals and refunds are possible. */
  readonly isRetired: boolean
  /** True while it is a rehearsal: guests are told nothing. */
  readonly isRehearsal: boolean
  /** The versions that were rehearsals. What happened under them is told to nobody later either. */
  readonly rehearsals: ReadonlySet<number>
  /** ms */
  readonly publishedAt: number
  /** Nothing is told of an instant before this one, ms: what older software let pass. */
  readonly tellsFrom: number
  /** Warnings of points that expire, each with the instant from which it is given, ms. */
  readonly warnings: ReadonlyArray<Warning>
  /** The whole definition, as stored. */
  readonly file: ProgramFile
  readonly currency: string
  /** IANA time zone of the programme's days, weeks and months. */
  readonly zone: string
  readonly primaryUnit: Unit
  readonly accounts: ReadonlyArray<{ readonly unit: Unit; readonly label?: string; readonly isPrimary: boolean }>
  readonly metrics: ReadonlyArray<ProgramMetric>
  /** By minimum, lowest first. */
  readonly tiers: ReadonlyArray<Tier>
  /** This version's policy and the earlier ones, each with its first instant. */
  readonly tierPolicies: PolicyHistory
  readonly pointExpiration: PointExpiration | undefined
  readonly rewards: ReadonlyMap<string, Reward>
  readonly stampCard: StampCard | undefined
  /** The card of this version and the earlier ones, each with its first instant. */
  readonly stampCards: CardHistory
  /** Undefined: orders without a guest are not kept. */
  readonly claims: Claims | undefined
  readonly redemption: Redemption
  readonly reservationTtlMs: number
  readonly evaluationTtlMs: number
  readonly eligibility: Eligibility
  readonly promotions: Promotions.Rules
  readonly challenges: ReadonlyArray<Challenges.Challenge>
  readonly orderLimits: OrderLimits
  /** True if an order counts in the tier period of its own time, not of the posting's. */
  readonly isDatedByOrder: boolean
  /** The earning rules: the primary account's first, then in the order of `accounts`. */
  readonly earning: ReadonlyArray<AccountEarning>
}

const defaultReservationTtlSeconds = 120
const defaultEvaluationTtlSeconds = 300
const defaultLateOrderHours = 72
const defaultClaimDays = 14
const defaultClaimsPerDay = 2

const stampCard = (card: ProgramFile["stamp_card"]): StampCard | undefined =>
  card === undefined
    ? undefined
    : {
        unit: card.unit,
        threshold: card.threshold,
        rewardId: card.reward_id,
        resets: card.resets,
        ...(card.reward_ttl_seconds === undefined ? undefined : { rewardTtlMs: card.reward_ttl_seconds * 1000 })
      }

const claimsOf = ({ claims }: ProgramFile): Claims | undefined =>
  claims && {
    keptMs: (claims.days ?? defaultClaimDays) * dayMs,
    perDay: claims.per_day ?? defaultClaimsPerDay,
    pageUrl: claims.page_url
  }

const eligibility = (earning: ProgramFile["earning"]): Eligibility => ({
  channels: new Set(earning.eligible_channels),
  minimumSpend: earning.minimum_eligible_spend.amount,
  excludedProducts: new Set(earning.exclusions.product_ids),
  excludedCategories: new Set(earning.exclusions.category_ids),
  excludedTags: new Set(earning.exclusions.tags),
  excludedKinds: new Set(earning.exclusions.line_kinds),
  excludedTenders: new Set(earning.exclusions.tender_types)
})

/** A primary account without a rule in `account_earning` earns by `earning.rate` and the tier's multiplier. */
const earningRules = (file: ProgramFile, primaryUnit: Unit): ReadonlyArray<AccountEarning> => {
  const rules = file.account_earning ?? []
  const primary = rules.find((rule) => rule.unit === primaryUnit) ?? {
    ...file.earning.rate,
    mode: "spend" as const,
    multiplier_eligible: true
  }
  const others = file.accounts.flatMap((account) =>
    account.is_primary ? [] : rules.filter((rule) => rule.unit === account.unit)
  )
  return [primary, ...others]
}

const inUtc = (reward: Reward): Reward => ({
  ...reward,
  ...(reward.available_from === undefined
    ? undefined
    : { available_from: fromMillis(toMillis(reward.available_from)) }),
  ...(reward.available_until === undefined
    ? undefined
    : { available_until: fromMillis(toMillis(reward.available_until)) })
})

const zoneOf = (file: ProgramFile): string => file.time_zone ?? file.tier_policy?.period.time_zone ?? "UTC"

const promotions = (file: ProgramFile, primaryUnit: Unit): Promotions.Rules => ({
  all: Promotions.compile(zoneOf(file), primaryUnit, file),
  stacking: file.stacking ?? "best",
  zone: zoneOf(file),
  lateMs: (file.limits?.late_order_hours ?? defaultLateOrderHours) * 3_600_000
})

const allowed = Schema.decodeUnknownSync(ProgramDefinition)

/** True if the contract's shape can tell when points expire. */
const isPlain = ({ at = "instant", days, type }: PointExpiration): boolean =>
  type === "after_earned" && at === "instant" && days !== undefined

/** Reply of `programs/get` for a file: the contract's fields alone, nested ones too. */
const publicDefinition = ({ point_expiration, ...file }: ProgramFile): ProgramDefinition => {
  const isTold = point_expiration !== undefined && isPlain(point_expiration)
  const definition = allowed(isTold ? { ...file, point_expiration } : file)
  return { ...definition, rewards: definition.rewards.map(inUtc) }
}

/** Compiles a file without faults (`ProgramFile.validate`), as the first version of the programme. */
export const compile = (file: ProgramFile): Program => {
  const primary = file.accounts.find((account) => account.is_primary)
  if (primary === undefined) throw new Error(`programme ${file.program_id} was compiled without a primary account`)
  const definition = publicDefinition(file)
  return {
    definition,
    id: file.program_id,
    version: 1,
    isRetired: false,
    isRehearsal: file.rehearsal === true,
    rehearsals: new Set(file.rehearsal === true ? [1] : []),
    publishedAt: -Infinity,
    tellsFrom: -Infinity,
    warnings: warningDays(file.point_expiration).map((days) => ({
      days,
      from: file.rehearsal === true ? Infinity : -Infinity
    })),
    file,
    currency: file.currency,
    zone: zoneOf(file),
    primaryUnit: primary.unit,
    accounts: file.accounts.map((account) => ({
      unit: account.unit,
      isPrimary: account.is_primary,
      ...(account.unit_label === undefined ? undefined : { label: account.unit_label })
    })),
    metrics: file.metrics.map(({ metric_id, source, unit }) => ({ metric_id, unit, source })),
    tiers: file.tiers.toSorted((a, b) => a.minimum - b.minimum),
    tierPolicies: first(file.tier_policy),
    pointExpiration: file.point_expiration,
    rewards: new Map(definition.rewards.map((reward) => [reward.reward_id, reward])),
    stampCard: stampCard(file.stamp_card),
    stampCards: StampCards.first(file.stamp_card),
    claims: claimsOf(file),
    redemption: redemptionOf(file),
    reservationTtlMs: (file.limits?.reservation_ttl_seconds ?? defaultReservationTtlSeconds) * 1000,
    evaluationTtlMs: (file.limits?.evaluation_ttl_seconds ?? defaultEvaluationTtlSeconds) * 1000,
    eligibility: eligibility(file.earning),
    promotions: promotions(file, primary.unit),
    challenges: Challenges.compile(zoneOf(file), file),
    isDatedByOrder: file.earning.dated_by === "placed_at",
    orderLimits: {
      points: file.limits?.points_per_order ?? Infinity,
      perDay: file.limits?.orders_per_member_and_day ?? Infinity,
      total: file.limits?.order_total?.amount ?? Infinity
    },
    earning: earningRules(file, primary.unit)
  }
}

/** A promotion of a version, and in which time each member has it so often. */
export interface LimitedPromotion {
  readonly id: string
  readonly every: string | undefined
}

/** Facts of a version that was in force. */
export interface Version {
  /** ms */
  readonly publishedAt: number
  readonly tierPolicy?: ProgramFile["tier_policy"] | undefined
  readonly stampCard?: ProgramFile["stamp_card"] | undefined
  readonly pointExpiration?: ProgramFile["point_expiration"] | undefined
  readonly promotions?: ReadonlyArray<LimitedPromotion>
  readonly challenges?: ProgramFile["challenges"] | undefined
  /** The zone of its days and weeks. */
  readonly zone?: string | undefined
  readonly rehearsal?: boolean | undefined
}

/**
 * When each version was published, ms: of one instant a millisecond apart, so that something which was changed and changed
 * back is not what it was before. The first version needs no instant of its own: what it had begins at 0.
 */
const instantsOf = (versions: ReadonlyArray<Version>): ReadonlyArray<number> => {
  let last = -Infinity
  return versions.map(({ publishedAt }, index) => {
    if (index > 0) last = Math.max(publishedAt, last + 1)
    return index === 0 ? publishedAt : last
  })
}

/** The publication since which the last versions have something, ms; 0 if all have it. */
const since = (versions: ReadonlyArray<Version>, has: (version: Version) => boolean): number => {
  const lacking = versions.findLastIndex((version) => !has(version))
  if (lacking < 0) return 0
  const instants = instantsOf(versions)
  return instants[lacking + 1] ?? instants[lacking]!
}

/** Removing a limit changes no `every`. */
const promotionsSince = ({ promotions }: Program, versions: ReadonlyArray<Version>) =>
  promotions.all.map((one) => {
    const inVersion = (version: Version) => version.promotions?.find(({ id }) => id === one.id)
    const begun = versions.findLastIndex((version) => inVersion(version) === undefined) + 1
    const every = versions.slice(begun).findLast((version) => inVersion(version)?.every !== undefined)
    const present = every && inVersion(every)?.every
    return {
      ...one,
      since: since(versions, (version) => {
        const was = inVersion(version)
        return was !== undefined && (was.every ?? present) === present
      })
    }
  })

const signatureIn = (
  { challenges = [], zone = "UTC" }: Pick<Version, "challenges" | "zone">,
  id: string
): string | undefined => {
  const found = challenges.find(({ challenge_id }) => challenge_id === id)
  return found === undefined ? undefined : Challenges.signature(found, zone)
}

const challengesSince = ({ challenges }: Program, versions: ReadonlyArray<Version>) =>
  challenges.map((one) => {
    const present = signatureIn(versions.at(-1)!, one.id)
    return { ...one, since: since(versions, (version) => signatureIn(version, one.id) === present) }
  })

/** The challenges of a definition as they would be if it were published after `before`, at `at`. */
export const challengesAfter = (before: Program, next: Program, at: number): Program["challenges"] => {
  const signatureOf = ({ file, zone }: Program, id: string) => signatureIn({ challenges: file.challenges, zone }, id)
  return next.challenges.map((one) => {
    const former = before.challenges.find(({ id }) => id === one.id)
    const isAlike = former !== undefined && signatureOf(before, one.id) === signatureOf(next, one.id)
    return { ...one, since: isAlike ? former.since : at }
  })
}

const warningDays = (expiration: ProgramFile["point_expiration"]): ReadonlyArray<number> =>
  expiration?.warning_days ?? []

/** A warning is given from the version on that has it, as long as all later ones have it too. A rehearsal has none. */
const givenFrom = (versions: ReadonlyArray<Version>, days: number): number => {
  const without = versions.findLastIndex(
    ({ pointExpiration, rehearsal }) => rehearsal === true || !warningDays(pointExpiration).includes(days)
  )
  return versions[without + 1]?.publishedAt ?? Infinity
}

/** A compiled definition as the newest of these versions, which are ordered from the oldest. */
export const inForceAs = (
  program: Program,
  versions: ReadonlyArray<Version>,
  isRetired: boolean,
  tellsFrom = -Infinity
): Program => {
  const [oldest, ...later] = versions
  if (oldest === undefined) throw new Error(`programme ${program.id} has no version`)
  return {
    ...program,
    version: versions.length,
    isRetired,
    rehearsals: new Set(versions.flatMap(({ rehearsal }, index) => (rehearsal === true ? [index + 1] : []))),
    promotions: { ...program.promotions, all: promotionsSince(program, versions) },
    challenges: challengesSince(program, versions),
    publishedAt: versions[versions.length - 1]?.publishedAt ?? -Infinity,
    tellsFrom,
    warnings: program.warnings.map(({ days }) => ({ days, from: Math.max(tellsFrom, givenFrom(versions, days)) })),
    tierPolicies: later.reduce(
      (history, { publishedAt, tierPolicy }) => published(history, tierPolicy, publishedAt),
      first(oldest.tierPolicy)
    ),
    stampCards: later.reduce(
      (history, { publishedAt, stampCard }) => StampCards.published(history, stampCard, publishedAt),
      StampCards.first(oldest.stampCard)
    )
  }
}
