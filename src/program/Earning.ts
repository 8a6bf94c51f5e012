/**
 * Points for an order: `⌊spend × amount × multiplier_bps / (rate spend × 10,000)⌋`
 * per account, in exact integers (decisions.md §4 Earning, Accounts).
 */
import type { Order } from "../contract/Order.ts"
import type { Unit } from "../contract/Values.ts"
import { eligibleSpend } from "./Orders.ts"
import type { Program } from "./Program.ts"

/** 10,000 basis points: no multiplier. */
const wholeBps = 10_000

/** The rule by which an account earned; it stays with the accrual. */
export type EarnedAt =
  | { readonly unit: Unit; readonly mode: "spend"; readonly amount: number; readonly spend: number; readonly multiplierBps: number }
  | { readonly unit: Unit; readonly mode: "per_order"; readonly amount: number; readonly multiplierBps: number }

export interface OrderAccruals {
  /** Minor units; 0 where channel or minimum made the order earn nothing. */
  readonly eligibleSpend: number
  /** The primary account first. Points beyond safe integers are left for the caller to refuse. */
  readonly accruals: ReadonlyArray<{ readonly unit: Unit; readonly points: number; readonly earnedAt: EarnedAt }>
}

const floorRatio = (dividend: bigint, divisor: bigint): number => Number(dividend / divisor)

/** Points for eligible spend, which is at least 0. */
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

/** The accounts' rules at a tier's multiplier, the primary first. */
const rules = (program: Program, tierBps: number): ReadonlyArray<EarnedAt> => {
  const { account_earning, earning } = program.definition
  if (account_earning === undefined) {
    const { amount, spend, unit } = earning.rate
    return [{ unit, mode: "spend", amount, spend: spend.amount, multiplierBps: tierBps }]
  }
  const all = account_earning.map((rule): EarnedAt => {
    const multiplierBps = rule.multiplier_eligible ? tierBps : wholeBps
    return rule.mode === "spend" && rule.spend !== undefined
      ? { unit: rule.unit, mode: "spend", amount: rule.amount, spend: rule.spend.amount, multiplierBps }
      : { unit: rule.unit, mode: "per_order", amount: rule.amount, multiplierBps }
  })
  return all.toSorted((a, b) => Number(b.unit === program.primaryUnit) - Number(a.unit === program.primaryUnit))
}

/** What an order earns on every account that has a rule, at the multiplier of the member's tier. */
export const accruals = (program: Program, order: Order, tierBps: number): OrderAccruals => {
  const spend = eligibleSpend(program, order)
  return {
    eligibleSpend: spend ?? 0,
    accruals: rules(program, tierBps).map((earnedAt) => ({
      unit: earnedAt.unit,
      points: spend === undefined ? 0 : pointsFor(earnedAt, spend),
      earnedAt
    }))
  }
}
