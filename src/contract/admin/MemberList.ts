/** The list of members, for operators (contract/operators.md *Lists*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { problems } from "../Description.ts"
import { KnownEmail, Phone } from "../platform/Members.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Balance } from "../protocol/Resources.ts"
import { Refusals } from "../Refused.ts"
import { field, Identifier, MemberStatus, optional, Text, Timestamp, Value } from "../Values.ts"
import { adminPath, annotated, listProblems, nextCursor, page } from "./Endpoint.ts"
import examples from "./figureExamples.json" with { type: "json" }

export const membersPath = `${adminPath}/members` as const

export const ListedMember = Schema.Struct({
  member_id: field(Identifier, "The member's id, unique in the programme."),
  program_id: field(Identifier, "The programme that the member belongs to."),
  status: field(MemberStatus, "Whether the member can take part."),
  tier_id: optional(Schema.String, "The member's tier now; absent if the programme has no tiers."),
  display_name: optional(Text, "The member's name; absent without one."),
  email: optional(KnownEmail, "The member's e-mail address; absent without one."),
  phone: optional(Phone, "The member's telephone number; absent without one."),
  similar: optional(Schema.Boolean, "True of one that the search finds only if it has a typing error; else absent."),
  joined_at: field(Timestamp, "When the member was enrolled."),
  last_order_at: optional(Timestamp, "When the newest order accrued that the figures have; absent without one."),
  balances: field(
    Schema.Array(Balance),
    "The posted balance of each account. It may still include points that are just due to expire."
  )
}).annotate({ identifier: "ListedMember" })
export type ListedMember = typeof ListedMember.Type

export const MemberList = Schema.Struct({
  members: field(Schema.Array(ListedMember), "A page of members."),
  next_cursor: nextCursor
}).annotate({ identifier: "MemberList" })
export type MemberList = typeof MemberList.Type

export const MemberListQuery = Schema.Struct({
  program_id: optional(Identifier, "The programme; absent: all programmes that the caller may see."),
  search: optional(
    Value,
    "The beginning of a member id, external id, e-mail address or any word of a name, whatever its accents and case; the last digits, at least four, of a telephone or card number; a whole identity; an order id, or the beginning or end of a recent one. Names that differ by a typing error are found as `similar`. With it the list has first those whom it means as a whole, and last the similar ones, each by member id; else newest first."
  ),
  status: optional(MemberStatus, "Only members with this status."),
  tier_id: optional(Text, "Only members who are in this tier now."),
  joined_from: optional(Timestamp, "Only members who were enrolled at this instant or later."),
  joined_until: optional(Timestamp, "Only members who were enrolled at this instant or earlier."),
  ...page
})
export type MemberListQuery = typeof MemberListQuery.Type

const codes: ReadonlyArray<ProblemCode> = [...listProblems, "not_found"]

export class MemberLists extends HttpApiGroup.make("member_list")
  .add(
    HttpApiEndpoint.get("listMembers", membersPath, {
      query: MemberListQuery,
      success: MemberList,
      error: problems(codes)
    }).annotateMerge(
      annotated(
        "member.list",
        "Find members",
        "All filters can be combined. With `tier_id` they see a change about a second later. ",
        codes,
        examples.listMembers,
        true
      )
    )
  )
  .middleware(Refusals)
  .annotateMerge(
    OpenApi.annotations({ title: "List of members", description: "The members of the programmes, for operators." })
  ) {}
