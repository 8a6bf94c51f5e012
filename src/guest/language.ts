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
  /** The name of a country, by ISO 3166. */
  readonly country: (code: string) => string
  /** So many of a unit, in words. */
  readonly units: (n: number, unit?: string, label?: string) => string
}

/** `zone`: the programme's, in which its days begin and end; undefined: the browser's. */
export const shownIn = (language: Language, zone?: string): Shown => {
  // Such as en-GB, whose dates are not those of en-US.
  const region = navigator.languages.find((one) => one.startsWith(`${language}-`)) ?? language
  const numbers = new Intl.NumberFormat(region)
  const dates = new Intl.DateTimeFormat(region, { dateStyle: "medium", timeZone: zone })
  // A date without a time is the same everywhere.
  const days = new Intl.DateTimeFormat(region, { dateStyle: "medium", timeZone: "UTC" })
  const countries = new Intl.DisplayNames(region, { type: "region" })
  const words = languages[language].units
  return {
    number: (n) => numbers.format(n),
    date: (at) => (at.length === 10 ? days : dates).format(new Date(at)),
    lastDay: (end) => dates.format(Date.parse(end) - 1),
    country: (code) => countries.of(code) ?? code,
    units: (n, unit = "points", label) => {
      const shown = numbers.format(n)
      // An account that is called as its unit is called so in every language.
      if (label !== undefined && label.toLowerCase() !== unit) return `${shown} ${label}`
      return Object.hasOwn(words, unit) ? words[unit as keyof typeof words](n, shown) : shown
    }
  }
}
