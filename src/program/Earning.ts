/**
 * What a paid order earns.
 *
 * Source: decisions.md §4 Earning and Accounts.
 */
import type { Order } from "../contract/Order.ts"
import type { AccountEarning } from "../contract/Program.ts"
import type { Unit } from "../contract/Values.ts"
import type { Fault } from "./Fault.ts"
import * as Orders from "./Orders.ts"
import type { Program } from "./Program.ts"
import { BASE_MULTIPLIER_BPS } from "./Tiers.ts"

/**
 * The terms on which points were earned. They stay with the accrual, so that an
 * order adjusted later counts at its original rate and multiplier. `spend` is
 * the rate's divisor in minor units, `amount` its points.
 */
export type EarnedAt =
  | {
    readonly unit: Unit
    readonly mode: "spend"
    readonly amount: number
    readonly spend: number
    readonly multiplierBps: number
  }
  | { readonly unit: Unit; readonly mode: "per_order"; readonly amount: number; readonly multiplierBps: number }

export interface Accrual {
  readonly unit: Unit
  readonly points: number
  readonly earnedAt: EarnedAt
}

export interface Accruals {
  readonly eligibleSpend: number
  /** The primary account's first, then as the programme lists its accounts. */
  readonly accruals: ReadonlyArray<Accrual>
}

/**
 * What the order earns in every account that has a rule. An order that is not
 * eligible (channel, minimum) earns 0 everywhere, also where the rule is so
 * much an order; an eligible one of no spend at all earns its `per_order`.
 *
 * The order must be one that `Orders.faults` and `faults` here have passed.
 */
export const accruals = (program: Program, order: Order, tierMultiplierBps: number): Accruals => {
  const spend = Orders.countedSpend(program, order)
  return {
    eligibleSpend: spend ?? 0,
    accruals: program.earning.map((rule) => {
      const earnedAt = termsOf(rule, tierMultiplierBps)
      return { unit: rule.unit, points: spend === undefined ? 0 : pointsFor(earnedAt, spend), earnedAt }
    })
  }
}

/** Why the order's points would be more than an integer holds; paths start at the request's body. */
export const faults = (program: Program, order: Order, tierMultiplierBps: number): ReadonlyArray<Fault> => {
  const spend = Orders.countedSpend(program, order)
  if (spend === undefined) return []
  return program.earning
    .filter((rule) => !fits(termsOf(rule, tierMultiplierBps), spend))
    .map((rule) => ({ path: "/order/totals/subtotal", message: `earns more ${rule.unit} than can be counted` }))
}

/**
 * The points that `spend` minor units earn: ⌊spend × amount × multiplier / (rate spend × 10,000)⌋,
 * exactly; ⌊amount × multiplier / 10,000⌋ whatever the spend where the rule is so much an order.
 * Throws a RangeError past 2^53 − 1: ask `fits` before.
 */
export const pointsFor = (earnedAt: EarnedAt, spend: number): number => {
  const points = floorPoints(earnedAt, spend)
  if (!Number.isSafeInteger(points)) throw new RangeError(`${spend} earns more ${earnedAt.unit} than can be counted`)
  return points
}

/** Whether the points are a number that can be kept. */
export const fits = (earnedAt: EarnedAt, spend: number): boolean => Number.isSafeInteger(floorPoints(earnedAt, spend))

const floorPoints = (earnedAt: EarnedAt, spend: number): number =>
  earnedAt.mode === "spend"
    ? floorDivide(spend, earnedAt.amount, earnedAt.multiplierBps, earnedAt.spend)
    : floorDivide(1, earnedAt.amount, earnedAt.multiplierBps, 1)

/** ⌊a × b × c / (d × 10,000)⌋ of numbers not negative; in doubles where nothing can round. */
const floorDivide = (a: number, b: number, c: number, d: number): number => {
  const product = a * b * c
  const divisor = d * 10_000
  if (Number.isSafeInteger(product) && Number.isSafeInteger(divisor)) return (product - product % divisor) / divisor
  return Number(BigInt(a) * BigInt(b) * BigInt(c) / (BigInt(d) * 10_000n))
}

const termsOf = (rule: AccountEarning, tierMultiplierBps: number): EarnedAt => {
  const multiplierBps = rule.multiplier_eligible ? tierMultiplierBps : BASE_MULTIPLIER_BPS
  return rule.mode === "per_order" || rule.spend === undefined
    ? { unit: rule.unit, mode: "per_order", amount: rule.amount, multiplierBps }
    : { unit: rule.unit, mode: "spend", amount: rule.amount, spend: rule.spend.amount, multiplierBps }
}
