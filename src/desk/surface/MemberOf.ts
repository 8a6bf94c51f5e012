/** Resolves the member of a request. */
import { Effect } from "effect"
import type { Refused } from "../../contract/Refused.ts"
import { said } from "../../contract/Said.ts"
import type { Accounts } from "../../core/account/Accounts.ts"
import type { Resident } from "../../core/account/Outcome.ts"
import { refuse, refusedBy } from "./Refusal.ts"

/** The member with this id; for a merged member the remaining one, unless `isOfItself`. Refuses unknown ids. */
export const memberOf = Effect.fnUntraced(function* (
  accounts: Accounts["Service"],
  program: string,
  member: string,
  isOfItself?: boolean
): Effect.fn.Return<Resident, Refused> {
  const found = yield* accounts.read(program, member, isOfItself)
  if (found === undefined) return yield* refuse("not_found", said`Programme ${program} has no member ${member}.`)
  return found._tag === "Resident" ? found : yield* refusedBy(found)
})
