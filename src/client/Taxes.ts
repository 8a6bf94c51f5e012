/** Tax of the lines and of the order, beside prices or within them. */
import type { Amount } from "./Amounts.ts"
import { minorUnits, quantityOf, quantityScale, spread } from "./Amounts.ts"
import type { DiscountedLine } from "./Discounts.ts"
import { OrderError } from "./OrderError.ts"

/** The tax of a line, or how to compute it of what is left to pay, in minor units. */
export type LineTax = Amount | ((left: number) => Amount)

interface Taxed {
  readonly input: { readonly tax?: LineTax }
  readonly path: string
}

/** The rest to pay for each line with the modifiers that lower its price, at least 0. */
const taxable = (lines: ReadonlyArray<DiscountedLine>): ReadonlyArray<number> =>
  lines.map((line) => {
    const lowering = lines.filter((one) => one.unitPrice < 0 && one.parent_line_id === line.line_id)
    const lowered = lowering.reduce((sum, one) => sum + one.subtotal, 0)
    return Math.max(0, line.subtotal - line.discount + lowered)
  })

const notNegative = (amount: Amount, currency: string, path: string): number => {
  const minor = minorUnits(amount, currency, path)
  if (minor < 0) throw new OrderError(path, "must not be negative")
  return minor
}

const taxOf = ({ input: { tax = 0 }, path }: Taxed, left: number, currency: string): number =>
  notNegative(typeof tax === "function" ? tax(left) : tax, currency, `${path}/tax`)

export interface Taxes {
  readonly taxes: ReadonlyArray<number>
  readonly sum: number
}

const sumOf = (amounts: ReadonlyArray<number>): number => amounts.reduce((sum, one) => sum + one, 0)

/** Tax beside the prices: the lines' and that of the order. */
export const taxesBeside = (
  flat: ReadonlyArray<Taxed>,
  lines: ReadonlyArray<DiscountedLine>,
  currency: string,
  tax: Amount | undefined
): Taxes => {
  const nets = taxable(lines)
  const own = flat.map((line, place) => taxOf(line, nets[place]!, currency))
  const sum = sumOf(own)
  if (tax === undefined) return { taxes: own, sum }
  const whole = notNegative(tax, currency, "/tax")
  if (flat.some(({ input }) => input.tax !== undefined)) {
    if (Math.abs(whole - sum) > lines.length) {
      const message = `is ${whole} minor units, and the lines' tax is ${sum}; they may differ by one a line`
      throw new OrderError("/tax", `${message}: leave one of them out`)
    }
    return { taxes: own, sum: whole }
  }
  const isFree = nets.every((net) => net === 0)
  return { taxes: spread(whole, isFree ? nets.map((_, place) => (place === 0 ? 1 : 0)) : nets), sum: whole }
}

/** `amount` × `whole` ÷ `part`, halves up. */
const scaled = (amount: number, whole: number, part: number): number =>
  Number((2n * BigInt(amount) * BigInt(whole) + BigInt(part)) / (2n * BigInt(part)))

/**
 * Takes the tax out of prices that have it in them. What is left to pay for a line stays: its subtotal loses the tax of
 * its full price, and its discount the tax that the discount saves.
 */
export const taxesWithin = (
  flat: ReadonlyArray<Taxed>,
  lines: ReadonlyArray<DiscountedLine>,
  currency: string
): Taxes & { readonly lines: ReadonlyArray<DiscountedLine> } => {
  const left = taxable(lines)
  const full = taxable(lines.map((line) => ({ ...line, discount: 0 })))
  const taxes = flat.map((line, place) => {
    if (line.input.tax === undefined && full[place]! > 0)
      throw new OrderError(
        `${line.path}/tax`,
        "is missing; where prices have tax in them, give that of each line, or 0"
      )
    const tax = taxOf(line, left[place]!, currency)
    if (tax <= left[place]!) return tax
    throw new OrderError(`${line.path}/tax`, `is ${tax} minor units, more than the ${left[place]} left to pay`)
  })
  const without = lines.map((line, place) => {
    const one = flat[place]!
    const tax = taxes[place]!
    const isScaled = typeof one.input.tax !== "function" && left[place]! > 0
    const fullTax = isScaled ? scaled(tax, full[place]!, left[place]!) : taxOf(one, full[place]!, currency)
    const subtotal = line.subtotal - fullTax
    const discount = line.discount - (fullTax - tax)
    if (discount < 0 || (discount > subtotal && line.unitPrice >= 0))
      throw new OrderError(`${one.path}/tax`, "must grow with what is left to pay, and no faster")
    const { micros } = quantityOf(line.quantity, `${one.path}/quantity`)
    const unitPrice = fullTax === 0 ? line.unitPrice : scaled(subtotal, Number(quantityScale), Number(micros))
    return { ...line, subtotal, discount, unitPrice }
  })
  return { lines: without, taxes, sum: sumOf(taxes) }
}
