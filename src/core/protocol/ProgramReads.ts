/**
 * Reads the programme in force.
 */
import { Effect } from "effect"
import type { RequestOf } from "../../contract/protocol/Operations.ts"
import { Programs } from "../programs/Programs.ts"
import type { Handled } from "./Handler.ts"
import * as Reads from "./Reads.ts"
import { answer, noProgram } from "./Reads.ts"

export const make = Effect.gen(function* () {
  const programs = yield* Programs
  const { now } = yield* Reads.make

  const getProgram = (request: RequestOf<"program.get">): Effect.Effect<Handled> => {
    const program = programs.get(request.program_id)
    return Effect.succeed(
      program === undefined ? noProgram(request.program_id) : answer({ program: program.definition }, now())
    )
  }

  return { "program.get": getProgram }
})
