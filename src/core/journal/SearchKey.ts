/** How people's searches for members are read, and the keys that they are compared with. */
import { hash } from "node:crypto"
import { alikeTo, mayBeMisspelt } from "./Misspelt.ts"

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

const quoted = (term: string): string => `'${term.replaceAll(/['\\]/g, "$&$&")}'`
/** A term's beginning, as a part of a tsquery. */
const beginning = (term: string): string => `${quoted(term)}:*`

/** Fewest characters of a word that is looked for with `ae`, `oe` and `ue` as umlauts too: a shorter one would find too many. */
const minSpelt = 5

/** The keys of a word: Müller is found by *mueller*, and Mueller by *müller*. */
const keysOf = (word: string): ReadonlyArray<string> => {
  const key = searchKey(word)
  const spelt = searchKey(word.normalize("NFC").replaceAll(/[äöü]/giu, (letter) => `${searchKey(letter)}e`))
  const plain = [...key].length < minSpelt ? key : key.replaceAll(/([aou])e/g, "$1")
  return [...new Set([key, spelt, plain])]
}

const anyOf = (terms: ReadonlyArray<string>) => (terms.length === 1 ? terms.join("") : `(${terms.join(" | ")})`)
const wordTerm = (key: string): string => `n${[...key].slice(0, maxTerm).join("")}`
const wordBeginning = (word: string): string => anyOf(keysOf(word).map((key) => beginning(wordTerm(key))))
const wholeWord = (word: string): string => anyOf(keysOf(word).map((key) => quoted(wordTerm(key))))

/** Words of a name that are long enough to be looked for. */
const wordsIn = (text: string): ReadonlyArray<string> =>
  text.split(/[\s.,'’()-]+/).filter((word) => [...searchKey(word)].length >= minWord)

/** All the words, in any order; undefined: there are none. */
const together = (words: ReadonlyArray<string>, term: (word: string) => string): string | undefined =>
  words.length === 0 ? undefined : words.map(term).join(" & ")

/** Most words of a name that is looked for with a typing error: each has some hundred terms. */
const maxMisspelt = 3

/** A word of a name, with the terms that a typing error would have made it of; none, if it is too short. */
interface Misspelt {
  readonly word: string
  readonly terms: ReadonlyArray<string>
}

/** The words of a text that may be a misspelt name; undefined: it is none. */
export const misspeltIn = (text: string): ReadonlyArray<Misspelt> | undefined => {
  const words = wordsIn(text)
  if (words.length > maxMisspelt || words.some((word) => /[^\p{L}\p{M}]/u.test(word))) return undefined
  const all = words.map((word) => {
    const keys = keysOf(word).filter(mayBeMisspelt)
    return { word, terms: [...new Set(keys.flatMap(alikeTo))].map((key) => quoted(wordTerm(key))) }
  })
  return all.some(({ terms }) => terms.length > 0) ? all : undefined
}

/** A tsquery for `profile_terms`: each word by its beginning, or by one of its terms that `known` names have. */
export const similarTo = (words: ReadonlyArray<Misspelt>, known: ReadonlySet<string>): string =>
  words.map(({ terms, word }) => anyOf([wordBeginning(word), ...terms.filter((term) => known.has(term))])).join(" & ")

/** Fewest characters of a part of an order's number. */
const minOrderPart = 4

/** The beginning or end of an order's number, in lower case; undefined: the text is none. */
export const orderPartIn = (text: string): string | undefined =>
  [...text].length >= minOrderPart && /^[^\s@]*\d[^\s@]*$/.test(text) ? text.toLowerCase() : undefined

/**
 * The end of a telephone or card number, however it is spaced. Leading zeros do not count: `0170` and `0049170` are
 * ends of `+49170`. Its term is reversed. Undefined: the text is no number.
 */
const numberIn = (text: string): string | undefined => {
  if (!/^[\sA-Za-z0-9+()./-]+$/.test(text) || text.replaceAll(/\D/g, "").length < minDigits) return undefined
  const plain = text
    .replace("(0)", "")
    .replaceAll(/[^A-Za-z0-9]/g, "")
    .toLowerCase()
  const short = plain.replace(/^0+(?=\d{4})/, "")
  return `d${[...short.slice(-maxTerm)].toReversed().join("")}`
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
  /** The same for whole words and numbers. */
  readonly wholeProfile: string | undefined
  /** A tsquery for `identity_terms`, of numbers. */
  readonly number: string | undefined
  /** The same for whole numbers. */
  readonly wholeNumber: string | undefined
}

const either = (ways: ReadonlyArray<string | undefined>): string | undefined => {
  const there = ways.filter((way) => way !== undefined)
  return there.length === 0 ? undefined : there.map((way) => `(${way})`).join(" | ")
}

export const searchOf = (text: string): Search => {
  const words = wordsIn(text)
  const digits = numberIn(text)
  const [number, whole] = digits === undefined ? [] : [beginning(digits), quoted(digits)]
  return {
    prefix: text,
    key: searchKey(text),
    values: valuesOf(text),
    profile: either([together(words, wordBeginning), number]),
    wholeProfile: either([together(words, wholeWord), whole]),
    number,
    wholeNumber: whole
  }
}
