/**
 * Checks query strings: an unknown or malformed parameter is a validation error
 * (contract/transport.md *Paths and methods*).
 */
import { Result } from "effect"
import type { BodyFault } from "../../contract/Decode.ts"
import { maxFaults, pointer } from "../../contract/Decode.ts"

/** The parameters of a query. A repeated one is a list. */
export type Query = Readonly<Record<string, string | Array<string>>>

/** Returns the faults of a query, which comes without its question mark. */
export type Check = (query: string) => ReadonlyArray<BodyFault>

const decodedPart = (text: string): string => decodeURIComponent(text.replaceAll("+", " "))

/** Parses a query, which comes without its question mark. */
export const parsed = (query: string): Result.Result<Query, BodyFault> => {
  const values = new Map<string, string | Array<string>>()
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

/** The faults of a query where no parameters are known. */
export const unknownIn = (query: Query): ReadonlyArray<BodyFault> => Object.keys(query).slice(0, maxFaults).map(unknown)

/** The check of a route that takes no parameters. */
export const none: Check = (query) => {
  if (query === "") return []
  const found = parsed(query)
  return Result.isFailure(found) ? [found.failure] : unknownIn(found.success)
}
