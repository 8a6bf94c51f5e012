/** A campaign's cost and its result, as far as they can be told. Pure. */
import { comparedMembers } from "../../contract/platform/Attribution.ts"
import type { Report } from "../../contract/platform/Campaigns.ts"
import type { Amount } from "../shared/spreadsheets/csv.ts"

type ReportShown = typeof Report.Type

/**
 * The result. `extra`: the revenue of those reached, less what as many of the holdout spent in the same
 * time; may be negative. `isChance`: the rates of orders do not differ for certain.
 */
type Brought =
  | { readonly told: "nobody" | "noHoldout" | "few" }
  | {
      readonly told: "extra"
      readonly extra: Amount
      /** Revenue of each member reached, and of each held out. */
      readonly each: Amount
      readonly heldEach: Amount
      readonly isChance: boolean
    }

export interface Result {
  readonly campaign_id: string
  readonly name: string
  readonly reached: number
  readonly cost: Amount
  /** Points that the cost lacks, because the programme gives points no value. */
  readonly lacksPoints: boolean
  /** Used rewards that the cost lacks, because nothing says what they are worth. */
  readonly lacksRewards: number
  readonly given: ReportShown["given"]
  readonly orders: number
  readonly revenue: Amount
  readonly heldOrders: number
  readonly heldRevenue: Amount
  readonly brought: Brought
}

const broughtOf = ({ attribution }: ReportShown, revenue: Amount, heldRevenue: Amount): Brought => {
  const { holdout, lift_interval_bps: range, targeted_members: reached } = attribution
  if (reached === 0) return { told: "nobody" }
  if (holdout.members === 0) return { told: "noHoldout" }
  if (range === undefined || Math.min(reached, holdout.members) < comparedMembers) return { told: "few" }
  const { currency } = revenue
  const money = (amount: number): Amount => ({ amount: Math.round(amount), currency })
  return {
    told: "extra",
    extra: money(revenue.amount - (heldRevenue.amount * reached) / holdout.members),
    each: money(revenue.amount / reached),
    heldEach: money(heldRevenue.amount / holdout.members),
    isChance: range.low <= 0 && range.high >= 0
  }
}

export const resultOf = (report: ReportShown): Result => {
  const { attribution, campaign, cost, given } = report
  const { currency } = cost.rewards
  // A programme has one currency, so there is one sum.
  const sumOf = ([sum]: ReadonlyArray<Amount>): Amount => sum ?? { amount: 0, currency }
  const revenue = sumOf(attribution.attributed_value)
  const heldRevenue = sumOf(attribution.holdout.attributed_value)
  return {
    campaign_id: campaign.campaign_id,
    name: campaign.name,
    reached: attribution.targeted_members,
    cost: { amount: (cost.points?.amount ?? 0) + cost.rewards.amount, currency },
    lacksPoints: given.points.length > (cost.points === undefined ? 0 : 1),
    lacksRewards: cost.unvalued_rewards,
    given,
    orders: attribution.conversions,
    revenue,
    heldOrders: attribution.holdout.conversions,
    heldRevenue,
    brought: broughtOf(report, revenue, heldRevenue)
  }
}
