/** Numbers and amounts of money as people type them. Pure. */
import { decimalMark } from "./format.ts"
import { locales } from "./language.ts"

/** Digits, or groups of three digits with one mark between them. */
const wholes = /^(?:\d+|[1-9]\d{0,2}(?:([.,' \u00a0\u202f])\d{3})(?:\1\d{3})*)$/

/** The place of the mark before the decimals; undefined: there are none. */
const decimalsAt = (text: string, decimal: string): number | undefined => {
  const last = Math.max(text.lastIndexOf("."), text.lastIndexOf(","))
  if (last < 0) return undefined
  const before = text.slice(0, last)
  const mark = text.charAt(last)
  if (before.includes(mark)) return undefined
  // A lone mark before three digits groups thousands, unless decimals come after it in the person's language.
  const isLone = !/[.,' \u00a0\u202f]/.test(before)
  return isLone && text.length - last === 4 && mark !== decimal ? undefined : last
}

/**
 * The amount in minor units; undefined: it is none, or has more decimals. Takes `1234.5`, `1,234.50`, `1.234,50` and
 * `1 234,50`. `decimal`: the mark before the decimals in the person's language, without which `1.234` would be two numbers.
 */
export const amountOf = (typed: string, digits: number, decimal: string = decimalMark): number | undefined => {
  const text = typed.trim()
  const at = decimalsAt(text, decimal) ?? text.length
  const [whole, decimals] = [text.slice(0, at), text.slice(at + 1)]
  if (!wholes.test(whole) || !/^\d*$/.test(decimals) || decimals.length > digits) return undefined
  const amount = Number(`${whole.replaceAll(/\D/g, "")}${decimals.padEnd(digits, "0")}`)
  return Number.isSafeInteger(amount) ? amount : undefined
}

/** A typed number; empty text is none, and `NaN` is text that says no number with so many decimals at most. */
export const numberOf = (
  typed: string,
  decimals: number,
  hasSign = false,
  decimal: string = decimalMark
): number | "" => {
  const text = typed.trim()
  if (text === "") return ""
  const isNegative = hasSign && /^[-\u2212]/.test(text)
  const amount = amountOf(isNegative ? text.slice(1) : text, decimals, decimal)
  if (amount === undefined) return Number.NaN
  return (isNegative ? 0 - amount : amount) / 10 ** decimals
}

/** An amount as an input shows it, as the person writes numbers: `1,234.50`. */
export const amountText = (amount: number, digits: number): string =>
  (amount / 10 ** digits).toLocaleString([...locales], { minimumFractionDigits: digits, maximumFractionDigits: digits })
