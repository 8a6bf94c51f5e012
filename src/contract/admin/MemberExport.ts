/** Everything about one guest as a file (contract/operators.md *A file of everything*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import type { Examples } from "../Description.ts"
import { problems } from "../Description.ts"
import { Language } from "../Languages.ts"
import { GuestEvent } from "../platform/Events.ts"
import { ConsentRecorded } from "../platform/Members.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Reservation } from "../protocol/Resources.ts"
import { Refusals } from "../Refused.ts"
import { field, Identifier, optional, Timestamp } from "../Values.ts"
import { annotated, readProblems } from "./Endpoint.ts"
import { ExportedEntry } from "./MemberLedger.ts"
import { MemberParams, MemberShown, memberPath, WalletReward } from "./Members.ts"
import examples from "./memberExamples.json" with { type: "json" }

const codes: ReadonlyArray<ProblemCode> = [...readProblems, "not_found"]

export const MemberFile = Schema.Struct({
  exported_at: field(Timestamp, "The time of the file, by the service's clock."),
  program_id: field(Identifier, "The member's programme."),
  ...MemberShown.fields,
  reservations: field(Schema.Array(Reservation), "Holds, whatever has become of them, as long as they are known."),
  issued_rewards: field(Schema.Array(WalletReward), "Wallet rewards without their codes, whatever has become of them."),
  ledger: field(Schema.Array(ExportedEntry), "All entries, newest first."),
  consent_history: field(Schema.Array(ConsentRecorded), "All decisions of consent, newest first."),
  events: field(Schema.Array(GuestEvent), "All events of the guest, newest first.")
}).annotate({ identifier: "MemberFile", description: "Everything about one guest." })

/** The page of everything: the same as the file, for people. */
export const MemberPage = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/html" }))

/** The begin of such a page. */
export const memberPageExample = '<!doctype html><html lang="de"><head><meta charset="utf-8">'

export class MemberExport extends HttpApiGroup.make("member_export")
  .add(
    HttpApiEndpoint.get("exportMember", `${memberPath}/export.json`, {
      params: MemberParams,
      success: MemberFile,
      error: problems(codes)
    }).annotateMerge(
      annotated(
        "member_file.show",
        "Export everything about a member",
        "What a guest may ask for: the member with profile, balances, rewards and holds, and all ledger entries, decisions " +
          "of consent and events, streamed. The audit names who took it. An export that fails half way resets the " +
          "connection, and is no valid JSON.",
        codes,
        examples["member_file.show"] as Examples,
        true
      )
    ),
    HttpApiEndpoint.get("printMember", `${memberPath}/export.html`, {
      params: MemberParams,
      query: {
        language: optional(
          Language,
          "The language if the guest has chosen none. Absent: the first one of the guests' page, else `en`."
        )
      },
      success: MemberPage,
      error: problems(codes)
    }).annotateMerge(
      annotated(
        "member_page.show",
        "Show everything about a member as a page that prints",
        "The same as the export, for people: with the programme's name and logo, in the guest's language, streamed. The audit " +
          "names who took it.",
        codes,
        { query: { language: "de" }, response: memberPageExample },
        true
      )
    )
  )
  .middleware(Refusals)
  .annotateMerge(OpenApi.annotations({ title: "Export of a member", description: "Everything about one guest." })) {}
