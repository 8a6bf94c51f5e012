/** Words that one typing error makes of a word: a letter that is missing, doubled, wrong, or swapped with the next. Pure. */

/** Letters of alphabets as `searchKey` leaves them: without accents. */
const alphabets: ReadonlyArray<readonly [script: RegExp, letters: string]> = [
  [/\p{Script=Latin}/u, "abcdefghijklmnopqrstuvwxyz"],
  [/\p{Script=Greek}/u, "αβγδεζηθικλμνξοπρστυφχψως"],
  [/\p{Script=Cyrillic}/u, "абвгдежзиклмнопрстуфхцчшщъыьэюяіїєґ"]
]

/** Fewest and most letters of a word that may be misspelt: of shorter ones too many others are alike. */
const minLetters = 4
const maxLetters = 20

/** Letters of the alphabets that a word is written in; of others only those of the word are tried. */
const lettersOf = (word: string): ReadonlyArray<string> => {
  const known = alphabets.flatMap(([script, letters]) => (script.test(word) ? [...letters] : []))
  return known.length === 0 ? [...new Set(word)] : known
}

/** True of a word that may be misspelt: a name's word, not a number. */
export const mayBeMisspelt = (word: string): boolean => {
  const { length } = [...word]
  return length >= minLetters && length <= maxLetters && /^\p{L}+$/u.test(word)
}

/** The words from which one typing error makes this one, about 54 for each letter. Requires: `mayBeMisspelt`. */
export const alikeTo = (word: string): ReadonlyArray<string> => {
  const letters = lettersOf(word)
  const typed = [...word]
  const found = new Set<string>()
  for (let place = 0; place <= typed.length; place++) {
    const [before, after] = [typed.slice(0, place).join(""), typed.slice(place)]
    const [first = "", second, ...rest] = after
    for (const letter of letters) found.add(`${before}${letter}${after.join("")}`)
    if (first === "") continue
    const behind = after.slice(1).join("")
    found.add(`${before}${behind}`)
    for (const letter of letters) found.add(`${before}${letter}${behind}`)
    if (second !== undefined) found.add(`${before}${second}${first}${rest.join("")}`)
  }
  found.delete(word)
  return [...found]
}
