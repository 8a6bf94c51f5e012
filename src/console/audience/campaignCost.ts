/** Foretold gifts of a campaign, from the members that a run would reach now. Pure. */
import type { Campaign } from "../../contract/platform/Campaigns.ts"
import type { RunForecast } from "../../contract/platform/RunForecast.ts"
import { monthDays } from "../shared/schedule.ts"

/** Members that a run holds out and gives to. */
export const runOf = (
  { limit_left = Number.POSITIVE_INFINITY, open }: Pick<RunForecast, "limit_left" | "open">,
  holdoutPercent: number
): { readonly heldOut: number; readonly given: number } => {
  const heldOut = Math.round((open * holdoutPercent) / 100)
  return { heldOut, given: Math.min(open - heldOut, limit_left) }
}

/** Most gifts by the limits over all runs; undefined: there are none. */
export const mostGifts = ({ action: { credit }, limit }: Pick<Campaign, "action" | "limit">): number | undefined => {
  const { amount, rewards } = limit ?? {}
  const byAmount = amount === undefined || credit === undefined ? undefined : Math.floor(amount / credit.amount)
  return rewards === undefined || byAmount === undefined ? (rewards ?? byAmount) : Math.min(rewards, byAmount)
}

/**
 * How often a month of `runs` runs gives something, for a segment of the same size: if it has the same members each time,
 * and if it has others.
 */
export const monthOf = (
  forecast: Pick<RunForecast, "limit_left" | "open">,
  { frequency, holdout_percent }: Pick<Campaign, "frequency" | "holdout_percent">,
  runs: number
): { readonly same: number; readonly others: number } => {
  const { heldOut } = runOf(forecast, holdout_percent)
  const within = (times: number) =>
    Math.min((forecast.open - heldOut) * times, forecast.limit_left ?? Number.POSITIVE_INFINITY)
  const allowed =
    frequency === undefined ? runs : Math.min(runs, frequency.times * Math.ceil(monthDays / frequency.days))
  return { same: within(allowed), others: within(runs) }
}
