/** The operators' routes for the write freeze (contract/databases.md *Write freeze*). */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { storageUnavailable } from "../../base/database/Pools.ts"
import { AdminApi } from "../../contract/admin/Api.ts"
import { WriteFreeze } from "../../core/journal/WriteFreeze.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import * as Freeze from "./Freeze.ts"

export const layer = HttpApiBuilder.group(AdminApi, "maintenance", (handlers) =>
  Effect.map(WriteFreeze, (freeze) => {
    const state = () => ({ write_frozen: freeze.isFrozen() })
    return handlers
      .handle("maintenance", () => Effect.sync(state))
      .handle("freeze", ({ payload: { reason, write_frozen } }) =>
        Effect.flatMap(Audit.entryOf(Freeze.facts(freeze.isFrozen(), write_frozen, reason)), (entry) =>
          Effect.mapBoth(freeze.set(write_frozen, entry), { onSuccess: state, onFailure: () => storageUnavailable })
        )
      )
  })
)
