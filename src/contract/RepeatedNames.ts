/**
 * Finds JSON texts with a name twice in one object (contract/transport.md *Bodies*). `JSON.parse` keeps only the last
 * of equal names, however they are escaped. So a text has a repeated name exactly if it has more names than its value.
 */

const quote = 0x22
const colon = 0x3a
const backslash = 0x5c

/** The number of names in a valid JSON text: of colons outside strings. Strings are skipped by a loop of their own. */
const namesInText = (json: Uint8Array): number => {
  const end = json.length
  let names = 0
  let at = 0
  while (at < end) {
    const byte = json[at++]
    if (byte === colon) names++
    else if (byte === quote) {
      for (let inside = json[at++]; inside !== quote; inside = json[at++]) {
        // The escaped character may be a quotation mark.
        if (inside === backslash) at++
      }
    }
  }
  return names
}

/**
 * The number of names in all objects of a value. It must not recurse: a caller decides how deep the value is. Values by
 * `Object.values`: a `for…in` over objects that were just parsed takes longer than parsing them.
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

/** True if an object in the text has a name twice. `value` is the parsed text. */
export const hasRepeatedName = (json: Uint8Array, value: object): boolean => namesInText(json) !== namesInValue(value)
