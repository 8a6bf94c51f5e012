/// <reference types="vite/types/importMeta.d.ts" />
/**
 * The person's language, and the catalogue in it: the choice kept in the browser, or else the first of the browser's
 * languages that there is. The page waits for a translation, so no module shows a text before. English needs none.
 */

/** A file for each language, such as `de.ts`. They import nothing at run time: the page's own file waits for them. */
const translations = import.meta.glob<Readonly<Record<string, unknown>>>("../translations/*.ts", {
  import: "translation"
})

const original = "en"

const fileOf = (language: string): string => `../translations/${language}.ts`

/** Languages that the console speaks. */
export const languages: ReadonlyArray<string> = [
  original,
  ...Object.keys(translations).map((file) => file.slice(fileOf("").length - 3, -3))
]

const languageOf = (tag: string): string => tag.split("-")[0] ?? tag

/** Where the browser keeps the choice. */
const keptAs = "language"

/** Keeps the choice for the pages that are opened from now on. */
export const speak = (choice: string): void => localStorage.setItem(keptAs, choice)

/**
 * Takes the language of a person's account. True if it is another one, and kept: the page must be loaded anew. Requires: the
 * page can be, without a loss of input.
 */
export const takesUp = (choice: string | undefined): boolean => {
  if (choice === undefined || choice === language || !languages.includes(choice)) return false
  try {
    speak(choice)
    return true
  } catch {
    // The browser keeps nothing for pages, so that the page would be loaded anew for ever.
    return false
  }
}

const kept = (): ReadonlyArray<string> => {
  try {
    const choice = localStorage.getItem(keptAs)
    return choice === null ? [] : [choice]
  } catch {
    // The browser keeps nothing for pages.
    return []
  }
}

const isLocale = (tag: string): boolean => {
  try {
    return Intl.getCanonicalLocales(tag).length > 0
  } catch {
    return false
  }
}

/** The browser's languages. Without a system locale, a browser may have an invalid tag, which is left out. */
const tags = navigator.languages.filter(isLocale)

/** Undefined: none of the person's languages is here. Tests read the catalogue without a browser, in English. */
const found =
  "document" in globalThis ? [...kept(), ...tags].map(languageOf).find((one) => languages.includes(one)) : undefined

export const language = found ?? original

/** Locales for numbers and times: the person's own of the language, such as `de-AT`. */
export const locales: ReadonlyArray<string> =
  found === undefined ? tags : [...tags.filter((tag) => languageOf(tag) === found), found]

/** Parts of the catalogue by name. English remains if the file does not come. */
export const translated = (await translations[fileOf(language)]?.().catch(() => undefined)) ?? {}
