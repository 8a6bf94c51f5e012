/** Reads a body of Toast: JSON whose numbers stay the text that they were sent as. */
import { Result } from "effect"
import { isUtf8 } from "node:buffer"
import { type BodyFault, isObject } from "../../../contract/Decode.ts"
import { hasRepeatedName, namesIn } from "../../../contract/RepeatedNames.ts"

const fault = (message: string): Result.Result<never, ReadonlyArray<BodyFault>> => Result.fail([{ path: "", message }])

const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
/** A number in the place of a name is no JSON, but a string would be. */
const colonPattern = /\s*:/y

const [quote, backslash, minus, zero, nine] = [34, 92, 45, 48, 57]

/** The place after a string that begins at `from`; beyond the text, if it does not end. */
const stringEnd = (text: string, from: number): number => {
  for (let end = text.indexOf('"', from + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes++
    if (slashes % 2 === 0) return end + 1
  }
  return text.length
}

/**
 * JSON with its numbers as strings, each in its own digits; undefined for a text that is no JSON. Parsing them otherwise would lose
 * digits, and a reviver that keeps them costs five times the parsing.
 */
const numbersAsStrings = (text: string): string | undefined => {
  let made = ""
  let from = 0
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at)
    if (code === quote) at = stringEnd(text, at)
    else if (code !== minus && (code < zero || code > nine)) at++
    else {
      numberPattern.lastIndex = at
      if (!numberPattern.test(text)) return undefined
      const { lastIndex: end } = numberPattern
      colonPattern.lastIndex = end
      if (colonPattern.test(text)) return undefined
      made += `${text.slice(from, at)}"${text.slice(at, end)}"`
      from = at = end
    }
  }
  return made + text.slice(from)
}

/** A value without the properties and items that are null: Toast sends null where there is nothing. */
const withoutNulls = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.filter((item) => item !== null).map(withoutNulls)
  const kept: Record<string, unknown> = {}
  // An assignment would set the object's prototype; no request has a property of that name.
  for (const [name, part] of Object.entries(value))
    if (part !== null && name !== "__proto__") kept[name] = withoutNulls(part)
  return kept
}

/** The object of a body. Bounds are those of all bodies (contract/transport.md *Bodies*). */
export const objectOf = (body: Uint8Array): Result.Result<object, ReadonlyArray<BodyFault>> => {
  if (!isUtf8(body)) return fault("is not UTF-8")
  const names = namesIn(body)
  if (typeof names !== "number") return fault("nests too deep or has too many names")
  let value: unknown
  try {
    const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8")
    value = JSON.parse(numbersAsStrings(text) ?? "")
  } catch {
    return fault("is not JSON")
  }
  if (!isObject(value)) return fault("must be an object")
  return hasRepeatedName(names, value)
    ? fault("has a name twice in one object")
    : Result.succeed(withoutNulls(value) as object)
}
