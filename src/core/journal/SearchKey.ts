/** How people's searches for members are read, and the keys that they are compared with. */
import { hash } from "node:crypto"

/** Letters without accents that Unicode does not take apart. */
const plainLetters: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ı: "i"
}

/** The form in which names and e-mail addresses are compared: case and accents do not matter. */
export const searchKey = (text: string): string =>
  text
    .normalize("NFD")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[ßæœøłđðþı]/g, (letter) => plainLetters[letter] ?? letter)
    .normalize("NFC")

/** A text after every text with the prefix: it ends with the last character of Unicode. */
export const prefixEnd = (prefix: string): string => `${prefix}\u{10ffff}`

/** Fewest characters of a word, and fewest digits of a number: fewer would find too many. */
const minWord = 2
const minDigits = 4
/** Most characters of a term; `profile_terms` and `identity_terms` cut at the same. */
const maxTerm = 64

/** A term's beginning, as a part of a tsquery. */
const beginning = (term: string): string => `'${term.replaceAll(/['\\]/g, "$&$&")}':*`

/** Fewest characters of a word that is looked for with `ae`, `oe` and `ue` as umlauts too: a shorter one would find too many. */
const minSpelt = 5

/** The keys of a word: Müller is found by *mueller*, and Mueller by *müller*. */
const keysOf = (word: string): ReadonlyArray<string> => {
  const key = searchKey(word)
  const spelt = searchKey(word.normalize("NFC").replaceAll(/[äöü]/giu, (letter) => `${searchKey(letter)}e`))
  const plain = [...key].length < minSpelt ? key : key.replaceAll(/([aou])e/g, "$1")
  return [...new Set([key, spelt, plain])]
}

const wordBeginning = (word: string): string => {
  const keys = keysOf(word).map((key) => beginning(`n${[...key].slice(0, maxTerm).join("")}`))
  return keys.length === 1 ? keys.join("") : `(${keys.join(" | ")})`
}

/** Words of a name, each by its beginning, in any order; undefined: none is long enough. */
const wordsIn = (text: string): string | undefined => {
  const words = text.split(/[\s.,'’()-]+/).filter((word) => [...searchKey(word)].length >= minWord)
  return words.length === 0 ? undefined : words.map(wordBeginning).join(" & ")
}

/**
 * The end of a telephone or card number, however it is spaced. Leading zeros do not count: `0170` and `0049170` are
 * ends of `+49170`. Undefined: the text is no number.
 */
const numberIn = (text: string): string | undefined => {
  if (!/^[\sA-Za-z0-9+()./-]+$/.test(text) || text.replaceAll(/\D/g, "").length < minDigits) return undefined
  const plain = text
    .replace("(0)", "")
    .replaceAll(/[^A-Za-z0-9]/g, "")
    .toLowerCase()
  const short = plain.replace(/^0+(?=\d{4})/, "")
  return beginning(`d${[...short.slice(-maxTerm)].toReversed().join("")}`)
}

/** A whole telephone number, +493012345678; undefined: the text is none. */
export const wholeNumber = (text: string): string | undefined => {
  const digits = /^\s*(?:\+|00)([\d\s()./-]+)$/.exec(text)?.[1]
  return digits === undefined ? undefined : `+${digits.replace("(0)", "").replaceAll(/\D/g, "")}`
}

/** Values of identities that the text stands for: itself, and the hash of an address or a whole telephone number. */
const valuesOf = (text: string): ReadonlyArray<string> => {
  const values = [text]
  if (text.includes("@")) values.push(hash("sha256", text.trim().toLowerCase()))
  const whole = wholeNumber(text)
  if (whole !== undefined) values.push(hash("sha256", whole))
  return values
}

/** A search, in every way in which a member may be found by it. */
export interface Search {
  /** Of a member id or external id. */
  readonly prefix: string
  /** Of a name or e-mail address. */
  readonly key: string
  /** Whole values of identities. */
  readonly values: ReadonlyArray<string>
  /** A tsquery for `profile_terms`, of words and numbers. */
  readonly profile: string | undefined
  /** A tsquery for `identity_terms`, of numbers. */
  readonly number: string | undefined
}

export const searchOf = (text: string): Search => {
  const number = numberIn(text)
  const ways = [wordsIn(text), number].filter((way) => way !== undefined)
  return {
    prefix: text,
    key: searchKey(text),
    values: valuesOf(text),
    profile: ways.length === 0 ? undefined : ways.map((way) => `(${way})`).join(" | "),
    number
  }
}
