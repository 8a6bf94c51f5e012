/** The separators of the reader's spreadsheets. */
import type { Separators } from "./csv.ts"

/** Those of a locale whose decimals have a comma. Undefined: it reads the standard ones. */
export const separatorsOf = (locale: string): Separators | undefined => {
  const decimal = new Intl.NumberFormat(locale).formatToParts(0.5).find(({ type }) => type === "decimal")?.value
  return decimal === "," ? { cells: ";", decimals: "," } : undefined
}

/** The reader's: spreadsheets follow the machine, whatever language this page is in. */
export const readers: Separators | undefined = (() => {
  try {
    return separatorsOf(navigator.language)
  } catch {
    // A browser without a system locale may have an invalid one.
    return undefined
  }
})()
