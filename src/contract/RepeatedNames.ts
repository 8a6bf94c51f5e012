/**
 * Checks of a JSON text besides its grammar (contract/transport.md *Bodies*). Before it is parsed: how deep it
 * nests and how many names it has, because parsing holds the event loop for as long as they ask for. Afterwards: that no
 * object has a name twice. `JSON.parse` keeps only the last of equal names, however they are escaped, so a text has a
 * repeated name exactly if it has more names than its value.
 */

/** Levels of objects and arrays in one another: twice what free-form places may have. */
export const maxLevels = 64
/** Names of all objects: twice those of an order of 1,000 lines. Parsing so many takes 50 ms. */
export const maxNames = 50_000

const quote = 0x22
const colon = 0x3a
const backslash = 0x5c
/** `{` and `[`, `}` and `]` differ in this bit alone. */
const brace = 0x20
const open = 0x7b
const close = 0x7d

/** A bound that a text exceeds. */
export type Excess = "too_deep" | "too_many_names"

/**
 * The number of names in a text: of colons outside strings. Strings are skipped by a loop of their own. The text need
 * not be JSON; what is counted then tells nothing.
 */
export const namesIn = (json: Uint8Array): number | Excess => {
  const end = json.length
  let names = 0
  let levels = 0
  let at = 0
  while (at < end) {
    const byte = json[at++]!
    if (byte === quote) {
      for (let inside = json[at++]; inside !== quote && at < end; inside = json[at++]) {
        // The escaped character may be a quotation mark.
        if (inside === backslash) at++
      }
    } else if (byte === colon) {
      if (++names > maxNames) return "too_many_names"
    } else if ((byte | brace) === open) {
      if (++levels > maxLevels) return "too_deep"
    } else if ((byte | brace) === close) levels--
  }
  return names
}

/**
 * The number of names in all objects of a value. Values by `Object.values`: a `for…in` over objects that were just parsed
 * takes longer than parsing them.
 */
const namesInValue = (json: object): number => {
  let names = 0
  const left: Array<object> = [json]
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    const values: ReadonlyArray<unknown> = Array.isArray(one) ? one : Object.values(one)
    if (values !== one) names += values.length
    for (const value of values) if (typeof value === "object" && value !== null) left.push(value)
  }
  return names
}

/** True if an object of the text has a name twice. `names`: of the text; `value`: the parsed text. */
export const hasRepeatedName = (names: number, value: object): boolean => names !== namesInValue(value)
