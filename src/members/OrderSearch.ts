/** Finds members by an order: an order's claim has the account on which it accrued. */
import { Effect } from "effect"
import * as ClaimKeys from "../account/ClaimKeys.ts"
import type { Refused } from "../contract/admin/Common.ts"
import { maxIdLength } from "../contract/Values.ts"
import type { Journal } from "../journal/Journal.ts"
import type { AccountNumber } from "../journal/Records.ts"
import { storageUnavailable } from "../database/Pools.ts"

/** Accounts on which an order with this id accrued, in one of the programmes. */
export const accountsOf = (
  { claimKey, holders }: Journal["Service"],
  programs: ReadonlyArray<string>,
  search: string | undefined
): Effect.Effect<ReadonlyArray<AccountNumber>, Refused> => {
  if (search === undefined || search.length > maxIdLength) return Effect.succeed([])
  const keys = programs.map((program) => ClaimKeys.order(claimKey, program, search))
  return holders(keys).pipe(
    Effect.map((found) => found.map(({ account }) => account)),
    Effect.mapError(() => storageUnavailable)
  )
}
