/** A campaign's cost and its result, as far as they can be told. Pure. */
import { comparedMembers } from "../../contract/platform/Attribution.ts"
import type { Report } from "../../contract/platform/Campaigns.ts"
import { number } from "../shared/format.ts"
import type { Amount } from "../shared/spreadsheets/csv.ts"
import { resultStrings as text } from "./resultStrings.ts"

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
  /** True: points are a part of the cost, by the value that they have now. */
  readonly hasPoints: boolean
  /** Points that the cost lacks. `value`: the programme sets none. `account`: those of other accounts have none. */
  readonly lacksPoints: "value" | "account" | undefined
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

/** False: all that was given has no value in money. */
export const isKnown = ({ cost, lacksPoints, lacksRewards }: Result): boolean =>
  cost.amount > 0 || (lacksPoints === undefined && lacksRewards === 0)

const lacksOf = ({ cost, given: { points } }: ReportShown, primary: string | undefined): Result["lacksPoints"] => {
  if (cost.points === undefined && points.some(({ unit }) => unit === primary)) return "value"
  return points.some(({ unit }) => unit !== primary) ? "account" : undefined
}

/** `primary`: the unit of the primary account, whose points alone may have a value. */
export const resultOf = (report: ReportShown, primary: string | undefined): Result => {
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
    hasPoints: (cost.points?.amount ?? 0) > 0,
    lacksPoints: lacksOf(report, primary),
    lacksRewards: cost.unvalued_rewards,
    given,
    orders: attribution.conversions,
    revenue,
    heldOrders: attribution.holdout.conversions,
    heldRevenue,
    brought: broughtOf(report, revenue, heldRevenue)
  }
}

/** By which value the cost counts points, and what it lacks. */
export const costNotes = ({ hasPoints, lacksPoints, lacksRewards }: Result): ReadonlyArray<string> => [
  ...(hasPoints ? [text.today] : []),
  ...(lacksPoints === undefined ? [] : [text.lacksPoints[lacksPoints]]),
  ...(lacksRewards === 0 ? [] : [text.lacksRewards(lacksRewards, number(lacksRewards))])
]
