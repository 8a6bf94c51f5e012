/** The outcomes that commands would have now. */
import * as Effect from "effect/Effect"
import type { ClaimHolder, JournalUnavailable } from "../journal/Records.ts"
import type { Program } from "../program/Program.ts"
import type { AccountDeps } from "./AccountDeps.ts"
import type { Command } from "./Command.ts"
import { decide } from "./domain/Decide.ts"
import { balances } from "./domain/Decision.ts"
import { view } from "./domain/View.ts"
import type { Outcome, Resident } from "./Outcome.ts"
import * as PastRecords from "./PastRecords.ts"

type Deps = Pick<AccountDeps, "journal" | "makeCards" | "now" | "recent">

/** What a repeated business identifier would be answered: the first reply, with the balances of now. */
export const shownAgain = (
  deps: Deps,
  { account, state }: Resident,
  program: Program,
  holder: ClaimHolder
): Effect.Effect<Outcome, JournalUnavailable> =>
  Effect.map(PastRecords.read(deps, holder.account, holder.seq), (record) => {
    const at = Math.max(deps.now(), state.at)
    const repeat = { account, at, balances: balances(view(state, program, at), program) }
    return { _tag: "Answered", record: { ...record, repeat } }
  })

/** What a command would do. */
export const foreseen = (deps: Deps, resident: Resident, { action }: Command, program: Program): Outcome => {
  const given = { now: deps.now(), program }
  const first = decide(resident.state, action, given)
  const decision =
    first._tag === "NeedsCards"
      ? decide(resident.state, action, { ...given, cards: deps.makeCards(first.count) })
      : first
  if (decision._tag === "Refusal") return decision
  if (decision._tag !== "Decided") throw new Error("an action that repeats or recalls another has no preview")
  const { at, events, reply, state } = decision
  const record = { account: resident.account, seq: state.seq, at, events, reply }
  return { _tag: "Answered", record, resident: { ...resident, state } }
}
