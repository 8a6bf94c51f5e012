/** Limits on giving, by role (contract/operators.md *Limits*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import { FilledReason, field } from "../Values.ts"
import { annotated, frozenChangeProblems, readProblems } from "./Endpoint.ts"
import { limitFields } from "./GivingLimits.ts"
import { exampleUser, Role, staffPath, User } from "./Staff.ts"

export const limitsPath = `${staffPath}/limits` as const

export const RoleLimits = Schema.Struct({
  role: field(Role, "The role that the limits are for."),
  ...limitFields
}).annotate({ identifier: "RoleLimits" })

const LimitList = Schema.Struct({
  limits: field(Schema.Array(RoleLimits), "Every role, the owner first.")
}).annotate({ identifier: "LimitList" })

export const LimitChange = Schema.Struct({
  role: field(Role, "The role; not `owner`."),
  ...limitFields,
  reason: field(FilledReason, "The reason, for the audit log. It must not contain personal data.")
}).annotate({ identifier: "LimitChange" })

export const UserLimitChange = Schema.Struct({
  ...limitFields,
  reason: LimitChange.fields.reason
}).annotate({ identifier: "UserLimitChange" })

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
    { role: "developer" },
    { role: "finance" },
    {
      role: "franchisee",
      points_per_action: 1_000,
      points_per_day: 5_000,
      rewards_per_day: 10,
      orders_moved_per_day: 20
    }
  ]
}
const support = {
  role: "support",
  points_per_action: 500,
  points_per_day: 5_000,
  rewards_per_day: 10,
  orders_moved_per_day: 20
}

const userProblems: ReadonlyArray<ProblemCode> = [...frozenChangeProblems, "not_found"]
const isServed = { isForUnlimited: true, isServedFrozen: true }
/** The user after the examples of other routes. */
const asLeft = { role: "manager", status: "invited", passkeys: [] } as const
const own = { points_per_action: 200, points_per_day: 1_000 }

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
      .annotate(AccessOf, isServed)
      .annotateMerge(
        annotated(
          "staff_limit.set",
          "Change the limits of a role",
          "They replace the former ones: one that is absent ends. They hold on every node at once, for what was given today too. ",
          frozenChangeProblems,
          { request: { ...support, reason: "Fewer big gifts" }, response: support }
        )
      ),
    HttpApiEndpoint.post("changeUserLimits", `${staffPath}/:user_id/limits`, {
      params: { user_id: User.fields.user_id },
      payload: UserLimitChange,
      success: User,
      error: problems(userProblems)
    })
      .annotate(AccessOf, isServed)
      .annotateMerge(
        annotated(
          "staff_limit.set_user",
          "Change the limits of one person",
          "Of each and the role's the lesser holds. They replace the former ones: one that is absent ends. " +
            "`validation_failed` above the role's, and for an owner. ",
          userProblems,
          {
            params: { user_id: exampleUser.user_id },
            request: { ...own, reason: "Begins on Monday" },
            response: { ...exampleUser, ...asLeft, limits: own }
          }
        )
      )
  )
  .middleware(Refusals)
  .annotateMerge(
    OpenApi.annotations({ title: "Limits", description: "What people may give, by their roles and each." })
  ) {}
