/** Checks query strings: an unknown or malformed parameter is a validation error (decisions.md §1). */
import { Result } from "effect"
import type { BodyFault } from "../contract/Decode.ts"
import { maxFaults, pointer } from "../contract/Decode.ts"

type Query = Readonly<Record<string, string | ReadonlyArray<string>>>

/** Returns the faults of a query, which comes without its question mark. */
export type Check = (query: string) => ReadonlyArray<BodyFault>

const decodedPart = (text: string): string => decodeURIComponent(text.replaceAll("+", " "))

/** Parses a query for the strict decoders. A repeated parameter becomes a list. */
const parsed = (query: string): Result.Result<Query, BodyFault> => {
  const values = new Map<string, string | ReadonlyArray<string>>()
  for (const part of query.split("&").filter((one) => one !== "")) {
    const [name = "", ...value] = part.split("=")
    try {
      const key = decodedPart(name)
      const text = decodedPart(value.join("="))
      const before = values.get(key)
      values.set(key, before === undefined ? text : [before, text].flat())
    } catch {
      return Result.fail({ path: pointer([name]), message: "is not percent-encoded UTF-8" })
    }
  }
  return Result.succeed(Object.fromEntries(values))
}

const unknown = (name: string): BodyFault => ({ path: pointer([name]), message: "is not a known property" })

/** The check of a route whose parameters `decode` knows. */
export const check =
  (decode: (query: Query) => Result.Result<unknown, ReadonlyArray<BodyFault>>): Check =>
  (query) => {
    const found = parsed(query)
    if (Result.isFailure(found)) return [found.failure]
    const decoded = decode(found.success)
    return Result.isFailure(decoded) ? decoded.failure : []
  }

const decodeNone = (query: Query) => {
  const names = Object.keys(query)
  return names.length === 0 ? Result.succeed(query) : Result.fail(names.slice(0, maxFaults).map(unknown))
}

const checkNone = check(decodeNone)

/** The check of a route that takes no parameters. */
export const none: Check = (query) => (query === "" ? [] : checkNone(query))
