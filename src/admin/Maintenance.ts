/** The switch of the write freeze, for operators (decisions.md §4 Freeze). */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "../contract/admin/Api.ts"
import { WriteFreeze } from "../journal/WriteFreeze.ts"
import { storageUnavailable } from "./Refusal.ts"

export const layer = HttpApiBuilder.group(AdminApi, "maintenance", (handlers) =>
  Effect.map(WriteFreeze, (freeze) => {
    const state = () => ({ write_frozen: freeze.isFrozen() })
    return handlers
      .handle("maintenance", () => Effect.sync(state))
      .handle("freeze", ({ payload }) =>
        Effect.mapBoth(freeze.set(payload.write_frozen), { onSuccess: state, onFailure: () => storageUnavailable })
      )
  })
)
