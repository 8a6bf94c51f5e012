/**
 * Versions of segments, campaigns and connectors: a writer can require the version that it has read
 * (contract/engagement.md *Versions of resources*).
 */
import { Effect } from "effect"
import type { Refused } from "../../contract/Refused.ts"
import { said } from "../../contract/Said.ts"
import { refuse } from "./Refusal.ts"

/**
 * Refuses a change if another version is in force. `what`: the thing, such as `segment seg-1`. `expected` undefined: any
 * version may be replaced. `found` undefined: there is no such thing. Requires: the thing is locked.
 */
export const expect = (
  what: string,
  expected: number | undefined,
  found: number | undefined
): Effect.Effect<void, Refused> => {
  if (expected === undefined || expected === found) return Effect.void
  const path = "/expected_version"
  return found === undefined
    ? refuse("conflict", said`The ${what} does not exist, not version ${expected}; read it again, then change it.`, [
        { path, message: "is no version" }
      ])
    : refuse(
        "conflict",
        said`The ${what} has version ${found}, not version ${expected}; read it again, then change it.`,
        [{ path, ...said`must be ${found} to replace it` }]
      )
}
