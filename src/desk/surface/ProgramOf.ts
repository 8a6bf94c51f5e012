/** Resolves the programme of a request to the platform. */
import { Effect } from "effect"
import type { Refused } from "../../contract/Refused.ts"
import type { Programs } from "../../core/programs/Programs.ts"
import type { Program } from "../../core/rules/Program.ts"
import type { RequestCaller } from "../access/CurrentCaller.ts"
import { refuse } from "./Refusal.ts"
import * as Visible from "./Visible.ts"

/**
 * The programme with this id. Without an id, the only programme that the caller may see; refused if there is not
 * exactly one.
 */
export const programOf = (
  programs: Programs["Service"],
  caller: RequestCaller,
  id: string | undefined
): Effect.Effect<Program, Refused> => {
  if (id !== undefined) return Visible.named(programs, caller, id)
  const [only, ...others] = Visible.programsOf(programs, caller)
  if (only !== undefined && others.length === 0) return Effect.succeed(only)
  const message = "is required unless exactly one programme is in reach"
  return refuse("validation_failed", `The request: /program_id ${message}.`, [{ path: "/program_id", message }])
}
