/**
 * How many rewards one ordinary order gives at most, by the stamp card and by challenges that repeat
 * (contract/programmes.md *Rewards of one order*). Pure.
 */
import type { AccountEarning } from "../../contract/protocol/Program.ts"
import type { Said } from "../../contract/Said.ts"
import { said } from "../../contract/Said.ts"
import type { Program } from "./Program.ts"

/** The order that is tried: more than most guests spend at once, minor units, in so many items. */
const triedSpend = 5_000
const triedItems = 10

/** With more rewards for one order, a publication needs a confirmation. */
export const fewRewards = 5

const wholeBps = 10_000

const floorOf = (...factors: ReadonlyArray<number>): bigint =>
  factors.reduce((product, factor) => product * BigInt(factor), 1n)

const earned = ({ amount, mode, spend }: AccountEarning, bps: number): number =>
  mode === "spend" && spend !== undefined
    ? Number(floorOf(triedSpend, amount, bps) / floorOf(spend.amount, wholeBps))
    : Number(floorOf(amount, bps) / BigInt(wholeBps))

/** Most that the order credits on an account: base, the highest multiplier of a tier, promotions up to a minimum spend. */
const creditedOf = (
  { earning, orderLimits, promotions, tiers }: Program,
  unit: string,
  mostMinimum = triedSpend
): number => {
  const bps = Math.max(wholeBps, ...tiers.map(({ earn_multiplier_bps = wholeBps }) => earn_multiplier_bps))
  const rule = earning.find((one) => one.unit === unit)
  const base = rule === undefined ? 0 : earned(rule, rule.multiplier_eligible ? bps : wholeBps)
  const given = promotions.all.map(({ file: { enabled, minimum_spend }, gives, unit: own }) => {
    if (enabled === false || own !== unit) return 0
    if (minimum_spend !== undefined && minimum_spend.amount > mostMinimum) return 0
    const { amount, isMultiplied, kind } = gives
    if (kind === "multiply") return rule?.mode === "spend" ? Math.floor((base * (amount - wholeBps)) / wholeBps) : 0
    const points = { add: amount, per_item: amount * triedItems }[kind]
    return isMultiplied ? Math.floor((points * bps) / wholeBps) : points
  })
  const promoted =
    promotions.stacking === "all" ? given.reduce((sum, points) => sum + points, 0) : Math.max(0, ...given)
  return Math.min(base + promoted, orderLimits.points)
}

/** Points of all accounts that the order gives at most, with promotions of any minimum spend, for the limits of people. */
export const mostPoints = (program: Program): number =>
  program.accounts.reduce((sum, { unit }) => sum + creditedOf(program, unit, Infinity), 0)

export const mostRewards = (program: Program): number => {
  const { file, stampCard } = program
  const cards = stampCard === undefined ? 0 : Math.floor(creditedOf(program, stampCard.unit) / stampCard.threshold)
  const completed = (file.challenges ?? []).map(({ count, enabled, minimum_spend, repeat }) => {
    if (enabled === false || (minimum_spend !== undefined && minimum_spend.amount > triedSpend)) return 0
    const times =
      count.items !== undefined
        ? Math.floor(triedItems / count.items)
        : count.spend !== undefined
          ? Math.floor(triedSpend / count.spend)
          : Number((count.orders ?? count.days ?? count.weeks_in_a_row) === 1)
    return repeat === true ? times : Math.min(1, times)
  })
  return completed.reduce((sum, times) => sum + times, cards)
}

/** The rewards that must be confirmed before a definition is published over `inForce`; undefined: none. */
export const toConfirm = (next: Program, inForce: Program | undefined): number | undefined => {
  const rewards = mostRewards(next)
  const before = inForce === undefined ? 0 : mostRewards(inForce)
  return rewards > fewRewards && rewards > before ? rewards : undefined
}

export const manyAtOnce = (rewards: number): Said =>
  said`an order of ${triedItems} items for ${triedSpend} minor units may give ${rewards} rewards`

export const toBeConfirmed = (rewards: number): Said =>
  said`must be ${rewards}, to confirm: an order of ${triedItems} items for ${triedSpend} minor units may give ${rewards} rewards`

/** True if the card fills with what guests earn by spend, so that its rewards grow with what they pay. */
export const isBySpend = ({ earning, stampCard }: Program): boolean =>
  stampCard !== undefined && earning.some(({ mode, unit }) => unit === stampCard.unit && mode === "spend")
