/** The page's languages: the choice made here, else the browser's, the guest's, the programme's first. */
import type { Language } from "./wire.ts"
import { de } from "./words/de.ts"
import type { Words } from "./words/en.ts"
import { en } from "./words/en.ts"

export const languages: Readonly<Record<Language, Words>> = { en, de }

const isLanguage = (text: string): text is Language => Object.hasOwn(languages, text)

/** The first of the wanted languages that is offered, else the first that is. */
export const chosen = (offered: ReadonlyArray<Language>, ...wanted: ReadonlyArray<string | undefined>): Language =>
  wanted
    .map((one) => (one ?? "").slice(0, 2).toLowerCase())
    .filter(isLanguage)
    .find((one) => offered.includes(one)) ??
  offered[0] ??
  "en"

export interface Shown {
  readonly number: (n: number) => string
  readonly date: (at: string) => string
  /** The last day of what ends at an instant, such as a midnight. */
  readonly lastDay: (end: string) => string
  /** So many of a unit, in words. */
  readonly units: (n: number, unit?: string, label?: string) => string
}

/** A date without a time is the same everywhere. */
const instant = (at: string): Date => new Date(at.length === 10 ? `${at}T12:00:00` : at)

export const shownIn = (language: Language): Shown => {
  // Such as en-GB, whose dates are not those of en-US.
  const region = navigator.languages.find((one) => one.startsWith(`${language}-`)) ?? language
  const numbers = new Intl.NumberFormat(region)
  const dates = new Intl.DateTimeFormat(region, { dateStyle: "medium" })
  const words = languages[language].units
  return {
    number: (n) => numbers.format(n),
    date: (at) => dates.format(instant(at)),
    lastDay: (end) => dates.format(instant(end).getTime() - 1),
    units: (n, unit = "points", label) => {
      const shown = numbers.format(n)
      // An account that is called as its unit is called so in every language.
      if (label !== undefined && label.toLowerCase() !== unit) return `${shown} ${label}`
      return Object.hasOwn(words, unit) ? words[unit as keyof typeof words](n, shown) : shown
    }
  }
}
