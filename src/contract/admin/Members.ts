/** One member, for operators: what it has and had, and what an operator changes (admin.md). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import { problems } from "../Description.ts"
import type { Examples } from "../Description.ts"
import { operations } from "../protocol/Operations.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import {
  Balance,
  Identity,
  IssuedReward,
  LedgerEntry,
  Member,
  Metric,
  Reservation,
  TierProgress
} from "../protocol/Resources.ts"
import {
  field,
  Identifier,
  Integer,
  LedgerOperation,
  MemberStatus,
  optional,
  Reason,
  Timestamp,
  Unit
} from "../Values.ts"
import {
  AdminKey,
  adminPath,
  annotated,
  changeProblems,
  listProblems,
  nextCursor,
  page,
  readProblems,
  Refusals
} from "./Common.ts"
import examples from "./memberExamples.json" with { type: "json" }

export const memberPath = `${adminPath}/members/:program_id/:member_id` as const

/** Where a member's routes are. */
export const pathOf = (program_id: string, member_id: string): string =>
  `${adminPath}/members/${encodeURIComponent(program_id)}/${encodeURIComponent(member_id)}`

export const MemberParams = Schema.Struct({
  program_id: field(Identifier.annotate({ examples: ["demo-foodservice"] }), "The member's programme."),
  member_id: field(Identifier.annotate({ examples: ["member-005"] }), "The member's id.")
})

export const Lot = Schema.Struct({
  lot_id: field(Identifier, "The lot's id."),
  unit: field(Unit, "What it counts."),
  earned_at: field(Timestamp, "When it was earned: the earliest are spent first."),
  expires_at: optional(Timestamp, "When what is left of it expires; absent: never."),
  amount: field(Integer, "What was put into it."),
  remaining: field(Integer, "What is left of that, at least 1.")
}).annotate({ identifier: "Lot", description: "Points that were earned together and are not all spent." })

/** A member as operators see it. */
export const AdminMember = Schema.Struct({
  ...Member.fields,
  merged_into: optional(Identifier, "The member that this one was merged into; it is closed for ever.")
}).annotate({ identifier: "AdminMember", description: "A guest who takes part in a programme, for operators." })

export const MemberShown = Schema.Struct({
  member: field(AdminMember, "The member with its identities."),
  balances: field(Schema.Array(Balance), "Its balances now, one for each account of the programme."),
  metrics: field(Schema.Array(Metric), "The programme's metrics, for this member now."),
  tier_progress: optional(TierProgress, "Where it stands on the ladder of tiers; absent where the programme has none."),
  lots: field(Schema.Array(Lot), "Lots with something left, in the order in which they are spent, account by account."),
  reservations: field(Schema.Array(Reservation), "Open reservations, oldest first."),
  issued_rewards: field(Schema.Array(IssuedReward), "Wallet rewards that can still be used, oldest first.")
})

export const MemberOnly = Schema.Struct({ member: field(AdminMember, "The member as it is now.") })

const operationNames = new Set<string>(LedgerOperation.literals)

/** Operations of a query, separated by commas: a parameter stays text, as decoding never transforms. */
const LedgerOperations = Schema.String.check(
  Schema.makeFilter(
    (text) =>
      text.split(",").every((name) => operationNames.has(name)) ||
      `must be some of ${[...operationNames].join(", ")}, separated by commas`,
    {
      toJsonSchema: () => {
        const one = `(${[...operationNames].join("|")})`
        return { pattern: `^${one}(,${one})*$` }
      }
    }
  )
)

/** The filters of `ledger/list`. */
const filters = {
  account_id: optional(Identifier, "Entries of this account alone; one that is not the member's gives none."),
  operations: optional(LedgerOperations, "Entries of these operations alone, such as `accrual,manual`."),
  occurred_from: optional(Timestamp, "Entries at or after this instant."),
  occurred_until: optional(Timestamp, "Entries at or before this instant.")
}

export const LedgerFilters = Schema.Struct(filters)
export const LedgerQuery = Schema.Struct({ ...filters, ...page })

export const LedgerPage = Schema.Struct({
  entries: field(Schema.Array(LedgerEntry), "The page, newest first."),
  next_cursor: nextCursor
})

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
  dry_run: optional(Schema.Boolean, "True: answers what would be, and does nothing; served while writes are frozen.")
})

const { context: _8, ineligible_reasons: _9, ...posted } = operations["accrual.post"].response.fields

export const Adjusted = Schema.Struct(posted)
export const Foreseen = Schema.Struct({
  dry_run: field(Schema.Literal(true), "True: nothing was done; the entry and the balances are what would be."),
  ...posted
})

export const Reward = Schema.Struct(reward)
export const Issued = Schema.Struct({ issued_reward: field(IssuedReward, "The reward as it was issued.") })

export const StatusChange = Schema.Struct({
  status: field(
    MemberStatus,
    "`suspended`: what was begun goes on, nothing else; `closed`: refunds alone, open holds are released and wallet rewards cancelled, for ever."
  ),
  reason: field(Reason, "Why, for the audit; no place for personal data.")
})

const someIdentities = Schema.Array(Identity).check(
  Schema.isMinLength(1, { message: "must have at least 1 item" }),
  Schema.isMaxLength(20, { message: "must have at most 20 items" })
)

export const IdentitiesChange = Schema.Struct({
  add: optional(someIdentities, "Identities that the member is given; those that it has already stay."),
  remove: optional(someIdentities, "Identities that it loses: others may take them. One always stays.")
})

const described = (
  identifier: keyof typeof examples,
  summary: string,
  description: string,
  codes: ReadonlyArray<ProblemCode>,
  isRead = false
) => annotated(identifier, summary, description, codes, examples[identifier] as Examples, isRead)

const readCodes: ReadonlyArray<ProblemCode> = [...readProblems, "not_found"]
const listCodes: ReadonlyArray<ProblemCode> = [...listProblems, "not_found"]
const filterCodes: ReadonlyArray<ProblemCode> = [...readProblems, "validation_failed", "not_found"]
const writeCodes: ReadonlyArray<ProblemCode> = [...changeProblems, "not_found", "conflict", "member_not_active"]
const adjustCodes: ReadonlyArray<ProblemCode> = [
  ...writeCodes,
  "program_retired",
  "insufficient_balance",
  "invalid_state",
  "expired"
]
const issueCodes: ReadonlyArray<ProblemCode> = [...writeCodes, "program_retired", "expired"]
const statusCodes: ReadonlyArray<ProblemCode> = [...changeProblems, "not_found", "invalid_state"]
const identityCodes: ReadonlyArray<ProblemCode> = [...writeCodes, "invalid_state"]

export class OneMember extends HttpApiGroup.make("member")
  .add(
    HttpApiEndpoint.get("showMember", memberPath, {
      params: MemberParams,
      success: MemberShown,
      error: problems(readCodes)
    }).annotateMerge(
      described(
        "showMember",
        "Show a member",
        "Everything that the member has now: what is due by now counts as done. Scope: `admin:read`, or the admin key.",
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
        "memberLedger",
        "List a member's ledger entries",
        "Newest first. `next_cursor` is there where there is more; send it with the same filters. Scope: `admin:read`, or the admin key.",
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
        "memberLedgerCsv",
        "Export a member's ledger",
        "All entries as CSV, newest first, streamed. Text that a spreadsheet would run as a formula begins with `'`. " +
          "An export that fails half way resets the connection. Scope: `admin:read`, or the admin key.",
        filterCodes,
        true
      )
    ),
    HttpApiEndpoint.get("memberBalance", `${memberPath}/balance`, {
      params: MemberParams,
      query: Schema.Struct({
        at: optional(Timestamp, "The moment, past or to come; absent: now.")
      }),
      success: Schema.Struct({ balances: field(Schema.Array(Balance), "The balances as of that moment.") }),
      error: problems(filterCodes)
    }).annotateMerge(
      described(
        "memberBalance",
        "Show balances of a moment",
        "As the journal tells them: what had fallen due by then counts, also where it was posted later. " +
          "`not_found` before the member joined. Scope: `admin:read`, or the admin key.",
        filterCodes,
        true
      )
    ),
    HttpApiEndpoint.post("adjustMember", `${memberPath}/adjustments`, {
      params: MemberParams,
      payload: Adjustment,
      success: [Foreseen, Adjusted.pipe(HttpApiSchema.status(201))],
      error: problems(adjustCodes)
    })
      .annotate(AccessOf, { isServedFrozen: true })
      .annotateMerge(
        described(
          "adjustMember",
          "Credit or debit a member's points",
          "As `ledger/manual-adjustments`, and audited. A repeated `adjustment_id` with the same facts returns the first result. " +
            "Scope: `admin:write`, or the admin key.",
          adjustCodes
        )
      ),
    HttpApiEndpoint.post("issueMemberReward", `${memberPath}/rewards`, {
      params: MemberParams,
      payload: Reward,
      success: Issued.pipe(HttpApiSchema.status(201)),
      error: problems(issueCodes)
    }).annotateMerge(
      described(
        "issueMemberReward",
        "Issue a reward to a member",
        "As `issued-rewards/issue`, and audited. A repeated `issued_reward_id` with the same facts returns the first result. " +
          "Scope: `admin:write`, or the admin key.",
        issueCodes
      )
    ),
    HttpApiEndpoint.post("setMemberStatus", `${memberPath}/status`, {
      params: MemberParams,
      payload: StatusChange,
      success: MemberOnly,
      error: problems(statusCodes)
    }).annotateMerge(
      described(
        "setMemberStatus",
        "Suspend, close or re-open a member",
        "A closed member stays closed. The status that the member has already is no change. Scope: `admin:write`, or the admin key.",
        statusCodes
      )
    ),
    HttpApiEndpoint.post("changeMemberIdentities", `${memberPath}/identities`, {
      params: MemberParams,
      payload: IdentitiesChange,
      success: MemberOnly,
      error: problems(identityCodes)
    }).annotateMerge(
      described(
        "changeMemberIdentities",
        "Give a member identities, or take them",
        "All of it or nothing. `conflict` where another member has one; the last one cannot be taken. Scope: `admin:write`, or the admin key.",
        identityCodes
      )
    )
  )
  .middleware(AdminKey)
  .middleware(Refusals)
  .annotateMerge(
    OpenApi.annotations({ title: "One member", description: "What a member has and had, and what operators change." })
  ) {}
