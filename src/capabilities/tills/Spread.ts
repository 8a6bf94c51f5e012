/** Whole parts of an amount by largest remainder. */

/**
 * `amount` in whole parts, in proportion to weights that are not negative and not all 0. Rounding's rest goes to the
 * largest remainders, among equal ones to the first. No part exceeds its weight if `amount` does not exceed their sum.
 */
export const spread = (amount: number, weights: ReadonlyArray<number>): ReadonlyArray<number> => {
  const whole = weights.reduce((sum, weight) => sum + BigInt(weight), 0n)
  const parts = weights.map((weight, place) => {
    const exact = BigInt(amount) * BigInt(weight)
    return { place, amount: Number(exact / whole), remainder: exact % whole }
  })
  let rest = amount - parts.reduce((sum, part) => sum + part.amount, 0)
  for (const part of parts.toSorted((a, b) => Number(b.remainder - a.remainder) || a.place - b.place)) {
    if (rest <= 0) break
    part.amount += 1
    rest -= 1
  }
  return parts.map((part) => part.amount)
}
