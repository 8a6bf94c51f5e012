/** The operators' routes of moves in (contract/moving.md *Moving*, *Runs*). */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { PeoplePool, WorkPool } from "../../base/database/Pools.ts"
import { AdminApi } from "../../contract/admin/Api.ts"
import * as MovedBefore from "./MovedBefore.ts"
import * as MoveGuests from "./MoveGuests.ts"
import * as MoveRuns from "./MoveRuns.ts"

export const layer = HttpApiBuilder.group(AdminApi, "moveIn", (handlers) =>
  Effect.gen(function* () {
    const { moveIn } = yield* Effect.flatMap(WorkPool, MoveGuests.make)
    // The pool of keyed requests, in whose transaction a report is stored.
    const runs = yield* Effect.flatMap(PeoplePool, MoveRuns.make)
    const before = yield* Effect.flatMap(WorkPool, MovedBefore.make)
    return handlers
      .handle("moveGuestsIn", ({ params, payload }) => moveIn(params.program_id, payload))
      .handle("listMovedGuests", ({ params, query }) => before.list(params.program_id, query))
      .handle("listMoveRuns", ({ params, query }) => runs.list(params.program_id, query))
      .handle("showMoveRun", ({ params }) => runs.show(params.program_id, params.run_id))
      .handle("reportMoveRun", ({ params, payload }) => runs.report(params.program_id, params.run_id, payload))
  })
)
