/**
 * The rules between the parts of a programme file (contract/programmes.md *Checks of a file*).
 *
 * The rules check a draft: only the parts whose own shape is valid. A malformed
 * part is missing in the draft, because its fault is already reported.
 */
import type { BodyFault } from "../../contract/Decode.ts"
import { outOfBounds } from "../../contract/Numbers.ts"
import type { PointExpiration, ProgramFile } from "../../contract/ProgramFile.ts"
import type { Allocation, Funding, Reward, RewardEffect, Tier } from "../../contract/protocol/Program.ts"
import type { Sentence } from "../../contract/Said.ts"
import { faultAt, said } from "../../contract/Said.ts"
import type { Money } from "../../contract/Values.ts"
import { reservedIds, toMillis } from "../../contract/Values.ts"
import { dayMs, zoneOf } from "./Calendar.ts"
import { challengeFaults } from "./ChallengeRules.ts"
import { split } from "./Funding.ts"
import { promotionFaults, within } from "./PromotionRules.ts"
import { valueOf } from "./Rewards.ts"

const payWithPoints = "/redemption/pay_with_points"

/** The parts of a file whose own shape is valid. */
interface Redeeming {
  readonly redemption?: ProgramFile["redemption"]
  readonly rewards: {
    readonly items: ReadonlyArray<{ readonly [K in keyof Reward]?: Reward[K] | undefined } | undefined>
    readonly isWhole: boolean
  }
}

/** Every violated rule of `redemption`, with place (JSON Pointer) and reason. */
const redemptionFaults = ({ redemption, rewards }: Redeeming): ReadonlyArray<BodyFault> => {
  const found: Array<BodyFault> = []
  const say = (path: string, sentence: Sentence) => found.push(faultAt(path, sentence))
  const pay = redemption?.pay_with_points
  if (pay === undefined) return found
  const reward = rewards.items.find((one) => one?.reward_id === pay.reward_id)
  if (reward === undefined) {
    const mayBeMalformed = rewards.items.some((one) => one?.reward_id === undefined)
    if (rewards.isWhole && !mayBeMalformed) say(`${payWithPoints}/reward_id`, "must name one of the rewards")
    return found
  }
  const { cost, effect } = reward
  const isDiscount = effect === undefined || (effect.type === "discount" && effect.amount.amount > 0)
  if (!isDiscount || cost?.amount === 0)
    say(`${payWithPoints}/reward_id`, "must name a reward that has a cost and a discount above 0")
  return found
}

/** A code follows behind `#`, which browsers do not send: no log has it. */
const checkClaimPage = (claims: ProgramFile["claims"], say: Say): void => {
  if (claims?.page_url === undefined) return
  const page = URL.parse(claims.page_url)
  if (page?.protocol !== "https:" || page.hash !== "" || claims.page_url.endsWith("#"))
    say("/claims/page_url", "must be an https URL without `#`, such as https://example.com/points")
}

const checkGuestPage = (page: ProgramFile["guest_page"], say: Say): void => {
  unique(page?.languages ?? [], (index) => `/guest_page/languages/${index}`, say)
  page?.links?.forEach(({ url }, index) => {
    if (URL.parse(url)?.protocol !== "https:")
      say(`/guest_page/links/${index}/url`, "must be an https URL, such as https://example.com/menu")
  })
}

/** The fewest days that so many months have, whatever the day they are counted from. */
const fewestDays = (months: number): number => {
  const lengths = Array.from({ length: 48 }, (_, first) => Date.UTC(2001, first + months) - Date.UTC(2001, first))
  return Math.min(...lengths) / dayMs
}

/**
 * The rules of `point_expiration`. Calls `say` for every fault, with the place in the file (JSON Pointer) and the reason.
 */
const checkExpiration = (
  { at, days, months, type, warning_days }: PointExpiration,
  say: (path: string, sentence: Sentence) => void
): void => {
  const path = "/point_expiration"
  if ((days === undefined) === (months === undefined)) say(path, "must have either days or months")
  if (at !== undefined && type !== "after_earned") say(`${path}/at`, "is allowed only with type after_earned")
  const life = days ?? (months === undefined ? Infinity : fewestDays(months))
  warning_days.forEach((warning, index) => {
    const place = `${path}/warning_days/${index}`
    if (warning_days.indexOf(warning) < index) say(place, "must be unique")
    if (warning >= life) {
      say(
        place,
        said`must be at least 1 and less than ${months === undefined ? "days" : `${life}, the days of months`}`
      )
    }
  })
}

/** An object's valid properties; a malformed one is undefined. */
export type Valid<A> = { readonly [K in keyof A]?: A[K] | undefined }

/** A list's valid items at their index. Only if `isWhole`, a missing item is certainly missing. */
export interface Listed<A> {
  readonly items: ReadonlyArray<A | undefined>
  readonly isWhole: boolean
}

type ListOf = "accounts" | "metrics" | "promotions" | "challenges"
type ItemOf<K extends ListOf> = NonNullable<ProgramFile[K]>[number]

export interface ValidParts
  extends Valid<Omit<ProgramFile, "earning" | "account_earning" | "tiers" | "rewards" | ListOf>> {
  readonly earning: Valid<ProgramFile["earning"]>
  readonly accounts: Listed<ItemOf<"accounts">>
  readonly account_earning: Listed<NonNullable<ProgramFile["account_earning"]>[number]>
  readonly metrics: Listed<Valid<ItemOf<"metrics">>>
  readonly tiers: Listed<Valid<Tier>>
  readonly rewards: Listed<Valid<Reward>>
  readonly promotions: Listed<Valid<ItemOf<"promotions">>>
  readonly challenges: Listed<Valid<ItemOf<"challenges">>>
}

const wholeBps = 10_000

type Say = (path: string, sentence: Sentence) => void

const each = <A>(list: Listed<A>, visit: (item: A, index: number) => void): void =>
  list.items.forEach((item, index) => {
    if (item !== undefined) visit(item, index)
  })

const unique = (
  values: ReadonlyArray<string | number | undefined>,
  path: (index: number) => string,
  say: Say
): void => {
  const seen = new Set<string | number>()
  values.forEach((value, index) => {
    if (value === undefined) return
    if (seen.has(value)) say(path(index), "must be unique")
    seen.add(value)
  })
}

const atLeast = (value: number | undefined, low: number, path: string, say: Say): void => {
  if (value !== undefined && value < low) say(path, outOfBounds(low, Number.MAX_SAFE_INTEGER))
}

/** True if certainly no item of the list matches. */
const certainlyLacks = <A>(list: Listed<A>, wanted: (item: A) => unknown): boolean =>
  list.isWhole && !list.items.some((item) => item !== undefined && wanted(item))

const checkUnit = (draft: ValidParts, unit: string | undefined, path: string, say: Say): void => {
  if (unit !== undefined && certainlyLacks(draft.accounts, (account) => account.unit === unit)) {
    say(path, "must be the unit of one of the accounts")
  }
}

const checkMoney = (draft: ValidParts, money: Money | undefined, path: string, minimum: number, say: Say): void => {
  if (money === undefined) return
  if (draft.currency !== undefined && money.currency !== draft.currency) {
    say(`${path}/currency`, said`must be ${draft.currency}, the programme's currency`)
  }
  atLeast(money.amount, minimum, `${path}/amount`, say)
}

const checkAccounts = ({ accounts }: ValidParts, say: Say): void => {
  unique(
    accounts.items.map((account) => account?.unit),
    (index) => `/accounts/${index}/unit`,
    say
  )
  if (certainlyLacks(accounts, (account) => account.is_primary)) say("/accounts", "must have a primary account")
  const first = accounts.items.findIndex((account) => account?.is_primary)
  each(accounts, (account, index) => {
    if (account.is_primary && index !== first) say(`/accounts/${index}/is_primary`, "must be true for only one account")
  })
}

const checkEarning = (draft: ValidParts, say: Say): void => {
  const { minimum_eligible_spend, rate } = draft.earning
  checkMoney(draft, minimum_eligible_spend, "/earning/minimum_eligible_spend", 0, say)
  const primary = draft.accounts.items.find((account) => account?.is_primary)?.unit
  if (rate !== undefined) {
    checkMoney(draft, rate.spend, "/earning/rate/spend", 1, say)
    if (primary !== undefined && rate.unit !== primary) say("/earning/rate/unit", "must be the primary account's unit")
  }
  unique(
    draft.account_earning.items.map((rule) => rule?.unit),
    (index) => `/account_earning/${index}/unit`,
    say
  )
  each(draft.account_earning, (rule, index) => {
    const path = `/account_earning/${index}`
    checkUnit(draft, rule.unit, `${path}/unit`, say)
    if (rule.mode === "per_order") {
      if (rule.spend !== undefined) say(`${path}/spend`, "is allowed only with mode spend")
      return
    }
    if (rule.spend === undefined) return say(`${path}/spend`, "is required with mode spend")
    checkMoney(draft, rule.spend, `${path}/spend`, 1, say)
    if (rule.unit !== primary || rate === undefined) return
    if (rule.amount !== rate.amount)
      say(`${path}/amount`, "must equal the amount of earning.rate, because this is the primary account")
    if (rule.spend.amount !== rate.spend.amount) {
      say(`${path}/spend/amount`, "must equal the spend of earning.rate, because this is the primary account")
    }
  })
}

const checkMetrics = (draft: ValidParts, say: Say): void => {
  unique(
    draft.metrics.items.map((metric) => metric?.metric_id),
    (index) => `/metrics/${index}/metric_id`,
    say
  )
  each(draft.metrics, (metric, index) => checkUnit(draft, metric.unit, `/metrics/${index}/unit`, say))
}

/** True if the file may have a metric of this id. */
const isMetric = ({ metrics }: ValidParts, metricId: string): boolean =>
  !certainlyLacks(metrics, (metric) => metric.metric_id === undefined || metric.metric_id === metricId)

const checkTiers = (draft: ValidParts, say: Say): void => {
  const tiers = draft.tiers.items
  unique(
    tiers.map((tier) => tier?.tier_id),
    (index) => `/tiers/${index}/tier_id`,
    say
  )
  unique(
    tiers.map((tier) => tier?.minimum),
    (index) => `/tiers/${index}/minimum`,
    say
  )
  const minimums = tiers.map((tier) => tier?.minimum ?? 0)
  const lowest = minimums.indexOf(Math.min(...minimums))
  if ((minimums[lowest] ?? 0) > 0) say(`/tiers/${lowest}/minimum`, "must be 0 on the lowest tier")
  const metric =
    draft.tier_policy?.metric_id ??
    tiers.find((tier) => tier?.qualification_metric_id !== undefined)?.qualification_metric_id
  each(draft.tiers, (tier, index) => {
    const path = `/tiers/${index}`
    unique(
      (tier.benefits ?? []).map(({ benefit_id }) => benefit_id),
      (at) => `${path}/benefits/${at}/benefit_id`,
      say
    )
    const own = tier.qualification_metric_id
    if (own === undefined) return
    if (!isMetric(draft, own)) say(`${path}/qualification_metric_id`, "must name one of the metrics")
    else if (own !== metric) {
      say(`${path}/qualification_metric_id`, "must be the same metric for all tiers and the tier policy")
    }
  })
}

const checkZone = (zone: string | undefined, path: string, say: Say): void => {
  if (zone !== undefined && zoneOf(zone) === undefined) say(path, "must be an IANA time zone such as Europe/Berlin")
}

const checkPolicy = (draft: ValidParts, say: Say): void => {
  const policy = draft.tier_policy
  if (policy === undefined) return
  const { starts_day, starts_month, time_zone } = policy.period
  if (!isMetric(draft, policy.metric_id)) say("/tier_policy/metric_id", "must name one of the metrics")
  // 2024 is a leap year: a period may start on 29 February.
  const last = new Date(Date.UTC(2024, starts_month, 0)).getUTCDate()
  within(starts_day, 1, last, "/tier_policy/period/starts_day", say)
  checkZone(time_zone, "/tier_policy/period/time_zone", say)
}

const sumOf = (allocations: ReadonlyArray<Allocation>): bigint =>
  allocations.reduce((sum, { amount }) => sum + BigInt(amount.amount), 0n)

const checkEffect = (draft: ValidParts, effect: RewardEffect, path: string, say: Say): void => {
  switch (effect.type) {
    case "custom":
      return
    case "free_item":
      return checkMoney(draft, effect.max_value, `${path}/max_value`, 0, say)
    case "discount": {
      const { allocations, amount } = effect
      checkMoney(draft, amount, `${path}/amount`, 0, say)
      unique(
        allocations.map(({ line_id }) => line_id),
        (index) => `${path}/allocations/${index}/line_id`,
        say
      )
      allocations.forEach((allocation, index) =>
        checkMoney(draft, allocation.amount, `${path}/allocations/${index}/amount`, 0, say)
      )
      if (sumOf(allocations) !== BigInt(amount.amount)) say(`${path}/allocations`, "must add up to the effect's amount")
    }
  }
}

/** Amounts in a programme's funding are optional; if given, they must equal the computed shares. */
const checkFunding = (
  funding: ReadonlyArray<Funding>,
  effect: RewardEffect | undefined,
  path: string,
  say: Say
): void => {
  unique(
    funding.map((share) => JSON.stringify([share.party_type, share.party_id])),
    (index) => `${path}/${index}/party_id`,
    say
  )
  const total = funding.reduce((sum, share) => sum + BigInt(share.share_bps), 0n)
  if (total !== BigInt(wholeBps)) return say(path, "shares must add up to 10,000 basis points")
  if (effect === undefined) return
  split(funding, valueOf(effect)).forEach(({ amount }, index) => {
    const given = funding[index]?.amount
    if (given === undefined) return
    if (amount === undefined) say(`${path}/${index}/amount`, "must be absent, because the effect has no value")
    else if (given.amount !== amount.amount || given.currency !== amount.currency) {
      say(`${path}/${index}/amount`, said`must be ${amount.amount} ${amount.currency}, the share's amount, or absent`)
    }
  })
}

const checkReward = (draft: ValidParts, reward: Valid<Reward>, path: string, say: Say): void => {
  const { available_from, available_until, cost, effect, funding } = reward
  checkUnit(draft, cost?.unit, `${path}/cost/unit`, say)
  if (effect !== undefined) checkEffect(draft, effect, `${path}/effect`, say)
  if (funding !== undefined) checkFunding(funding, effect, `${path}/funding`, say)
  if (available_from === undefined || available_until === undefined) return
  if (toMillis(available_from) > toMillis(available_until)) {
    say(`${path}/available_until`, "must not be before available_from")
  }
}

const checkPointValue = (draft: ValidParts, say: Say): void => {
  checkMoney(draft, draft.point_value?.worth, "/point_value/worth", 1, say)
}

const checkStampCard = (draft: ValidParts, say: Say): void => {
  const card = draft.stamp_card
  if (card === undefined) return
  checkUnit(draft, card.unit, "/stamp_card/unit", say)
  if (certainlyLacks(draft.rewards, ({ reward_id }) => reward_id === undefined || reward_id === card.reward_id)) {
    say("/stamp_card/reward_id", "must name one of the rewards")
  }
}

/** Every violated rule, with place (JSON Pointer) and reason. */
export const faults = (draft: ValidParts): ReadonlyArray<BodyFault> => {
  const found: Array<BodyFault> = []
  const say: Say = (path, sentence) => found.push(faultAt(path, sentence))
  if (draft.program_id !== undefined && reservedIds.has(draft.program_id)) {
    say("/program_id", said`must not be ${draft.program_id}, a word of the operators' API`)
  }
  checkZone(draft.time_zone, "/time_zone", say)
  checkAccounts(draft, say)
  checkEarning(draft, say)
  checkMetrics(draft, say)
  checkTiers(draft, say)
  checkPolicy(draft, say)
  if (draft.point_expiration !== undefined) checkExpiration(draft.point_expiration, say)
  unique(
    draft.rewards.items.map((reward) => reward?.reward_id),
    (index) => `/rewards/${index}/reward_id`,
    say
  )
  each(draft.rewards, (reward, index) => checkReward(draft, reward, `/rewards/${index}`, say))
  checkPointValue(draft, say)
  checkClaimPage(draft.claims, say)
  checkGuestPage(draft.guest_page, say)
  checkStampCard(draft, say)
  return [...found, ...redemptionFaults(draft), ...promotionFaults(draft), ...challengeFaults(draft)]
}
