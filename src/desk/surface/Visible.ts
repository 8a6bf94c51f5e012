/** The programmes that a caller may see. */
import { Effect } from "effect"
import type { Refused } from "../../contract/Refused.ts"
import type { Programs } from "../../core/programs/Programs.ts"
import type { Program } from "../../core/rules/Program.ts"
import type { RequestCaller } from "../access/CurrentCaller.ts"
import { subjectOf } from "../access/CurrentCaller.ts"
import { refuse } from "./Refusal.ts"

/** All programmes, or those that the caller is limited to. */
export const programsOf = (programs: Programs["Service"], caller: RequestCaller): ReadonlyArray<Program> =>
  programs.all().filter(({ id }) => caller.programs?.has(id) ?? true)

/** The programme with this id, for every caller. */
export const known = (programs: Programs["Service"], id: string): Effect.Effect<Program, Refused> => {
  const program = programs.get(id)
  return program === undefined ? refuse("not_found", `There is no programme ${id}.`) : Effect.succeed(program)
}

/** The programme that a request names. Checks the caller's limit first, so that it cannot find out which others exist. */
export const named = (
  programs: Programs["Service"],
  caller: RequestCaller,
  id: string
): Effect.Effect<Program, Refused> =>
  caller.programs?.has(id) === false
    ? refuse("forbidden", `${subjectOf(caller)} is not for programme ${id}.`)
    : known(programs, id)
