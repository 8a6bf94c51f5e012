/** Amounts of money as people read them. */

const digitsKnown = new Map<string, number>()

/** Decimals of a currency; 2 for an unknown one. Requires three capital letters. */
export const digitsOf = (currency: string): number => {
  let digits = digitsKnown.get(currency)
  if (digits === undefined) {
    digits = new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? 2
    digitsKnown.set(currency, digits)
  }
  return digits
}

/** Minor units in the currency's main unit, such as `12.40`; `too much` for a sum that is not exact. */
export const moneyText = (amount: number, currency: string): string => {
  if (!Number.isSafeInteger(amount)) return "too much"
  const decimals = digitsOf(currency)
  const digits = String(Math.abs(amount)).padStart(decimals + 1, "0")
  const main = digits.slice(0, digits.length - decimals)
  return `${amount < 0 ? "-" : ""}${main}${decimals === 0 ? "" : `.${digits.slice(-decimals)}`}`
}
