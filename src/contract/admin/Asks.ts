/** People ask others for a gift that they may not give (contract/people.md *Asking a manager*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Template } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import {
  Classification,
  FilledReason,
  field,
  Identifier,
  Integer,
  optional,
  RecordedId,
  Text,
  Timestamp,
  Unit
} from "../Values.ts"
import { adminPath, annotated, changeProblems, readProblems } from "./Endpoint.ts"
import { Receipt } from "./Receipt.ts"

export const asksPath = `${adminPath}/asks` as const

const AskedPoints = Schema.Struct({
  type: field(Schema.Literal("points"), "Points are given or taken."),
  amount: field(Integer, "Points to give; negative: to take away."),
  unit: optional(Unit, "The unit; absent: the programme's primary one."),
  classification: field(Classification, "Why the points are given or taken."),
  qualifies_for_tier: field(Schema.Boolean, "True: they count towards the tier.")
}).annotate({ identifier: "AskedPoints", description: "Points, as a manual adjustment gives them." })

const AskedReward = Schema.Struct({
  type: field(Schema.Literal("reward"), "A reward is put into the wallet."),
  reward_id: field(Identifier, "The reward of the programme.")
}).annotate({ identifier: "AskedReward", description: "A reward, as issuing puts it into the wallet." })

const { confirmed: _confirmed, dry_run: _dryRun, reason: _reason, ...receipt } = Receipt.fields

const AskedReceipt = Schema.Struct({
  type: field(Schema.Literal("receipt"), "An order is added from its receipt."),
  ...receipt
}).annotate({ identifier: "AskedReceipt", description: "An order, as the guest's receipt has it." })

export const AskedGift = Schema.Union([AskedPoints, AskedReward, AskedReceipt]).annotate({
  identifier: "AskedGift",
  description: "The gift that is asked for."
})
export type AskedGift = typeof AskedGift.Type

export const NewAsk = Schema.Struct({
  program_id: field(Identifier, "The guest's programme."),
  member_id: field(Identifier, "The guest."),
  gift: field(AskedGift, "The gift that is asked for."),
  reason: field(FilledReason, "Why, for the entry and the audit log. It must not contain personal data.")
}).annotate({ identifier: "NewAsk" })

const statuses = ["open", "doing", "done", "declined", "over"] as const

export const Ask = Schema.Struct({
  ask_id: field(Identifier, "Names the question, and then the gift."),
  program_id: field(Identifier, "The guest's programme."),
  member_id: field(Identifier, "The guest."),
  display_name: optional(Text, "The guest's name; absent without one, and once it is decided."),
  gift: field(AskedGift, "The gift that is asked for."),
  reason: field(FilledReason, "Why it is asked for."),
  asked_by: field(Text, "The name of who asks."),
  asked_at: field(Timestamp, "When it was asked."),
  ends_at: field(Timestamp, "From then on nobody can approve it: 24 hours after it was asked."),
  is_own: field(Schema.Boolean, "True if the caller asked it."),
  status: field(
    Schema.Literals(statuses),
    "`doing`: somebody is giving it; approving it again gives nothing twice. `over`: nobody has decided in time."
  ),
  look: optional(
    Text,
    "Open ones: the guest's present points, rewards and status, and `alike`; an approval repeats it. Absent: it cannot be foreseen."
  ),
  has_changed: optional(Schema.Literal(true), "They have changed since it was asked. Absent: not."),
  balance_after: optional(Integer, "Open ones of points and receipts: the balance that the guest would have."),
  earns: optional(Integer, "Open ones of receipts: the points that the order would earn."),
  alike: optional(
    Schema.Array(RecordedId),
    "Open ones of receipts: orders that may be the same one. An approval confirms that it is another. Absent: none."
  ),
  refused: optional(Text, "Open ones: why it is not possible now. Absent: it is."),
  refused_template: optional(Template, "`refused` apart from its values, if it has some."),
  decided_by: optional(Text, "The name of who approved or declined it; absent: nobody has."),
  decided_at: optional(Timestamp, "When; absent: not yet."),
  note: optional(Text, "What who declined it says; absent: nothing.")
}).annotate({ identifier: "Ask", description: "A gift that somebody asks others for." })
export type Ask = typeof Ask.Type

const AskList = Schema.Struct({
  asks: field(
    Schema.Array(Ask),
    "Newest first: the caller's own of a week, and, for a caller that may give, the open ones of others. At most 50."
  )
}).annotate({ identifier: "AskList" })

const Approval = Schema.Struct({
  look: field(Text, "`look` of the question as it was read: the guest must still be so.")
}).annotate({ identifier: "AskApproval" })

export const Denial = Schema.Struct({
  note: field(FilledReason, "What who asked is told. It must not contain personal data.")
}).annotate({ identifier: "AskDenial" })

const params = { ask_id: field(Identifier.annotate({ examples: ["ask_7Q2MXK4T0ZB9HD3W"] }), "The question.") }

const askCodes: ReadonlyArray<ProblemCode> = [...changeProblems, "not_found", "invalid_state"]
const declineCodes: ReadonlyArray<ProblemCode> = [...changeProblems, "not_found", "conflict"]
const approveCodes: ReadonlyArray<ProblemCode> = [
  ...declineCodes,
  "limit_exceeded",
  "member_not_active",
  "program_retired",
  "insufficient_balance",
  "invalid_state",
  "expired",
  "currency_mismatch",
  "invalid_order"
]

const asked = {
  program_id: "demo-foodservice",
  member_id: "member-005",
  gift: { type: "points", amount: 2_000, classification: "service_recovery", qualifies_for_tier: false } as const,
  reason: "A party of eight waited for an hour"
}
const open = {
  ask_id: "ask_7Q2MXK4T0ZB9HD3W",
  ...asked,
  asked_by: "Maria Rossi",
  asked_at: "2026-07-14T10:05:00.000Z",
  ends_at: "2026-07-15T10:05:00.000Z",
  is_own: true,
  status: "open" as const,
  look: "5-12",
  balance_after: 2_782
}
const { balance_after: _, look: __, ...settled } = open
const decided = { decided_by: "Moritz Manager", decided_at: "2026-07-14T10:06:00.000Z", is_own: false }

export class Asks extends HttpApiGroup.make("asks")
  .add(
    HttpApiEndpoint.get("listAsks", asksPath, {
      query: { program_id: optional(Identifier, "The programme; absent: all that the caller may see.") },
      success: AskList,
      error: problems([...readProblems, "not_found"])
    }).annotateMerge(
      annotated(
        "ask.list",
        "List gifts that are asked for",
        "Open ones are foreseen anew, with what they would do to the guest now. ",
        [...readProblems, "not_found"],
        { query: { program_id: "demo-foodservice" }, response: { asks: [open] } },
        true
      )
    ),
    HttpApiEndpoint.post("askManager", asksPath, {
      payload: NewAsk,
      success: Ask.pipe(HttpApiSchema.status(201)),
      error: problems(askCodes)
    }).annotateMerge(
      annotated(
        "ask.make",
        "Ask others for a gift",
        "Keeps a gift that the caller may not give, for 24 hours, so that somebody who may gives it or declines it. Nothing is given yet. For people alone. " +
          "`invalid_state` with 20 open questions of the caller. ",
        askCodes,
        { request: asked, response: open }
      )
    ),
    HttpApiEndpoint.post("approveAsk", `${asksPath}/:ask_id/approve`, {
      params,
      payload: Approval,
      success: Ask,
      error: problems(approveCodes)
    })
      .annotate(AccessOf, { isRepeatable: true })
      .annotateMerge(
        annotated(
          "ask.approve",
          "Give what was asked for",
          "Gives it as the caller, within the caller's limits, once, also if others approve. `conflict` if the guest has changed since " +
            "`look`, and if it is decided. ",
          approveCodes,
          {
            params: { ask_id: open.ask_id },
            request: { look: open.look },
            response: { ...settled, ...decided, status: "done" }
          }
        )
      ),
    HttpApiEndpoint.post("declineAsk", `${asksPath}/:ask_id/decline`, {
      params,
      payload: Denial,
      success: Ask,
      error: problems(declineCodes)
    }).annotateMerge(
      annotated(
        "ask.decline",
        "Decline what was asked for",
        "Gives nothing. Who asked reads the note. `conflict` if it is decided, or somebody gives it now. ",
        declineCodes,
        {
          params: { ask_id: open.ask_id },
          request: { note: "A free dessert is enough" },
          response: { ...settled, ...decided, status: "declined", note: "A free dessert is enough" }
        }
      )
    )
  )
  .middleware(Refusals)
  .annotateMerge(
    OpenApi.annotations({ title: "Asking a manager", description: "Gifts that people ask others for." })
  ) {}
