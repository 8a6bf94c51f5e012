/** Amounts of money and quantities, exactly: decimals as text, whole minor units as numbers. */
import { OrderError } from "./OrderError.ts"

/** Decimals of the currency as text (`"12.50"`), or whole minor units as a number (`1250`). */
export type Amount = string | number

/** Largest amount of the wire, minor units (contract/orders.md *Orders that add up*). */
const maxAmount = 10_000_000_000
/** Decimals of a quantity (contract/resources.md *Values*). */
const quantityDigits = 6
export const quantityScale = 1_000_000n
/** Largest quantity: with 6 decimals it has 15 digits, which a number holds exactly. */
const maxQuantity = 999_999_999

const decimalPattern = /^(-?)(\d{1,15})(?:\.(\d+))?$/

const digitsKnown = new Map<string, number>()

const digitsOf = (currency: string): number => {
  let digits = digitsKnown.get(currency)
  if (digits === undefined) {
    if (!/^[A-Z]{3}$/.test(currency))
      throw new OrderError("/currency", "must be a currency code of three capital letters, such as USD")
    digits = new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? 2
    digitsKnown.set(currency, digits)
  }
  return digits
}

const bounded = (amount: number, path: string): number => {
  if (Math.abs(amount) > maxAmount) throw new OrderError(path, `is beyond ${maxAmount} minor units, the largest amount`)
  return amount === 0 ? 0 : amount
}

/** Minor units of an amount. Throws for one that is not exact: rounding is the till's decision. */
export const minorUnits = (amount: Amount, currency: string, path: string): number => {
  const digits = digitsOf(currency)
  if (typeof amount === "number") {
    if (Number.isSafeInteger(amount)) return bounded(amount, path)
    throw new OrderError(path, `is ${amount}; give decimals as text ("12.50"), or whole minor units as a number (1250)`)
  }
  const [, sign, whole, decimals = ""] = (typeof amount === "string" ? decimalPattern.exec(amount) : null) ?? []
  if (whole === undefined)
    throw new OrderError(
      path,
      'must be text of a decimal number with a point and without separators, such as "1250.00"'
    )
  if (decimals.length > digits)
    throw new OrderError(path, `is ${amount}, and ${currency} has ${digits} decimals; round it first`)
  const minor = Number(whole + decimals.padEnd(digits, "0"))
  return bounded(sign === "-" ? -minor : minor, path)
}

/** A quantity as the number of the wire, and in millionths. */
export const quantityOf = (
  quantity: string | number,
  path: string
): { readonly number: number; readonly micros: bigint } => {
  const [, sign, whole, decimals = ""] = decimalPattern.exec(String(quantity)) ?? []
  const micros =
    whole === undefined ? 0n : BigInt(whole + decimals.slice(0, quantityDigits).padEnd(quantityDigits, "0"))
  if (sign !== "" || micros === 0n || decimals.length > quantityDigits) {
    const remedy = 'round it, or give it as text such as "0.350"'
    throw new OrderError(
      path,
      `is ${quantity}; it must be above 0 and have at most ${quantityDigits} decimals: ${remedy}`
    )
  }
  const number = Number(quantity)
  if (number > maxQuantity) throw new OrderError(path, `is ${quantity}; it may be at most ${maxQuantity}`)
  return { number, micros }
}

/** Price × quantity in minor units, halves away from 0. */
export const product = (price: number, micros: bigint, path: string): number => {
  const exact = BigInt(price) * micros
  const half = quantityScale / 2n
  return bounded(Number((exact < 0n ? exact - half : exact + half) / quantityScale), path)
}

/**
 * `amount` in whole parts, in proportion to the weights, which are not negative and not all 0. What rounding leaves goes
 * to the largest remainders, among equal ones to the first. No part exceeds its weight if `amount` does not exceed their
 * sum.
 */
export const spread = (amount: number, weights: ReadonlyArray<number>): ReadonlyArray<number> => {
  const whole = BigInt(weights.reduce((sum, weight) => sum + weight, 0))
  const parts = weights.map((weight, place) => {
    const exact = BigInt(amount) * BigInt(weight)
    return { place, amount: Number(exact / whole), remainder: exact % whole }
  })
  let rest = amount - parts.reduce((sum, part) => sum + part.amount, 0)
  const ranked = [...parts].sort((a, b) =>
    a.remainder === b.remainder ? a.place - b.place : a.remainder > b.remainder ? -1 : 1
  )
  for (const part of ranked) {
    if (rest <= 0) break
    part.amount += 1
    rest -= 1
  }
  return parts.map((part) => part.amount)
}
