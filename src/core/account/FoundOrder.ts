/** An order by its id alone: the account that has it now, and what is left of it. */
import * as Effect from "effect/Effect"
import type { AccountNumber, JournalUnavailable } from "../journal/Records.ts"
import type { AccountDeps } from "./AccountDeps.ts"
import type { OrderRecord } from "./domain/State.ts"
import { type Resident, type Trouble, unavailable } from "./Outcome.ts"
import * as PastRecords from "./PastRecords.ts"

export interface FoundOrder {
  readonly _tag: "FoundOrder"
  /** The member that has it: by its accrual, by a merge or by a move. */
  readonly member: string
  readonly order: OrderRecord
}

/** Finds an order; undefined: it has not accrued. `readOn`: the state of the account with a number, through merges. */
export const find = Effect.fnUntraced(function* (
  deps: AccountDeps,
  readOn: (account: AccountNumber) => Effect.Effect<Resident | undefined | Trouble>,
  program: string,
  id: string
): Effect.fn.Return<FoundOrder | undefined | Trouble, JournalUnavailable> {
  const claimed = yield* PastRecords.claimedBy(deps, program, { type: "order", id })
  if (claimed === undefined) return undefined
  const { account } = (yield* PastRecords.lastMove(deps, program, id)) ?? claimed
  const found = yield* readOn(account)
  if (found?._tag !== "Resident") return found ?? unavailable
  const owner = { number: found.account, programId: program, state: found.state }
  const { order } = yield* PastRecords.recall(deps, owner, { type: "order", id })
  return order === undefined ? undefined : { _tag: "FoundOrder", member: found.state.member, order }
})
