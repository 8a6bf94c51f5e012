/** The routes of programmes, for operators. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "../../contract/admin/Api.ts"
import * as ManagedPrograms from "./ManagedPrograms.ts"
import * as PublicationPreview from "./PublicationPreview.ts"

export const layer = HttpApiBuilder.group(AdminApi, "programs", (handlers) =>
  Effect.map(Effect.all([ManagedPrograms.make("api"), PublicationPreview.make]), ([programs, preview]) =>
    handlers
      .handle("listPrograms", ({ query }) => programs.list(query))
      .handle("evaluateProgram", ({ payload }) => programs.evaluate(payload))
      .handle("validateProgram", ({ payload }) => programs.validate(payload))
      .handle("previewPublication", ({ payload }) => preview(payload.program))
      .handle("publishProgram", ({ payload }) => programs.publish(payload))
      .handle("showProgram", ({ params }) => programs.show(params.program_id))
      .handle("listProgramVersions", ({ params, query }) => programs.versions(params.program_id, query))
      .handle("showProgramVersion", ({ params }) => programs.version(params.program_id, Number(params.version)))
      .handle("rollBackProgram", ({ params, payload }) => programs.rollBack(params.program_id, payload))
      .handle("restoreProgram", ({ params, payload }) => programs.restore(params.program_id, payload.reason))
      .handle("retireProgram", ({ params, payload }) => programs.retire(params.program_id, payload.reason))
  )
)
