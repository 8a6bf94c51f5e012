/** The programmes that a caller may see. */
import { Effect } from "effect"
import type { Refused } from "../../contract/Refused.ts"
import { said } from "../../contract/Said.ts"
import type { Programs } from "../../core/programs/Programs.ts"
import type { Program } from "../../core/rules/Program.ts"
import type { RequestCaller } from "../access/CurrentCaller.ts"
import { mayUse, otherProgram } from "../access/CurrentCaller.ts"
import { refuse } from "./Refusal.ts"

/** All programmes, or those that the caller is limited to. */
export const programsOf = (programs: Programs["Service"], caller: RequestCaller): ReadonlyArray<Program> =>
  programs.all().filter(({ id }) => mayUse(caller, id))

/** The programme with this id, for every caller. */
export const known = (programs: Programs["Service"], id: string): Effect.Effect<Program, Refused> => {
  const program = programs.get(id)
  return program === undefined ? refuse("not_found", said`There is no programme ${id}.`) : Effect.succeed(program)
}

/** Refuses a caller that is limited to other programmes. */
export const mustUse = (caller: RequestCaller, id: string): Effect.Effect<void, Refused> =>
  mayUse(caller, id) ? Effect.void : refuse("forbidden", otherProgram(caller, id))

/** The programme that a request names. Checks the caller's limit first, so that it cannot find out which others exist. */
export const named = (
  programs: Programs["Service"],
  caller: RequestCaller,
  id: string
): Effect.Effect<Program, Refused> => Effect.andThen(mustUse(caller, id), known(programs, id))

/**
 * The programme with this id. Without an id, the only programme that the caller may see; refused if there is not
 * exactly one.
 */
export const programOf = (
  programs: Programs["Service"],
  caller: RequestCaller,
  id: string | undefined
): Effect.Effect<Program, Refused> => {
  if (id !== undefined) return named(programs, caller, id)
  const [one, ...others] = programsOf(programs, caller)
  if (one !== undefined && others.length === 0) return Effect.succeed(one)
  const message = "is required unless exactly one programme is in reach"
  return refuse("validation_failed", `The request: /program_id ${message}.`, [{ path: "/program_id", message }])
}
