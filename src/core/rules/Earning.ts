/**
 * Points for an order: `⌊spend × amount × multiplier_bps / (rate spend × 10,000)⌋`
 * per balance, in exact integers (contract/orders.md *Earning*, *Accounts of a programme*).
 */
import type { Order } from "../../contract/protocol/Order.ts"
import type { AccountEarning } from "../../contract/protocol/Program.ts"
import type { IneligibleReason, Unit } from "../../contract/Values.ts"
import { eligible } from "./OrderChecks.ts"
import type { Program } from "./Program.ts"

/** 10,000 basis points: no multiplier. */
const wholeBps = 10_000

/** The rule that a balance earned by; stored with the accrual. */
export type EarnedAt =
  | {
      readonly unit: Unit
      readonly mode: "spend"
      readonly amount: number
      /** The rate's spend, minor units. */
      readonly spend: number
      readonly multiplierBps: number
    }
  | { readonly unit: Unit; readonly mode: "per_order"; readonly amount: number; readonly multiplierBps: number }

export interface OrderAccruals {
  /** Minor units, also if channel or minimum prevent earning. */
  readonly eligibleSpend: number
  /** Each line's part of it, in the order of the lines. */
  readonly lineSpends: ReadonlyArray<number>
  /** True if the order's channel earns nothing. */
  readonly isElsewhere: boolean
  /** True if channel or minimum prevent earning on every balance. */
  readonly isKeptOut: boolean
  /** The primary balance first. The caller must refuse points beyond safe integers. */
  readonly accruals: ReadonlyArray<{ readonly unit: Unit; readonly points: number; readonly earnedAt: EarnedAt }>
  /** True if some balance earns something by its rule. Only such an order counts as one of the member's. */
  readonly hasEarned: boolean
  /** Why a balance that earns by spend earned nothing; empty if each earned something. */
  readonly ineligible: ReadonlyArray<IneligibleReason>
}

const floorRatio = (dividend: bigint, divisor: bigint): number => Number(dividend / divisor)

/**
 * Points for an eligible spend of at least 0; a rule per order ignores the spend.
 * Above 2^53 − 1 the result is an unsafe integer, never a wrong safe one: the
 * caller must refuse it.
 */
export const pointsFor = (rule: EarnedAt, spend: number): number => {
  if (rule.mode === "per_order") {
    return floorRatio(BigInt(rule.amount) * BigInt(rule.multiplierBps), BigInt(wholeBps))
  }
  const product = spend * rule.amount * rule.multiplierBps
  const divisor = rule.spend * wholeBps
  if (Number.isSafeInteger(product) && Number.isSafeInteger(divisor)) return (product - (product % divisor)) / divisor
  return floorRatio(
    BigInt(spend) * BigInt(rule.amount) * BigInt(rule.multiplierBps),
    BigInt(rule.spend) * BigInt(wholeBps)
  )
}

/** A rule with the tier's multiplier, if the balance uses multipliers. */
const at = (rule: AccountEarning, tierBps: number): EarnedAt => {
  const multiplierBps = rule.multiplier_eligible ? tierBps : wholeBps
  return rule.mode === "spend" && rule.spend !== undefined
    ? { unit: rule.unit, mode: "spend", amount: rule.amount, spend: rule.spend.amount, multiplierBps }
    : { unit: rule.unit, mode: "per_order", amount: rule.amount, multiplierBps }
}

/**
 * Earnings of an order on every balance with a rule, at the multiplier of the
 * member's tier. If channel or minimum prevent earning, every balance earns 0,
 * also by a rule per order.
 */
export const accruals = (program: Program, order: Order, tierBps: number): OrderAccruals => {
  const { isElsewhere, isKeptOut, lineSpends, reasons, spend } = eligible(program, order)
  let isShort = false
  const earned = program.earning.map((rule) => {
    const earnedAt = at(rule, tierBps)
    const points = isKeptOut ? 0 : pointsFor(earnedAt, spend)
    if (points === 0 && rule.mode === "spend") isShort = true
    return { unit: rule.unit, points, earnedAt }
  })
  const why = reasons.length === 0 ? rounded : reasons
  const hasEarned = earned.some(({ points }) => points > 0)
  const ineligible = isShort ? why : []
  return { eligibleSpend: spend, lineSpends, isElsewhere, isKeptOut, accruals: earned, hasEarned, ineligible }
}

/** The only remaining reason: the eligible spend was too small for one point. */
const rounded: ReadonlyArray<IneligibleReason> = ["rounded_to_zero"]
