/** Merging two members, for operators (admin.md). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { field, Identifier, Reason } from "../Values.ts"
import { AdminKey, adminPath, annotated, changeProblems, Refusals } from "./Common.ts"
import { MemberOnly } from "./Members.ts"

const mergePath = `${adminPath}/members/:program_id/merge` as const

/** The path of a programme's merge route. */
export const pathOf = (program_id: string): string => `${adminPath}/members/${encodeURIComponent(program_id)}/merge`

export const MergeParams = Schema.Struct({
  program_id: field(Identifier.annotate({ examples: ["demo-foodservice"] }), "The programme of both.")
})

export const Merge = Schema.Struct({
  from: field(Identifier, "The member that is merged. It is closed for ever and refers to the other one."),
  into: field(Identifier, "The member that remains and gets everything of the other one."),
  reason: field(Reason, "The reason, for the audit log. It must not contain personal data.")
})

const codes: ReadonlyArray<ProblemCode> = [
  ...changeProblems,
  "not_found",
  "conflict",
  "program_retired",
  "invalid_state"
]

const examples = {
  request: { from: "member-006", into: "member-004", reason: "The guest had two cards" },
  response: {
    member: {
      member_id: "member-004",
      program_id: "demo-foodservice",
      status: "active",
      joined_at: "2026-07-14T10:05:00.000Z",
      identities: [
        { type: "loyalty_id", value: "card-member-004", issuer: "corner-bowl" },
        { type: "loyalty_id", value: "card-member-006", issuer: "corner-bowl" }
      ],
      tier_id: "starter",
      attributes: { first_name: "Dina" }
    }
  }
}

export class Merging extends HttpApiGroup.make("merge")
  .add(
    HttpApiEndpoint.post("mergeMembers", mergePath, {
      params: MergeParams,
      payload: Merge,
      success: MemberOnly,
      error: problems(codes)
    }).annotateMerge(
      annotated(
        "member.merge",
        "Merge a member into another",
        "Points with their dates, rewards, metrics, stamps and identities of `from` move to `into`: all of it or nothing. " +
          "After that, requests on `from` and its orders, reservations and rewards apply to `into`. " +
          "`invalid_state` if one of them has an open reservation or is closed. Scope: `admin:write`, or the admin key.",
        codes,
        examples
      )
    )
  )
  .middleware(AdminKey)
  .middleware(Refusals)
  .annotateMerge(
    OpenApi.annotations({ title: "Merging members", description: "Two members of one guest become one." })
  ) {}
