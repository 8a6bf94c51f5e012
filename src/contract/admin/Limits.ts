/** What people may give by their roles (contract/operators.md *Limits*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import { problems } from "../Description.ts"
import { field, optional, Reason, whole } from "../Values.ts"
import { annotated, frozenChangeProblems, readProblems, Refusals } from "./Common.ts"
import { Role, staffPath } from "./Staff.ts"

export const limitsPath = `${staffPath}/limits` as const

const Limit = whole(0, Number.MAX_SAFE_INTEGER, "must be a whole number from 0 on")

const limits = {
  points_per_action: optional(Limit, "The most points of one request; absent: as many as the programme allows."),
  points_per_day: optional(Limit, "The most points of a day, of all units in one programme; absent: no limit."),
  rewards_per_day: optional(Limit, "The most rewards of a day in one programme; absent: no limit."),
  orders_moved_per_day: optional(Limit, "The most orders moved on a day in one programme; absent: no limit.")
}

/** The limits alone. */
export const GivingLimits = Schema.Struct(limits).annotate({ identifier: "GivingLimits" })

export const RoleLimits = Schema.Struct({
  role: field(Role, "The role that the limits are for."),
  ...limits
}).annotate({ identifier: "RoleLimits" })

const LimitList = Schema.Struct({
  limits: field(Schema.Array(RoleLimits), "Every role, the owner first.")
}).annotate({ identifier: "LimitList" })

export const LimitChange = Schema.Struct({
  role: field(Role, "The role; not `owner`."),
  ...limits,
  reason: field(Reason, "The reason, for the audit log. It must not contain personal data.")
}).annotate({ identifier: "LimitChange" })

const list = {
  limits: [
    { role: "owner" },
    {
      role: "manager",
      points_per_action: 50_000,
      points_per_day: 500_000,
      rewards_per_day: 500,
      orders_moved_per_day: 500
    },
    { role: "marketer" },
    { role: "support", points_per_action: 1_000, points_per_day: 5_000, rewards_per_day: 10, orders_moved_per_day: 20 },
    { role: "analyst" },
    { role: "developer" }
  ]
}
const support = {
  role: "support",
  points_per_action: 500,
  points_per_day: 5_000,
  rewards_per_day: 10,
  orders_moved_per_day: 20
}

export class Limits extends HttpApiGroup.make("limits")
  .add(
    HttpApiEndpoint.get("listLimits", limitsPath, { success: LimitList, error: problems(readProblems) }).annotateMerge(
      annotated(
        "staff_limit.list",
        "List the limits of the roles",
        "What people may give beyond the programme's own limits. Without `points:give` a role gives nothing. ",
        readProblems,
        { response: list },
        true
      )
    ),
    HttpApiEndpoint.post("changeLimits", limitsPath, {
      payload: LimitChange,
      success: RoleLimits,
      error: problems(frozenChangeProblems)
    })
      .annotate(AccessOf, { isForUnlimited: true, isServedFrozen: true })
      .annotateMerge(
        annotated(
          "staff_limit.set",
          "Change the limits of a role",
          "They replace the former ones: one that is absent ends. They hold on every node at once, for what was given today too. ",
          frozenChangeProblems,
          { request: { ...support, reason: "Fewer big gifts" }, response: support }
        )
      )
  )
  .middleware(Refusals)
  .annotateMerge(OpenApi.annotations({ title: "Limits", description: "What people may give, by their roles." })) {}
