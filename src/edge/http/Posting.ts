/** Postings of a request of the surfaces beside the hot path, for its log line. */
import { Context, Effect } from "effect"
import type { Accounts } from "../../core/account/Accounts.ts"
import type { Outcome } from "../../core/account/Outcome.ts"
import type { Posted } from "../../core/protocol/Handler.ts"
import { postedIn } from "../../core/protocol/Writes.ts"

/** Told of each record of the request. Nobody is, of work without a request. */
export const Posting = Context.Reference<(posted: Posted) => void>("lotbook/edge/http/Posting", {
  defaultValue: () => () => undefined
})

/** Most entries of one line: an import writes a record for each row. */
const mostEntries = 20

/** Two records' postings as one; the account is that of the first. */
export const and = (before: Posted | undefined, posted: Posted): Posted => {
  if (before === undefined) return posted
  const entries = [...(before.entries ?? []), ...(posted.entries ?? [])].slice(0, mostEntries)
  return { ...before, ...(entries.length === 0 ? undefined : { entries }) }
}

const tell = (outcome: Outcome | undefined) =>
  outcome?._tag === "Answered" ? Effect.map(Posting, (posting) => posting(postedIn(outcome.record))) : Effect.void

/** Decorates the accounts: the request of the fiber is told of each record. */
export const told = (accounts: Accounts["Service"]): Accounts["Service"] => ({
  ...accounts,
  execute: (...given) => Effect.tap(accounts.execute(...given), tell),
  executeOn: (...given) => Effect.tap(accounts.executeOn(...given), tell),
  enroll: (...given) => Effect.tap(accounts.enroll(...given), tell),
  merge: (...given) => Effect.tap(accounts.merge(...given), tell),
  moveOrder: (...given) => Effect.tap(accounts.moveOrder(...given), tell)
})
