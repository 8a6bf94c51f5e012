/** Work that people hand over because they may not put it in force (contract/people.md *Handing over*). */

import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Template } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import { FilledReason, FreeForm, field, Identifier, optional, Text, Timestamp, whole } from "../Values.ts"
import { adminPath, annotated, changeProblems, readProblems } from "./Endpoint.ts"
import { Version } from "./ProgramsInForce.ts"

export const handoversPath = `${adminPath}/handovers` as const

const HandedCampaign = Schema.Struct({
  type: field(Schema.Literal("campaign"), "A campaign is activated."),
  campaign_id: field(Identifier, "The campaign.")
}).annotate({ identifier: "HandedCampaign", description: "A campaign that is to be activated." })

const HandedAudience = Schema.Struct({
  type: field(Schema.Literal("audience"), "The changes of an active campaign's audience are confirmed."),
  campaign_id: field(Identifier, "The campaign.")
}).annotate({ identifier: "HandedAudience", description: "Changes of an audience that are to be confirmed." })

const HandedProgram = Schema.Struct({
  type: field(Schema.Literal("program"), "A changed programme is published."),
  program: field(FreeForm, "The definition: a `ProgramFile`."),
  version: field(Version, "The version in force that it changes.")
}).annotate({ identifier: "HandedProgram", description: "A programme that is to be published." })

export const HandedOver = Schema.Union([HandedCampaign, HandedAudience, HandedProgram]).annotate({
  identifier: "HandedOver",
  description: "The work that is handed over."
})
export type HandedOver = typeof HandedOver.Type

export const handedKinds = ["campaign", "audience", "program"] as const

export const NewHandover = Schema.Struct({
  what: field(HandedOver, "The work that is handed over."),
  reason: field(FilledReason, "What it is for, for who decides and the audit log. It must not contain personal data.")
}).annotate({ identifier: "NewHandover" })
export type NewHandover = typeof NewHandover.Type

const statuses = ["open", "done", "declined", "over"] as const

const facts = {
  handover_id: field(Identifier, "Names the handover."),
  program_id: field(Identifier, "The programme."),
  kind: field(Schema.Literals(handedKinds), "The kind of work."),
  campaign_id: optional(Identifier, "The campaign; absent: it is a programme."),
  campaign_name: optional(Text, "Its name; absent: it is a programme, or the campaign was deleted."),
  version: optional(Version, "Of a programme: the version that it changes. Absent: it is a campaign."),
  reason: field(FilledReason, "What it is for."),
  handed_by: field(Text, "The name of who hands it over."),
  handed_at: field(Timestamp, "When it was handed over."),
  ends_at: field(Timestamp, "From then on nobody can approve it: 14 days after it was handed over."),
  is_own: field(Schema.Boolean, "True if the caller hands it over."),
  status: field(
    Schema.Literals(statuses),
    "`done`: it is in force, by an approval or in another way. `over`: nobody has decided in time."
  ),
  look: optional(Text, "Open ones: how the work is now; an approval repeats it. Absent: it is not possible now."),
  has_changed: optional(Schema.Literal(true), "It has changed since it was handed over. Absent: not."),
  refused: optional(Text, "Open ones: why it is not possible now. Absent: it is."),
  refused_template: optional(Template, "`refused` apart from its values, if it has some."),
  decided_by: optional(Text, "The name of who approved or declined it; absent: nobody has."),
  decided_at: optional(Timestamp, "When; absent: not yet."),
  note: optional(Text, "What who declined it says; absent: nothing.")
}

export const Handover = Schema.Struct(facts).annotate({
  identifier: "Handover",
  description: "Work that somebody hands over."
})
export type Handover = typeof Handover.Type

const HandoverShown = Schema.Struct({
  ...facts,
  program: optional(FreeForm, "The handed over definition; absent: it is a campaign.")
}).annotate({ identifier: "HandoverShown" })

const HandoverList = Schema.Struct({
  handovers: field(
    Schema.Array(Handover),
    "Newest first: the caller's own of four weeks, and the open ones of others that the caller may approve. At most 50."
  )
}).annotate({ identifier: "HandoverList" })

const Approval = Schema.Struct({
  look: optional(
    Text,
    "`look` of the handover as it was read: the work must still be so. Absent: with `program` alone."
  ),
  program: optional(
    FreeForm,
    "Of a programme: the definition that is published in its place, such as one carried over to a later version. Absent: the handed over one."
  ),
  expected_version: optional(Version, "With `program`: the version in force that it changes. Absent: the handover's."),
  note: optional(FilledReason, "With `program`: the note of the version. Absent: the handover's reason."),
  confirm_rewards: optional(
    whole(0, 1_000_000_000, "must be a whole number from 0"),
    "Of a programme: the confirmation that publishing it needs, as `publish` takes it."
  )
}).annotate({ identifier: "HandoverApproval" })
export type Approval = typeof Approval.Type

const Denial = Schema.Struct({
  note: field(FilledReason, "What who handed it over is told. It must not contain personal data.")
}).annotate({ identifier: "HandoverDenial" })

const params = {
  handover_id: field(Identifier.annotate({ examples: ["hov_7Q2MXK4T0ZB9HD3W"] }), "The handover.")
}

const readCodes: ReadonlyArray<ProblemCode> = [...readProblems, "not_found"]
const makeCodes: ReadonlyArray<ProblemCode> = [...changeProblems, "not_found", "invalid_state", "conflict"]
const declineCodes: ReadonlyArray<ProblemCode> = [...changeProblems, "not_found", "conflict"]
const approveCodes: ReadonlyArray<ProblemCode> = [
  ...declineCodes,
  "limit_exceeded",
  "program_retired",
  "invalid_state",
  "incompatible_change"
]

const handed = {
  what: { type: "campaign", campaign_id: "bowl-for-regulars" } as const,
  reason: "The regulars' bowl for spring"
}
const open = {
  handover_id: "hov_7Q2MXK4T0ZB9HD3W",
  program_id: "demo-foodservice",
  kind: "campaign" as const,
  campaign_id: "bowl-for-regulars",
  campaign_name: "Bowl for regulars",
  reason: handed.reason,
  handed_by: "Mia Marketer",
  handed_at: "2026-07-14T10:05:00.000Z",
  ends_at: "2026-07-28T10:05:00.000Z",
  is_own: true,
  status: "open" as const,
  look: "9b74c9897bac770ffc029102a200c5de"
}
const { look: _, ...settled } = open
const decided = { decided_by: "Moritz Manager", decided_at: "2026-07-14T11:00:00.000Z", is_own: false }

export class Handovers extends HttpApiGroup.make("handovers")
  .add(
    HttpApiEndpoint.get("listHandovers", handoversPath, {
      query: { program_id: optional(Identifier, "The programme; absent: all that the caller may see.") },
      success: HandoverList,
      error: problems(readCodes)
    }).annotateMerge(
      annotated(
        "handover.list",
        "List handed over work",
        "Each open one tells whether it is possible now, and whether it has changed. ",
        readCodes,
        { query: { program_id: "demo-foodservice" }, response: { handovers: [open] } },
        true
      )
    ),
    HttpApiEndpoint.get("showHandover", `${handoversPath}/:handover_id`, {
      params,
      success: HandoverShown,
      error: problems(readCodes)
    }).annotateMerge(
      annotated(
        "handover.show",
        "Show handed over work",
        "With the definition of a programme. For who handed it over, and for those who may approve it. ",
        readCodes,
        { params: { handover_id: open.handover_id }, response: open },
        true
      )
    ),
    HttpApiEndpoint.post("handOver", handoversPath, {
      payload: NewHandover,
      success: Handover.pipe(HttpApiSchema.status(201)),
      error: problems(makeCodes)
    }).annotateMerge(
      annotated(
        "handover.make",
        "Hand work over",
        "Keeps a campaign, a changed audience or a changed programme for 14 days, so that somebody who may puts it in force or declines it. " +
          "Nothing is in force yet. It takes the place of the caller's open one of the same. For people alone. `invalid_state` with 20 open ones of the caller. ",
        makeCodes,
        { request: handed, response: open }
      )
    ),
    HttpApiEndpoint.post("approveHandover", `${handoversPath}/:handover_id/approve`, {
      params,
      payload: Approval,
      success: Handover,
      error: problems(approveCodes)
    }).annotateMerge(
      annotated(
        "handover.approve",
        "Put handed over work in force",
        "Activates, confirms or publishes it as the caller, within the caller's limits, once. `conflict` if it has changed since `look`, and if it is decided. " +
          "With `program` another definition is published, and answers it. ",
        approveCodes,
        {
          params: { handover_id: open.handover_id },
          request: { look: open.look },
          response: { ...settled, ...decided, status: "done" }
        }
      )
    ),
    HttpApiEndpoint.post("declineHandover", `${handoversPath}/:handover_id/decline`, {
      params,
      payload: Denial,
      success: Handover,
      error: problems(declineCodes)
    }).annotateMerge(
      annotated(
        "handover.decline",
        "Decline handed over work",
        "Changes nothing. Who handed it over reads the note, and may take it back so. `conflict` if it is decided. ",
        declineCodes,
        {
          params: { handover_id: open.handover_id },
          request: { note: "After Easter, please" },
          response: { ...settled, ...decided, status: "declined", note: "After Easter, please" }
        }
      )
    )
  )
  .middleware(Refusals)
  .annotateMerge(
    OpenApi.annotations({
      title: "Handing over",
      description: "Work that people hand over because they may not put it in force."
    })
  ) {}
