/** The operators' routes of finance (contract/finance.md *Roll-forward*, *Cohorts*, *Closing a month*, *The file of a month*). */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "../../contract/admin/Api.ts"
import * as Closing from "./Closing.ts"
import * as Cohorts from "./Cohorts.ts"
import * as RollForward from "./RollForward.ts"

export const layer = HttpApiBuilder.group(AdminApi, "finance", (handlers) =>
  Effect.gen(function* () {
    const { close, file, list, show } = yield* Closing.make
    const cohorts = yield* Cohorts.make
    const rollForward = yield* RollForward.make
    return handlers
      .handle("rollForward", ({ query }) => rollForward(query))
      .handle("cohorts", ({ query }) => cohorts(query))
      .handle("closeMonth", ({ payload }) => close(payload))
      .handle("listClosings", ({ params }) => list(params.program_id))
      .handle("showClosing", ({ params }) => show(params.program_id, params.period))
      .handle("closingFile", ({ params }) => file(params.program_id, params.period))
  })
)
