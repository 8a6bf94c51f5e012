/** Merging two members, for operators (contract/members.md *Merging*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import { problems } from "../Description.ts"
import { ConsentChannel, ConsentPurpose } from "../platform/Members.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Balance, Metric } from "../protocol/Resources.ts"
import { Refusals } from "../Refused.ts"
import { FilledReason, field, Identifier, IdentityType, Integer, optional, Timestamp, Unit } from "../Values.ts"
import { adminPath, annotated, changeProblems } from "./Endpoint.ts"
import { AdminMember } from "./Members.ts"

const mergePath = `${adminPath}/members/:program_id/merge` as const

/** The path of a programme's merge route. */
export const pathOf = (program_id: string): string => `${adminPath}/members/${encodeURIComponent(program_id)}/merge`

export const MergeParams = Schema.Struct({
  program_id: field(Identifier.annotate({ examples: ["demo-foodservice"] }), "The programme of both.")
})

export const Merge = Schema.Struct({
  from: field(Identifier, "The member that is merged. It is closed permanently and refers to the other one."),
  into: field(Identifier, "The member that remains and gets everything of the other one."),
  reason: field(FilledReason, "The reason, for the audit log. It must not contain personal data."),
  dry_run: optional(
    Schema.Boolean,
    "True: returns what the merge would do, and changes nothing. Served while writes are frozen."
  )
})

const Names = Schema.Array(Schema.String)

/** Effects of a merge, without personal values. */
export const MergePreview = Schema.Struct({
  moved: field(
    Schema.Struct({
      balances: field(
        Schema.Array(
          Schema.Struct({
            unit: field(Unit, "The unit of the account."),
            amount: field(Integer, "The balance of `from`; below zero, points of `into` fill it."),
            lots: field(Integer, "The lots of `from`, which keep their dates.")
          })
        ),
        "What moves, for each account of the programme."
      ),
      issued_rewards: field(
        Schema.Array(
          Schema.Struct({
            issued_reward_id: field(Identifier, "The reward in the wallet."),
            reward_id: field(Identifier, "The reward of the programme.")
          })
        ),
        "The wallet rewards that move."
      ),
      identities: field(
        Schema.Array(
          Schema.Struct({
            type: field(IdentityType, "The type of the identities."),
            count: field(Integer, "Identities of the type.")
          })
        ),
        "How many identities move, without their values."
      )
    }),
    "What moves from `from` to `into`."
  ),
  copied: field(
    Schema.Struct({
      profile: field(Names, "The profile fields that only `from` has."),
      attributes: field(Names, "The attributes that only `from` has."),
      consents: field(
        Schema.Array(
          Schema.Struct({
            purpose: field(ConsentPurpose, "The purpose."),
            channel: optional(ConsentChannel, "The channel. Absent: the purpose as a whole."),
            granted: field(Schema.Boolean, "What counts for `into` afterwards.")
          })
        ),
        "The consents of `into` that are new or change: the stricter of both counts."
      )
    }),
    "What is copied to `into` because it has none, by name."
  ),
  dropped: field(
    Schema.Struct({
      profile: field(Names, "The profile fields."),
      attributes: field(Names, "The attributes.")
    }),
    "Values that differ, by name: the value of `from` is deleted, and `into` keeps its own."
  ),
  balances: field(Schema.Array(Balance), "The balances of `into` after the merge."),
  metrics: field(Schema.Array(Metric), "The metrics of `into` after the merge."),
  leaves_at: optional(
    Timestamp,
    "One of both has asked to leave: everything of the one that remains is erased then, unless the guest signs in before."
  ),
  filled_cards: field(Integer, "The stamp cards that the stamps of both fill. Each issues its reward.")
}).annotate({
  identifier: "MergePreview",
  description: "What a merge does. Ledger entries keep their `member_id`, and campaign reports do not change."
})
export type MergePreview = typeof MergePreview.Type

export const Merged = Schema.Struct({
  member: field(AdminMember, "The member that remains as it is now; with `dry_run` as it would be."),
  preview: optional(MergePreview, "With `dry_run`, and only then: what the merge would do. Nothing was changed.")
})

const codes: ReadonlyArray<ProblemCode> = [
  "limit_exceeded",
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
      success: Merged,
      error: problems(codes)
    })
      .annotate(AccessOf, { isServedFrozen: true, isRepeatable: true })
      .annotateMerge(
        annotated(
          "member.merge",
          "Merge a member into another",
          "Points with their dates, rewards, metrics, stamps and identities of `from` move to `into`: all of it or nothing. " +
            "After that, requests on `from` and its orders, reservations and rewards apply to `into`. " +
            "`dry_run` lists what would move, be copied and be dropped. " +
            "`invalid_state` if one of them has an open reservation or is closed.",
          codes,
          examples
        )
      )
  )
  .middleware(Refusals)
  .annotateMerge(
    OpenApi.annotations({ title: "Merging members", description: "Merges two members of one guest into one." })
  ) {}
