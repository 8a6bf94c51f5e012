/** Compares member ids: each stands for the member that it leads to (contract/idempotency.md *Business identifiers*). */
import { Effect } from "effect"
import type { Refused } from "../../contract/Refused.ts"
import type { Accounts } from "../../core/account/Accounts.ts"
import { refusedBy } from "./Refusal.ts"

/** True if two ids lead to the same member of a programme. */
export const isSameMember = Effect.fnUntraced(function* (
  accounts: Accounts["Service"],
  program: string,
  one: string,
  other: string
): Effect.fn.Return<boolean, Refused> {
  if (one === other) return true
  const found = yield* accounts.read(program, one)
  const wanted = yield* accounts.read(program, other)
  if (found === undefined || wanted === undefined) return false
  if (found._tag !== "Resident") return yield* refusedBy(found)
  if (wanted._tag !== "Resident") return yield* refusedBy(wanted)
  return found.account === wanted.account
})
