/** Points in money. Pure. */
import type { PointValue } from "./ProgramFile.ts"

/** Rounded to whole minor units, halves away from 0. Exact, however many points. */
export const worthOf = ({ points, worth }: PointValue, amount: number): PointValue["worth"] => {
  const [of, total] = [BigInt(points), BigInt(Math.abs(amount)) * BigInt(worth.amount)]
  const rounded = Number((2n * total + of) / (2n * of))
  return { amount: amount < 0 ? -rounded : rounded, currency: worth.currency }
}
