/** Answers commands for a member that is not known. */
import * as Effect from "effect/Effect"
import { said } from "../../contract/Said.ts"
import type { JournalUnavailable } from "../journal/Records.ts"
import * as ClaimResolution from "./ClaimResolution.ts"
import type { Command } from "./Command.ts"
import { type Refusal, refusal } from "./domain/Refusal.ts"
import type { Lookup } from "./Lookup.ts"
import type { Outcome } from "./Outcome.ts"
import * as PastRecords from "./PastRecords.ts"

export const notFound = (program: string, member: string, since?: number): Refusal => ({
  ...refusal("not_found", said`Programme ${program} has no member ${member}.`),
  ...(since === undefined ? undefined : { memberUnknownSince: since })
})

/** Refuses a command for an unknown member, after checking its key and business identifier, which take precedence. */
export const refuse = (
  lookup: Lookup,
  program: string,
  member: string,
  command: Command,
  refused: Refusal
): Effect.Effect<Outcome, JournalUnavailable> => {
  const { key, named } = command.guards
  return Effect.gen(function* () {
    const holder = ClaimResolution.first(
      command,
      yield* lookup.deps.journal.holders(...ClaimResolution.guarded(command))
    )
    if (holder === undefined) return refused
    if (named === undefined && holder.key === key?.key && holder.fingerprint === key.fingerprint)
      return yield* PastRecords.replay(lookup.deps, holder)
    // The member may have been enrolled after `find` ran.
    const number = named === undefined ? undefined : yield* lookup.find(program, member)
    if (number !== undefined) return yield* lookup.account(number, program).execute(command)
    return ClaimResolution.conflict(command.action.type, command.guards, holder)
  })
}
