/** Amounts of money as people type them. Pure. */
import { decimalMark } from "./format.ts"
import { locales } from "./language.ts"

/**
 * The amount in minor units; undefined: it is none. Takes `1234.5`, `1,234.50`, `1.234,50` and `1 234,50`. A lone separator
 * before three digits groups thousands, except the person's decimal mark in a currency with three decimals.
 */
export const amountOf = (typed: string, digits: number): number | undefined => {
  const text = typed.replaceAll(/[\s\u00a0\u202f']/g, "")
  const last = Math.max(text.lastIndexOf("."), text.lastIndexOf(","))
  const mark = text.charAt(last)
  const after = text.length - last - 1
  const isOnly = last >= 0 && !text.slice(0, last).includes(mark)
  const hasOther = /[.,]/.test(text.slice(0, Math.max(last, 0)).replaceAll(mark === "" ? "|" : mark, ""))
  const isDecimal = isOnly && after <= digits && (hasOther || after !== 3 || mark === decimalMark)
  const [wholes, decimals] = isDecimal ? [text.slice(0, last), text.slice(last + 1)] : [text, ""]
  const isGrouped = /^\d{1,3}(?:,\d{3})+$|^\d{1,3}(?:\.\d{3})+$/.test(wholes)
  if (!isGrouped && !/^\d+$/.test(wholes)) return undefined
  if (!/^\d*$/.test(decimals)) return undefined
  const amount = Number(`${wholes.replaceAll(/[.,]/g, "")}${decimals.padEnd(digits, "0")}`)
  return Number.isSafeInteger(amount) ? amount : undefined
}

/** An amount as an input shows it, as the person writes numbers: `1,234.50`. */
export const amountText = (amount: number, digits: number): string =>
  (amount / 10 ** digits).toLocaleString([...locales], { minimumFractionDigits: digits, maximumFractionDigits: digits })
