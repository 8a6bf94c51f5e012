/** The outcomes that commands would have now. */
import * as Effect from "effect/Effect"
import type { ClaimHolder, JournalUnavailable } from "../journal/Records.ts"
import type { Program } from "../rules/Program.ts"
import type { AccountDeps } from "./AccountDeps.ts"
import * as ClaimResolution from "./ClaimResolution.ts"
import type { Command } from "./Command.ts"
import { decide } from "./domain/Decide.ts"
import { balances } from "./domain/Decision.ts"
import { view } from "./domain/View.ts"
import type { Lookup } from "./Lookup.ts"
import type { Foreseen, Resident } from "./Outcome.ts"
import * as PastRecords from "./PastRecords.ts"
import * as UnknownMember from "./UnknownMember.ts"

type Deps = Pick<AccountDeps, "journal" | "makeCards" | "now" | "recent">

/** Decides on the committed state. If the business identifier was used before, the outcome is the real command's. */
export const preview = (
  lookup: Lookup,
  programId: string,
  member: string,
  command: Command
): Effect.Effect<Foreseen, JournalUnavailable> =>
  Effect.gen(function* () {
    const { business } = command.guards
    const [holder] = yield* lookup.deps.journal.holders(business === undefined ? [] : [business.key])
    const number = yield* lookup.find(programId, member)
    const resident = number === undefined ? undefined : yield* lookup.account(number, programId).read()
    if (resident !== undefined && resident._tag !== "Resident") return resident
    const program = lookup.deps.programOf(programId)
    if (holder !== undefined) return yield* resolved(lookup.deps, resident, program, command, holder)
    return resident === undefined || program === undefined
      ? UnknownMember.notFound(programId, member)
      : foreseen(lookup.deps, resident, command, program)
  })

/** Answer to a business identifier that is taken: of a repeat the first reply, with the balances of now. */
const resolved = (
  deps: Deps,
  resident: Resident | undefined,
  program: Program | undefined,
  command: Command,
  holder: ClaimHolder
): Effect.Effect<Foreseen, JournalUnavailable> => {
  const conflict = Effect.succeed(ClaimResolution.conflict(command.action.type, command.guards, holder))
  if (resident === undefined || program === undefined) return conflict
  const { account, state } = resident
  if (!ClaimResolution.isRepeat({ number: account, state }, command, holder)) return conflict
  return Effect.map(PastRecords.read(deps, holder.account, holder.seq), (record) => {
    const at = Math.max(deps.now(), state.at)
    const repeat = { account, at, balances: balances(view(state, program, at), program) }
    return { _tag: "Answered", record: { ...record, repeat } }
  })
}

/** Effects that a command would have. */
const foreseen = (deps: Deps, resident: Resident, { action }: Command, program: Program): Foreseen => {
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
