/** Numbers and plural forms of the German texts. This file and those beside it import nothing else at run time. */

const isGerman = (tag: string): boolean => /^de\b/.test(tag)

/** The reader's own German, such as `de-CH`, or else that of Germany. */
const locales = [...navigator.languages.filter(isGerman), "de"]

const whole = new Intl.NumberFormat(locales)
const oneDecimal = new Intl.NumberFormat(locales, { minimumFractionDigits: 1, maximumFractionDigits: 1 })
const rules = new Intl.PluralRules("de")

export const number = (value: number): string => whole.format(value).replace("-", "−")
export const decimal = (value: number): string => oneDecimal.format(value).replace("-", "−")
export const count = (n: number, one: string, many: string): string => (rules.select(n) === "one" ? one : many)

const units: Readonly<Record<string, string>> = {
  points: "Punkte",
  visits: "Besuche",
  stamps: "Stempel",
  credits: "Guthaben",
  custom: "Einheiten"
}

/** A unit of the contract in German, however it is written; another name that the programme gives stays. */
export const unitName = (unit: string): string => units[unit.toLowerCase()] ?? unit

/** `3 Tage`, and with “in”, “von” and the like before it: `3 Tagen`. */
export const days = (n: number): string => `${number(n)} ${count(n, "Tag", "Tage")}`
export const inDays = (n: number): string => `${number(n)} ${count(n, "Tag", "Tagen")}`
