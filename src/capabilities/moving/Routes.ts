/** The operators' route of moves in (contract/moving.md *Moving*). */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { WorkPool } from "../../base/database/Pools.ts"
import { AdminApi } from "../../contract/admin/Api.ts"
import * as MoveGuests from "./MoveGuests.ts"

export const layer = HttpApiBuilder.group(AdminApi, "moveIn", (handlers) =>
  Effect.map(Effect.flatMap(WorkPool, MoveGuests.make), ({ moveIn }) =>
    handlers.handle("moveGuestsIn", ({ params, payload }) => moveIn(params.program_id, payload))
  )
)
