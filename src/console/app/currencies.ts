/** A currency by name: `US Dollar (USD)`; an unknown one as it is. */
export const currencyName = (currency: string): string => {
  try {
    return `${new Intl.DisplayNames(undefined, { type: "currency" }).of(currency)} (${currency})`
  } catch {
    return currency
  }
}
