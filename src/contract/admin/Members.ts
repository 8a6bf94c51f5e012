/** The operators' reads and changes of one member (contract/operators.md *One member*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import type { Examples } from "../Description.ts"
import { problems } from "../Description.ts"
import { Consent, MemberProfile } from "../platform/Members.ts"
import { operations } from "../protocol/Operations.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import {
  Balance,
  Identity,
  IssuedReward,
  Member,
  Metric,
  RecordedIdentity,
  Reservation,
  TierProgress
} from "../protocol/Resources.ts"
import { Refusals } from "../Refused.ts"
import { told } from "../Said.ts"
import {
  FilledReason,
  ForeignId,
  field,
  Identifier,
  Integer,
  MemberStatus,
  optional,
  Timestamp,
  Unit,
  Value
} from "../Values.ts"
import { adminPath, annotated, changeProblems, listProblems, readProblems } from "./Endpoint.ts"
import { LedgerFilters, LedgerPage, LedgerQuery } from "./MemberLedger.ts"
import examples from "./memberExamples.json" with { type: "json" }

export const memberPath = `${adminPath}/members/:program_id/:member_id` as const

/** The base path of a member's routes. */
export const pathOf = (program_id: string, member_id: string): string =>
  `${adminPath}/members/${encodeURIComponent(program_id)}/${encodeURIComponent(member_id)}`

export const MemberParams = Schema.Struct({
  program_id: field(Identifier.annotate({ examples: ["demo-foodservice"] }), "The member's programme."),
  member_id: field(Identifier.annotate({ examples: ["member-005"] }), "The member's id.")
})

export const Lot = Schema.Struct({
  lot_id: field(Identifier, "The lot's id."),
  unit: field(Unit, "The lot's unit."),
  earned_at: field(Timestamp, "When it was earned. Lots that were earned first are spent first."),
  expires_at: optional(Timestamp, "When the remaining points expire; absent: never."),
  amount: optional(Integer, "The original number of points; absent: the record of it is archived."),
  remaining: field(Integer, "The remaining number of points, at least 1.")
}).annotate({ identifier: "Lot", description: "Points that were earned together and are not all spent." })

const { artifact: _, ...walletReward } = IssuedReward.fields

export const WalletReward = Schema.Struct(walletReward).annotate({
  identifier: "WalletReward",
  description: "A reward or coupon in a member's wallet, without its code."
})

/** A member in the operators' API. */
export const AdminMember = Schema.Struct({
  ...Member.fields,
  merged_into: optional(Identifier, "The member that this one was merged into. This member is closed permanently.")
}).annotate({ identifier: "AdminMember", description: "A guest who takes part in a programme, for operators." })

export const MemberShown = Schema.Struct({
  member: field(AdminMember, "The member with its identities."),
  balances: field(Schema.Array(Balance), "Its balances now, one for each account of the programme."),
  metrics: field(Schema.Array(Metric), "The programme's metrics, for this member now."),
  tier_progress: optional(TierProgress, "The member's tier and the next one; absent if the programme has no tiers."),
  lots: field(Schema.Array(Lot), "Lots with remaining points, in order of spending, for each account in turn."),
  reservations: field(Schema.Array(Reservation), "Open reservations, oldest first."),
  issued_rewards: field(
    Schema.Array(WalletReward),
    "Wallet rewards that can still be used, oldest first, without their codes."
  ),
  profile: optional(MemberProfile, "The member's profile; absent without one."),
  consent: optional(
    Schema.Array(Consent),
    "The member's newest consent for each purpose and channel; absent if it never decided."
  ),
  leaves_at: optional(
    Timestamp,
    "The guest has asked to leave: everything of the member is erased then, unless the guest signs in before."
  )
})

export const MemberOnly = Schema.Struct({ member: field(AdminMember, "The member as it is now.") })

const {
  context: _1,
  member_id: _2,
  program_id: _3,
  ...adjustment
} = operations["ledger.manual_adjustment"].request.fields
const {
  artifact: _4,
  context: _5,
  member_id: _6,
  program_id: _7,
  ...reward
} = operations["issued_reward.issue"].request.fields

export const Adjustment = Schema.Struct({
  ...adjustment,
  reason: field(FilledReason, "Why, 1 to 255 characters; the entry repeats it."),
  location_id: optional(
    ForeignId,
    "The restaurant that gives or takes. Absent: none; for a caller that is limited to one restaurant, this one."
  ),
  known_by: optional(
    Value,
    "For a caller that is limited to restaurants: the whole number of the guest's card, or a whole address. Absent: the guest has ordered there in the last 400 days."
  ),
  dry_run: optional(
    Schema.Boolean,
    "True: returns the result that the request would have, and changes nothing. Served while writes are frozen."
  )
})

const { context: _8, ineligible_reasons: _9, promotions: _10, ...posted } = operations["accrual.post"].response.fields

export const Adjusted = Schema.Struct(posted)
export const Foreseen = Schema.Struct({
  dry_run: field(
    Schema.Literal(true),
    "Nothing was changed. The entry and the balances are those that the request would give."
  ),
  ...posted
})

export const Reward = Schema.Struct({
  ...reward,
  reason: optional(
    FilledReason,
    "The reason, for the audit log; a person must tell one. It must not contain personal data. It is no fact of the reward: a repetition may have another."
  )
})
/** Replies that post nothing: to a repeated `adjustment_id`, or to a preview. */
const Unposted = Schema.Union([Foreseen, Adjusted]).annotate({
  identifier: "AdjustmentUnposted",
  description: "A repeated adjustment's first entry with the balances of now, or with `dry_run` what would be."
})

export const Issued = Schema.Struct({ issued_reward: field(IssuedReward, "The reward as it was issued.") })

export const IssuedRewardParams = Schema.Struct({
  ...MemberParams.fields,
  issued_reward_id: field(Identifier.annotate({ examples: ["reward-3002"] }), "A reward in the member's wallet.")
})

export const RewardCancellation = Schema.Struct({
  reason: field(FilledReason, "The reason, for the reward and the audit log. It must not contain personal data.")
})

export const StatusChange = Schema.Struct({
  status: field(
    MemberStatus,
    "`suspended`: only open orders and reservations can be finished. `closed`: permanent, only refunds are possible; open holds are released and wallet rewards cancelled."
  ),
  reason: field(FilledReason, "The reason, for the audit log. It must not contain personal data.")
})

const some = <S extends Schema.Top>(item: S) =>
  Schema.Array(item).check(
    Schema.isMinLength(1, { message: "must have at least 1 item" }),
    Schema.isMaxLength(20, { message: told`must have at most ${20} items` })
  )

export const IdentitiesChange = Schema.Struct({
  add: optional(some(Identity), "Identities to add. Identities that the member has already are ignored."),
  remove: optional(
    some(RecordedIdentity),
    "Identities to remove. Other members may get them then. At least one identity must remain."
  )
})

const described = (
  identifier: keyof typeof examples,
  summary: string,
  description: string,
  codes: ReadonlyArray<ProblemCode>,
  isRead = false,
  responses: Examples["responses"] = {}
) => annotated(identifier, summary, description, codes, { ...(examples[identifier] as Examples), responses }, isRead)

const readCodes: ReadonlyArray<ProblemCode> = [...readProblems, "not_found"]
const listCodes: ReadonlyArray<ProblemCode> = [...listProblems, "not_found"]
const filterCodes: ReadonlyArray<ProblemCode> = [...readProblems, "validation_failed", "not_found"]
const writeCodes: ReadonlyArray<ProblemCode> = [...changeProblems, "not_found", "conflict", "member_not_active"]
const adjustCodes: ReadonlyArray<ProblemCode> = [
  ...writeCodes,
  "program_retired",
  "limit_exceeded",
  "insufficient_balance",
  "invalid_state",
  "expired"
]
const issueCodes: ReadonlyArray<ProblemCode> = [...writeCodes, "program_retired", "expired", "limit_exceeded"]
const cancelCodes: ReadonlyArray<ProblemCode> = [
  "limit_exceeded",
  ...changeProblems,
  "not_found",
  "member_not_active",
  "program_retired",
  "invalid_state"
]
const statusCodes: ReadonlyArray<ProblemCode> = [...changeProblems, "not_found", "invalid_state", "limit_exceeded"]
const identityCodes: ReadonlyArray<ProblemCode> = [...writeCodes, "invalid_state"]

export class OneMember extends HttpApiGroup.make("member")
  .add(
    HttpApiEndpoint.get("showMember", memberPath, {
      params: MemberParams,
      success: MemberShown,
      error: problems(readCodes)
    }).annotateMerge(
      described(
        "member.show",
        "Show a member",
        "Everything that the member has now. Everything due by now is applied.",
        readCodes,
        true
      )
    ),
    HttpApiEndpoint.get("memberLedger", `${memberPath}/ledger`, {
      params: MemberParams,
      query: LedgerQuery,
      success: LedgerPage,
      error: problems(listCodes)
    }).annotateMerge(
      described(
        "member_ledger.list",
        "List a member's ledger entries",
        "Newest first. If there are more entries, the answer has `next_cursor`; send it with the same filters.",
        listCodes,
        true
      )
    ),
    HttpApiEndpoint.get("memberLedgerCsv", `${memberPath}/ledger.csv`, {
      params: MemberParams,
      query: LedgerFilters,
      success: HttpApiSchema.StreamUint8Array({ contentType: "text/csv" }),
      error: problems(filterCodes)
    }).annotateMerge(
      described(
        "member_ledger.export",
        "Export a member's ledger",
        "All entries as CSV, newest first, streamed. Text that a spreadsheet would run as a formula begins with `'`. " +
          "An export that fails half way resets the connection.",
        filterCodes,
        true
      )
    ),
    HttpApiEndpoint.get("memberBalance", `${memberPath}/balance`, {
      params: MemberParams,
      query: Schema.Struct({
        at: optional(Timestamp, "The time, past or future; absent: now.")
      }),
      success: Schema.Struct({ balances: field(Schema.Array(Balance), "The balances at that time.") }),
      error: problems(filterCodes)
    }).annotateMerge(
      described(
        "member_balance.show",
        "Show balances at a time",
        "Computed from the journal. The balances include everything due by then, even if it was posted later. " +
          "`not_found` before the member joined.",
        filterCodes,
        true
      )
    ),
    HttpApiEndpoint.post("adjustMember", `${memberPath}/adjustments`, {
      params: MemberParams,
      payload: Adjustment,
      success: [Adjusted.pipe(HttpApiSchema.status(201)), Unposted],
      error: problems(adjustCodes)
    })
      .annotate(AccessOf, { isServedFrozen: true, isRepeatable: true })
      .annotateMerge(
        described(
          "member.adjust",
          "Credit or debit a member's points",
          "As `ledger/manual-adjustments`, and audited. A repeated `adjustment_id` with the same facts is 200 with the first entry and the balances of now. ",
          adjustCodes,
          false,
          // The console's build leaves the examples out.
          { 200: { dry_run: true, ...(examples as Partial<typeof examples>)["member.adjust"]?.response } }
        )
      ),
    HttpApiEndpoint.post("issueMemberReward", `${memberPath}/rewards`, {
      params: MemberParams,
      payload: Reward,
      success: [Issued.pipe(HttpApiSchema.status(201)), Issued],
      error: problems(issueCodes)
    })
      .annotate(AccessOf, { isRepeatable: true })
      .annotateMerge(
        described(
          "member.issue_reward",
          "Issue a reward to a member",
          "As `issued-rewards/issue`, and audited. A repeated `issued_reward_id` with the same facts is 200 with the reward as it was issued. ",
          issueCodes
        )
      ),
    HttpApiEndpoint.post("cancelMemberReward", `${memberPath}/rewards/:issued_reward_id/cancel`, {
      params: IssuedRewardParams,
      payload: RewardCancellation,
      success: Issued,
      error: problems(cancelCodes)
    })
      .annotate(AccessOf, { isRepeatable: true })
      .annotateMerge(
        described(
          "member.cancel_reward",
          "Cancel a reward of a member",
          "As `issued-rewards/cancel`, and audited. Cancelling again returns the reward as it was cancelled. " +
            "`invalid_state` if it was used, has expired, or a reservation holds it. ",
          cancelCodes
        )
      ),
    HttpApiEndpoint.post("setMemberStatus", `${memberPath}/status`, {
      params: MemberParams,
      payload: StatusChange,
      success: MemberOnly,
      error: problems(statusCodes)
    })
      .annotate(AccessOf, { isRepeatable: true })
      .annotateMerge(
        described(
          "member.set_status",
          "Suspend, close or re-open a member",
          "A closed member stays closed. Nothing changes if the member has the status already.",
          statusCodes
        )
      ),
    HttpApiEndpoint.post("changeMemberIdentities", `${memberPath}/identities`, {
      params: MemberParams,
      payload: IdentitiesChange,
      success: MemberOnly,
      error: problems(identityCodes)
    })
      .annotate(AccessOf, { isRepeatable: true })
      .annotateMerge(
        described(
          "member.change_identities",
          "Add and remove identities of a member",
          "All changes are made, or none. `conflict` if another member has an added identity. The last identity cannot be removed.",
          identityCodes
        )
      )
  )
  .middleware(Refusals)
  .annotateMerge(
    OpenApi.annotations({ title: "One member", description: "A member's balances, ledger and changes, for operators." })
  ) {}
