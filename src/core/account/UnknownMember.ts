/** Answers commands for a member that is not known. */
import * as Effect from "effect/Effect"
import type { ClaimHolder, JournalUnavailable } from "../journal/Records.ts"
import type { AccountDeps } from "./AccountDeps.ts"
import * as ClaimResolution from "./ClaimResolution.ts"
import type { Command } from "./Command.ts"
import { type Refusal, refusal } from "./domain/Refusal.ts"
import type { Lookup } from "./Lookup.ts"
import type { Outcome } from "./Outcome.ts"
import * as PastRecords from "./PastRecords.ts"

export const notFound = (program: string, member: string, since?: number): Refusal => ({
  ...refusal("not_found", `Programme ${program} has no member ${member}.`),
  ...(since === undefined ? undefined : { memberUnknownSince: since })
})

export const usedBefore: Refusal = refusal("conflict", "The identifier was used before with other facts.")

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
      yield* lookup.deps.journal.holders(ClaimResolution.guardKeys(command))
    )
    if (holder === undefined) return refused
    const isOfKey = holder.key === key?.key
    if (named === undefined && isOfKey && key.fingerprint === holder.fingerprint)
      return yield* replay(lookup.deps, holder)
    // The member may have been enrolled after `find` ran.
    const number = named === undefined ? undefined : yield* lookup.find(program, member)
    if (number !== undefined) return yield* lookup.account(number, program).execute(command)
    return isOfKey ? ClaimResolution.keyConflict : usedBefore
  })
}

const replay = (deps: AccountDeps, holder: ClaimHolder): Effect.Effect<Outcome, JournalUnavailable> =>
  Effect.map(PastRecords.read(deps, holder.account, holder.seq), (record) => ({
    _tag: "Answered",
    record,
    isReplay: true
  }))
