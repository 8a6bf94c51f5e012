/** The write freeze, for operators (contract/databases.md *Write freeze*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import { problems } from "../Description.ts"
import { Refusals } from "../Refused.ts"
import { FilledReason, field, optional } from "../Values.ts"
import { adminPath, annotated, frozenChangeProblems, readProblems } from "./Endpoint.ts"

const maintenancePath = `${adminPath}/maintenance` as const

/** Answer of the write freeze. */
export const Maintenance = Schema.Struct({
  write_frozen: field(Schema.Boolean, "True while every write is refused with `write_frozen`.")
}).annotate({ identifier: "Maintenance" })

export const MaintenanceChange = Schema.Struct({
  ...Maintenance.fields,
  reason: optional(FilledReason, "The reason, for the audit log. It must not contain personal data.")
})

export class Maintenances extends HttpApiGroup.make("maintenance")
  .add(
    HttpApiEndpoint.get("maintenance", maintenancePath, {
      success: Maintenance,
      error: problems(readProblems)
    }).annotateMerge(
      annotated(
        "maintenance.show",
        "Show whether writes are frozen",
        "Shows the switch.",
        readProblems,
        { response: { write_frozen: false } },
        true
      )
    ),
    HttpApiEndpoint.post("freeze", maintenancePath, {
      payload: MaintenanceChange,
      success: Maintenance,
      error: problems(frozenChangeProblems)
    }).annotateMerge(
      annotated(
        "maintenance.set",
        "Freeze writes, or allow them again",
        "A freeze is answered once every earlier write has committed and every node refuses new ones. " +
          "The switch survives restarts.",
        frozenChangeProblems,
        { request: { write_frozen: false, reason: "The move is done" }, response: { write_frozen: false } }
      )
    )
  )
  .middleware(Refusals)
  .annotate(AccessOf, { isForUnlimited: true, isServedFrozen: true })
  .annotateMerge(OpenApi.annotations({ title: "Maintenance", description: "The write freeze, for operators." })) {}
