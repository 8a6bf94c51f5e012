/**
 * Rest of an order that accrued, and the part that counts for a promotion or a challenge
 * (contract/programmes.md *Promotions*). Pure, in exact integers.
 */
import type { Order } from "../../contract/protocol/Order.ts"
import { byParents, lowersPrice } from "./Lines.ts"
import type { Occasion } from "./Occasions.ts"

/** A line of an order, as it accrued and what is left of it. Money in minor units. */
export interface LineLeft {
  readonly spend: number
  readonly quantity: number
  readonly subtotal: number
  readonly quantityLeft: number
  readonly subtotalLeft: number
}

/** An order as it accrued and what is left of it. */
export interface OrderLeft {
  readonly spend: number
  readonly spendLeft: number
  readonly lines: ReadonlyArray<LineLeft>
}

/** Which lines count, and from which spend; stored with the accrual. */
export interface LineTerms {
  /** Least spend of the lines that count, minor units. */
  readonly minimum?: number
  /** Places of the lines that count; absent: all eligible ones. */
  readonly on?: ReadonlyArray<number>
}

/** ⌊a product ÷ a product⌋ of numbers of at least 0. Above 2^53 − 1 the result is an unsafe integer, never a wrong safe one. */
export const floorOf = (factors: ReadonlyArray<number>, divisors: ReadonlyArray<number>): number => {
  const product = factors.reduce((all, one) => all * one, 1)
  const divisor = divisors.reduce((all, one) => all * one, 1)
  if (Number.isSafeInteger(product) && Number.isSafeInteger(divisor)) return (product - (product % divisor)) / divisor
  const exact = (numbers: ReadonlyArray<number>) => numbers.reduce((all, one) => all * BigInt(one), 1n)
  return Number(exact(factors) / exact(divisors))
}

/** Rest of a line's eligible spend; a line that grew counts as it accrued. */
const spendLeftOf = ({ spend, subtotal, subtotalLeft }: LineLeft): number => {
  if (subtotal === 0 || spend === 0) return 0
  const left = Math.min(Math.abs(subtotalLeft), Math.abs(subtotal))
  return left === Math.abs(subtotal) ? spend : Math.sign(spend) * floorOf([Math.abs(spend), left], [Math.abs(subtotal)])
}

const sumOf = (numbers: ReadonlyArray<number>): number => numbers.reduce((all, one) => all + one, 0)

/**
 * Whole units of the lines that count: those that are left, and no more than fit into `counted` at the prices of the
 * accrual, cheapest first. What modifiers, other lines or tenders took from the order's spend lowers all prices alike. A
 * line that cost nothing gives none.
 */
const unitsOf = (lines: ReadonlyArray<LineLeft>, accrued: number, counted: number): number => {
  const all = sumOf(lines.map(({ spend }) => Math.max(0, spend)))
  const priced = lines
    .filter((line) => spendLeftOf(line) > 0)
    .map((line) => ({
      units: Math.floor(Math.min(line.quantity, line.quantityLeft)),
      // In millionths: a quantity has at most 6 decimals.
      price: floorOf([line.spend, 1_000_000, accrued], [Math.round(line.quantity * 1_000_000), all])
    }))
    .toSorted((a, b) => a.price - b.price)
  let rest = counted
  let units = 0
  for (const { price, units: left } of priced) {
    const fitting = price === 0 ? left : Math.min(left, Math.floor(rest / price))
    units += fitting
    rest -= fitting * price
  }
  return units
}

/** The spend that counts, as it accrued and of what is left. */
export const countedOf = (lines: ReadonlyArray<LineLeft> | undefined, { spend, spendLeft }: OrderLeft) =>
  lines === undefined
    ? { accrued: spend, left: spendLeft }
    : {
        accrued: Math.min(Math.max(0, sumOf(lines.map((line) => line.spend))), spend),
        left: Math.min(Math.max(0, sumOf(lines.map(spendLeftOf))), spendLeft)
      }

/** The lines that count; undefined if all eligible ones do. */
export const linesOn = ({ on }: LineTerms, { lines }: OrderLeft): ReadonlyArray<LineLeft> | undefined =>
  on?.map((place) => lines[place]).filter((line) => line !== undefined)

/** The spend that counts of what is left of an order, and its whole units; nothing below the minimum. */
export const measure = (
  terms: LineTerms,
  order: OrderLeft
): { readonly spend: number; readonly units: () => number } => {
  const lines = linesOn(terms, order)
  const { accrued, left } = countedOf(lines, order)
  if (left <= 0 || left < (terms.minimum ?? 0)) return { spend: 0, units: () => 0 }
  const eligible = () => lines ?? order.lines.filter(({ spend }) => spend !== 0)
  return { spend: left, units: () => unitsOf(eligible(), accrued, left) }
}

/** The lines that count; one that lowers the price exactly if its parent does. */
const placesOn = (isOn: NonNullable<Occasion["isOn"]>, { lines }: Order, left: OrderLeft): ReadonlyArray<number> => {
  const counts = byParents(lines, lines.map(isOn), lowersPrice, (_, _own, parent) => parent)
  const places = [...counts.keys()].filter((place) => counts[place] === true && left.lines[place]?.spend !== 0)
  return places.some((place) => !lowersPrice(lines[place]!)) ? places : []
}

/** True if a line of the order may count. The quickest look: most things are on products that an order does not have. */
export const hasLineFor = ({ isOn }: Occasion, { lines }: Order, left: OrderLeft): boolean =>
  isOn === undefined || lines.some((line, place) => left.lines[place]?.spend !== 0 && isOn(line))

/** Which lines of an order count as it accrues. */
export const lineTerms = ({ isOn, minimumSpend }: Occasion, order: Order, left: OrderLeft): LineTerms => ({
  ...(minimumSpend === 0 ? undefined : { minimum: minimumSpend }),
  ...(isOn === undefined ? undefined : { on: placesOn(isOn, order, left) })
})
