/**
 * The use cases of the transaction contract, by operation.
 */
import { Effect, Layer } from "effect"
import type { RequestOf } from "../../contract/protocol/Operations.ts"
import type { Accounts } from "../account/Accounts.ts"
import type { Journal } from "../journal/Journal.ts"
import { Programs } from "../programs/Programs.ts"
import type { Handling } from "./Handler.ts"
import { Handlers } from "./Handler.ts"
import * as IssuedRewards from "./IssuedRewards.ts"
import * as Ledger from "./Ledger.ts"
import * as Limited from "./Limited.ts"
import * as Members from "./Members.ts"
import * as Orders from "./Orders.ts"
import * as Reads from "./Reads.ts"
import { answer, noProgram } from "./Reads.ts"
import * as Redemptions from "./Redemptions.ts"

/** Reads the programme in force. */
const programReads = Effect.gen(function* () {
  const programs = yield* Programs
  const { now } = yield* Reads.make

  const getProgram = (request: RequestOf<"program.get">): Handling<"program.get"> => {
    const program = programs.get(request.program_id)
    return Effect.succeed(
      program === undefined ? noProgram(request.program_id) : answer({ program: program.definition }, now())
    )
  }

  return { "program.get": getProgram }
})

export const layer: Layer.Layer<Handlers, never, Accounts | Journal | Programs> = Layer.effect(
  Handlers,
  Effect.gen(function* () {
    const handlers = Handlers.of({
      ...(yield* Members.make),
      ...(yield* programReads),
      ...(yield* Ledger.make),
      ...(yield* Orders.make),
      ...(yield* Redemptions.make),
      ...(yield* IssuedRewards.make)
    })
    return yield* Limited.hold(handlers)
  })
)
