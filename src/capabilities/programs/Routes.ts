/** The routes of programmes and their logos, for operators. */
import { Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "../../contract/admin/Api.ts"
import * as Logos from "./Logos.ts"
import * as ManagedPrograms from "./ManagedPrograms.ts"
import * as PublicationPreview from "./PublicationPreview.ts"

const programs = HttpApiBuilder.group(AdminApi, "programs", (handlers) =>
  Effect.map(Effect.all([ManagedPrograms.make("api"), PublicationPreview.make]), ([managed, preview]) =>
    handlers
      .handle("listPrograms", ({ query }) => managed.list(query))
      .handle("evaluateProgram", ({ payload }) => managed.evaluate(payload))
      .handle("validateProgram", ({ payload }) => managed.validate(payload))
      .handle("previewPublication", ({ payload }) => preview(payload.program))
      .handle("publishProgram", ({ payload }) => managed.publish(payload))
      .handle("showProgram", ({ params }) => managed.show(params.program_id))
      .handle("listProgramVersions", ({ params, query }) => managed.versions(params.program_id, query))
      .handle("showProgramVersion", ({ params }) => managed.version(params.program_id, Number(params.version)))
      .handle("rollBackProgram", ({ params, payload }) => managed.rollBack(params.program_id, payload))
      .handle("restoreProgram", ({ params, payload }) => managed.restore(params.program_id, payload.reason))
      .handle("retireProgram", ({ params, payload }) => managed.retire(params.program_id, payload.reason))
  )
)

export const layer = Layer.merge(programs, Logos.layer)
