/** Actions on a guest that a session may not do, and a manager may. */
import type { Operation } from "../../contract/Scopes.ts"
import { memberStrings } from "./memberStrings.ts"
import { profileStrings } from "./profileStrings.ts"

const actions: ReadonlyArray<readonly [Operation, string]> = [
  ["printMember", profileStrings.toPrint],
  ["mergeMembers", memberStrings.merge],
  ["eraseMember", profileStrings.erase]
]

/** In words; undefined: the session may do all of them. */
export const byManager = (may: (operation: Operation) => boolean): string | undefined => {
  const others = actions.flatMap(([operation, label]) => (may(operation) ? [] : [label]))
  return others.length === 0 ? undefined : memberStrings.byManager(others.join(", "))
}
