/** Reads a body of Toast: JSON whose numbers stay the text that they were sent as. */
import { Result } from "effect"
import { isUtf8 } from "node:buffer"
import { type BodyFault, isObject } from "../../../contract/Decode.ts"
import { hasRepeatedName, namesIn } from "../../../contract/RepeatedNames.ts"

const fault = (message: string): Result.Result<never, ReadonlyArray<BodyFault>> => Result.fail([{ path: "", message }])

/** The reviver's third argument, which the compiler's library does not know yet. */
interface Context {
  readonly source?: string
}

/** Numbers as the text of the body. An ECMAScript engine gives that text only for values that are no objects. */
const numbersAsText = (_name: string, value: unknown, context?: Context): unknown =>
  typeof value === "number" ? context?.source : value

/** A value without the properties and items that are null: Toast sends null where there is nothing. */
const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.filter((item) => item !== null).map(withoutNulls)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, part]) => part !== null)
      .map(([name, part]) => [name, withoutNulls(part)])
  )
}

/** The object of a body. Bounds are those of all bodies (contract/transport.md *Bodies*). */
export const objectOf = (body: Uint8Array): Result.Result<object, ReadonlyArray<BodyFault>> => {
  if (!isUtf8(body)) return fault("is not UTF-8")
  const names = namesIn(body)
  if (typeof names !== "number") return fault("nests too deep or has too many names")
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8"), numbersAsText)
  } catch {
    return fault("is not JSON")
  }
  if (!isObject(value)) return fault("must be an object")
  return hasRepeatedName(names, value)
    ? fault("has a name twice in one object")
    : Result.succeed(withoutNulls(value) as object)
}
