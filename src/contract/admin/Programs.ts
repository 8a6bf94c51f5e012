/**
 * The operators' routes for programmes: definitions, versions, validation and publishing
 * (contract/programmes.md *Publishing*).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import { problems } from "../Description.ts"
import { ProgramFile } from "../ProgramFile.ts"
import { WithheldPromotion } from "../PromotionOutcomes.ts"
import { evaluation } from "../protocol/Evaluation.ts"
import { Order } from "../protocol/Order.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Template } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import { FilledReason, FreeForm, FreeJson, field, Identifier, optional, Reason, Text, whole } from "../Values.ts"
import { changeProblems, frozenChangeProblems, listProblems, nextCursor, page } from "./Endpoint.ts"
import {
  described,
  listPrograms,
  maxVersion,
  ProgramStatus,
  params,
  programPath,
  programsPath,
  published,
  showCodes,
  showProgram,
  Version
} from "./ProgramsInForce.ts"
import { CardRewards } from "./PromotionFigures.ts"
import { previewPublication } from "./PublicationPreview.ts"

const VersionText = Schema.String.check(
  Schema.makeFilter((text) => /^[1-9]\d{0,8}$/.test(text) || "must be a whole number from 1", {
    toJsonSchema: () => ({ type: "integer", minimum: 1, maximum: 999_999_999 })
  })
)

export const ProgramChange = Schema.Struct({
  path: field(Schema.String, "JSON Pointer into the later definition; for a removed value, into the earlier one."),
  from: optional(FreeJson, "The earlier value; absent if it was added."),
  to: optional(FreeJson, "The later value; absent if it was removed.")
}).annotate({ identifier: "ProgramChange" })

const ProgramFault = Schema.Struct({
  path: field(Schema.String, "JSON Pointer into the programme file."),
  message: field(Schema.String, "The fault at that place."),
  template: optional(Template, "The message apart from its values, if it has some.")
}).annotate({ identifier: "ProgramFault" })

const changes = field(Schema.Array(ProgramChange), "Each difference from the previous version; empty for the first.")
const note = optional(Reason, "The publisher's note.")

const VersionListed = Schema.Struct({ ...published, note, changes }).annotate({ identifier: "ProgramVersion" })

export const VersionList = Schema.Struct({
  versions: field(Schema.Array(VersionListed), "The page, newest first."),
  next_cursor: nextCursor
})

export const VersionShown = Schema.Struct({
  program: field(ProgramFile, "The definition."),
  ...published,
  note,
  changes
})

/** Any object. The handler validates it, so that the answer has every fault of its shape and of its rules. */
const file = FreeForm

export const Evaluate = Schema.Struct({
  program: field(file, "The definition, published or not: a `ProgramFile`."),
  order: field(Order, "The order."),
  member_id: optional(
    Identifier,
    "The member whose tier, balances and status are used now; absent: a new member, at the order's `placed_at`, which may be to come. Needs the scope `members:read`."
  ),
  tier_id: optional(Text, "The tier of the new member; absent: the lowest. Not with a member, who has one.")
})

export const Evaluated = Schema.Struct({
  ...evaluation,
  tier_id: optional(Text, "The tier that counted; absent if the definition has none."),
  card: optional(CardRewards, "Rewards of stamp cards that the order fills; absent: it fills none."),
  withheld: field(Schema.Array(WithheldPromotion), "Promotions of the definition that the order does not get.")
})

export const Validated = Schema.Struct({
  valid: field(Schema.Boolean, "True if the file can be published: `errors` and `blocking` are empty."),
  errors: field(Schema.Array(ProgramFault), "All faults of the file itself."),
  changes: field(Schema.Array(ProgramChange), "Each difference from the version in force; none for a new programme."),
  blocking: field(Schema.Array(ProgramFault), "Changes that are not allowed."),
  warnings: field(
    Schema.Array(ProgramFault),
    "What is allowed and probably a mistake, such as a stamp card that fills by spend. It does not make the file invalid."
  ),
  confirm_rewards: optional(
    Schema.Int,
    "Publishing needs this number as its `confirm_rewards`: so many rewards may come of one order. Absent: no confirmation."
  ),
  affected: field(
    Schema.Struct({
      members: field(Schema.Int, "Members of the programme, including closed ones."),
      open_reservations: field(Schema.Int, "Its open reservations. A new version does not change them."),
      issued_rewards: field(Schema.Int, "Its wallet rewards that can still be used.")
    }),
    "Numbers of things that belong to the programme now."
  )
})

const confirm_rewards = optional(
  whole(0, 1_000_000_000, "must be a whole number from 0"),
  "Confirms that so many rewards may come of one order: the number that `validate` tells. Needed above 5, if they are more than in force now."
)

export const Publish = Schema.Struct({
  program: field(file, "The definition: a `ProgramFile`."),
  expected_version: optional(
    whole(0, maxVersion, "must be a whole number from 0"),
    "Publishes only if this version is in force; 0: only if there is no such programme."
  ),
  confirm_rewards,
  note
})

export const PublishedVersion = Schema.Struct({
  program_id: field(Identifier, "The programme's id."),
  version: field(Version, "The version in force from now on.")
})

export const RollBack = Schema.Struct({
  version: field(Version, "The version whose definition is published again."),
  confirm_rewards,
  note
})

export const WithReason = Schema.Struct({
  reason: field(FilledReason, "The reason, for the audit log. It must not contain personal data.")
})

export const StatusOfProgram = Schema.Struct({
  program_id: field(Identifier, "The programme's id."),
  status: field(ProgramStatus, "The new status.")
})

const versionsCodes: ReadonlyArray<ProblemCode> = [...listProblems, "not_found"]
const askCodes: ReadonlyArray<ProblemCode> = [
  ...frozenChangeProblems,
  "not_found",
  "invalid_order",
  "conflict",
  "currency_mismatch",
  "invalid_state"
]
const publishCodes: ReadonlyArray<ProblemCode> = [
  ...changeProblems,
  "limit_exceeded",
  "conflict",
  "invalid_state",
  "incompatible_change"
]
const rollBackCodes: ReadonlyArray<ProblemCode> = [
  ...changeProblems,
  "limit_exceeded",
  "not_found",
  "invalid_state",
  "incompatible_change"
]
const retireCodes: ReadonlyArray<ProblemCode> = [...changeProblems, "not_found"]

export class ManagedPrograms extends HttpApiGroup.make("programs")
  .add(
    listPrograms,
    HttpApiEndpoint.post("evaluateProgram", `${programsPath}/evaluate`, {
      payload: Evaluate,
      success: Evaluated,
      error: problems(askCodes)
    })
      .annotate(AccessOf, { isServedFrozen: true, isRepeatable: true })
      .annotateMerge(
        described(
          "program.evaluate",
          "Try a definition on an order",
          "Shows the points that the order would earn and the rewards that it could use. Nothing is stored.",
          askCodes,
          true
        )
      ),
    HttpApiEndpoint.post("validateProgram", `${programsPath}/validate`, {
      payload: file,
      success: Validated,
      error: problems(frozenChangeProblems)
    })
      .annotate(AccessOf, { isServedFrozen: true, isRepeatable: true })
      .annotateMerge(
        described(
          "program.validate",
          "Check a programme file",
          "Shows every fault, each change from the version in force, and changes that are not allowed. The body is a `ProgramFile`.",
          frozenChangeProblems,
          true
        )
      ),
    previewPublication,
    HttpApiEndpoint.post("publishProgram", `${programsPath}/publish`, {
      payload: Publish,
      success: PublishedVersion,
      error: problems(publishCodes)
    }).annotateMerge(
      described(
        "program.publish",
        "Publish a programme",
        "The definition is in force on every service at once, and no request fails because of it. A new programme needs an unlimited token.",
        publishCodes
      )
    ),
    showProgram,
    HttpApiEndpoint.get("listProgramVersions", `${programPath}/versions`, {
      params,
      query: Schema.Struct(page),
      success: VersionList,
      error: problems(versionsCodes)
    }).annotateMerge(
      described(
        "program_version.list",
        "List a programme's versions",
        "Every definition that was ever in force, newest first.",
        versionsCodes,
        true
      )
    ),
    HttpApiEndpoint.get("showProgramVersion", `${programPath}/versions/:version`, {
      params: Schema.Struct({
        ...params.fields,
        version: field(VersionText.annotate({ examples: ["1"] }), "The version.")
      }),
      success: VersionShown,
      error: problems(showCodes)
    }).annotateMerge(
      described("program_version.show", "Show a version of a programme", "The whole definition.", showCodes, true)
    ),
    HttpApiEndpoint.post("rollBackProgram", `${programPath}/rollback`, {
      params,
      payload: RollBack,
      success: PublishedVersion,
      error: problems(rollBackCodes)
    }).annotateMerge(
      described(
        "program.roll_back",
        "Go back to a version",
        "Publishes that definition again as the newest version.",
        rollBackCodes
      )
    ),
    HttpApiEndpoint.post("restoreProgram", `${programPath}/restore`, {
      params,
      payload: WithReason,
      success: StatusOfProgram,
      error: problems(retireCodes)
    })
      .annotate(AccessOf, { isForUnlimited: true })
      .annotateMerge(
        described(
          "program.restore",
          "Restore a retired programme",
          "All operations are possible again. Needs an unlimited token.",
          retireCodes
        )
      ),
    HttpApiEndpoint.post("retireProgram", `${programPath}/retire`, {
      params,
      payload: WithReason,
      success: StatusOfProgram,
      error: problems(retireCodes)
    })
      .annotate(AccessOf, { isForUnlimited: true })
      .annotateMerge(
        described(
          "program.retire",
          "Retire a programme",
          "After that, only captures, reversals, refunds, expirations and reads are possible. Needs an unlimited token.",
          retireCodes
        )
      )
  )
  .middleware(Refusals)
  .annotateMerge(
    OpenApi.annotations({
      title: "Programmes",
      description: "Definitions of programmes, their versions, and publishing."
    })
  ) {}
