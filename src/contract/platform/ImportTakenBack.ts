/** Imports that are taken back (contract/engagement.md *Taking an import back*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import { annotated, changeProblems } from "../admin/Endpoint.ts"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import { FilledReason, field, Identifier, maxAmount, optional, whole } from "../Values.ts"
import { Import, maxRows } from "./Imports.ts"
import examples from "./importExamples.json" with { type: "json" }
import { platformPath } from "./Platform.ts"

const takeBackPath = `${platformPath}/imports/take-back` as const

const Points = whole(0, maxRows * maxAmount, "must be a whole number")
const Guests = whole(0, maxRows, "must be a whole number")

/** Why a guest stays, the first that is true. */
export const keptReasons = ["was_there", "merged", "ordered", "spent", "changed", "not_active"] as const
export type KeptReason = (typeof keptReasons)[number]

export const TakenGuest = Schema.Struct({
  member_id: field(Identifier, "The guest's member id."),
  outcome: field(Schema.Literals(["erased", "kept"]), "Whether the guest is erased, or stays."),
  reason: optional(
    Schema.Literals(keptReasons),
    "Why the guest stays: `was_there` before the import, and keeps what it changed; `merged` with another guest; `ordered`; `spent` points or a reward; `changed` by somebody else since; `not_active`. Absent for those who are erased."
  ),
  credited: field(Points, "Points that the import credited."),
  taken: field(Points, "Points of them that are taken back. The others were spent, are held, or have expired.")
}).annotate({ identifier: "TakenGuest", description: "A guest of an import that is taken back." })
export type TakenGuest = typeof TakenGuest.Type

export const ImportTakenBack = Schema.Struct({
  import: field(Import, "The import."),
  erased: field(Guests, "Guests whom the import enrolled and who are erased."),
  kept: field(Guests, "Guests who stay."),
  credited: field(Points, "Points that the import credited."),
  taken: field(Points, "Points that are taken back."),
  guests: field(Schema.Array(TakenGuest), "All guests of the import, in the order of their first rows.")
}).annotate({ identifier: "ImportTakenBack", description: "What taking an import back does, or has done." })
export type ImportTakenBack = typeof ImportTakenBack.Type

export const ImportTakeBack = Schema.Struct({
  import_id: field(Identifier, "The import."),
  reason: field(FilledReason, "The reason. It is stored, so it must not contain personal data."),
  dry_run: optional(Schema.Boolean, "True: tells what it would do now, and does nothing.")
}).annotate({ identifier: "ImportTakeBack", description: "An import to take back." })
export type ImportTakeBack = typeof ImportTakeBack.Type

const codes: ReadonlyArray<ProblemCode> = [...changeProblems, "not_found", "invalid_state", "limit_exceeded"]

export class ImportsTakenBack extends HttpApiGroup.make("platform_imports_taken_back")
  .add(
    HttpApiEndpoint.post("takeBackImport", takeBackPath, {
      payload: ImportTakeBack,
      success: ImportTakenBack,
      error: problems(codes)
    })
      .annotate(AccessOf, { isRepeatable: true })
      .annotateMerge(
        annotated(
          "import.take_back",
          "Take an import back",
          "Takes back the opening balances that it credited, as far as they are there, and erases the guests whom it enrolled and " +
            "who have done nothing since. The others are listed. Repeated, it changes nothing more. With `dry_run` it tells what it would do. ",
          codes,
          examples.takeBackImport
        )
      )
  )
  .middleware(Refusals)
  .annotateMerge(OpenApi.annotations({ title: "Imports taken back", description: "Imports that are taken back." })) {}
